#!/bin/bash
# vrun's own hooks, each by itself (kvm-exits in kvm-exits.sh) and in a campaign
# with a real guest. Not run for real: perf of cycles in the guest.
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash

hooks=$PWD/hooks
mkdir -p "$tmp/art" "$tmp/bin"
export VRUN_ARTIFACTS=$tmp/art VRUN_AGENT=$B/vrun-agent

# hook STATUS NAME [ARG...]: alone; its standard input ends after a second.
hook() {
	local want=$1 got=0
	shift
	(sleep 1) | "$hooks/$1" "${@:2}" >"$tmp/out" 2>"$tmp/err" || got=$?
	[ $got -eq "$want" ] || fail "status $got, not $want: $*"
}
prints() {
	grep -Eq -- "$1" "$tmp/out" || fail "does not print: $1"
}

for h in "$hooks"/*; do
	[ "${h##*.}" != md ] || continue
	expect 0 "$h" --help
	prints "^${h##*/}"
	prints 'Stages?: '
done

# --- quiet-host ----------------------------------------------------------

hook 0 quiet-host 101
prints '^metric waited [0-9]+ s$'
prints '^metric busy [0-9.]+ %$'
sh -c 'while :; do :; done' &
busy=$!
hook 1 quiet-host 0 1
kill $busy
prints 'after [0-9]+ s the CPUs are still .* busiest is process [0-9]+ \('
hook 1 quiet-host much
prints '"much" is no percentage; give a number like 5'

# --- pin-vcpus -----------------------------------------------------------

cpu=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
sleep 60 &
thread=$!
export VRUN_VCPU_TIDS=$thread VRUN_STAGE=after-boot
hook 0 pin-vcpus "$cpu"
prints "^thread $thread runs on CPU $cpu$"
grep -q "^Cpus_allowed_list:[[:space:]]*$cpu$" /proc/$thread/status ||
	fail "the thread may run elsewhere"
hook 1 pin-vcpus 0-1
prints '2 CPUs for 1 vCPU threads'
hook 1 pin-vcpus 2-1
prints 'is no list of CPUs'
hook 1 pin-vcpus 60000
prints 'cannot run on CPU 60000'
kill $thread
unset VRUN_VCPU_TIDS VRUN_STAGE

# --- notify --------------------------------------------------------------

printf '#!/bin/sh\ncat >%q\n' "$tmp/told" >"$tmp/bin/tell"
chmod +x "$tmp/bin/tell"
hook 1 notify
prints 'set NOTIFY_COMMAND, NOTIFY_MAIL or NOTIFY_URL'
answer='a; b "c" | d'
export VRUN_NAME=n VRUN_STATE=complete VRUN_ANSWER=$answer
NOTIFY_COMMAND=$tmp/bin/tell hook 0 notify
grep -Fqx -- "$answer" "$tmp/told" || fail "told: $(cat "$tmp/told")"
NOTIFY_URL=http://127.0.0.1:1/ hook 1 notify
prints 'http://127.0.0.1:1/ did not take it'
NOTIFY_URL=file://$tmp/posted hook 1 notify
unset VRUN_NAME VRUN_STATE VRUN_ANSWER VRUN_ARTIFACTS VRUN_AGENT

# --- in a campaign, with a guest under TCG -------------------------------

[ -e "$GUEST/initrd" ] || skip "no guest image; run make guest"
cp -r "$hooks" "$tmp/hooks"
perf=
! perf stat -e task-clock true >"$tmp/perf" 2>&1 || perf=', perf-guest'
drop=
[ ! -w /proc/sys/vm/drop_caches ] || drop='before-boot: drop-caches,'
cat >"$tmp/m.yaml" <<EOS
name: shipped
hooks: {$drop before-block: {run: quiet-host, args: [101]},
  after-boot: {run: pin-vcpus, args: ['$cpu']},
  around-workload: [kvm-exits$perf],
  after-campaign: {run: notify, on: controller, env: {NOTIFY_COMMAND: $tmp/bin/tell}}}
fixed: {accel: tcg, memory: 256M}
workloads: [synthetic: {runtime: 200ms}]
factors: {effect: [0, 0.05]}
compare: {metric: synthetic.value}
design: {rounds: 1, seed: 1}
EOS
expect 0 "$VRUN" "$tmp/m.yaml" --results "$tmp/r"
dir=$(results_in "$tmp/r")
grep -q '"name":"quiet-host.busy"' "$dir/trials.jsonl" || fail "no quiet-host"
[ -z "$drop" ] || grep -q '"name":"drop-caches.freed"' "$dir/trials.jsonl" ||
	fail "no drop-caches"
[ -z "$perf" ] || grep -q '"name":"perf-guest.task-clock"' "$dir/trials.jsonl" ||
	fail "no perf-guest"
grep -rq "runs on CPU $cpu" "$dir/artifacts" || fail "no pin-vcpus"
grep -rq 'there are no exits to count' "$dir/artifacts" || fail "no kvm-exits"
grep -q '^vrun: shipped complete' "$tmp/told" || fail "told: $(cat "$tmp/told")"
