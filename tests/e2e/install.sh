#!/bin/bash
# An installed vrun finds its agent, its guest image and its matrices wherever
# it stands, and uninstalling leaves nothing.
set -eu
cd "$(dirname "$0")/../.."
B=$(realpath "${B:-build}")
GUEST=$(realpath -m "${GUEST:-build/guest}")

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

fail() {
	echo "install.sh: $*"
	exit 1
}

# Not a part of the make that runs the tests.
make_it() {
	env -u MAKEFLAGS -u MAKELEVEL make -s B="$B" GUEST="$GUEST" \
		PREFIX="$tmp/usr" "$@" >"$tmp/make" 2>&1 || {
		cat "$tmp/make"
		fail "make $* failed"
	}
}

[ -e "$GUEST/initrd" ] || {
	echo "no guest image; make guest makes it"
	exit 77
}
make_it install
mkdir "$tmp/elsewhere"
cd "$tmp/elsewhere"
unset VRUN_GUEST
share=$tmp/usr/share/vrun

# Other findings depend on the machine.
"$tmp/usr/bin/vrun" check "$share/matrices/iodepth.yaml" >"$tmp/out" 2>&1 || true
grep -q "^ok .* image .*$share/guest$" "$tmp/out" || {
	cat "$tmp/out"
	fail "the guest image is not found"
}
"$tmp/usr/bin/vrun" "$share/matrices/synthetic.yaml" -q --rounds 2 \
	>"$tmp/out" 2>&1 || {
	cat "$tmp/out"
	fail "the agent does not run"
}
sed 's/^rounds:.*//' "$share/matrices/synthetic.yaml" >synthetic.yaml
echo 'hooks: {before-boot: {run: quiet-host, args: [101]}}' >>synthetic.yaml
"$tmp/usr/bin/vrun" synthetic.yaml -q --rounds 1 >"$tmp/out" 2>&1 || {
	cat "$tmp/out"
	fail "a hook of vrun's own is not found"
}
[ -e results ] || fail "results are not under the directory where one stands"

cd - >/dev/null
make_it uninstall
left=$(find "$tmp/usr" -type f)
[ -z "$left" ] || fail "left by uninstall: $left"
