#!/bin/bash
# Hooks in a real guest under TCG: they travel there, run at their stages with
# their environment, give figures and files, and fail their trial with their
# last words; what cannot be in a guest is refused before anything runs.
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash

[ -e "$GUEST/initrd" ] || skip "no guest image; run make guest"
command -v qemu-system-x86_64 >/dev/null || skip "no qemu-system-x86_64"

# matrix HOOKS [ROUNDS]: YAML of the map below "hooks:", on one line.
matrix() {
	cat >"$tmp/m.yaml" <<-EOF
		name: guest-hooks
		hooks: $1
		fixed: {accel: tcg, memory: 256M}
		factors: {effect: [0]}
		workloads: [synthetic: {runtime: 50ms}]
		design: {rounds: ${2:-1}, seed: 1}
		retries: 0
	EOF
}

run() { # STATUS
	rm -rf "$tmp/r"
	expect "$1" "$VRUN" "$tmp/m.yaml" --results "$tmp/r"
	[ "$1" -gt 1 ] || dir=$(results_in "$tmp/r")
}

# kept FILE PATTERN: a line of an artifact.
kept() {
	cat "$dir"/artifacts/*/"$1" >"$tmp/out" 2>/dev/null ||
		fail "no artifact $1: $(ls -R "$dir/artifacts")"
	grep -Eq -- "$2" "$tmp/out" || fail "$1 lacks: $2"
}
recorded() {
	grep -Fq -- "$1" "$dir/trials.jsonl" ||
		fail "no record has: $1; $(grep -o '"reason":"[^"]*"' \
			"$dir/trials.jsonl")"
}

# --- every stage that a guest lives in, host and guest mixed -------------

mkdir "$tmp/hooks"
cat >"$tmp/hooks/note" <<'EOF'
#!/bin/sh
# In the guest the kernel's command line is that of the VM.
echo "$VRUN_STAGE in $(cut -d' ' -f1 /proc/cmdline) args:" "$@"
env | sort >"$VRUN_ARTIFACTS/env-$VRUN_STAGE"
[ "$VRUN_STAGE" != around-workload ] || { echo ready; cat; echo over; }
echo "metric $VRUN_STAGE 1.5 ms lower"
EOF
cp "$tmp/hooks/note" "$tmp/hooks/hnote"
chmod +x "$tmp/hooks/note" "$tmp/hooks/hnote"
g='on: guest, run: note'
matrix "{after-boot: {$g, args: [a]}, after-trial: {$g}, around-workload: [{$g, env: {MINE: 'x'}}, hnote, {$g}]}" 2
run 0
[ "$(outcomes "$dir" ok)" -eq 2 ] || fail "not 2 trials are ok"
for stage in after-boot around-workload after-trial; do
	recorded "\"name\":\"note.$stage\",\"value\":1.5"
done
recorded '"name":"hnote.around-workload"'
kept hook-note '^after-boot in console=ttyS0 args: a$'
kept hook-note.2 '^over$'
kept hook-note.4 '^after-trial in console=ttyS0'
! grep -q 'in console=ttyS0' "$dir"/artifacts/*/hook-hnote ||
	fail "the host's hook ran in the guest"
kept hook-note-env-around-workload.2 '^MINE=x$'
for line in VRUN_ACCEL=tcg 'VRUN_TRIAL=[0-9]+' VRUN_HOST=local \
	VRUN_CELL=effect=0 VRUN_LEVEL_effect=0 VRUN_AGENT=/bin/vrun-agent; do
	kept hook-note-env-after-boot "^$line\$"
done
! grep -q 'VRUN_QEMU_PID\|VRUN_QMP\|VRUN_VCPU' \
	"$dir"/artifacts/*/hook-note-env-* || fail "the guest is told of QEMU"

# --- a large program, and files ------------------------------------------

cat >"$tmp/hooks/large" <<'EOF'
#!/bin/sh
tail -c 600000 "$0" | sha256sum >"$VRUN_ARTIFACTS/sum"
head -c 1000000 /dev/zero >"$VRUN_ARTIFACTS/zeros"
mkfifo "$VRUN_ARTIFACTS/pipe"
exit 0
EOF
head -c 1000000 /dev/urandom >>"$tmp/hooks/large"
chmod +x "$tmp/hooks/large"

# --- and values that are data --------------------------------------------

cat >"$tmp/hooks/say" <<'EOF'
#!/bin/sh
printf '<%s>\n' "$1" "$X" "$VRUN_LEVEL_append" >"$VRUN_ARTIFACTS/said"
EOF
chmod +x "$tmp/hooks/say"
# shellcheck disable=SC2016 # it is data
yaml='a  b; $(touch /tmp/evil) `id` \"q\" '"'r'"' \\ &\nsecond | line'
# shellcheck disable=SC2016 # it is data
level='vrun.x=$(id);"a b"'
matrix "{after-boot: [{on: guest, run: large}, {on: guest, run: say, args: [\"$yaml\"], env: {X: \"$yaml\"}}]}"
sed -i "s/^factors: .*/factors: {append: ['$level']}/" "$tmp/m.yaml"
run 0
evil=$(printf '%b' "${yaml//\\\"/\"}")
printf '<%s>\n' "$evil" "$evil" "$level" >"$tmp/want"
cmp "$tmp/want" "$dir"/artifacts/*/hook-say-said ||
	fail "said: $(cat "$dir"/artifacts/*/hook-say-said)"
kept hook-large-sum \
	"^$(tail -c 600000 "$tmp/hooks/large" | sha256sum | cut -c 1-64)"
[ "$(stat -c %s "$dir"/artifacts/*/hook-large-zeros)" -eq 1000000 ] ||
	fail "the large file is not whole"
recorded 'pipe\" is not kept: it is no file'

# --- what fails ----------------------------------------------------------

fails() { # HOOKS OUTCOME TEXT
	matrix "$1"
	run 1
	[ "$(outcomes "$dir" "$2")" -eq 1 ] || fail "$1: the trial is not $2"
	recorded "$3"
}
fails '{after-boot: {on: guest, shell: "echo no such luck; exit 3"}}' failed \
	'in the guest: hook shell-1 (after-boot) exited with status 3: no such luck'
fails '{around-workload: {on: guest, shell: "echo ready; cat; exit 7"}}' \
	failed 'in the guest: hook shell-1 (around-workload) exited with status 7'
cp /bin/true "$tmp/hooks/dynamic"
fails '{after-boot: {on: guest, run: dynamic}}' failed \
	'it is linked dynamically, and its loader /lib64/ld-linux-x86-64.so.2 is not here; link it statically'
# The guest is gone when the trial ends: that is said, not waited for.
fails '{around-workload: {on: guest, shell: "echo ready; cat; poweroff -f; sleep 9"}, after-trial: {on: guest, shell: "true"}}' \
	failed \
	'hook shell-2 (after-trial) did not run: there is no guest any more'

# --- refused, with the place and what would be right ---------------------

for stage in before-campaign before-block before-boot after-campaign; do
	matrix "{$stage: {on: guest, run: note}}"
	expect 2 "$VRUN" check "$tmp/m.yaml"
	says "m.yaml:2:$((16 + ${#stage})): hooks: $stage: on: $stage does not run on the guest, which does not live then; what does: after-boot, around-workload, after-trial"
done
matrix '{after-boot: {on: guest, run: note}}'
sed -i 's/accel: tcg, memory: 256M/accel: native/' "$tmp/m.yaml"
expect 2 "$VRUN" check "$tmp/m.yaml"
says 'm.yaml:2:26: hooks: after-boot: on: guest needs a VM, and every cell runs under accel: native' \
	'write on: host'
