#!/bin/bash
# What must happen when agents die, lie or never stop talking, and when the
# disk is full.
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash

m=$tmp/m.yaml

# --- agents that break the protocol ------------------------------------

# script, outcome of the attempt, a word of its reason
while read -r script outcome reason; do
	synthetic "$m" 2
	VRUN_AGENT=$FAKE VRUN_FAKE=$script expect 0 "$VRUN" "$m" \
		--results "$tmp/$script"
	dir=$(results_in "$tmp/$script")
	all_ok_once "$dir" 4
	[ "$(outcomes "$dir" "$outcome")" -ge 1 ] ||
		fail "$script: no attempt is $outcome"
	grep -q "$reason" "$dir/trials.jsonl" || fail "$script: no \"$reason\""
	grep -q "$outcome" "$dir/report.txt" ||
		fail "$script: the report is silent about it"
done <<'EOF'
dying@1! lost status 3, saying: fake agent: no more
killed@1! lost killed by signal 9
truncated@1! lost in the middle of a message
garbage@1! failed not the protocol
zeros@1! failed not the protocol
endless@1! failed more than 4096 answers
not-json@1! failed bad JSON
wrong-id@1! failed not open
bad-result@1! failed outcome
lost@1! failed only vrun
error@1! failed the script says no
failed@1! failed the script says so
invalid@1! invalid the script says so
EOF

# An agent that always dies: the host is given up, what was measured is kept,
# and the rest can be had later.
synthetic "$m" 2
VRUN_AGENT=$FAKE VRUN_FAKE=dying@3 expect 1 "$VRUN" "$m" --results "$tmp/dead"
says 'host local is given up'
dir=$(results_in "$tmp/dead")
[ "$(outcomes "$dir" ok)" -eq 3 ] || fail "finished trials are gone"
expect 0 "$VRUN" resume "$dir"
all_ok_once "$dir" 4

# Nothing that an agent says reaches the terminal raw.
VRUN_AGENT=$FAKE VRUN_FAKE=escape@1! expect 0 "$VRUN" "$m" --results "$tmp/esc"
says '?]0;owned?'
for f in "$tmp/out" "$tmp/err" "$(results_in "$tmp/esc")"/report.{txt,md}; do
	! LC_ALL=C grep -aqP '[^\n\t\x20-\x7e\x80-\xff]|\xc2[\x80-\x9f]|\xe2\x80\xae' \
		"$f" || fail "$f: a control character came through"
done

VRUN_AGENT=$FAKE VRUN_FAKE=stillborn expect 1 "$VRUN" "$m" --results "$tmp/x"
says 'host local' 'ended with status 7'
VRUN_AGENT=$FAKE VRUN_FAKE=old expect 1 "$VRUN" "$m" --results "$tmp/x"
says 'version 0'
VRUN_AGENT=/bin/cat expect 1 "$VRUN" "$m" --results "$tmp/x"
says 'host local'
[ ! -e "$tmp/x" ] || fail "a campaign was made without a host"

# --- kill -9 of the real agent -----------------------------------------

synthetic "$m" 3 'runtime: 300ms'
"$VRUN" "$m" --results "$tmp/agent" >"$tmp/out" 2>"$tmp/err" </dev/null &
pid=$!
wait_for 10 compgen -G "$tmp/agent/*/trials.jsonl"
dir=$(results_in "$tmp/agent")
wait_for 10 has_lines "$dir/trials.jsonl" 3
kill -9 "$(agent_pid "$dir")"
wait $pid || fail "a new agent did not make up for the one that was killed"
all_ok_once "$dir" 6
[ "$(outcomes "$dir" lost)" -eq 1 ] || fail "not one trial was lost"
says 'killed by signal 9'

# --- a limit on the size of files is a full disk, too --------------------

synthetic "$m" 60
(ulimit -f 68 && expect 4 "$VRUN" "$m" --results "$tmp/limit") || exit 1
says 'trials.jsonl: trial ' 'File too large; `ulimit -f' 'go on with: vrun resume '
dir=$(results_in "$tmp/limit")
expect 0 "$VRUN" resume "$dir"
all_ok_once "$dir" 120

# --- a full disk -------------------------------------------------------

[ "$(id -u)" -eq 0 ] || skip "mounting a small file system needs root"
mkdir "$tmp/small"
mount -t tmpfs -o size=80m none "$tmp/small" 2>/dev/null ||
	skip "mounting is not allowed here: no full disk"
on_exit="umount $tmp/small"
synthetic "$m" 200 'runtime: 10ms'
"$VRUN" "$m" --results "$tmp/small/r" >"$tmp/out" 2>"$tmp/err" </dev/null &
pid=$!
wait_for 10 compgen -G "$tmp/small/r/*/trials.jsonl"
dir=$(results_in "$tmp/small/r")
wait_for 10 has_lines "$dir/trials.jsonl" 20
dd if=/dev/zero of="$tmp/small/ballast" bs=64k status=none 2>/dev/null || true
status=0
wait $pid || status=$?
[ $status -eq 4 ] || fail "status $status, not 4, on a full disk"
says 'No space left on device'
before=$(outcomes "$dir" ok)
[ "$before" -ge 9 ] || fail "records went away"
expect 4 "$VRUN" resume "$dir"
[ "$(outcomes "$dir" ok)" -eq "$before" ] || fail "a full disk cost records"
rm "$tmp/small/ballast"
expect 0 "$VRUN" resume "$dir"
all_ok_once "$dir" 400
