#!/bin/bash
# Real VMs on a host over SSH: the guest image is copied there once, boots
# under TCG with and without huge pages, and each treatment is read back there.
# alone: counts huge pages of the host
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash
. tests/netns.sh
on_exit=net_stop
trap 'exit 1' INT TERM HUP

command -v qemu-system-x86_64 >/dev/null || skip 'no qemu-system-x86_64'
[ -e "$GUEST/initrd" ] || skip "no guest image in $GUEST: make guest"
net_need
net_start 1
pages=/proc/sys/vm/nr_hugepages
before=$(cat $pages)

cat >"$tmp/m.yaml" <<-EOF
	name: remote
	factors: {backing: [4k, hugetlb-2M]}
	fixed: {accel: tcg, memory: 256M, cpus: 1}
	workloads:
	  - block: {device: null_blk, rw: randread, bs: 4k, iodepth: 8, runtime: 200ms, ramp: 50ms}
	compare: {metric: block.iops, baseline: {backing: 4k}}
	design: {rounds: 1, seed: 5}
EOF

expect 0 at_controller "$VRUN" "$tmp/m.yaml" --hosts h1 --results "$tmp/r"
dir=$(results_in "$tmp/r")
all_ok_once "$dir" 2
for page in 4 2048; do
	grep -q "\"seen\":\"KernelPageSize $page kB" "$dir/trials.jsonl" ||
		fail "no trial was seen with pages of $page kB"
done
grep -o '"argv":\["[^]]*' "$dir/trials.jsonl" | grep -q "home/.cache/vrun/image-[0-9a-f]*/vmlinuz" ||
	fail 'QEMU did not boot the image that was copied there'

image=$(echo "$tmp"/net/h1/home/.cache/vrun/image-*)
for file in vmlinuz initrd; do
	cmp -s "$image/$file" "$GUEST/$file" || fail "$file differs"
done
# No trial needs fio: its large initrd stays here.
[ ! -e "$image/initrd-fio" ] || fail 'fio was copied, too'
was=$(stat -c '%i %y' "$image/vmlinuz")
expect 0 at_controller "$VRUN" "$tmp/m.yaml" --hosts h1 --results "$tmp/r2"
[ "$(stat -c '%i %y' "$image/vmlinuz")" = "$was" ] ||
	fail 'the image was copied again'
[ "$(cat $pages)" -eq "$before" ] || fail "$(cat $pages) huge pages are left"
