// The figures show what the tables say, read back from the pictures.
#include "tests/unit/report_fixture.h"

#include <stdlib.h>

#include "analysis/report_figures.h"
#include "runner/base/arena.h"

static const struct report_figure *find(const struct report_figures *all,
					const char *name)
{
	for (size_t i = 0; i < all->n; i++)
		if (strcmp(all->items[i].head.name, name) == 0)
			return &all->items[i];
	return NULL;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)) != NULL; text++)
		n++;
	return n;
}

// The x axis as its ticks tell it: from the first and the last one.
struct read_axis {
	double pixel[2], value[2];
};

static double tick_value(const char *label)
{
	char *end;
	double x = strtod(label, &end);

	return x * (*end == 'k' ? 1e3 : *end == 'M' ? 1e6 : 1);
}

static struct read_axis read_axis(const char *body)
{
	static const char tick[] = "<text text-anchor=\"middle\" x=\"";
	struct read_axis a = { { 0 }, { 0 } };
	size_t n = 0;

	// The last text in the middle is the title.
	for (const char *p = body; (p = strstr(p, tick)) != NULL; n++) {
		const char *label = strchr(p, '>') + 1;
		size_t i = n > 0;

		p += strlen(tick);
		if (strchr("+-0123456789", *label) == NULL)
			break;
		a.pixel[i] = strtod(p, NULL);
		a.value[i] = tick_value(label);
	}
	assert_true(n >= 2);
	return a;
}

static double value_at(const struct read_axis *a, double pixel)
{
	return a->value[0] + (pixel - a->pixel[0]) /
				     (a->pixel[1] - a->pixel[0]) *
				     (a->value[1] - a->value[0]);
}

// The ends of the k-th whisker: "M<x1> <y>v8M<x2> <y>v8M...".
static void read_whisker(const char *body, size_t k, double x[2])
{
	static const char path[] = "<path class=\"whisker\" d=\"M";
	const char *p = strstr(body, path);

	while (k-- > 0)
		p = strstr(p + 1, path);
	assert_non_null(p);
	x[0] = strtod(p + strlen(path), NULL);
	x[1] = strtod(strchr(strchr(p, 'v'), 'M') + 1, NULL);
}

#define assert_whisker(body, k, lo, hi)                                  \
	do {                                                             \
		struct read_axis a_ = read_axis(body);                   \
		double px_[2], per_ = fabs((a_.value[1] - a_.value[0]) / \
					   (a_.pixel[1] - a_.pixel[0])); \
		read_whisker((body), (k), px_);                          \
		/* Places have one decimal. */                           \
		assert_between(value_at(&a_, px_[0]) - (lo), -per_ / 5,  \
			       per_ / 5);                                \
		assert_between(value_at(&a_, px_[1]) - (hi), -per_ / 5,  \
			       per_ / 5);                                \
	} while (0)

static const char two_arms[] = "where,y,round,seq\na,10,1,1\nb,11,1,2\n"
			       "b,11.2,2,3\na,10.1,2,4\na,9.9,3,5\n"
			       "b,11.1,3,6\n";

static void analyse_rounds(struct fixture *f, const char *text,
			   const char *host)
{
	struct table_spec spec = small;

	spec.text = text;
	spec.len = strlen(text);
	spec.block = "round";
	spec.order = "seq";
	spec.host = host;
	analyse(f, &spec);
}

static void effects_are_where_the_table_says(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct report_figures all;
	const struct effect *e;
	const char *body;

	(void)state;
	analyse_rounds(&f, two_arms, NULL);
	report_figures_make(&f.report, a, &all);
	body = find(&all, "effects")->body;
	e = &f.an->comparisons[0].effect;
	assert_whisker(body, 0, e->lo_pct, e->hi_pct);
	assert_int_equal(count(body, "class=\"band\""), 1);
	assert_int_equal(count(body, "class=\"zero\""), 1);
}

static void means_are_where_the_table_says(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct report_figures all;
	const char *body;

	(void)state;
	analyse_rounds(&f, two_arms, NULL);
	report_figures_make(&f.report, a, &all);
	body = find(&all, "cells-y")->body;
	for (size_t i = 0; i < 2; i++)
		assert_whisker(body, i, f.an->cells[i].mean.lo,
			       f.an->cells[i].mean.hi);
	assert_int_equal(count(body, "class=\"dot "), 6);
	// Three figures make no box.
	assert_int_equal(count(body, "class=\"quartiles\""), 0);
}

static void arms_worlds_apart_get_bars_on_a_log_scale(void **state)
{
	static const struct {
		const char *text;
		bool bars;
	} cases[] = {
		{ "where,y\na,10\na,11\nb,29\nb,30\n", false },
		{ "where,y\na,10\na,11\nb,32\nb,33\n", true },
		{ "where,y\na,10\nb,1000\n", true },
		{ "where,y\na,-10\na,11\nb,1000\nb,1001\n", false },
		{ "where,y\na,0\na,0\nb,1000\nb,1001\n", false },
		{ "where,y\na,10\na,1000\n", false }, // one cell
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(fixture_deinit) struct fixture f = { 0 };
		CLEANUP(arena_freep) struct arena *a = arena_new();
		struct report_figures all;
		const struct report_figure *bars;

		analyse_small(&f, cases[i].text);
		report_figures_make(&f.report, a, &all);
		bars = find(&all, "bars-y");
		if ((bars != NULL) != cases[i].bars)
			fail_msg("%s", cases[i].text);
		if (bars != NULL)
			assert_int_equal(count(bars->body, "class=\"bar "), 2);
	}
}

static void single_figures_have_no_distribution(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct report_figures all;

	(void)state;
	analyse_small(&f, "where,y\na,10\nb,11\n");
	report_figures_make(&f.report, a, &all);
	assert_null(find(&all, "cells-y"));
	assert_non_null(find(&all, "effects"));
	assert_int_equal(count(find(&all, "effects")->body, "whisker"), 0);
}

static void hosts_have_rows_of_their_own(void **state)
{
	static const char text[] =
		"where,y,round,seq,h\na,10,1,1,h1\nb,11,1,2,h1\n"
		"b,11.2,2,3,h1\na,10.1,2,4,h1\na,20,3,5,h2\n"
		"b,21.1,3,6,h2\na,20.5,4,7,h2\nb,21,4,8,h2\n";
	CLEANUP(fixture_deinit) struct fixture f = { 0 };
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct report_figures all;
	const char *body;

	(void)state;
	analyse_rounds(&f, text, "h");
	report_figures_make(&f.report, a, &all);
	body = find(&all, "cells-y")->body;
	assert_says(body, "where=a on h1");
	assert_says(body, "where=b on h2");
	for (size_t i = 0; i < 4; i++)
		assert_whisker(body, i, f.an->host_cells[i].mean.lo,
			       f.an->host_cells[i].mean.hi);
	assert_non_null(find(&all, "trials-h1"));
	assert_non_null(find(&all, "trials-h2"));
}

// Every picture and its table thin the same trials, and say so.
static void many_trials_are_thinned_aloud(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct report_figures all;
	const struct report_figure *cells;

	(void)state;
	buf_puts(&text, "where,y,round,seq\n");
	for (int i = 0; i < 2001; i++)
		buf_printf(&text, "%s,%d,%d,%d\n", i % 2 ? "a" : "b",
			   100 + i % 7, i / 2, i);
	analyse_rounds(&f, buf_str(&text), NULL);
	report_figures_make(&f.report, a, &all);
	cells = find(&all, "cells-y");
	assert_says(cells->caption, "One trial in 2 is drawn.");
	assert_int_equal(count(cells->body, "class=\"dot "), 1001);
	assert_int_equal(count(cells->body, "class=\"quartiles\""), 2);
	assert_says(find(&all, "trials")->caption, "One in 2 is drawn.");
}

static void names_fit_files_and_differ(void **state)
{
	static const char *const values[] = { "a/b", "a?b" };
	static const char text[] =
		"where,a/b,a?b\nx,1,2\nx,2,3\ny,3,4\ny,4,5\n";
	CLEANUP(fixture_deinit) struct fixture f = { 0 };
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct table_spec spec = small;
	struct report_figures all;

	(void)state;
	spec.text = text;
	spec.len = strlen(text);
	spec.values = (struct table_columns){ values, 2 };
	analyse(&f, &spec);
	report_figures_make(&f.report, a, &all);
	for (size_t i = 0; i < all.n; i++) {
		const char *name = all.items[i].head.name;

		assert_null(strpbrk(name, "/?\"<> "));
		assert_ptr_equal(find(&all, name), &all.items[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(effects_are_where_the_table_says),
		cmocka_unit_test(means_are_where_the_table_says),
		cmocka_unit_test(arms_worlds_apart_get_bars_on_a_log_scale),
		cmocka_unit_test(single_figures_have_no_distribution),
		cmocka_unit_test(hosts_have_rows_of_their_own),
		cmocka_unit_test(many_trials_are_thinned_aloud),
		cmocka_unit_test(names_fit_files_and_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
