#!/bin/bash
# No object file has variables that outlive a call and can change: only the
# log level may. Reads the objects of the build in $B (default build).
. "$(dirname "$0")/files.sh"

ALLOWED=' log_level '
B=${B:-build}

# "section symbol" of every object that is neither constant nor only
# relocated.
variables() {
	objdump -t "$1" 2>/dev/null |
		awk '/ O / && $4 ~ /^\.(data|bss|tdata|tbss)/ &&
		     $4 !~ /^\.data\.rel\.ro/ { print $NF }
		     / O \*COM\*/ { print $NF }'
}

while read -r src; do
	obj=$B/obj/${src%.c}.o
	if [ ! -f "$obj" ]; then
		complain "$src" "not built in $B: make all"
		continue
	fi
	for v in $(variables "$obj"); do
		[[ $ALLOWED == *" ${v%%.*} "* ]] ||
			complain "$src" "\"$v\" is a global that can change"
	done
done < <(files 'runner/*.c' 'analysis/*.c')
finish
