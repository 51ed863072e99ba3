#!/bin/bash
# vrun plan and vrun help: equal bytes for equal input, every shipped matrix
# has a plan, no host is touched and no file is left; options and overrides
# mean what they say.
set -eu
cd "$(dirname "$0")/../.."
B=$(realpath "${B:-build}")
VRUN=$B/vrun

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

fail() {
	echo "plan.sh: $*"
	exit 1
}

# says TEXT COMMAND...: it succeeds and its output holds TEXT.
says() {
	local text=$1
	shift
	"$@" >"$tmp/out" 2>"$tmp/err" || fail "$*: $(cat "$tmp/err")"
	grep -Fq -- "$text" "$tmp/out" ||
		fail "$*: '$text' expected in: $(cat "$tmp/out")"
}

plan() {
	"$VRUN" plan matrices/hugetlb.yaml "$@"
}

equal_input_gives_equal_bytes() {
	plan --seed 7 --json >"$tmp/a"
	plan --seed 7 --json >"$tmp/b"
	(cd matrices && "$VRUN" plan hugetlb.yaml --seed 7 --json) >"$tmp/c"
	cmp "$tmp/a" "$tmp/b" || fail 'the same seed, other bytes'
	cmp "$tmp/a" "$tmp/c" || fail 'another directory, other bytes'
	plan --seed 8 --json >"$tmp/d"
	! cmp -s "$tmp/a" "$tmp/d" || fail 'another seed, the same bytes'
}

# The id hashes the rest: any SHA-256 over the canonical form agrees.
the_id_is_a_hash_of_the_rest() {
	local id
	plan --seed 7 --json >"$tmp/a"
	id=$(sed -n 's/.*"id":"\([0-9a-f]*\)".*/\1/p' "$tmp/a")
	[ "$(sed 's/"id":"[0-9a-f]*",//' "$tmp/a" | tr -d '\n' | sha256sum |
		cut -d' ' -f1)" = "$id" ] || fail "the id is not the hash: $id"
}

without_a_seed_one_is_drawn() {
	plan --json >"$tmp/a"
	plan --json >"$tmp/b"
	! cmp -s "$tmp/a" "$tmp/b" || fail 'two plans with one drawn seed'
}

every_matrix_has_a_plan() {
	local m
	for m in matrices/*.yaml; do
		says 'Cells' "$VRUN" plan "$m"
		! grep -Fq Notes "$tmp/out" || fail "$m: has notes"
	done
}

overrides_are_heard() {
	says '6 trials' plan --rounds 3
	says 'seed 5 ' plan -s 5
	says 'backing=thp' plan --set 'factors.backing=[4k, thp]'
	says '"memory":1073741824' plan --set memory=1G --json
	says 'on 2 hosts' plan --hosts a,b
	says '20 trials in 20 boots: ' plan
	says 'at 3s a boot' plan
	says '10 trials: 10 rounds of 1 cell' plan --set accel=native
	! grep -q 'boot\|\[' "$tmp/out" || fail "a boot without a VM: $(cat "$tmp/out")"
}

nothing_is_touched() {
	mkdir "$tmp/empty"
	cp matrices/hugetlb.yaml "$tmp/m.yaml"
	(cd "$tmp/empty" && PATH='' HOME=/nonexistent "$VRUN" plan \
		"$tmp/m.yaml" >/dev/null) || fail 'needs more than its file'
	[ -z "$(ls -A "$tmp/empty")" ] || fail 'left a file'
}

help_knows_its_topics() {
	local topic
	says 'Usage: vrun' "$VRUN" help
	says '--seed' "$VRUN" help plan
	says 'hugetlb-2M' "$VRUN" help matrix
	says '"vrun matrix"' "$VRUN" help schema
	for topic in run plan check resume report analyze help man bash zsh; do
		"$VRUN" help $topic >"$tmp/out" || fail "help $topic"
		[ -s "$tmp/out" ] || fail "help $topic: says nothing"
	done
	! "$VRUN" help nonsense 2>"$tmp/err" || fail 'knows nonsense'
	grep -Fq 'no topic "nonsense" (have run plan' "$tmp/err" ||
		fail "$(cat "$tmp/err")"
}

a_full_disk_is_an_error() {
	[ -w /dev/full ] || return 0
	! plan >/dev/full 2>"$tmp/err" || fail 'wrote to a full disk'
}

equal_input_gives_equal_bytes
the_id_is_a_hash_of_the_rest
without_a_seed_one_is_drawn
every_matrix_has_a_plan
overrides_are_heard
nothing_is_touched
help_knows_its_topics
a_full_disk_is_an_error
