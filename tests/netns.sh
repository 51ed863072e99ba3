# Hosts with a real OpenSSH server each, on this one machine: network
# namespaces with veth pairs on a bridge, in each a mount namespace with a
# private /run, /var/lib/vrun and /etc/passwd, so that no file of a real user
# is touched. Sourced; the caller has set `tmp`, a directory of its own, and
# calls net_stop at its end, however that comes. Needs root.
#
#   net_need              says why it cannot be done here and exits 77
#   net_start HOSTS       hosts h1..hN at 10.211.0.1.. on port 22, user root
#   net_stop              ends every process in the namespaces; removes them
#   at_controller CMD...  in the controller's namespace, with its ~/.ssh
#   start_at_controller CMD...   in the background; its pid is in controller
#   at_host I CMD...      in host I's namespaces
#   host_up I, host_down I   sshd and all there; /run and boot_id are new when it
#                         is back
#   host_reboot I         as those, and its network is torn down and made anew
#   net_user NAME         a user on every host that is not root (before start)
#
# $tmp/net/h1/ is host 1: home/ (root's), home-NAME/, lib/ (/var/lib/vrun),
# sshd.conf, sshd.log. $tmp/net/c/ is the controller: home/.ssh/{config,
# known_hosts,id_ed25519}.
# shellcheck shell=bash

tmp=${tmp:?}
NET=vrun-$$
NET_USERS=()
NET_HOSTS=0

net_need() {
	local tool
	[ "$(id -u)" -eq 0 ] || { echo 'not root: no namespaces' && exit 77; }
	for tool in ip nsenter unshare ssh ssh-keygen; do
		command -v $tool >/dev/null || { echo "no $tool" && exit 77; }
	done
	[ -x /usr/sbin/sshd ] || { echo 'no sshd' && exit 77; }
	net_sweep
	ip netns add "$NET-b" 2>/dev/null || { echo 'no namespaces' && exit 77; }
	ip netns del "$NET-b"
}

net_user() {
	NET_USERS+=("$1")
}

# net_remove PREFIX: namespaces of that name and what runs in them.
net_remove() {
	local name pids
	for name in $(ip netns list | awk -v p="$1-" \
		'index($1, p) == 1 { print $1 }'); do
		pids=$(ip netns pids "$name")
		# shellcheck disable=SC2086 # one word each
		[ -z "$pids" ] || kill -9 $pids 2>/dev/null || true
		ip netns del "$name" || true
	done
}

# What tests that were killed have left.
net_sweep() {
	local pid
	for pid in $(ip netns list | sed -n 's/^vrun-\([0-9]*\)-.*/\1/p' | sort -u); do
		kill -0 "$pid" 2>/dev/null || net_remove "vrun-$pid"
	done
}

net_stop() {
	net_remove "$NET"
}

# net_passwd DIR: what /etc/passwd is for those who live in DIR.
net_passwd() {
	local name uid=64001
	grep '^sshd:' /etc/passwd
	echo "root:*:0:0:root:$1/home:/bin/sh"
	for name in "${NET_USERS[@]}"; do
		echo "$name:*:$uid:65534::$1/home-$name:/bin/sh"
		uid=$((uid + 1))
	done
}

net_key() {
	ssh-keygen -q -t ed25519 -N '' -C "$NET" -f "$1" </dev/null
}

# net_home DIR NAME: a home that takes the controller's key.
net_home() {
	mkdir -p "$1/.ssh"
	cp "$tmp/net/c/home/.ssh/id_ed25519.pub" "$1/.ssh/authorized_keys"
	chmod 700 "$1" "$1/.ssh"
	[ "$2" = root ] || chown -R "$(awk -F: -v n="$2" '$1 == n { print $3 }' \
		"${1%/*}/passwd")" "$1"
}

net_make_host() {
	local dir=$tmp/net/h$1 name
	mkdir -p "$dir/lib"
	net_passwd "$dir" >"$dir/passwd"
	net_home "$dir/home" root
	for name in "${NET_USERS[@]}"; do
		net_home "$dir/home-$name" "$name"
	done
	net_key "$dir/host_key"
	cat >"$dir/sshd.conf" <<-EOF
		HostKey $dir/host_key
		PidFile none
		UsePAM no
		PasswordAuthentication no
		KbdInteractiveAuthentication no
		PermitRootLogin prohibit-password
		StrictModes no
		MaxStartups 100
		AcceptEnv LANG
		Subsystem sftp internal-sftp
	EOF
	echo "10.211.$((($1 - 1) / 200)).$((($1 - 1) % 200 + 1))" >"$dir/address"
}

net_make_controller() {
	local dir=$tmp/net/c
	mkdir -p "$dir/home/.ssh" "$dir/lib"
	net_passwd "$dir" >"$dir/passwd"
	chmod 700 "$dir/home" "$dir/home/.ssh"
	net_key "$dir/home/.ssh/id_ed25519"
}

# The controller knows each host by its name, h1 and so on.
net_configure() {
	local i dir
	for ((i = 1; i <= NET_HOSTS; i++)); do
		dir=$tmp/net/h$i
		printf 'Host h%d\n\tHostName %s\n' $i "$(cat "$dir/address")"
	done >"$tmp/net/c/home/.ssh/config"
	for ((i = 1; i <= NET_HOSTS; i++)); do
		dir=$tmp/net/h$i
		echo "$(cat "$dir/address") $(cut -d' ' -f1,2 "$dir/host_key.pub")"
	done >"$tmp/net/c/home/.ssh/known_hosts"
}

# net_wire NAME ADDRESS PORT: one namespace on the bridge.
net_wire() {
	ip netns add "$NET-$1"
	ip -n "$NET-b" link add "p$3" type veth peer name eth0 address \
		"02:00:00:00:00:$(printf %02x "$3")" netns "$NET-$1"
	ip -n "$NET-b" link set "p$3" master br0 up
	ip -n "$NET-$1" addr add "$2/16" dev eth0
	ip -n "$NET-$1" link set eth0 up
	ip -n "$NET-$1" link set lo up
}

# Runs first in a mount namespace of its own: net_live DIR CMD...
# shellcheck disable=SC2016 # for the shell there
net_live='
	mount --make-rprivate /
	mount -t tmpfs -o mode=755 tmpfs /run
	mkdir -p /run/sshd /var/lib/vrun
	mount --bind "$1/lib" /var/lib/vrun
	mount --bind "$1/passwd" /etc/passwd
	[ ! -e "$1/boot_id" ] || {
		mount --bind "$1/boot_id" /proc/sys/kernel/random/boot_id
	}
	export HOME="$1/home"
	shift
	exec "$@"'

host_up() {
	local dir=$tmp/net/h$1 n
	cat /proc/sys/kernel/random/uuid >"$dir/boot_id"
	ip netns exec "$NET-h$1" unshare -m sh -ec "$net_live" sh "$dir" \
		/usr/sbin/sshd -D -f "$dir/sshd.conf" -E "$dir/sshd.log" \
		</dev/null >/dev/null 2>&1 &
	echo $! >"$dir/pid"
	disown
	for ((n = 0; n < 200; n++)); do
		! grep -q 'Server listening' "$dir/sshd.log" 2>/dev/null ||
			return 0
		sleep 0.05
	done
	echo "host $1 does not come up"
	return 1
}

host_down() {
	local pids
	pids=$(ip netns pids "$NET-h$1")
	# shellcheck disable=SC2086 # one word each
	[ -z "$pids" ] || kill -9 $pids 2>/dev/null || true
	rm -f "$tmp/net/h$1/sshd.log"
}

# With the same address of hardware, as a machine has.
host_reboot() {
	host_down "$1"
	ip -n "$NET-b" link del "p$1"
	ip netns del "$NET-h$1"
	net_wire "h$1" "$(cat "$tmp/net/h$1/address")" "$1"
	host_up "$1"
}

at_host() {
	local pid
	pid=$(cat "$tmp/net/h$1/pid")
	shift
	nsenter -t "$pid" -n -m -- "$@"
}

at_controller() {
	ip netns exec "$NET-c" unshare -m sh -ec "$net_live" sh \
		"$tmp/net/c" "$@"
}

start_at_controller() {
	ip netns exec "$NET-c" unshare -m sh -ec "$net_live" sh \
		"$tmp/net/c" "$@" &
	# shellcheck disable=SC2034 # for the caller
	controller=$!
}

net_start() {
	local i
	NET_HOSTS=$1
	mkdir -p "$tmp/net"
	chmod 755 "$tmp" "$tmp/net"
	net_make_controller
	ip netns add "$NET-b"
	ip -n "$NET-b" link add br0 type bridge
	ip -n "$NET-b" link set br0 up
	net_wire c 10.211.255.1 0
	for ((i = 1; i <= NET_HOSTS; i++)); do
		net_make_host "$i"
		net_wire "h$i" "$(cat "$tmp/net/h$i/address")" "$i"
		host_up "$i"
	done
	net_configure
}
