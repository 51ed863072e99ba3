#!/bin/bash
# The runner of the tests itself: what it counts, what it says, when it fails.
# time-out: 60
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
! run "run_test slow 1 env BASH_ENV=$PWD/tests/trace.bash \
	TRACE=$tmp/log/slow.trace $tmp/hangs.sh" ||
	refuse 'a script that never ends passes'
says '    hBc'
grep -q '^    + [01] s, line 3: sleep 20$' "$tmp/out" ||
	refuse 'no word of where the script was'
[ -z "$(pgrep -f "$tmp/hangs.sh")" ] || refuse 'it goes on'
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

# Suites inside suites.
run 'run_suite s printf "3 passed, 0 failed, 1 skipped\n"' || refuse 'suite'
says '3 passed, 0 failed, 1 skipped'
! run 'run_suite s sh -c "echo 3 passed, 0 failed, 0 skipped; exit 2"' ||
	refuse 'a suite that dies after its totals passes'
! run 'run_suite s echo nothing' || refuse 'a suite without totals passes'

# CI takes no argument, and asking for help is not running it.
.ci/run --help >"$tmp/out" || refuse '.ci/run has no help'
says 'Usage: .ci/run'
status=0
.ci/run lint >"$tmp/out" 2>&1 || status=$?
[ $status -eq 2 ] || refuse ".ci/run lint: status $status"
says 'Usage: .ci/run'
