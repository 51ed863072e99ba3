#!/bin/bash
# What one controller costs while trials run on many hosts at once: CPU time as
# a share of one core, and memory (PSS), of vrun and its carriers together. The
# hosts are namespaces on this machine with a real sshd each; only what belongs
# to the controller is counted.
#
#   tests/bench/hosts.sh [HOSTS...]      how many (8 64)
#
# B         build directory (build)
# SECONDS_EACH  2: how long a trial takes
# ROUNDS    6: of two trials each
#
# Fails when 64 hosts cost 10 % of a core or 300 MiB.
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash
. tests/netns.sh
on_exit=net_stop
trap 'exit 1' INT TERM HUP
SECONDS_EACH=${SECONDS_EACH:-2}
ROUNDS=${ROUNDS:-6}
CPU_MAX=10
MIB_MAX=300
[ $# -gt 0 ] || set -- 8 64

# What belongs to the controller: all processes in its namespace.
pids() {
	ip netns pids "$NET-c"
}

# CPU time of all of them, in ticks.
ticks() {
	local pid
	for pid in $(pids); do
		cat "/proc/$pid/stat" 2>/dev/null || true
	done | sed 's/.*) //' | awk '{ sum += $12 + $13 } END { print sum + 0 }'
}

pss_kib() {
	local pid
	for pid in $(pids); do
		cat "/proc/$pid/smaps_rollup" 2>/dev/null || true
	done | awk '$1 == "Pss:" { sum += $2 } END { print sum + 0 }'
}

uptime_s() {
	cut -d' ' -f1 /proc/uptime
}

begun() {
	grep -c '"event":"started"' "$dir/trials.jsonl" 2>/dev/null || true
}

measure() {
	local hosts=$1 m=$tmp/m$1.yaml from to began ended peak=0 now
	synthetic "$m" "$ROUNDS" "runtime: ${SECONDS_EACH}s"
	start_at_controller "$VRUN" "$m" --results "$tmp/r$hosts" \
		--hosts "$(seq -f h%g -s , "$hosts")" \
		>"$tmp/out" 2>"$tmp/err" </dev/null
	wait_for 120 grep -q 'results go to' "$tmp/err"
	dir=$(results_in "$tmp/r$hosts")
	while [ "$(begun)" -lt "$hosts" ]; do sleep 0.1; done
	from=$(ticks) began=$(uptime_s)
	while [ "$(begun)" -lt $((hosts * (ROUNDS * 2 - 1))) ]; do
		now=$(pss_kib)
		[ "$now" -le "$peak" ] || peak=$now
		sleep 1
	done
	to=$(ticks) ended=$(uptime_s)
	wait "$controller" || fail "the campaign on $hosts hosts failed"
	all_ok_once "$dir" $((hosts * ROUNDS * 2))
	awk -v hosts="$hosts" -v ticks=$((to - from)) -v peak="$peak" \
		-v hz="$(getconf CLK_TCK)" -v began="$began" -v ended="$ended" \
		-v cpu_max=$CPU_MAX -v mib_max=$MIB_MAX '
		BEGIN {
			cpu = 100 * ticks / hz / (ended - began)
			printf "%d hosts: %.2f %% of a core, %.0f MiB, over %.0f s\n",
				hosts, cpu, peak / 1024, ended - began
			exit hosts == 64 && (cpu >= cpu_max || peak / 1024 >= mib_max)
		}'
}

net_need
most=$(printf '%s\n' "$@" | sort -n | tail -n 1)
net_start "$most"
status=0
for hosts; do
	measure "$hosts" || status=1
done
exit $status
