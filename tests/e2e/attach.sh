#!/bin/bash
# The agent that outlives its connection, by hand: trials go on without a
# controller, results wait for one, a lease ends it all, nothing is left.
# alone: changes settings and huge pages of the host
set -eu
cd "$(dirname "$0")/../.."
B=$(realpath "${B:-build}")
VRUN_GUEST=$(realpath -m "${GUEST:-build/guest}")
export VRUN_GUEST
AGENT=$B/vrun-agent
TALK=$B/tests/talk
SWAPPINESS=/proc/sys/vm/swappiness
POOL=/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages

tmp=$(mktemp -d)
talk=
# Everything of this test alone.
export VRUN_RUNDIR=$tmp/run VRUN_STATEDIR=$tmp/state
spool=$tmp/state/spool-night.json
pages=$(cat $POOL 2>/dev/null || echo none)
small=
was=

cleanup() {
	[ -z "$was" ] || echo "$was" >$SWAPPINESS
	[ -z "$talk" ] || kill -9 "$talk" 2>/dev/null || true
	[ ! -e "$tmp/run/campaign-night" ] || attach 1 <<<'{"type":"bye"}' \
		>/dev/null 2>&1 || true
	[ -z "$small" ] || umount "$small"
	rm -rf "$tmp"
}
trap cleanup EXIT

fail() {
	echo "attach.sh: $*"
	tail -c 3000 "$tmp/out" 2>/dev/null
	exit 1
}

# attach LEASE: a controller that says what it is fed.
attach() {
	"$TALK" "$AGENT" attach --campaign night --lease "$1"
}

# trial ID TRIAL RUNTIME_MS [VM FIELDS [FILE VALUE]]: a setting of the host
trial() {
	printf '{"type":"trial","id":%d,"trial":%d,"attempt":1,"boot":%d,' \
		"$1" "$2" "$2"
	[ $# -lt 5 ] || printf '"host":{"%s":"%s"},' "$5" "$6"
	printf '"last":false,"vm":{%s},' "${4-\"accel\":\"native\"}"
	printf '"workloads":[{"kind":"synthetic","name":"synthetic",'
	printf '"mean":100.0,"runtime":%d000000}],"seq":1,"seed":1,' "$3"
	printf '"timeout_ns":60000000000}\n'
}

# A controller in the background, fed through descriptor 9; sets talk, agent.
start_talk() {
	rm -f "$tmp/in"
	mkfifo "$tmp/in"
	"$TALK" "$AGENT" attach --campaign night --lease "$1" \
		<"$tmp/in" >"$tmp/out" 2>"$tmp/err" &
	talk=$!
	exec 9>"$tmp/in"
	await '"type":"hello"'
	agent=$(sed -n 's/.*"type":"hello".*"pid":\([0-9]*\).*/\1/p' "$tmp/out")
}

# The connection is cut: nobody is told anything.
cut() {
	kill -9 "$talk"
	wait "$talk" 2>/dev/null || true
	talk=
	exec 9>&-
}

farewell() {
	echo '{"type":"bye"}' >&9
	exec 9>&-
	wait "$talk" || fail "talk: $(cat "$tmp/err")"
	talk=
	gone "$agent" || fail "bye does not end the agent"
	[ -z "$(find "$tmp/run" "$tmp/state" -mindepth 1)" ] ||
		fail "bye left $(find "$tmp/run" "$tmp/state")"
}

# await PATTERN: until the agent has said it.
await() {
	until_true grep -q -- "$1" "$tmp/out" || fail "the agent never said $1"
}

until_true() {
	for _ in $(seq 300); do
		! "$@" || return 0
		sleep 0.1
	done
	return 1
}

# heard PATTERN...: each is in what the agent said.
heard() {
	local pattern
	for pattern; do
		grep -q -- "$pattern" "$tmp/out" || fail "not said: $pattern"
	done
}

has_vm() {
	[ -e "$VRUN_GUEST/vmlinuz" ] && command -v qemu-system-x86_64 >/dev/null
}

gone() {
	for _ in $(seq 50); do
		[ -e "/proc/$1" ] || return 0
		grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null && return 0
		sleep 0.1
	done
	return 1
}

# --- a connection that is cut in a trial -------------------------------

start_talk 60
trial 1 7 700 >&9
await '"stage":"synthetic'
first=$agent
cut
start_talk 60
heard '"holds":{"trial":7,"attempt":1,"done":false}'
[ "$agent" = "$first" ] || fail "another agent came"
trial 5 7 700 >&9
await '"type":"result","id":5,.*"outcome":"ok"'
[ "$(grep -c '"stage":"exec"' "$tmp/out")" -eq 0 ] || fail "it ran twice"
value=$(grep -o '"value":[0-9.]*' "$tmp/out")

# Asked again, it is the same result; another trial acknowledges it.
trial 6 7 700 >&9
await '"type":"result","id":6,'
[ "$(grep -o '"value":[0-9.]*' "$tmp/out" | uniq)" = "$value" ] ||
	fail "another result for the same attempt"
[ -s "$spool" ] || fail "the result is not kept"
trial 7 8 2000 >&9
await '"id":7,"stage":"synthetic'
[ ! -e "$spool" ] || fail "a result that is safe is kept"

# It ends while nobody is there.
cut
until_true test -s "$spool" || fail "no result without a controller"
start_talk 60
heard '"holds":{"trial":8,"attempt":1,"done":true}'
echo '{"type":"facts","id":1}' >&9
await '"type":"facts"'
[ -s "$spool" ] || fail "asking for facts dropped a result"
trial 2 8 1000 >&9
await '"type":"result","id":2,.*"outcome":"ok"'

# --- the newest controller counts --------------------------------------

cp "$tmp/out" "$tmp/first"
exec 8>&9
old=$talk
start_talk 60
wait "$old" || fail "the displaced controller: status $?"
exec 8>&-
[ "$agent" = "$first" ] || fail "another agent came"
farewell

# --- many at once start one agent --------------------------------------

for i in 1 2 3 4 5 6; do
	(sleep 1 | attach 60 >"$tmp/at$i" 2>&1) &
done
wait
[ "$(grep -ho '"pid":[0-9]*' "$tmp"/at? | sort -u | wc -l)" -eq 1 ] ||
	fail "not one agent: $(cat "$tmp"/at?)"
start_talk 60
farewell

# --- kill -9 of the agent ----------------------------------------------

# After a trial: the next life has its result.
start_talk 60
trial 1 3 50 >&9
await '"type":"result","id":1,'
life=$(grep -o '"life":"[0-9a-f]*"' "$tmp/out")
kill -9 "$agent"
wait "$talk" || true
exec 9>&-
start_talk 60
heard '"holds":{"trial":3,"attempt":1,"done":true}'
! grep -q "$life" "$tmp/out" || fail "a new life has the name of the old"
trial 4 3 50 >&9
await '"type":"result","id":4,.*"outcome":"ok"'

# In one: it is forgotten, and its VM and settings go.
if has_vm; then
	vm='"accel":"tcg","cpus":1,"memory":268435456'
	[ "$pages" = none ] || [ ! -w $POOL ] || vm=$vm,'"backing":"hugetlb-2M"'
	trial 5 4 60000 "$vm" >&9
	await '"id":5,"stage":"synthetic'
	qemu=$(pgrep -P "$agent" qemu-system)
	kill -9 "$agent"
	wait "$talk" || true
	exec 9>&-
	gone "$qemu" || fail "QEMU outlives its agent"
	start_talk 60
	! grep -q holds "$tmp/out" || fail "it holds what it cannot have"
	[ "$pages" = none ] || [ "$(cat $POOL)" = "$pages" ] ||
		fail "huge pages are not given back"
else
	echo "attach.sh: no QEMU or no guest: not tested with a VM"
fi
farewell

# --- the lease, with a VM and a setting of the host --------------------

if [ -w $SWAPPINESS ]; then
	vm='"accel":"native"'
	! has_vm || vm='"accel":"tcg","cpus":1,"memory":268435456'
	was=$(cat $SWAPPINESS)
	other=$((was == 7 ? 8 : 7))
	start_talk 3
	# Now and then: somebody is here.
	(while sleep 1; do echo '{"type":"ping"}'; done >&9) &
	pings=$!
	trial 1 11 50 "$vm" "$SWAPPINESS" $other >&9
	await '"type":"result","id":1,.*"outcome":"ok"'
	trial 2 12 60000 "$vm" "$SWAPPINESS" $other >&9
	await '"id":2,"stage":"synthetic'
	[ "$(cat $SWAPPINESS)" = $other ] || fail "the setting was not made"
	qemu=$(pgrep -P "$agent" qemu-system || true)
	! has_vm || [ -n "$qemu" ] || fail "there is no VM"
	kill $pings
	wait $pings 2>/dev/null || true
	cut
	gone "$agent" || fail "the agent outlives its lease"
	[ "$(cat $SWAPPINESS)" = "$was" ] || fail "the setting outlives the lease"
	[ -z "$qemu" ] || gone "$qemu" || fail "QEMU outlives the lease"
	[ -z "$(ls "$tmp/run")" ] || fail "the lease left $(ls "$tmp/run")"
	start_talk 60
	! grep -q holds "$tmp/out" || fail "a trial that was stopped is held"
	farewell
fi

# --- the lease ----------------------------------------------------------

start_talk 3
trial 1 1 50 >&9
await '"type":"result","id":1,'
cut
gone "$agent" || fail "the agent outlives its lease"
[ -z "$(ls "$tmp/run")" ] || fail "the lease left $(ls "$tmp/run")"
[ -s "$spool" ] || fail "the lease took the result with it"
# A trial in hand is stopped by it.
start_talk 3
heard '"holds":{"trial":1,"attempt":1,"done":true}'
trial 1 2 60000 >&9
await '"stage":"synthetic'
cut
gone "$agent" || fail "the agent outlives its lease in a trial"
[ ! -e "$spool" ] || fail "a trial that was stopped left a result"

# A signal is the same, at once.
start_talk 60
trial 1 1 50 >&9
await '"type":"result","id":1,'
kill -TERM "$agent"
wait "$talk" || true
exec 9>&-
gone "$agent" || fail "SIGTERM does not end the agent"
[ -s "$spool" ] || fail "SIGTERM took the result with it"

# --- a spool that is torn, one without room ----------------------------

head -c 300 "$spool" >"$tmp/torn"
cp "$tmp/torn" "$spool"
start_talk 60
heard '"warning":"the result that was kept here cannot be trusted'
! grep -q holds "$tmp/out" || fail "a torn result is trusted"
cmp -s "$tmp/torn" "$spool.bad" || fail "the torn file is not kept"
rm "$spool.bad"
farewell

mkdir "$tmp/small"
if [ "$(id -u)" -eq 0 ] &&
	mount -t tmpfs -o size=16k,mode=700 none "$tmp/small" 2>/dev/null; then
	small=$tmp/small
	dd if=/dev/zero of="$small/ballast" bs=4k status=none 2>/dev/null || true
	VRUN_STATEDIR=$small start_talk 60
	trial 1 1 50 >&9
	await '"type":"result","id":1,.*"outcome":"ok"'
	heard 'the host had no place to keep this result.*No space left'
	trial 2 1 50 >&9
	await '"type":"result","id":2,.*"outcome":"ok"'
	farewell
fi

# --- what it cannot do -------------------------------------------------

for args in '' '--campaign a' '--campaign a/b --lease 5' \
	'--campaign a --lease 0' '--campaign a --lease 5s' \
	'--lease 5 --campaign a'; do
	status=0
	# shellcheck disable=SC2086 # words are wanted
	"$AGENT" attach $args </dev/null >"$tmp/out" 2>&1 || status=$?
	[ $status -eq 2 ] || fail "status $status, not 2: attach $args"
done
rm -rf "$tmp/run"
touch "$tmp/run"
! attach 5 </dev/null >"$tmp/out" 2>"$tmp/err" || fail "a file is no directory"
grep -q "$tmp/run" "$tmp/err" || fail "does not say why: $(cat "$tmp/err")"
rm "$tmp/run"
echo '{"pid": ' >"$tmp/lease"
mkdir -m 700 "$tmp/run"
cp "$tmp/lease" "$tmp/run/lease-1.json"
sleep 1 | attach 5 >"$tmp/out" 2>"$tmp/err" || true
heard '"type":"error","id":0,.*lease-1.json'
