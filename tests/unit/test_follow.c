#include "tests/unit/unit.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "runner/base/clock.h"
#include "runner/campaign/follow.h"
#include "runner/campaign/journal.h"
#include "runner/campaign/store.h"
#include "tests/fake/campaigns.h"
#include "tests/fake/dir.h"

// A campaign that somebody else runs: two hosts, two rounds of two cells.
struct fixture {
	char *root;
	struct matrix *m;
	struct plan *plan;
	struct store *store;
	struct journal *journal;
};

static const char matrix[] = "name: x\n"
			     "hosts: [a, b]\n"
			     "factors: {effect: [0, 1%]}\n"
			     "fixed: {accel: native}\n"
			     "workloads: [synthetic]\n"
			     "design: {rounds: 2}\n";

static void setup(struct fixture *f)
{
	CLEANUP(cleanup_free) char *trials = NULL;
	CLEANUP(js_unrefp) struct js *j = NULL;
	struct err e = { 0 };

	*f = (struct fixture){ .root = fake_dir_new() };
	f->m = campaigns_matrix(matrix);
	campaigns_need(plan_build(f->m, 7, &f->plan, &e), &e);
	campaigns_need(store_create(f->root, f->plan, &f->store, &e), &e);
	j = plan_to_js(f->plan);
	campaigns_need(store_write_js(f->store, STORE_PLAN, j, &e), &e);
	trials = store_path(f->store, STORE_TRIALS);
	campaigns_need(journal_open(trials, NULL, &f->journal, &e), &e);
}

static void teardown(struct fixture *f)
{
	journal_close(f->journal);
	store_close(f->store);
	plan_free(f->plan);
	matrix_free(f->m);
	fake_dir_freep(&f->root);
}

static void note(struct fixture *f, uint32_t trial, enum record_event event,
		 enum outcome o)
{
	struct metric m = { "synthetic.value", 100 + trial, "1",
			    BETTER_HIGHER };
	struct result res = { .outcome = o, .metrics = &m, .nmetrics = 1 };
	struct record r = campaigns_record(f->plan, &f->plan->trials[trial]);
	struct err e = { 0 };

	if (o != OUTCOME_OK)
		res.reason = "it broke";
	r.event = event;
	r.boot_attempt = 1;
	r.wall_ns = clock_wall_ns();
	r.result = event == RECORD_FINISHED ? &res : NULL;
	campaigns_need(journal_append(f->journal, &r, &e), &e);
}

static void run(struct fixture *f, uint32_t trial)
{
	note(f, trial, RECORD_STARTED, OUTCOME_OK);
	note(f, trial, RECORD_FINISHED, OUTCOME_OK);
}

static void count(void *ctx, const struct record *r, size_t over, int64_t took)
{
	size_t *n = ctx;

	assert_non_null(r->result);
	assert_true(took >= 0);
	assert_int_equal(over, ++*n);
}

static struct follow *followed(const struct fixture *f)
{
	struct follow *follow = NULL;
	struct err e = { 0 };

	if (follow_open(f->store->dir, &follow, &e) < 0)
		fail_msg("%s", e.msg);
	return follow;
}

static void read_more(struct follow *follow, size_t *n)
{
	struct err e = { 0 };

	if (follow_read(follow, count, n, &e) < 0)
		fail_msg("%s", e.msg);
}

static void what_is_added_is_taken_in_once(void **state)
{
	CLEANUP(follow_freep) struct follow *follow = NULL;
	struct fixture f;
	size_t n = 0;

	(void)state;
	setup(&f);
	follow = followed(&f);
	read_more(follow, &n);
	assert_int_equal(n, 0);
	run(&f, 0);
	run(&f, 4);
	read_more(follow, &n);
	assert_int_equal(n, 2);
	read_more(follow, &n);
	assert_int_equal(n, 2);
	for (uint32_t i = 1; i < 8; i++) {
		if (i != 4)
			run(&f, i);
	}
	read_more(follow, &n);
	assert_int_equal(n, 8);
	assert_int_equal(follow_counts(follow).ok, 8);
	teardown(&f);
}

static void rows_tell_what_is_in_hand_and_what_went_wrong(void **state)
{
	CLEANUP(follow_freep) struct follow *follow = NULL;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct fixture f;
	struct view v;
	size_t n = 0;

	(void)state;
	setup(&f);
	note(&f, 0, RECORD_STARTED, OUTCOME_OK);
	note(&f, 4, RECORD_STARTED, OUTCOME_OK);
	note(&f, 4, RECORD_FINISHED, OUTCOME_LOST);
	follow = followed(&f);
	assert_int_equal(follow_read(follow, NULL, &n, &(struct err){ 0 }), 0);
	follow_fill(follow, a, &v);
	assert_int_equal(v.nrows, 2);
	assert_string_equal(v.rows[0].host, "a");
	assert_int_equal(v.rows[0].round, 1);
	assert_non_null(strstr(v.rows[0].stage, "under way"));
	assert_null(v.rows[0].error);
	assert_int_equal(v.rows[1].round, 0);
	assert_string_equal(v.rows[1].error, "lost: it broke");
	assert_int_equal(v.rows[1].trials, 4);
	assert_int_equal(v.failed, 1);
	teardown(&f);
}

static void put(const struct fixture *f, const char *text, size_t len)
{
	CLEANUP(cleanup_free) char *path = store_path(f->store, STORE_TRIALS);
	CLEANUP(fd_closep) int fd = open(path, O_WRONLY | O_APPEND);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
}

static void cut(const struct fixture *f, off_t by)
{
	CLEANUP(cleanup_free) char *path = store_path(f->store, STORE_TRIALS);
	CLEANUP(fd_closep) int fd = open(path, O_WRONLY | O_APPEND);

	assert_int_equal(ftruncate(fd, lseek(fd, 0, SEEK_END) - by), 0);
}

// Half a line, and blocks that were never written: who resumes cuts both off.
static void a_torn_line_is_waited_for_and_forgotten(void **state)
{
	static const char *const torn[] = { "{\"v\": 1, \"event", "\0\0\0\n" };
	static const size_t len[] = { 16, 4 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(torn); i++) {
		CLEANUP(follow_freep) struct follow *follow = NULL;
		struct fixture f;
		size_t n = 0;

		setup(&f);
		run(&f, 0);
		put(&f, torn[i], len[i]);
		follow = followed(&f);
		read_more(follow, &n);
		assert_int_equal(n, 1);
		cut(&f, (off_t)len[i]);
		read_more(follow, &n);
		run(&f, 1);
		read_more(follow, &n);
		assert_int_equal(n, 2);
		teardown(&f);
	}
}

static void a_broken_line_is_an_error_with_its_place(void **state)
{
	CLEANUP(follow_freep) struct follow *follow = NULL;
	struct fixture f;
	struct err e = { 0 };

	(void)state;
	setup(&f);
	run(&f, 0);
	put(&f, "nonsense\n", 9);
	follow = followed(&f);
	assert_int_equal(follow_read(follow, NULL, NULL, &e), -1);
	assert_int_equal(e.kind, ERR_STORE);
	assert_non_null(strstr(e.msg, STORE_TRIALS ":3: "));
	teardown(&f);
}

static enum follow_state state_now(struct follow *follow)
{
	size_t n = 0;

	read_more(follow, &n);
	return follow_state(follow);
}

// The lock is seen, and stays free for a writer.
static void who_writes_there_is_seen(void **state)
{
	CLEANUP(follow_freep) struct follow *follow = NULL;
	CLEANUP(cleanup_free) char *dir = NULL;
	struct fixture f;
	struct err e = { 0 };

	(void)state;
	if (access("/proc/locks", R_OK) < 0) {
		print_message("no /proc/locks\n");
		skip();
	}
	setup(&f);
	dir = xstrdup(f.store->dir);
	assert_int_equal(follow_open(dir, &follow, &e), 0);
	assert_int_equal(state_now(follow), FOLLOW_RUNS);
	store_closep(&f.store);
	assert_int_equal(state_now(follow), FOLLOW_STOPPED);
	assert_int_equal(store_open(dir, &f.store, &e), 0);
	assert_int_equal(state_now(follow), FOLLOW_RUNS);
	assert_int_equal(store_write(f.store, STORE_MANIFEST, "", 0, &e), 0);
	assert_int_equal(state_now(follow), FOLLOW_RUNS);
	store_closep(&f.store);
	assert_int_equal(state_now(follow), FOLLOW_ENDED);
	teardown(&f);
}

static void a_directory_without_a_plan_is_refused(void **state)
{
	CLEANUP(fake_dir_freep) char *dir = fake_dir_new();
	struct follow *follow = NULL;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(follow_open(dir, &follow, &e), -1);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_null(follow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_added_is_taken_in_once),
		cmocka_unit_test(rows_tell_what_is_in_hand_and_what_went_wrong),
		cmocka_unit_test(a_torn_line_is_waited_for_and_forgotten),
		cmocka_unit_test(a_broken_line_is_an_error_with_its_place),
		cmocka_unit_test(who_writes_there_is_seen),
		cmocka_unit_test(a_directory_without_a_plan_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
