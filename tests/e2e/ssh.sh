#!/bin/bash
# Campaigns on hosts over SSH: real sshd's in namespaces. The same records as
# on this machine; what is copied there, and that it is used again; a user who
# is not root; nothing left behind.
# with sanitizers, too
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash
. tests/netns.sh
on_exit=net_stop
trap 'exit 1' INT TERM HUP

HOSTS=8
net_need
net_user joe
net_start $HOSTS

# records DIR HOST: what was measured there, without times.
records() {
	sed -n 's/.*"event":"finished".*"block":\([0-9]*\).*"position":\([0-9]*\),"cell":\([0-9]*\),"host":"'"$2"'".*"outcome":"\([a-z]*\)".*"value":\([0-9.e+-]*\),.*/\1 \2 \3 \4 \5/p' \
		"$1/trials.jsonl" | sort -n
}

# same_records FILE DIR HOST
same_records() {
	records "$2" "$3" >"$tmp/there"
	cmp -s "$1" "$tmp/there" ||
		fail "$3 has other records: $(diff "$1" "$tmp/there")"
}

# What vrun left on a host.
files_on() {
	find "$tmp/net/$1"/home* "$tmp/net/$1/lib" -path '*/.ssh' -prune -o -type f -print | sort
}

m=$tmp/m.yaml
synthetic "$m" 4
expect 0 at_controller "$VRUN" "$m" --results "$tmp/here.d"
records "$(results_in "$tmp/here.d")" local >"$tmp/here"
[ "$(wc -l <"$tmp/here")" -eq 8 ] || fail "not 8 records: $(cat "$tmp/here")"

# --- two hosts, then eight ----------------------------------------------
expect 0 at_controller "$VRUN" "$m" --hosts h1,h2 --results "$tmp/two"
same_records "$tmp/here" "$(results_in "$tmp/two")" h1
records "$(results_in "$tmp/two")" h2 >"$tmp/second"
all_ok_once "$(results_in "$tmp/two")" 16

# The agent alone was copied: no trial needs the guest image.
files_on h1 >"$tmp/files"
[ "$(grep -c . "$tmp/files")" -eq 1 ] || fail "not one file: $(cat "$tmp/files")"
grep -q 'home/.cache/vrun/agent-[0-9a-f]*/vrun-agent$' "$tmp/files" ||
	fail "it is elsewhere: $(cat "$tmp/files")"
cmp -s "$(cat "$tmp/files")" "$B/vrun-agent" || fail 'it is another agent'
was=$(stat -c '%i %y' "$(cat "$tmp/files")")

eight=$(seq -f h%g -s , $HOSTS)
expect 0 at_controller "$VRUN" "$m" --hosts "$eight" --results "$tmp/eight"
same_records "$tmp/here" "$(results_in "$tmp/eight")" h1
same_records "$tmp/second" "$(results_in "$tmp/eight")" h2
all_ok_once "$(results_in "$tmp/eight")" $((8 * HOSTS))
[ "$was" = "$(stat -c '%i %y' "$(cat "$tmp/files")")" ] ||
	fail 'the agent was copied again'

# --- what was damaged there is copied anew ------------------------------
printf x >>"$(cat "$tmp/files")"
expect 0 at_controller "$VRUN" "$m" --hosts h1 --results "$tmp/damaged"
cmp -s "$(cat "$tmp/files")" "$B/vrun-agent" || fail 'a damaged agent stays'

# --- several campaigns at once, on a host that has nothing yet -----------
rm -rf "$tmp/net/h3/home/.cache"
for i in 1 2 3 4; do
	at_controller "$VRUN" "$m" -q --hosts h3 --results "$tmp/at-once-$i" \
		>"$tmp/log-$i" 2>&1 &
done
for i in 1 2 3 4; do
	wait -n || fail "one of four campaigns at once: $(cat "$tmp"/log-?)"
done
[ "$(files_on h3 | grep -c .)" -eq 1 ] || fail "left: $(files_on h3)"

# --- a user who is not root ----------------------------------------------
expect 0 at_controller "$VRUN" "$m" --hosts joe@h2 --results "$tmp/joe"
same_records "$tmp/here" "$(results_in "$tmp/joe")" joe@h2
find "$tmp/net/h2/home-joe/.cache" ! -user 64001 | grep . &&
	fail 'not all of it belongs to joe'

# --- hosts in network address form, the port as part of it ---------------
printf 'Port 2200\n' >>"$tmp/net/h4/sshd.conf"
host_down 4
host_up 4
address=$(cat "$tmp/net/h4/address")
echo "[$address]:2200 $(cut -d' ' -f1,2 "$tmp/net/h4/host_key.pub")" \
	>>"$tmp/net/c/home/.ssh/known_hosts"
expect 0 at_controller "$VRUN" "$m" --hosts "root@$address:2200" \
	--results "$tmp/address"

# --- killed in the middle: nothing of it stays anywhere -------------------
synthetic "$tmp/long.yaml" 100 'runtime: 10ms'
start_at_controller "$VRUN" "$tmp/long.yaml" --hosts h5,h6 \
	--results "$tmp/killed" >"$tmp/out" 2>"$tmp/err" </dev/null
wait_for 30 grep -q 'results go to' "$tmp/err"
dir=$(results_in "$tmp/killed")
wait_for 30 has_lines "$dir/trials.jsonl" 20
kill -9 "$controller"
wait "$controller" || true
nobody() {
	! ip netns pids "$NET-c" | grep -q .
}
wait_for 20 nobody
expect 0 at_controller "$VRUN" resume "$dir"
all_ok_once "$dir" 400
