#!/bin/bash
# Campaigns whose figures look good and prove nothing: an arm that loses a
# third of its trials, arms that run one after the other. No option talks the
# report out of it unseen.
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash

# says_so TEXT...: on standard output, whose lines are folded.
says_so() {
	local text
	for text; do
		tr -s ' \n' ' ' <"$tmp/out" | grep -Fq -- "$text" ||
			fail "does not print: $text"
	done
}

# matrix FILE FACTOR LEVELS DESIGN
matrix() {
	cat >"$1" <<-YAML
		name: doubt
		factors: {$2: [$3]}
		fixed: {accel: native}
		workloads: [synthetic: {cv: 1%, drift: 5%, runtime: 1ms}]
		compare:
		  {metric: synthetic.value, baseline: {$2: 0}, margin: 2%}
		design: {rounds: 30, seed: 5, $4}
		retries: 0
	YAML
}

# One arm is as fast as the other, where it lives.
matrix "$tmp/failing.yaml" fail '0, 33%' 'order: blocks'
expect 1 "$VRUN" "$tmp/failing.yaml" --results "$tmp/failing"
says_so 'Inconclusive (failures)' "trials gave no figure" \
	'the survivors are not the population'
dir=$(results_in "$tmp/failing")
expect 1 "$VRUN" report "$dir" --accept-confounded
says_so 'Inconclusive (failures)'

# 20 times the noise.
matrix "$tmp/sequential.yaml" effect '0, 20%' 'order: sequential'
expect 0 "$VRUN" "$tmp/sequential.yaml" --results "$tmp/sequential"
says_so 'Inconclusive (confounded)' 'the arms ran one after the other'
dir=$(results_in "$tmp/sequential")
expect 0 "$VRUN" report "$dir" --json
grep -q '"reason": "confounded"' "$tmp/out" || fail "not in JSON"

# The flag gives a verdict, and every format tells that it was given.
expect 0 "$VRUN" report "$dir" --accept-confounded
says_so 'Better (confounded-accepted)' 'accepted by --accept-confounded'
for format in md html json; do
	expect 0 "$VRUN" report "$dir" --accept-confounded --format $format
	says_so '--accept-confounded'
done
for format in md html json csv latex; do
	expect 0 "$VRUN" report "$dir" --accept-confounded --format $format
	says_so 'confounded-accepted'
done
