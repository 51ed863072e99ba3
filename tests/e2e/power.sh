#!/bin/bash
# vrun plan --power: from a noise figure, from an earlier campaign, with a
# stopping rule; as text and as JSON.
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash

export XDG_CACHE_HOME=$tmp/cache
m=$tmp/m.yaml
synthetic "$m" 10

# row: what stands in $tmp/out, words separated by single blanks.
row() {
	tr -s ' \n' ' ' <"$tmp/out" | grep -Fq -- "$1" ||
		fail "does not print: $1"
}

# The figures are R's: power.t.test(n = 10, sd = sqrt(2 log(1 + 0.03^2)),
# power = .8, type = "paired").
expect 0 "$VRUN" plan "$m" --power '3 %' --set compare.margin=2%
row 'CV of a trial 3 % 4.33 % 4.32 % 145 38'
expect 0 "$VRUN" plan "$m" -p 0.03
row 'CV of a trial 3 % 4.33 % 4.32 % 145 '
expect 0 "$VRUN" plan "$m" --power 3% --set 'factors.effect=[0, 0.05, 0.1]'
row 'alpha 0.05 shared by 2 comparisons'
expect 0 "$VRUN" plan "$m" --power 3% --json
grep -q '"rounds_1pct": 145' "$tmp/out" || fail "not in JSON"

# A pilot's noise is near what the workload was given: 1 % a trial.
expect 0 "$VRUN" "$m" --results "$tmp/a" --quiet
dir=$(results_in "$tmp/a")
expect 0 "$VRUN" plan "$m" --power "$dir" --rounds 20
row 'the same, if its SD (df 9) is at its 80 % upper limit'
expect 0 "$VRUN" plan "$m" --power "$dir" --json
sd=$(sed -n 's/.*"sd_log": \([0-9.]*\).*/\1/p' "$tmp/out" | head -n 1)
awk -v sd="$sd" 'BEGIN { exit !(sd > 0.007 && sd < 0.025) }' ||
	fail "the pilot's SD is $sd"

# Boots that differ by 3 %, trials of one by 1 %: one trial of 9 s a boot.
sed 's/^design:.*/design: {rounds: 20, seed: 5, repeat: 3}/' "$m" >"$tmp/boots.yaml"
boots=(--set synthetic.boot-cv=3% --set synthetic.cv=1%)
expect 0 "$VRUN" "$tmp/boots.yaml" --results "$tmp/b" --quiet "${boots[@]}"
expect 0 "$VRUN" plan "$tmp/boots.yaml" --power "$(results_in "$tmp/b")" \
	--set synthetic.runtime=9s
row 'best use of time (a boot takes 3 s, a trial 9 s)' 'from boot to boot: repeat: 1'

expect 0 "$VRUN" plan "$m" --power 2% --set compare.margin=2% \
	--set 'design={seed: 7, stop: {margin: yes, max-rounds: 12}}'
row 'Stopping rule, at most 12 rounds'
row 'stops early: looks from round 5 on'

for bad in nonsense 0% -1% 5000% ''; do
	expect 2 "$VRUN" plan "$m" --power "$bad"
	says '--power:' 'like 2%'
done
expect 2 "$VRUN" plan "$m" --power 2% --set 'factors.effect=[0]'
says 'compares nothing'
expect 2 "$VRUN" plan "$m" --power "$dir" --set name=other \
	--set 'workloads=[synthetic: {name: other}]' \
	--set compare.metric=other.value
says 'has no comparison of other.value'
mkdir "$tmp/empty"
expect 4 "$VRUN" plan "$m" --power "$tmp/empty"
