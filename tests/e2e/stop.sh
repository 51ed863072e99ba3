#!/bin/bash
# A campaign ends when its stopping rule says so: for each of the rule's
# reasons, over an interruption, and with the boundaries it began with.
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash

export XDG_CACHE_HOME=$tmp/cache
m=$tmp/m.yaml

# stopping FILE EFFECT STOP [LINE...]: a matrix with a rule.
stopping() {
	local file=$1 effect=$2 stop=$3
	shift 3
	synthetic "$file" 10 'runtime: 1ms' "$@"
	sed -i "s/^design:.*/design: {seed: 7, stop: $stop}/
		s/effect: \[0, 0.05\]/effect: [0, $effect]/
		s/^compare:/&\n  margin: 2%/" "$file"
}

# report_says DIR TEXT...: in the report, whose lines are folded.
report_says() {
	local dir=$1 text
	shift
	for text; do
		tr -s ' \n' ' ' <"$dir/report.txt" | grep -Fq -- "$text" ||
			fail "$dir/report.txt does not say: $text"
	done
}

# rounds_of DIR: how many have a record.
rounds_of() {
	sed -n 's/.*"block":\([0-9]*\).*/\1/p' "$1/trials.jsonl" | sort -nu |
		wc -l
}

# --- a difference ------------------------------------------------------

stopping "$m" 0.05 '{margin: yes, max-rounds: 20}'
expect 0 "$VRUN" "$m" --results "$tmp/a"
says 'vrun: stopping rule: every comparison is decided after round'
dir=$(results_in "$tmp/a")
n=$(rounds_of "$dir")
if [ "$n" -lt 5 ] || [ "$n" -ge 20 ]; then
	fail "$n rounds for a clear difference"
fi
all_ok_once "$dir" $((2 * n))
report_says "$dir" "Stopped early by its rule, after round $n of at most 20" \
	"different at round $n, repeated 95 % interval" 'Better: effect=0.05'
! grep -q 'are over so far' "$dir/report.txt" || fail "trials are missing"
(cd "$dir" && sha256sum --quiet -c MANIFEST.sha256) || fail "MANIFEST.sha256"
expect 0 "$VRUN" report "$dir" --json
tr -d ' \n' <"$tmp/out" | grep -q '"stopping":{"stopped":true,"early":true' ||
	fail "not in JSON"

# Nothing is left to be done.
cp "$dir/trials.jsonl" "$tmp/before"
expect 0 "$VRUN" resume "$dir"
says 'its stopping rule ended it already'
cmp "$dir/trials.jsonl" "$tmp/before" || fail "it measured again"

# --- the other answers -------------------------------------------------

stopping "$m" 0.0001 '{margin: yes, max-rounds: 20}'
expect 0 "$VRUN" "$m" --results "$tmp/b"
dir=$(results_in "$tmp/b")
report_says "$dir" 'equivalent at round' 'Equivalent within 2 %'
[ "$(rounds_of "$dir")" -lt 20 ] || fail "equivalence did not stop it"

stopping "$m" 0.0001 '{precision: 5%, max-rounds: 20}'
expect 0 "$VRUN" "$m" --results "$tmp/c"
report_says "$(results_in "$tmp/c")" 'precise enough at round'

stopping "$m" 0.0001 '{precision: 0.01%, min-rounds: 2, max-rounds: 4}'
expect 0 "$VRUN" "$m" --results "$tmp/d"
dir=$(results_in "$tmp/d")
report_says "$dir" 'Ran to the last of 4 rounds' 'still open after the last'
all_ok_once "$dir" 8

# Several comparisons share alpha; warm-up rounds are no looks.
stopping "$m" 0.05 '{max-rounds: 20}'
sed -i 's/0, 0.05/0, 0.05, 0.1/; s/seed: 7/&, warmup-rounds: 2/' "$m"
expect 0 "$VRUN" "$m" --results "$tmp/e"
dir=$(results_in "$tmp/e")
report_says "$dir" 'alpha / 2 for each of the comparisons' \
	'repeated 97.5 % interval'
[ "$(rounds_of "$dir")" -ge 7 ] || fail "warm-up rounds were looked at"

# Failures remain failures.
stopping "$m" 0.05 '{max-rounds: 20}' 'fail: 40%'
sed -i 's/retries: 2/retries: 0/' "$m"
expect 1 "$VRUN" "$m" --results "$tmp/f"
report_says "$(results_in "$tmp/f")" 'failed'

# --- over an interruption ----------------------------------------------

stopping "$m" 0.05 '{max-rounds: 20}'
sed -i 's/runtime: 1ms/runtime: 100ms/' "$m"
"$VRUN" "$m" --results "$tmp/g" >"$tmp/out" 2>"$tmp/err" </dev/null &
pid=$!
wait_for 10 compgen -G "$tmp/g/*/trials.jsonl"
dir=$(results_in "$tmp/g")
wait_for 10 has_lines "$dir/trials.jsonl" 7
kill -9 $pid
wait $pid 2>/dev/null || true
expect 1 "$VRUN" report "$dir"
grep -q 'Not stopped by its rule: 0 of 1' "$tmp/out" || fail "report so far"
cp "$dir/boundaries.json" "$tmp/boundaries"
sed -i 's/"v": 1/"v": 2/' "$dir/boundaries.json"
expect 4 "$VRUN" resume "$dir"
says 'boundaries.json: these boundaries are not for'
rm "$dir/boundaries.json"
expect 4 "$VRUN" resume "$dir"
cp "$tmp/boundaries" "$dir/boundaries.json"
rm -r "$XDG_CACHE_HOME"
expect 0 "$VRUN" resume "$dir"
report_says "$dir" 'Stopped early by its rule'
[ ! -e "$XDG_CACHE_HOME" ] || fail "resume calibrated anew"

# --- the cache ---------------------------------------------------------

stopping "$m" 0.05 '{min-rounds: 2, max-rounds: 4}'
for state in empty whole damaged; do
	[ $state != damaged ] || echo '{}' >"$kept"
	expect 0 "$VRUN" "$m" --results "$tmp/h-$state"
	kept=$(echo "$XDG_CACHE_HOME"/vrun/boundaries-v1-2-4-1-*.json)
	cmp "$kept" "$(results_in "$tmp/h-$state")/boundaries.json" ||
		fail "$state cache: other boundaries"
done
XDG_CACHE_HOME=/proc/nowhere expect 0 "$VRUN" "$m" --results "$tmp/i"
(unset XDG_CACHE_HOME HOME && expect 0 "$VRUN" "$m" --results "$tmp/j")

# --- what makes no sense is found before anything is made --------------

stopping "$m" 0.05 '{max-rounds: 20}'
expect 2 "$VRUN" "$m" --results "$tmp/k" --rounds 10
says 'rounds: 10 beside stop: {max-rounds: 20}'
expect 0 "$VRUN" plan "$m" --set design.stop.max-rounds=10
expect 2 "$VRUN" "$m" --results "$tmp/k" --set 'factors.effect=[0]'
says 'there is nothing to decide'
[ ! -e "$tmp/k" ] || fail "made a directory"
