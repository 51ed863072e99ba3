#!/bin/bash
# The results directory of a campaign on a host over SSH: one that gets full
# ends it with status 4, and what the host measured is collected later; a second
# vrun on it is refused before it reaches the host.
# with sanitizers, too
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash
. tests/netns.sh
trap 'exit 1' INT TERM HUP
mounted=
clean() {
	net_stop
	[ -z "$mounted" ] || umount "$mounted"
}
on_exit=clean

net_need
net_start 1
m=$tmp/m.yaml

# begin RESULTS: a campaign on h1 that has measured something; sets dir.
begin() {
	start_at_controller "$VRUN" "$m" --hosts h1 --results "$1" \
		>"$tmp/out1" 2>"$tmp/err1" </dev/null
	wait_for 30 compgen -G "$1/*/trials.jsonl"
	dir=$(results_in "$1")
	wait_for 30 has_lines "$dir/trials.jsonl" 9
}

ends() {
	local status=0
	wait "$controller" || status=$?
	cat "$tmp/out1" >"$tmp/out"
	cat "$tmp/err1" >"$tmp/err"
	[ $status -eq "$1" ] || fail "status $status, not $1"
}

# --- full --------------------------------------------------------------------

mkdir "$tmp/small"
mount -t tmpfs -o size=80m none "$tmp/small" 2>/dev/null ||
	skip 'mounting is not allowed here: no full disk'
mounted=$tmp/small
synthetic "$m" 100 'runtime: 50ms'
begin "$tmp/small/r"
dd if=/dev/zero of="$tmp/small/ballast" bs=64k status=none 2>/dev/null || true
ends 4
says 'No space left on device'
before=$(outcomes "$dir" ok)
[ "$before" -ge 4 ] || fail 'records went away'

# Nothing is cut but, at most, the line that found no room.
sed '$!b;/}$/!d' "$dir/trials.jsonl" | jq -e .event >/dev/null ||
	fail 'a record is no JSON'
expect 4 at_controller "$VRUN" resume "$dir"
[ "$(outcomes "$dir" ok)" -eq "$before" ] || fail 'a full disk cost records'

# What was measured when there was no room for it was kept on the host.
begun=$(grep '}$' "$dir/trials.jsonl" | tail -n 1 | grep -c '"started"' || true)
rm "$tmp/small/ballast"
expect 0 at_controller "$VRUN" resume "$dir"
[ "$begun" -eq 0 ] || says 'host h1 has the trial that was under way'
all_ok_once "$dir" 200
[ "$(outcomes "$dir" lost)" -eq 0 ] || fail 'a full disk cost a trial'
(cd "$dir" && sha256sum --quiet -c MANIFEST.sha256) || fail 'the manifest lies'

# --- two ---------------------------------------------------------------------

synthetic "$m" 10 'runtime: 200ms'
begin "$tmp/two"
for command in resume report; do
	sessions=$(grep -c 'Accepted publickey' "$tmp/net/h1/sshd.log")
	status=0
	at_controller "$VRUN" $command "$dir" >"$tmp/out" 2>"$tmp/err" \
		</dev/null || status=$?
	case $command.$status in
	resume.4) says "is in use by vrun, process " ;;
	report.0 | report.1) ;; # it only reads
	*) fail "status $status: $command" ;;
	esac
	[ "$(grep -c 'Accepted publickey' "$tmp/net/h1/sshd.log")" \
		-eq "$sessions" ] || fail "$command reached the host"
done
ends 0
all_ok_once "$dir" 20
[ "$(grep -c '"event":"started"' "$dir/trials.jsonl")" -eq 20 ] ||
	fail 'the second one disturbed a trial'
