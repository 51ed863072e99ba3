#!/bin/bash
# Settings of hosts over SSH go back when the controller does not: when the
# lease of its agent is over, and by vrun restore when the agent was killed,
# too. Each host is in a network namespace with an ip_forward of its own.
# with sanitizers, too
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash
. tests/netns.sh
on_exit=net_stop
trap 'exit 1' INT TERM HUP

net_need
net_start 5
m=$tmp/m/m.yaml
mkdir "$tmp/m"
printf 'hosts:\n  h1: {lease: 10s}\n  h2: {lease: 60s}\n' >"$tmp/m/hosts.yaml"
forward=/proc/sys/net/ipv4/ip_forward

# forwards I VALUE
forwards() {
	[ "$(at_host "$1" cat $forward)" = "$2" ]
}

# A VM where there is one: it has to go, too.
vm='accel: native'
if command -v qemu-system-x86_64 >/dev/null && [ -e "$GUEST/vmlinuz" ]; then
	vm='accel: tcg, memory: 256M'
fi
for i in 1 2 3 4 5; do
	at_host $i sh -c "echo 0 >$forward"
done
synthetic "$m" 20 'runtime: 2s'
sed -i "s/accel: native/$vm/" "$m"
echo 'host-settings: {sysctl.net.ipv4.ip_forward: 1}' >>"$m"

# pids I NAME: processes of that name on host I, sshd's apart.
pids() {
	local pid
	for pid in $(ip netns pids "$NET-h$1"); do
		! grep -q "^$2" "/proc/$pid/comm" || echo "$pid"
	done 2>/dev/null
}

# begin I: a campaign on host I that has measured something there.
begin() {
	start_at_controller "$VRUN" "$m" --hosts "h$1" --results "$tmp/r$1" \
		>"$tmp/out" 2>"$tmp/err" </dev/null
	wait_for 60 compgen -G "$tmp/r$1/*/trials.jsonl"
	dir=$(results_in "$tmp/r$1")
	wait_for 60 has_lines "$dir/trials.jsonl" 3
	forwards "$1" 1 || fail "h$1: the setting was not made"
}

# --- the controller stays away --------------------------------------------

begin 1
kill -9 "$controller"
wait "$controller" 2>/dev/null || true
[ -n "$(pids 1 vrun-agent)" ] || fail 'the agent ended with the controller'
no_agent() {
	[ -z "$(pids "$1" vrun-agent)" ]
}
wait_for 60 no_agent 1
forwards 1 0 || fail 'the lease is over and the setting stays'
[ -z "$(pids 1 qemu)" ] || fail 'the lease is over and QEMU stays'
[ -z "$(at_host 1 find /run/vrun -mindepth 1)" ] || fail 'files stay in /run'
[ "$(find "$tmp/net/h1/lib" -name 'spool-*.json' | wc -l)" -eq 1 ] ||
	fail 'the result of the trial that ended alone is not kept'

# --- restore: one changed, one as it was, one that is not there -------------

begin 2
kill -9 "$controller"
pids 2 vrun-agent | xargs -r kill -9 || true # one ends by itself
wait "$controller" 2>/dev/null || true
wait_for 10 no_agent 2
forwards 2 1 || fail 'nothing was changed when the agent was killed'
host_down 3
expect 1 at_controller "$VRUN" restore h1 h2 h3
[ "$(wc -l <"$tmp/out")" -eq 3 ] || fail 'not one line for each host'
for line in 'h1: nothing to restore' \
	"h2: $forward from \"1\" back to \"0\"" \
	'h3: cannot be restored: .*connection refused'; do
	grep -q "^$line" "$tmp/out" || fail "does not print: $line"
done
forwards 2 0 || fail 'the setting is not as before'
expect 0 at_controller "$VRUN" restore h1 h2
[ "$(grep -c ': nothing to restore$' "$tmp/out")" -eq 2 ] ||
	fail 'there is something to restore twice'

# --- all at once: each of these waits for the other to be asked -------------

meet() {
	cat >>"$tmp/net/h$1/sshd.conf" <<-EOS
		ForceCommand touch $tmp/asked-$1; until [ -e $tmp/asked-$2 ]; do sleep 0.1; done; eval "\$SSH_ORIGINAL_COMMAND"
	EOS
	host_down "$1"
	host_up "$1"
}
expect 0 at_controller "$VRUN" restore h4 h5 # the agent is copied there
meet 4 5
meet 5 4
expect 0 at_controller "$VRUN" restore h5 h4 --json
[ "$(jq -r 'map("\(.host) \(.restored | length) \(.held | length)") |
	join(",")' "$tmp/out")" = 'h5 0 0,h4 0 0' ] || fail 'JSON is another'
