#!/bin/bash
# A campaign from matrix to report with the real agent and no VM: files, exit
# status, output, retries, the live view; and what stops it before it begins.
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash

m=$tmp/m.yaml
synthetic "$m" 5

# --- a campaign that goes well -----------------------------------------

expect 0 "$VRUN" "$m" --results "$tmp/a"
grep -q '^Answer' "$tmp/out" || fail "no report on standard output"
grep -q '^\[10/10\]' "$tmp/err" || fail "no plain line for each trial"
dir=$(results_in "$tmp/a")
all_ok_once "$dir" 10
for f in matrix.yaml options.json plan.json hosts.json trials.jsonl \
	report.txt report.md report.csv report.json MANIFEST.sha256; do
	[ -s "$dir/$f" ] || fail "no $f"
done
cmp -s "$m" "$dir/matrix.yaml" || fail "matrix.yaml is not as given"
(cd "$dir" && sha256sum --quiet -c MANIFEST.sha256) || fail "MANIFEST.sha256"
expect 0 "$VRUN" report "$dir" --json
cmp "$tmp/out" "$dir/report.json" || fail "vrun report differs from report.json"
gone "$(agent_pid "$dir")" "the agent"

# The same matrix and seed give the same figures, in the same order.
expect 0 "$VRUN" run --quiet --json "$m" --results "$tmp/b"
[ ! -s "$tmp/err" ] || fail "--quiet is not"
head -c 1 "$tmp/out" | grep -q '{' || fail "--json prints something else"
figures() {
	grep -o '"trial":[0-9]*\|"value":[^,]*' "$1/trials.jsonl"
}
[ "$(figures "$dir")" = "$(figures "$(results_in "$tmp/b")")" ] ||
	fail "the same seed gave other figures"

# --- failures stay visible ---------------------------------------------

synthetic "$m" 4 'fail: 100%'
expect 1 "$VRUN" "$m" --results "$tmp/c"
dir=$(results_in "$tmp/c")
[ "$(outcomes "$dir" failed)" -eq 24 ] || fail "not 8 trials, 3 attempts each"
says 'failed'

synthetic "$m" 10 'fail: 30%'
expect 0 "$VRUN" "$m" --results "$tmp/d"
dir=$(results_in "$tmp/d")
all_ok_once "$dir" 20
[ "$(outcomes "$dir" failed)" -gt 0 ] || fail "30 % of the trials never fail"
[ ! -e "$dir/artifacts" ] || fail "a directory for no artifacts"

# --- nothing is measured -----------------------------------------------

synthetic "$m" 2
expect 0 "$VRUN" --dry-run "$m" --results "$tmp/e"
[ ! -e "$tmp/e" ] || fail "--dry-run makes a directory"
expect 0 "$VRUN" check "$m" --results "$tmp/e" --json
grep -q '"findings"' "$tmp/out" || fail "check --json has no findings"
[ ! -e "$tmp/e" ] || fail "check makes a directory"
expect 2 "$VRUN" "$m" --results "$tmp/e" --format fancy
[ ! -e "$tmp/e" ] || fail "a wrong option is found too late"
expect 2 "$VRUN" "$m" --rounds many
says 'rounds'

export VRUN_AGENT=$FAKE VRUN_FAKE=refusing
expect 3 "$VRUN" "$m" --results "$tmp/e"
says 'it is in no mood' 'fix: wait' 'preflight'
[ ! -e "$tmp/e" ] || fail "preflight refused, and a directory was made"
expect 3 "$VRUN" check "$m" --results "$tmp/e"
unset VRUN_AGENT VRUN_FAKE

echo in the way >"$tmp/f"
expect 4 "$VRUN" "$m" --results "$tmp/f"
says "$tmp/f is not a directory" '--results DIR'
expect 4 "$VRUN" "$m" --results "$tmp/f/deeper"
expect 4 "$VRUN" "$m" --results /proc/nowhere
if [ "$(id -u)" -eq 0 ] && mkdir "$tmp/ro" &&
	mount -t tmpfs -o ro none "$tmp/ro" 2>/dev/null; then
	on_exit="umount $tmp/ro"
	expect 4 "$VRUN" "$m" --results "$tmp/ro/results"
	says 'Read-only file system'
	expect 4 "$VRUN" check "$m" --results "$tmp/ro/results"
fi
VRUN_AGENT=$tmp/none expect 1 "$VRUN" "$m" --results "$tmp/e"
says 'VRUN_AGENT'
VRUN_RUNDIR=/proc/nowhere expect 1 "$VRUN" "$m" --results "$tmp/e"
says 'host local: agent: ' '/proc/nowhere'

# --- nowhere to print to ------------------------------------------------

synthetic "$m" 5
"$VRUN" "$m" --results "$tmp/closed" <&- >&- 2>&- || fail "needs open descriptors"
all_ok_once "$(results_in "$tmp/closed")" 10
"$VRUN" plan "$m" --rounds 20000 2>"$tmp/err" | head -n 1 >"$tmp/out"
[ ! -s "$tmp/err" ] || fail "complains of a reader that has enough"

# --- nothing to report yet, and errors for programs ------------------------

begun=$tmp/begun
cp -r "$(results_in "$tmp/a")" "$begun"
rm "$begun"/report.* "$begun/MANIFEST.sha256"
: >"$begun/trials.jsonl"
expect 1 "$VRUN" report "$begun"
says "$begun: no trial has ended yet" 'vrun resume'
[ ! -s "$tmp/out" ] || fail 'prints what it does not have'
rm "$begun/trials.jsonl"
expect 1 "$VRUN" report "$begun" --format json
says 'no trial has ended yet'
# error_is STATUS TEXT: standard output is one document, an error.
error_is() {
	tr -s ' \n' ' ' <"$tmp/out" | grep -q \
		"^{ \"error\": { \"message\": \".*$2.*\", \"status\": $1 } }" ||
		fail "no error for a program: $(cat "$tmp/out")"
}
error_is 1 'no trial has ended yet'
expect 2 "$VRUN" report --json "$tmp/nowhere"
error_is 2 'not a results directory'
expect 2 "$VRUN" plan "$m" --bogus --json
error_is 2 'unknown option'
expect 2 "$VRUN" plan "$m" --bogus
[ ! -s "$tmp/out" ] || fail 'prints an error that nobody asked for'

# --- the live view, on a terminal of 60 columns ------------------------

command -v script >/dev/null || skip "script(1) is not there: no terminal"
synthetic "$m" 3 'runtime: 700ms'
env TERM=xterm script -qec "stty cols 60; '$VRUN' '$m' --results '$tmp/g'" \
	/dev/null >"$tmp/live" </dev/null || fail "fails on a terminal"
tr '\r' '\n' <"$tmp/live" | grep -a '^.\[Jtrial ' |
	sed 's/^.\[J//' >"$tmp/lines" || true
[ -s "$tmp/lines" ] || fail "no live line"
grep -aq 'trial [2-6]/6 round [1-3] effect=' "$tmp/lines" ||
	fail "the live line tells nothing"
awk 'length > 59 { exit 1 }' "$tmp/lines" || fail "it is too wide"
# 4.2 s of trials: at most one redraw a second, and one at the start.
[ "$(wc -l <"$tmp/lines")" -le 8 ] || fail "it is drawn too often"
