#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/buf.h"
#include "runner/matrix/yaml.h"

// The findings of a text, one a line; "" when there were none.
static char *findings(const char *text, size_t len)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct diags d = { .arena = a };
	struct err e = { 0 };
	const struct ynode *root = ynode_parse("f", text, len, &d);

	if (root == NULL && d.n == 0)
		fail_msg("no tree and no finding for: %.60s", text);
	return xstrdup(diag_report(&d, &e) < 0 ? e.msg : "");
}

static void check_finding(const char *text, size_t len, const char *want)
{
	CLEANUP(cleanup_free) char *got = findings(text, len);

	if (strncmp(got, want, strlen(want)) != 0 || (*want == '\0' && *got))
		fail_msg("%.60s: \"%s\", want \"%s\"", text, got, want);
}

static void each_finding_has_its_place(void **state)
{
	static const char *const cases[][2] = {
		{ "a: 1\nb: 2\n", "" },
		{ "", "f:1:1: is empty" },
		{ "# nothing\n", "f:1:1: is empty" },
		{ "a:\n\tb: 1\n", "f:2:1: tab in the indentation" },
		{ "a:\n  b: 1\n \tc: 1\n", "f:3:2: tab in the indentation" },
		{ "a: 1\nb: 2\na: 3\n",
		  "f:3:1: duplicate key \"a\": it stands in line 1" },
		{ "a: [1\nb: 2\n", "f:2:2: bad YAML: " },
		{ "a: 1\n---\nb: 2\n", "f:2:1: a second document" },
		{ "a: &x [*x]\n", "f:1:8: alias \"x\": stands inside" },
		{ "a: *x\n", "f:1:4: alias \"x\": no anchor" },
		{ "a: !!str b\n", "f:1:4: tag " },
		{ "a: !own b\n", "f:1:4: tag \"!own\"" },
		{ "? [a]\n: b\n", "f:1:3: a key must be text, not a list" },
		{ "a: \"x\\0y\"\n", "f:1:4: text with a NUL" },
		{ "a: caf\xe9\n", "f:1:7: not UTF-8 text" },
		{ "a: x\x01y\n", "f:1:5: control character 0x01" },
		{ "<<: 3\n", "f:1:5: \"<<\" merges a map" },
		{ "a: 1\n<<: [{b: 1}, 2]\n", "f:2:14: \"<<\" merges" },
		{ "\xef\xbb\xbf"
		  "a: 1\n",
		  "" },
		{ "a: 1\r\nb: 2\r\n", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		check_finding(cases[i][0], strlen(cases[i][0]), cases[i][1]);
}

static void bytes_that_are_no_text_are_refused(void **state)
{
	CLEANUP(cleanup_free) char *big = xcalloc(1, YNODE_BYTES_MAX + 1);

	(void)state;
	check_finding("a: 1\nb\0c", 8, "f:2:2: a NUL byte");
	check_finding("\xff\xfe"
		      "a\0",
		      4, "f:1:4: a NUL byte");
	memset(big, '#', YNODE_BYTES_MAX + 1);
	check_finding(big, YNODE_BYTES_MAX + 1, "f: larger than the limit");
}

static void repeat(struct buf *b, const char *text, int times)
{
	for (int i = 0; i < times; i++)
		buf_puts(b, text);
}

static void deep_nesting_is_refused_whatever_the_bracket(void **state)
{
	static const char *const opens[] = { "[", "{a: ", "- ", "? " };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(opens); i++) {
		CLEANUP(buf_deinit) struct buf b = BUF_INIT;
		CLEANUP(cleanup_free) char *got = NULL;

		repeat(&b, opens[i], 10000);
		got = findings(b.data, b.len);
		if (strstr(got, "nested deeper than 32") == NULL)
			fail_msg("10000 of \"%s\": %s", opens[i], got);
	}
}

static void the_greatest_depth_is_allowed(void **state)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;

	(void)state;
	repeat(&b, "[", YNODE_DEPTH_MAX);
	repeat(&b, "]", YNODE_DEPTH_MAX);
	check_finding(b.data, b.len, "");
}

static void an_alias_bomb_is_refused(void **state)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;

	(void)state;
	buf_puts(&b, "a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
	for (int i = 1; i < 30; i++) {
		buf_printf(&b, "a%d: &a%d [", i, i);
		for (int k = 0; k < 9; k++)
			buf_printf(&b, "*a%d,", i - 1);
		buf_puts(&b, "]\n");
	}
	check_finding(b.data, b.len, "f:5:5: too large");
}

static void a_bomb_of_merged_maps_is_refused(void **state)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;

	(void)state;
	buf_puts(&b, "a0: &a0 {k: [x, x, x, x, x, x, x, x, x]}\n");
	for (int i = 1; i < 30; i++)
		buf_printf(&b,
			   "a%d: &a%d {<<: *a%d, p: *a%d, q: *a%d, r: *a%d}\n",
			   i, i, i - 1, i - 1, i - 1, i - 1);
	{
		CLEANUP(cleanup_free) char *got = findings(b.data, b.len);

		assert_non_null(strstr(got, "too large"));
	}
}

static const char *text_at(const struct ynode *root, const char *key,
			   const char *sub)
{
	const struct ynode *n = ynode_get(ynode_get(root, key), sub);

	return n == NULL ? "(none)" : n->text;
}

static void merges_keep_what_the_map_says_itself(void **state)
{
	static const char text[] = "base: &b {x: 1, y: 1}\n"
				   "more: &m {y: 2, z: 2}\n"
				   "one: {<<: *b, x: 9}\n"
				   "two: {x: 9, <<: [*b, *m]}\n";
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct diags d = { .arena = a };
	const struct ynode *root = ynode_parse("f", text, strlen(text), &d);

	(void)state;
	assert_non_null(root);
	assert_string_equal(text_at(root, "one", "x"), "9");
	assert_string_equal(text_at(root, "one", "y"), "1");
	assert_string_equal(text_at(root, "two", "x"), "9");
	assert_string_equal(text_at(root, "two", "y"), "1");
	assert_string_equal(text_at(root, "two", "z"), "2");
	assert_null(ynode_get(ynode_get(root, "one"), "<<"));
}

static void scalars_stay_text_and_know_their_place(void **state)
{
	static const char text[] = "a:\n  - 0x10\n  - 22:22\n  - off\n  -\n";
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct diags d = { .arena = a };
	const struct ynode *list =
		ynode_get(ynode_parse("f", text, strlen(text), &d), "a");

	(void)state;
	assert_int_equal(list->n, 4);
	assert_string_equal(list->values[0]->text, "0x10");
	assert_string_equal(list->values[1]->text, "22:22");
	assert_string_equal(list->values[2]->text, "off");
	assert_string_equal(list->values[3]->text, "");
	assert_int_equal(list->values[1]->at.line, 3);
	assert_int_equal(list->values[1]->at.col, 5);
}

static void maps_grow_and_keep_their_order(void **state)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct diags d = { .arena = a };
	const struct ynode *root;

	(void)state;
	for (int i = 0; i < 1000; i++)
		buf_printf(&b, "k%d: v%d\n", i, i);
	root = ynode_parse("f", b.data, b.len, &d);
	assert_int_equal(root->n, 1000);
	for (int i = 0; i < 1000; i++) {
		CLEANUP(cleanup_free) char *want = xasprintf("v%d", i);

		assert_string_equal(root->values[i]->text, want);
	}
}

static void findings_come_sorted_and_once(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct diags d = { .arena = a };
	struct err e = { 0 };

	(void)state;
	diag_add(&d, (struct place){ "f", 9, 1 }, "last");
	diag_add(&d, (struct place){ "f", 2, 7 }, "second");
	diag_add(&d, (struct place){ "f", 2, 3 }, "first");
	diag_add(&d, (struct place){ "f", 2, 7 }, "second");
	assert_int_equal(diag_report(&d, &e), -1);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_string_equal(e.msg, "f:2:3: first\nf:2:7: second\nf:9:1: last");
}

static void the_nearest_name_is_a_slip_of_the_keyboard(void **state)
{
	static const char *const names[] = { "backing", "iodepth", "memory",
					     "rw",	"thp",	   "randread" };
	static const char *const cases[][2] = {
		{ "backign", "backing" },
		{ "Memory", "memory" },
		{ "iodepht", "iodepth" },
		{ "rand-read", "randread" },
		{ "tph", "thp" },
		{ "wr", "rw" },
		{ "zzzzzz", NULL },
		{ "x", NULL },
		{ "", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *got =
			diag_nearest(cases[i][0], names, ARRAY_LEN(names));
		const char *want = cases[i][1];

		if ((got == NULL) != (want == NULL) ||
		    (got != NULL && strcmp(got, want) != 0))
			fail_msg("%s: %s, want %s", cases[i][0],
				 got ? got : "none", want ? want : "none");
	}
}

static void user_text_is_quoted_fit_for_a_terminal(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(cleanup_free) char *big = xcalloc(1, 1000);

	(void)state;
	memset(big, 'x', 999);
	assert_string_equal(diag_quote(a, "a\x1b[2J"), "\"a\\x1b[2J\"");
	assert_int_equal(strlen(diag_quote(a, big)), DIAG_QUOTE_MAX + 5);
	big[DIAG_QUOTE_MAX - 1] = (char)0xc3; // a letter is not cut in half
	big[DIAG_QUOTE_MAX] = (char)0xa9;
	assert_int_equal(strlen(diag_quote(a, big)), DIAG_QUOTE_MAX + 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_finding_has_its_place),
		cmocka_unit_test(bytes_that_are_no_text_are_refused),
		cmocka_unit_test(deep_nesting_is_refused_whatever_the_bracket),
		cmocka_unit_test(the_greatest_depth_is_allowed),
		cmocka_unit_test(an_alias_bomb_is_refused),
		cmocka_unit_test(a_bomb_of_merged_maps_is_refused),
		cmocka_unit_test(merges_keep_what_the_map_says_itself),
		cmocka_unit_test(scalars_stay_text_and_know_their_place),
		cmocka_unit_test(maps_grow_and_keep_their_order),
		cmocka_unit_test(findings_come_sorted_and_once),
		cmocka_unit_test(the_nearest_name_is_a_slip_of_the_keyboard),
		cmocka_unit_test(user_text_is_quoted_fit_for_a_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
