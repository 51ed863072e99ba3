#!/bin/bash
# Runs groups of tests and prints the totals: tests/run.sh [GROUP...]
# Groups: unit corpus e2e sanitized (the default is all four), valgrind.
# B is the build directory, SAN_B the one with sanitizers, GUEST the guest image
# (absolute or from the root). `make check` builds what is needed and calls it.
set -u
cd "$(dirname "$0")/.." || exit 1

export B GUEST VRUN_GUEST
B=$(realpath -m "${B:-build}")
SAN_B=$(realpath -m "${SAN_B:-$B/san}")
GUEST=$(realpath -m "${GUEST:-build/guest}")
VRUN_GUEST=$GUEST
LOGS=$B/tests/log
. tests/lib.sh

UNIT_SECONDS=300
E2E_SECONDS=300
# Not under valgrind: its 3.19 has no pidfd_open, by which children are watched,
# holds all threads up while one of them waits in io_uring_enter, and makes long
# double no wider than double; /proc/self/exe is valgrind; thousands of campaigns
# would take it half an hour.
VALGRIND_LEAVES_OUT=' test_block test_calibration test_guest test_load test_qemu_program test_twosample test_watch '

# programs PATTERN: the sources that match, as names of programs.
programs() {
	local f
	for f in $1; do
		[ -e "$f" ] && basename "$f" .c
	done
}

group_unit() {
	local name
	export CMOCKA_MESSAGE_OUTPUT=TAP
	for name in $(programs 'tests/unit/test_*.c'); do
		run_cmocka "unit/${name#test_}" $UNIT_SECONDS \
			"$SAN_B/tests/$name"
	done
}

group_valgrind() {
	local name
	export CMOCKA_MESSAGE_OUTPUT=TAP
	for name in $(programs 'tests/unit/test_*.c'); do
		case $VALGRIND_LEAVES_OUT in
		*" $name "*) continue ;;
		esac
		run_cmocka "valgrind/${name#test_}" $UNIT_SECONDS \
			valgrind -q --error-exitcode=99 --leak-check=full \
			--errors-for-leak-kinds=definite "$B/tests/$name"
	done
}

# Every input that the fuzzers start from or once found.
group_corpus() {
	local name
	for name in $(programs 'tests/fuzz/fuzz_*.c'); do
		run_test "corpus/${name#fuzz_}" 120 "$SAN_B/fuzz/replay_$name" \
			"tests/fuzz/corpus/${name#fuzz_}"
	done
}

# A script may state another limit: a line "# time-out: SECONDS".
limit_of() {
	local seconds
	seconds=$(sed -n 's/^# time-out: \([0-9]*\)$/\1/p' "$1")
	echo "${seconds:-$E2E_SECONDS}"
}

# run_script NAME SCRIPT [NAME=VALUE...]: with a trace, for when it is stopped.
run_script() {
	local name=$1 script=$2
	shift 2
	run_test "$name" "$(limit_of "$script")" env "$@" \
		BASH_ENV="$PWD/tests/trace.bash" TRACE="$LOGS/$name.trace" \
		"$script"
}

group_e2e() {
	local script
	for script in tests/e2e/*.sh; do
		[ -x "$script" ] || continue
		run_script "e2e/$(basename "$script" .sh)" "$script"
	done
}

# Scripts with a line "# with sanitizers, too" run again on such programs. What
# a sanitizer says goes to files, as not every program's output is kept.
group_sanitized() {
	local script name reports=$LOGS/sanitizers
	# A process that bounds its memory has no room for a quarantine.
	export ASAN_OPTIONS=exitcode=99:quarantine_size_mb=8:log_path=$reports/report
	export UBSAN_OPTIONS=print_stacktrace=1:$ASAN_OPTIONS
	for script in tests/e2e/*.sh; do
		grep -qx '# with sanitizers, too' "$script" || continue
		name=sanitized/$(basename "$script" .sh)
		rm -rf "$reports"
		mkdir -p "$reports"
		run_script "$name" "$script" B="$SAN_B"
		if [ -n "$(ls "$reports")" ]; then
			cat "$reports"/* >"$LOGS/$name.reports"
			fail "$name: a sanitizer complained" \
				"$LOGS/$name.reports"
		fi
	done
	unset ASAN_OPTIONS UBSAN_OPTIONS
}

[ $# -gt 0 ] || set -- unit corpus e2e sanitized
for group; do
	"group_$group"
done
totals
