#!/bin/bash
# vrun watch: follows a campaign from elsewhere, on a terminal and into a pipe,
# writes nothing and locks nothing; tells how one stands that does not run.
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash
m=$tmp/m.yaml
synthetic "$m" 6 'runtime: 500ms'

# In the background, until its directory has a journal.
begin() {
	"$VRUN" "$m" --results "$1" >"$tmp/log" 2>&1 </dev/null &
	run=$!
	for _ in $(seq 100); do
		[ ! -s "$(echo "$1"/test-*/trials.jsonl)" ] || return 0
		sleep 0.1
	done
	fail "it does not begin: $(cat "$tmp/log")"
}

# files DIR: names, sizes and times of all that is in it.
files() {
	find "$1" -printf '%P %s %T@\n' | sort
}

# --- into a pipe ----------------------------------------------------------
begin "$tmp/a"
dir=$(results_in "$tmp/a")
expect 0 "$VRUN" watch "$dir"
wait $run || fail "the campaign that was watched: $(cat "$tmp/log")"
grep -Eq '^\[12/12\] round 6, effect=.*: ok, synthetic.value ' "$tmp/out" ||
	fail 'no line for the last trial'
tail -n 1 "$tmp/out" | grep -Fq 'test is finished: 12 of 12 trials are over' ||
	fail 'the last line does not say so'

# --- of one that does not run, once; nothing is written -------------------
files "$dir" >"$tmp/before"
expect 0 "$VRUN" watch "$dir"
files "$dir" >"$tmp/after"
cmp "$tmp/before" "$tmp/after" || fail 'watching changed the directory'
[ "$(wc -l <"$tmp/out")" -eq 1 ] || fail 'more than one line'

begin "$tmp/b"
dir=$(results_in "$tmp/b")
expect 1 "$VRUN" watch --once "$dir"
grep -Fq 'test runs: ' "$tmp/out" || fail 'it does not say that it runs'
kill -9 $run
wait $run 2>/dev/null || true
expect 1 "$VRUN" watch "$dir"
grep -Fq 'test is stopped: ' "$tmp/out" || fail 'it does not say: stopped'
grep -Fq "see: vrun resume $dir" "$tmp/out" || fail 'it does not say how to go on'

# --- on a terminal, while it is resumed -----------------------------------
# Never in the way of a writer: the lock is only looked at.
for _ in $(seq 20); do
	"$VRUN" watch --once "$dir" >/dev/null || true
done &
watchers=$!
"$VRUN" resume "$dir" >"$tmp/log" 2>&1 </dev/null &
run=$!
sleep 1
if command -v script >/dev/null; then
	TERM=xterm script -qec "stty cols 60 rows 24; '$VRUN' watch '$dir'" \
		/dev/null </dev/null >"$tmp/screen" || fail "$(cat "$tmp/screen")"
	grep -Fq 'under way' "$tmp/screen" || fail "no view: $(cat "$tmp/screen")"
	grep -Fq 'is finished' "$tmp/screen" || fail "no end: $(cat "$tmp/screen")"
fi
wait $run || fail "resume: $(cat "$tmp/log")"
wait $watchers

# --- what is no campaign --------------------------------------------------
expect 2 "$VRUN" watch "$tmp"
says 'not a results directory of vrun'
