#!/bin/bash
# vrun analyze: the examples of its help, formats, and the errors of a user who
# mistypes. published.sh and analyze-input.sh have more tables.
# with sanitizers, too
set -u

data=tests/data/published
out=$(mktemp)
tmp=$(mktemp -d)
bad=0
trap 'rm -rf "$out" "$tmp"' EXIT
. tests/e2e/examples.bash

complain() {
	printf '%s\n' "$1"
	sed 's/^/    /' "$out"
	bad=1
}

# analyze STATUS FILE OPTION...
analyze() {
	local want=$1 got=0
	shift
	"$B/vrun" analyze "$@" >"$out" 2>&1 || got=$?
	[ $got -eq "$want" ] || complain "status $got, not $want: $*"
}

# The report, with its lines joined, says each TEXT.
says() {
	local text
	for text; do
		tr -s ' \n' ' ' <"$out" | grep -Fq -- "$text" ||
			complain "does not say: $text"
	done
}

says_not() {
	tr -s ' \n' ' ' <"$out" | grep -Fiq -- "$1" && complain "says: $1"
}

hugetlb=$data/null_blk_hugetlb.csv
analyze 0 $hugetlb --value iops --factors where,accel,backing,run
says '-4.64 % [-9.96 %, +1.00 %]' ' .090 ' 'inconclusive' \
	'n = 1: no interval' 'column "round" is not used'
says_not 'no difference'

analyze 0 $hugetlb --value iops --factors where,accel,backing \
	--where run=short --baseline where=vm,accel=kvm,backing=4k --margin 2%
says 'backing=hugetlb-2M' '+0.04 % [-6.99 %, +7.60 %]' ' .990 ' 'inconclusive'
says_not 'no difference'

analyze 0 $hugetlb --value iops --factors where,accel,backing \
	--where run=short,where=vm
says 'Inconclusive: backing=hugetlb-2M changed iops by +0.04 %' \
	'differences of up to 7.6 % cannot be excluded; n = 5 and 5.'

analyze 0 $hugetlb --value iops --factors where,accel,backing
says 'column "run" differs within a cell ("short", "30s")'

hosts=tests/data/oracles/e2e_iops3.csv
analyze 0 $hosts --value value --metric metric --factors config --host host \
	--block round --status status --order seq --baseline config=native \
	--margin 2%
says '-2.69 % [-3.39 %, -1.99 %]' '-0.57 % [-1.20 %, +0.06 %]' \
	'hosts like these 3 -2.69 % [-3.16 %, -2.22 %]' 'equivalent' 'slower' \
	'2 failed' 'status is "fail"'

# --- the examples of vrun help analyze ---

printf 'round,backing,iops\n%d,4k,%d\n%d,2M,%d\n%d,4k,%d\n%d,2M,%d\n' \
	1 100 1 102 2 110 2 112 >"$tmp/runs.csv"
cp $data/kvm_tcg_boot.csv "$tmp/boot.csv"
printf 'backing;r1;r2;r3;r4;r5\n4k;1;2;3;4;5\n2M;2;3;4;5;7\n' >"$tmp/reps.csv"
printf '4k   100\n2M   102\n4k   110\n2M   112\n' >"$tmp/data.txt"
printf '%s\n' 'Ergebnisse; 1. Dezember' '' 'gast;zeit' '# Kommentar' \
	'alt;1,5' 'neu;1,25' >"$tmp/export.csv"
printf 'backing,iops\n4k,1.3M\n2M,1310k\n' >"$tmp/fio.csv"
answers=(
	'backing=2M changed iops by +1.90 % [+0.76 %, +3.06 %]'
	'column=tcg_s (probe=SSH) +584.42 %'
	'backing=2M changed value by +40.00 % [+22.66 %, +59.79 %]'
	'1=2M changed 2 by +1.90 %'
	'gast=neu changed zeit by -16.67 %'
	'backing=2M changed iops by +0.77 %'
)
"$B/vrun" help analyze | sed -n '/^Options:/q; s/^  vrun/$ vrun/p; s/^      -/&/p' \
	>"$tmp/commands"
i=0
while IFS= read -r line; do
	printf '%s\n' "$line"
	[[ $line == *\\ ]] && continue
	printf '%s\n\n' "${answers[i]-no answer is expected}"
	i=$((i + 1))
done <"$tmp/commands" >"$tmp/examples"
(cd "$tmp" && examples examples) || bad=1
[ $i -eq ${#answers[@]} ] || bad=1

# --- formats, errors ---

for format in term md csv json latex html; do
	analyze 0 $hugetlb --value iops --factors backing --format $format
	[ -s "$out" ] || complain "--format $format prints nothing"
done
analyze 0 - --value y --factors a <<<$'a;y\n1;10\n2;11'
says '+10.00 %' 'Source: standard input.'

exits=$'arm;exits\na;100\na;100\nb;110\nb;110'
analyze 0 - --value exits --factors arm --better lower <<<"$exits"
says 'Inconclusive (zero-variance)' 'declare it exact'
analyze 0 - --value exits --factors arm --better lower --exact exits <<<"$exits"
says 'Worse: arm=b changed exits by +10.00 %' 'of an exact metric'
analyze 0 - --value exits --factors arm --exact exits <<<"${exits/b;110/b;120}"
says 'declared exact, yet its figures vary'
analyze 0 - --value exits --factors arm --exact exits <<<"${exits//110/100}"
says 'Equivalent: arm=b changed exits by +0.00 %'
analyze 2 - --value exits --factors arm --exact exit <<<"$exits"
says '--exact: "exit" is no metric of standard input'

analyze 2 $hugetlb --factors where
says 'vrun: analyze: --value COLUMN'
analyze 2 $hugetlb --value iopz
says 'no column "iopz"; have where, accel, backing, round, iops, run'
analyze 2 $hugetlb --value accel
says 'null_blk_hugetlb.csv:2:6: "native" is no number'
analyze 2 $hugetlb --value iops --factors where,backing --baseline backing=3M
says 'no cell has backing=3M; the cells are'
analyze 2 $hugetlb --value iops --factors where,accel,backing \
	--baseline where=host
says 'no cell differs from another only in having where=host'
analyze 2 $hugetlb --value iops --margin 2
says '--margin: "2" is not between 0 and 100 %'
analyze 2 $hugetlb --value iops --format pdf
says 'unknown format "pdf" (have term, md, csv, json'
analyze 2 nowhere.csv --value iops
says 'nowhere.csv'

exit $bad
