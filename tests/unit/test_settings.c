#include "tests/unit/unit.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/agent/hugepages.h"
#include "runner/agent/knob.h"
#include "runner/agent/procfs.h"
#include "runner/agent/settings.h"
#include "tests/fake/root.h"

#define POOL "/sys/kernel/mm/hugepages/hugepages-2048kB/"
#define MIB2 ((uint64_t)2 << 20)

// A pool in which nothing moves: what is written stays, what is free too.
// Figures keep their width, for a file keeps the rest of a longer text.
static void put_pool(const char *root, const char *total, const char *available)
{
	fake_root_put(root, POOL "nr_hugepages", total);
	fake_root_put(root, POOL "free_hugepages", available);
	fake_root_put(root, POOL "resv_hugepages", "0\n");
	fake_root_put(root, "/proc/sys/vm/compact_memory", "0");
	fake_root_put(root, "/proc/sys/vm/drop_caches", "0");
}

static bool lease_exists(const char *root)
{
	CLEANUP(cleanup_free)
	char *path = xasprintf("%s/lease-%d.json", root, (int)getpid());

	return access(path, F_OK) == 0;
}

static void start(struct settings *s, const char *root)
{
	struct err e = { 0 };

	if (settings_init(s, root, root, &e) < 0)
		fail_msg("%s", e.msg);
}

static void pages_that_are_free_are_taken_as_they_are(void **state)
{
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	struct settings s;
	struct err e = { 0 };
	uint64_t got;

	(void)state;
	put_pool(root, "300\n", "256\n");
	start(&s, root);
	assert_int_equal(settings_hold_pages(&s, MIB2, 256, &got, &e), 0);
	assert_int_equal(got, 256);
	assert_true(fake_root_has(root, POOL "nr_hugepages", "300"));
	assert_false(lease_exists(root));
	settings_deinit(&s);
}

static void what_is_missing_is_added_to_the_total(void **state)
{
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	struct settings s;
	struct err e = { 0 };
	uint64_t got;

	(void)state;
	put_pool(root, "1300\n", "56\n");
	start(&s, root);
	assert_int_equal(settings_hold_pages(&s, MIB2, 256, &got, &e), 0);
	assert_int_equal(got, 56); // this pool never gives any
	assert_false(fake_root_has(root, POOL "nr_hugepages", "1300"));
	assert_true(fake_root_has(root, "/proc/sys/vm/compact_memory", "1"));
	assert_true(lease_exists(root));
	assert_int_equal(settings_restore(&s, &e), 0);
	assert_true(fake_root_has(root, POOL "nr_hugepages", "1300"));
	assert_false(lease_exists(root));
	settings_deinit(&s);
}

static void a_lease_stays_while_it_cannot_be_restored(void **state)
{
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	CLEANUP(cleanup_free) char *pool = xasprintf("%s" POOL, root);
	struct settings s;
	struct err e = { 0 };
	uint64_t got;

	(void)state;
	put_pool(root, "1300\n", "56\n");
	start(&s, root);
	assert_int_equal(settings_hold_pages(&s, MIB2, 256, &got, &e), 0);
	dir_remove_all(pool);
	assert_int_equal(settings_restore(&s, &e), -1);
	assert_non_null(strstr(e.msg, "cannot restore \"1300\""));
	assert_true(lease_exists(root));
	settings_deinit(&s);
}

static void pages_that_memory_cannot_hold_are_not_tried(void **state)
{
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	struct settings s;
	struct err e = { 0 };
	uint64_t got;

	(void)state;
	put_pool(root, "10\n", "8\n");
	fake_root_put(root, "/proc/meminfo", "MemAvailable: 466944 kB\n");
	start(&s, root);
	assert_int_equal(settings_hold_pages(&s, MIB2, 256, &got, &e), 0);
	assert_int_equal(got, 8 + 100); // 456 MiB less what is spared
	assert_true(fake_root_has(root, POOL "nr_hugepages", "10"));
	assert_false(lease_exists(root));
	settings_deinit(&s);
}

static void reserved_pages_are_not_available(void **state)
{
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	struct hugepages pool;
	struct err e = { 0 };

	(void)state;
	put_pool(root, "10\n", "8\n");
	fake_root_put(root, POOL "resv_hugepages", "3\n");
	assert_int_equal(hugepages_read(root, MIB2, &pool, &e), 0);
	assert_int_equal(pool.total, 10);
	assert_int_equal(pool.available, 5);
}

static void too_few_pages_for_a_vm_are_an_error_with_the_fix(void **state)
{
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	const struct vm_spec spec = {
		.accel = VM_TCG,
		.backing = vm_backing_find("hugetlb-2M"),
		.memory_bytes = 512 << 20,
	};
	struct settings s;
	struct err e = { 0 };

	(void)state;
	put_pool(root, "210\n", "210\n");
	start(&s, root);
	assert_int_equal(settings_hold_for(&s, &spec, &e), -1);
	assert_non_null(strstr(e.msg, "got 210 of 256"));
	assert_non_null(strstr(e.msg, "hugepages=256"));
	settings_deinit(&s);
}

static void unknown_settings_are_refused(void **state)
{
	static const char *const cases[] = {
		"{\"governor\":\"performance\"}",
		"{\"pages\":{\"3M\":1}}",
		"{\"pages\":{\"2M\":-1}}",
		"{\"pages\":{\"2M\":\"all\"}}",
		"{\"pages\":{\"1G\":1}}", // no such pool here
	};
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	struct settings s;

	(void)state;
	put_pool(root, "1\n", "1\n");
	start(&s, root);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e = { 0 };
		CLEANUP(js_unrefp)
		struct js *j = js_parse(cases[i], strlen(cases[i]), "test", &e);

		if (settings_apply(&s, j, &e) == 0)
			fail_msg("took %s", cases[i]);
	}
	settings_deinit(&s);
}

#define THP	 "/sys/kernel/mm/transparent_hugepage/enabled"
#define GOVERNOR "/sys/devices/system/cpu/cpufreq/policy%d/scaling_governor"

static void put_governors(const char *root)
{
	for (int i = 0; i < 12; i++) {
		CLEANUP(cleanup_free) char *path = xasprintf(GOVERNOR, i);

		fake_root_put(root, path, "schedutil\n");
	}
}

// A file keeps the rest of a longer text: values here have one width.
static struct js *want(const char *text)
{
	struct err e = { 0 };
	struct js *j = js_parse(text, strlen(text), "test", &e);

	if (j == NULL)
		fail_msg("%s", e.msg);
	return j;
}

static void hold(struct settings *s, const char *text)
{
	CLEANUP(js_unrefp) struct js *j = want(text);
	struct err e = { 0 };

	if (settings_hold(s, j, &e) < 0)
		fail_msg("%s: %s", text, e.msg);
}

static void named_settings_are_made_everywhere_and_put_back(void **state)
{
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	struct settings s;
	struct err e = { 0 };

	(void)state;
	put_governors(root);
	start(&s, root);
	hold(&s, "{\"governor\": \"powersave\"}");
	assert_true(fake_root_has(root,
				  "/sys/devices/system/cpu/cpufreq/"
				  "policy11/scaling_governor",
				  "powersave"));
	assert_true(lease_exists(root));
	assert_int_equal(settings_restore(&s, &e), 0);
	assert_true(fake_root_has(root,
				  "/sys/devices/system/cpu/cpufreq/"
				  "policy11/scaling_governor",
				  "schedutil"));
	assert_false(lease_exists(root));
	settings_deinit(&s);
}

static void what_a_later_trial_does_not_name_goes_back(void **state)
{
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	struct settings s;

	(void)state;
	fake_root_put(root, "/sys/a", "1\n");
	fake_root_put(root, "/proc/sys/b", "2\n");
	start(&s, root);
	hold(&s, "{\"/sys/a\": \"7\", \"/proc/sys/b\": \"8\"}");
	assert_true(fake_root_has(root, "/sys/a", "7"));
	hold(&s, "{\"/proc/sys/b\": \"9\"}");
	assert_true(fake_root_has(root, "/sys/a", "1"));
	assert_true(fake_root_has(root, "/proc/sys/b", "9"));
	hold(&s, "{}");
	assert_true(fake_root_has(root, "/proc/sys/b", "2"));
	settings_deinit(&s);
}

static void turbo_takes_the_word_of_the_driver(void **state)
{
	static const struct {
		const char *path, *before, *on, *off;
	} cases[] = {
		{ "/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n", "0",
		  "1" },
		{ "/sys/devices/system/cpu/cpufreq/boost", "0\n", "1", "0" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(fake_dir_freep) char *root = fake_dir_new();
		struct settings s;

		fake_root_put(root, cases[i].path, cases[i].before);
		start(&s, root);
		hold(&s, "{\"turbo\": \"on\"}");
		if (!fake_root_has(root, cases[i].path, cases[i].on))
			fail_msg("%s is not on", cases[i].path);
		hold(&s, "{\"turbo\": \"off\"}");
		if (!fake_root_has(root, cases[i].path, cases[i].off))
			fail_msg("%s is not off", cases[i].path);
		settings_deinit(&s);
	}
}

static void settings_that_cannot_be_are_refused_in_words(void **state)
{
	static const struct {
		const char *want, *says;
	} cases[] = {
		{ "{\"governor\": \"performance\"}",
		  "governor cannot be set on this host: it has no frequency" },
		{ "{\"smt\": \"off\"}", "cannot switch SMT" },
		{ "{\"/sys/none\": \"1\"}", "this host has no such file" },
		{ "{\"/sys/../etc/x\": \"1\"}", "must be one file below" },
		{ "{\"/etc/x\": \"1\"}", "unknown host setting" },
		{ "{\"/sys/a*\": \"1\"}", "must be one file below" },
		{ "{\"/sys/a\": 1}", "is no text" },
		{ "{\"/sys/dir\": \"1\"}", "/sys/dir" },
	};
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	struct settings s;

	(void)state;
	fake_root_put(root, "/sys/a", "1\n");
	fake_root_put(root, "/sys/dir/file", "1\n");
	start(&s, root);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(js_unrefp) struct js *j = want(cases[i].want);
		struct err e = { 0 };

		if (settings_hold(&s, j, &e) == 0 ||
		    strstr(e.msg, cases[i].says) == NULL)
			fail_msg("%s: %s", cases[i].want, e.msg);
		assert_true(fake_root_has(root, "/sys/a", "1"));
	}
	assert_false(lease_exists(root));
	settings_deinit(&s);
}

static void a_setting_that_changed_meanwhile_is_seen(void **state)
{
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(js_unrefp) struct js *j = want("{\"/sys/a\": \"7\"}");
	struct result *r = result_new(a);
	struct settings s;

	(void)state;
	fake_root_put(root, "/sys/a", "1\n");
	start(&s, root);
	hold(&s, "{\"/sys/a\": \"7\"}");
	settings_check(&s, j, a, r);
	fake_root_put(root, "/sys/a", "5\n");
	settings_check(&s, j, a, r);
	assert_int_equal(r->nchecks, 2);
	assert_int_equal(r->checks[0].status, CHECK_OK);
	assert_int_equal(r->checks[1].status, CHECK_FAILED);
	assert_string_equal(r->checks[1].seen, "5");
	settings_deinit(&s);
}

static void of_a_choice_the_one_in_brackets_counts(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "always [madvise] never\n", "madvise" },
		{ "[none] mq-deadline\n", "none" },
		{ "60\n", "60" },
		{ "a [ b\n", "a [ b" },
		{ "\n", "" },
	};
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	CLEANUP(cleanup_free) char *path = xasprintf("%s/f", root);
	char now[32];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		fake_root_put(root, "/f", cases[i].text);
		assert_int_equal(knob_read(path, now, sizeof(now)), 0);
		assert_string_equal(now, cases[i].says);
	}
	assert_true(knob_equal("0-3", "0,1,2,3"));
	assert_false(knob_equal("0-3", "0,1,2"));
	assert_false(knob_equal("on", "off"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_that_are_free_are_taken_as_they_are),
		cmocka_unit_test(what_is_missing_is_added_to_the_total),
		cmocka_unit_test(a_lease_stays_while_it_cannot_be_restored),
		cmocka_unit_test(pages_that_memory_cannot_hold_are_not_tried),
		cmocka_unit_test(reserved_pages_are_not_available),
		cmocka_unit_test(
			too_few_pages_for_a_vm_are_an_error_with_the_fix),
		cmocka_unit_test(unknown_settings_are_refused),
		cmocka_unit_test(
			named_settings_are_made_everywhere_and_put_back),
		cmocka_unit_test(what_a_later_trial_does_not_name_goes_back),
		cmocka_unit_test(turbo_takes_the_word_of_the_driver),
		cmocka_unit_test(settings_that_cannot_be_are_refused_in_words),
		cmocka_unit_test(a_setting_that_changed_meanwhile_is_seen),
		cmocka_unit_test(of_a_choice_the_one_in_brackets_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
