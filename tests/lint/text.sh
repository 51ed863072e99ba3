#!/bin/bash
# Text has no trailing blanks, ends with a newline, and leaves nothing for
# later: no marks of unfinished work, no paths of one person's machine.
. "$(dirname "$0")/files.sh"

# The brackets keep the pattern from finding itself.
MARKS='\b(TO[D]O|FIX[M]E|XX[X]|HA[C]K)\b'
PLACES='(^|[^[:alnum:]_.])/wor[k]/[a-z]|\.\./share[d]\b'

list=$(mktemp)
trap 'rm -f "$list"' EXIT
files '*' | grep -v '^tests/fuzz/corpus/' >"$list"

search() {
	xargs -r grep -InE -- "$1" <"$list" && complain text "$2"
}

search "$MARKS" 'unfinished work: do it or file an issue'
search "$PLACES" 'a path of one machine'
xargs -r grep -InE '[ 	]+$' -- <"$list" | grep -v '\.md:' &&
	complain text 'trailing blanks'
while read -r f; do
	[ -s "$f" ] && grep -Iq . "$f" && [ -n "$(tail -c 1 "$f")" ] &&
		complain "$f" 'no newline at the end'
done <"$list"
finish
