#!/bin/bash
# A QEMU that a host over SSH does not have is copied there, with its firmware
# and modules, once, and each record says which one ran. So is a guest image of
# the user's. The host does not see the controller's: they lie in a directory
# that is mounted there alone.
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash
. tests/netns.sh
on_exit=net_stop
trap 'exit 1' INT TERM HUP

command -v qemu-system-x86_64 >/dev/null || skip 'no qemu-system-x86_64'
[ -e "$GUEST/initrd" ] || skip "no guest image in $GUEST: make guest"
net_need
net_start 2

# --- a QEMU with a prefix of its own ---------------------------------------

theirs=$(realpath "$(command -v qemu-system-x86_64)")
mkdir -p "$tmp/prefix/bin" "$tmp/only-here"
cp "$theirs" "$tmp/prefix/bin/qemu-system-x86_64"
printf x >>"$tmp/prefix/bin/qemu-system-x86_64" # another one, which runs as well
# link DIR: what is at PREFIX/DIR of theirs is there in ours, too.
link() {
	mkdir -p "$tmp/prefix/$(dirname "$1")"
	[ -e "$tmp/prefix/$1" ] || ln -s "${theirs%/*}/../$1" "$tmp/prefix/$1"
}
"$theirs" -L help | sed -n "s|^${theirs%/*}/\.\./||p" | while read -r dir; do
	link "$dir"
done
for dir in "${theirs%/*}"/../lib*/qemu "${theirs%/*}"/../lib/*/qemu; do
	[ ! -d "$dir" ] || link "${dir#"${theirs%/*}"/../}"
done
mine=$tmp/only-here/bin/qemu-system-x86_64

# here CMD...: where that directory is not empty.
here() {
	# shellcheck disable=SC2016 # for the shell there
	at_controller sh -ec 'mount --bind "$1" "$2"; shift 2; exec "$@"' sh \
		"$tmp/prefix" "$tmp/only-here" "$@"
}

matrix() {
	cat >"$m" <<-EOS
		name: qemu
		factors: $1
		fixed: {accel: tcg, memory: 256M}
		workloads: [synthetic: {runtime: 50ms}]
		compare: {metric: synthetic.value}
		design: {rounds: 1, seed: 3}
	EOS
}
mkdir "$tmp/m"
m=$tmp/m/m.yaml
cache=$tmp/net/h1/home/.cache/vrun

# --- copied, and beside it the host's own -----------------------------------

matrix "{qemu: [{mine: $mine}, {theirs: $theirs}]}"
expect 0 here "$VRUN" "$m" --hosts h1 --results "$tmp/r"
dir=$(results_in "$tmp/r")
all_ok_once "$dir" 2
sum=$(sha256sum "$tmp/prefix/bin/qemu-system-x86_64" | cut -d' ' -f1)
copy=$(echo "$cache"/qemu-*/bin/qemu-system-x86_64)
jq -r 'select(.event == "finished") | .result | .facts.qemu as $q |
	[.checks[] | select(.parameter == "qemu") | .status] as $c |
	"\($q.program) \($q.sha256) \($q.copied) \($q.version != null) \($c)"' \
	"$dir/trials.jsonl" | sort >"$tmp/seen"
sort >"$tmp/want" <<EOS
$copy $sum true true ["ok"]
$theirs $(sha256sum "$theirs" | cut -d' ' -f1) null true ["ok"]
EOS
cmp -s "$tmp/want" "$tmp/seen" || fail "seen: $(cat "$tmp/seen")"
says "$mine of the controller: QEMU emulator version"
[ -e "${copy%/bin/*}/share/qemu/kvmvapic.bin" ] ||
	fail 'firmware was not copied'
was=$(stat -c '%i %y' "$copy")

# --- an image of the user's ---------------------------------------------------

mkdir "$tmp/prefix/image"
cp "$GUEST/vmlinuz" "$GUEST/initrd" "$tmp/prefix/image"
jq '.append = (.append // "console=ttyS0 quiet panic=-1") + " mine=1"' \
	"$GUEST/manifest.json" >"$tmp/prefix/image/manifest.json"
matrix "{image: [builtin, {mine: $tmp/only-here/image}]}"
expect 0 here "$VRUN" "$m" --hosts h1 --results "$tmp/i"
dir=$(results_in "$tmp/i")
all_ok_once "$dir" 2
jq -r 'select(.event == "finished") | .result.facts.guest.cmdline as $c |
	"\(.levels.image) \($c | test(" mine=1"))"' "$dir/trials.jsonl" |
	sort | tr '\n' ' ' >"$tmp/seen"
[ "$(cat "$tmp/seen")" = 'builtin false mine true ' ] ||
	fail "other images ran: $(cat "$tmp/seen")"
[ "$(find "$cache" -maxdepth 1 -name 'image-*' | wc -l)" -eq 2 ] ||
	fail "images there: $(ls "$cache")"
# Where the controller has none, the host's own of that path.
expect 3 at_controller "$VRUN" check "$m" --hosts h1
grep -q "only-here/image has no readable vmlinuz" "$tmp/out" ||
	fail "another image was found: $(cat "$tmp/out")"

# --- once; what was damaged there, anew -------------------------------------

printf 'hosts:\n  h1: {qemu: %s}\n  h2: {qemu: %s}\n' "$mine" "$mine" \
	>"$tmp/m/hosts.yaml"
matrix '{cpus: [1]}'
expect 0 here "$VRUN" check "$m" --hosts h1
[ "$(stat -c '%i %y' "$copy")" = "$was" ] || fail 'it was copied again'
printf x >>"${copy%/bin/*}/share/qemu/kvmvapic.bin"
expect 0 here "$VRUN" check "$m" --hosts h1
(cd "${copy%/bin/*}" && sha256sum --quiet -c SHA256SUMS) ||
	fail 'what was damaged stays'
[ "$(find "$cache" -maxdepth 1 -name 'qemu-*' | wc -l)" -eq 1 ] ||
	fail "left: $(ls "$cache")"

# --- killed while it is copied: half of it is of no use to anybody -----------

begun() {
	compgen -G "$tmp/net/h2/home/.cache/vrun/qemu-*" >/dev/null
}
here "$VRUN" check "$m" --hosts h2 >/dev/null 2>&1 &
controller=$!
wait_for 60 begun
ip netns pids "$NET-c" | xargs -r kill -9 || true # some end by themselves
wait $controller || true
expect 0 here "$VRUN" "$m" --hosts h2 --results "$tmp/r2"
all_ok_once "$(results_in "$tmp/r2")" 1

# --- what cannot be copied ----------------------------------------------------

# ends STATUS QEMU TEXT...: a campaign with that QEMU.
ends() {
	local status=$1
	printf 'hosts:\n  h1: {qemu: %s}\n' "$2" >"$tmp/m/hosts.yaml"
	shift 2
	expect "$status" here "$VRUN" "$m" --hosts h1 --results "$tmp/none"
	tr -s ' \n' ' ' <"$tmp/err" >"$tmp/words"
	for text; do
		grep -Fq -- "$text" "$tmp/words" ||
			fail "does not say: $text"
	done
}
ends 3 /opt/no-such/qemu '/opt/no-such/qemu' \
	'the controller has no program for it there, either'
# shellcheck disable=SC2016 # a path of these letters
printf '#!/bin/sh\nexec %s "$@"\n' "$theirs" >"$tmp/prefix/bin/script"
chmod +x "$tmp/prefix/bin/script"
ends 1 "$tmp/only-here/bin/script" 'is a script' 'install it on the host'

# One whose library the host has not.
if command -v gcc >/dev/null; then
	mkdir "$tmp/prefix/libs"
	echo 'int vrun_answer(void) { return 0; }' >"$tmp/l.c"
	echo 'int vrun_answer(void); int main(void) { return vrun_answer(); }' \
		>"$tmp/p.c"
	gcc -shared -fPIC -Wl,-soname,libvrun-odd.so.3 \
		-o "$tmp/prefix/libs/libvrun-odd.so.3" "$tmp/l.c"
	gcc -o "$tmp/prefix/bin/odd" "$tmp/p.c" \
		"$tmp/prefix/libs/libvrun-odd.so.3" \
		-Wl,-rpath,"$tmp/only-here/libs"
	ends 3 "$tmp/only-here/bin/odd" 'libvrun-odd.so.3' \
		'install the packages of these libraries' '--static'
fi

# Any characters stand for themselves.
# shellcheck disable=SC2016 # a path of these letters
name='q $(touch bad); "x'
cp "$theirs" "$tmp/prefix/bin/$name"
ends 0 "'$tmp/only-here/bin/$name'" "$name of the controller: QEMU emulator"
[ -z "$(find "$tmp/net" -name bad)" ] || fail 'a shell read a path'
[ ! -e bad ] || fail 'a shell here read a path'
