#!/bin/bash
# The wall clock is set by an hour, both ways, in the middle of campaigns, here
# and on hosts over SSH: no trial is lost, no lease or time-out ends, durations
# are right, and the report says so. Only our own programs see that clock
# (tests/fake/clock.c).
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash
trap 'exit 1' INT TERM HUP
export FAKE_CLOCK=$tmp/ahead
export VRUN_AGENT=$B/tests/dynamic/vrun-agent
[ -e "$VRUN_AGENT" ] || fail "no $VRUN_AGENT; run make tools"
echo 0 >"$FAKE_CLOCK"

# Sets the clock, whole: it may be read at any moment.
set_clock() {
	echo "$1" >"$FAKE_CLOCK.new"
	mv "$FAKE_CLOCK.new" "$FAKE_CLOCK"
}

# finished DIR N: so many records have ended.
finished() {
	[ "$(grep -c '"event":"finished"' "$1/trials.jsonl")" -ge "$2" ]
}

# on_time DIR: every trial took what it takes by each clock but the wall's.
on_time() {
	grep -o '"trial_ns":[0-9]*' "$1/trials.jsonl" | awk -F: '
		$2 < 3e8 || $2 > 60e9 { print "a trial took " $2 " ns"; bad = 1 }
		END { exit bad || NR == 0 }' || fail "durations are wrong"
}

# both_noted DIR: forward and back, with the size.
both_noted() {
	local way
	for way in 'forward by 360[0-9].' 'back by 7[12][0-9][0-9].'; do
		grep -Eq "clock was set $way" "$1/trials.jsonl" ||
			fail "not noted: set $way"
	done
	grep -Fq 'the clock of the host was set in the trial' "$1/trials.jsonl" ||
		fail 'no agent saw it'
	"$VRUN" report "$1" >"$tmp/report"
	tr -s ' \n' ' ' <"$tmp/report" >"$tmp/words"
	grep -Fq "vrun's own clock was set back by" "$tmp/words" ||
		fail "the report does not say it: $(cat "$tmp/report")"
	grep -Fq 'stamps go back' "$tmp/words" ||
		fail "not said of the journal: $(cat "$tmp/report")"
}

# in_order DIR: the analysis goes by the plan's order. The same campaign with
# its stamps taken away gives the same figures.
in_order() {
	local copy=$tmp/copy
	cp -r "$1" "$copy"
	sed -i 's/"wall_ns":[0-9]*/"wall_ns":1/' "$copy/trials.jsonl"
	"$VRUN" report "$1" --format csv >"$tmp/csv"
	"$VRUN" report "$copy" --format csv >"$tmp/csv.copy"
	cmp -s "$tmp/csv" "$tmp/csv.copy" || fail 'figures hang on stamps'
	rm -r "$copy"
}

m=$tmp/m.yaml
synthetic "$m" 6 'runtime: 400ms'

# --- here -----------------------------------------------------------------
LD_PRELOAD=$B/tests/fake_clock.so "$VRUN" "$m" --results "$tmp/here" \
	>"$tmp/out" 2>"$tmp/err" </dev/null &
vrun=$!
wait_for 30 compgen -G "$tmp/here/*/trials.jsonl"
dir=$(results_in "$tmp/here")
wait_for 30 finished "$dir" 3
set_clock 3600
wait_for 30 finished "$dir" 7
set_clock -3600
wait "$vrun" || fail "status $?"
all_ok_once "$dir" 12
[ "$(outcomes "$dir" ok)" -eq 12 ] || fail "attempts that are not ok"
on_time "$dir"
both_noted "$dir"
in_order "$dir"

# A watch that looks on while the clock is set counts by its own.
synthetic "$tmp/long.yaml" 1 'runtime: 6s'
set_clock 0
LD_PRELOAD=$B/tests/fake_clock.so "$VRUN" "$tmp/long.yaml" --results "$tmp/long" \
	>"$tmp/out" 2>"$tmp/err" </dev/null &
vrun=$!
wait_for 30 compgen -G "$tmp/long/*/trials.jsonl"
wait_for 30 has_lines "$(results_in "$tmp/long")/trials.jsonl" 1
LD_PRELOAD=$B/tests/fake_clock.so "$VRUN" watch "$(results_in "$tmp/long")" \
	>"$tmp/watch" 2>&1 </dev/null &
watch=$!
sleep 1
set_clock 3600
wait "$vrun" || fail "status $?"
wait "$watch" || fail "watch: status $?: $(cat "$tmp/watch")"
! grep -Eq '[0-9] ?h|[0-9]{2} ?min|[0-9]{3,} s' "$tmp/watch" ||
	fail "watch counts an hour: $(cat "$tmp/watch")"

# --- hosts over SSH: leases of 10 s, keepalive of 1 s ----------------------
. tests/netns.sh
on_exit=net_stop
[ "$(id -u)" -eq 0 ] || skip 'here it holds; not root, so not tried over SSH'
net_need
net_start 2
set_clock 0
for i in 1 2; do
	echo "SetEnv LD_PRELOAD=$B/tests/fake_clock.so FAKE_CLOCK=$FAKE_CLOCK" \
		>>"$tmp/net/h$i/sshd.conf"
	host_down $i
	host_up $i
done
printf 'Host *\n\tServerAliveInterval 1\n\tServerAliveCountMax 2\n' \
	>>"$tmp/net/c/home/.ssh/config"
mkdir "$tmp/m"
mv "$m" "$tmp/m/m.yaml"
echo 'hosts: {h1: {lease: 10s}, h2: {lease: 10s}}' >"$tmp/m/hosts.yaml"
start_at_controller env LD_PRELOAD="$B/tests/fake_clock.so" "$VRUN" \
	"$tmp/m/m.yaml" --hosts h1,h2 --results "$tmp/there" \
	>"$tmp/out" 2>"$tmp/err" </dev/null
wait_for 30 compgen -G "$tmp/there/*/trials.jsonl"
dir=$(results_in "$tmp/there")
wait_for 60 finished "$dir" 4
set_clock 3600
wait_for 60 finished "$dir" 12
set_clock -3600
wait "$controller" || fail "status $?"
all_ok_once "$dir" 24
[ "$(outcomes "$dir" ok)" -eq 24 ] || fail "attempts that are not ok"
[ "$(grep -c '"utc"' "$dir/hosts.json")" -eq 1 ] || fail 'more than one session'
! grep -q 'connection was lost' "$tmp/err" || fail 'a connection ended'
on_time "$dir"
both_noted "$dir"
in_order "$dir"
