#!/bin/bash
# Runs every fuzzer for some seconds, one on each CPU: tests/fuzz/run.sh SECONDS
# The corpus of the tree is read; what is new goes to $B/corpus, and an input
# that fails to $B/findings. `make fuzz` builds them and calls it.
set -u
cd "$(dirname "$0")/../.." || exit 1

seconds=${1:-30}
B=$(realpath -m "${B:-build/fuzzers}")
LOGS=$B/log
. tests/lib.sh

JOBS=$(nproc)
export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1

fuzz_one() {
	local name=$1
	mkdir -p "$B/corpus/$name" "$B/findings/$name" "$LOGS"
	timeout -k 10 $((seconds + 60)) "$B/fuzz/fuzz_$name" \
		-max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
		-max_len=16384 -print_final_stats=1 \
		-artifact_prefix="$B/findings/$name/" \
		"$B/corpus/$name" "tests/fuzz/corpus/$name" \
		>"$LOGS/$name.log" 2>&1 </dev/null
	echo $? >"$LOGS/$name.status"
}

names=$(for f in tests/fuzz/fuzz_*.c; do
	f=${f##*/fuzz_}
	echo "${f%.c}"
done)
for name in $names; do
	while [ "$(jobs -rp | wc -l)" -ge "$JOBS" ]; do
		wait -n
	done
	fuzz_one "$name" &
done
wait

for name in $names; do
	if [ "$(cat "$LOGS/$name.status")" -eq 0 ]; then
		runs=$(sed -n 's/^stat::number_of_executed_units: *//p' \
			"$LOGS/$name.log")
		ok "fuzz/$name ($runs runs)"
	else
		fail "fuzz/$name" "$LOGS/$name.log"
	fi
done
totals
