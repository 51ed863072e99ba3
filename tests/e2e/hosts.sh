#!/bin/bash
# Hosts of an inventory over SSH: groups and destinations, rounds that are
# shared out, the hosts side by side, one that is gone, and the view of all.
# with sanitizers, too
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash
. tests/netns.sh
on_exit=net_stop
trap 'exit 1' INT TERM HUP

net_need
net_start 3
mkdir "$tmp/m"
m=$tmp/m/m.yaml
synthetic "$m" 6
cat >"$tmp/m/hosts.yaml" <<-END
	hosts:
	  one: {destination: root@h1, tags: [x]}
	  two: {destination: h2, tags: [x], connect-timeout: 3s}
	  three: {destination: h3, connect-timeout: 3s}
	groups:
	  rack: {tags: [x]}
	  all: [rack, three]
END

# rounds_of DIR HOST: the rounds that it measured.
rounds_of() {
	sed -n 's/.*"event":"finished".*"host":"'"$2"'","block":\([0-9]*\),.*/\1/p
		s/.*"event":"finished".*"block":\([0-9]*\),.*"host":"'"$2"'".*/\1/p' \
		"$1/trials.jsonl" | sort -nu | tr '\n' ' '
}

# --- rounds shared out: each whole on one host ----------------------------
expect 0 at_controller "$VRUN" "$m" --hosts all --set spread=share \
	--results "$tmp/share"
dir=$(results_in "$tmp/share")
all_ok_once "$dir" 12
[ "$(rounds_of "$dir" one)" = '0 3 ' ] || fail "one: $(rounds_of "$dir" one)"
[ "$(rounds_of "$dir" two)" = '1 4 ' ] || fail "two: $(rounds_of "$dir" two)"
[ "$(rounds_of "$dir" three)" = '2 5 ' ] ||
	fail "three: $(rounds_of "$dir" three)"
expect 0 "$VRUN" watch "$dir"
grep -Eq '^two +4/4 +done$' "$tmp/out" || fail 'watch has no line for a host'
tail -n 1 "$tmp/out" | grep -Fq 'is finished: 12 of 12 trials are over' ||
	fail 'watch does not say the end'

# --- every host, every round ----------------------------------------------
expect 0 at_controller "$VRUN" "$m" --hosts rack --results "$tmp/every"
dir=$(results_in "$tmp/every")
all_ok_once "$dir" 24
[ "$(rounds_of "$dir" two)" = '0 1 2 3 4 5 ' ] ||
	fail "two: $(rounds_of "$dir" two)"

# --- on a terminal: a line for each host and one for all -------------------
if command -v script >/dev/null; then
	synthetic "$m" 2 'runtime: 700ms'
	at_controller env TERM=xterm script -qec \
		"stty cols 60 rows 24; '$VRUN' '$m' --hosts all --results '$tmp/tty'" \
		/dev/null </dev/null >"$tmp/out" || fail 'on a terminal'
	grep -Eq '^one   +[0-4]/4 round [12] effect=' "$tmp/out" ||
		fail 'no line for a host'
	grep -Eq '\[#*\.*\] [0-9]+/12' "$tmp/out" || fail 'no line for all'
	synthetic "$m" 6
fi

# --- one host is gone -----------------------------------------------------
host_down 3
expect 1 at_controller "$VRUN" check "$m" --hosts all --results "$tmp/share"
grep -Eq '^one +([0-9]+ warn|ok) +[0-9]' "$tmp/out" || fail 'no row of host one'
grep -Eq '^three +missing' "$tmp/out" || fail 'host three is not missing'
grep -Eq '^warn +three: agent: ' "$tmp/out" || fail 'no reason for host three'
awk 'length > 80 { exit 1 }' "$tmp/out" || fail 'wider than 80 columns'

expect 1 at_controller "$VRUN" "$m" --hosts all --set spread=share \
	--results "$tmp/gone"
dir=$(results_in "$tmp/gone")
[ "$(rounds_of "$dir" three)" = '' ] || fail "three: $(rounds_of "$dir" three)"
[ "$(rounds_of "$dir" one)" = '0 3 ' ] || fail "one: $(rounds_of "$dir" one)"

# It is back: what it left undone is done, though hosts.yaml is not there.
host_up 3
rm "$tmp/m/hosts.yaml"
expect 0 at_controller "$VRUN" resume "$dir"
all_ok_once "$dir" 12
[ "$(rounds_of "$dir" three)" = '2 5 ' ] ||
	fail "three: $(rounds_of "$dir" three)"
