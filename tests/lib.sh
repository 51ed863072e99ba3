# Runs tests one by one, says one line about each and counts them. Sourced by
# tests/run.sh, tests/lint/run.sh and .ci/run; the caller sets LOGS, a
# directory for what the tests print.
# shellcheck shell=bash

LOGS=${LOGS:?}
passed=0 failed=0 skipped=0
expected_skips=$(dirname "${BASH_SOURCE[0]}")/expected-skips

ok() {
	echo "ok $1"
	passed=$((passed + 1))
}

# fail NAME [LOG]: the end of the log follows, indented, and what is in LOG.more.
fail() {
	echo "FAIL $1"
	failed=$((failed + 1))
	[ -z "${2-}" ] || {
		tail -n "${TAIL:-40}" "$2"
		cat "$2.more" 2>/dev/null
	} | sed 's/^/    /'
}

# skip NAME REASON: in CI a skip that nobody expects is a failure.
skip() {
	if [ -n "${CI-}" ] && ! skip_is_expected "$1"; then
		fail "$1: skipped, and not in tests/expected-skips: $2"
		return
	fi
	echo "skip $1: $2"
	skipped=$((skipped + 1))
}

skip_is_expected() {
	sed 's/#.*//' "$expected_skips" | awk '{ print $1 }' | grep -Fqx -- "$1"
}

# began_since SECONDS: the processes that are no older, as a tree, with what each
# of them waits for in the kernel.
began_since() {
	ps --ppid 2 -p 2 -N --forest -o pid,pgid,stat,etimes,wchan:20,args |
		awk -v age="$1" 'NR == 1 || $4 <= age' | cut -c 1-200
}

# last_seen SECONDS: what a test did last, when it was stopped after so long.
last_seen() {
	if [ -s "$trace" ]; then
		echo 'the last lines of the script that it ran:'
		tail -n 20 "$trace" | cut -c 1-200
	fi
	echo "the processes of the last $1 s:"
	began_since "$1"
	echo "stopped after $1 s"
}

# logged NAME SECONDS COMMAND...: sets `log`; the status of the command, 124
# when its time was up (the whole process group is killed then). A script that
# is traced does it to NAME.trace.
logged() {
	local name=$1 seconds=$2 status=0 trace=$LOGS/$1.trace command clock ended
	shift 2
	log=$LOGS/$name.log
	mkdir -p "$(dirname "$log")"
	rm -f "$log.more" "$trace"
	# In the background the signals of a terminal are ignored; not so here.
	env --default-signal=INT,QUIT timeout -k 10 0 "$@" \
		>"$log" 2>&1 </dev/null &
	command=$!
	sleep "$seconds" >/dev/null 2>&1 &
	clock=$!
	wait -n -p ended $command $clock || status=$?
	if [ "$ended" -eq $clock ]; then
		last_seen "$seconds" >"$log.more"
		status=124
	fi
	kill $command $clock 2>/dev/null
	wait $command $clock 2>/dev/null
	return $status
}

# run_test NAME SECONDS COMMAND...: status 77 is a skip, whose reason is the
# last line that was printed.
run_test() {
	local status=0
	logged "$@" || status=$?
	case $status in
	0) ok "$1" ;;
	77) skip "$1" "$(tail -n 1 "$log")" ;;
	*) fail "$1" "$log" ;;
	esac
}

# run_cmocka NAME SECONDS COMMAND...: a program of many tests, each of which
# counts; the program itself only if it died or reported nothing.
run_cmocka() {
	local name=$1 status=0 before=$failed count=0 line
	logged "$@" || status=$?
	if [ $status -eq 77 ]; then
		skip "$name" "$(tail -n 1 "$log")"
		return
	fi
	while read -r line; do
		count=$((count + 1))
		case $line in
		*'# SKIP '*) skip "$name.${line##*# SKIP }" "see $log" ;;
		ok*) ok "$name.${line#* - }" ;;
		*) fail "$name.${line#* - }" ;;
		esac
	done < <(grep -aE '^(not )?ok [0-9]+ ' "$log")
	if [ "$failed" -ne "$before" ]; then
		grep -av '^ok ' "$log" | head -n "${TAIL:-40}" | sed 's/^/    /'
	elif [ $status -ne 0 ] || [ $count -eq 0 ]; then
		fail "$name: status $status after $count tests" "$log"
	fi
}

# run_suite NAME COMMAND...: a command that ends with a line of totals, which
# are added to ours. It prints for itself.
run_suite() {
	local name=$1 status=0 totals
	shift
	log=$LOGS/$name.log
	mkdir -p "$(dirname "$log")"
	"$@" </dev/null 2>&1 | tee "$log"
	status=${PIPESTATUS[0]}
	totals=$(grep -aE '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' \
		"$log" | tail -n 1)
	# shellcheck disable=SC2086 # the words of the line are wanted
	set -- ${totals:-0 passed, 0 failed, 0 skipped}
	passed=$((passed + $1)) failed=$((failed + $3))
	skipped=$((skipped + $5))
	if [ -z "$totals" ] || { [ "$status" -ne 0 ] && [ "$3" -eq 0 ]; }; then
		fail "$name: status $status"
	fi
}

# The last line of every runner; fails if a test did.
totals() {
	echo "$passed passed, $failed failed, $skipped skipped"
	[ $failed -eq 0 ]
}
