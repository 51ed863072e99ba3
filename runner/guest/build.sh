#!/bin/bash
# Makes the built-in guest image: build.sh OUT AGENT, see README.md here.
# KERNEL and MODULES in the environment name another kernel; VRUN_CACHE is
# where packages are kept (OUT/.cache). Works as an ordinary user: nothing is
# mounted, no device node is made. Does nothing when no input has changed.
set -eu
umask 022
export LC_ALL=C
PATH=$PATH:/usr/sbin:/sbin

HERE=$(cd "$(dirname "$0")" && pwd)
OUT=$(realpath -m "${1:?usage: build.sh OUT AGENT}")
AGENT=${2:?usage: build.sh OUT AGENT}
CACHE=$(realpath -m "${VRUN_CACHE:-$OUT/.cache}")
KERNEL=${KERNEL-} MODULES=${MODULES-}
WORK=$OUT/.work
DEB_ARCH=$(dpkg --print-architecture)

# Options that make the boot short and change nothing that is measured:
# the self-tests of crypto, 0.3 s under TCG, are left out, and a panic ends QEMU.
APPEND='console=ttyS0 quiet cryptomgr.notests panic=-1'

note() { echo "guest: $*"; }
die() {
	echo "guest: $*" >&2
	exit 1
}

# shellcheck source=runner/guest/kernel.sh
. "$HERE/kernel.sh"

find_tools() {
	local tool
	for tool in busybox cpio depmod modprobe xz zstd; do
		command -v $tool >/dev/null ||
			die "$tool is missing; make deps installs it"
	done
	BUSYBOX=$(command -v busybox)
	! is_dynamic "$BUSYBOX" ||
	[ -x "$AGENT" ] || die "$AGENT is missing; make all builds it"
	! is_dynamic "$AGENT" || die "$AGENT is not static: built with SAN?"
	FIO=$(command -v fio || true)
}

is_dynamic() {
	ldd "$1" >/dev/null 2>&1
}

# Everything that the image depends on, as text.
inputs() {
	echo "$KERNEL $MODULES"
	sha256sum "$HERE"/* "$AGENT"
	stat -Lc '%n %s %Y' "$BUSYBOX" /boot/vmlinuz-*-cloud-* \
		${FIO:+"$FIO"} ${KERNEL:+"$KERNEL"} \
		${MODULES:+"$MODULES/modules.dep"} 2>/dev/null || true
}

is_current() {
	[ -e "$OUT/vmlinuz" ] && [ -e "$OUT/initrd" ] &&
		[ -e "$OUT/manifest.json" ] && [ -e "$OUT/.inputs" ] &&
		[ "$(inputs)" = "$(cat "$OUT/.inputs")" ]
}

# --- modules -----------------------------------------------------------

# files_of NAME: the files of a module and what it needs, in the order of
# loading; nothing for one that is built in; fails for one that is not there.
files_of() {
	local answer
	[ -n "$MODULES" ] || return 1
	answer=$(modprobe -d "$WORK/kernel" -S "$RELEASE" -C /dev/null \
		--show-depends "$1" 2>/dev/null) || return 1
	sed -n 's/^insmod \([^ ]*\).*/\1/p' <<<"$answer"
}

# copy_module FILE: to its place in the image, uncompressed.
copy_module() {
	local to=$WORK/root/${1#"$WORK/kernel/"}
	mkdir -p "$(dirname "$to")"
	case $1 in
	*.xz) xz -dc "$1" >"${to%.xz}" ;;
	*.zst) zstd -qdc "$1" >"${to%.zst}" ;;
	*) cp "$1" "$to" ;;
	esac
}

# A kernel without modules must have the required ones built in, which only its
# configuration could tell; the test boot will.
missing_module() {
	[ -n "$MODULES" ] || return 0
	[ "$2" = optional ] || die "$MODULES: no $1, which the guest needs"
	note "kernel $RELEASE has no $1"
}

add_modules() {
	local name need file files
	[ -z "$MODULES" ] || {
		mkdir -p "$WORK/kernel/lib/modules"
		ln -s "$(realpath "$MODULES")" "$WORK/kernel/lib/modules/$RELEASE"
	}
	: >"$WORK/modules"
	while read -r name need _; do
		case $name in '' | '#'*) continue ;; esac
		files=$(files_of "$name") || {
			missing_module "$name" "$need"
			continue
		}
		echo "$files" >>"$WORK/modules"
	done <"$HERE/modules"
	# In the order of loading, each once.
	awk 'NF && !seen[$0]++' "$WORK/modules" >"$WORK/modules.once"
	while read -r file; do
		copy_module "$file"
	done <"$WORK/modules.once"
	[ -z "$MODULES" ] || index_modules
}

# What busybox reads: modules.dep, .alias and .builtin.
index_modules() {
	local dir=$WORK/root/lib/modules/$RELEASE file
	mkdir -p "$dir"
	for file in modules.builtin modules.builtin.modinfo modules.order; do
		[ ! -e "$MODULES/$file" ] || cp "$MODULES/$file" "$dir"
	done
	depmod -b "$WORK/root" "$RELEASE"
	find "$dir" -maxdepth 1 -type f ! -name modules.dep \
		! -name modules.alias ! -name modules.builtin -delete
}

# --- archives ----------------------------------------------------------

# archive DIR FILE: the same bytes for the same contents.
archive() {
	find "$1" -exec touch -hd @0 {} +
	(cd "$1" && find . -mindepth 1 | sort |
		cpio -o -H newc --reproducible --owner 0:0 --quiet) >"$2"
}

make_initrd() {
	local root=$WORK/root applet
	mkdir -p "$root"/{bin,dev,etc,proc,root,sys,tmp}
	install -m 755 "$HERE/init" "$root/init"
	install -m 755 "$BUSYBOX" "$root/bin/busybox"
	install -m 755 "$AGENT" "$root/bin/vrun-agent"
	for applet in $("$BUSYBOX" --list | grep -vx busybox); do
		ln -s busybox "$root/bin/$applet"
	done
	add_modules
	archive "$root" "$WORK/initrd"
}

# A second image for trials that run fio: with Debian's libraries it takes 85 MB
# and 0.9 s more to boot under TCG, whether compressed or not. The kernel unpacks
# archives that follow each other.
make_initrd_fio() {
	local root=$WORK/fio lib
	[ -n "$FIO" ] || {
		note "fio is not installed here, so the guest has none"
		return 0
	}
	mkdir -p "$root/bin"
	install -m 755 "$FIO" "$root/bin/fio"
	for lib in $(ldd "$FIO" | grep -o '/[^ ]*'); do
		install -D -m 755 "$(realpath "$lib")" "$root$lib"
	done
	archive "$root" "$WORK/fio.cpio"
	cat "$WORK/initrd" "$WORK/fio.cpio" >"$WORK/initrd-fio"
}

# --- manifest ----------------------------------------------------------

# json_text TEXT: quoted, null for nothing.
json_text() {
	[ -n "$1" ] || {
		printf null
		return
	}
	set -- "${1//\\/\\\\}"
	printf '"%s"' "${1//\"/\\\"}"
}

json_list() {
	local separator='' item
	while read -r item; do
		printf '%s"%s"' "$separator" "$item"
		separator=', '
	done
}

json_sizes() {
	local separator='' file
	for file in vmlinuz initrd initrd-fio; do
		[ -e "$WORK/$file" ] || continue
		printf '%s"%s": %d' "$separator" $file \
			"$(stat -c %s "$WORK/$file")"
		separator=', '
	done
}

write_manifest() {
	cat >"$WORK/manifest.json" <<END
{
  "format": 1,
  "arch": $(json_text "$(uname -m)"),
  "kernel": {
    "release": $(json_text "$RELEASE"),
    "package": $(json_text "$PACKAGE"),
    "version": $(json_text "$VERSION"),
    "file": $(json_text "$([ -n "$PACKAGE" ] || echo "$KERNEL")"),
    "config": $([ -e "$WORK/config" ] && echo '"config"' || echo null)
  },
  "append": $(json_text "$APPEND"),
  "busybox": $(json_text "$("$BUSYBOX" | sed -n '1s/^BusyBox v\([^ ]*\).*/\1/p')"),
  "agent_sha256": $(json_text "$(sha256sum <"$AGENT" | cut -d' ' -f1)"),
  "fio": $(json_text "${FIO:+$("$FIO" --version | sed 's/^fio-//')}"),
  "modules": [$(sed 's,.*/,,; s/\.ko.*//' "$WORK/modules.once" | json_list)],
  "bytes": {$(json_sizes)}
}
END
}

# --- all of it ---------------------------------------------------------

# The manifest comes last: where it is new, the rest is.
publish() {
	local file
	rm -f "$OUT/.inputs" "$OUT/initrd-fio" "$OUT/config"
	for file in vmlinuz config initrd initrd-fio manifest.json; do
		[ ! -e "$WORK/$file" ] || mv -f "$WORK/$file" "$OUT/$file"
	done
	mv "$WORK/inputs" "$OUT/.inputs"
	rm -rf "$WORK"
}

build() {
	rm -rf "$WORK"
	mkdir -p "$WORK" "$CACHE"
	inputs >"$WORK/inputs"
	find_kernel
	install -m 644 "$KERNEL" "$WORK/vmlinuz"
	[ -z "$CONFIG" ] || install -m 644 "$CONFIG" "$WORK/config"
	make_initrd
	make_initrd_fio
	write_manifest
	publish
	note "kernel $RELEASE in $OUT"
}

find_tools
mkdir -p "$OUT"
exec 9>"$OUT/.lock"
flock 9
is_current || build
