#!/bin/bash
# What befalls remote hosts in a night, on real sshd's in namespaces: links that
# are down for a while and for good, sshd, agent, QEMU and controller killed,
# hosts rebooted. No finished trial is lost or run twice, nothing is left.
# KILLS=100 SEED=7 tests/e2e/remote-faults.sh kills the controller more often.
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash
. tests/netns.sh
on_exit=net_stop
trap 'exit 1' INT TERM HUP
KILLS=${KILLS:-10}
SEED=${SEED:-1}

net_need
net_start 8
printf 'Host *\n\tServerAliveInterval 1\n\tServerAliveCountMax 2\n' \
	>>"$tmp/net/c/home/.ssh/config"
mkdir "$tmp/m"
m=$tmp/m/m.yaml
{
	echo 'hosts:'
	for i in 1 2 3 4 5 6 7 8; do
		echo "  h$i: {lease: 60s, connect-timeout: 3s}"
	done
} | sed '/h3:/s/60s/10s/' >"$tmp/m/hosts.yaml"

link() {
	ip -n "$NET-b" link set "p$1" "$2"
}

# begin NAME HOSTS: a campaign in the background; sets dir.
begin() {
	start_at_controller "$VRUN" "$m" --hosts "$2" --results "$tmp/$1" \
		>"$tmp/out" 2>"$tmp/err" </dev/null
	wait_for 30 compgen -G "$tmp/$1/*/trials.jsonl"
	dir=$(results_in "$tmp/$1")
}

# ends STATUS
ends() {
	local status=0
	wait "$controller" || status=$?
	[ $status -eq "$1" ] || fail "status $status, not $1"
}

# in_trial HOST N: it has begun N trials, and the last one is in hand.
in_trial() {
	grep "\"host\":\"$1\"" "$dir/trials.jsonl" | awk -v n="$2" '
		/"event":"started"/ { begun++; open = 1 }
		/"event":"finished"/ { open = 0 }
		END { exit !(begun >= n && open) }'
}

# agent_of I: the one that outlives connections, not what leads to it.
agent_of() {
	local pid
	for pid in $(ip netns pids "$NET-h$1"); do
		if tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q 'agent attach' &&
			[ "$(readlink "/proc/$pid/fd/0")" = /dev/null ]; then
			echo "$pid"
		fi
	done 2>/dev/null
}

# lost HOST: trials of it that were recorded as lost.
lost() {
	grep -c "\"host\":\"$1\".*\"outcome\":\"lost\"" "$dir/trials.jsonl" || true
}

# Only sshd is left there, no file of the agent's, and no result.
is_clean() {
	local pid
	for pid in $(ip netns pids "$NET-h$1"); do
		case $(cat "/proc/$pid/comm" 2>/dev/null) in
		sshd | '') ;;
		*) return 1 ;;
		esac
	done
	[ -z "$(find "$tmp/net/h$1/lib" -type f)" ] &&
		[ -z "$(at_host "$1" find /run/vrun -mindepth 1)" ]
}

nothing_left() {
	local i
	for i; do
		wait_for 20 is_clean "$i"
	done
}

# --- links: down for 1 s (TCP bears it), for 30 s, and for good -----------

synthetic "$m" 10 'runtime: 200ms'
begin links h1,h2,h3
for i in 1 2 3; do
	wait_for 20 in_trial "h$i" 4
	link $i down
done
sleep 1
link 1 up
sleep 29
link 2 up
ends 1
says 'host h2: ' 'its trial goes on there' 'host h3 is given up' \
	'vrun resume asks for it'
[ "$(outcomes "$dir" lost)" -eq 0 ] || fail "a link that was down cost a trial"
nothing_left 1 2

# The agent that was left ended by its lease, and its result waits.
gone_agent() {
	[ -z "$(agent_of "$1")" ]
}
wait_for 20 gone_agent 3
[ -n "$(find "$tmp/net/h3/lib" -name 'spool-*')" ] || fail "no result waits"
link 3 up
expect 0 at_controller "$VRUN" resume "$dir"
says 'host h3 has the trial that was under way'
all_ok_once "$dir" 60
[ "$(outcomes "$dir" lost)" -eq 0 ] || fail "what waited was not collected"
nothing_left 3

# --- sshd killed, agent killed ----------------------------------------------

synthetic "$m" 12 'runtime: 400ms'
begin kills h4,h5
wait_for 20 in_trial h4 4
agent=$(agent_of 4)
for pid in $(ip netns pids "$NET-h4"); do
	[ "$(cat "/proc/$pid/comm" 2>/dev/null)" != sshd ] || kill -9 "$pid" || true
done
wait_for 20 in_trial h5 4
kill -9 "$(agent_of 5)"
# As sshd is started again, where it was.
echo "$agent" >"$tmp/net/h4/pid"
at_host 4 /usr/sbin/sshd -f "$tmp/net/h4/sshd.conf" -E "$tmp/net/h4/sshd.log" \
	</dev/null >/dev/null 2>&1
ip netns pids "$NET-h4" | while read -r pid; do
	[ "$(cat "/proc/$pid/comm")" != sshd ] || echo "$pid"
done | head -n 1 >"$tmp/net/h4/pid"
ends 0
all_ok_once "$dir" 48
[ "$(lost h4)" -eq 0 ] || fail "the end of sshd cost a trial"
[ "$(lost h5)" -eq 1 ] || fail "$(lost h5) trials of a dead agent are lost"
nothing_left 4 5

# --- a host reboots -----------------------------------------------------------
# Its boot_id tells it: what the old boot left in its private directory, which
# is on a disk here, is not restored, and what the new one came up with is.

ttl=/proc/sys/net/ipv4/ip_default_ttl # each network namespace has its own
ttl_of() {
	at_host 6 cat $ttl
}

# reboots TTL: the host has that setting from its start.
reboots() {
	host_reboot 6
	at_host 6 sh -c "echo $1 >$ttl"
}

mkdir -m 700 "$tmp/run"
echo "SetEnv VRUN_RUNDIR=$tmp/run" >>"$tmp/net/h6/sshd.conf"
reboots 61
synthetic "$m" 4 'runtime: 1500ms'
echo 'host-settings: {sysctl.net.ipv4.ip_default_ttl: 77}' >>"$m"
begin reboot h6
wait_for 20 in_trial h6 3
[ "$(ttl_of)" = 77 ] || fail "not set: $(ttl_of)"
ls "$tmp"/run/lease-*.json >"$tmp/lease" || fail 'no file of old values'
reboots 62
grep -q '"from": *"61"\|"61"' "$(cat "$tmp/lease")" ||
	fail "not the old value: $(cat "$(cat "$tmp/lease")")"

# In the next trial its link goes; the trial ends, and then the host reboots.
wait_for 60 in_trial h6 5
[ "$(ttl_of)" = 77 ] || fail "not set after the reboot: $(ttl_of)"
[ ! -e "$(cat "$tmp/lease")" ] || fail 'a file of the former boot is kept'
link 6 down
wait_for 20 compgen -G "$tmp/net/h6/lib/spool-*.json"
reboots 63
ends 0
all_ok_once "$dir" 8
[ "$(lost h6)" -eq 1 ] || fail "$(lost h6) trials are lost, not the one in hand"
[ "$(grep -c 'the host was rebooted after this trial' "$dir/trials.jsonl")" -eq 1 ] ||
	fail 'the result that waited does not say what befell it'
lost=$(sed -n 's/.*"trial":\([0-9]*\),.*"outcome":"lost".*/\1/p' "$dir/trials.jsonl")
grep "\"event\":\"started\",\"trial\":$lost,\"attempt\":2" "$dir/trials.jsonl" |
	grep -q '"boot_attempt":2' || fail 'its boot was not begun again'
grep '"outcome":"ok"' "$dir/trials.jsonl" |
	grep -cv '"seen":"77"' >"$tmp/unset" || true
[ "$(cat "$tmp/unset")" -eq 0 ] || fail 'trials without the setting'
[ "$(ttl_of)" = 63 ] || fail "not put back to what the boot had: $(ttl_of)"
[ -z "$(find "$tmp/run" -mindepth 1)" ] || fail "left: $(find "$tmp/run")"
nothing_left 6

# --- the controller killed -9 at random moments -----------------------------

synthetic "$m" $((KILLS < 20 ? 10 : KILLS)) 'runtime: 200ms'
begin random h7,h8
RANDOM=$SEED
for ((k = 1; k <= KILLS; k++)); do
	sleep $((RANDOM % 2)).$((RANDOM % 10))$((RANDOM % 10))
	kill -9 "$controller" 2>/dev/null || true
	wait "$controller" 2>/dev/null || true
	before=$(outcomes "$dir" ok)
	start_at_controller "$VRUN" resume "$dir" \
		>"$tmp/out" 2>"$tmp/err" </dev/null
	[ "$(outcomes "$dir" ok)" -ge "$before" ] || fail "records went away"
done
ends 0
all_ok_once "$dir" $((KILLS < 20 ? 40 : 4 * KILLS))
echo "controller killed $KILLS times (seed $SEED): $(outcomes "$dir" lost) of the trials in hand lost, $(outcomes "$dir" ok) ok"
nothing_left 7 8

# --- a VM: its link down, its QEMU killed -----------------------------------

command -v qemu-system-x86_64 >/dev/null || skip 'no QEMU: not tested with a VM'
[ -e "$VRUN_GUEST/vmlinuz" ] || skip 'no guest: not tested with a VM'
synthetic "$m" 3 'runtime: 1500ms'
sed -i 's/accel: native/accel: tcg, memory: 256M/' "$m"
begin vm h1
wait_for 60 in_trial h1 2
link 1 down
sleep 1
link 1 up
wait_for 60 in_trial h1 4
qemu=$(ip netns pids "$NET-h1" | while read -r pid; do
	! grep -q qemu-system "/proc/$pid/comm" || echo "$pid"
done)
kill -9 "$qemu"
ends 0
all_ok_once "$dir" 6
[ "$(outcomes "$dir" lost)" -eq 0 ] || fail "a link that was down cost a VM"
[ "$(outcomes "$dir" failed)" -eq 1 ] || fail "QEMU's end is no failed trial"
grep -q 'QEMU was killed by signal 9' "$dir/trials.jsonl" || fail "not said why"
nothing_left 1
