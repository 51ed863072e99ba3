#include "tests/unit/unit.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runner/agent/procfs.h"
#include "runner/agent/spool.h"
#include "runner/base/alloc.h"
#include "runner/base/fd.h"
#include "tests/fake/dir.h"

// A state directory of the test's own, and the agent's spool in it.
struct stand {
	char *dir, *path;
	struct spool spool;
	struct buf warning;
};

static void open_it(struct stand *s)
{
	buf_clear(&s->warning);
	spool_open(&s->spool, "night-1", &s->warning);
}

static void stand_init(struct stand *s)
{
	*s = (struct stand){ .dir = fake_dir_new() };
	s->path = xasprintf("%s/spool-night-1.json", s->dir);
	setenv("VRUN_STATEDIR", s->dir, 1);
	open_it(s);
	assert_string_equal(buf_str(&s->warning), "");
}

static void stand_deinit(struct stand *s)
{
	spool_deinit(&s->spool);
	buf_deinit(&s->warning);
	free(s->path);
	fake_dir_freep(&s->dir);
}

static bool is_there(const char *path)
{
	return access(path, F_OK) == 0;
}

static struct js *result_of(const char *outcome)
{
	struct js *r = js_object();

	js_set_str(r, "outcome", outcome);
	js_set(r, "metrics", js_array());
	js_set(r, "checks", js_array());
	return r;
}

static void finish(struct spool *s, int64_t trial, int64_t attempt)
{
	struct artifacts a = { 0 };

	assert_true(artifacts_add(&a, "console.log", "boot", 4));
	spool_begin(s, trial, attempt);
	spool_finish(s, result_of("ok"), &a);
}

static void a_new_life_takes_up_what_the_former_one_left(void **state)
{
	struct stand s;
	CLEANUP(js_unrefp) struct js *holds = NULL;

	(void)state;
	stand_init(&s);
	assert_null(spool_holds(&s.spool));
	finish(&s.spool, 7, 2);
	spool_deinit(&s.spool);
	open_it(&s);
	assert_string_equal(buf_str(&s.warning), "");
	assert_true(spool_is_for(&s.spool, 7, 2));
	assert_false(spool_is_for(&s.spool, 7, 1));
	assert_true(s.spool.done);
	assert_int_equal(js_len(s.spool.artifacts.list), 1);
	assert_null(js_get(s.spool.result, "notes"));
	holds = spool_holds(&s.spool);
	assert_int_equal(js_get_int(holds, "trial", 0), 7);
	assert_true(js_get_bool(holds, "done", false));
	stand_deinit(&s);
}

static void a_trial_in_hand_is_in_no_file(void **state)
{
	struct stand s;

	(void)state;
	stand_init(&s);
	finish(&s.spool, 7, 1);
	assert_true(is_there(s.path));
	spool_begin(&s.spool, 8, 1);
	assert_false(is_there(s.path));
	assert_true(spool_is_for(&s.spool, 8, 1));
	assert_false(s.spool.done);
	spool_drop(&s.spool);
	assert_null(spool_holds(&s.spool));
	stand_deinit(&s);
}

// What stands in the file instead of what was written, and what is said.
static void a_file_that_cannot_be_trusted_is_set_aside(void **state)
{
#define HEAD "{\"v\":1,\"campaign\":\"night-1\","
#define OK   "\"result\":{\"outcome\":\"ok\",\"metrics\":[],\"checks\":[]}"
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "", "bad JSON" },
		{ HEAD "\"trial\":1,\"attempt\":1,", "bad JSON" },
		{ "{\"v\":2}", "version 2 of the format" },
		{ "[1,2]", "version 0" },
		{ "{\"v\":1,\"campaign\":\"night-2\"}", "\"night-2\"" },
		{ HEAD OK "}", "names no trial" },
		{ HEAD "\"trial\":-1,\"attempt\":1," OK "}", "names no trial" },
		{ HEAD "\"trial\":1,\"attempt\":0," OK "}", "names no trial" },
		{ HEAD "\"trial\":1,\"attempt\":1}", "result" },
		{ HEAD "\"trial\":1,\"attempt\":1,\"result\":"
		       "{\"outcome\":\"splendid\"}}",
		  "outcome" },
		{ HEAD "\"trial\":1,\"attempt\":1," OK
		       ",\"artifacts\":[{\"name\":\"../x\",\"data\":\"\"}]}",
		  "\"../x\"" },
	};
#undef HEAD
#undef OK

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(cleanup_free) char *aside = NULL;
		struct err e = { 0 };
		struct stand s;

		stand_init(&s);
		spool_deinit(&s.spool);
		aside = xasprintf("%s.bad", s.path);
		assert_int_equal(file_replace(s.path, cases[i].text,
					      strlen(cases[i].text), &e),
				 0);
		open_it(&s);
		if (strstr(buf_str(&s.warning), cases[i].says) == NULL)
			fail_msg("%s: says %s", cases[i].text,
				 buf_str(&s.warning));
		assert_null(spool_holds(&s.spool));
		assert_int_equal(js_len(s.spool.artifacts.list), 0);
		assert_false(is_there(s.path));
		assert_true(is_there(aside));
		finish(&s.spool, 1, 1);
		assert_true(is_there(s.path));
		stand_deinit(&s);
	}
}

static void a_reboot_in_between_is_noted(void **state)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	char boot[PROCFS_BOOT_ID_MAX];
	struct err e = { 0 };
	struct stand s;
	char *at;

	(void)state;
	stand_init(&s);
	finish(&s.spool, 7, 1);
	spool_deinit(&s.spool);
	assert_int_equal(procfs_boot_id(boot), 0);
	assert_int_equal(file_read(s.path, 65536, &text, ERR_HOST, &e), 0);
	at = strstr(text.data, boot);
	assert_non_null(at);
	*at = *at == 'a' ? 'b' : 'a';
	assert_int_equal(file_replace(s.path, text.data, text.len, &e), 0);
	open_it(&s);
	assert_true(spool_is_for(&s.spool, 7, 1));
	assert_non_null(
		strstr(js_str(js_at(js_get(s.spool.result, "notes"), 0)),
		       "was rebooted"));
	stand_deinit(&s);
}

static void without_room_a_result_is_kept_in_memory_and_says_so(void **state)
{
	struct rlimit former, tight;
	struct stand s;

	(void)state;
	stand_init(&s);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &former);
	tight = former;
	tight.rlim_cur = 50;
	setrlimit(RLIMIT_FSIZE, &tight);
	finish(&s.spool, 7, 1);
	setrlimit(RLIMIT_FSIZE, &former);
	assert_true(spool_is_for(&s.spool, 7, 1) && s.spool.done);
	assert_false(is_there(s.path));
	assert_non_null(
		strstr(js_str(js_at(js_get(s.spool.result, "notes"), 0)),
		       "no place to keep"));
	stand_deinit(&s);
}

static void without_a_state_directory_the_agent_goes_on(void **state)
{
	struct stand s;

	(void)state;
	stand_init(&s);
	spool_deinit(&s.spool);
	setenv("VRUN_STATEDIR", "/proc/nowhere", 1);
	open_it(&s);
	assert_non_null(strstr(buf_str(&s.warning), "/proc/nowhere"));
	finish(&s.spool, 1, 1);
	assert_true(spool_is_for(&s.spool, 1, 1));
	stand_deinit(&s);
}

static void make_old(const char *path, int days)
{
	struct timespec t[2] = { 0 };

	t[0].tv_sec = t[1].tv_sec = time(NULL) - days * 24L * 3600;
	assert_int_equal(utimensat(AT_FDCWD, path, t, 0), 0);
}

// By the calendar all are old; the one that was written in this boot, which
// is younger than that, shows that the clock was set.
static void what_nobody_asked_for_in_a_month_goes(void **state)
{
	static const struct {
		const char *name, *text;
		int days;
		bool stays;
	} cases[] = {
		{ "spool-a.json", "{\"boot_id\":\"x\"}", 29, true },
		{ "spool-b.json", "{\"boot_id\":\"x\"}", 31, false },
		{ "spool-c.json.bad", "{", 31, false },
		{ "other", "", 31, true },
	};
	struct err e = { 0 };
	struct stand s, other;

	(void)state;
	stand_init(&s);
	finish(&s.spool, 1, 1);
	spool_deinit(&s.spool);
	make_old(s.path, 400);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(cleanup_free)
		char *path = xasprintf("%s/%s", s.dir, cases[i].name);

		assert_int_equal(file_replace(path, cases[i].text,
					      strlen(cases[i].text), &e),
				 0);
		make_old(path, cases[i].days);
	}
	other = (struct stand){ .dir = NULL };
	spool_open(&other.spool, "night-2", &other.warning);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(cleanup_free)
		char *path = xasprintf("%s/%s", s.dir, cases[i].name);

		if (is_there(path) != cases[i].stays)
			fail_msg("%s", cases[i].name);
	}
	assert_true(is_there(s.path));
	spool_deinit(&other.spool);
	stand_deinit(&s);
}

static void names_of_campaigns_are_checked(void **state)
{
	char longest[SPOOL_CAMPAIGN_MAX + 2];

	(void)state;
	memset(longest, 'x', sizeof(longest));
	longest[SPOOL_CAMPAIGN_MAX + 1] = '\0';
	assert_false(spool_campaign_is_good(longest));
	longest[SPOOL_CAMPAIGN_MAX] = '\0';
	assert_true(spool_campaign_is_good(longest));
	assert_true(spool_campaign_is_good("night-1.A_b"));
	assert_false(spool_campaign_is_good(""));
	assert_false(spool_campaign_is_good("a/b"));
	assert_false(spool_campaign_is_good("a b"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_life_takes_up_what_the_former_one_left),
		cmocka_unit_test(a_trial_in_hand_is_in_no_file),
		cmocka_unit_test(a_file_that_cannot_be_trusted_is_set_aside),
		cmocka_unit_test(a_reboot_in_between_is_noted),
		cmocka_unit_test(
			without_room_a_result_is_kept_in_memory_and_says_so),
		cmocka_unit_test(without_a_state_directory_the_agent_goes_on),
		cmocka_unit_test(what_nobody_asked_for_in_a_month_goes),
		cmocka_unit_test(names_of_campaigns_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
