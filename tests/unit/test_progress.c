#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <unistd.h>

#include "runner/base/clock.h"
#include "runner/base/fd.h"
#include "runner/campaign/progress.h"

// What a progress of `mode` wrote into a pipe.
static void shown(enum progress_mode mode, void (*act)(struct progress *p),
		  struct buf *out)
{
	struct progress *p;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	p = progress_new(fds[1], mode);
	act(p);
	progress_free(p);
	close(fds[1]);
	assert_int_equal(fd_read_all(fds[0], out, 1 << 16), 0);
	close(fds[0]);
}

static void fill(void *ctx, struct arena *a, struct view *v)
{
	size_t nrows = *(const size_t *)ctx;
	struct view_row *rows = arena_array(a, nrows, sizeof(*rows));

	for (size_t i = 0; i < nrows; i++)
		rows[i] = (struct view_row){ .host = "lab",
					     .trials = 20,
					     .stage = "measuring" };
	*v = (struct view){ .rows = rows,
			    .nrows = nrows,
			    .over = 6,
			    .trials = 20,
			    .left_ns = -1 };
}

static size_t one = 1, three = 3;

// 100 events in two seconds.
static void many_events(struct progress *p)
{
	progress_watch(p, fill, &one);
	for (int i = 0; i < 100; i++) {
		int64_t now = 50 * NS_PER_S + 20 * NS_PER_MS * i;

		if (progress_due_ns(p) <= now)
			progress_tick(p, now);
		progress_show(p, now);
	}
}

static void the_line_is_drawn_once_a_second(void **state)
{
	CLEANUP(buf_deinit) struct buf out = BUF_INIT;
	unsigned draws = 0;

	(void)state;
	shown(PROGRESS_LIVE, many_events, &out);
	for (size_t i = 0; i + 9 < out.len; i++)
		draws += strncmp(out.data + i, "trial 7/", 8) == 0;
	assert_int_equal(draws, 2);
}

static void some_of_everything(struct progress *p)
{
	progress_watch(p, fill, &one);
	progress_show(p, 50 * NS_PER_S);
	progress_finished(p, false, "fine");
	progress_finished(p, true, "wrong");
	progress_say(p, false, "may");
	progress_say(p, true, "must");
}

static void each_mode_says_what_it_should(void **state)
{
	static const struct {
		enum progress_mode mode;
		const char *says;
	} cases[] = {
		{ PROGRESS_QUIET, "must\n" },
		{ PROGRESS_LINES, "fine\nwrong\nmay\nmust\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_deinit) struct buf out = BUF_INIT;

		shown(cases[i].mode, some_of_everything, &out);
		assert_string_equal(buf_str(&out), cases[i].says);
	}
}

static void live_lines_stand_above_the_live_line(void **state)
{
	CLEANUP(buf_deinit) struct buf out = BUF_INIT;

	(void)state;
	shown(PROGRESS_LIVE, some_of_everything, &out);
	assert_null(strstr(buf_str(&out), "fine"));
	assert_non_null(strstr(buf_str(&out), "\r\033[Jwrong\ntrial"));
	// And nothing is left of it in the end.
	assert_string_equal(out.data + out.len - 4, "\r\033[J");
}

static void two_draws_of_three_hosts(struct progress *p)
{
	progress_watch(p, fill, &three);
	progress_show(p, 50 * NS_PER_S);
	progress_finished(p, true, "wrong");
	progress_show(p, 52 * NS_PER_S);
	progress_watch(p, NULL, NULL);
	progress_show(p, 54 * NS_PER_S);
}

// Four lines are drawn: the way back is three up.
static void a_view_of_many_lines_is_drawn_over_itself(void **state)
{
#define ROW  "lab 0/20 measuring\n"
#define VIEW ROW ROW ROW "[######..............] 6/20"
	CLEANUP(buf_deinit) struct buf out = BUF_INIT;

	(void)state;
	shown(PROGRESS_LIVE, two_draws_of_three_hosts, &out);
	assert_string_equal(buf_str(&out),
			    VIEW "\033[3A\r\033[Jwrong\n" VIEW
				 "\033[3A\r\033[J" VIEW "\033[3A\r\033[J");
#undef VIEW
#undef ROW
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_line_is_drawn_once_a_second),
		cmocka_unit_test(each_mode_says_what_it_should),
		cmocka_unit_test(live_lines_stand_above_the_live_line),
		cmocka_unit_test(a_view_of_many_lines_is_drawn_over_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
