#!/bin/bash
# vrun compare: campaigns with an anchor in common, without one, and those that
# cannot be compared.
# with sanitizers, too
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash

m=$tmp/m.yaml

# campaign NAME SET...: runs the matrix with overrides; $tmp/NAME has it.
campaign() {
	local name=$1 options=() set
	shift
	for set; do
		options+=(--set "$set")
	done
	expect 0 "$VRUN" "$m" --results "$tmp/results" --quiet "${options[@]}"
	mv "$(results_in "$tmp/results")" "$tmp/$name"
}

# prints TEXT...: on standard output, whose lines are folded.
prints() {
	local text
	for text; do
		tr -s ' \n' ' ' <"$tmp/out" | grep -Fq -- "$text" ||
			fail "does not print: $text"
	done
}

synthetic "$m" 10
campaign old
campaign again design.seed=8
# The host became 10 % faster for both cells; the second gained 3 % more.
sed -i 's/effect: \[0, 0.05\]/effect: [{0: 0}, {0.05: 0.0815}]/' "$m"
campaign new design.seed=9
campaign faster design.seed=10 synthetic.mean=110

# --- an anchor ---------------------------------------------------------

expect 0 "$VRUN" compare "$tmp/old" "$tmp/again"
prints 'Figures are ratios to the anchor cell (effect=0)' 'inconclusive' \
	'campaign=again'
expect 0 "$VRUN" compare "$tmp/old" "$tmp/new"
prints 'Better: campaign=new changed synthetic.value by' 'with effect=0.05' \
	'Source: old new'
expect 0 "$VRUN" compare "$tmp/old" "$tmp/new" --json
sed -n '/"comparisons"/,$p' "$tmp/out" >"$tmp/json"
pct=$(sed -n 's/.*"ratio_pct": \([-0-9.]*\),*/\1/p' "$tmp/json" | head -n 1)
awk -v p="$pct" 'BEGIN { exit !(p > 1.5 && p < 4.5) }' ||
	fail "the ratio of ratios is $pct %, not about 3 %"

# --- one that is not at its end ----------------------------------------

cp -r "$tmp/new" "$tmp/begun"
rm "$tmp/begun/MANIFEST.sha256"
head -n 28 "$tmp/new/trials.jsonl" >"$tmp/begun/trials.jsonl"
expect 1 "$VRUN" compare "$tmp/old" "$tmp/begun"
prints 'looked at in mid-run: anytime-valid' 'begun is not whole'

# --- none --------------------------------------------------------------

expect 0 "$VRUN" compare "$tmp/old" "$tmp/faster"
prints 'no anchor ties them together' 'inconclusive (confounded)' \
	'no round has both arms'
expect 0 "$VRUN" compare "$tmp/old" "$tmp/again" --no-anchor
prints 'inconclusive (confounded)'
expect 0 "$VRUN" compare "$tmp/old" "$tmp/faster" --accept-confounded
prints 'better' 'accepted by --accept-confounded'

# --- what else differs -------------------------------------------------

cp -r "$tmp/new" "$tmp/kernel"
sed -i 's/"kernel": "[^"]*"/"kernel": "9.9.9"/; s/"cpu": "[^"]*"/"cpu": "Z80"/' \
	"$tmp/kernel/hosts.json"
expect 0 "$VRUN" compare "$tmp/old" "$tmp/kernel"
prints 'local: kernel was' 'in old, but 9.9.9 in kernel: the comparison is also' \
	'but Z80 in kernel'
expect 0 "$VRUN" compare "$tmp/old" "$tmp/kernel" --format md
grep -q '^- .*9\.9\.9 in kernel' "$tmp/out" || fail 'Markdown does not say it'
! grep -q 'was.*in old, but.*in again' <("$VRUN" compare "$tmp/old" "$tmp/again") ||
	fail 'names a fact that did not change'

# All of a directory of results: the list of them is no campaign.
mkdir "$tmp/all"
cp -r "$tmp/old" "$tmp/all/old"
cp -r "$tmp/again" "$tmp/all/new"
"$VRUN" report --index "$tmp/all"
expect 0 "$VRUN" compare "$tmp"/all/*
expect 2 "$VRUN" compare "$tmp/old" "$tmp/all/index.html"
says 'a single campaign has nothing to be compared with'

# --- what cannot be compared -------------------------------------------

expect 2 "$VRUN" compare "$tmp/old"
says 'too few arguments'
expect 2 "$VRUN" compare "$tmp/old" "$tmp/old"
says 'it is the same campaign as old'
expect 2 "$VRUN" compare "$tmp/old" "$tmp"
says "not a results directory"
campaign unit synthetic.unit=s
expect 2 "$VRUN" compare "$tmp/old" "$tmp/unit"
says 'unit: synthetic.value is in "s", but in "1" in old'
campaign better synthetic.better=lower
expect 2 "$VRUN" compare "$tmp/old" "$tmp/better"
says 'better: of synthetic.value "lower" is better'
sed -i 's/- synthetic:/&\n      name: other/; s/synthetic\.value/other.value/' "$m"
campaign other
expect 2 "$VRUN" compare "$tmp/old" "$tmp/other"
says 'other: its metric is other.value, not synthetic.value as in old'
