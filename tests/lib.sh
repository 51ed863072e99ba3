# Runs tests one by one, says one line about each and counts them. Sourced by
# tests/run.sh, tests/lint/run.sh and .ci/run; the caller sets LOGS, a
# directory for what the tests print.
# shellcheck shell=bash

LOGS=${LOGS:?}
passed=0 failed=0 skipped=0
took=() # "SECONDS NAME"
queue=() # NAME
declare -A command_of judge_of alone # by name
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

# did_last: the end of the script's trace, up to its trap at EXIT, whose commands
# are in line 1.
did_last() {
	[ ! -s "$trace" ] || {
		echo 'the last lines of the script that it ran:'
		sed '/^+ [0-9]* s, line 1: /,$d' "$trace" | tail -n 20 |
			cut -c 1-200
	}
}

# was_stopped SECONDS: what a test does that has taken so long.
was_stopped() {
	did_last
	echo "the processes of the last $1 s:"
	began_since "$1"
	echo "stopped after $1 s"
}

# logged NAME SECONDS COMMAND...: writes NAME.status: the status of the command,
# 124 when its time was up (the whole process group is killed then), and how
# long it took. A script that is traced does it to NAME.trace.
logged() {
	local name=$1 seconds=$2 status=0 log=$LOGS/$1.log trace=$LOGS/$1.trace
	local command clock ended begin=$SECONDS
	shift 2
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
		was_stopped "$seconds" >"$log.more"
		status=124
	elif [ $status -ne 0 ]; then
		did_last >"$log.more"
	fi
	kill $command $clock 2>/dev/null
	wait $command $clock 2>/dev/null
	echo "$status $((SECONDS - begin))" >"$LOGS/$name.status"
}

# ended NAME: sets `log` and `status` as `logged` left them.
ended() {
	local seconds
	log=$LOGS/$1.log
	read -r status seconds <"$LOGS/$1.status"
	took+=("$seconds $1")
}

# run_test NAME SECONDS COMMAND...: status 77 is a skip, whose reason is the
# last line that was printed.
run_test() {
	logged "$@"
	judge_test "$1"
}

judge_test() {
	local status
	ended "$1"
	case $status in
	0) ok "$1" ;;
	77) skip "$1" "$(tail -n 1 "$log")" ;;
	*) fail "$1" "$log" ;;
	esac
}

# run_cmocka NAME SECONDS COMMAND...: a program of many tests, each of which
# counts; the program itself only if it died or reported nothing.
run_cmocka() {
	logged "$@"
	judge_cmocka "$1"
}

judge_cmocka() {
	local name=$1 status before=$failed count=0 line
	ended "$name"
	if [ "$status" -eq 77 ]; then
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
	elif [ "$status" -ne 0 ] || [ $count -eq 0 ]; then
		fail "$name: status $status after $count tests" "$log"
	fi
}

# later JUDGE NAME SECONDS COMMAND...: for run_queue, which hands the name to
# JUDGE when it has run. What is in `alone` runs after the others, by itself.
later() {
	local name=$2
	queue+=("$name")
	judge_of[$name]=$1
	shift
	command_of[$name]=$(printf '%q ' "$@")
	rm -f "$LOGS/$name.status"
}

# run_queue JOBS: so many at once; the lines come in the order of the queue,
# those that run alone last.
run_queue() {
	local name jobs=$1 next=0 order=() last=()
	for name in "${queue[@]}"; do
		if [ -n "${alone[$name]-}" ]; then
			last+=("$name")
		else
			order+=("$name")
		fi
	done
	order+=("${last[@]}")
	for name in "${order[@]}"; do
		[ -z "${alone[$name]-}" ] || jobs=1
		while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
			wait -n
			judge_ended
		done
		eval "logged ${command_of[$name]}" &
	done
	while [ -n "$(jobs -rp)" ]; do
		judge_ended
		wait -n
	done
	judge_ended
	for name in "${order[@]:next}"; do
		fail "$name: ended without a status"
	done
	queue=()
}

# The next ones in order that have ended.
judge_ended() {
	while [ "$next" -lt ${#order[@]} ] &&
		[ -s "$LOGS/${order[next]}.status" ]; do
		"${judge_of[${order[next]}]}" "${order[next]}"
		next=$((next + 1))
	done
}

# run_suite NAME COMMAND...: a command that ends with a line of totals, which
# are added to ours. It prints for itself.
run_suite() {
	local name=$1 log=$LOGS/$1.log
	shift
	mkdir -p "$(dirname "$log")"
	"$@" </dev/null 2>&1 | tee "$log"
	judge_suite "$name" "${PIPESTATUS[0]}"
}

# judge_suite NAME STATUS: of one that has printed to its log.
judge_suite() {
	local name=$1 status=$2 log=$LOGS/$1.log totals seconds test
	while read -r _ seconds _ test; do
		took+=("$seconds $test")
	done < <(grep -a '^slow: ' "$log")
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

# The ten tests that took longest, of those that took a second.
slowest() {
	printf '%s\n' "${took[@]}" | sort -rn | awk '
		$1 > 0 && NR <= 10 { print "slow: " $1 " s " $2 }'
}

# The last line of every runner; fails if a test did.
totals() {
	slowest
	echo "$passed passed, $failed failed, $skipped skipped"
	[ $failed -eq 0 ]
}
