#!/bin/bash
# The agent for aarch64 hosts is built by Debian's cross compiler and greets
# under emulation.
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash

for tool in aarch64-linux-gnu-gcc qemu-aarch64-static; do
	command -v $tool >/dev/null || skip "no $tool"
done
for library in jansson uring; do
	[ -e /usr/lib/aarch64-linux-gnu/lib$library.a ] ||
		skip "no lib$library for arm64"
done
expect 0 make B="$tmp/b" agent-aarch64
expect 0 qemu-aarch64-static "$tmp/b/vrun-agent-aarch64" --version
export VRUN_RUNDIR=$tmp/run VRUN_STATEDIR=$tmp/state
expect 0 qemu-aarch64-static "$tmp/b/vrun-agent-aarch64" host
grep -aq '"type":"hello".*"arch":"aarch64"' "$tmp/out" || fail 'it does not greet'
