#!/bin/bash
# Nothing is left to say for shellcheck about any shell script.
. "$(dirname "$0")/files.sh"

scripts() {
	files '*.sh'
	files '*' | while read -r f; do
		if head -n 1 "$f" | grep -aqE '^#!.*[/ ](ba|da)?sh( |$)'; then
			echo "$f"
		fi
	done
}

# Not wanted: that a sourced file cannot be found (SC1091, SC1090), and that a
# function which is called by a computed name seems unused (SC2317).
scripts | sort -u | xargs -r shellcheck -x -e SC1090,SC1091,SC2317 ||
	complain shell 'shellcheck has findings'
finish
