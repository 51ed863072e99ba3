#!/bin/bash
# The agent with real QEMU (TCG) and the built-in guest: VMs come up, are
# checked and go; what goes wrong is named; nothing is left behind.
# alone: counts huge pages of the host
set -eu
cd "$(dirname "$0")/../.."
B=$(realpath "${B:-build}")
VRUN_GUEST=$(realpath -m "${GUEST:-build/guest}")
export VRUN_GUEST
AGENT=$B/vrun-agent
TALK=$B/tests/talk
POOL=/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages
GIGANTIC=/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages

tmp=$(mktemp -d)
talk=
# Leases and sockets of this test alone.
export VRUN_RUNDIR=$tmp/vrun
pages=$(cat $POOL 2>/dev/null || echo none)

cleanup() {
	[ -z "$talk" ] || kill -9 "$talk" 2>/dev/null || true
	sleep 0.5
	# Restores what an agent that failed here left behind.
	"$TALK" "$AGENT" </dev/null >/dev/null 2>&1 || true
	rm -rf "$tmp"
}
trap cleanup EXIT

fail() {
	echo "vm.sh: $*"
	tail -c 3000 "$tmp/out" 2>/dev/null
	exit 1
}

skip() {
	echo "$*"
	exit 77
}

command -v qemu-system-x86_64 >/dev/null || skip "no qemu-system-x86_64"
[ -e "$VRUN_GUEST/vmlinuz" ] || skip "no guest image; run make guest"

# --- requests ----------------------------------------------------------

# trial ID BOOT LAST RUNTIME_MS 'VM FIELDS' [TIMEOUT_S]
trial() {
	local vm=${5-} field
	for field in '"accel":"tcg"' '"cpus":1' '"memory":268435456'; do
		case $vm in
		*"${field%%:*}:"*) ;;
		*) vm=$vm${vm:+,}$field ;;
		esac
	done
	printf '{"type":"trial","id":%d,"trial":%d,"attempt":1,' "$1" "$1"
	printf '"boot":%d,"last":%s,' "$2" "$3"
	printf '"vm":{%s},' "$vm"
	printf '"workloads":[{"kind":"synthetic","name":"synthetic",'
	printf '"mean":100.0,"runtime":%d000000}],' "$4"
	printf '"timeout_ns":%d000000000,"seq":%d,"seed":1}\n' "${6:-100}" "$1"
}

ask() {
	"$TALK" "$AGENT" >"$tmp/out" 2>"$tmp/err" || fail "the agent failed: $(cat "$tmp/err")"
}

# The agent in the background, fed through descriptor 9; sets talk, agent.
start_talk() {
	rm -f "$tmp/in"
	mkfifo "$tmp/in"
	"$TALK" "$AGENT" <"$tmp/in" >"$tmp/out" 2>"$tmp/err" &
	talk=$!
	exec 9>"$tmp/in"
	await '"type":"hello"'
	agent=$(sed -n 's/.*"type":"hello".*"pid":\([0-9]*\).*/\1/p' "$tmp/out")
}

# end_talk [STATUS]: of the agent, 0 unless it is said.
end_talk() {
	local status=0
	exec 9>&-
	wait "$talk" || status=$?
	talk=
	[ "$status" -eq "${1-0}" ] ||
		fail "the agent ended with status $status: $(cat "$tmp/err")"
}

# await PATTERN: until the agent has said it.
await() {
	for _ in $(seq 300); do
		! grep -q -- "$1" "$tmp/out" || return 0
		sleep 0.1
	done
	fail "the agent never said $1"
}

# artifact ID NAME: what it holds.
artifact() {
	sed -n 's/.*"type":"artifact","id":'"$1"',"name":"'"$2"'","data":"\([^"]*\)".*/\1/p' \
		"$tmp/out" | base64 -d
}

result() { grep '"type":"result","id":'"$1," "$tmp/out"; }

# expect ID OUTCOME [PATTERN...]: in the result of trial ID.
expect() {
	local id=$1 outcome=$2 pattern
	shift 2
	result "$id" | grep -q "\"outcome\":\"$outcome\"" ||
		fail "trial $id is not $outcome"
	for pattern; do
		result "$id" | grep -q -- "$pattern" ||
			fail "trial $id lacks $pattern"
	done
}

qemu_of() { pgrep -P "$1" qemu-system || true; }

gone() {
	for _ in $(seq 30); do
		[ -e "/proc/$1" ] || return 0
		# A zombie that nobody here can reap counts as gone.
		grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null && return 0
		sleep 0.1
	done
	return 1
}

pool_is_back() {
	[ "$pages" = none ] && return
	for _ in $(seq 30); do
		[ "$(cat $POOL)" != "$pages" ] || return 0
		sleep 0.1
	done
	fail "$(cat $POOL) huge pages, there were $pages"
}

can_have_huge_pages() { [ -w $POOL ]; }

# Whether one more can be had, which is put back.
can_have_gigantic_page() {
	[ -w $GIGANTIC ] || return 1
	gigantic=$(cat $GIGANTIC)
	echo $((gigantic + 1)) >$GIGANTIC
	local got
	got=$(cat $GIGANTIC)
	echo "$gigantic" >$GIGANTIC
	[ "$got" -gt "$gigantic" ]
}

# --- trials ------------------------------------------------------------

{
	trial 1 1 false 50 '"backing":"4k"'
	trial 2 1 true 50 '"backing":"4k"'
	trial 3 2 true 50 '"accel":"native"'
	trial 4 3 false 50 '"accel":"tcg-single","cpus":2,"pin":"0","append":"loglevel=7"'
	trial 5 3 true 50 '"accel":"tcg-single","cpus":2,"pin":"0","append":"loglevel=7"'
} | ask
expect 1 ok '"parameter":"accel","expected":"tcg"' 'synthetic.value' \
	'"parameter":"backing","expected":"4k"' '"parameter":"cpus"' \
	'KernelPageSize 4 kB' 'qemu.cpu' '"boot_ns"' '"-accel","tcg,thread=multi"'
expect 2 ok synthetic.value
expect 3 ok synthetic.value
! result 3 | grep -q '"cmdline"\|boot_ns' ||
	fail "a trial without a VM speaks of a guest"
expect 4 ok 'ALL CPUs/TCG' 'ran on CPU 0' '"pin"'
[ "$(grep -c '"stage":"exec"' "$tmp/out")" -eq 3 ] ||
	fail "trials of one boot did not share it"
! grep -q '"status":"failed"\|"status":"unverified"' "$tmp/out" ||
	fail "a check did not hold"
! grep '"name":"qemu.log"' "$tmp/out" || fail "QEMU complained"
artifact 4 console.log | grep -q 'Linux version' || fail "no console is kept"
! artifact 5 console.log | grep -q 'Linux version' ||
	fail "the console of a boot is kept twice"

# Small pages where huge ones were asked for are no measurement.
if can_have_huge_pages; then
	{
		trial 1 1 true 50 '"backing":"hugetlb-2M"'
		trial 2 2 true 50 "\"backing\":\"hugetlb-2M\",\"qemu\":\"$PWD/tests/fake/qemu-small-pages\""
		trial 3 3 true 50 '"backing":"thp"'
	} | ask
	expect 1 ok 'KernelPageSize 2048 kB' 'hugetlb 262144 kB' synthetic.value
	expect 2 invalid 'backing: expected hugetlb-2M, seen KernelPageSize 4 kB' \
		'"metrics":\[\]'
	grep -q '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled ||
		expect 3 ok '"expected":"thp","seen":"[^"]*transparent huge 2[46]'
	pool_is_back
else
	echo "vm.sh: huge pages cannot be set here: not tested"
fi
if can_have_gigantic_page; then
	trial 1 1 true 50 '"backing":"hugetlb-1G","memory":1073741824' | ask
	expect 1 ok 'KernelPageSize 1048576 kB, MMUPageSize 1048576 kB' \
		'hugetlb 1048576 kB' '-object.*hugetlbsize=1073741824' \
		synthetic.value
	[ "$(cat $GIGANTIC)" = "$gigantic" ] ||
		fail "$(cat $GIGANTIC) pages of 1G, there were $gigantic"
else
	echo "PART SKIPPED: no huge page of 1G can be had here"
fi

# --- what goes wrong is named ------------------------------------------

mkdir "$tmp/stub"
head -c 100000 "$VRUN_GUEST/vmlinuz" >"$tmp/stub/vmlinuz"
cp "$VRUN_GUEST/initrd" "$tmp/stub/initrd"
{
	trial 1 1 true 50 '"qemu-args":["-bogus"]'
	trial 2 2 true 50 '"qemu":"/nonexistent/qemu"'
	trial 3 3 true 50 '"append":"rdinit=/nonexistent"'
	trial 4 4 true 50 '"append":"rdinit=/bin/sh"' 12
	trial 5 5 true 50 "\"qemu\":\"$PWD/tests/fake/qemu-mute\"" 3
	trial 6 6 true 50 '"image":"/nonexistent"'
	trial 7 7 true 50 '"cpu":"nonsense"'
	trial 8 8 true 50 '"pin":"1000"'
	trial 9 9 true 60000 '' 25
	trial 10 10 true 50 '"backing":"3M"'
	trial 11 11 true 50 '"memory":33554432'
	trial 12 12 true 50 "\"image\":\"$tmp/stub\""
} | ask
expect 1 failed 'QEMU exited with status 1: .*-bogus: invalid option' \
	'"stage":"qmp"'
expect 2 failed 'cannot execute .*/nonexistent/qemu.*No such file'
expect 3 failed 'QEMU exited with status 0; .*Kernel panic' '"stage":"boot"'
expect 4 timeout 'stage \\"boot\\" took more than'
expect 5 timeout 'stage \\"qmp\\" took more than'
expect 6 failed '/nonexistent has no readable vmlinuz; run .make guest.'
expect 7 failed "unable to find CPU model 'nonsense'"
expect 8 failed 'vCPU 0 to CPU 1000'
expect 9 timeout '"stage":"synthetic'
expect 10 failed '"final":true' 'unknown \\"3M\\" (have 4k, thp, hugetlb-2M, hugetlb-1G)'
reset='QEMU exited with status 0; the guest reset itself or switched off before its'
expect 11 failed "$reset agent spoke: 32 MiB of memory may be too little"
expect 12 failed "$reset.*$tmp/stub/vmlinuz cannot be booted"
[ -z "$(ls "$tmp/vrun")" ] || fail "left in the private directory: $(ls "$tmp/vrun")"

# QEMU killed while it measures: told at once, not after the time-out.
start_talk
trial 1 1 true 60000 '' >&9
await '"stage":"synthetic'
kill -9 "$(qemu_of "$agent")"
await '"type":"result","id":1,'
expect 1 failed 'QEMU was killed by signal 9'
# The agent lives on; a stop ends a trial, and the next one runs.
trial 2 2 true 60000 '' >&9
await '"type":"stage","id":2,"stage":"synthetic'
echo '{"type":"stop","id":3}' >&9
await '"type":"done","id":3'
expect 2 lost 'the controller stopped it'
[ -z "$(qemu_of "$agent")" ] || fail "stop left a QEMU"
trial 4 4 true 50 '' >&9
await '"type":"result","id":4,'
expect 4 ok
end_talk

# --- nothing is left behind --------------------------------------------

backing='"backing":"4k"'
! can_have_huge_pages || backing='"backing":"hugetlb-2M"'

# The controller dies: QEMU, agent and pages go.
start_talk
trial 1 1 true 60000 "$backing" >&9
await '"stage":"synthetic'
qemu=$(qemu_of "$agent")
kill -9 "$talk"
wait "$talk" 2>/dev/null || true
exec 9>&-
gone "$agent" || fail "the agent outlives its controller"
gone "$qemu" || fail "QEMU outlives the controller"
pool_is_back

# The agent dies: QEMU goes with it; the next agent puts the pages back.
start_talk
trial 1 1 true 60000 "$backing" >&9
await '"stage":"synthetic'
qemu=$(qemu_of "$agent")
kill -9 "$agent"
end_talk 128
gone "$qemu" || fail "QEMU outlives its agent"
echo '{"type":"facts","id":1}' | ask
pool_is_back
[ -z "$(ls "$tmp/vrun")" ] || fail "left in the private directory: $(ls "$tmp/vrun")"

# A signal: the same as a farewell.
start_talk
trial 1 1 true 60000 "$backing" >&9
await '"stage":"synthetic'
qemu=$(qemu_of "$agent")
kill -TERM "$agent"
end_talk
gone "$qemu" || fail "QEMU outlives SIGTERM to the agent"
pool_is_back

# --- preflight ---------------------------------------------------------

echo '{"type":"preflight","id":1,"needs":{"accels":["tcg","native"],
"backings":["hugetlb-2M"],"qemus":["/nonexistent/qemu",""],
"images":["/nonexistent","builtin"],"memory":1125899906842624,"cpus":999,
"pages":{"2M":99999999},"workloads":[{"kind":"block"}]}}' | tr -d '\n' |
	sed 's/$/\n/' | ask
finding() { grep -q "\"check\":\"$1\",\"level\":\"$2\",.*$3" "$tmp/out" ||
	fail "no finding $1 $2 $3"; }
finding qemu refuse '/nonexistent/qemu --version: cannot execute .*apt install qemu-system-x86'
finding qemu ok 'QEMU emulator version'
finding image refuse 'no readable vmlinuz'
finding image ok 'guest image in'
finding cpus warn 'the largest VM has 999 CPUs'
if can_have_huge_pages; then
	finding hugepages refuse '[0-9]* of 99999999 huge pages of 2M can be had.*hugepages=99999999'
	pool_is_back
fi
