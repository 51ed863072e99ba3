# What the tests of campaigns share. Sourced; the caller is in the root of the
# tree. Sets B, VRUN, FAKE and tmp, a directory that is removed at the end.
# shellcheck shell=bash

B=$(realpath "${B:-build}")
export GUEST
GUEST=$(realpath -m "${GUEST:-build/guest}")
export VRUN=$B/vrun
export FAKE=$B/tests/fake_agent
NAME=$(basename "$0" .sh)
export TERM=dumb LC_ALL=C VRUN_GUEST=$GUEST

tmp=$(mktemp -d)
on_exit=:
trap '$on_exit; rm -rf "$tmp"' EXIT

fail() {
	echo "$NAME: $*"
	[ ! -s "$tmp/err" ] || sed 's/^/    stderr: /' "$tmp/err" | tail -n 20
	[ ! -s "$tmp/out" ] || sed 's/^/    stdout: /' "$tmp/out" | tail -n 20
	exit 1
}

skip() {
	echo "$*"
	exit 77
}

# expect STATUS COMMAND...: what it prints is in $tmp/out and $tmp/err.
expect() {
	local want=$1 got=0
	shift
	"$@" >"$tmp/out" 2>"$tmp/err" </dev/null || got=$?
	[ $got -eq "$want" ] || fail "status $got, not $want: $*"
}

# says TEXT...: each stands somewhere on standard error.
says() {
	local text
	for text; do
		grep -Fq -- "$text" "$tmp/err" || fail "does not say: $text"
	done
}

# synthetic FILE ROUNDS [LINE...]: a matrix of two cells without a VM; the
# lines go to its workload.
synthetic() {
	local file=$1 rounds=$2
	shift 2
	cat >"$file" <<-EOF
		name: test
		factors: {effect: [0, 0.05]}
		fixed: {accel: native}
		workloads:
		  - synthetic:
		      mean: 100
		      cv: 1%
	EOF
	printf '      %s\n' "$@" | sed '/^ *$/d' >>"$file"
	cat >>"$file" <<-EOF
		compare:
		  metric: synthetic.value
		  baseline: {effect: 0}
		design: {rounds: $rounds, seed: 7}
		retries: 2
	EOF
}

# The one results directory under DIR.
results_in() {
	local dirs=("$1"/*/)
	if [ ${#dirs[@]} -ne 1 ] || [ ! -d "${dirs[0]}" ]; then
		fail "$1 has not one campaign: ${dirs[*]}"
	fi
	echo "${dirs[0]%/}"
}

# outcomes DIR OUTCOME: how many finished records have it.
outcomes() {
	grep -c "\"event\":\"finished\".*\"outcome\":\"$2\"" \
		"$1/trials.jsonl" || true
}

# all_ok_once DIR TRIALS: every trial was ok exactly once, none goes on after
# it was, and every attempt that ended had begun.
all_ok_once() {
	sed -n 's/^{"v":1,"event":"\([a-z]*\)","trial":\([0-9]*\),"attempt":\([0-9]*\),.*/\1 \2 \3 &/p' \
		"$1/trials.jsonl" | awk -v trials="$2" '
		ok[$2] { print "trial " $2 " goes on after it was ok"; bad = 1 }
		$1 == "started" { open[$2] = $3 }
		$1 == "finished" && open[$2] != $3 {
			print "trial " $2 " attempt " $3 " ends unbegun"
			bad = 1
		}
		$1 == "finished" && /"outcome":"ok"/ { ok[$2] = 1; n++ }
		END {
			if (n != trials) {
				print n + 0 " trials are ok, not " trials
				bad = 1
			}
			exit bad
		}' || fail "$1/trials.jsonl is not what it should be"
}

# gone PID WHAT: it ends within some seconds.
gone() {
	local i
	for ((i = 0; i < 100; i++)); do
		kill -0 "$1" 2>/dev/null || return 0
		sleep 0.1
	done
	fail "$2 (process $1) is still there"
}

# wait_for SECONDS COMMAND...: until it succeeds.
wait_for() {
	local i n=$(($1 * 20))
	shift
	for ((i = 0; i < n; i++)); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.05
	done
	fail "waited in vain for: $*"
}

# The agent of the last session of a campaign.
agent_pid() {
	sed -n 's/.*"pid": *\([0-9]*\).*/\1/p' "$1/hosts.json" | tail -n 1
}

has_lines() {
	[ -e "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]
}
