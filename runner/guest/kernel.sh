# Finds the kernel of the built-in guest. Sourced by build.sh, whose die, note,
# OUT and CACHE it uses. Sets
#   KERNEL           the image
#   MODULES          its directory of modules, or nothing: all is built in
#   RELEASE          what uname -r will say
#   CONFIG           the file with its configuration, or nothing
#   PACKAGE VERSION  of the distribution, or nothing for a kernel that was given
# shellcheck shell=bash

# shellcheck disable=SC2034 # build.sh reads them
PACKAGE='' VERSION='' CONFIG=''

# With a cache of its own, apt-get works for ordinary users and on machines
# whose package lists were thrown away.
private_apt() {
	local tool=$1
	shift
	mkdir -p "$CACHE/apt/lists/partial" "$CACHE/apt/archives/partial"
	"$tool" -o Dir::State::lists="$CACHE/apt/lists" \
		-o Dir::Cache="$CACHE/apt" -o APT::Sandbox::User= "$@"
}

# The versioned package that the name without a version stands for. The answer
# for a package that is not known is empty.
newest_cloud_kernel() {
	"$@" depends "linux-image-cloud-$DEB_ARCH" 2>/dev/null |
		sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1
}

download_cloud_kernel() {
	local get=apt-get name
	name=$(newest_cloud_kernel apt-cache)
	if [ -z "$name" ]; then
		note "no package lists here; fetching them into $CACHE"
		private_apt apt-get update -qq || true
		get='private_apt apt-get'
		name=$(newest_cloud_kernel private_apt apt-cache)
	fi
	[ -n "$name" ] || no_kernel
	note "downloading $name"
	# shellcheck disable=SC2086 # two words
	(cd "$CACHE" && $get -qq download -o APT::Sandbox::User= "$name") ||
		no_kernel
	rm -rf "$CACHE/apt"
}

no_kernel() {
	die "no cloud kernel: linux-image-cloud-$DEB_ARCH cannot be downloaded." \
		"Offline, copy linux-image-*-cloud-${DEB_ARCH}_*.deb to $CACHE or" \
		"install it, or name another kernel: make guest" \
		"KERNEL=/boot/vmlinuz-X MODULES=/lib/modules/X"
}

# cached_cloud_kernel DIR...: the newest package file in the first that has one.
cached_cloud_kernel() {
	local dir deb
	for dir; do
		deb=$(find "$dir" -maxdepth 1 -readable \
			-name "linux-image-[0-9]*-cloud-${DEB_ARCH}_*.deb" \
			2>/dev/null | sort -V | tail -n 1)
		[ -z "$deb" ] || break
	done
	echo "$deb"
}

kernel_from_package() {
	local deb root
	deb=$(cached_cloud_kernel "$CACHE" /var/cache/apt/archives)
	if [ -z "$deb" ]; then
		download_cloud_kernel
		deb=$(cached_cloud_kernel "$CACHE")
		[ -n "$deb" ] || no_kernel
	fi
	PACKAGE=$(dpkg-deb -f "$deb" Package)
	VERSION=$(dpkg-deb -f "$deb" Version)
	RELEASE=${PACKAGE#linux-image-}
	root=$CACHE/$PACKAGE-$VERSION
	if [ ! -d "$root" ]; then
		note "unpacking $(basename "$deb")"
		rm -rf "$root.new"
		dpkg-deb -x "$deb" "$root.new"
		# Debian 13 moved the modules.
		[ -d "$root.new/lib" ] || ln -s usr/lib "$root.new/lib"
		depmod -b "$root.new" "$RELEASE"
		mv "$root.new" "$root"
	fi
	KERNEL=$root/boot/vmlinuz-$RELEASE
	MODULES=$root/lib/modules/$RELEASE
	CONFIG=$root/boot/config-$RELEASE
}

# An installed cloud kernel serves as it is. Some systems let only root read
# it; then the package is used.
kernel_installed() {
	local image
	for image in $(printf '%s\n' /boot/vmlinuz-*-cloud-"$DEB_ARCH" | sort -rV); do
		RELEASE=${image#/boot/vmlinuz-}
		[ -r "$image" ] || continue
		[ -e "/lib/modules/$RELEASE/modules.dep" ] || continue
		KERNEL=$image
		MODULES=/lib/modules/$RELEASE
		CONFIG=/boot/config-$RELEASE
		PACKAGE=linux-image-$RELEASE
		# shellcheck disable=SC2016 # dpkg-query's own variable
		VERSION=$(dpkg-query -W -f '${Version}' "$PACKAGE")
		return 0
	done
	return 1
}

# release_of IMAGE: x86's boot header points at the version (boot.rst,
# kernel_version); other images carry the banner as it is.
release_of() {
	local magic offset
	magic=$(dd if="$1" bs=1 skip=514 count=4 2>/dev/null | tr -d '\0')
	if [ "$magic" = HdrS ]; then
		offset=$(od -An -tu2 -j526 -N2 "$1")
		dd if="$1" bs=1 skip=$((offset + 512)) count=128 2>/dev/null |
			tr '\0 ' '\n' | head -n 1
	else
		grep -aom1 'Linux version [0-9][^ ]*' "$1" | cut -d' ' -f3
	fi
}

kernel_given() {
	local file
	[ -r "$KERNEL" ] || die "KERNEL=$KERNEL: cannot be read"
	RELEASE=$(release_of "$KERNEL")
	[ -n "$RELEASE" ] || die "KERNEL=$KERNEL: not a Linux kernel image"
	if [ -z "$MODULES" ] && [ -d "/lib/modules/$RELEASE" ]; then
		MODULES=/lib/modules/$RELEASE
	fi
	[ -z "$MODULES" ] || [ -r "$MODULES/modules.dep" ] ||
		die "MODULES=$MODULES: no modules.dep there; depmod makes it"
	for file in "$(dirname "$KERNEL")/config-$RELEASE" "$MODULES/config"; do
		[ -r "$file" ] || continue
		CONFIG=$file
		break
	done
}

find_kernel() {
	if [ -n "$KERNEL" ]; then
		kernel_given
	elif [ -n "$MODULES" ]; then
		die "MODULES is given without KERNEL: name both"
	else
		kernel_installed || kernel_from_package
	fi
}
