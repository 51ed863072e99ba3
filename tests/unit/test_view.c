#include "tests/unit/unit.h"

#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/campaign/view.h"
#include "tests/fake/plan.h"

enum {
	HOSTS = 64,
};

static struct view_row one_row(void)
{
	return (struct view_row){
		.host = "lab3",
		.state = VIEW_WORKS,
		.over = 6,
		.trials = 20,
		.round = 4,
		.cell = "backing=hugetlb-2M",
		.stage = "measuring",
	};
}

static struct view view_of(const struct view_row *rows, size_t n)
{
	return (struct view){
		.rows = rows,
		.nrows = n,
		.over = 6,
		.trials = 20,
		.failed = 2,
		.left_ns = 100 * NS_PER_S + 7,
		.estimate = "so far +0.3 % [-1.2 %, +1.9 %]",
	};
}

static void one_host_takes_one_line(void **state)
{
	CLEANUP(buf_deinit) struct buf out = BUF_INIT;
	struct view_row row = one_row();
	struct view v = view_of(&row, 1);

	(void)state;
	view_format(&v, 200, 50, &out);
	assert_string_equal(buf_str(&out),
			    "trial 7/20 round 4 backing=hugetlb-2M: measuring, "
			    "2 failed, 1m40s left, so far +0.3 % [-1.2 %, "
			    "+1.9 %]");
}

static void what_is_not_known_is_left_out(void **state)
{
	CLEANUP(buf_deinit) struct buf out = BUF_INIT;
	struct view_row row = { .host = "lab3" };
	struct view v = { &row, 1, 20, 20, 0, -1, NULL };

	(void)state;
	view_format(&v, 200, 50, &out);
	assert_string_equal(buf_str(&out), "trial 20/20 waiting");
}

static void several_hosts_take_a_line_each_and_one_for_all(void **state)
{
	CLEANUP(buf_deinit) struct buf out = BUF_INIT;
	struct view_row rows[] = { one_row(), one_row(), one_row() };
	struct view v = view_of(rows, 3);

	(void)state;
	rows[1] = (struct view_row){ .host = "me@lab-of-a-very-long-name:22",
				     .state = VIEW_TROUBLED,
				     .over = 10,
				     .trials = 120,
				     .stage = "given up",
				     .error = "no route to host" };
	rows[2].state = VIEW_DONE;
	rows[2].round = 0;
	rows[2].stage = "done";
	view_format(&v, 100, 50, &out);
	assert_string_equal(
		buf_str(&out),
		"lab3                  6/20  round 4 backing=hugetlb-2M: "
		"measuring\n"
		"me@lab-of-a-very-lon 10/120 given up; last error: no route "
		"to host\n"
		"lab3                  6/20  done\n"
		"[######..............] 6/20, 2 failed, 1m40s left, so far "
		"+0.3 % [-1.2 %, +1.9 %]");
}

static size_t lines_of(const char *text)
{
	size_t n = 1;

	for (; *text != '\0'; text++)
		n += *text == '\n';
	return n;
}

static void many_hosts_keep_to_the_height_of_the_terminal(void **state)
{
	struct view_row rows[HOSTS];
	struct view v = view_of(rows, HOSTS);

	(void)state;
	for (size_t i = 0; i < HOSTS; i++)
		rows[i] = one_row();
	for (unsigned height = 1; height < HOSTS + 5; height++) {
		CLEANUP(buf_deinit) struct buf out = BUF_INIT;
		size_t lines;

		view_format(&v, 79, height, &out);
		lines = lines_of(buf_str(&out));
		if (lines > height || (lines < height && lines < HOSTS + 1))
			fail_msg("%zu lines of %u", lines, height);
	}
}

static void trouble_is_shown_before_the_rest(void **state)
{
	CLEANUP(buf_deinit) struct buf out = BUF_INIT;
	struct view_row rows[HOSTS];
	struct view v = view_of(rows, HOSTS);

	(void)state;
	for (size_t i = 0; i < HOSTS; i++) {
		rows[i] = one_row();
		rows[i].state = i < 10 ? VIEW_DONE : VIEW_WORKS;
	}
	rows[40] = (struct view_row){ .host = "lab40",
				      .state = VIEW_TROUBLED,
				      .stage = "given up" };
	view_format(&v, 79, 5, &out);
	assert_non_null(strstr(buf_str(&out), "lab40 0/0  given up"));
	assert_non_null(strstr(buf_str(&out),
			       "\n61 more hosts: 51 at work, 10 done\n"));
}

static void lines_are_cut_at_columns_not_bytes(void **state)
{
	struct view_row rows[2] = { one_row(), one_row() };

	(void)state;
	rows[0].cell = rows[1].cell = "größe=µµµ";
	for (unsigned width = 1; width < 36; width++) {
		for (size_t n = 1; n <= 2; n++) {
			CLEANUP(buf_deinit) struct buf out = BUF_INIT;
			struct view v = view_of(rows, n);
			unsigned columns = 0;

			view_format(&v, width, 50, &out);
			for (const char *p = buf_str(&out);
			     *p != '\0' && *p != '\n'; p++)
				columns += ((unsigned char)*p & 0xc0) != 0x80;
			if (columns != width)
				fail_msg("%u columns of %u: %s", columns, width,
					 out.data);
		}
	}
}

static void nothing_that_an_agent_says_moves_the_cursor(void **state)
{
	struct view_row rows[2] = { one_row(), one_row() };

	(void)state;
	rows[0].stage = rows[1].error = "\033[2J\r\n\177\xc2\x9bx";
	for (size_t n = 1; n <= 2; n++) {
		CLEANUP(buf_deinit) struct buf out = BUF_INIT;
		struct view v = view_of(rows, n);

		view_format(&v, 200, 50, &out);
		assert_int_equal(out.len, strlen(out.data));
		assert_int_equal(lines_of(out.data), n == 1 ? 1 : 3);
		for (size_t i = 0; i < out.len; i++)
			assert_true(out.data[i] == '\n' ||
				    ((unsigned char)out.data[i] >= ' ' &&
				     out.data[i] != 0x7f));
	}
}

static void a_finished_trial_is_one_line(void **state)
{
	struct metric m = { "synthetic.value", 51234.5, "IOPS", BETTER_HIGHER };
	struct result ok = { .outcome = OUTCOME_OK,
			     .metrics = &m,
			     .nmetrics = 1 };
	struct result bad = { .outcome = OUTCOME_TIMEOUT,
			      .reason = "it stalled" };
	struct record r = { .host = "a", .block = 1, .attempt = 1 };
	CLEANUP(buf_deinit) struct buf out = BUF_INIT;
	struct fake_plan fake;
	struct plan *p = fake_plan_init(&fake, 3, 2, false);

	(void)state;
	r.result = &ok;
	view_finished(p, &r, 3, 6100 * NS_PER_MS, &out);
	buf_putc(&out, '\n');
	r.result = &bad;
	r.attempt = 2;
	view_finished(p, &r, 4, 0, &out);
	assert_non_null(strstr(buf_str(&out), "] a round 2, "));
	assert_non_null(strstr(buf_str(&out),
			       ": ok, synthetic.value 51234.5 IOPS (6.1 s)"));
	assert_non_null(strstr(buf_str(&out),
			       ": timeout (attempt 2): it stalled (0.0 s)"));
	fake_plan_deinit(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_host_takes_one_line),
		cmocka_unit_test(what_is_not_known_is_left_out),
		cmocka_unit_test(
			several_hosts_take_a_line_each_and_one_for_all),
		cmocka_unit_test(many_hosts_keep_to_the_height_of_the_terminal),
		cmocka_unit_test(trouble_is_shown_before_the_rest),
		cmocka_unit_test(lines_are_cut_at_columns_not_bytes),
		cmocka_unit_test(nothing_that_an_agent_says_moves_the_cursor),
		cmocka_unit_test(a_finished_trial_is_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
