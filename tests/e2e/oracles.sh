#!/bin/sh
# The statistics against known results: every number of expected.csv, within
# its tolerance. Ranges for Monte-Carlo results (_accept) are checked, too.
set -eu

dir=tests/data/oracles
got=$(mktemp)
trap 'rm -f "$got"' EXIT

"$B/tests/oracle" "$dir" >"$got"

awk -F, -v got="$got" '
function is_number(s) {
	return s ~ /^[-+]?[0-9.]+([eE][-+]?[0-9]+)?$/
}
function abs(x) {
	return x < 0 ? -x : x
}
# Is g the expected e, within the tolerances?
function fits(e, g, rtol, atol,    room) {
	if (!is_number(e) || !is_number(g))
		return e == g
	room = rtol * abs(e)
	if (room < atol)
		room = atol
	return abs(e - g) <= room
}
function miss(what) {
	print what
	bad++
}
BEGIN {
	while ((getline line < got) > 0) {
		split(line, f, ",")
		value[f[1] "," f[2] "," f[3]] = f[4]
		fields[f[1]]++
	}
}
{
	sub(/\r$/, "")
}
FNR == 1 {
	next
}
!($1 in fields) {
	skipped++
	next
}
$3 ~ /_accept$/ {
	field = $3
	sub(/_accept$/, "", field)
	g = value[$1 "," field ","]
	if ($4 == 0 ? g < $5 + 0 : g > $5 + 0)
		miss($1 " " field ": " g " is not in the range of " $5)
	compared++
	next
}
{
	key = $1 "," $3 "," $4
	compared++
	if (!(key in value))
		miss(key ": missing")
	else if (!fits($5, value[key], $6, $7))
		miss(key ": expected " $5 ", got " value[key])
}
END {
	printf "%d compared, %d wrong, %d skipped (no function)\n",
		compared, bad, skipped
	exit bad > 0 || skipped > 0 || compared == 0
}' "$dir/expected.csv"
