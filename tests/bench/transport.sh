#!/bin/bash
# What one trial costs that does nothing: on a host over SSH, and on this
# machine, beside `ssh HOST true` over a connection that is there already
# (ControlMaster). A trial is asked for, its guest agent started, its result
# sent, checked and made durable before the next one. The host is a namespace
# on this machine with a real sshd.
#
#   tests/bench/transport.sh
#
# B        build directory (build)
# ROUNDS   25: in each all three, in random order
# TRIALS   20: in each of them, an even number
# SEED     of the order; the time when not given
#
# Fails when a remote trial is above 1.5 of `ssh HOST true`.
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash
. tests/netns.sh
on_exit=net_stop
trap 'exit 1' INT TERM HUP
ROUNDS=${ROUNDS:-25}
TRIALS=${TRIALS:-20}
SEED=${SEED:-$(date +%s)}
LIMIT=1.5

# trials HOST: nanoseconds of one, from the first start to the last end.
trials() {
	rm -rf "$tmp/r"
	expect 0 at_controller "$VRUN" "$tmp/m.yaml" -q --hosts "$1" \
		--results "$tmp/r"
	sed -n 's/.*"wall_ns":\([0-9]*\),"mono_ns":\([0-9]*\).*/\1 \2/p' \
		"$(results_in "$tmp/r")/trials.jsonl" |
		awk -v n="$TRIALS" 'NR == 1 { from = $1 } { to = $1 }
			END { printf "%.0f\n", (to - from) / n }'
}

# shellcheck disable=SC2016 # for the shell there
commands='
	from=$(date +%s%N)
	for i in $(seq "$1"); do
		ssh -o ControlPath="$2" h1 true || exit 1
	done
	to=$(date +%s%N)
	echo $(((to - from) / $1))'

figure() {
	case $1 in
	remote) trials h1 ;;
	local) trials local ;;
	ssh) at_controller sh -c "$commands" sh "$TRIALS" "$tmp/master" ;;
	esac
}

net_need
net_start 1
synthetic "$tmp/m.yaml" $((TRIALS / 2))
at_controller ssh -o ControlMaster=yes -o ControlPath="$tmp/master" -fN h1
for round in $(seq 0 "$ROUNDS"); do # the first is not counted
	for what in $(printf 'remote\nlocal\nssh\n' |
		awk -v seed="$SEED$round" 'BEGIN { srand(seed) }
			{ print rand() "\t" $0 }' | sort -n | cut -f2); do
		echo "$round $what $(figure "$what")"
	done
done >"$tmp/runs"
echo "seed $SEED, $ROUNDS rounds"
grep -v '^0 ' "$tmp/runs" >"$tmp/counted"
awk -f tests/bench/order.awk -f tests/bench/transport.awk -v limit=$LIMIT \
	"$tmp/counted"
