#!/bin/bash
# Host settings: made before each trial as its cell says, read back, and put
# back as they were, however the campaign ends.
# alone: changes settings of the host
# with sanitizers, too
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash

swappiness=/proc/sys/vm/swappiness
thp=/sys/kernel/mm/transparent_hugepage/enabled
if [ ! -w $swappiness ] || [ ! -w $thp ]; then
	skip "needs root and a kernel whose settings it may change"
fi
was="$(cat $swappiness) $(cat $thp)"
put_back() {
	local mode=${was#*[}
	echo "${was%% *}" >$swappiness
	echo "${mode%]*}" >$thp
}
on_exit=put_back

as_before() {
	[ "$(cat $swappiness) $(cat $thp)" = "$was" ]
}

other=$((${was%% *} == 7 ? 8 : 7))
cat >"$tmp/m.yaml" <<EOF
name: settings
host-settings: {sysctl.vm.swappiness: $other, drop-caches: each-trial}
factors: {thp: [always, never, keep]}
fixed: {accel: native}
workloads: [synthetic: {runtime: 200ms}]
compare: {metric: synthetic.value}
design: {rounds: 2, seed: 1}
EOF

# --- made, read back, put back -----------------------------------------

expect 0 "$VRUN" "$tmp/m.yaml" --results "$tmp/a"
says "host-settings  3 host settings can be made"
as_before || fail "the settings are not as before the campaign"
dir=$(results_in "$tmp/a")
for want in '"parameter":"thp","expected":"always","seen":"always"' \
	'"parameter":"thp","expected":"never","seen":"never"' \
	"\"parameter\":\"$swappiness\",\"expected\":\"$other\",\"seen\":\"$other\""; do
	grep -Fq "$want" "$dir/trials.jsonl" || fail "no record has $want"
done

# --- killed: the next agent puts back ----------------------------------

sed 's/200ms/3s/; s/factors:.*/factors: {thp: [always]}/; s/rounds: 2/rounds: 1/' \
	"$tmp/m.yaml" >"$tmp/slow.yaml"
env --default-signal=INT "$VRUN" "$tmp/slow.yaml" --results "$tmp/b" \
	>"$tmp/out" 2>"$tmp/err" </dev/null &
pid=$!
wait_for 20 grep -qx "$other" $swappiness
wait_for 20 compgen -G "$tmp/b/*/hosts.json"
dir=$(results_in "$tmp/b")
wait_for 20 has_lines "$dir/trials.jsonl" 1
agent=$(agent_pid "$dir")
kill -9 "$agent" $pid
wait $pid 2>/dev/null || true
gone "$agent" "the agent"
! as_before || fail "nothing was changed when the agent was killed"
expect 0 "$VRUN" check "$tmp/slow.yaml"
as_before || fail "the next agent did not put the settings back"

# --- what cannot be set is refused before anything runs ----------------

refuses() { # SETTINGS TEXT
	sed "s|^host-settings:.*|host-settings: $1|; s/factors:.*/factors: {cpus: [1]}/" \
		"$tmp/m.yaml" >"$tmp/bad.yaml"
	expect 3 "$VRUN" "$tmp/bad.yaml" --results "$tmp/none"
	says "$2"
	as_before || fail "$1: was refused, but something was changed"
}
refuses '{sysctl.vm.swappiness: lots}' \
	"$swappiness: cannot be set to \"lots\""
refuses '{/sys/kernel/mm/transparent_hugepage/enabled: sometimes}' \
	'(has '
refuses '{/sys/kernel/no/such: 1}' \
	'/sys/kernel/no/such: this host has no such file'
[ ! -e "$tmp/none" ] || [ -z "$(ls "$tmp/none")" ] ||
	fail "a campaign that was refused left results"
