// The list of campaigns in a directory of results.
#include "tests/unit/unit.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/campaign/index.h"
#include "tests/fake/dir.h"

static void put(const char *root, const char *dir, const char *file,
		const char *text)
{
	CLEANUP(cleanup_free) char *d = xasprintf("%s/%s", root, dir);
	CLEANUP(cleanup_free) char *path = xasprintf("%s/%s", d, file);
	struct err e = { 0 };

	assert_int_equal(dir_make_all(d), 0);
	if (file_replace(path, text, strlen(text), &e) < 0)
		fail_msg("%s", e.msg);
}

static void put_campaign(const char *root, const char *dir, const char *report)
{
	put(root, dir, "plan.json", "{}");
	put(root, dir, "report.html", "");
	put(root, dir, "report.json", report);
}

static void read_index(const char *root, struct buf *page)
{
	CLEANUP(cleanup_free) char *path = xasprintf("%s/" INDEX_FILE, root);
	struct err e = { 0 };

	buf_clear(page);
	if (index_write(root, &e) < 0 ||
	    file_read(path, 1 << 20, page, ERR_STORE, &e) < 0)
		fail_msg("%s", e.msg);
}

#define assert_lists(page, words)                                  \
	do {                                                       \
		if (strstr(buf_str(page), (words)) == NULL)        \
			fail_msg("\"%s\" is not in\n%s", words,    \
				 strstr(buf_str(page), "<main>")); \
	} while (0)

static void campaigns_are_listed_with_their_answers(void **state)
{
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	CLEANUP(buf_deinit) struct buf page = BUF_INIT;

	(void)state;
	put_campaign(root, "a-20260102T030405Z-00000000",
		     "{\"name\": \"first\", \"question\": \"Is it?\", "
		     "\"answer\": \"It <is>.\", "
		     "\"started\": \"2026-01-02T03:04:06Z\"}");
	put_campaign(root, "b-20260202T030405Z-00000000",
		     "{\"name\": \"second\", \"answer\": \"No.\"}");
	read_index(root, &page);
	assert_lists(&page, "<a href=\"a-20260102T030405Z-00000000/"
			    "report.html\">first</a>");
	assert_lists(&page, ">2026-01-02 03:04:06<");
	assert_lists(&page, ">Is it?<");
	assert_lists(&page, ">It &lt;is&gt;.<");
	// Of the second, what the name of the directory says.
	assert_lists(&page, ">2026-02-02 03:04:05<");
	assert_true(strstr(buf_str(&page), ">second<") <
		    strstr(buf_str(&page), ">first<"));
}

static void what_cannot_be_read_is_listed_with_the_reason(void **state)
{
	static const struct {
		const char *report, *says;
	} cases[] = {
		{ "{\"name\": ", "unreadable: report:1:" },
		{ "[]", "unreadable: its report has no answer" },
		{ "{\"answer\": 7}", "unreadable: its report has no answer" },
		{ "", "unreadable: report" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(fake_dir_freep) char *root = fake_dir_new();
		CLEANUP(buf_deinit) struct buf page = BUF_INIT;

		put_campaign(root, "x", cases[i].report);
		read_index(root, &page);
		assert_lists(&page, cases[i].says);
	}
}

static void a_campaign_without_a_report_is_listed_without_a_link(void **state)
{
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	CLEANUP(buf_deinit) struct buf page = BUF_INIT;

	(void)state;
	put(root, "x", "plan.json", "{}");
	read_index(root, &page);
	assert_lists(&page, "no report");
	assert_null(strstr(buf_str(&page), "<a "));
}

static void what_is_no_campaign_is_named_below(void **state)
{
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	CLEANUP(buf_deinit) struct buf page = BUF_INIT;

	(void)state;
	put(root, "foreign & odd", "file", "");
	put(root, ".hidden", "file", "");
	read_index(root, &page);
	assert_lists(&page, "0 campaigns.");
	assert_lists(&page, "not listed: foreign &amp; odd.");
	assert_null(strstr(buf_str(&page), "<table"));
	assert_null(strstr(buf_str(&page), "hidden<"));
}

static void names_are_escaped_in_links(void **state)
{
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	CLEANUP(buf_deinit) struct buf page = BUF_INIT;

	(void)state;
	put_campaign(root, "a%2F#?&\" b", "{\"answer\": \"x\"}");
	read_index(root, &page);
	assert_lists(&page, "href=\"a%252F%23%3F%26%22%20b/report.html\"");
}

static void a_directory_that_is_not_there_is_an_error(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_int_equal(index_write("/none/such", &e), -1);
	assert_int_equal(e.kind, ERR_STORE);
	assert_string_equal(e.msg, "/none/such: No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(campaigns_are_listed_with_their_answers),
		cmocka_unit_test(what_cannot_be_read_is_listed_with_the_reason),
		cmocka_unit_test(
			a_campaign_without_a_report_is_listed_without_a_link),
		cmocka_unit_test(what_is_no_campaign_is_named_below),
		cmocka_unit_test(names_are_escaped_in_links),
		cmocka_unit_test(a_directory_that_is_not_there_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
