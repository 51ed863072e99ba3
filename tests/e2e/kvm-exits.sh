#!/bin/bash
# The hook kvm-exits: its sources, each and one for another, what it leaves
# behind, and, where KVM is, the exits of a guest of a few instructions.
# The traces that are parsed were written, not recorded (data/kvm-trace), and so
# was perf's table, after perf's documentation: KVM inside a virtual machine may
# raise no kvm_exit.
# alone: traces the kernel of the host
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash

hook=$PWD/hooks/kvm-exits
mkdir -p "$tmp/art" "$tmp/bin"
export VRUN_ARTIFACTS=$tmp/art VRUN_AGENT=$tmp/bin/agent VRUN_ACCEL=kvm
export VRUN_QMP=$tmp/qmp VRUN_QEMU_PID=$$ VRUN_VCPU_TIDS=$$

# exits STATUS: the hook; its standard input ends after a second.
exits() {
	local got=0
	rm -rf "$tmp/art"
	mkdir "$tmp/art"
	(sleep 1) | PATH=$tmp/bin:$PATH "$hook" >"$tmp/out" 2>"$tmp/err" ||
		got=$?
	[ $got -eq "$1" ] || fail "status $got, not $1"
}
prints() {
	grep -Eq -- "$1" "$tmp/out" || fail "does not print: $1"
}
fake() { # NAME: its script comes on standard input
	{
		echo '#!/bin/sh'
		cat
	} >"$tmp/bin/$1"
	chmod +x "$tmp/bin/$1"
}

# --- traces --------------------------------------------------------------

reads() { # FILE LINE...
	"$hook" --read <"tests/data/kvm-trace/$1" >"$tmp/lines" 2>"$tmp/err"
	printf '%s\n' "${@:2}" | sort >"$tmp/want"
	sort "$tmp/lines" | cmp - "$tmp/want" ||
		fail "$1 is read as: $(cat "$tmp/lines")"
}
reads intel.txt 'HLT 1 1000.000' 'IO_INSTRUCTION 2 10.000'
reads amd.txt 'PF_excp 1 2.000' 'npf 1 5.000'
reads old.txt 'CPUID 2 4.000'
says '15 events were lost'

# --- perf ----------------------------------------------------------------

VRUN_ACCEL=tcg exits 0
prints 'accel tcg.: there are no exits to count'
! grep -q ^metric "$tmp/out" || fail "metrics without KVM"
KVM_EXITS_SOURCE=guess exits 1
prints 'KVM_EXITS_SOURCE is "guess"; have perf, tracefs, qmp'

# perf_says ROWS: perf's table; the sum of all is its, too.
perf_says() {
	fake perf <<EOF
case "\$*" in
*record*) for last; do :; done; echo x >"\$last"; exec sleep 5 ;;
esac
printf '\n\nAnalyze events for all VMs, all VCPUs:\n\n%20s %10s %9s %9s %11s %11s %14s\n\n' \
	VM-EXIT Samples Samples% Time% 'Min Time' 'Max Time' 'Avg time '
row='%20s %10d %8.2f%% %8.2f%% %9.2fus %9.2fus %9.2fus ( +-%7.2f%% )\n'
$1
printf '\nTotal Samples:110, Total events handled time:500070.00us.\n\n'
EOF
}
fake agent <<'EOF'
echo "the agent cannot ask" >&2
exit 1
EOF
perf_says "printf \"\$row\" HLT 100 90.91 99 1 9000 5000.50 3 'PF excp' 10 9.09 1 1 9 2 1"
exits 0
prints '^source: perf$'
prints '^metric HLT.count 100 exits$'
prints '^metric HLT.mean 5000.5 us$'
prints '^metric HLT.core [0-9.]+ %$'
prints '^metric PF_excp.rate [0-9.]+ /s$'
prints '^metric total.count 110 exits$'

# --- one source for another ----------------------------------------------

# QEMU's answers: 100 exits, then 350.
fake agent <<EOF
echo x >>"$tmp/asked"
n=\$((\$(wc -l <"$tmp/asked") % 2 ? 100 : 350))
echo '{"return": [{"provider": "kvm", "stats": [{"name": "io_exits", "value": '\$n'}, {"name": "exits", "value": '\$n'}]}]}'
EOF
perf_says ''
exits 0
prints '^kvm-exits: perf saw no exit'
prints '^source: qmp$'
prints '^metric total.count 250 exits$'
grep -qx perf "$tmp/kvm-exits.blind" || fail "perf is asked first again"
rm "$tmp/kvm-exits.blind"
fake perf <<'EOF'
echo "no permission"
exit 1
EOF
KVM_EXITS_SOURCE=perf exits 1
prints 'no perf: perf kvm stat: no permission; run the agent as root'
prints 'none of the sources can count here'

# --- tracefs: of its own, and gone afterwards ----------------------------

traces=/sys/kernel/tracing
unused() {
	! ls -d $traces/instances/vrun-* >/dev/null 2>&1
}
if [ -w $traces/instances ] && [ -d $traces/events/kvm/kvm_exit ]; then
	for _ in 1 2 3 4 5; do # a reader that sleeps on shows now and then
		rm -f "$tmp/kvm-exits.blind"
		exits 0
		prints '^kvm-exits: no perf: '
		prints '^kvm-exits: tracefs saw no exit'
		prints '^source: qmp$'
		unused || fail "an instance was left"
	done
	VRUN_VCPU_TIDS='no thread' KVM_EXITS_SOURCE=tracefs exits 1
	prints 'kvm-exits: no tracefs: '
	unused || fail "an instance was left by a failure"
	for signal in TERM KILL; do
		rm -rf "$tmp/art"
		mkdir "$tmp/art"
		mkfifo "$tmp/in"
		KVM_EXITS_SOURCE=tracefs "$hook" >"$tmp/out" 2>"$tmp/err" \
			<"$tmp/in" &
		pid=$!
		exec 5>"$tmp/in"
		wait_for 20 grep -qx ready "$tmp/out"
		[ -d $traces/instances/vrun-$pid ] || fail "no instance"
		kill -$signal $pid
		[ $signal = KILL ] || exec 5>&- # the signal waits for cat
		wait $pid || true
		wait_for 20 unused
		exec 5>&-
		rm "$tmp/in"
	done
else
	exits 0
	prints '^kvm-exits: no tracefs: '
	prints '^source: qmp$'
fi

# --- for real ------------------------------------------------------------

[ -w /dev/kvm ] || skip "no writable /dev/kvm: exits were not counted for real"
command -v qemu-system-x86_64 >/dev/null || skip "no qemu-system-x86_64"
# A boot sector that asks for CPUID and writes to a port, again and again.
printf '\x0f\xa2\xe6\x80\xb9\x00\x80\xe2\xfe\xeb\xf5' >"$tmp/disk"
head -c 499 /dev/zero >>"$tmp/disk"
printf '\x55\xaa' >>"$tmp/disk"
qemu-system-x86_64 -accel kvm -m 64 -display none -name v,debug-threads=on \
	-drive file="$tmp/disk",format=raw \
	-qmp unix:"$tmp/qmp",server=on,wait=off 2>"$tmp/qemu" &
export VRUN_QEMU_PID=$! VRUN_AGENT=$B/vrun-agent
on_exit="kill $VRUN_QEMU_PID"
wait_for 20 "$VRUN_AGENT" qmp "$VRUN_QMP" query-status
VRUN_VCPU_TIDS=$(grep -l KVM /proc/$VRUN_QEMU_PID/task/*/comm |
	awk -F/ '{ print $5 }')
rm "$tmp/bin/perf"
KVM_EXITS_SOURCE=qmp exits 0
prints '^source: qmp$'
prints '^metric total.count [1-9][0-9]* exits$'
prints '^metric total.rate [1-9][0-9.]* /s$'
exits 0
prints '^source: '
prints '^metric total.count [1-9][0-9]* exits$'
expect 1 "$VRUN_AGENT" qmp "$VRUN_QMP" no-such-command
says 'no-such-command'
