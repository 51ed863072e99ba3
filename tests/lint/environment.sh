#!/bin/bash
# Each variable of the environment that vrun or its agent reads stands once in
# the table of the man page, and the table has no other.
. "$(dirname "$0")/files.sh"

manual=runner/cmd/manual.c
names='[A-Z][A-Z_]*'
list=$(mktemp)
trap 'rm -f "$list"' EXIT

# FILE:LINE NAME of each that is read; what is passed on to hooks is none.
files 'runner/*.c' 'analysis/*.c' | xargs -r grep -noE \
	"(getenv|given)\(\"$names\"\)" /dev/null |
	sed -E 's/^([^:]*):([0-9]*):.*"(.*)".*/\1:\2 \3/' >"$list"
table=$(sed -nE "s/^[[:blank:]]*\{ \"($names)\",.*/\1/p" "$manual")

while read -r place name; do
	[ "$(grep -cFx -- "$name" <<<"$table")" -eq 1 ] ||
		complain "$place" "$name is not once in the table of $manual"
done <"$list"
for name in $table; do
	grep -q " $name\$" "$list" ||
		complain "$manual" "nothing reads $name"
done
finish
