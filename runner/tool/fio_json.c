#include "runner/tool/fio_json.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"

enum {
	FIO_WORDS_MAX = 600,
	FIO_DIGITS_MAX = 18, // of a whole number that surely fits
};

const double fio_percentiles[FIO_PERCENTILES] = { 0.5, 0.9, 0.99, 0.999 };

static const char *const directions[] = { "read", "write", "trim" };

static const char *const levels[FIO_LEVELS] = { "1",  "2",  "4",   "8",
						"16", "32", ">=64" };

// More is no figure, and its square might be none.
static const double iops_max = 1e15;

// fio 2 counts in microseconds under the bare names, fio 3 in nanoseconds.
static const struct latency_key {
	const char *key;
	double ns;
	bool is_clat;
} latency_keys[] = {
	{ "lat_ns", 1, false },
	{ "lat", 1000, false },
	{ "clat_ns", 1, true },
	{ "clat", 1000, true },
};

// A part of the output for a one-line message: control characters and line
// ends become " | ", repeated white space one space.
static void quote_words(const char *text, size_t len, struct buf *out)
{
	size_t end = MIN(len, (size_t)FIO_WORDS_MAX);

	for (size_t i = 0; i < end; i++) {
		char c = text[i];

		if (c == '\n' && i + 1 < end && out->len > 0)
			buf_puts(out, " | ");
		else if (c >= 0x20 && c < 0x7f)
			buf_putc(out, c);
	}
}

static int no_json(const char *text, size_t len, struct err *e)
{
	CLEANUP(buf_deinit) struct buf words = BUF_INIT;

	quote_words(text, len, &words);
	if (words.len == 0)
		return err_set(e, ERR_HOST, "fio: gave no output");
	return err_set(e, ERR_HOST, "fio: gave no JSON but: %s",
		       buf_str(&words));
}

// Where the JSON starts: a brace at the start of a line.
static const char *find_json(const char *text, size_t len)
{
	for (const char *p = text; p < text + len; p++) {
		if (*p == '{' && (p == text || p[-1] == '\n'))
			return p;
	}
	return NULL;
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '+' || c == '-' || c == '.';
}

static bool is_no_number(const char *word, size_t len)
{
	size_t sign = len > 0 && *word == '-' ? 1 : 0;

	return len - sign == 3 && (strncasecmp(word + sign, "nan", 3) == 0 ||
				   strncasecmp(word + sign, "inf", 3) == 0);
}

// The word is part of a text that ends without a NUL.
static bool is_integer(const char *word, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (word[i] == '.' || word[i] == 'e' || word[i] == 'E')
			return false;
	return true;
}

// A word outside of strings: what fio's printf made of a number.
static void tame_word(const char *word, size_t len, struct buf *out)
{
	if (is_no_number(word, len)) {
		buf_puts(out, "null");
		return;
	}
	buf_add(out, word, len);
	if (len > FIO_DIGITS_MAX && is_integer(word, len))
		buf_puts(out, ".0");
}

static size_t string_len(const char *text, size_t len)
{
	size_t i = 1;

	while (i < len && text[i] != '"')
		i += text[i] == '\\' ? 2 : 1;
	return MIN(i + 1, len);
}

// fio prints nan, inf and counters below zero as unsigned: no JSON, or more
// than an integer of ours holds. They become null and reals.
static void tame(const char *text, size_t len, struct buf *out)
{
	for (size_t i = 0, n; i < len; i += n) {
		n = 1;
		if (text[i] == '"') {
			n = string_len(text + i, len - i);
			buf_add(out, text + i, n);
		} else if (in_word(text[i])) {
			while (i + n < len && in_word(text[i + n]))
				n++;
			tame_word(text + i, n, out);
		} else {
			buf_putc(out, text[i]);
		}
	}
}

static const struct js *latency_of(const struct js *dir, bool with_clat,
				   const struct latency_key **which)
{
	for (size_t i = 0; i < ARRAY_LEN(latency_keys); i++) {
		const struct js *lat = js_get(dir, latency_keys[i].key);

		if (lat == NULL || (latency_keys[i].is_clat && !with_clat))
			continue;
		*which = &latency_keys[i];
		return lat;
	}
	return NULL;
}

static bool add_bins(const struct js *lat, double ns, struct hist *h)
{
	const struct js *bins = js_get(lat, "bins");
	struct js *count;
	const char *key;

	if (js_len(bins) == 0)
		return false;
	JS_FOREACH (bins, key, count) {
		size_t digits = strspn(key, "0123456789");
		uint64_t value = strtoull(key, NULL, 10);
		int64_t n = js_int_value(count, 0);

		if (key[digits] != '\0' || digits == 0 ||
		    digits > FIO_DIGITS_MAX)
			return false;

		if (n > 0)
			hist_add(h, (uint64_t)((double)value * ns),
				 (uint64_t)n);
	}
	return true;
}

static const struct js *percentiles_of(const struct js *dir,
				       const struct latency_key **which)
{
	for (size_t i = 0; i < ARRAY_LEN(latency_keys); i++) {
		const struct js *lat = js_get(dir, latency_keys[i].key);
		const struct js *p = js_get(lat, "percentile");

		if (js_len(p) == 0)
			continue;
		*which = &latency_keys[i];
		return p;
	}
	return NULL;
}

static void take_percentiles(const struct js *dir, struct fio_figures *f)
{
	const struct latency_key *which = NULL;
	const struct js *p = percentiles_of(dir, &which);

	for (size_t i = 0; p != NULL && i < FIO_PERCENTILES; i++) {
		char key[16];

		snprintf(key, sizeof(key), "%.6f", 100 * fio_percentiles[i]);
		f->percentile[i] = which->ns * js_get_real(p, key, NAN);
	}
	f->percentiles_of_clat = p != NULL && which->is_clat;
}

// What is summed on the way and needed only here.
struct sums {
	double lat_weighted;	  // mean x I/Os
	double level[FIO_LEVELS]; // share x I/Os
	uint64_t lat_ios;
	unsigned parts; // jobs x directions that did any I/O
	unsigned parts_with_bins;
};

static int add_direction(const struct js *dir, struct fio_figures *f,
			 struct sums *s)
{
	int64_t ios = js_get_int(dir, "total_ios", 0);
	double iops = js_get_real(dir, "iops", 0);
	const struct latency_key *which = NULL;
	const struct js *lat = latency_of(dir, true, &which);
	double mean;

	if (ios <= 0)
		return ios < 0 ? -1 : 0;
	mean = lat == NULL ? (double)NAN : js_get_real(lat, "mean", NAN);
	if (!(iops >= 0 && iops <= iops_max) ||
	    (lat != NULL && !isfinite(mean)))
		return -1;
	f->ios += (uint64_t)ios;
	f->iops += iops;
	// fio 2 has no bw_bytes; its bw is in KiB/s.
	f->bytes_per_s +=
		js_get_real(dir, "bw_bytes", 1024 * js_get_real(dir, "bw", 0));
	s->parts++;
	if (lat == NULL)
		return 0;
	s->lat_weighted += mean * which->ns * (double)ios;
	s->lat_ios += (uint64_t)ios;
	if (!which->is_clat && add_bins(lat, which->ns, &f->lat))
		s->parts_with_bins++;
	if (s->parts == 1)
		take_percentiles(dir, f);
	return 0;
}

static double runtime_ms(const struct js *job)
{
	double ms = js_get_real(job, "job_runtime", 0);

	for (size_t i = 0; ms <= 0 && i < ARRAY_LEN(directions); i++)
		ms = js_get_real(js_get(job, directions[i]), "runtime", 0);
	return ms;
}

static void add_levels(const struct js *shares, uint64_t ios, struct sums *s)
{
	for (size_t i = 0; i < FIO_LEVELS; i++)
		s->level[i] +=
			js_get_real(shares, levels[i], 0) / 100 * (double)ios;
}

static int add_job(const struct js *job, struct fio_figures *f, struct sums *s)
{
	uint64_t before = f->ios;
	double cpu =
		js_get_real(job, "usr_cpu", 0) + js_get_real(job, "sys_cpu", 0);

	for (size_t i = 0; i < ARRAY_LEN(directions); i++) {
		if (add_direction(js_get(job, directions[i]), f, s) < 0)
			return -1;
	}
	add_levels(js_get(job, "iodepth_level"), f->ios - before, s);
	f->cpu_ns += cpu / 100 * runtime_ms(job) * 1e6;
	f->errors += (uint64_t)MAX(js_get_int(job, "total_err", 0), (int64_t)0);
	if (f->error == 0)
		f->error = (int)js_get_int(job, "error", 0);
	if (f->error == 0)
		f->error = (int)js_get_int(job, "first_error", 0);
	f->jobs++;
	return 0;
}

static void finish(struct fio_figures *f, const struct sums *s)
{
	f->lat_mean_ns =
		s->lat_ios ? s->lat_weighted / (double)s->lat_ios : (double)NAN;
	for (size_t i = 0; f->ios > 0 && i < FIO_LEVELS; i++)
		f->level[i] = s->level[i] / (double)f->ios;
	f->has_hist = s->parts > 0 && s->parts_with_bins == s->parts;
	for (size_t i = 0; s->parts != 1 && i < FIO_PERCENTILES; i++)
		f->percentile[i] = NAN;
}

// Each is finite on its own, or never looked at; a sum may not be.
static bool sums_are_figures(const struct fio_figures *f)
{
	double shares = 0;

	for (size_t i = 0; i < FIO_LEVELS; i++)
		shares += f->level[i];
	return isfinite(f->iops) && isfinite(f->bytes_per_s) &&
	       isfinite(f->cpu_ns) && isfinite(shares) &&
	       !isinf(f->lat_mean_ns);
}

static int read_jobs(const struct js *root, struct fio_figures *f,
		     struct err *e)
{
	const struct js *jobs = js_get(root, "jobs");
	struct sums s = { 0 };

	if (js_len(jobs) == 0 || js_len(jobs) > FIO_JSON_JOBS_MAX)
		return err_set(e, ERR_HOST,
			       "fio: its JSON has no list of 1 to %d jobs",
			       FIO_JSON_JOBS_MAX);
	for (size_t i = 0; i < js_len(jobs); i++) {
		if (add_job(js_at(jobs, i), f, &s) < 0)
			return err_set(e, ERR_HOST,
				       "fio: job %zu has a count, rate or "
				       "latency that is no figure",
				       i + 1);
	}
	finish(f, &s);
	if (!sums_are_figures(f))
		return err_set(e, ERR_HOST,
			       "fio: figures of its jobs add up to none");
	return 0;
}

// fio says so on the line before the JSON.
static int check_whole(const char *text, size_t before, struct err *e)
{
	CLEANUP(cleanup_free) char *head = xcalloc(before + 1, 1);
	const char *at;

	memcpy(head, text, before);
	at = strstr(head, "terminating on signal");
	if (at == NULL)
		return 0;
	return err_set(e, ERR_HOST, "fio: the run was cut short: \"%.*s\"",
		       (int)strcspn(at, "\n"), at);
}

int fio_json_parse(const char *text, size_t len, struct fio_figures *out,
		   struct err *e)
{
	CLEANUP(js_unrefp) struct js *root = NULL;
	CLEANUP(buf_deinit) struct buf tamed = BUF_INIT;
	CLEANUP(cleanup_free) struct fio_figures *f = xcalloc(1, sizeof(*f));
	const char *json = find_json(text, len);

	if (json == NULL)
		return no_json(text, len, e);
	if (check_whole(text, (size_t)(json - text), e) < 0)
		return -1;
	tame(json, len - (size_t)(json - text), &tamed);
	root = js_parse_foreign(buf_str(&tamed), tamed.len, "fio's output", e);
	if (root == NULL) {
		e->kind = ERR_HOST;
		return -1;
	}
	hist_init(&f->lat);
	for (size_t i = 0; i < FIO_PERCENTILES; i++)
		f->percentile[i] = NAN;
	snprintf(f->version, sizeof(f->version), "%s",
		 js_get_str(root, "fio version", "unknown"));
	f->written_ms = js_get_int(root, "timestamp_ms", 0);
	if (read_jobs(root, f, e) < 0)
		return -1;
	*out = *f;
	return 0;
}
