# Order statistics: sort, median, and the ranks of its interval. For awk -f,
# before the script that uses them.
function sort(a, n,   i, j, x) {
	for (i = 2; i <= n; i++) {
		x = a[i]
		for (j = i - 1; j > 0 && a[j] > x; j--)
			a[j + 1] = a[j]
		a[j + 1] = x
	}
}

function median(a, n) {
	return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
}

# The largest k for which [x_(k), x_(n+1-k)] holds the median with at least
# 95 %: P(Binomial(n, 1/2) < k) <= 0.025 (Conover 1999, 3.2).
function rank_of(n,   k, term, below) {
	term = 0.5 ^ n
	for (k = 0; below + term <= 0.025 && k < n; k++) {
		below += term
		term *= (n - k) / (k + 1)
	}
	return k
}
