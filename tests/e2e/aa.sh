#!/bin/bash
# vrun --aa: the baseline against itself, its noise floor and the verdict on
# the setup; it can be resumed like any other campaign.
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash

m=$tmp/m.yaml
synthetic "$m" 10 'runtime: 1ms'

# says_so TEXT...: on standard output, whose lines are folded.
says_so() {
	local text
	for text; do
		tr -s ' \n' ' ' <"$tmp/out" | grep -Fq -- "$text" ||
			fail "does not print: $text"
	done
}

expect 0 "$VRUN" --aa "$m" --results "$tmp/a"
dir=$(results_in "$tmp/a")
[ "$(basename "$dir" | cut -d- -f1-2)" = test-aa ] || fail "its name: $dir"
all_ok_once "$dir" 20
! grep -q 'effect":"0.05"' "$dir/trials.jsonl" || fail "not the baseline"
says_so 'The setup can be trusted: the baseline does not differ detectably' \
	'Noise floor' 'half interval' 'detects at 80 %' 'arm=A2'
expect 0 "$VRUN" report "$dir" --json
grep -q '"trust": "trusted"' "$tmp/out" || fail "not in JSON"

# Its noise is what --power wants.
expect 0 "$VRUN" plan "$m" --power "$dir"
says_so 'arm=A2'

# The same plan without touching a host, and after an interruption.
expect 0 "$VRUN" plan --aa "$m"
says_so '20 trials' '0* effect=0, arm=A1 1 effect=0, arm=A2'
cp "$tmp/out" "$tmp/plan"
expect 0 "$VRUN" --dry-run --aa "$m"
cmp "$tmp/out" "$tmp/plan" || fail "--dry-run shows another plan"
head -n 7 "$dir/trials.jsonl" >"$tmp/some"
cp "$tmp/some" "$dir/trials.jsonl"
expect 0 "$VRUN" resume "$dir"
all_ok_once "$dir" 20
says_so 'Noise floor'

# A stopping rule is left out: a noise floor is of a number of rounds.
expect 0 "$VRUN" --aa "$m" --results "$tmp/b" \
	--set 'design={seed: 7, stop: {max-rounds: 12}}'
dir=$(results_in "$tmp/b")
all_ok_once "$dir" 24
[ ! -e "$dir/boundaries.json" ] || fail "it has a stopping rule"

# One cell is enough; what fails on one side only is no sound setup.
expect 0 "$VRUN" plan --aa "$m" --set 'factors.effect=[0]'
synthetic "$m" 20 'runtime: 1ms' 'drift: 200%'
expect 0 "$VRUN" --aa "$m" --results "$tmp/c"
says_so 'Usable, with the warnings below'
