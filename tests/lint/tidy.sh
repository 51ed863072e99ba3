#!/bin/bash
# clang-tidy has nothing to say: tests/lint/tidy.sh [FILE...]
. "$(dirname "$0")/files.sh"

export LINT_CFLAGS=${LINT_CFLAGS:--std=gnu17 -D_GNU_SOURCE -I.}

tidy() {
	# shellcheck disable=SC2086 # flags are words
	clang-tidy --quiet --warnings-as-errors='*' "$1" -- $LINT_CFLAGS \
		2> >(grep -v ' warnings\? generated\.$' >&2)
}
export -f tidy

if [ $# -gt 0 ]; then
	printf '%s\n' "$@"
else
	files '*.c'
fi | xargs -r -P "$(nproc)" -I{} bash -c 'tidy {}' ||
	complain tidy 'clang-tidy has findings'
finish
