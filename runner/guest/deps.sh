#!/bin/sh
# deps.sh PACKAGE...: installs those Debian packages that are missing, as root
# or with sudo; elsewhere prints what to run and fails. Silent when nothing is
# missing.
set -eu

# What is installed comes out of dpkg-query; the rest is missing.
# shellcheck disable=SC2016 # dpkg-query's own variables
missing_of() {
	installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" \
		2>/dev/null | sed -n 's/^installed //p')
	for package; do
		echo "$installed" | grep -Fqx -- "$package" || echo "$package"
	done
}

# A password may be asked for where somebody can type it.
choose_sudo() {
	if [ "$(id -u)" -eq 0 ]; then
		sudo=
	elif sudo -n true 2>/dev/null || { [ -t 0 ] && command -v sudo; }; then
		sudo=sudo
	else
		return 1
	fi >/dev/null
}

# apt-get's many lines are for when it fails.
install_packages() {
	$sudo env DEBIAN_FRONTEND=noninteractive \
		apt-get install -y -q -o Dpkg::Use-Pty=0 \
		--no-install-recommends "$@" >"$log" && return
	tail -n 40 "$log"
	return 1
}

# The lists are fetched only where they do not know a package or know an old
# version of it.
install_missing() {
	if apt-get install -s -qq "$@" >/dev/null 2>&1 &&
		install_packages "$@"; then
		return
	fi
	echo "deps: the package lists are missing or old; fetching them"
	$sudo apt-get update -q
	install_packages "$@"
}

if ! command -v dpkg-query >/dev/null; then
	echo "deps: not a Debian system; needed are what these packages hold:"
	echo "    $*"
	exit 1
fi
# shellcheck disable=SC2046 # a list of words
set -- $(missing_of "$@")
[ $# -gt 0 ] || exit 0
if ! choose_sudo; then
	echo "deps: missing, and neither root nor sudo to install them; run as root:"
	echo "    apt-get install --no-install-recommends $*"
	exit 1
fi
echo "deps: installing with ${sudo:+sudo }apt-get, which may take minutes: $*"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install_missing "$@"
