#!/bin/bash
# The built-in guest image: an ordinary user makes it, the same bytes each
# time; under real QEMU (TCG) it brings up the agent, and fio and null_blk work
# in it; it powers off when the agent ends.
set -eu
cd "$(dirname "$0")/../.."
B=$(realpath "${B:-build}")
GUEST=$(realpath -m "${GUEST:-build/guest}")
BOOT_SECONDS=40

tmp=$(mktemp -d)
qemu=
cleanup() {
	[ -z "$qemu" ] || kill "$qemu" 2>/dev/null || true
	rm -rf "$tmp"
}
trap cleanup EXIT

fail() {
	echo "guest.sh: $*"
	exit 1
}

skip() {
	echo "$*"
	exit 77
}

# --- making it ---------------------------------------------------------

# Root builds as nobody does, in a place that nobody can read.
as_user=
if [ "$(id -u)" -eq 0 ]; then
	as_user='setpriv --reuid 65534 --regid 65534 --clear-groups'
fi

prepare() {
	mkdir "$tmp/src" "$tmp/out" "$tmp/cache"
	cp runner/guest/* "$tmp/src"
	cp "$B/vrun-agent" "$tmp/agent"
	find "$GUEST/.cache" -maxdepth 1 -name '*.deb' \
		-exec cp {} "$tmp/cache" \; 2>/dev/null || true
	[ -z "$as_user" ] || chown -R 65534:65534 "$tmp"
}

build() {
	$as_user env HOME="$tmp" VRUN_CACHE="$tmp/cache" "$@" \
		bash "$tmp/src/build.sh" "$tmp/out" "$tmp/agent"
}

# refuses TEXT ASSIGNMENT...: the build fails and says TEXT.
refuses() {
	local text=$1
	shift
	! build "$@" >"$tmp/log" 2>&1 || fail "built with $*"
	grep -Fq "$text" "$tmp/log" ||
		fail "$*: '$text' expected, not: $(cat "$tmp/log")"
}

builds_the_same_bytes_as_an_ordinary_user() {
	build
	sha256sum "$tmp/out/"[a-z]* >"$tmp/sums"
	[ -z "$(build)" ] || fail 'built again though no input changed'
	rm "$tmp/out/.inputs"
	build
	sha256sum --quiet -c "$tmp/sums" || fail 'the same inputs, other bytes'
}

# Distributions differ in how modules are compressed; the image has none of it.
takes_another_kernel() {
	local from to=$tmp/modules
	from=$(echo "$tmp"/cache/linux-image-*/lib/modules/*)
	[ -d "$from" ] || return 0 # an installed kernel was taken
	mkdir -p "$to/lib/modules"
	cp -r "$from" "$to/lib/modules"
	find "$to" -name 'virtio*.ko' -exec xz -0 {} +
	find "$to" -name null_blk.ko -exec zstd -q --rm {} +
	depmod -b "$to" "$(basename "$from")"
	cp "$tmp/out/vmlinuz" "$tmp/out/initrd" "$tmp"
	build KERNEL="$tmp/vmlinuz" MODULES="$(echo "$to"/lib/modules/*)"
	cmp "$tmp/out/initrd" "$tmp/initrd"
	grep -q '"package": null' "$tmp/out/manifest.json"
	build
	cmp "$tmp/out/initrd" "$tmp/initrd"
}

refuses_what_is_no_kernel() {
	refuses 'cannot be read' KERNEL=/nonexistent
	refuses 'not a Linux kernel image' KERNEL="$tmp/agent"
	refuses 'name both' MODULES=/lib/modules
	refuses 'no modules.dep' KERNEL="$tmp/out/vmlinuz" MODULES=/nonexistent
}

# No package manager that works, no package at hand.
says_what_to_do_offline() {
	if compgen -G '/boot/vmlinuz-*-cloud-*' ||
		compgen -G '/var/cache/apt/archives/linux-image-*-cloud-*'; then
		return
	fi >/dev/null
	mkdir -p "$tmp/bin" "$tmp/empty"
	for tool in apt-get apt-cache; do
		printf '#!/bin/sh\nexit 100\n' >"$tmp/bin/$tool"
		chmod 755 "$tmp/bin/$tool"
	done
	chmod 777 "$tmp/empty"
	rm "$tmp/out/.inputs"
	refuses 'Offline, copy linux-image-' PATH="$tmp/bin:$PATH" \
		VRUN_CACHE="$tmp/empty"
}

# --- booting it --------------------------------------------------------

append() {
	sed -n 's/^  "append": "\(.*\)",$/\1/p' "$tmp/out/manifest.json"
}

# start INITRD OPTION...: the console goes to $tmp/console.
start() {
	local initrd=$1
	shift
	qemu-system-x86_64 -nodefaults -no-user-config -display none \
		-no-reboot -machine q35 -accel tcg -cpu max -m 512M \
		-kernel "$tmp/out/vmlinuz" -initrd "$initrd" \
		-append "$(append)" -serial file:"$tmp/console" "$@" &
	qemu=$!
}

# It ended by itself: the guest powered off.
await_poweroff() {
	timeout "$BOOT_SECONDS" tail --pid="$qemu" -f /dev/null ||
		fail "still running; console: $(cat "$tmp/console")"
	wait "$qemu" || fail "QEMU: status $?"
	qemu=
}

console_says() {
	grep -aFq "$1" "$tmp/console" ||
		fail "console: '$1' expected, not: $(cat "$tmp/console")"
}

# frame TEXT: as runner/proto/frame.h has it, for bodies under 128 bytes.
frame() {
	# shellcheck disable=SC2059 # the length is an escape
	printf "\\x$(printf %02x ${#1})\0\0\0"
	printf %s "$1"
}

brings_up_the_agent() {
	mkfifo "$tmp/port.in" "$tmp/port.out"
	start "$tmp/out/initrd" -device virtio-serial-pci \
		-chardev pipe,id=agent,path="$tmp/port" \
		-device virtserialport,chardev=agent,name=vrun.agent
	timeout "$BOOT_SECONDS" dd if="$tmp/port.out" of="$tmp/first" \
		bs=64k count=1 status=none ||
		fail "a silent agent; console: $(cat "$tmp/console")"
	grep -aq '"hello"' "$tmp/first" || fail "no hello: $(cat "$tmp/first")"
	frame '{"type":"bye"}' >"$tmp/port.in"
	await_poweroff
	console_says 'vrun guest: the agent ended with status 0'
}

says_that_the_port_is_missing() {
	start "$tmp/out/initrd"
	await_poweroff
	console_says 'no virtio-serial port is named vrun.agent'
}

# A later archive replaces the agent by a script.
runs_null_blk_and_fio() {
	local initrd=$tmp/out/initrd
	[ ! -e "$initrd-fio" ] || initrd=$initrd-fio
	mkdir -p "$tmp/extra/bin"
	cat >"$tmp/extra/bin/vrun-agent" <<'END'
#!/bin/sh
cd /sys/kernel/config && modprobe null_blk nr_devices=0 || exit
mkdir nullb/nullb0 && echo 1 >nullb/nullb0/power || exit
[ -b /dev/nullb0 ] && echo 'null_blk works'
[ ! -e /bin/fio ] || fio --name=t --filename=/dev/nullb0 --direct=1 \
	--ioengine=io_uring --rw=randread --io_size=64k --output-format=terse |
	cut -d';' -f2,5,6
END
	chmod 755 "$tmp/extra/bin/vrun-agent"
	(cd "$tmp/extra" && find bin | cpio -o -H newc --quiet) >"$tmp/extra.cpio"
	cat "$initrd" "$tmp/extra.cpio" >"$tmp/initrd"
	start "$tmp/initrd" -device virtio-serial-pci -chardev null,id=agent \
		-device virtserialport,chardev=agent,name=vrun.agent
	await_poweroff
	console_says 'null_blk works'
	[ ! -e "$tmp/out/initrd-fio" ] || console_says 'fio-3'
	[ ! -e "$tmp/out/initrd-fio" ] || console_says ';0;64'
}

command -v qemu-system-x86_64 >/dev/null || skip 'no qemu-system-x86_64 here'
prepare
builds_the_same_bytes_as_an_ordinary_user
takes_another_kernel
refuses_what_is_no_kernel
says_what_to_do_offline
runs_null_blk_and_fio
says_that_the_port_is_missing
brings_up_the_agent
