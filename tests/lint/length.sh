#!/bin/bash
# A file of source is under 500 lines; exceptions stand in long-files, each
# with its reason.
. "$(dirname "$0")/files.sh"

MAX=500
exceptions=$(awk '!/^#/ { print $1 }' tests/lint/long-files 2>/dev/null)

is_long() {
	[ -f "$1" ] && [ "$(wc -l <"$1")" -ge $MAX ]
}

while read -r f; do
	if is_long "$f" && ! grep -Fqx -- "$f" <<<"$exceptions"; then
		complain "$f" "$(wc -l <"$f") lines; split it"
	fi
done < <(files '*.c' '*.h' '*.sh' '*.py')
for f in $exceptions; do
	is_long "$f" || complain tests/lint/long-files "$f needs no exception"
done
finish
