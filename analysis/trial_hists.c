#include "analysis/trial_hists.h"

#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/hist.h"

void trial_hists_init(struct trial_hists *h)
{
	*h = (struct trial_hists){ .n = 0 };
	intern_init(&h->names);
}

void trial_hists_deinit(struct trial_hists *h)
{
	intern_deinit(&h->names);
}

static size_t count_buckets(const struct hist *h)
{
	size_t n = 0;

	for (unsigned b = 0; b < HIST_BUCKETS; b++)
		n += h->count[b] != 0;
	return n;
}

static double middle(unsigned b)
{
	return ((double)hist_bucket_low(b) + (double)hist_bucket_high(b)) / 2;
}

static const struct latency_bin *thin(struct arena *a, const struct hist *h,
				      size_t n)
{
	struct latency_bin *bins = arena_array(a, n, sizeof *bins);
	size_t k = 0;

	for (unsigned b = 0; b < HIST_BUCKETS; b++)
		if (h->count[b] != 0)
			bins[k++] = (struct latency_bin){ middle(b),
							  (double)h->count[b] };
	return bins;
}

static void add(struct trial_hists *h, struct arena *a, uint32_t row,
		const char *name, const struct hist *full)
{
	size_t n = count_buckets(full);

	arena_push(a, &h->items, &h->n, &h->cap, sizeof *h->items);
	h->items[h->n - 1] = (struct trial_hist){
		.row = row,
		.name = intern_id(&h->names, name, strlen(name)),
		.bins = thin(a, full, n),
		.n = n,
		.count = (double)full->n,
	};
	h->nbins += n;
}

size_t trial_hists_add(struct trial_hists *h, struct arena *a, uint32_t row,
		       const struct js *hists)
{
	CLEANUP(cleanup_free) struct hist *full = NULL;
	size_t unreadable = 0;
	const char *name;
	struct js *j;

	if (hists == NULL)
		return 0;
	if (h->nbins >= TRIAL_HISTS_BINS_MAX) {
		h->left_out++;
		return 0;
	}
	full = xcalloc(1, sizeof *full);
	JS_FOREACH (hists, name, j) {
		struct err why;

		if (hist_from_js(j, full, &why) == 0)
			add(h, a, row, name, full);
		else
			unreadable++;
	}
	return unreadable;
}

void trial_hists_drop(struct trial_hists *h, uint32_t row)
{
	for (size_t i = 0; i < h->n; i++)
		if (h->items[i].row == row)
			h->items[i].count = 0;
}
