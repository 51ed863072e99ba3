#!/bin/bash
# C is as clang-format leaves it.
. "$(dirname "$0")/files.sh"

files '*.c' '*.h' | xargs -r clang-format --dry-run -Werror ||
	complain format 'clang-format -i would change files'
finish
