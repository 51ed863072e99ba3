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

static struct progress_view view(void)
{
	return (struct progress_view){
		.trial = 7,
		.trials = 20,
		.round = 4,
		.cell = "backing=hugetlb-2M",
		.stage = "measuring",
		.failed = 2,
		.left_ns = 100 * NS_PER_S + 7,
		.estimate = "so far +0.3 % [-1.2 %, +1.9 %]",
	};
}

static void the_line_tells_trial_stage_time_and_estimate(void **state)
{
	CLEANUP(buf_deinit) struct buf out = BUF_INIT;
	struct progress_view v = view();

	(void)state;
	progress_format(&v, 200, &out);
	assert_string_equal(buf_str(&out),
			    "trial 7/20 round 4 backing=hugetlb-2M: measuring, "
			    "2 failed, 1m40s left, so far +0.3 % [-1.2 %, "
			    "+1.9 %]");
}

static void what_is_not_known_is_left_out(void **state)
{
	CLEANUP(buf_deinit) struct buf out = BUF_INIT;
	struct progress_view v = view();

	(void)state;
	v.failed = 0;
	v.left_ns = -1;
	v.estimate = NULL;
	v.host = "lab3";
	progress_format(&v, 200, &out);
	assert_string_equal(
		buf_str(&out),
		"trial 7/20 on lab3 round 4 backing=hugetlb-2M: measuring");
}

static void the_line_is_cut_at_columns_not_bytes(void **state)
{
	struct progress_view v = view();

	(void)state;
	v.cell = "größe=µµµ";
	for (unsigned width = 1; width < 60; width++) {
		CLEANUP(buf_deinit) struct buf out = BUF_INIT;
		unsigned columns = 0;

		progress_format(&v, width, &out);
		for (size_t i = 0; i < out.len; i++)
			columns += ((unsigned char)out.data[i] & 0xc0) != 0x80;
		if (columns != width)
			fail_msg("%u columns of %u: %s", columns, width,
				 out.data);
	}
}

static void nothing_that_an_agent_says_moves_the_cursor(void **state)
{
	CLEANUP(buf_deinit) struct buf out = BUF_INIT;
	struct progress_view v = view();

	(void)state;
	v.stage = "\033[2J\r\n\177\xc2\x9bx";
	progress_format(&v, 200, &out);
	assert_int_equal(out.len, strlen(out.data));
	for (size_t i = 0; i < out.len; i++)
		assert_true((unsigned char)out.data[i] >= ' ' &&
			    out.data[i] != 0x7f);
}

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

// 100 events in two seconds.
static void many_events(struct progress *p)
{
	struct progress_view v = view();

	for (int i = 0; i < 100; i++) {
		int64_t now = 50 * NS_PER_S + 20 * NS_PER_MS * i;

		if (progress_due_ns(p) <= now)
			progress_tick(p, now);
		progress_show(p, &v, now);
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
	struct progress_view v = view();

	progress_show(p, &v, 50 * NS_PER_S);
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
	assert_non_null(strstr(buf_str(&out), "\r\033[Kwrong\n\r\033[Ktrial"));
	// And nothing is left of it in the end.
	assert_string_equal(out.data + out.len - 4, "\r\033[K");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_line_tells_trial_stage_time_and_estimate),
		cmocka_unit_test(what_is_not_known_is_left_out),
		cmocka_unit_test(the_line_is_cut_at_columns_not_bytes),
		cmocka_unit_test(nothing_that_an_agent_says_moves_the_cursor),
		cmocka_unit_test(the_line_is_drawn_once_a_second),
		cmocka_unit_test(each_mode_says_what_it_should),
		cmocka_unit_test(live_lines_stand_above_the_live_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
