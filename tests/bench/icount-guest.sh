#!/bin/bash
# The strict measure of the load generator: the built-in one, fio and, if
# T_IO_URING names it, fio's own peak tool, one after the other in one guest on
# one null_blk device, where each instruction takes one nanosecond
# (-icount shift=0,sleep=off). Repeats agree to 0.1 % whatever else the machine
# does; what is counted is instructions, not cycles.
#
#   tests/bench/icount-guest.sh [DEPTH...]      depths of the queue (1 32 128)
#
# B            build directory (build), for vrun-agent
# GUEST        guest image (build/guest), for the kernel
# T_IO_URING   the program t/io_uring of the fio tree; left out when empty
# TOOLS        builtin fio_plain fio_tuned fio_fastest t_io_uring
# ROUNDS       3: each round runs every tool at every depth, in random order;
#              one more, the first, is not counted
# SECONDS_EACH 1: seconds of the guest's clock a run
# SEED         of the order; the time when not given
#
# Fails when the built-in generator is below 1.00 of t/io_uring or 1.2 of the
# fastest fio at a depth.
set -eu
cd "$(dirname "$0")/../.."
B=$(realpath "${B:-build}")
GUEST=$(realpath "${GUEST:-build/guest}")
T_IO_URING=${T_IO_URING-}
ROUNDS=${ROUNDS:-3}
SECONDS_EACH=${SECONDS_EACH:-1}
SEED=${SEED:-$(date +%s)}
BOOT_SECONDS=60
RUN_SECONDS=60 # the longest a run may take on the host's clock
[ $# -gt 0 ] || set -- 1 32 128

tmp=$(mktemp -d)
qemu=
cleanup() {
	[ -z "$qemu" ] || kill "$qemu" 2>/dev/null || true
	rm -rf "$tmp"
}
trap cleanup EXIT

skip() {
	echo "$*"
	exit 77
}

choose_tools() {
	[ -z "${TOOLS-}" ] || return 0
	TOOLS=builtin
	[ ! -e "$GUEST/initrd-fio" ] ||
		TOOLS="$TOOLS fio_plain fio_tuned fio_fastest"
	[ -z "$T_IO_URING" ] || TOOLS="$TOOLS t_io_uring"
}

# lines ROUND DEPTH...: every tool at every depth.
lines() {
	local round=$1 depth tool
	shift
	for depth; do
		for tool in $TOOLS; do
			echo "$round $depth $tool"
		done
	done
}

order() {
	local round
	for round in $(seq 0 "$ROUNDS"); do
		lines "$round" "$@" |
			awk -v seed="$SEED$round" 'BEGIN { srand(seed) }
				{ print rand() "\t" $0 }' | sort -n | cut -f2
	done
}

# A later archive takes the place of the agent.
make_initrd() {
	local root=$tmp/root lib initrd=$GUEST/initrd
	mkdir -p "$root/bin" "$root/bench"
	install -m 755 tests/bench/icount-agent.sh "$root/bin/vrun-agent"
	install -m 755 "$B/vrun-agent" "$root/bench/generator"
	echo "$SECONDS_EACH" >"$root/bench/seconds"
	order "$@" >"$root/bench/order"
	if [ -n "$T_IO_URING" ]; then
		install -m 755 "$T_IO_URING" "$root/bench/t_io_uring"
		for lib in $(ldd "$T_IO_URING" 2>/dev/null | grep -o '/[^ ]*'); do
			install -D -m 755 "$(realpath "$lib")" "$root$lib"
		done
	fi
	[ ! -e "$initrd-fio" ] || initrd=$initrd-fio
	(cd "$root" && find . -mindepth 1 | cpio -o -H newc --quiet) |
		cat "$initrd" - >"$tmp/initrd"
}

run_guest() {
	local limit append
	limit=$((BOOT_SECONDS + RUN_SECONDS * $(wc -l <"$tmp/root/bench/order")))
	append=$(sed -n 's/^  "append": "\(.*\)",$/\1/p' "$GUEST/manifest.json")
	qemu-system-x86_64 -nodefaults -no-user-config -display none \
		-no-reboot -machine q35 -cpu max -m 1G \
		-accel tcg -icount shift=0,sleep=off \
		-kernel "$GUEST/vmlinuz" -initrd "$tmp/initrd" \
		-append "$append nokaslr mitigations=off" \
		-serial file:"$tmp/console" -device virtio-serial-pci \
		-chardev null,id=agent \
		-device virtserialport,chardev=agent,name=vrun.agent &
	qemu=$!
	timeout "$limit" tail --pid="$qemu" -f /dev/null
	wait "$qemu"
	qemu=
	tr -d '\r' <"$tmp/console" >"$tmp/lines"
}

# Medians over the counted rounds, their spread, and the ratios; fails when a
# floor is not held or a run gave no figure.
report() {
	sort -k3,3n -k4,4 -k5,5n <(grep '^ICOUNT [1-9]' "$tmp/lines") |
		awk -f tests/bench/icount-report.awk
}

command -v qemu-system-x86_64 >/dev/null || skip 'no qemu-system-x86_64 here'
choose_tools
make_initrd "$@"
run_guest
echo "kernel $(sed -n 's/^KERNEL //p' "$tmp/lines"), seed $SEED"
grep -v '^ICOUNT\|^KERNEL\|agent ended\|Power down' "$tmp/lines" | sed 's/^/    /' || true
report
