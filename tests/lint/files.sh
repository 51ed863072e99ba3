# What every rule shares. Sourced: goes to the root of the tree, which is
# LINT_ROOT when a rule is tried out on a tree of bad examples.
# shellcheck shell=bash
set -u
cd "${LINT_ROOT:-$(dirname "${BASH_SOURCE[0]}")/../..}" || exit 1

bad=0

# complain PLACE WHAT
complain() {
	echo "$1: $2"
	bad=1
}

# The last line of a rule.
finish() {
	exit $bad
}

# files PATTERN...: those of the tree, also the ones not yet committed; what
# git ignores is no part of it.
files() {
	local f
	if [ -e .git ]; then
		git ls-files -co --exclude-standard -- "$@" | sort -u
	else
		for f; do
			find . -type f -path "./$f"
		done | sed 's,^\./,,' | sort -u
	fi | while read -r f; do
		[ ! -f "$f" ] || echo "$f"
	done
}
