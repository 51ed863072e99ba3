// Verdicts on host keys by known_hosts files of the test's own.
#include "tests/unit/unit.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/transport/ssh_session.h"
#include "tests/fake/root.h"

struct bench {
	char *dir, *known; // the user's file
	struct ssh_host h;
	ssh_key key, other, rsa; // rsa: where it is wanted
};

static ssh_key new_key(enum ssh_keytypes_e type, int bits)
{
	ssh_key key = NULL;

	assert_int_equal(ssh_pki_generate(type, bits, &key), SSH_OK);
	return key;
}

static void bench_init(struct bench *b, const char *port)
{
	struct ssh_config *c = &b->h.config;
	CLEANUP(cleanup_free) char *global = NULL;

	*b = (struct bench){ .dir = fake_dir_new() };
	b->known = xasprintf("%s/.ssh/known_hosts", b->dir);
	global = xasprintf("%s/global", b->dir);
	c->destination = xstrdup("rack1");
	c->hostname = xstrdup("H1.lab");
	c->user = xstrdup("root");
	c->port = xstrdup(port);
	strv_add(&c->known_hosts, b->known);
	strv_add(&c->global_known_hosts, global);
	b->key = new_key(SSH_KEYTYPE_ED25519, 0);
	b->other = new_key(SSH_KEYTYPE_ED25519, 0);
}

static void bench_deinit(struct bench *b)
{
	ssh_config_deinit(&b->h.config);
	ssh_key_free(b->key);
	ssh_key_free(b->other);
	ssh_key_free(b->rsa);
	free(b->known);
	fake_dir_freep(&b->dir);
}

// "%s ssh-ed25519 AAAA...\n"
static char *line_of(const char *names, const ssh_key key)
{
	char *text = NULL, *line;

	assert_int_equal(ssh_pki_export_pubkey_base64(key, &text), SSH_OK);
	line = xasprintf("%s %s %s\n", names,
			 ssh_key_type_to_char(ssh_key_type(key)), text);
	ssh_string_free_char(text);
	return line;
}

// In the user's file, after `before`.
static void known_as(const struct bench *b, const char *before,
		     const char *names, const ssh_key key)
{
	CLEANUP(cleanup_free) char *line = line_of(names, key);
	CLEANUP(cleanup_free) char *text = xasprintf("%s%s", before, line);

	fake_root_put(b->dir, "/.ssh/known_hosts", text);
}

static void refused(const struct bench *b, const char *const *texts)
{
	struct err e = { 0 };

	if (ssh_hostkey_judge(&b->h, b->key, &e) == 0)
		fail_msg("taken, and should be: %s", texts[0]);
	assert_int_equal(e.kind, ERR_HOST);
	for (; *texts != NULL; texts++) {
		if (strstr(e.msg, *texts) == NULL)
			fail_msg("no \"%s\" in \"%s\"", *texts, e.msg);
	}
}

static void taken(const struct bench *b)
{
	struct err e = { 0 };

	if (ssh_hostkey_judge(&b->h, b->key, &e) < 0)
		fail_msg("%s", e.msg);
}

static void a_key_that_is_known_is_taken(void **state)
{
	static const struct {
		const char *port, *before, *names;
	} cases[] = {
		{ "22", "", "h1.lab" },
		{ "22", "", "10.0.0.1,h1.lab" },
		{ "22", "# a comment\n\n", "*.lab" },
		{ "22", "garbage\n@cert-authority *.lab x y\n", "h1.lab" },
		{ "2222", "", "[h1.lab]:2222" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(bench_deinit) struct bench b;

		bench_init(&b, cases[i].port);
		known_as(&b, cases[i].before, cases[i].names, b.key);
		taken(&b);
	}
}

static void what_the_administrator_knows_counts_too(void **state)
{
	CLEANUP(bench_deinit) struct bench b;
	CLEANUP(cleanup_free) char *line = NULL;

	(void)state;
	bench_init(&b, "22");
	line = line_of("h1.lab", b.key);
	fake_root_put(b.dir, "/global", line);
	taken(&b);
}

static void one_of_several_keys_is_enough(void **state)
{
	CLEANUP(bench_deinit) struct bench b;
	CLEANUP(cleanup_free) char *first = NULL;

	(void)state;
	bench_init(&b, "22");
	first = line_of("h1.lab", b.other);
	known_as(&b, first, "h1.lab", b.key);
	taken(&b);
}

static void an_alias_stands_for_name_and_port(void **state)
{
	CLEANUP(bench_deinit) struct bench b;

	(void)state;
	bench_init(&b, "2222");
	b.h.config.host_key_alias = xstrdup("rack");
	known_as(&b, "", "rack", b.key);
	taken(&b);
}

static void an_unknown_key_is_refused_with_ways_to_accept_it(void **state)
{
	static const char *const texts[] = {
		"its host key is not known (ssh-ed25519 SHA256:",
		"`ssh rack1 true`", "--accept-new-host-key", NULL
	};
	static const char *const names[] = { "h2.lab", "[h1.lab]:2222", "h1" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		CLEANUP(bench_deinit) struct bench b;

		bench_init(&b, "22");
		refused(&b, texts);
		known_as(&b, "", names[i], b.key);
		refused(&b, texts);
	}
}

static void a_changed_key_is_refused_with_its_line(void **state)
{
	CLEANUP(bench_deinit) struct bench b;
	CLEANUP(cleanup_free) char *place = NULL, *remedy = NULL;

	(void)state;
	bench_init(&b, "2222");
	b.h.accept_new = true; // of no use
	place = xasprintf("%s:2 has another", b.known);
	remedy = xasprintf("`ssh-keygen -f '%s' -R '[h1.lab]:2222'`", b.known);
	known_as(&b, "# first\n", "[h1.lab]:2222", b.other);
	refused(&b, (const char *[]){ "has changed", place, remedy, NULL });
	// Of another kind, too.
	b.rsa = new_key(SSH_KEYTYPE_RSA, 2048);
	known_as(&b, "# first\n", "[h1.lab]:2222", b.rsa);
	refused(&b, (const char *[]){ "has changed", place, remedy, NULL });
}

static void a_revoked_key_is_refused_wherever_else_it_stands(void **state)
{
	static const char *const texts[] = { "is marked @revoked", NULL };
	CLEANUP(bench_deinit) struct bench b;
	CLEANUP(cleanup_free) char *good = NULL;

	(void)state;
	bench_init(&b, "22");
	b.h.accept_new = true;
	known_as(&b, "", "@revoked *", b.key);
	refused(&b, texts);
	good = line_of("h1.lab", b.key);
	known_as(&b, good, "@revoked h1.lab", b.key);
	refused(&b, texts);
	// Another one's revocation says nothing of this one.
	known_as(&b, good, "@revoked *", b.other);
	taken(&b);
}

static void a_new_key_is_stored_once_where_that_is_wanted(void **state)
{
	CLEANUP(bench_deinit) struct bench b;
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	CLEANUP(cleanup_free) char *line = NULL, *want = NULL;
	struct err e = { 0 };
	struct stat st;

	(void)state;
	bench_init(&b, "22");
	b.h.accept_new = true;
	known_as(&b, "", "h2.lab", b.other);
	// A last line without its end.
	assert_int_equal(stat(b.known, &st), 0);
	assert_int_equal(truncate(b.known, st.st_size - 1), 0);
	taken(&b);
	taken(&b);
	line = line_of("h2.lab", b.other);
	want = line_of("h1.lab", b.key);
	assert_int_equal(file_read(b.known, 65536, &text, ERR_HOST, &e), 0);
	assert_memory_equal(buf_str(&text), line, strlen(line));
	assert_string_equal(buf_str(&text) + strlen(line), want);
	b.h.accept_new = false;
	taken(&b);
}

static void a_new_key_that_cannot_be_stored_is_refused(void **state)
{
	CLEANUP(bench_deinit) struct bench b;

	(void)state;
	bench_init(&b, "22");
	b.h.accept_new = true;
	fake_root_put(b.dir, "/.ssh", "in the way");
	refused(&b, (const char *[]){ "cannot be kept in ", "UserKnownHosts",
				      NULL });
}

static void known_kinds_of_keys_are_asked_for_first(void **state)
{
	CLEANUP(bench_deinit) struct bench b;
	CLEANUP(buf_deinit) struct buf none = BUF_INIT, some = BUF_INIT;
	CLEANUP(cleanup_free) char *first = NULL;

	(void)state;
	bench_init(&b, "22");
	ssh_hostkey_order(&b.h.config, "x,y", &none);
	assert_string_equal(buf_str(&none), "x,y");
	b.rsa = new_key(SSH_KEYTYPE_RSA, 2048);
	first = line_of("h1.lab", b.rsa);
	known_as(&b, first, "h1.lab", b.key);
	ssh_hostkey_order(&b.h.config, "x,y", &some);
	assert_string_equal(buf_str(&some),
			    "rsa-sha2-512,rsa-sha2-256,ssh-ed25519,x,y");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_key_that_is_known_is_taken),
		cmocka_unit_test(what_the_administrator_knows_counts_too),
		cmocka_unit_test(one_of_several_keys_is_enough),
		cmocka_unit_test(an_alias_stands_for_name_and_port),
		cmocka_unit_test(
			an_unknown_key_is_refused_with_ways_to_accept_it),
		cmocka_unit_test(a_changed_key_is_refused_with_its_line),
		cmocka_unit_test(
			a_revoked_key_is_refused_wherever_else_it_stands),
		cmocka_unit_test(a_new_key_is_stored_once_where_that_is_wanted),
		cmocka_unit_test(a_new_key_that_cannot_be_stored_is_refused),
		cmocka_unit_test(known_kinds_of_keys_are_asked_for_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
