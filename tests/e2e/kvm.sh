#!/bin/bash
# VMs under KVM, by the agent's own code: started, pinned, checked, reaped.
# The guest is a few instructions in real mode, which any KVM can run.
# alone: counts huge pages of the host
set -eu
cd "$(dirname "$0")/../.."
B=$(realpath "${B:-build}")

[ -w /dev/kvm ] || {
	echo "no writable /dev/kvm"
	exit 77
}
command -v qemu-system-x86_64 >/dev/null || {
	echo "no qemu-system-x86_64"
	exit 77
}
pool=/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages
[ -w $pool ] || {
	echo "$pool cannot be written"
	exit 77
}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
before=$(cat $pool)

fail() {
	echo "kvm.sh: $*"
	cat "$tmp/out" "$tmp/err"
	exit 1
}

"$B/tests/kvm_payload" "$tmp" >"$tmp/out" 2>"$tmp/err" || fail "it failed"

# count NUMBER PATTERN: so many lines match.
count() {
	[ "$(grep -c -- "$2" "$tmp/out")" -eq "$1" ] || fail "not $1 times: $2"
}
count 2 '^console .*real mode'
count 2 '^check accel ok KVM enabled, vCPU thread "CPU 0/KVM"'
count 2 '^check backing ok '
count 1 '^check backing ok .*hugetlb 65536 kB'
count 2 '^check memory ok 67108864 bytes'
count 2 '^check cpus ok 1'
count 2 '^check pin ok .*ran on CPU 0'
count 2 '^reaped'
[ "$(cat $pool)" = "$before" ] || fail "$(cat $pool) huge pages, not $before"
