#include "runner/base/hist.h"

#include <math.h>
#include <string.h>

void hist_init(struct hist *h)
{
	memset(h, 0, sizeof(*h));
	h->min = UINT64_MAX;
}

uint64_t hist_bucket_low(unsigned b)
{
	unsigned shift = b / HIST_SUB;

	if (shift == 0)
		return b;
	return (uint64_t)(HIST_SUB + b % HIST_SUB) << (shift - 1);
}

uint64_t hist_bucket_high(unsigned b)
{
	unsigned shift = b / HIST_SUB;

	if (shift == 0)
		return b;
	return hist_bucket_low(b) + ((1ULL << (shift - 1)) - 1);
}

void hist_merge(struct hist *to, const struct hist *from)
{
	for (unsigned b = 0; b < HIST_BUCKETS; b++)
		to->count[b] += from->count[b];
	to->n += from->n;
	to->sum += from->sum;
	to->min = MIN(to->min, from->min);
	to->max = MAX(to->max, from->max);
}

double hist_percentile(const struct hist *h, double p)
{
	double want = p * (double)h->n, mid;
	uint64_t seen = 0;
	unsigned b = 0;

	if (h->n == 0)
		return 0;
	for (; b < HIST_BUCKETS - 1; b++) {
		seen += h->count[b];
		if (seen > 0 && (double)seen >= want)
			break;
	}
	mid = ((double)hist_bucket_low(b) + (double)hist_bucket_high(b)) / 2;
	return fmin(fmax(mid, (double)h->min), (double)h->max);
}

double hist_mean(const struct hist *h)
{
	return h->n == 0 ? 0 : h->sum / (double)h->n;
}

struct js *hist_to_js(const struct hist *h)
{
	struct js *j = js_object(), *buckets = js_array();

	js_set_int(j, "n", (int64_t)h->n);
	js_set_int(j, "min", h->n ? (int64_t)h->min : 0);
	js_set_int(j, "max", (int64_t)h->max);
	js_set_real(j, "sum", h->sum);
	for (unsigned b = 0; b < HIST_BUCKETS; b++) {
		struct js *pair;

		if (h->count[b] == 0)
			continue;
		pair = js_array();
		js_append(pair, js_int((int64_t)hist_bucket_low(b)));
		js_append(pair, js_int((int64_t)h->count[b]));
		js_append(buckets, pair);
	}
	js_set(j, "buckets", buckets);
	return j;
}

// [low, count]: a bucket is named once, by any value in it.
static int read_bucket(const struct js *pair, struct hist *h)
{
	int64_t low = js_int_value(js_at(pair, 0), -1);
	int64_t n = js_int_value(js_at(pair, 1), -1);
	uint64_t *count;

	if (low < 0 || n <= 0)
		return -1;
	count = &h->count[hist_bucket((uint64_t)low)];
	if (*count != 0 || (uint64_t)n > INT64_MAX - h->n)
		return -1;
	*count = (uint64_t)n;
	h->n += (uint64_t)n;
	return 0;
}

static unsigned first_bucket(const struct hist *h)
{
	unsigned b = 0;

	while (b < HIST_BUCKETS - 1 && h->count[b] == 0)
		b++;
	return b;
}

static unsigned last_bucket(const struct hist *h)
{
	unsigned b = HIST_BUCKETS - 1;

	while (b > 0 && h->count[b] == 0)
		b--;
	return b;
}

// The least and the greatest value lie in the outer buckets, and the mean
// between them: but for the rounding of a sum of n terms.
static bool is_consistent(const struct hist *h)
{
	double n = (double)h->n, slack = 1e-6 * h->sum;

	if (h->n == 0)
		return h->min == UINT64_MAX && h->max == 0 && h->sum == 0;
	return h->min <= h->max && hist_bucket(h->min) == first_bucket(h) &&
	       hist_bucket(h->max) == last_bucket(h) &&
	       h->sum >= n * (double)h->min - slack &&
	       h->sum <= n * (double)h->max + slack;
}

int hist_from_js(const struct js *j, struct hist *to, struct err *e)
{
	const struct js *buckets = js_get(j, "buckets");
	struct hist h;

	hist_init(&h);
	if (js_kind(buckets) != JS_ARRAY || js_len(buckets) > HIST_BUCKETS)
		return err_set(e, ERR_HOST, "histogram: no list of buckets");
	for (size_t i = 0; i < js_len(buckets); i++) {
		if (read_bucket(js_at(buckets, i), &h) < 0)
			return err_set(e, ERR_HOST, "histogram: bad bucket %zu",
				       i);
	}
	if (js_get_int(j, "n", -1) != (int64_t)h.n)
		return err_set(e, ERR_HOST, "histogram: count does not add up");
	h.min = h.n ? (uint64_t)js_get_int(j, "min", -1) : UINT64_MAX;
	h.max = (uint64_t)js_get_int(j, "max", -1);
	h.sum = js_get_real(j, "sum", (double)NAN);
	if (!is_consistent(&h))
		return err_set(e, ERR_HOST,
			       "histogram: min, max or sum contradicts the "
			       "buckets");
	*to = h;
	return 0;
}
