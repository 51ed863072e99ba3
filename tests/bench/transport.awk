# "ROUND WHAT NANOSECONDS" lines as ratios to ssh within rounds: the median
# and its interval. Fails when a remote trial is above `limit` for sure.
{
	val[$2, $1] = $3
	rounds[$1]
}

function say(what,   r, n, a, b, k) {
	for (r in rounds) {
		a[++n] = val[what, r] / val["ssh", r]
		b[n] = val[what, r]
	}
	sort(a, n)
	sort(b, n)
	k = rank_of(n)
	printf "%-6s trial, to ssh: %.3f [%.3f, %.3f]; %.2f ms\n", what,
		median(a, n), a[k], a[n + 1 - k], median(b, n) / 1e6
	return a[k]
}

END {
	least = say("remote")
	say("local")
	exit least > limit
}
