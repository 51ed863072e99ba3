#!/bin/sh
# Stands in the guest where the agent is: runs each line of /bench/order, which
# names a round, a depth and a tool, on one null_blk device, and prints
# "ICOUNT round depth tool IOPS" on the console. See icount-guest.sh.
device=/dev/nullb0
seconds=$(cat /bench/seconds)

set_up_device() {
	modprobe null_blk queue_mode=2 irqmode=0 bs=4096 hw_queue_depth=256 gb=4 ||
		return
	echo 0 >/sys/block/nullb0/queue/iostats
	echo 2 >/sys/block/nullb0/queue/nomerges
	echo none >/sys/block/nullb0/queue/scheduler
}

# Both peak tools take and hand over up to 32 at a time.
batch_of() {
	echo $(($1 < 32 ? $1 : 32))
}

# Each tool prints its IOPS in the steady state as a plain number.

run_builtin() {
	cat >/tmp/work.json <<END
[{"kind": "block", "name": "block", "engine": "builtin", "profile": "peak",
  "device": "$device", "rw": "randread", "bs": 4096, "iodepth": $1,
  "ramp": 200000000, "runtime": ${seconds}000000000}]
END
	/bench/generator work /tmp/work.json >/tmp/result || return
	tr -d ' \n' </tmp/result | tr '}' '\n' >/tmp/out
	grep -E '"(ring|fallback|clock)"' /tmp/result >/tmp/obtained
	sed -n 's/.*"name":"block.iops","value":\([0-9.e+]*\).*/\1/p' /tmp/out
	if ! grep -q '"outcome":"ok"' /tmp/out; then
		grep '"reason"' /tmp/result >/tmp/err
		return 1
	fi
}

run_fio() {
	depth=$1
	shift
	batch=$(batch_of "$depth")
	fio --name=t --filename=$device --direct=1 --rw=randread --bs=4k \
		--ioengine=io_uring --iodepth="$depth" --thread \
		--iodepth_batch_submit="$batch" --iodepth_batch_complete_min=1 \
		--iodepth_batch_complete_max="$batch" --time_based \
		--runtime="$seconds" --ramp_time=1 --output-format=terse "$@" \
		>/tmp/out || return
	cut -d';' -f8 </tmp/out
}

run_fio_plain() { run_fio "$1"; }
run_fio_tuned() { run_fio "$1" --registerfiles --fixedbufs --norandommap; }
run_fio_fastest() {
	run_fio "$1" --registerfiles --fixedbufs --norandommap --randrepeat=0 \
		--gtod_reduce=1
}

# Its first second holds the set-up, and the one cut short prints nothing.
run_t_io_uring() {
	batch=$(batch_of "$1")
	/bench/t_io_uring -d"$1" -s"$batch" -c"$batch" -b4096 -p0 -B1 -F1 -n1 \
		-r $((seconds + 2)) $device >/tmp/out || return
	sed -n 's/^IOPS=\([0-9.]*\)\([MK]*\).*/\1 \2/p' /tmp/out | tail -n 1 |
		awk '{ print $1 * ($2 == "M" ? 1e6 : $2 == "K" ? 1e3 : 1) }'
}

set_up_device || exit
echo "KERNEL $(uname -r)"
while read -r round depth tool; do
	iops=$("run_$tool" "$depth" 2>/tmp/err </dev/null) ||
		echo "FAILED $tool: $(tail -n 1 /tmp/err) $(tail -n 1 /tmp/out)"
	echo "ICOUNT $round $depth $tool $iops"
done </bench/order
sed 's/^ */builtin /' /tmp/obtained
