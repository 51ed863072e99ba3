#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>

#include "runner/campaign/store.h"
#include "tests/fake/dir.h"
#include "tests/fake/plan.h"

static struct fake_plan fake;

static struct plan *plan_of_name(const char *name)
{
	struct plan *p = fake_plan_init(&fake, 1, 1, false);

	p->name = name;
	return p;
}

static bool is_there(const char *dir, const char *name)
{
	CLEANUP(cleanup_free) char *path = xasprintf("%s/%s", dir, name);

	return access(path, F_OK) == 0;
}

static void a_campaign_gets_a_directory_that_names_it(void **state)
{
	static const struct {
		const char *name, *part;
	} cases[] = {
		{ "hugetlb", "/hugetlb-2" },
		{ "../../etc/x", "/-.-..-etc-x-2" },
		{ "two words; rm", "/two-words--rm-2" },
		{ "", "/campaign-2" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(fake_dir_freep) char *root = fake_dir_new();
		CLEANUP(store_closep) struct store *s = NULL;
		struct plan *p = plan_of_name(cases[i].name);
		struct err e = { 0 };

		if (store_create(root, p, &s, &e) < 0)
			fail_msg("%s: %s", cases[i].name, e.msg);
		if (strncmp(s->dir, root, strlen(root)) != 0 ||
		    strstr(s->dir, "Z-ffffffff") == NULL)
			fail_msg("%s: %s", cases[i].name, s->dir);
		if (i != 1 && strstr(s->dir, cases[i].part) == NULL)
			fail_msg("%s: %s", cases[i].name, s->dir);
		assert_null(strchr(s->dir + strlen(root) + 1, '/'));
		fake_plan_deinit(&fake);
	}
}

static void campaigns_of_one_second_get_directories_of_their_own(void **state)
{
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	CLEANUP(store_closep) struct store *a = NULL;
	CLEANUP(store_closep) struct store *b = NULL;
	struct plan *p = plan_of_name("twin");
	struct err e = { 0 };

	(void)state;
	assert_int_equal(store_create(root, p, &a, &e), 0);
	assert_int_equal(store_create(root, p, &b, &e), 0);
	assert_string_not_equal(a->dir, b->dir);
	fake_plan_deinit(&fake);
}

static void a_second_writer_is_told_who_the_first_is(void **state)
{
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	CLEANUP(store_closep) struct store *a = NULL;
	struct plan *p = plan_of_name("locked");
	struct store *b = NULL;
	char me[32];
	struct err e = { 0 };

	(void)state;
	snprintf(me, sizeof(me), "process %d on ", (int)getpid());
	assert_int_equal(store_create(root, p, &a, &e), 0);
	assert_int_equal(store_write(a, STORE_PLAN, "{}", 2, &e), 0);
	assert_int_equal(store_open(a->dir, &b, &e), -1);
	assert_int_equal(e.kind, ERR_STORE);
	if (strstr(e.msg, me) == NULL)
		fail_msg("%s", e.msg);
	fake_plan_deinit(&fake);
}

static void a_directory_without_a_plan_is_no_campaign(void **state)
{
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	struct store *s = NULL;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(store_open(root, &s, &e), -1);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_false(is_there(root, STORE_LOCK));
}

static void a_probe_leaves_everything_as_it_was(void **state)
{
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	CLEANUP(cleanup_free) char *deep = xasprintf("%s/a/b", root);
	struct stat before, after;
	struct err e = { 0 };
	uint64_t room = 0;

	(void)state;
	assert_int_equal(stat(root, &before), 0);
	assert_int_equal(store_probe(deep, &room, &e), 0);
	assert_int_equal(stat(root, &after), 0);
	assert_true(room > 0);
	assert_false(is_there(root, "a"));
	assert_int_equal(before.st_nlink, after.st_nlink);
}

static void a_probe_says_what_is_in_the_way(void **state)
{
	static const struct {
		const char *root, *says;
	} cases[] = {
		{ "/proc/self/cmdline", "/proc/self/cmdline is not a dir" },
		{ "/proc/self/cmdline/x", "not a directory" },
		{ "/proc/no/such", "write to /proc" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e = { 0 };
		uint64_t room;

		if (store_probe(cases[i].root, &room, &e) == 0)
			fail_msg("%s is writable?", cases[i].root);
		assert_int_equal(e.kind, ERR_STORE);
		if (strcasestr(e.msg, cases[i].says) == NULL ||
		    strstr(e.msg, "--results DIR") == NULL)
			fail_msg("%s: %s", cases[i].root, e.msg);
	}
}

static void what_attempts_leave_has_directories_of_its_own(void **state)
{
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	CLEANUP(store_closep) struct store *s = NULL;
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct plan *p = plan_of_name("x");
	struct err e = { 0 };

	(void)state;
	assert_int_equal(store_create(root, p, &s, &e), 0);
	assert_false(is_there(s->dir, "artifacts"));
	buf_puts(&text, "abc");
	assert_int_equal(store_artifact(s, (struct store_attempt){ 12, 1 }, "a",
					&text, &e),
			 0);
	assert_int_equal(store_artifact(s, (struct store_attempt){ 12, 2 },
					"b.log", &text, &e),
			 0);
	assert_true(is_there(s->dir, "artifacts/12/a"));
	assert_true(is_there(s->dir, "artifacts/12.2/b.log"));
	assert_false(is_there(s->dir, "artifacts/11"));
	fake_plan_deinit(&fake);
}

// The digest of "abc" is in FIPS 180-4's examples.
static void the_manifest_lists_every_file_sorted(void **state)
{
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	CLEANUP(store_closep) struct store *s = NULL;
	CLEANUP(cleanup_free) char *path = NULL;
	CLEANUP(buf_deinit) struct buf abc = BUF_INIT, text = BUF_INIT;
	struct plan *p = plan_of_name("x");
	struct err e = { 0 };

	(void)state;
	assert_int_equal(store_create(root, p, &s, &e), 0);
	buf_puts(&abc, "abc");
	assert_int_equal(store_artifact(s, (struct store_attempt){ 0, 1 }, "a",
					&abc, &e),
			 0);
	assert_int_equal(store_write(s, "b", "abc", 3, &e), 0);
	assert_int_equal(store_finish(s, &e), 0);
	path = store_path(s, STORE_MANIFEST);
	assert_int_equal(file_read(path, 4096, &text, ERR_STORE, &e), 0);
#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	assert_string_equal(buf_str(&text),
			    ABC "  artifacts/0/a\n" ABC "  b\n");
	fake_plan_deinit(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_campaign_gets_a_directory_that_names_it),
		cmocka_unit_test(
			campaigns_of_one_second_get_directories_of_their_own),
		cmocka_unit_test(a_second_writer_is_told_who_the_first_is),
		cmocka_unit_test(a_directory_without_a_plan_is_no_campaign),
		cmocka_unit_test(a_probe_leaves_everything_as_it_was),
		cmocka_unit_test(a_probe_says_what_is_in_the_way),
		cmocka_unit_test(
			what_attempts_leave_has_directories_of_its_own),
		cmocka_unit_test(the_manifest_lists_every_file_sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
