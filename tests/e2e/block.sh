#!/bin/bash
# The block workload with real files, loop devices, fio and a guest: figures,
# what writing refuses, what devices report, how exact latencies are.
# alone: compares latencies, and takes loop devices
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash
AGENT=$B/vrun-agent
file=$tmp/target

loops=()
mounts=()
clean_up() {
	local x
	for x in "${mounts[@]}"; do umount "$x" || umount -l "$x" || true; done
	for x in "${loops[@]}"; do losetup -d "$x" || true; done
}
on_exit=clean_up

# work 'FIELDS' [DEVICE]: runs one workload for 100 ms, with AGENT_PATH as its
# PATH; the result is in $tmp/out.
work() {
	printf '{"kind":"block","device":"%s","ramp":0,"runtime":100000000%s}' \
		"${2-$file}" "${1:+,$1}" >"$tmp/w.json"
	PATH=${AGENT_PATH-$PATH} "$AGENT" work "$tmp/w.json" >"$tmp/out" \
		2>"$tmp/err" ||
		fail "the agent failed: $1"
}

is() {
	grep -q "\"outcome\": \"$1\"" "$tmp/out" || fail "not $1: $(cat "$tmp/w.json")"
}

# holds TEXT...: each stands somewhere in the result.
holds() {
	local text
	for text; do
		grep -Fq -- "$text" "$tmp/out" || fail "no \"$text\" in the result"
	done
}

# A loop device over a file of so many MiB; sets loop, and image.
new_loop() {
	image=$tmp/image-$1-$RANDOM
	truncate -s "$1M" "$image"
	loop=$(losetup -f --show "$image") || return
	loops+=("$loop")
}

# --- a file --------------------------------------------------------------

direct=true
dd if=/dev/zero of="$tmp/probe" oflag=direct bs=4k count=1 2>/dev/null || direct=false

for more in '"rw":"randread"' '"rw":"write","jobs":2' '"rw":"randrw","iodepth":32' \
	'"iodepth":64,"profile":"peak"' '"rate":500,"rw":"randwrite"'; do
	work "$more,\"size\":4194304,\"direct\":$direct"
	is ok
	holds block.iops block.lat_p999 '"block.lat"' '"engine": "builtin"'
done
[ "$(stat -c %s "$file")" -eq 4194304 ] || fail 'the file has another size'

# As when size is a factor, in whatever order: a longer one is made anew.
work "\"rw\":\"randwrite\",\"size\":8388608,\"direct\":$direct"
is ok
[ "$(stat -c %s "$file")" -eq 8388608 ] || fail 'the file was not made longer'
work "\"size\":4194304,\"direct\":$direct"
is ok
[ "$(stat -c %s "$file")" -eq 8388608 ] || fail 'the file was made shorter'

# What cannot be finished is not begun, or leaves nothing behind.
work '"size":4503599627370496' "$tmp/huge"
is failed
holds 'no room to make it: 4294967296 MiB are to be written'
work '"size":512' "$tmp/tiny"
is failed
holds 'size: 512 bytes are too small for 1 job of 4096 bytes'
(
	ulimit -f 1024
	work '"size":8388608' "$tmp/long"
	is failed
	holds 'File too large'
)
cat >"$tmp/files.yaml" <<-END
	name: files
	factors: {iodepth: [1, 2]}
	fixed: {accel: native}
	workloads:
	  - block: {device: $tmp/file, size: 4096T, ramp: 0, runtime: 100ms}
	compare: {metric: block.iops, baseline: {iodepth: 1}}
	design: {rounds: 1}
END
expect 3 "$VRUN" check "$tmp/files.yaml" --results "$tmp/results"
grep -A1 'refuse  local  disk .*4294967296 MiB are to be written' "$tmp/out" |
	grep -q 'give a smaller .size:.' || fail 'check does not refuse 4096T'
# A time-out while the file is laid out.
expect 1 "$VRUN" "$tmp/files.yaml" --results "$tmp/results" \
	--set size=8G --set timeout=400ms --set retries=0
[ "$(outcomes "$(results_in "$tmp/results")" timeout)" -eq 2 ] || fail 'no time-out'
left=$(find "$tmp" -name 'huge*' -o -name 'tiny*' -o -name 'long*' -o -name 'file')
[ -z "$left" ] || fail "left behind: $left"

echo mine >"$tmp/mine"
work "\"rw\":\"write\",\"direct\":$direct" "$tmp/mine"
is failed
holds 'refusing to write'
[ "$(cat "$tmp/mine")" = mine ] || fail 'a file of the user was written to'

# --- fio -------------------------------------------------------------------

if command -v fio >/dev/null; then
	work "\"engine\":\"fio\",\"iodepth\":8,\"direct\":$direct"
	is ok
	holds block.iops block.lat_p999 '"block.lat"' '"engine": "fio-'
	# The same figures under the same names as the built-in engine.
	grep -o '"name": "block[^"]*"' "$tmp/out" | sort >"$tmp/fio-names"
	work "\"iodepth\":8,\"direct\":$direct"
	grep -o '"name": "block[^"]*"' "$tmp/out" | sort >"$tmp/own-names"
	cmp "$tmp/fio-names" "$tmp/own-names" || fail 'other figures than fio'

	work '"engine":"fio","iodepth":16,"fio-args":["--ioengine=psync"]'
	is invalid
	holds 'block.iodepth did not take effect'
	# shellcheck disable=SC2016 # for fio to expand
	work '"engine":"fio","fio-job":"[j]\nfilename=${VRUN_DEVICE}\nbs=${VRUN_BS}\nrw=read\nioengine=psync\ntime_based\nruntime=${VRUN_RUNTIME}\nramp_time=${VRUN_RAMP}\n"'
	is ok
	holds '"unverified"'
	work '"engine":"fio","fio-args":["--no-such-option"]'
	is failed
	holds 'no-such-option'
	work '"engine":"fio","fio-args":["--ioengine=nonesuch"]'
	is failed
	holds 'nonesuch'
else
	echo 'PART SKIPPED: no fio here'
fi

AGENT_PATH=/nonexistent work "\"engine\":\"fio\",\"direct\":$direct"
is failed
holds 'engine: fio (apt install fio' 'No such file or directory'

# --- devices ---------------------------------------------------------------

if [ "$(id -u)" -ne 0 ] || ! command -v losetup >/dev/null || ! new_loop 8; then
	echo 'PART SKIPPED: no loop devices for this user'
else
	work '"rw":"randwrite","iodepth":4' "$loop"
	is ok

	# What carries something, or is in use, is read but not written.
	printf 'EFI PART' | dd of="$loop" bs=512 seek=1 conv=notrunc 2>/dev/null
	work '"rw":"randwrite"' "$loop"
	is failed
	holds 'refusing to write: it carries a GPT partition table' \
		"\`destroy: [$loop]\`"
	work '' "$loop"
	is ok
	# It is, when the matrix says so.
	cat >"$tmp/destroy.yaml" <<-END
		name: destroy
		fixed: {accel: native}
		workloads: [block: {device: $loop, rw: randwrite, ramp: 0, runtime: 100ms}]
		destroy: $loop
		design: {rounds: 1}
	END
	expect 0 "$VRUN" "$tmp/destroy.yaml" --results "$tmp/destroy"
	all_ok_once "$(results_in "$tmp/destroy")" 1
	if command -v mkfs.ext4 >/dev/null && new_loop 16 && mkdir "$tmp/mnt" &&
		mkfs.ext4 -q "$loop" && mount "$loop" "$tmp/mnt"; then
		mounts+=("$tmp/mnt")
		for more in '' ',"destroy":true'; do
			work "\"rw\":\"randwrite\"$more" "$loop"
			is failed
			holds 'refusing to write: it is mounted'
		done
	else
		echo 'PART SKIPPED: no file system can be mounted'
	fi

	# The device is longer than what it stands on.
	new_loop 8
	truncate -s 1M "$image"
	work '"rw":"read","direct":true' "$loop"
	is failed
	holds 'the device reported errors' 'Input/output error (errno 5)'
fi

if [ "$(id -u)" -eq 0 ] && mkdir "$tmp/small" &&
	mount -t tmpfs -o size=1M none "$tmp/small"; then
	mounts+=("$tmp/small")
	work '"size":2097152,"direct":false' "$tmp/small/f"
	is failed
	holds 'no room to make it: 2 MiB are to be written, '
	[ ! -e "$tmp/small/f" ] || fail 'half a file is left'

	# What cannot be done without blocking is done by the kernel's threads.
	work '"size":524288,"iodepth":16,"rw":"randrw","direct":false' "$tmp/small/g"
	is ok
	grep -q 'io-wq threads did I/O' "$tmp/out" ||
		echo 'PART SKIPPED: tmpfs takes I/O without blocking here'
else
	echo 'PART SKIPPED: no file system can be mounted'
fi

# --- in a guest --------------------------------------------------------------

command -v qemu-system-x86_64 >/dev/null || skip 'no qemu-system-x86_64'
[ -e "$GUEST/vmlinuz" ] || skip 'no guest image; run make guest'

# value CELL METRIC: of the first trial of a cell.
value() {
	grep "\"cell\":$1," "$dir/trials.jsonl" | grep '"outcome":"ok"' |
		sed -n "s/.*\"name\":\"$2\",\"value\":\([0-9]*\).*/\1/p" | head -n 1
}

# Preflight does not see a guest's disk; the guest itself refuses, and once is
# enough.
cat >"$tmp/inside.yaml" <<-END
	name: inside
	factors: {iodepth: [1, 2]}
	fixed: {accel: tcg, memory: 512M}
	workloads:
	  - block: {device: /tmp/f, size: 1T, ramp: 0, runtime: 100ms}
	compare: {metric: block.iops, baseline: {iodepth: 1}}
	design: {rounds: 1}
	retries: 3
END
expect 1 "$VRUN" "$tmp/inside.yaml" --results "$tmp/inside"
dir=$(results_in "$tmp/inside")
[ "$(outcomes "$dir" failed)" -eq 2 ] || fail 'what cannot be was tried again'
grep -q 'no room to make it: 1048576 MiB are to be written' "$dir/trials.jsonl" ||
	fail 'the guest does not refuse 1T'

if [ -e "$GUEST/initrd-fio" ]; then
	cat >"$tmp/engines.yaml" <<-END
		name: engines
		factors: {engine: [builtin, fio]}
		fixed: {accel: tcg, memory: 512M}
		workloads:
		  - block: {device: null_blk, iodepth: 16, ramp: 100ms, runtime: 300ms}
		compare: {metric: block.iops, baseline: {engine: builtin}}
		design: {rounds: 2, seed: 4}
	END
	expect 0 "$VRUN" "$tmp/engines.yaml" --results "$tmp/engines"
	dir=$(results_in "$tmp/engines")
	all_ok_once "$dir" 4
	# The cells of a round share a boot, whichever engine comes first.
	boots=$(grep -o '"boot_ns":[0-9]*' "$dir/trials.jsonl" | sort -u | wc -l)
	[ "$boots" -eq 2 ] || fail "engines: $boots boots for 2 rounds"
else
	echo 'PART SKIPPED: the guest image has no fio'
fi

# Where an instruction takes a nanosecond, a device that answers after 100 us
# must be seen to do so: a little later at depth 1, never earlier.
cat >"$tmp/exact.yaml" <<-END
	name: exact
	factors:
	  iodepth: [1, 32]
	  profile: [latency, peak]
	fixed:
	  accel: tcg-single
	  memory: 512M
	  qemu-args: ["-icount", "shift=0,sleep=off"]
	workloads:
	  - block: {device: null_blk, irqmode: 2, completion_nsec: 100000, ramp: 100ms, runtime: 300ms}
	compare: {metric: block.lat_mean, baseline: {iodepth: 1, profile: latency}}
	design: {rounds: 1}
END
expect 0 "$VRUN" "$tmp/exact.yaml" --results "$tmp/exact"
dir=$(results_in "$tmp/exact")
all_ok_once "$dir" 4
for cell in 0 1 2 3; do
	for metric in lat_p50 lat_p90 lat_p99 lat_p999; do
		v=$(value $cell block.$metric)
		[ "$v" -ge 100000 ] || fail "cell $cell: $metric is $v ns"
	done
done
v=$(value 0 block.lat_mean)
if [ "$v" -lt 100000 ] || [ "$v" -gt 112000 ]; then
	fail "depth 1: mean of $v ns"
fi
