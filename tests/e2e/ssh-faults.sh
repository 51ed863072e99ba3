#!/bin/bash
# Hosts that cannot be used: each is named with what is wrong and what to do,
# the others go on, and the exit status is 1. Host keys, logins, ways, and what
# may be missing there.
# with sanitizers, too
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash
. tests/netns.sh
on_exit=net_stop
trap 'exit 1' INT TERM HUP

net_need
net_start 8
ssh=$tmp/net/c/home/.ssh
known=$ssh/known_hosts
m=$tmp/m.yaml
synthetic "$m" 3

address() {
	cat "$tmp/net/h$1/address"
}

# other_key I: from now on host I shows another key than known_hosts has.
other_key() {
	rm -f "$tmp/net/h$1/host_key"*
	net_key "$tmp/net/h$1/host_key"
	host_down "$1"
	host_up "$1"
}

forget() {
	ssh-keygen -q -f "$known" -R "$(address "$1")" >/dev/null 2>&1
}

is_known() {
	ssh-keygen -q -f "$known" -F "$(address "$1")" >/dev/null
}

# configure NAME LINE...: another Host of ~/.ssh/config.
configure() {
	printf 'Host %s\n' "$1" >>"$ssh/config"
	printf '\t%s\n' "${@:2}" >>"$ssh/config"
}

# refuses HOST TEXT...: a campaign on it and on h1 has the trials of h1 alone.
# `options` stand in the command line.
n=0
options=()
refuses() {
	local host=$1 text
	shift
	n=$((n + 1))
	expect 1 at_controller "$VRUN" "$m" --hosts "h1,$host" \
		--results "$tmp/r$n" "${options[@]}"
	tr -s ' \n' ' ' <"$tmp/err" >"$tmp/words"
	for text in "$host" "$@"; do
		grep -Fq -- "$text" "$tmp/words" || fail "does not say: $text,
			but: $(grep -A1 "^[a-z]* *$host " "$tmp/err")"
	done
	all_ok_once "$(results_in "$tmp/r$n")" 6
}

works() {
	n=$((n + 1))
	expect 0 at_controller "$VRUN" "$m" --hosts "$1" \
		--results "$tmp/r$n" "${options[@]}"
	all_ok_once "$(results_in "$tmp/r$n")" 6
}

# --- host keys -----------------------------------------------------------
forget 2
refuses h2 'its host key is not known (ssh-ed25519 SHA256:' \
	"\`ssh h2 true\`" '--accept-new-host-key'
! is_known 2 || fail 'an unknown key was stored'

line=$(grep -n "^$(address 3) " "$known" | cut -d: -f1)
other_key 3
changed=('its host key has changed' "$known:$line has another"
	"\`ssh-keygen -f '$known' -R '$(address 3)'\`")
refuses h3 "${changed[@]}"
cp "$known" "$tmp/known"
options=(--accept-new-host-key)
refuses h3 "${changed[@]}"
cmp -s "$known" "$tmp/known" || fail 'a changed key was stored'
works h2
is_known 2 || fail 'the new key was not stored'
options=()
works h2

# A key of another kind than the known ones is no reason to be content.
forget 3
ssh-keygen -q -t ecdsa -N '' -f "$tmp/ecdsa" </dev/null
echo "$(address 3) $(cut -d' ' -f1,2 "$tmp/ecdsa.pub")" >>"$known"
refuses h3 'its host key has changed' 'has another'

# --- logging in -------------------------------------------------------------
refuses nobody@h2 'no key is taken for user nobody' 'authorized_keys' \
	'id_ed25519: not taken'

rm "$tmp/net/h4/home/.ssh/authorized_keys"
refuses h4 'no key is taken for user root' \
	"\`ssh -o BatchMode=yes h4 true\` has to work"

ssh-keygen -q -t ed25519 -N secret -f "$ssh/locked" </dev/null
cp "$ssh/locked.pub" "$tmp/net/h4/home/.ssh/authorized_keys"
configure locked "HostName $(address 4)" "IdentityFile $ssh/locked" \
	'IdentitiesOnly yes'
refuses locked 'has a passphrase' "load the key with \`ssh-add $ssh/locked\`"

# The same with an agent that has it.
printf '#!/bin/sh\necho secret\n' >"$tmp/askpass"
chmod +x "$tmp/askpass"
eval "$(ssh-agent -a "$tmp/agent" -s)" >/dev/null
end() {
	kill "$SSH_AGENT_PID"
	net_stop
}
on_exit=end
SSH_ASKPASS=$tmp/askpass SSH_ASKPASS_REQUIRE=force \
	ssh-add -q "$ssh/locked" </dev/null
works locked
unset SSH_AUTH_SOCK

# --- the way there --------------------------------------------------------
configure refused "HostName $(address 2)" 'Port 2222'
refuses refused "$(address 2) port 2222: connection refused; is sshd running"

# Host 5 answers nobody but host 1: its packets to the controller are dropped.
ip -n "$NET-h5" route add blackhole 10.211.255.1/32
configure hole "HostName $(address 5)" 'ConnectTimeout 12'
refuses hole "$(address 5) port 22: no answer within 12 s"
configure behind "HostName $(address 5)" 'ProxyJump h1'
works behind

configure nowhere 'HostName no-such-host.invalid'
refuses nowhere 'no-such-host.invalid does not resolve'

configure astray "HostName $(address 5)" 'ProxyJump nobody@h1'
refuses astray 'Permission denied'

configure silent 'ProxyCommand true'
refuses silent 'the way through "true" ended before the host spoke'

# What is not an SSH server.
at_host 6 busybox nc -ll -p 2023 -e true >/dev/null 2>&1 &
wait_for 5 at_host 6 sh -c "ss -ltn | grep -q :2023"
configure mute "HostName $(address 6)" 'Port 2023'
refuses mute 'port 2023: whoever listens there speaks no SSH, or hung up'
at_host 6 busybox nc -ll -p 2022 -e cat /dev/urandom >/dev/null 2>&1 &
wait_for 5 at_host 6 sh -c "ss -ltn | grep -q :2022"
configure noise "HostName $(address 6)" 'Port 2022'
refuses noise "root@$(address 6) port 2022: whoever listens there speaks no SSH"

# --- what is missing there --------------------------------------------------
sed -i '/^Subsystem/d' "$tmp/net/h6/sshd.conf"
host_down 6
host_up 6
refuses h6 'has no SFTP' 'Subsystem sftp internal-sftp' 'MaxSessions'

at_host 7 mkdir -p "$tmp/net/h7/home/.cache"
at_host 7 mount -t tmpfs -o size=1m tmpfs "$tmp/net/h7/home/.cache"
refuses h7 'no room there' 'MiB are needed, ' 'XDG_CACHE_HOME'
[ -z "$(at_host 7 find "$tmp/net/h7/home/.cache" -name '*.new')" ] ||
	fail 'half of an agent stays'

at_host 8 mkdir -p "$tmp/net/h8/home/.cache"
at_host 8 mount -t tmpfs -o noexec tmpfs "$tmp/net/h8/home/.cache"
refuses h8 'the agent cannot be run' 'noexec' 'XDG_CACHE_HOME'

# --- another architecture --------------------------------------------------
# is ARCH: host 6 says that it is.
is() {
	mkdir -p "$tmp/net/h6/bin"
	printf '#!/bin/sh\necho %s\n' "$1" >"$tmp/net/h6/bin/uname"
	chmod +x "$tmp/net/h6/bin/uname"
}
cat >>"$tmp/net/h6/sshd.conf" <<-EOF
	Subsystem sftp internal-sftp
	SetEnv PATH=$tmp/net/h6/bin:/usr/bin:/bin
EOF
host_down 6
host_up 6
is riscv64
refuses h6 'is of architecture "riscv64"' 'x86_64 and aarch64'
mkdir "$tmp/agents"
cp "$B/vrun-agent" "$tmp/agents"
export VRUN_AGENT_DIR=$tmp/agents
is aarch64
refuses h6 'is of architecture aarch64: no vrun-agent-aarch64' \
	"run \`make agent-aarch64\`"
# What is called so is copied; that it greets is enough here.
cp "$B/vrun-agent" "$tmp/agents/vrun-agent-aarch64"
printf x >>"$tmp/agents/vrun-agent-aarch64"
works h6
cmp -s "$tmp/net/h6"/home/.cache/vrun/agent-*/vrun-agent \
	"$tmp/agents/vrun-agent-aarch64" || fail 'another agent was copied'
unset VRUN_AGENT_DIR

# --- what a host prints that nobody asked for ------------------------------
# noisy COMMAND: host 5 runs it instead of what it is asked to run.
noisy() {
	sed -i '/^ForceCommand/d' "$tmp/net/h5/sshd.conf"
	echo "ForceCommand $1" >>"$tmp/net/h5/sshd.conf"
	host_down 5
	host_up 5
}
ip -n "$NET-h5" route del blackhole 10.211.255.1/32
# As most often: a line in .bashrc, which bash reads for sshd, too.
sed 's,:/bin/sh$,:/bin/bash,' "$tmp/net/h5/passwd" >"$tmp/passwd"
cp "$tmp/passwd" "$tmp/net/h5/passwd"
echo 'echo Good morning' >"$tmp/net/h5/home/.bashrc"
refuses h5 'begins with "Good morning"' 'login script'
echo 'echo Good morning >&2' >"$tmp/net/h5/home/.bashrc"
works h5
rm "$tmp/net/h5/home/.bashrc"
# shellcheck disable=SC2016 # for the shell there
noisy 'echo Welcome; eval "$SSH_ORIGINAL_COMMAND"'
refuses h5 'begins with "Welcome"' 'login script'
noisy yes
refuses h5 'printed more than 65536 bytes'
noisy 'true'
refuses h5 'a command there does nothing' 'login shell' 'ForceCommand'
# The agent itself goes mad.
# shellcheck disable=SC2016 # for the shell there
mad='case $SSH_ORIGINAL_COMMAND in *sha256sum*) eval "$SSH_ORIGINAL_COMMAND" ;; *)'
noisy "$mad cat /dev/zero ;; esac"
refuses h5 'not the protocol'
noisy "$mad cat /dev/zero >&2 ;; esac"
refuses h5 'standard error'

# --- no host at all ----------------------------------------------------------
expect 1 at_controller "$VRUN" "$m" --hosts refused,nowhere \
	--results "$tmp/none"
says 'vrun: host refused: ' 'vrun: host nowhere: '
