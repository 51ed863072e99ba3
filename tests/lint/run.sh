#!/bin/bash
# Runs every rule on the tree, and every rule on an example that breaks it:
# tests/lint/run.sh [RULE...]. `make lint` calls it.
set -u
cd "$(dirname "$0")/../.." || exit 1

export B
B=$(realpath -m "${B:-build}")
LOGS=$B/lint/log
TAIL=200
. tests/lib.sh

[ $# -gt 0 ] || set -- layers headers format length text shell globals \
	environment tidy
for rule; do
	run_test "lint/$rule" 2400 "tests/lint/$rule.sh"
done
for rule; do
	run_test "lint/selftest/$rule" 600 tests/lint/selftest.sh "$rule"
done
totals
