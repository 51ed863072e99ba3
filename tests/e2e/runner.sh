#!/bin/bash
# The runner of the tests itself: what it counts, what it says, when it fails.
set -eu
cd "$(dirname "$0")/../.."

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# run [NAME=VALUE...] CODE: the code with the library of the runner.
run() {
	env -u CI LOGS="$tmp/log" "${@:1:$#-1}" \
		bash -c ". tests/lib.sh; ${*: -1}; totals" >"$tmp/out" 2>&1
}

# says TEXT: a whole line of what it printed.
says() {
	grep -Fqx -- "$1" "$tmp/out" || {
		printf 'no line "%s" in:\n' "$1"
		cat "$tmp/out"
		exit 1
	}
}

refuse() {
	echo "$1"
	cat "$tmp/out"
	exit 1
}

run 'run_test a 5 true' || refuse 'a test that passes fails'
says 'ok a'
says '1 passed, 0 failed, 0 skipped'

! run 'run_test a 5 sh -c "echo why; exit 3"' || refuse 'a failure passes'
says 'FAIL a'
says '    why'
says '0 passed, 1 failed, 0 skipped'

! run 'run_test slow 1 sleep 20' || refuse 'what never ends passes'
says '    stopped after 1 s'
grep -q '^    .* sleep 20$' "$tmp/out" ||
	refuse 'no word of the process that does not end'

# What it says of a script that hangs: where, and in which process.
cat >"$tmp/hangs.sh" <<-'END'
	#!/bin/bash
	hang() {
		sleep 20
	}
	bash -c 'echo $-'
	hang
END
chmod +x "$tmp/hangs.sh"
! run "run_test slow 5 env BASH_ENV=$PWD/tests/trace.bash \
	TRACE=$tmp/log/slow.trace $tmp/hangs.sh" ||
	refuse 'a script that never ends passes'
says '    hBc'
grep -q '^    + [0-9] s, line 3: sleep 20$' "$tmp/out" ||
	refuse 'no word of where the script was'
[ -z "$(pgrep -f "$tmp/hangs.sh")" ] || refuse 'it goes on'

# And of one that ends at a command that fails, without a word.
cat >"$tmp/ends.sh" <<-'END'
	#!/bin/bash
	set -e
	trap 'echo "cleans up"' EXIT
	grep -q x /dev/null
END
chmod +x "$tmp/ends.sh"
! run "run_test ends 9 env BASH_ENV=$PWD/tests/trace.bash \
	TRACE=$tmp/log/ends.trace $tmp/ends.sh" || refuse 'a failure passes'
grep ', line [0-9]*: ' "$tmp/out" | tail -n 1 |
	grep -q '^    + [0-9]* s, line 4: grep -q x /dev/null$' ||
	refuse 'no word of where the script ended'
! run 'run_test slow 5 false' || refuse 'a failure passes'
! grep -q 'stopped after' "$tmp/out" || refuse 'what was before is said again'

# The signals of a terminal are not ignored, as they are in the background.
! run 'run_test int 5 bash -c "kill -INT \$\$"' || refuse 'SIGINT is ignored'

run 'run_test s 5 sh -c "echo no KVM; exit 77"' || refuse 'a skip fails'
says 'skip s: no KVM'
says '0 passed, 0 failed, 1 skipped'

! run CI=true 'run_test s 5 sh -c "echo no KVM; exit 77"' ||
	refuse 'CI takes a skip that nobody expects'
says 'FAIL s: skipped, and not in tests/expected-skips: no KVM'

# Programs of many tests, as cmocka prints them.
run 'run_cmocka u 5 printf "1..2\nok 1 - x\nok 2 - y\n"' || refuse 'ok fails'
says 'ok u.x'
says '2 passed, 0 failed, 0 skipped'

! run 'run_cmocka u 5 printf "ok 1 - x\nnot ok 2 - y\n# because\n"' ||
	refuse 'not ok passes'
says 'FAIL u.y'
says '    # because'
says '1 passed, 1 failed, 0 skipped'

! run 'run_cmocka u 5 sh -c "echo ok 1 - x; kill -SEGV \$\$"' ||
	refuse 'a program that dies after its tests passes'
! run 'run_cmocka u 5 true' || refuse 'a program without tests passes'

# Suites inside suites, with the tests that were slow there.
run 'run_suite s printf "slow: 7 s x/y\n3 passed, 0 failed, 1 skipped\n"' ||
	refuse 'a suite with a slow test'
says 'slow: 7 s x/y'
run 'run_suite s printf "3 passed, 0 failed, 1 skipped\n"' || refuse 'suite'
says '3 passed, 0 failed, 1 skipped'
! run 'run_suite s sh -c "echo 3 passed, 0 failed, 0 skipped; exit 2"' ||
	refuse 'a suite that dies after its totals passes'
! run 'run_suite s echo nothing' || refuse 'a suite without totals passes'

# Side by side: a and d meet; z, which is alone, comes when they have ended. The
# lines are in order, the totals exact.
mkfifo "$tmp/meet"
! run "alone[z]=1
	later judge_test z 20 test -e $tmp/ended
	later judge_test a 20 sh -c 'echo >$tmp/meet'
	later judge_test b 20 sh -c 'sleep 0.1; exit 3'
	later judge_cmocka c 20 printf 'ok 1 - x\nok 2 - y\n'
	later judge_test d 20 sh -c 'read -r _ <$tmp/meet; sleep 0.1; >$tmp/ended'
	later judge_test e 20 sh -c 'echo no KVM; exit 77'
	later judge_test f 1 sleep 20
	run_queue 4" || refuse 'a failure side by side passes'
[ "$(grep -oE '^(ok|FAIL|skip) [a-z.]+' "$tmp/out" | tr '\n' ' ')" = \
	'ok a FAIL b ok c.x ok c.y ok d skip e FAIL f ok z ' ] || refuse 'order'
says '    stopped after 1 s'
grep -q '^slow: [0-9]* s f$' "$tmp/out" || refuse 'not said to be slow'
says '5 passed, 2 failed, 1 skipped'
! run "later judge_test a 9 sh -c 'kill -9 \$(ps -o ppid= -p \$PPID)'
	run_queue 2" || refuse 'a test that never ended passes'
says 'FAIL a: ended without a status'

# CI takes no argument, and asking for help is not running it.
.ci/run --help >"$tmp/out" || refuse '.ci/run has no help'
says 'Usage: .ci/run'
status=0
.ci/run lint >"$tmp/out" 2>&1 || status=$?
[ $status -eq 2 ] || refuse ".ci/run lint: status $status"
says 'Usage: .ci/run'

# CI counts all its steps, those beside the tests, too: with a make that does
# nothing but say so. FAILS is the target that does.
mkdir "$tmp/bin" "$tmp/ci"
cat >"$tmp/bin/make" <<-'END'
	#!/bin/bash
	echo "make $*" >>"$MADE"
	[ "${!#}" = "$FAILS" ] && echo "0 passed, 1 failed, 0 skipped" && exit 1
	echo "slow: 9 s ${!#}/test"
	echo "2 passed, 0 failed, 1 skipped"
END
chmod +x "$tmp/bin/make"
# ci FAILS: sets status; what it printed is in $tmp/out.
ci() {
	status=0
	: >"$tmp/made"
	env MADE="$tmp/made" FAILS="$1" TMPDIR="$tmp/ci" PATH="$tmp/bin:$PATH" \
		.ci/run >"$tmp/out" 2>&1 </dev/null || status=$?
	[ "$(tail -n 1 "$tmp/out")" = "$2" ] || refuse ".ci/run: not $2"
	[ -z "$(ls "$tmp/ci")" ] || refuse ".ci/run leaves $(ls "$tmp/ci")"
}
ci none '11 passed, 0 failed, 4 skipped'
[ $status -eq 0 ] || refuse ".ci/run: status $status"
for target in lint check valgrind fuzz; do
	says "slow: 9 s $target/test"
	grep -q " $target\$" "$tmp/made" || refuse ".ci/run does not make $target"
done
grep -q ' WERROR=1 clang-programs$' "$tmp/made" || refuse 'clang builds nothing'
for target in lint check; do
	ci $target '9 passed, 1 failed, 3 skipped'
	[ $status -eq 1 ] || refuse ".ci/run: status $status, $target fails"
done
ci clang-programs '10 passed, 1 failed, 4 skipped'
[ $status -eq 1 ] || refuse ".ci/run: status $status when clang fails"
