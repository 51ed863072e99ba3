#!/bin/bash
# A campaign that is stopped in any way goes on where it was: killed, told to
# stop, its journal torn; and resume refuses what is not the same campaign.
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash

m=$tmp/m.yaml

# start ROOT [ARG...]: vrun in the background, with the signals of a terminal.
start() {
	local root=$1
	shift
	env --default-signal=INT,HUP "$VRUN" "$m" --results "$root" "$@" \
		>"$tmp/out" 2>"$tmp/err" </dev/null &
	pid=$!
}

# ends STATUS WHAT: vrun in the background does, with that status.
ends() {
	local status=0
	wait $pid 2>/dev/null || status=$?
	[ $status -eq "$1" ] || fail "$2: status $status, not $1"
}

# --- kill -9 at any time, again and again ------------------------------

synthetic "$m" 10 'runtime: 100ms'
start "$tmp/a"
wait_for 10 compgen -G "$tmp/a/*/hosts.json"
dir=$(results_in "$tmp/a")
for delay in 0.05 0.31 0.0 0.17 0.42; do
	sleep $delay
	agent=$(agent_pid "$dir")
	kill -9 $pid
	wait $pid 2>/dev/null || true
	gone "$agent" "the agent of a vrun that was killed"
	before=$(outcomes "$dir" ok)
	"$VRUN" resume "$dir" >"$tmp/out" 2>"$tmp/err" </dev/null &
	pid=$!
	[ "$(outcomes "$dir" ok)" -ge "$before" ] || fail "records went away"
done
ends 0 "the last resume"
all_ok_once "$dir" 20
[ "$(outcomes "$dir" lost)" -gt 0 ] || fail "no trial was ever lost"
[ -s "$dir/MANIFEST.sha256" ] || fail "no manifest"

expect 0 "$VRUN" resume "$dir"
says 'every trial is over already'
all_ok_once "$dir" 20

# --- Ctrl-C once, or the terminal is closed: the trial in hand ends ----

synthetic "$m" 5 'runtime: 400ms'
for signal in INT HUP; do
	start "$tmp/b-$signal"
	wait_for 10 compgen -G "$tmp/b-$signal/*/trials.jsonl"
	dir=$(results_in "$tmp/b-$signal")
	wait_for 10 has_lines "$dir/trials.jsonl" 3
	kill -$signal $pid
	ends 130 $signal
	says 'once more to stop at once' 'stopped after 2 of 10 trials' \
		"vrun resume $dir"
	[ "$(outcomes "$dir" ok)" -eq 2 ] || fail "the trial did not end"
	[ "$(outcomes "$dir" lost)" -eq 0 ] || fail "a trial was lost"
	expect 0 "$VRUN" resume "$dir"
	all_ok_once "$dir" 10
done

# --- twice, or SIGTERM: at once ----------------------------------------

synthetic "$m" 2 'runtime: 30s'
for signals in 'INT INT' TERM; do
	start "$tmp/c-${signals// /}"
	wait_for 10 compgen -G "$tmp/c-${signals// /}/*/trials.jsonl"
	dir=$(results_in "$tmp/c-${signals// /}")
	wait_for 10 has_lines "$dir/trials.jsonl" 1
	for s in $signals; do
		kill "-$s" $pid
		sleep 0.2
	done
	ends 130 "$signals"
	says 'stopping at once' "vrun resume $dir"
	[ "$(outcomes "$dir" lost)" -eq 1 ] || fail "$signals: not one lost"
	gone "$(agent_pid "$dir")" "the agent"
done

# --- nohup is respected ------------------------------------------------

synthetic "$m" 3 'runtime: 100ms'
(trap '' HUP && exec "$VRUN" "$m" --results "$tmp/h") \
	>"$tmp/out" 2>"$tmp/err" </dev/null &
pid=$!
wait_for 10 compgen -G "$tmp/h/*/trials.jsonl"
kill -HUP $pid
ends 0 "a hang-up that is ignored"

# --- torn and damaged journals -----------------------------------------

dir=$(results_in "$tmp/h")
cp "$dir/trials.jsonl" "$tmp/whole"
head -n 7 "$tmp/whole" >"$dir/trials.jsonl"
sed -n 8p "$tmp/whole" | head -c 150 >>"$dir/trials.jsonl"
expect 0 "$VRUN" resume "$dir"
says 'the last line was torn; its 150 bytes are cut off'
all_ok_once "$dir" 6

sed '4s/.$//' "$tmp/whole" >"$dir/trials.jsonl"
expect 4 "$VRUN" resume "$dir"
says "$dir/trials.jsonl:4"
expect 4 "$VRUN" report "$dir"
cp "$tmp/whole" "$dir/trials.jsonl"

# --- what is not the same campaign -------------------------------------

sed -i 's/rounds: 3/rounds: 4/' "$dir/matrix.yaml"
expect 2 "$VRUN" resume "$dir"
says 'matrix.yaml no longer gives plan.json' \
	'rounds: 3 in plan.json, 4 in matrix.yaml'
sed -i 's/rounds: 4/rounds: 3/; s/mean: 100/mean: 101/' "$dir/matrix.yaml"
expect 2 "$VRUN" resume "$dir"
says 'mean: 100' '101'
sed -i 's/mean: 101/mean: 100/' "$dir/matrix.yaml"
mv "$dir/matrix.yaml" "$tmp/kept.yaml"
expect 4 "$VRUN" resume "$dir"
says 'matrix.yaml: No such file'
mv "$tmp/kept.yaml" "$dir/matrix.yaml"
sed -i '0,/"seed": 7/s//"seed": 8/' "$dir/plan.json"
expect 4 "$VRUN" resume "$dir"
says 'plan.json'
expect 2 "$VRUN" resume "$tmp"
says 'not a results directory'
expect 2 "$VRUN" report "$tmp"
says 'not a results directory'

# --- one writer at a time ----------------------------------------------

synthetic "$m" 2 'runtime: 500ms'
start "$tmp/i"
wait_for 10 compgen -G "$tmp/i/*/trials.jsonl"
dir=$(results_in "$tmp/i")
expect 4 "$VRUN" resume "$dir"
says "is in use by vrun, process $pid on "
ends 0 "the first writer"
all_ok_once "$dir" 4

# --- overrides are part of the campaign --------------------------------

synthetic "$m" 2 'runtime: 300ms'
start "$tmp/j" --rounds 3 --set mean=50
wait_for 10 compgen -G "$tmp/j/*/trials.jsonl"
dir=$(results_in "$tmp/j")
kill -TERM $pid
ends 130 SIGTERM
expect 0 "$VRUN" resume "$dir"
all_ok_once "$dir" 6
