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

# For what hangs: a busy machine needs a multiple of what an idle one does.
UNIT_SECONDS=300
E2E_SECONDS=600
CPUS=$(nproc)
# Scripts wait more than they compute.
E2E_JOBS=${E2E_JOBS:-$((CPUS + 1))}
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
		later judge_cmocka "unit/${name#test_}" $UNIT_SECONDS \
			"$SAN_B/tests/$name"
	done
	run_queue "$CPUS"
}

group_valgrind() {
	local name
	export CMOCKA_MESSAGE_OUTPUT=TAP
	for name in $(programs 'tests/unit/test_*.c'); do
		case $VALGRIND_LEAVES_OUT in
		*" $name "*) continue ;;
		esac
		later judge_cmocka "valgrind/${name#test_}" $UNIT_SECONDS \
			valgrind -q --error-exitcode=99 --leak-check=full \
			--errors-for-leak-kinds=definite "$B/tests/$name"
	done
	run_queue "$CPUS"
}

# Every input that the fuzzers start from or once found.
group_corpus() {
	local name
	for name in $(programs 'tests/fuzz/fuzz_*.c'); do
		later judge_test "corpus/${name#fuzz_}" 120 \
			"$SAN_B/fuzz/replay_$name" \
			"tests/fuzz/corpus/${name#fuzz_}"
	done
	run_queue "$CPUS"
}

# later_script JUDGE NAME SCRIPT [NAME=VALUE...]: with a trace, for when it is
# stopped. A line "# alone: WHY" in the script keeps it from running beside
# others.
later_script() {
	local judge=$1 name=$2 script=$3
	shift 3
	alone[$name]=$(sed -n 's/^# alone: //p' "$script")
	later "$judge" "$name" $E2E_SECONDS env "$@" \
		BASH_ENV="$PWD/tests/trace.bash" TRACE="$LOGS/$name.trace" \
		"$script"
}

# Both groups of scripts run in one queue.
group_e2e() {
	local script
	for script in tests/e2e/*.sh; do
		[ -x "$script" ] || continue
		later_script judge_test "e2e/$(basename "$script" .sh)" "$script"
	done
}

# Scripts with a line "# with sanitizers, too" run again on such programs. What
# a sanitizer says goes to files, as not every program's output is kept.
group_sanitized() {
	local script name reports asan
	for script in tests/e2e/*.sh; do
		grep -qx '# with sanitizers, too' "$script" || continue
		name=sanitized/$(basename "$script" .sh)
		reports=$LOGS/$name.reports
		rm -rf "$reports"
		mkdir -p "$reports"
		# A process that bounds its memory has no room for a quarantine.
		asan=exitcode=99:quarantine_size_mb=8:log_path=$reports/report
		later_script judge_sanitized "$name" "$script" B="$SAN_B" \
			ASAN_OPTIONS="$asan" \
			UBSAN_OPTIONS="print_stacktrace=1:$asan"
	done
}

judge_sanitized() {
	local reports=$LOGS/$1.reports
	judge_test "$1"
	if [ -n "$(ls "$reports")" ]; then
		cat "$reports"/* >"$reports.all"
		fail "$1: a sanitizer complained" "$reports.all"
	fi
}

[ $# -gt 0 ] || set -- unit corpus e2e sanitized
for group; do
	"group_$group"
done
run_queue "$E2E_JOBS"
totals
