#!/bin/bash
# Real virtual machines (TCG): vrun, its agent and QEMU are killed in a trial.
# No QEMU is left over, the huge pages are as before, no finished trial is
# lost or repeated.
# alone: counts huge pages of the host
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash

[ -r "$GUEST/vmlinuz" ] || skip "no guest image in $GUEST; run make guest"
command -v qemu-system-x86_64 >/dev/null || skip "no qemu-system-x86_64"
pages=/proc/sys/vm/nr_hugepages
before=$(cat $pages)
backing=4k
if [ "$(id -u)" -eq 0 ]; then
	backing='hugetlb-2M'
fi

m=$tmp/m.yaml
cat >"$m" <<EOF
name: vm
factors: {effect: [0, 0.05]}
fixed: {accel: tcg, memory: 128M, backing: $backing}
workloads:
  - synthetic: {runtime: 1s}
compare: {metric: synthetic.value, baseline: {effect: 0}}
design: {rounds: 2, seed: 7}
retries: 1
timeout: 60s
EOF

# The VM, not a QEMU that is asked for its version.
qemu_of() {
	pgrep -P "$1" -f -- '-name vrun,'
}

# begin ROOT: vrun in the background, until a VM of its runs. Sets pid, dir,
# agent, qemu.
begin() {
	"$VRUN" "$m" --results "$1" >"$tmp/out" 2>"$tmp/err" </dev/null &
	pid=$!
	wait_for 60 compgen -G "$1/*/trials.jsonl"
	dir=$(results_in "$1")
	agent=$(agent_pid "$dir")
	wait_for 20 qemu_of "$agent"
	qemu=$(qemu_of "$agent" | head -n 1)
}

pages_are_back() {
	[ "$(cat $pages)" -eq "$before" ]
}

# --- kill -9 of vrun: while a guest boots, and while it measures -------

for delay in 0.3 2.5; do
	begin "$tmp/vrun-$delay"
	sleep $delay
	kill -9 $pid
	wait $pid 2>/dev/null || true
	gone "$agent" "the agent of a vrun that was killed"
	gone "$qemu" "QEMU of a vrun that was killed"
	wait_for 10 pages_are_back
	expect 0 "$VRUN" resume "$dir"
	all_ok_once "$dir" 4
	[ "$(outcomes "$dir" lost)" -eq 1 ] || fail "not one trial was lost"
	pages_are_back || fail "huge pages are $(cat $pages), were $before"
done

# --- kill -9 of the agent ----------------------------------------------

begin "$tmp/agent"
kill -9 "$agent"
gone "$qemu" "QEMU of an agent that was killed"
wait $pid || fail "a new agent did not make up for the one that was killed"
all_ok_once "$dir" 4
[ "$(outcomes "$dir" lost)" -eq 1 ] || fail "not one trial was lost"
pages_are_back || fail "huge pages are $(cat $pages), were $before"

# --- kill -9 of QEMU ---------------------------------------------------

begin "$tmp/qemu"
sleep 0.3
kill -9 "$qemu"
wait $pid || fail "QEMU was killed once, and that was not made up for"
all_ok_once "$dir" 4
[ "$(outcomes "$dir" failed)" -eq 1 ] || fail "not one attempt failed"
grep -q 'QEMU.*signal 9' "$dir/trials.jsonl" || fail "no reason names QEMU"
pages_are_back || fail "huge pages are $(cat $pages), were $before"

# --- Ctrl-C twice in a boot --------------------------------------------

begin "$tmp/int"
kill -TERM $pid
status=0
wait $pid || status=$?
[ $status -eq 130 ] || fail "status $status, not 130, after SIGTERM"
gone "$qemu" "QEMU of a vrun that was stopped"
pages_are_back || fail "huge pages are $(cat $pages), were $before"
