#!/bin/bash
# A header is included once and compiles alone.
. "$(dirname "$0")/files.sh"

export CC=${CC:-gcc} LINT_CFLAGS=${LINT_CFLAGS:--std=gnu17 -D_GNU_SOURCE -I.}

alone() {
	# shellcheck disable=SC2086 # flags are words
	echo "#include \"$1\"" | $CC $LINT_CFLAGS -Wall -Wextra -Werror \
		-fsyntax-only -x c - || exit 1
}
export -f alone

while read -r h; do
	grep -q '^#pragma once$' "$h" || complain "$h" 'no "#pragma once"'
done < <(files '*.h')
files '*.h' | xargs -r -P "$(nproc)" -I{} bash -c 'alone {}' ||
	complain headers 'not all compile alone'
finish
