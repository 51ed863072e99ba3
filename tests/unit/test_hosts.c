#include "tests/unit/numbers.h"

#include <string.h>

#include "analysis/csv.h"
#include "analysis/hosts.h"
#include "analysis/multiplicity.h"
#include "analysis/paired.h"
#include "runner/base/fd.h"
#include "runner/base/js.h"

// A whole trial table of three hosts, three configurations and ten rounds,
// with failed trials, and what is known of it.
#define TABLE	 "tests/data/oracles/e2e_iops3.csv"
#define EXPECTED "tests/data/oracles/e2e_iops3.json"

enum {
	HOSTS = 3,
	CONFIGS = 2,
	ROUNDS = 10,
	SIZE_MAX_BYTES = 1 << 20,
};

static const char *const configs[] = { "kvm", "kvm-huge" };

// value[config][host][round]; config CONFIGS is the baseline.
struct table {
	double value[CONFIGS + 1][HOSTS][ROUNDS];
};

static size_t config_index(const char *name)
{
	for (size_t c = 0; c < CONFIGS; c++)
		if (strcmp(configs[c], name) == 0)
			return c;
	return CONFIGS;
}

static void read_row(struct table *t, const struct csv_row *row)
{
	// host,round,slot,seq,config,metric,status,value
	size_t host = (size_t)(row->fields[0].text[1] - '1');
	size_t round = (size_t)atol(row->fields[1].text) - 1;
	size_t config = config_index(row->fields[4].text);

	assert_true(host < HOSTS && round < ROUNDS);
	if (strcmp(row->fields[6].text, "ok") == 0)
		t->value[config][host][round] = atof(row->fields[7].text);
}

static void read_table(struct table *t)
{
	static const struct csv_format commas = { .separator = ',' };
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	CLEANUP(csv_deinit) struct csv csv = { 0 };
	struct csv_row row;
	struct err e = { 0 };
	bool more;

	for (size_t i = 0; i < sizeof t->value / sizeof(double); i++)
		(&t->value[0][0][0])[i] = NO_FIGURE;
	assert_int_equal(file_read(TABLE, SIZE_MAX_BYTES, &text, ERR_USAGE, &e),
			 0);
	csv_init(&csv, buf_str(&text), text.len, &commas, TABLE);
	assert_int_equal(csv_next(&csv, &row, &more, &e), 0); // header
	for (;;) {
		assert_int_equal(csv_next(&csv, &row, &more, &e), 0);
		if (!more)
			return;
		read_row(t, &row);
	}
}

static struct js *read_expected(void)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct err e = { 0 };
	struct js *j;

	assert_int_equal(
		file_read(EXPECTED, SIZE_MAX_BYTES, &text, ERR_USAGE, &e), 0);
	j = js_parse(buf_str(&text), text.len, EXPECTED, &e);
	assert_non_null(j);
	return j;
}

static void check(const struct js *want, const char *key, double got)
{
	assert_named_close(key, got,
			   js_real_value(js_get(want, key), NO_FIGURE), 1e-9);
}

static void check_effect(const struct js *want, const struct effect *e)
{
	check(want, "log_ratio", e->log_ratio);
	check(want, "se_log", e->se);
	check(want, "pct", e->pct);
	check(want, "lo_pct", e->lo_pct);
	check(want, "hi_pct", e->hi_pct);
	check(want, "p", e->p);
}

static void check_config(const struct table *t, size_t c, const struct js *want,
			 double p[2][CONFIGS])
{
	const struct js *per_host = js_get(want, "per_host");
	struct effect h[HOSTS], fixed;
	struct hosts_population all;

	for (size_t i = 0; i < HOSTS; i++) {
		struct paired q = paired_ratio(
			(struct sample){ t->value[CONFIGS][i], ROUNDS },
			(struct sample){ t->value[c][i], ROUNDS }, .95);

		h[i] = q.effect;
		check_effect(js_at(per_host, i), &h[i]);
		check(js_at(per_host, i), "rounds", (double)q.rounds);
		check(js_at(per_host, i), "dropped", (double)q.dropped);
	}
	fixed = hosts_fixed(h, HOSTS, .95);
	check_effect(js_get(want, "fixed"), &fixed);
	check(js_get(want, "fixed"), "df", fixed.df);
	check(js_get(want, "fixed"), "p_tost", effect_tost(&fixed, .02, .05).p);
	all = hosts_population(h, HOSTS, .95);
	check_effect(js_get(want, "population"), &all.effect);
	check(js_get(want, "population"), "Q", all.q);
	check(js_get(want, "population"), "p_Q", all.p_q);
	check(js_get(want, "population"), "I2", all.i2);
	check(js_get(want, "population"), "tau2_dl", all.tau2);
	p[0][c] = fixed.p;
	p[1][c] = all.effect.p;
}

static void a_whole_table_gives_the_known_results(void **state)
{
	static const char *const scopes[] = { "fixed", "population" };
	CLEANUP(js_unrefp) struct js *expected = read_expected();
	const struct js *expect = js_get(expected, "expect");
	static struct table t;
	double p[2][CONFIGS], holm[CONFIGS];

	(void)state;
	read_table(&t);
	assert_int_equal(js_len(expect), CONFIGS);
	for (size_t c = 0; c < CONFIGS; c++)
		check_config(&t, c, js_at(expect, c), p);
	for (size_t s = 0; s < ARRAY_LEN(scopes); s++) {
		multiplicity_holm(p[s], CONFIGS, holm);
		for (size_t c = 0; c < CONFIGS; c++)
			check(js_get(js_at(expect, c), scopes[s]), "p_holm",
			      holm[c]);
	}
}

static void one_host_speaks_for_itself_only(void **state)
{
	struct effect h = effect_make(.02, .004, 9, .95);
	struct effect f = hosts_fixed(&h, 1, .95);
	struct hosts_population p = hosts_population(&h, 1, .95);

	(void)state;
	assert_same_effect(&f, &h);
	assert_close(p.effect.pct, h.pct, 1e-14);
	assert_nan(p.effect.p);
	assert_nan(p.effect.lo_pct);
	assert_nan(p.q);
}

static void no_host_says_nothing(void **state)
{
	struct effect u = effect_undefined(.95);

	(void)state;
	assert_nan(hosts_fixed(NULL, 0, .95).pct);
	assert_nan(hosts_fixed(&u, 1, .95).pct);
	assert_nan(hosts_population(&u, 1, .95).effect.pct);
	assert_int_equal(hosts_population(&u, 1, .95).k, 0);
	assert_false(hosts_opposed(&u, 1, .05));
}

static void a_host_without_an_estimate_is_left_out(void **state)
{
	struct effect h[] = { effect_make(.02, .004, 9, .95),
			      effect_undefined(.95),
			      effect_make(.03, .005, 9, .95) };
	struct effect k[] = { h[0], h[2] };
	struct effect a = hosts_fixed(h, 3, .95), b = hosts_fixed(k, 2, .95);

	(void)state;
	assert_same_effect(&a, &b);
	a = hosts_population(h, 3, .95).effect;
	b = hosts_population(k, 2, .95).effect;
	assert_same_effect(&a, &b);
}

static void hosts_are_opposed_when_both_signs_are_significant(void **state)
{
	struct effect h[] = { effect_make(.02, .004, 9, .95),
			      effect_make(-.01, .01, 9, .95),
			      effect_make(-.03, .005, 9, .95) };

	(void)state;
	assert_false(hosts_opposed(h, 2, .05));
	assert_true(hosts_opposed(h, 3, .05));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_table_gives_the_known_results),
		cmocka_unit_test(one_host_speaks_for_itself_only),
		cmocka_unit_test(no_host_says_nothing),
		cmocka_unit_test(a_host_without_an_estimate_is_left_out),
		cmocka_unit_test(
			hosts_are_opposed_when_both_signs_are_significant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
