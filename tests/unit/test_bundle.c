#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "runner/transport/qemu_bundle.h"
#include "runner/transport/ssh_bundle.h"
#include "tests/fake/root.h"

static void add(struct bundle *b, const char *dir, const char *file,
		const char *name)
{
	CLEANUP(cleanup_free) char *path = xasprintf("%s/%s", dir, file);
	struct err e = { 0 };

	if (bundle_add(b, path, xstrdup(name), 0644, &e) < 0)
		fail_msg("%s", e.msg);
}

// A bundle of two files, added in either order.
static void make(struct bundle *b, const char *dir, bool turned)
{
	fake_root_put(dir, "/one", "1");
	fake_root_put(dir, "/two", "2");
	add(b, dir, turned ? "two" : "one", turned ? "share/b" : "bin/a");
	add(b, dir, turned ? "one" : "two", turned ? "bin/a" : "share/b");
	add(b, dir, "one", "bin/a"); // what is found twice is there once
	bundle_seal(b, "qemu", true);
}

static void a_bundle_of_many_files_is_named_after_its_sums(void **state)
{
	CLEANUP(fake_dir_freep) char *dir = fake_dir_new();
	CLEANUP(bundle_deinit) struct bundle b = { 0 }, turned = { 0 };
	char hash[SHA256_HEX_CHARS + 1];

	(void)state;
	make(&b, dir, false);
	make(&turned, dir, true);
	assert_int_equal(b.n, 2);
	assert_string_equal(b.name, turned.name);
	assert_string_equal(
		b.sums,
		"6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b"
		"  bin/a\n"
		"d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35"
		"  share/b\n");
	sha256_hex(b.sums, strlen(b.sums), hash);
	assert_string_equal(b.name + strlen("qemu-"), hash);
}

static void what_the_host_says_of_a_bundle_is_understood(void **state)
{
	CLEANUP(fake_dir_freep) char *dir = fake_dir_new();
	CLEANUP(bundle_deinit) struct bundle b = { 0 };
	static const char zeros[] = "0000000000000000000000000000000000000000"
				    "000000000000000000000000";
	const struct {
		const char *before, *hash, *file; // NULL: the right hash
		bool there, damaged;
	} cases[] = {
		{ "", NULL, "SHA256SUMS", true, false },
		{ "", zeros, "SHA256SUMS", false, true },
		{ "", "damaged", "SHA256SUMS", false, true },
		{ "x", NULL, "SHA256SUMS", false, true },
		{ "", NULL, "bin/a", false, false }, // one file is not all
		{ "", NULL, "SHA256SUM", false, false },
	};

	(void)state;
	make(&b, dir, false);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *own = b.name + strlen("qemu-");
		CLEANUP(cleanup_free)
		char *line =
			xasprintf("%s%s  %s/%s", cases[i].before,
				  cases[i].hash != NULL ? cases[i].hash : own,
				  b.name, cases[i].file);

		b.seen = b.sums_hold = false;
		bundle_note(&b, line);
		if (bundle_is_there(&b) != cases[i].there ||
		    bundle_is_damaged(&b) != cases[i].damaged)
			fail_msg("%s: there %d, damaged %d", line,
				 bundle_is_there(&b), bundle_is_damaged(&b));
	}
}

static void what_is_no_qemu_is_not_copied(void **state)
{
	CLEANUP(fake_dir_freep) char *dir = fake_dir_new();
	static const struct {
		const char *name, *text, *says;
	} cases[] = {
		{ "/script", "#!/bin/sh\n", "is a script" },
		{ NULL, NULL, "No such file" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(cleanup_free)
		char *path = xasprintf("%s%s", dir,
				       cases[i].name ? cases[i].name : "/none");
		struct bundle b = { 0 };
		struct err e = { 0 };

		if (cases[i].name != NULL)
			fake_root_put(dir, cases[i].name, cases[i].text);
		assert_int_equal(bundle_qemu(path, &b, &e), -1);
		if (strstr(e.msg, cases[i].says) == NULL)
			fail_msg("%s: %s", path, e.msg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_bundle_of_many_files_is_named_after_its_sums),
		cmocka_unit_test(what_the_host_says_of_a_bundle_is_understood),
		cmocka_unit_test(what_is_no_qemu_is_not_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
