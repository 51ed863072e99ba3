#!/bin/bash
# vrun analyze on figures that others published: what an honest report says
# about each, and the errors of a user who mistypes.
set -u

data=tests/data/published
out=$(mktemp)
bad=0
trap 'rm -f "$out"' EXIT

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

analyze 0 $data/superpi.csv --value seconds --factors digits_log2,where \
	--baseline where=host --where digits_log2=24 --margin 2%
says 'Slower: where=virt changed seconds by +2.70 % [+2.02 %, +3.39 %]'
analyze 0 $data/superpi.csv --value seconds --factors digits_log2,where \
	--baseline where=host --where digits_log2=20 --margin 2%
says 'Equivalent within 2 %: where=virt changed seconds by +0.90 %' \
	'[-0.29 %, +2.10 %]' 'fragile'

analyze 0 $data/lmbench.csv --value value --metric metric --factors where
says 'zero variance' 'family of 21'

analyze 0 $data/kvm_tcg_boot.csv --value kvm_s,tcg_s --factors probe \
	--baseline column=kvm_s
says '+328.04 %' 'n = 1: no interval'
analyze 0 $data/kvm_tcg_api.csv --value kvm_s,tcg_s --factors request \
	--baseline column=kvm_s
says '+1600.00 %' 'n = 1: no interval'
analyze 0 $data/kvm_tcg_storage.csv --value kvm_MBps,tcg_MBps \
	--factors path,op --baseline column=kvm_MBps
says '-99.73 %' 'n = 1: no interval'
analyze 0 $data/iozone_cache_modes.csv --value MBps \
	--factors record,cache,op --baseline cache=host
says '72 comparisons: n = 1: no interval'
analyze 0 $data/kvm_exits_10s.csv --value count --factors exit
says '-13.50 %' 'n = 1: no interval'
analyze 0 $data/kvm_tcg_resources.csv --value value --metric figure
says 'Nothing is compared' 'n = 1: no interval'

hosts=tests/data/oracles/e2e_iops3.csv
analyze 0 $hosts --value value --metric metric --factors config --host host \
	--block round --status status --order seq --baseline config=native \
	--margin 2%
says '-2.69 % [-3.39 %, -1.99 %]' '-0.57 % [-1.20 %, +0.06 %]' \
	'hosts like these 3 -2.69 % [-3.16 %, -2.22 %]' 'equivalent' 'slower' \
	'2 failed' 'status is "fail"'

for format in term md csv json; do
	analyze 0 $hugetlb --value iops --factors backing --format $format
	[ -s "$out" ] || complain "--format $format prints nothing"
done
analyze 0 - --value y --factors a <<<$'a;y\n1;10\n2;11'
says '+10.00 %' 'Source: standard input.'

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
