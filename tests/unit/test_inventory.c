#include "tests/unit/unit.h"

#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/buf.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"
#include "runner/matrix/inventory.h"
#include "runner/matrix/matrix.h"

#define README "matrices/README.md"

static const char RACK[] =
	"hosts:\n"
	"  a: {destination: root@10.0.0.1:2222, qemu: /opt/q, tags: [amd, r1]}\n"
	"  b: {tags: [amd], lease: 1h, connect-timeout: 3s}\n"
	"  c:\n"
	"  local: {qemu: /opt/q2}\n"
	"groups:\n"
	"  rack1: [a, b]\n"
	"  amd: {tags: [amd]}\n"
	"  both: {tags: [amd, r1]}\n"
	"  everything: [rack1, amd, c, local]\n";

static struct inventory *inventory_of(const char *text)
{
	struct inventory *inv = NULL;
	struct err e = { 0 };

	if (inventory_parse("h", text, strlen(text), &inv, &e) < 0)
		fail_msg("%s\nfor:\n%s", e.msg, text);
	return inv;
}

static struct matrix *matrix_of(const char *hosts)
{
	CLEANUP(cleanup_free)
	char *text = xasprintf("name: x\nworkloads: [synthetic]\nhosts: %s\n",
			       hosts);
	struct matrix_source from = { "m", text, strlen(text), NULL, 0, NULL };
	struct matrix *m = NULL;
	struct err e = { 0 };

	if (matrix_parse(&from, &m, &e) < 0)
		fail_msg("%s\nfor:\n%s", e.msg, text);
	return m;
}

static char *names_of(const struct matrix *m)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;

	for (size_t i = 0; i < m->nhosts; i++)
		buf_printf(&b, "%s%s", i > 0 ? " " : "", m->hosts[i]);
	return buf_take(&b);
}

static void every_key_reaches_its_host(void **state)
{
	CLEANUP(inventory_freep) struct inventory *inv = inventory_of(RACK);
	const struct inventory_host *a = &inv->hosts[0], *b = &inv->hosts[1];

	(void)state;
	assert_int_equal(inv->nhosts, 4);
	assert_string_equal(a->name, "a");
	assert_string_equal(a->destination, "root@10.0.0.1:2222");
	assert_string_equal(a->qemu, "/opt/q");
	assert_int_equal(a->ntags, 2);
	assert_string_equal(a->tags[1], "r1");
	assert_int_equal(a->lease_ns, 900 * NS_PER_S);
	assert_int_equal(a->connect_ns, 10 * NS_PER_S);
	assert_string_equal(b->destination, "");
	assert_int_equal(b->lease_ns, 3600 * NS_PER_S);
	assert_int_equal(b->connect_ns, 3 * NS_PER_S);
}

static void names_groups_and_destinations_become_hosts(void **state)
{
	static const struct {
		const char *hosts, *want;
	} cases[] = {
		{ "local", "local" },
		{ "[b, a]", "b a" },
		{ "rack1", "a b" },
		{ "[amd]", "a b" },
		{ "[both]", "a" },
		{ "[c, rack1]", "c a b" },
		{ "everything", "a b c local" },
		{ "[rack1, user@lab3:2222, lab4]", "a b user@lab3:2222 lab4" },
		{ "['[::1]:22', 'me@[fe80::1%eth0]']",
		  "[::1]:22 me@[fe80::1%eth0]" },
	};
	CLEANUP(inventory_freep) struct inventory *inv = inventory_of(RACK);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(matrix_freep)
		struct matrix *m = matrix_of(cases[i].hosts);
		CLEANUP(cleanup_free) char *got = NULL;
		struct inventory_host *hosts = NULL;
		struct err e = { 0 };

		if (inventory_resolve(inv, m, &hosts, &e) < 0)
			fail_msg("%s: %s", cases[i].hosts, e.msg);
		got = names_of(m);
		if (strcmp(got, cases[i].want) != 0)
			fail_msg("%s: %s, want %s", cases[i].hosts, got,
				 cases[i].want);
		for (size_t k = 0; k < m->nhosts; k++)
			assert_string_equal(hosts[k].name, m->hosts[k]);
	}
}

static void a_host_that_no_inventory_has_takes_the_defaults(void **state)
{
	CLEANUP(matrix_freep) struct matrix *m = matrix_of("me@lab3:2222");
	struct inventory_host *hosts = NULL;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(inventory_resolve(NULL, m, &hosts, &e), 0);
	assert_string_equal(hosts[0].destination, "");
	assert_string_equal(hosts[0].qemu, "");
	assert_int_equal(hosts[0].lease_ns, 900 * NS_PER_S);
}

static void one_machine_under_two_names_is_refused(void **state)
{
	static const struct {
		const char *hosts, *want;
	} cases[] = {
		{ "[rack1, a]",
		  "m:3:16: host \"a\" is listed twice: by \"rack1\" and by "
		  "\"a\"" },
		{ "[rack1, amd]", "host \"b\" is listed twice" },
		{ "[a, '10.0.0.1:2222']",
		  "hosts \"a\" and \"10.0.0.1:2222\" are one machine, "
		  "10.0.0.1:2222" },
		{ "[lab, me@lab]", "are one machine, lab" },
		{ "[local, localhost]", "are one machine, local" },
	};
	CLEANUP(inventory_freep) struct inventory *inv = inventory_of(RACK);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(matrix_freep)
		struct matrix *m = matrix_of(cases[i].hosts);
		struct inventory_host *hosts = NULL;
		struct err e = { 0 };

		assert_int_equal(inventory_resolve(inv, m, &hosts, &e), -1);
		assert_int_equal(e.kind, ERR_USAGE);
		if (strstr(e.msg, cases[i].want) == NULL)
			fail_msg("%s: %s, want %s", cases[i].hosts, e.msg,
				 cases[i].want);
	}
}

// What an inventory says, and what is said of it.
static const struct {
	const char *text, *want;
} bad_files[] = {
	{ "hosts: {a: {destinaton: b}}",
	  "h:1:13: unknown key \"destinaton\" (have destination, qemu, "
	  "slots, tags, lease, connect-timeout); did you mean "
	  "\"destination\"?" },
	{ "host: {}", "h:1:1: unknown key \"host\" (have hosts, groups)"
		      "; did you mean \"hosts\"?" },
	{ "[a]", "an inventory must be a map, not a list" },
	{ "hosts: [a]", "\"hosts\" must be a map, not a list" },
	{ "hosts: {-a: }", "host \"-a\": must be at most 64 letters" },
	{ "hosts: {'a b': }", "host \"a b\": must be" },
	{ "hosts: {a: b}", "\"a\" must be a map, not text" },
	{ "hosts: {a: , a: }", "duplicate key \"a\"" },
	{ "hosts: {a: {destination: -oProxyCommand=x}}",
	  "h:1:26: destination \"-oProxyCommand=x\": must be [USER@]HOST"
	  "[:PORT]" },
	{ "hosts: {a: {destination: 'x;reboot'}}", "must be [USER@]" },
	{ "hosts: {a: {destination: '$(reboot)'}}", "must be [USER@]" },
	{ "hosts: {a: {destination: \"x\\ny\"}}",
	  "destination \"x\\x0ay\": must be" },
	{ "hosts: {a: {destination: x@}}", "must be [USER@]" },
	{ "hosts: {a: {destination: '@x'}}", "must be [USER@]" },
	{ "hosts: {a: {destination: 'x:'}}", "must be [USER@]" },
	{ "hosts: {a: {destination: 'x:0'}}", "must be [USER@]" },
	{ "hosts: {a: {destination: 'x:65536'}}", "must be [USER@]" },
	{ "hosts: {a: {destination: '[::1'}}", "must be [USER@]" },
	{ "hosts: {a: {destination: '[]:22'}}", "must be [USER@]" },
	{ "hosts: {local: {destination: x}}",
	  "host \"local\": is this machine and takes no destination" },
	{ "hosts: {a: {qemu: qemu-kvm}}",
	  "qemu \"qemu-kvm\": must be an absolute path" },
	{ "hosts: {a: {slots: 4}}", "slots \"4\": must be 1: trials" },
	{ "hosts: {a: {slots: many}}", "slots \"many\": must be 1" },
	{ "hosts: {a: {lease: 1s}}",
	  "lease: \"1s\" is out of range (10s to 168h)" },
	{ "hosts: {a: {lease: 15}}", "a time like" },
	{ "hosts: {a: {connect-timeout: 1h}}", "out of range (1s to 10" },
	{ "hosts: {a: {tags: [a b]}}", "tag \"a b\": must be" },
	{ "hosts: {a: {tags: {b: c}}}", "tags: must be a list" },
	{ "hosts: {a: }\ngroups: {a: [a]}",
	  "h:2:10: group \"a\": the host in line 1 has this name" },
	{ "groups: {local: [b]}", "is this machine's name" },
	{ "hosts: {lab1: }\ngroups: {g: [lab2]}",
	  "h:2:14: \"lab2\": neither a host nor a group of this file; "
	  "did you mean \"lab1\"?" },
	{ "groups: {g: []}", "group \"g\": needs 1 to" },
	{ "groups: {g: a}", "group \"g\": must be a list of hosts" },
	{ "groups: {g: {tags: [x]}}",
	  "group \"g\": no host has the tag \"x\"" },
	{ "groups: {g: {tag: [x]}}", "unknown key \"tag\" (have tags)" },
	{ "groups:\n  g: [h]\n  h: [i]\n  i: [g]\n",
	  "h:4:7: group \"g\": stands inside itself, by \"i\"" },
	{ "groups: {g: [g]}", "stands inside itself, by \"g\"" },
};

static void every_error_has_its_place_and_remedy(void **state)
{

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad_files); i++) {
		struct inventory *inv = NULL;
		struct err e = { 0 };

		assert_int_equal(inventory_parse("h", bad_files[i].text,
						 strlen(bad_files[i].text),
						 &inv, &e),
				 -1);
		assert_null(inv);
		if (strstr(e.msg, bad_files[i].want) == NULL)
			fail_msg("%s\nsays: %s\nwant: %s", bad_files[i].text,
				 e.msg, bad_files[i].want);
	}
}

static void all_errors_are_told_at_once(void **state)
{
	static const char text[] =
		"hosts: {a: {qemu: x, lease: y}}\ngroups: {g: [b]}\n";
	struct inventory *inv = NULL;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(inventory_parse("h", text, strlen(text), &inv, &e),
			 -1);
	assert_non_null(strstr(e.msg, "h:1:19: "));
	assert_non_null(strstr(e.msg, "\nh:1:29: "));
	assert_non_null(strstr(e.msg, "\nh:2:14: "));
}

static void more_hosts_than_the_limit_are_refused(void **state)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct inventory *inv = NULL;
	struct err e = { 0 };

	(void)state;
	buf_puts(&text, "hosts:\n");
	for (int i = 0; i <= INVENTORY_HOSTS_MAX; i++)
		buf_printf(&text, "  h%d:\n", i);
	assert_int_equal(inventory_parse("h", text.data, text.len, &inv, &e),
			 -1);
	assert_non_null(strstr(e.msg, "hosts: more than 1024"));
}

// A name in a matrix goes to ssh if no inventory has it.
static void a_matrix_names_no_host_that_could_mean_more(void **state)
{
	static const char *const bad[] = {
		"-oProxyCommand=x", "'a b'", "'a;b'", "'$(a)'", "'`a`'", "a/b",
		"\"a'b\"",	    "'*'",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		CLEANUP(cleanup_free)
		char *text = xasprintf(
			"name: x\nworkloads: [synthetic]\nhosts: [%s]\n",
			bad[i]);
		struct matrix_source from = { "m",  text, strlen(text),
					      NULL, 0,	  NULL };
		struct matrix *m = NULL;
		struct err e = { 0 };

		if (matrix_parse(&from, &m, &e) == 0)
			fail_msg("taken: %s", bad[i]);
		assert_non_null(strstr(e.msg, "must be a host or group"));
	}
}

static void what_is_kept_gives_the_same_hosts_again(void **state)
{
	CLEANUP(inventory_freep) struct inventory *inv = inventory_of(RACK);
	CLEANUP(matrix_freep) struct matrix *m = matrix_of("[everything, x]");
	CLEANUP(matrix_freep) struct matrix *again = matrix_of("everything");
	struct inventory_host *hosts = NULL, *back = NULL;
	CLEANUP(js_unrefp) struct js *kept = NULL;
	CLEANUP(js_unrefp) struct js *kept_again = NULL;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(inventory_resolve(inv, m, &hosts, &e), 0);
	kept = inventory_to_js(hosts, m->nhosts);
	assert_int_equal(inventory_from_js(kept, again, &back, &e), 0);
	assert_int_equal(again->nhosts, 5);
	assert_string_equal(again->hosts[4], "x");
	kept_again = inventory_to_js(back, again->nhosts);
	assert_true(js_equal(kept, kept_again));
}

static void what_was_kept_is_not_trusted(void **state)
{
	static const char *const bad[] = {
		"{}",
		"[]",
		"[1]",
		"[{\"name\": \"-x\", \"lease_ns\": 1, \"connect_ns\": 1}]",
		"[{\"name\": \"x\", \"lease_ns\": 0, \"connect_ns\": 1}]",
		"[{\"name\": \"x\", \"destination\": \"-o\", \"lease_ns\": 1, "
		"\"connect_ns\": 1}]",
		"[{\"name\": \"x\", \"qemu\": \"q\", \"lease_ns\": 1, "
		"\"connect_ns\": 1}]",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		CLEANUP(matrix_freep) struct matrix *m = matrix_of("a");
		struct inventory_host *hosts = NULL;
		struct err e = { 0 };
		CLEANUP(js_unrefp)
		struct js *j = js_parse(bad[i], strlen(bad[i]), "j", &e);

		assert_non_null(j);
		if (inventory_from_js(j, m, &hosts, &e) == 0)
			fail_msg("taken: %s", bad[i]);
		assert_int_equal(e.kind, ERR_STORE);
	}
}

// The block of the README that begins with "hosts:".
static void the_example_of_the_readme_is_right(void **state)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	CLEANUP(inventory_freep) struct inventory *inv = NULL;
	struct err e = { 0 };
	const char *begin;
	char *end;

	(void)state;
	assert_int_equal(file_read(README, 1 << 20, &text, ERR_USAGE, &e), 0);
	begin = strstr(buf_str(&text), "```yaml\nhosts:\n");
	assert_non_null(begin);
	begin += strlen("```yaml\n");
	end = strstr(begin, "```");
	assert_non_null(end);
	*end = '\0';
	inv = inventory_of(begin);
	assert_true(inv->nhosts >= 3 && inv->ngroups >= 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_reaches_its_host),
		cmocka_unit_test(names_groups_and_destinations_become_hosts),
		cmocka_unit_test(
			a_host_that_no_inventory_has_takes_the_defaults),
		cmocka_unit_test(one_machine_under_two_names_is_refused),
		cmocka_unit_test(every_error_has_its_place_and_remedy),
		cmocka_unit_test(all_errors_are_told_at_once),
		cmocka_unit_test(more_hosts_than_the_limit_are_refused),
		cmocka_unit_test(a_matrix_names_no_host_that_could_mean_more),
		cmocka_unit_test(what_is_kept_gives_the_same_hosts_again),
		cmocka_unit_test(what_was_kept_is_not_trusted),
		cmocka_unit_test(the_example_of_the_readme_is_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
