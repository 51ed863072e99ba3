#!/bin/bash
# vrun restore: what an agent that was killed left changed goes back, by file;
# a host that a living agent holds is left alone unless told otherwise; one that
# cannot be reached is named, and the others go on.
# alone: changes settings of the host, and restores whatever an agent left
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash

swappiness=/proc/sys/vm/swappiness
[ -w $swappiness ] || skip "needs root and a kernel whose settings it may change"
was=$(cat $swappiness)
other=$((was == 7 ? 8 : 7))
on_exit=put_back
put_back() {
	echo "$was" >$swappiness
}
as_before() {
	grep -qx "$was" $swappiness
}
prints() {
	grep -Fq -- "$1" "$tmp/out" || fail "does not print: $1"
}

cat >"$tmp/m.yaml" <<EOS
name: restore
host-settings: {sysctl.vm.swappiness: $other}
fixed: {accel: native}
factors: {effect: [0, 0.05]}
workloads: [synthetic: {runtime: 3s}]
compare: {metric: synthetic.value}
design: {rounds: 5, seed: 1}
EOS

# Starts a campaign in DIR and waits until it holds the host.
begin() {
	env --default-signal=INT "$VRUN" "$tmp/m.yaml" --results "$1" \
		>"$tmp/run" 2>&1 </dev/null &
	pid=$!
	wait_for 30 grep -qx "$other" $swappiness
	wait_for 30 compgen -G "$1/*/hosts.json"
	wait_for 30 has_lines "$(results_in "$1")/trials.jsonl" 1
	agent=$(agent_pid "$(results_in "$1")")
}

expect 0 "$VRUN" restore
prints 'local: nothing to restore'

# --- killed --------------------------------------------------------------

begin "$tmp/a"
kill -9 "$agent" $pid
wait $pid 2>/dev/null || true
gone "$agent" "the agent"
! as_before || fail "nothing was changed when the agent was killed"
expect 0 "$VRUN" restore
prints "local: $swappiness from \"$other\" back to \"$was\""
as_before || fail "it is not as before"
expect 0 "$VRUN" restore local --json
[ "$(jq -r '.[0] | "\(.host) \(.restored | length) \(.held | length)"' "$tmp/out")" = \
	"local 0 0" ] || fail "JSON is $(cat "$tmp/out")"

# --- held ----------------------------------------------------------------

begin "$tmp/b"
expect 3 "$VRUN" restore
prints "local: held by the agent $agent, which has 1 files changed"
! as_before || fail "a host that is held was changed"
kill -0 "$agent" || fail "the agent was ended"
expect 0 "$VRUN" restore --force
prints "local: $swappiness from \"$other\" back to \"$was\""
as_before || fail "it is not as before"
gone "$agent" "the agent"
kill -INT $pid 2>/dev/null || true
kill -INT $pid 2>/dev/null || true
wait $pid || true
as_before || fail "the campaign changed it again"

# --- a host that is not there --------------------------------------------

expect 1 "$VRUN" restore 127.0.0.1:1
prints '127.0.0.1:1: cannot be restored: '
expect 1 "$VRUN" restore 'a;b' local
prints '"a;b" is no SSH destination'
prints 'local: nothing to restore'
