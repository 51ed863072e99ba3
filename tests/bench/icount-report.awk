# "ICOUNT round depth tool IOPS" lines, sorted by depth, tool and IOPS, as a
# table of medians and ratios. See icount-guest.sh.
function median(key,   n) {
	n = count[key]
	if (n % 2)
		return iops[key, (n + 1) / 2]
	return (iops[key, n / 2] + iops[key, n / 2 + 1]) / 2
}

function ratio(a, b) {
	return b > 0 ? sprintf("%.3f", a / b) : "-"
}

# Repeats agree to 0.1 %, so a floor is missed below that.
function floor_of(what, a, b, least) {
	if (a > 0 && b > 0 && a / b < least - 0.001) {
		printf "FAIL depth %d: %.3f of %s, at least %.2f is wanted\n",
			depth, a / b, what, least
		failed = 1
	}
}

function print_depth(d,   i, tool, m, peak, fio) {
	peak = m_of[d, "t_io_uring"]
	fio = 0
	for (i = 1; i <= ntools; i++)
		if (tools[i] ~ /^fio/ && m_of[d, tools[i]] > fio)
			fio = m_of[d, tools[i]]
	for (i = 1; i <= ntools; i++) {
		tool = tools[i]
		m = m_of[d, tool]
		printf "%5d  %-12s %9.0f  %6.3f %%  %10s  %11s\n", d, tool, m,
			spread[d, tool], ratio(m, peak), ratio(m, fio)
	}
	depth = d
	floor_of("t/io_uring", m_of[d, "builtin"], peak, 1)
	floor_of("the fastest fio", m_of[d, "builtin"], fio, 1.2)
}

NF < 5 || $5 <= 0 {
	printf "FAIL %s at depth %d gave no figure\n", $4, $3
	failed = 1
	next
}

{
	key = $3 SUBSEP $4
	if (!($3 in depths)) {
		depths[$3]
		order[++ndepths] = $3
	}
	if (!($4 in known)) {
		known[$4]
		tools[++ntools] = $4
	}
	iops[key, ++count[key]] = $5
}

END {
	if (ndepths == 0) {
		print "FAIL no run gave a figure"
		exit 1
	}
	print "depth  tool              IOPS    spread  /t/io_uring  /fastest fio"
	for (key in count) {
		m_of[key] = median(key)
		spread[key] = (iops[key, count[key]] / iops[key, 1] - 1) * 100
	}
	for (d = 1; d <= ndepths; d++)
		print_depth(order[d])
	exit failed
}
