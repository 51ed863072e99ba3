#!/bin/bash
# The load generator on the bare machine: the built-in one, fio and, if
# T_IO_URING names it, fio's own peak tool, on one sparse O_DIRECT file, whose
# blocks cost next to nothing, so that the tools are the limit. Each round runs
# every tool at every depth, in random order; what counts is the median of the
# ratios within rounds, with its order-statistic interval. icount-guest.sh is
# the strict measure; this one sees cycles and caches, and the neighbours.
#
#   tests/bench/generator.sh [DEPTH...]      depths of the queue (128 32 8 1)
#
# B            build directory (build), for vrun-agent
# DIR          where the file is made (/var/tmp); must take O_DIRECT
# FIO          the fio to compare with (fio)
# T_IO_URING   the program t/io_uring of the fio tree; left out when empty
# ROUNDS       25
# MS_EACH      500: milliseconds a run; t/io_uring counts in whole seconds
# SEED         of the order; the time when not given
#
# Fails when the interval of IOs per CPU second lies below 1.0 of t/io_uring at
# depth 128, or below that of t/io_uring with latencies at depth 1.
set -eu
cd "$(dirname "$0")/../.."
B=$(realpath "${B:-build}")
DIR=${DIR:-/var/tmp}
FIO=${FIO:-fio}
T_IO_URING=${T_IO_URING-}
ROUNDS=${ROUNDS:-25}
MS_EACH=${MS_EACH:-500}
SEED=${SEED:-$(date +%s)}
[ $# -gt 0 ] || set -- 128 32 8 1

tmp=$(mktemp -d "$DIR/vrun-bench-XXXXXX")
trap 'rm -rf "$tmp"' EXIT
target=$tmp/sparse

skip() {
	echo "$*"
	exit 77
}

# tools DEPTH: latencies cost t/io_uring most where a batch is one I/O.
tools() {
	echo builtin
	! command -v "$FIO" >/dev/null || printf 'fio_plain\nfio_tuned\n'
	[ -z "$T_IO_URING" ] || echo t_io_uring
	[ -z "$T_IO_URING" ] || [ "$1" -gt 1 ] || echo t_io_uring_lat
}

# order DEPTH...: "round depth tool" lines.
order() {
	local round depth tool
	for round in $(seq "$ROUNDS"); do
		for depth; do
			for tool in $(tools "$depth"); do
				echo "$round $depth $tool"
			done
		done | awk -v seed="$SEED$round" 'BEGIN { srand(seed) }
			{ print rand() "\t" $0 }' | sort -n | cut -f2
	done
}

# Both peak tools take and hand over up to 32 at a time.
batch_of() {
	echo $(($1 < 32 ? $1 : 32))
}

# Each tool prints its IOPS and its IOs per second of CPU.

run_builtin() {
	cat >"$tmp/work.json" <<END
{"kind": "block", "profile": "peak", "device": "$target", "rw": "randread",
 "bs": 4096, "iodepth": $1, "ramp": 100000000, "runtime": ${MS_EACH}000000}
END
	"$B/vrun-agent" work "$tmp/work.json" >"$tmp/out"
	tr -d ' \n' <"$tmp/out" | tr '}' '\n' | awk -F'"value":|,"unit"' '
		/block.iops/ { iops = $2 }
		/block.cpu_per_io/ { cpu = $2 }
		END { print iops, 1e9 / cpu }'
}

run_fio() {
	local depth=$1
	shift
	"$FIO" --name=t --filename="$target" --direct=1 --rw=randread --bs=4k \
		--ioengine=io_uring --iodepth="$depth" --thread --time_based \
		--runtime="${MS_EACH}ms" --ramp_time=100ms \
		--output-format=json "$@" >"$tmp/out"
	awk '/"iops" :/ && !iops { iops = $3 + 0 }
		/"usr_cpu"/ { cpu += $3 } /"sys_cpu"/ { cpu += $3 }
		END { print iops, 100 * iops / cpu }' "$tmp/out"
}

run_fio_plain() { run_fio "$1"; }
run_fio_tuned() {
	local batch
	batch=$(batch_of "$1")
	run_fio "$1" --registerfiles --fixedbufs --norandommap \
		--iodepth_batch_submit="$batch" --iodepth_batch_complete_min=1 \
		--iodepth_batch_complete_max="$batch"
}

# Its first second holds the set-up, and the one cut short prints nothing. It
# runs all the time, so that its share of the CPU is that of its second.
run_peak() {
	local batch depth=$1
	shift
	batch=$(batch_of "$depth")
	TIMEFORMAT='CPU %R %U %S'
	{ time "$T_IO_URING" -d"$depth" -s"$batch" -c"$batch" -b4096 -p0 -B1 \
		-F1 -n1 -r 3 "$@" "$target" >"$tmp/out"; } 2>"$tmp/time"
	awk '/^IOPS=/ { split($1, f, "="); iops = f[2] + 0
			if (f[2] ~ /M/) iops *= 1e6
			if (f[2] ~ /K/) iops *= 1e3 }
		/^CPU/ { print iops, iops * $2 / ($3 + $4) }' \
		"$tmp/out" "$tmp/time"
}

run_t_io_uring() { run_peak "$1"; }
run_t_io_uring_lat() { run_peak "$1" -t1; }

[ -x "$B/vrun-agent" ] || skip "no $B/vrun-agent; run make"
truncate -s 1G "$target"
dd if="$target" iflag=direct bs=4k count=1 of=/dev/null 2>/dev/null ||
	skip "$DIR takes no O_DIRECT; set DIR"
while read -r round depth tool; do
	echo "$round $depth $tool $("run_$tool" "$depth" 2>>"$tmp/err" </dev/null)"
done < <(order "$@") >"$tmp/runs"
cp "$tmp/runs" "${KEEP:-/dev/null}" 2>/dev/null || true
echo "seed $SEED, $ROUNDS rounds; the built-in generator to each, with 95 % intervals"
awk -f tests/bench/order.awk -f tests/bench/generator.awk "$tmp/runs"
