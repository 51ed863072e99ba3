#!/bin/bash
# vrun analyze on input that is odd: a clear error with its place, or a clear
# note; never a wrong number. Each case is a file, options and what is said.
# with sanitizers, too
set -u

tmp=$(mktemp -d)
bad=0 cases=0
trap 'rm -rf "$tmp"' EXIT
export TERM=dumb LC_ALL=C
in=$tmp/t.csv

complain() {
	printf '%s\n' "case: $name" "    $1"
	head -n 12 "$tmp/out" | cut -c 1-200 | sed 's/^/    | /'
	bad=1
}

# run WANTED_STATUS OPTION...: of the file in $in.
run() {
	local want=$1 got=0
	shift
	cases=$((cases + 1))
	"$B/vrun" analyze "$in" "$@" >"$tmp/out" 2>&1 || got=$?
	[ $got -eq "$want" ] || complain "status $got, not $want"
}

says() {
	tr -s ' \n' ' ' <"$tmp/out" | grep -Fq -- "$1" ||
		complain "does not say: $1"
}

# odd NAME STATUS FILE(printf format) OPTIONS TEXT...
odd() {
	local status=$2 options
	name=$1
	# shellcheck disable=SC2059 # the escapes are wanted
	printf -- "$3" >"$in"
	read -ra options <<<"$4"
	shift 4
	run "$status" "${options[@]}"
	for text; do
		says "$text"
	done
}

usual='--value iops --factors a'

# --- no figures ---------------------------------------------------------
odd 'NaN' 0 'a,iops\nx,1\nx,2\ny,NaN\ny,3\ny,4\n' "$usual" \
	'1 invalid' 'value is "NaN"'
odd 'inf' 0 'a,iops\nx,1\nx,2\ny,inf\ny,-Infinity\ny,3\n' "$usual" '2 invalid'
odd 'empty cells' 0 'a,iops\nx,1\nx,\ny,\ny,3\n' "$usual" \
	'2 invalid' 'value is ""'
odd 'nothing but NA' 0 'a,iops\nx,NA\ny,NA\n' "$usual" \
	'Inconclusive (no-data)' '2 invalid'
odd 'empty factor' 0 'a,iops\n,1\ny,3\n' "$usual" 'a=(empty)'
odd 'zero mean' 0 'a,iops\nx,0\nx,0\ny,1\ny,2\n' "$usual" \
	'a mean is not above 0, so there is no ratio'
odd 'negative mean' 0 'a,iops\nx,-1\nx,-2\ny,1\ny,2\n' "$usual" \
	'a mean is not above 0, so there is no ratio'
odd 'zero variance' 0 'a,iops\nx,1\nx,1\ny,2\ny,2\n' "$usual" \
	'inconclusive (zero-variance)' 'the resolution hides the noise'

# --- shapes -------------------------------------------------------------
odd 'empty file' 2 '' "$usual" 'empty; a table begins with a line of column'
odd 'blank lines only' 2 '\n\n  \n' "$usual" 'empty; a table begins'
odd 'header only' 2 'a,iops\n' "$usual" 'no row after the line of names'
odd 'one row' 0 'a,iops\nx,5\n' "$usual" 'Nothing is compared' \
	'n = 1: no interval'
odd 'one row of each arm' 0 'a,iops\nx,5\ny,6\n' "$usual" '+20.00 %' \
	'n = 1 and 1: no interval'
odd 'one column' 0 'iops\n5\n6\n7\n' '--value iops' 'Nothing is compared'
odd 'one column without a name' 0 '5\n6\n7\n' '--value 1 --header none' \
	'Nothing is compared'
odd 'no newline at the end' 0 'a,iops\nx,5\ny,6' "$usual" '+20.00 %'
odd 'a short row' 2 'a,iops\nx,5\ny\n' "$usual" \
	"$in:3:1: 1 fields where the header has 2; they are parted by commas"
odd 'a long row' 2 'a,iops\nx,5\ny,6,7\n' "$usual" \
	"$in:3:5: 3 fields where the header has 2"
odd 'a name twice' 2 'a,iops,iops\nx,5,6\n' "$usual" \
	'more than one column is called "iops"'
odd 'values twice' 2 'a,b\n1,2\n' '--value a,a' \
	'column "a" twice among the values'

# --- bytes --------------------------------------------------------------
odd 'CRLF' 0 'a,iops\r\nx,5\r\ny,6\r\n' "$usual" '+20.00 %'
odd 'CR' 0 'a,iops\rx,5\ry,6\r' "$usual" '+20.00 %'
odd 'BOM' 0 '\xef\xbb\xbfa,iops\nx,5\ny,6\n' "$usual" '+20.00 %'
odd 'BOM, CRLF, semicolons' 0 '\xef\xbb\xbf"a";"iops"\r\nx;5\r\ny;6\r\n' \
	"$usual" '+20.00 %'
odd 'UTF-16' 2 '\xff\xfea\0,\0b\0' "$usual" \
	"$in:1:1: this is UTF-16; save it as UTF-8"
odd 'NUL' 2 'a,iops\nx,5\0\n' "$usual" "$in:2:4: a NUL byte: this is no text"
odd 'not UTF-8' 0 'a,iops\nx\xe9,5\ny,6\n' "$usual" '+20.00 %'
odd 'escape codes' 0 'a,iops\nx,5\n\x1b[31my,6\n' "$usual" '+20.00 %'
grep -q $'\x1b' "$tmp/out" && complain 'an escape code reaches the terminal'
odd 'quoted commas' 0 'a,iops\n"x, 1",5\n"y ""2""",6\n' "$usual" \
	'a=y "2"' '+20.00 %'
odd 'a quote not closed' 2 'a,iops\n"x,5\ny,6\n' "$usual" \
	"$in:2:1: this quote is never closed"
odd 'text after a quote' 2 'a,iops\n"x"z,5\n' "$usual" \
	"$in:2:4: text after a closing quote"

# --- separators ---------------------------------------------------------
odd 'tabs' 0 'a\tiops\nx\t5\ny\t6\n' "$usual" '+20.00 %'
odd 'blanks' 0 'a     iops\nx     5\nlong  6\n' "$usual" '+20.00 %'
odd 'bars' 0 'a|iops\nx|5\ny|6\n' "$usual" '+20.00 %'
odd 'colons' 0 'a:iops\nx:5\ny:6\n' "$usual --separator :" '+20.00 %'
odd 'the wrong separator' 2 'a;iops\nx;5\ny;6\n' "$usual --separator ," \
	'no column "iops"; have a;iops'
odd 'comments' 0 '# x\na,iops\n# y\nx,5\ny,6\n' "$usual --comment #" '+20.00 %'
odd 'comments without the option' 2 '# x\na,iops\nx,5\n' "$usual" \
	"--comment '#' skips lines"
odd 'a comment between rows' 2 'a,iops\nx,5\n# y\n' "$usual" \
	"$in:3:1: 1 fields where the header has 2" "--comment '#' skips"
odd 'a title' 0 'Run of Monday, 10:00, again\n\na,iops\nx,5\ny,6\n' \
	"$usual --header 3" '+20.00 %'
odd 'a header past the end' 2 'a,iops\n' "$usual --header 9" \
	'nothing from line 9 on'
odd 'no header' 2 'x,5\ny,6\n' "$usual" '--header none reads a table without'
odd 'names' 0 'x,5\ny,6\n' "$usual --header none --names a,iops" '+20.00 %'
odd 'too many names' 2 'x,5\n' "$usual --header none --names a,iops,b" \
	"$in:1: 2 columns, but --names names 3"

# --- numbers ------------------------------------------------------------
odd 'text in a number column' 2 'a,iops\nx,5\ny,fast\n' "$usual" \
	"$in:3:3: \"fast\" is no number; where there is no figure, write NA"
odd 'decimal commas' 2 'a;iops\nx;5,5\n' "$usual" \
	"$in:2:3: \"5,5\" is no number" '--decimal , reads decimal commas'
odd 'decimal commas, told' 0 'a;iops\nx;5,5\ny;6,6\n' "$usual --decimal ," \
	'+20.00 %'
odd 'a point among decimal commas' 2 'a;iops\nx;5,5\ny;6.6\n' \
	"$usual --decimal ," "$in:3:3: \"6.6\" is no number"
odd 'thousands' 2 'a;iops\nx;1,392,703\n' "$usual" 'no commas between thousands'
odd 'thousands and a fraction' 2 'a;iops\nx;1.392,5\n' "$usual --decimal ," \
	'write nothing between thousands'
odd 'thousands by blanks' 2 'a;iops\nx;1 392 703\n' "$usual" \
	'write nothing between thousands'
odd 'units' 2 'a,iops\nx,1.3M\n' "$usual" '--units reads figures with units'
odd 'units, told' 0 'a,iops\nx,1.0M\ny,1200k\n' "$usual --units" '+20.00 %'
odd 'units of time' 0 'a,t\nx,1 ms\ny,1200us\n' '--value t --factors a --units' \
	'+20.00 %' 't is taken as better when lower' '0.0012'
odd 'units that are unknown' 2 'a,iops\nx,5 furlongs\n' "$usual --units" \
	"$in:2:3: \"5 furlongs\" has an unknown unit"
odd 'K' 2 'a,iops\nx,5K\n' "$usual --units" 'write k or Ki'
odd 'units in some cells' 2 'a,t\nx,5 ms\ny,6\n' \
	'--value t --factors a --units' "$in:3:3: t is without a unit here"
odd 'mixed units' 2 'a,t,unit\nx,5,ms\ny,6,us\n' '--value t --factors a' \
	"$in:3:5: t is in \"us\" here, but in \"ms\" before"
odd 'mixed units, one picked' 0 'a,t,unit\nx,5,ms\ny,6,us\n' \
	'--value t --factors a --where unit=ms' 'Nothing is compared'
odd 'mixed units of columns' 2 'x_ms,y_us\n1,2\n' '--value x_ms,y_us' \
	'column "x_ms" is in ms and "y_us" in us'
odd 'huge' 2 'a,iops\nx,1e999\n' "$usual" "$in:2:3: \"1e999\" is out of range"
odd 'hexadecimal' 2 'a,iops\nx,0x10\n' "$usual" '"0x10" is no number'
odd 'tiny' 2 'a,iops\nx,1e-300\n' "$usual" 'squares cannot be counted with'

# --- trials -------------------------------------------------------------
odd 'duplicate rows' 0 'a,iops,run\nx,5,1\nx,5,1\ny,6,1\n' "$usual" \
	'1 row is the same as an earlier one in every column (the first: line 3 as line 2)'
odd 'duplicate trials' 2 'a,iops,seq\nx,5,1\ny,6,2\nx,5,1\n' \
	"$usual --order seq" "$in:4: the same as line 2 in every column" \
	'delete the copy'
odd 'no place in the order' 2 'a,iops,seq\nx,5,1\ny,6,\n' "$usual --order seq" \
	"$in:3:5: \"\" is no place in the order of execution"
odd 'arms one after the other' 0 \
	'a,iops\nx,5\nx,5.1\nx,5.2\ny,6\ny,6.1\ny,6.2\n' "$usual --order row" \
	'Inconclusive (confounded)'
odd 'a filter that nothing passes' 2 'a,iops\nx,5\n' "$usual --where a=z" \
	'no row has a=z'

# --- size ---------------------------------------------------------------
# What is too much is refused, what is not takes bounded memory. The address
# sanitizer needs address space of its own.
name='1e6 columns'
awk 'BEGIN {
	for (i = 1; i <= 1000000; i++) printf "%sc%d", (i > 1 ? "," : ""), i
	print ""
	for (i = 1; i <= 1000000; i++) printf "%s%d", (i > 1 ? "," : ""), i
	print ""
}' >"$in"
run 0 --value c1,c1000000
says '+1e+08 %'
run 2 --value c1..c1000000
says 'more than 100000 cells'
run 0 --value c1..c1000000 --columns repeats
says '1000000 trials: 1000000 ok'
run 2 --value c1..c2000000
says 'no column "c2000000"; have c1, c2'

name='3e6 columns'
awk 'BEGIN { for (i = 1; i <= 3000000; i++) printf "c,"; print "c" }' >"$in"
run 2 --value c
says 'too many columns; is this the separator?'

if ! "$B/vrun" analyze - --value y <<<$'y\n1' >/dev/null; then
	name='standard input'
	complain 'standard input is not read'
fi

echo "$cases cases"
exit $bad
