#!/bin/bash
# C is as clang-format leaves it.
. "$(dirname "$0")/files.sh"

while read -r f; do
	clang-format --dry-run -Werror "$f" 2>/dev/null ||
		complain "$f" 'clang-format -i would change it'
done < <(files '*.c' '*.h')
finish
