# "round depth tool IOPS IOs-per-CPU-second" lines as medians and ratios of the
# built-in generator to each tool. See generator.sh.
# Ratios of column `what` in the rounds that have both tools: "m [lo, hi]";
# sets hi_of_last. With less than 6 rounds there is no such interval.
function ratios(what, depth, tool,   r, n, a, k) {
	hi_of_last = ""
	for (r in rounds)
		if (val[what, r, depth, tool] > 0 &&
		    val[what, r, depth, "builtin"] > 0)
			a[++n] = val[what, r, depth, "builtin"] / \
				val[what, r, depth, tool]
	if (n == 0)
		return "-"
	sort(a, n)
	k = rank_of(n)
	if (k == 0)
		return sprintf("%.3f", median(a, n))
	hi_of_last = a[n + 1 - k]
	return sprintf("%.3f [%.3f, %.3f]", median(a, n), a[k], a[n + 1 - k])
}

function iops_of(depth, tool,   r, n, a) {
	for (r in rounds)
		if (val["iops", r, depth, tool] > 0)
			a[++n] = val["iops", r, depth, tool]
	sort(a, n)
	return n ? median(a, n) : 0
}

function floor_of(depth, tool, at, against) {
	if (depth == at && tool == against && hi_of_last != "" &&
	    hi_of_last < 1) {
		printf "FAIL depth %d: below %s\n", depth, tool
		failed = 1
	}
}

NF < 5 {
	printf "FAIL round %d: %s at depth %d gave no figure\n", $1, $3, $2
	failed = 1
	next
}

{
	rounds[$1]
	if (!($2 in depths)) {
		depths[$2]
		depth_at[++ndepths] = $2 + 0
	}
	if (!($3 in known)) {
		known[$3]
		tool_at[++ntools] = $3
	}
	val["iops", $1, $2, $3] = $4
	val["cpu", $1, $2, $3] = $5
}

END {
	sort(depth_at, ndepths)
	sort(tool_at, ntools)
	printf "%5s  %-14s %9s  %-22s %s\n", "depth", "tool", "IOPS",
		"ratio of IOs/CPU s", "ratio of IOPS"
	for (d = ndepths; d > 0; d--)
		for (t = 1; t <= ntools; t++) {
			depth = depth_at[d]
			tool = tool_at[t]
			if (iops_of(depth, tool) == 0)
				continue
			cpu = ratios("cpu", depth, tool)
			floor_of(depth, tool, 128, "t_io_uring")
			floor_of(depth, tool, 1, "t_io_uring_lat")
			printf "%5d  %-14s %9.0f  %-22s %s\n", depth, tool,
				iops_of(depth, tool), cpu,
				ratios("iops", depth, tool)
		}
	exit failed
}
