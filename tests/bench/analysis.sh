#!/bin/bash
# The analysis of a million trials: `vrun report --format json` beside the same
# comparison in Python with Debian's pandas and ujson, from the same journal.
# Both must find the same. vrun's report also has diagnostics, planning and the
# environment, which the other leaves out.
#
#   tests/bench/analysis.sh [HOSTS CELLS ROUNDS]     (100 100 100)
#
# B            build directory (build), for vrun and tests/make_campaign
# DIR          where the campaign is made (/var/tmp): 1.1 GB
# PYTHON       the interpreter that has pandas (/usr/bin/python3)
# TIMES        runs of each (3); the medians count
#
# Fails when the results differ, or with the usual size when vrun takes 2 s of
# CPU or 1 GiB: neighbours make the seconds on the clock.
set -eu
cd "$(dirname "$0")/../.."
B=$(realpath "${B:-build}")
PYTHON=${PYTHON:-/usr/bin/python3}
TIMES=${TIMES:-3}

skip() {
	echo "$*"
	exit 77
}

[ -x /usr/bin/time ] || skip "needs /usr/bin/time (Debian: time)"
"$PYTHON" -c 'import pandas, scipy, ujson' 2>/dev/null ||
	skip "needs python3-pandas, python3-scipy and python3-ujson"
tmp=$(mktemp -d "${DIR:-/var/tmp}/vrun-bench-XXXXXX")
trap 'rm -rf "$tmp"' EXIT

# measure NAME COMMAND...: its output is kept, and of each run a line of
# seconds on the clock, of CPU, and KiB at the most.
measure() {
	local name=$1
	shift
	/usr/bin/time -o "$tmp/$name.time" -a -f '%e %U %S %M' "$@" \
		>"$tmp/$name.json"
	awk 'END { print $1, $2 + $3, $4 }' "$tmp/$name.time" >>"$tmp/$name"
}

# median NAME COLUMN
median() {
	cut -d' ' -f"$2" "$tmp/$1" | sort -n |
		awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

"$B/tests/make_campaign" "$tmp/c" "$@"
echo "$(wc -l <"$tmp/c/trials.jsonl") lines," \
	"$(($(stat -c %s "$tmp/c/trials.jsonl") >> 20)) MiB"
for _ in $(seq "$TIMES"); do
	measure vrun "$B/vrun" report "$tmp/c" --format json
	measure python "$PYTHON" tests/bench/analysis.py run "$tmp/c"
done
"$PYTHON" tests/bench/analysis.py same "$tmp/vrun.json" "$tmp/python.json"
for name in vrun python; do
	echo "$name $(median $name 1) $(median $name 2) $(median $name 3)"
done | awk -v given=$# '
	{
		printf "%-7s %7.2f s  %7.2f s of CPU  %6.0f MiB\n",
			$1, $2, $3, $4 / 1024
		for (i = 2; i <= 4; i++)
			v[NR, i] = $i
	}
	END {
		printf "python / vrun: %.1f in time, %.1f in CPU, %.1f in memory\n",
			v[2, 2] / v[1, 2], v[2, 3] / v[1, 3], v[2, 4] / v[1, 4]
		exit !given && (v[1, 3] >= 2 || v[1, 4] >= 1024 * 1024)
	}' || { echo "FAIL: over 2 s or 1 GiB"; exit 1; }
