// Axes, ticks and texts of figures.
#include "tests/unit/numbers.h"

#include <string.h>

#include "analysis/svg.h"

static void an_axis_maps_its_ends_and_what_lies_between(void **state)
{
	static const struct {
		struct svg_axis axis;
		double x, pixel;
	} cases[] = {
		{ { 0, 10, 100, 200, false }, 0, 100 },
		{ { 0, 10, 100, 200, false }, 10, 200 },
		{ { 0, 10, 100, 200, false }, 5, 150 },
		{ { 0, 10, 200, 100, false }, 2, 180 }, // upwards
		{ { -4, 4, 0, 80, false }, -1, 30 },
		{ { 1, 100, 0, 200, true }, 10, 100 },
		{ { 1, 100, 0, 200, true }, 0, 0 },
		{ { 1, 100, 0, 200, true }, -5, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_close(svg_at(&cases[i].axis, cases[i].x), cases[i].pixel,
			     1e-12);
}

static void an_axis_makes_room_for_figures_only(void **state)
{
	struct svg_axis a = SVG_AXIS(0, 1);
	struct svg_axis l = SVG_AXIS(0, 1);

	(void)state;
	svg_widen(&a, 3);
	svg_widen(&a, (double)NAN);
	svg_widen(&a, (double)INFINITY);
	svg_widen(&a, -2);
	assert_close(a.lo, -2, 0);
	assert_close(a.hi, 3, 0);
	l.log = true;
	svg_widen(&l, 7);
	svg_widen(&l, 0);
	svg_widen(&l, -1);
	assert_close(l.lo, 7, 0);
	assert_close(l.hi, 7, 0);
}

static void a_log_axis_may_span_all_doubles(void **state)
{
	struct svg_axis a = { 1e-300, 1e300, 0, 100, true };

	(void)state;
	assert_close(svg_at(&a, 1), 50, 1e-9);
	assert_close(svg_at(&a, 1e300), 100, 1e-9);
	svg_pad(&a);
	assert_true(a.lo > 0 && a.lo <= 1e-300);
	assert_true(isfinite(a.hi) && a.hi >= 1e300);
}

static void an_axis_of_no_length_gets_one(void **state)
{
	static const double values[] = { 0, 5, -5, 1e-300, 1e15, 1e300 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		for (int log = 0; log <= (values[i] > 0); log++) {
			struct svg_axis a = { values[i], values[i], 0, 100,
					      log };
			struct svg_ticks t;

			svg_pad(&a);
			if (!(a.lo < values[i] && a.hi > values[i]))
				fail_msg("%g: [%g, %g]", values[i], a.lo, a.hi);
			t = svg_ticks(&a);
			if (t.n > SVG_TICKS_MAX)
				fail_msg("%g: %zu ticks", values[i], t.n);
		}
}

static void ticks_are_round_and_on_the_axis(void **state)
{
	static const struct {
		struct svg_axis axis;
		size_t n;
		double first, last;
	} cases[] = {
		{ { 0, 10, 0, 1, false }, 6, 0, 10 },
		{ { -0.7, 0.7, 0, 1, false }, 3, -0.5, 0.5 },
		{ { 1304000, 1386000, 0, 1, false }, 4, 1320000, 1380000 },
		{ { 1, 1000, 0, 1, true }, 4, 1, 1000 },
		{ { 3, 30, 0, 1, true }, 3, 5, 20 },
		{ { 1e-9, 1e9, 0, 1, true }, 7, 1e-9, 1e9 },
		{ { 100, 120, 0, 1, true }, 5, 100, 120 },
		// The ratio of the ends is no double.
		{ { 1e-301, 1e301, 0, 1, true }, 6, 1e-301, 1e204 },
		// No power of ten's 1, 2 and 5 is on it often enough.
		{ { 5.5, 18, 0, 1, true }, 2, 10, 15 },
		{ { 2.1, 9, 0, 1, true }, 3, 4, 8 },
		{ { 0, 10, 0, 1, true }, 6, 0, 10 },
		{ { 1e-8, 1e-1, 0, 1, true }, 4, 1e-8, 1e-2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct svg_ticks t = svg_ticks(&cases[i].axis);

		if (t.n != cases[i].n)
			fail_msg("case %zu: %zu ticks, from %g", i, t.n,
				 t.at[0]);
		assert_close(t.at[0], cases[i].first, 1e-9);
		assert_close(t.at[t.n - 1], cases[i].last, 1e-9);
	}
}

static void figures_on_axes_have_scales(void **state)
{
	static const struct {
		double x;
		const char *unit, *text;
	} cases[] = {
		{ 0, "IOPS", "0" },	     { 950, "IOPS", "950" },
		{ 1e3, "IOPS", "1k" },	     { 1.35e6, "IOPS", "1.35M" },
		{ -2.5e9, "", "-2.5G" },     { 0.25, "s", "0.25" },
		{ 3e13, "", "30T" },	     { 500, "ns", "500 ns" },
		{ 20000, "ns", "20 us" },    { 1.5e6, "ns", "1.5 ms" },
		{ 2e9, "ns", "2 s" },	     { 999999999.9999, "ns", "1 s" },
		{ 1304680, "", "1.30468M" },
	};
	char text[SVG_TICK_CHARS];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		svg_figure(cases[i].x, cases[i].unit, text);
		assert_string_equal(text, cases[i].text);
	}
}

static void markup_is_escaped_and_directions_are_kept(void **state)
{
	static const struct {
		const char *text, *escaped;
	} cases[] = {
		{ "a<b>&\"c\"", "a&lt;b&gt;&amp;&quot;c&quot;" },
		{ "2 %", "2&#160;%" },
		{ "a % b", "a&#160;% b" },
		{ "caf\u00e9 +1", "caf\u00e9 +1" },
		// Figures after Arabic or Hebrew: a mark before them.
		{ "x=\u0639\u0631 [+2", "x=\u0639\u0631&#8206; [+2" },
		{ "\u05d0\u05d1, 1", "\u05d0\u05d1&#8206;, 1" },
		// None between two words of it, nor at the end.
		{ "\u0639\u0631 \u0646\u0635", "\u0639\u0631 \u0646\u0635" },
		{ "\u65e5\u672c 5", "\u65e5\u672c 5" },
		{ "\xd8", "\xd8" }, // cut in the middle
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_deinit) struct buf out = BUF_INIT;

		svg_escape(&out, cases[i].text);
		assert_string_equal(buf_str(&out), cases[i].escaped);
	}
}

static void texts_are_cut_to_their_room(void **state)
{
	static const struct {
		const char *text;
		double pixels;
		const char *fit, *end;
	} cases[] = {
		{ "short", 100, "short", "short" },
		{ "", 0, "", "" },
		{ "abcdefghijklmnopqrstuvwxyz", 140, "abcdefghi ... vwxyz",
		  "... mnopqrstuvwxyz" },
		{ "WWWWWWWWWWWW", 100, "WWWW ... WW", "... WWWWWW" },
		// Never within a character.
		{ "\u65e5\u672c\u65e5\u672c\u65e5\u672c\u65e5\u672c", 90,
		  "\u65e5\u672c\u65e5 ... \u672c",
		  "... \u672c\u65e5\u672c\u65e5\u672c" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_deinit) struct buf fit = BUF_INIT;
		CLEANUP(buf_deinit) struct buf end = BUF_INIT;

		svg_fit(cases[i].text, cases[i].pixels, &fit);
		svg_fit_end(cases[i].text, cases[i].pixels, &end);
		assert_string_equal(buf_str(&fit), cases[i].fit);
		assert_string_equal(buf_str(&end), cases[i].end);
	}
}

static void an_interval_beyond_the_axis_ends_in_an_arrow(void **state)
{
	static const struct svg_axis axis = { 1, 100, 0, 200, true };
	static const struct {
		double lo, hi;
		size_t strokes;
	} cases[] = {
		{ 10, 50, 2 }, { -3, 50, 1 },	       { 10, 1000, 1 },
		{ 0, 1e9, 0 }, { (double)NAN, 50, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_deinit) struct buf out = BUF_INIT;
		const char *p = NULL;
		size_t strokes = 0;

		svg_whisker(&out, &axis, cases[i].lo, cases[i].hi, 5);
		for (p = buf_str(&out); (p = strchr(p, 'v')) != NULL; p++)
			strokes++;
		if (strokes != cases[i].strokes)
			fail_msg("[%g, %g]: %s", cases[i].lo, cases[i].hi,
				 buf_str(&out));
		if (isnan(cases[i].lo))
			assert_int_equal(out.len, 0);
	}
}

static void a_file_has_its_own_style_and_namespace(void **state)
{
	static const struct svg_head head = { "x", "A <title>", "About", 100 };
	CLEANUP(buf_deinit) struct buf file = BUF_INIT;
	CLEANUP(buf_deinit) struct buf page = BUF_INIT;

	(void)state;
	svg_open_file(&file, &head);
	svg_open(&page, &head);
	assert_non_null(strstr(buf_str(&file), " xmlns=\"http"));
	assert_non_null(strstr(buf_str(&file), "prefers-color-scheme:dark"));
	// Not every viewer knows variables.
	assert_null(strstr(buf_str(&file), "var("));
	assert_null(strstr(buf_str(&page), "xmlns"));
	assert_null(strstr(buf_str(&page), "<style"));
	assert_non_null(
		strstr(buf_str(&page),
		       "<title id=\"x-title\">A &lt;title&gt;</title>"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_axis_maps_its_ends_and_what_lies_between),
		cmocka_unit_test(an_axis_makes_room_for_figures_only),
		cmocka_unit_test(a_log_axis_may_span_all_doubles),
		cmocka_unit_test(an_axis_of_no_length_gets_one),
		cmocka_unit_test(ticks_are_round_and_on_the_axis),
		cmocka_unit_test(figures_on_axes_have_scales),
		cmocka_unit_test(markup_is_escaped_and_directions_are_kept),
		cmocka_unit_test(texts_are_cut_to_their_room),
		cmocka_unit_test(an_interval_beyond_the_axis_ends_in_an_arrow),
		cmocka_unit_test(a_file_has_its_own_style_and_namespace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
