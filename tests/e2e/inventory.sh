#!/bin/bash
# hosts.yaml: found beside the matrix or in the user's configuration, named by
# host, group or destination; what is wrong in it has its place; a campaign is
# resumed on the hosts that it began on.
set -eu
cd "$(dirname "$0")/../.."
B=$(realpath "${B:-build}")
VRUN=$B/vrun

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export XDG_CONFIG_HOME=$tmp/config
mkdir -p "$tmp/m" "$tmp/config/vrun"
cp matrices/synthetic.yaml "$tmp/m/m.yaml"

fail() {
	echo "inventory.sh: $*"
	exit 1
}

# hosts_are WANT OPTION...: the hosts of the plan.
hosts_are() {
	local want=$1
	shift
	"$VRUN" plan "$tmp/m/m.yaml" --seed 7 --rounds 2 --json "$@" \
		>"$tmp/out" 2>"$tmp/err" || fail "$*: $(cat "$tmp/err")"
	grep -Fq "\"hosts\":[$want]" "$tmp/out" ||
		fail "$*: $want expected in: $(cat "$tmp/out")"
}

# refuses TEXT OPTION...
refuses() {
	local text=$1
	shift
	! "$VRUN" plan "$tmp/m/m.yaml" "$@" >"$tmp/out" 2>"$tmp/err" ||
		fail "$*: was taken"
	grep -Fq -- "$text" "$tmp/err" ||
		fail "$*: '$text' expected in: $(cat "$tmp/err")"
}

without_an_inventory_names_are_destinations() {
	hosts_are '"local"'
	hosts_are '"local","me@lab3:2222"' --hosts local,me@lab3:2222
}

the_user_has_an_inventory() {
	cat >"$tmp/config/vrun/hosts.yaml" <<-END
		hosts: {a: , b: {tags: [x]}}
		groups: {all: [a, b], x: {tags: [x]}}
	END
	hosts_are '"a","b"' --hosts all
	hosts_are '"b","a"' --hosts x,a
}

one_beside_the_matrix_comes_first() {
	cat >"$tmp/m/hosts.yaml" <<-END
		hosts: {c: }
		groups: {all: [local, c]}
	END
	hosts_are '"local","c"' --hosts all
	hosts_are '"local","x"' --hosts local,x
	hosts_are '"local","c"' --set hosts=all
}

errors_have_their_place() {
	# shellcheck disable=SC2016 # it must not be expanded
	refuses 'host "$(reboot)": must be' --hosts 'local,$(reboot)'
	refuses 'host "a]": must be' --hosts 'a]'
	refuses 'host "local" is listed twice: by "all" and by "local"' \
		--hosts all,local
	printf 'hosts:\n  c: {slots: 2, leese: 1h}\n' >"$tmp/m/hosts.yaml"
	refuses "$tmp/m/hosts.yaml:2:14: slots \"2\": must be 1"
	refuses "$tmp/m/hosts.yaml:2:17: unknown key \"leese\""
}

a_campaign_keeps_its_hosts() {
	local dir
	printf 'hosts: {local: {lease: 2h}}\ngroups: {me: [local]}\n' \
		>"$tmp/m/hosts.yaml"
	"$VRUN" "$tmp/m/m.yaml" --hosts me --rounds 2 --results "$tmp/r" \
		>"$tmp/out" 2>"$tmp/err" || fail "run: $(cat "$tmp/err")"
	dir=$(echo "$tmp"/r/synthetic-*)
	grep -Fq '"lease_ns": 7200000000000' "$dir/options.json" ||
		fail "the lease is not in: $(cat "$dir/options.json")"
	rm "$tmp/m/hosts.yaml"
	"$VRUN" resume "$dir" >"$tmp/out" 2>"$tmp/err" ||
		fail "resume: $(cat "$tmp/err")"
	grep -Fq 'every trial is over already' "$tmp/err" ||
		fail "resume says: $(cat "$tmp/err")"
}

# Port 1 of this machine: nobody listens there.
hosts_are_checked_side_by_side() {
	local status=0
	printf 'hosts: {far: {destination: "127.0.0.1:1", tags: [x]}}\n' \
		>"$tmp/m/hosts.yaml"
	"$VRUN" check "$tmp/m/m.yaml" --hosts local,far \
		--results "$tmp/r" >"$tmp/out" 2>"$tmp/err" || status=$?
	[ $status -eq 1 ] || fail "check: status $status: $(cat "$tmp/err")"
	grep -Eq '^far +missing' "$tmp/out" ||
		fail "the missing host is not in: $(cat "$tmp/out")"
	grep -Eq '^warn +far: agent: ' "$tmp/out" ||
		fail "no reason in: $(cat "$tmp/out")"
	"$VRUN" check "$tmp/m/m.yaml" --hosts local,far --json \
		--results "$tmp/r" >"$tmp/out" 2>"$tmp/err" || true
	grep -Fq '"takes_ns"' "$tmp/out" || fail "json: $(cat "$tmp/out")"
}

without_an_inventory_names_are_destinations
the_user_has_an_inventory
one_beside_the_matrix_comes_first
errors_have_their_place
a_campaign_keeps_its_hosts
hosts_are_checked_side_by_side
