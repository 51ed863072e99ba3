#include "tests/unit/unit.h"

#include <string.h>

#include "runner/record/record.h"

static const char started[] =
	"{\"v\":1,\"event\":\"started\",\"trial\":4,\"attempt\":2,\"block\":1,"
	"\"boot\":3,\"boot_attempt\":1,\"position\":5,\"cell\":6,"
	"\"host\":\"lab3\",\"levels\":{\"backing\":\"4k\",\"cpus\":\"2\"},"
	"\"wall_ns\":1700000000000000001,\"mono_ns\":9}";

static void drop(struct record *r)
{
	js_unref(r->tree);
}

static void a_line_gives_every_field(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct err e = { 0 };
	CLEANUP(drop) struct record r = { 0 };

	(void)state;
	if (record_parse(started, strlen(started), a, &r, &e) < 0)
		fail_msg("%s", e.msg);
	assert_int_equal(r.event, RECORD_STARTED);
	assert_int_equal(r.trial, 4);
	assert_int_equal(r.attempt, 2);
	assert_int_equal(r.block, 1);
	assert_int_equal(r.boot, 3);
	assert_int_equal(r.boot_attempt, 1);
	assert_int_equal(r.position, 5);
	assert_int_equal(r.cell, 6);
	assert_string_equal(r.host, "lab3");
	assert_int_equal(r.nlevels, 2);
	assert_string_equal(r.levels[1].factor, "cpus");
	assert_string_equal(r.levels[1].text, "2");
	assert_int_equal(r.wall_ns, 1700000000000000001);
	assert_int_equal(r.mono_ns, 9);
	assert_null(r.result);
}

static void a_record_written_is_the_record_read(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(js_unrefp) struct js *j = NULL;
	CLEANUP(buf_deinit) struct buf line = BUF_INIT;
	struct level level = { "backing", "hugetlb-2M" };
	struct record r = { .event = RECORD_FINISHED,
			    .trial = UINT32_MAX,
			    .attempt = 1,
			    .host = "local",
			    .levels = &level,
			    .nlevels = 1,
			    .wall_ns = INT64_MAX,
			    .result = result_new(a) };
	CLEANUP(drop) struct record back = { 0 };
	struct err e = { 0 };

	(void)state;
	result_metric(
		a, r.result,
		&(struct metric){ "block.iops", 0.1, "IOPS", BETTER_HIGHER });
	j = record_to_js(&r);
	js_print(j, &line);
	assert_null(strchr(line.data, '\n'));
	if (record_parse(line.data, line.len, a, &back, &e) < 0)
		fail_msg("%s", e.msg);
	assert_int_equal(back.event, RECORD_FINISHED);
	assert_int_equal(back.trial, UINT32_MAX);
	assert_int_equal(back.wall_ns, INT64_MAX);
	assert_string_equal(back.levels[0].text, "hugetlb-2M");
	assert_int_equal(back.result->nmetrics, 1);
	assert_true(back.result->metrics[0].value == 0.1);
}

// A good line with one member replaced by `json`, or dropped when NULL.
static int parse_with(const char *key, const char *json, struct err *e)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(js_unrefp) struct js *good = NULL;
	CLEANUP(buf_deinit) struct buf line = BUF_INIT;
	CLEANUP(drop) struct record r = { 0 };
	int rc;

	good = js_parse(started, strlen(started), "good", e);
	js_del(good, key);
	if (json != NULL)
		js_set(good, key, js_parse(json, strlen(json), key, e));
	js_print(good, &line);
	*e = (struct err){ 0 };
	rc = record_parse(line.data, line.len, a, &r, e);
	if (rc < 0)
		assert_null(r.tree);
	return rc;
}

static void a_record_that_lies_is_refused_with_a_sentence(void **state)
{
	static const struct {
		const char *key, *json;
	} cases[] = {
		{ "v", NULL },
		{ "v", "2" },
		{ "event", "\"paused\"" },
		{ "event", NULL },
		{ "event", "\"finished\"" },	      // without a result
		{ "result", "{\"outcome\":\"ok\"}" }, // of a started one
		{ "trial", NULL },
		{ "trial", "-1" },
		{ "trial", "4294967296" },
		{ "trial", "\"4\"" },
		{ "cell", "1.5" },
		{ "host", NULL },
		{ "host", "7" },
		{ "levels", NULL },
		{ "levels", "[]" },
		{ "levels", "{\"backing\":4}" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e = { 0 };

		if (parse_with(cases[i].key, cases[i].json, &e) == 0)
			fail_msg("accepted: %s = %s", cases[i].key,
				 cases[i].json ? cases[i].json : "nothing");
		assert_int_equal(e.kind, ERR_STORE);
		assert_true(e.msg[0] != 0);
	}
}

static void fields_of_a_later_version_are_ignored(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_int_equal(parse_with("new", "{\"x\":1}", &e), 0);
}

// Every torn line is refused: no prefix of a record is a record.
static void a_torn_line_is_refused_wherever_it_tears(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();

	(void)state;
	for (size_t n = 0; n < strlen(started); n++) {
		struct err e = { 0 };
		CLEANUP(drop) struct record r = { 0 };

		if (record_parse(started, n, a, &r, &e) == 0)
			fail_msg("accepted the first %zu bytes", n);
		assert_int_equal(e.kind, ERR_STORE);
	}
}

static void a_line_has_a_limit(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(buf_deinit) struct buf line = BUF_INIT;
	struct err e = { 0 };
	CLEANUP(drop) struct record r = { 0 };

	(void)state;
	buf_printf(&line, "%s%*s", started,
		   RECORD_LINE_MAX + 1 - (int)strlen(started), "");
	assert_int_equal(line.len, RECORD_LINE_MAX + 1);
	assert_int_equal(record_parse(line.data, line.len, a, &r, &e), -1);
	assert_int_equal(record_parse(line.data, line.len - 1, a, &r, &e), 0);
}

static void factors_have_a_limit(void **state)
{
	CLEANUP(buf_deinit) struct buf levels = BUF_INIT;
	struct err e = { 0 };

	(void)state;
	buf_puts(&levels, "{\"f\":\"x\"");
	for (int i = 1; i < RECORD_LEVELS_MAX; i++)
		buf_printf(&levels, ",\"f%d\":\"x\"", i);
	buf_putc(&levels, '}');
	assert_int_equal(parse_with("levels", levels.data, &e), 0);
	levels.data[levels.len - 1] = ',';
	buf_puts(&levels, "\"more\":\"x\"}");
	assert_int_equal(parse_with("levels", levels.data, &e), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_gives_every_field),
		cmocka_unit_test(a_record_written_is_the_record_read),
		cmocka_unit_test(a_record_that_lies_is_refused_with_a_sentence),
		cmocka_unit_test(fields_of_a_later_version_are_ignored),
		cmocka_unit_test(a_torn_line_is_refused_wherever_it_tears),
		cmocka_unit_test(a_line_has_a_limit),
		cmocka_unit_test(factors_have_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
