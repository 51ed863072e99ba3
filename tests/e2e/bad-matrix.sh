#!/bin/bash
# Matrices that are wrong: exit status 2, at once, each error with its place
# and what would be right; never a crash.
set -eu
cd "$(dirname "$0")/../.."
B=$(realpath "${B:-build}")
VRUN=$B/vrun

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

fail() {
	echo "bad-matrix.sh: $*"
	exit 1
}

# refuses TEXT [OPTION...]: the matrix x.yaml, within a few seconds.
refuses() {
	local text=$1 status=0
	shift
	timeout 20 "$VRUN" plan x.yaml "$@" >out 2>err || status=$?
	[ $status -eq 2 ] || fail "'$text': status $status: $(cat err)"
	[ ! -s out ] || fail "'$text': printed a plan"
	grep -Fq -- "vrun: x.yaml$text" err ||
		fail "'$text' expected, not: $(head -c 1000 err)"
}

# A matrix of which lines 5 and on are given; the rest is right.
matrix() {
	printf '%s\n' 'name: x' 'workloads:' '  - block:' '      bs: 4k' "$@" \
		>x.yaml
}

what_people_mistype() {
	matrix 'factors:' '  backing: [4k, 3M]'
	refuses ':6:17: factor "backing": unknown value "3M" (have 4k, thp, hugetlb-2M, hugetlb-1G)'
	matrix 'factors:' '  backign: [4k, thp]'
	refuses ':6:3: unknown parameter "backign"; did you mean "backing"?'
	matrix 'factors:' '  backing: []'
	refuses ':6:12: factor "backing": has no level: a list of 1 to'
	matrix 'fixed:' '  memory: 1G' '  memory: 2G'
	refuses ':7:3: duplicate key "memory": it stands in line 6 already'
	matrix 'fixed:' "$(printf '\tmemory: 1G')"
	refuses ':6:1: tab in the indentation: indent with spaces'
	matrix 'fixed: {runtime: -3s}'
	refuses ':5:18: fixed "runtime": "-3s" is negative (a time like 250ms'
	matrix 'fixed: {cpus: 99999999999999999999}'
	refuses ':5:15: fixed "cpus": "99999999999999999999" is too large'
	matrix 'factors: {bs: [4k]}'
	refuses ':5:11: factor "bs": is set in line 4 already; take one away'
	matrix 'factors: {cpus: [1, 2, 1]}'
	refuses ':5:24: factor "cpus": lists level "1" twice'
	matrix 'design: {rounds: 0}'
	refuses ':5:18: rounds: "0" is out of range (1 to 100000)'
	matrix 'vars: {cpus: 1}'
	refuses ':5:8: vars: "cpus" is a parameter'
}

baselines_that_are_no_cell() {
	matrix 'factors: {backing: [4k, thp]}' \
		'compare: {baseline: {backing: hugetlb-2M}}'
	refuses ':6:31: baseline: factor "backing" has no level "hugetlb-2M" (have 4k, thp)'
	matrix 'factors: {backing: [4k, thp], cpus: [1, 2]}' \
		'exclude: [{backing: 4k}]' 'compare: {baseline: {backing: 4k}}'
	refuses ':7:21: baseline: no cell has backing=4k: exclude drops it'
}

what_is_no_matrix() {
	: >x.yaml
	refuses ':1:1: is empty'
	echo 'name: x' >x.yaml
	refuses ':1:1: "workloads" is missing'
	echo '- x' >x.yaml
	refuses ':1:1: a matrix must be a map, not a list'
	head -c 100000 "$VRUN" >x.yaml
	refuses ':1:'
	truncate -s 100M x.yaml
	refuses ': larger than the limit of 1048576 bytes'
	rm x.yaml
	refuses ': No such file or directory'
	mkdir x.yaml
	refuses ': is a directory; give a file'
	rmdir x.yaml
}

# repeat N TEXT
repeat() {
	yes "$2" | head -n "$1" | tr -d '\n'
}

what_is_meant_to_hurt() {
	{
		echo -n 'a: '
		repeat 10000 '['
		repeat 10000 ']'
	} >x.yaml
	refuses ':1:35: nested deeper than 32 levels'
	{
		echo 'a0: &a0 [x,x,x,x,x,x,x,x,x]'
		for i in 1 2 3 4 5 6 7 8 9; do
			echo "a$i: &a$i [$(repeat 9 "*a$((i - 1)),")]"
		done
	} >x.yaml
	refuses ':5:5: too large: more than 20000 nodes once aliases are expanded'
	{
		matrix 'factors:'
		echo "  cpus: [1$(seq -f ', %.0f' -s '' 2 900)]"
		echo "  iodepth: [1$(seq -f ', %.0f' -s '' 2 900)]"
	} >y.yaml
	cat y.yaml >>x.yaml
	refuses ':6:3: factors: more than 10000 cells'
}

# Two errors in one run, in the order of their places; overrides by name.
all_at_once() {
	matrix 'design: {rounds: 0}' 'fixed: {cpus: 0, memory: 12Q}'
	refuses ':6:26: fixed "memory": "12Q" has an unknown unit'
	[ "$(wc -l <err)" -eq 3 ] || fail "three errors, not: $(cat err)"
	head -n 1 err | grep -Fq ':5:18: rounds' || fail "order: $(cat err)"
	matrix ''
	! "$VRUN" plan x.yaml --set memroy=1G 2>err || fail 'took memroy'
	grep -Fq 'vrun: --set memroy: unknown parameter "memroy"; did you mean "memory"?' err ||
		fail "$(cat err)"
}

# Errors name the option that was typed: one each.
options_are_named() {
	local option value text
	matrix ''
	while IFS='|' read -r option value text; do
		! "$VRUN" plan x.yaml "$option=$value" 2>err ||
			fail "took $option=$value"
		grep -Fq "vrun: $option: $text" err ||
			fail "$option=$value: $(cat err)"
		[ "$(wc -l <err)" -eq 1 ] || fail "$option=$value: $(cat err)"
	done <<-'EOF'
		--seed|0|seed: "0" is out of range
		--seed|x|seed: "x" is no
		--rounds|0|rounds: "0" is out of range
		--rounds||rounds: has no value
		--hosts|a,,b|"a,,b" has an empty name; give
		--hosts|,|"," has an empty name; give
		--hosts||"" has an empty name; give
		--hosts|a,b,|"a,b," has an empty name; give
	EOF
}

nothing_of_it_steers_the_terminal() {
	local name
	name=$(printf 'no\033[31m\302\233file\233')
	! "$VRUN" "$name" 2>err || fail "$name is there"
	grep -Fq 'vrun: "no?[31m?file?" is neither' err || fail "$(cat err)"
	matrix 'question: "a\e[31m\u202eb\x9b"'
	"$VRUN" plan x.yaml >out || fail "$(cat out)"
	grep -Fxq 'x: a?[31m?b?' out || fail "$(cat out)"
}

what_people_mistype
baselines_that_are_no_cell
what_is_no_matrix
what_is_meant_to_hurt
all_at_once
options_are_named
nothing_of_it_steers_the_terminal
