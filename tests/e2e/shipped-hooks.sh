#!/bin/bash
# vrun's own hooks, each by itself and in a campaign with a real guest.
# Not run for real: perf kvm stat with exits in its table, as KVM inside a
# virtual machine may raise no kvm_exit; the rows here were written after perf's
# documentation, not recorded. perf of cycles in the guest.
# time-out: 300
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
prints '"much" is no percentage'

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
unset VRUN_NAME VRUN_STATE VRUN_ANSWER

# --- kvm-exits -----------------------------------------------------------

VRUN_ACCEL=tcg hook 0 kvm-exits
prints 'accel tcg.: there are no exits to count'
! grep -q ^metric "$tmp/out" || fail "metrics without KVM"

cat >"$tmp/bin/perf" <<'EOS'
#!/bin/sh
case "$*" in
*record*) for last; do :; done; echo x >"$last"; exec sleep 60 ;;
esac
printf '\n\nAnalyze events for all VMs, all VCPUs:\n\n%20s %10s %9s %9s %11s %11s %14s\n\n' \
	VM-EXIT Samples Samples% Time% 'Min Time' 'Max Time' 'Avg time '
row='%20s %10d %8.2f%% %8.2f%% %9.2fus %9.2fus %9.2fus ( +-%7.2f%% )\n'
printf "$row" HLT 100 90.91 99 1 9000 5000.50 3 'PF excp' 10 9.09 1 1 9 2 1
printf '\nTotal Samples:110, Total events handled time:500070.00us.\n\n'
EOS
chmod +x "$tmp/bin/perf"
export VRUN_ACCEL=kvm VRUN_QEMU_PID=$$
PATH=$tmp/bin:$PATH hook 0 kvm-exits
prints '^source: perf$'
prints '^metric HLT.count 100 exits$'
prints '^metric HLT.mean 5000.5 us$'
prints '^metric HLT.core [0-9.]+ %$'
prints '^metric PF_excp.rate [0-9.]+ /s$'
prints '^metric total.count 110 exits$'
rm "$tmp/art/.kvm.data"
printf '#!/bin/sh\necho "no permission"; exit 1\n' >"$tmp/bin/perf"
KVM_EXITS_SOURCE=perf PATH=$tmp/bin:$PATH hook 1 kvm-exits
prints 'perf kvm stat: no permission; install linux-perf'

# A boot sector that asks for CPUID and writes to a port, again and again.
if [ -w /dev/kvm ]; then
	printf '\x0f\xa2\xe6\x80\xb9\x00\x80\xe2\xfe\xeb\xf5' >"$tmp/disk"
	head -c 499 /dev/zero >>"$tmp/disk"
	printf '\x55\xaa' >>"$tmp/disk"
	qemu-system-x86_64 -accel kvm -m 64 -display none \
		-drive file="$tmp/disk",format=raw \
		-qmp unix:"$tmp/qmp",server=on,wait=off 2>"$tmp/qemu" &
	export VRUN_QEMU_PID=$! VRUN_QMP=$tmp/qmp
	on_exit="kill $VRUN_QEMU_PID"
	wait_for 20 "$VRUN_AGENT" qmp "$VRUN_QMP" query-status
	PATH=$tmp/bin:$PATH hook 0 kvm-exits
	prints '^source: qmp$'
	prints '^metric total.count [1-9][0-9]* exits$'
	prints '^metric total.rate [1-9][0-9.]* /s$'
	expect 1 "$VRUN_AGENT" qmp "$VRUN_QMP" no-such-command
	says 'no-such-command'
	on_exit=:
	kill "$VRUN_QEMU_PID"
fi
unset VRUN_ACCEL VRUN_QEMU_PID VRUN_QMP VRUN_ARTIFACTS VRUN_AGENT

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
