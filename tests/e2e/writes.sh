#!/bin/bash
# Under strace: a campaign with settings, hooks and a guest writes in its results
# directory, the agent's private directories and the settings that its matrix
# names, and nowhere else.
# alone: changes settings of the host
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash

swappiness=/proc/sys/vm/swappiness
[ -w $swappiness ] || skip "needs root and a kernel whose settings it may change"
[ -e "$GUEST/initrd" ] || skip "no guest image; run make guest"
command -v strace >/dev/null || skip "no strace"
strace -f -e trace=none true 2>/dev/null || skip "strace may not trace here"
was=$(cat $swappiness)
on_exit=put_back
put_back() {
	echo "$was" >$swappiness
}

mkdir -m 700 "$tmp/run" "$tmp/state" "$tmp/tmp" "$tmp/hooks"
export VRUN_RUNDIR=$tmp/run VRUN_STATEDIR=$tmp/state TMPDIR=$tmp/tmp

# Where it may write: extended regular expressions of whole paths; `also` are
# more of them.
also=()
allowed() {
	printf '%s\n' "${also[@]}"
	cat <<-EOS
		$tmp/(r|run|state)(/.*)?
		$swappiness
		/proc/sys/vm/drop_caches
		/dev/(null|tty|ptmx)
	EOS
}

# whole FILE: each call on one line. While others ran in between, strace wrote
# it in two; of one that never came back only the first is there.
whole() {
	awk '
		/ <unfinished \.\.\.>$/ {
			sub(/ <unfinished \.\.\.>$/, "")
			head[$1] = $0
			next
		}
		/^[0-9]+ +<\.\.\. [a-z0-9_]+ resumed>/ {
			pid = $1
			sub(/^[0-9]+ +<\.\.\. [a-z0-9_]+ resumed>/, "")
			print head[pid] $0
			delete head[pid]
			next
		}
		{ print }
		END { for (pid in head) print head[pid] " = ?" }' "$1"
}

# Each path that was written, made, renamed, removed or bound, once. What has
# no path (pipes, sockets, memfds) is left out; `strace -y` tells the path of
# what was opened.
written() {
	whole "$1" | sed -nE '
		s/^([0-9]+ +)?//
		/ = -1 E/d
		/^open(at)?\(.*O_(WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)/ {
			s/.* = [0-9]+<(.*)>$/\1/p
			s/^openat\([^<]*<([^>]*)>, "([^"]*)".* = \?$/\1 \2/p
			d
		}
		s/^(mkdir|rmdir|unlink|truncate|mknod|chmod|chown)\("([^"]*)".*/\2/p
		s/^(rename|link|symlink)\("([^"]*)", "([^"]*)".*/\2\n\3/p
		s/^(mkdirat|unlinkat|mknodat|fchmodat|fchownat)\([^<]*<([^>]*)>, "([^"]*)".*/\2 \3/p
		s/^(renameat2?|linkat)\([^<]*<([^>]*)>, "([^"]*)", [^<]*<([^>]*)>, "([^"]*)".*/\2 \3\n\4 \5/p
		s/^bind\(.*sun_path="([^"]*)".*/\1/p' |
		sed -E 's,^.* (/.*),\1,; s, ,/,; / \(deleted\)$/s///' |
		grep -E '^/' | sort -u
}

# What strace writes in two is put together; a call that failed is none.
cat >"$tmp/trace" <<'EOS'
12 openat(AT_FDCWD</w>, "a", O_WRONLY|O_CREAT, 0644 <unfinished ...>
13 mkdirat(5</d>, "b", 0755 <unfinished ...>
14 unlink("/gone") = -1 ENOENT (No such file or directory)
12 <... openat resumed>) = 3</w/a>
15 rename("/from", "/to" <unfinished ...>
13 <... mkdirat resumed>) = 0
15 <... rename resumed>) = -1 EACCES (Permission denied)
16 openat(AT_FDCWD</w>, "killed", O_WRONLY|O_CREAT, 0644 <unfinished ...>
17 openat(AT_FDCWD</w>, "read", O_RDONLY <unfinished ...>
16 +++ killed by SIGKILL +++
EOS
[ "$(written "$tmp/trace" | paste -sd ' ')" = '/d/b /w/a /w/killed' ] ||
	fail "reads strace wrongly: $(written "$tmp/trace")"

# traced STATUS DIR: runs m.yaml under strace; $tmp/elsewhere is what it wrote
# where it must not.
traced() {
	local calls=open,openat,mkdir,mkdirat,rmdir,unlink,unlinkat,rename
	calls=$calls,renameat,renameat2,link,linkat,symlink,truncate,mknod
	calls=$calls,mknodat,chmod,fchmodat,chown,fchownat,bind
	expect "$1" strace -f --seccomp-bpf -y -s 4096 -e trace=$calls \
		-o "$tmp/trace" "$VRUN" "$tmp/m.yaml" --results "$tmp/r"
	allowed >"$tmp/allowed"
	written "$tmp/trace" >"$tmp/written"
	grep -Exvf "$tmp/allowed" "$tmp/written" >"$tmp/elsewhere" || true
}

cat >"$tmp/hooks/note" <<'EOS'
#!/bin/sh
echo "$VRUN_STAGE" >"$VRUN_ARTIFACTS/stage"
[ "$VRUN_STAGE" != around-workload ] || { echo ready; cat; }
[ -z "${ELSEWHERE-}" ] || echo "$VRUN_TRIAL" >"$ELSEWHERE"
EOS
chmod +x "$tmp/hooks/note"
cat >"$tmp/m.yaml" <<EOS
name: writes
host-settings: {sysctl.vm.swappiness: $((was == 7 ? 8 : 7)), drop-caches: each-trial}
hooks: {before-boot: note, around-workload: {run: note, env: {ELSEWHERE: ''}},
  after-campaign: {on: controller, shell: 'echo over >over'}}
fixed: {accel: tcg, memory: 256M}
factors: {block.iodepth: [1]}
workloads: [block: {device: null_blk, runtime: 500ms, ramp: 100ms}]
compare: {metric: block.iops}
design: {rounds: 1, seed: 1}
EOS
traced 0
[ ! -s "$tmp/elsewhere" ] || fail "wrote elsewhere: $(cat "$tmp/elsewhere")"
for want in "$tmp/r/.*/trials.jsonl" "$tmp/r/.*/over" "$tmp/run/.*" $swappiness \
	/proc/sys/vm/drop_caches; do
	grep -Exq -- "$want" "$tmp/written" || fail "strace did not see $want"
done

# --- a hook that writes elsewhere is seen --------------------------------

sed -i "s|ELSEWHERE: ''|ELSEWHERE: $tmp/tmp/mark|; s/accel: tcg/accel: native/
	s/^workloads:.*/workloads: [synthetic: {runtime: 10ms}]/
	s/^factors:.*/factors: {effect: [0]}/; s/block.iops/synthetic.value/" \
	"$tmp/m.yaml"
traced 0
[ "$(cat "$tmp/elsewhere")" = "$tmp/tmp/mark" ] ||
	fail "what the hook wrote is not seen, or more: $(cat "$tmp/elsewhere")"

# --- a file for fio: made without a name, fio itself works in TMPDIR ---------

command -v fio >/dev/null || skip "no fio: not tested with it"
sed -i "s|^workloads:.*|workloads: [block: {engine: fio, device: $tmp/target, size: 1M, runtime: 200ms, ramp: 0s}]|
	s/^factors:.*/factors: {block.iodepth: [1]}/; s/synthetic.value/block.iops/
	/^hooks:/,/after-campaign/d" "$tmp/m.yaml"
also=("$tmp/(#[0-9]+|target(\.vrun-part)?)" '/proc/self/fd/[0-9]+'
	"$tmp/tmp/vrun-fio-[^/]*(/.*)?")
traced 0
[ ! -s "$tmp/elsewhere" ] || fail "wrote elsewhere: $(cat "$tmp/elsewhere")"
grep -q "^$tmp/tmp/vrun-fio-" "$tmp/written" || fail 'strace did not see fio'
[ "$(ls "$tmp/tmp")" = mark ] || fail "left in TMPDIR: $(ls "$tmp/tmp")"
