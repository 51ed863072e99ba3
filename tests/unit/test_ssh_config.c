// What a destination comes to, by the real `ssh -G` on a ~/.ssh/config of the
// test's own.
#include "tests/unit/unit.h"

#include <pwd.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "runner/transport/ssh_config.h"
#include "tests/fake/ssh.h"

static const char config_text[] = "Host one two-*\n"
				  "  HostName 10.0.0.1\n"
				  "  User joe\n"
				  "  Port 2200\n"
				  "  IdentityFile ~/keys/%r-%n\n"
				  "  IdentityFile /abs/100%%\n"
				  "  IdentitiesOnly yes\n"
				  "  UserKnownHostsFile ~/.ssh/a /etc/b-%h\n"
				  "  ServerAliveInterval 7\n"
				  "  ServerAliveCountMax 4\n"
				  "  ConnectTimeout 9\n"
				  "Host *.lab !bad.lab\n"
				  "  User labber\n"
				  "  ProxyJump user@j1:2022,j2\n"
				  "  StrictHostKeyChecking accept-new\n"
				  "  HostKeyAlias rack\n"
				  "Host *.lab\n"
				  "  AddressFamily inet\n"
				  "  IdentityAgent none\n"
				  "  ProxyJump none\n"
				  "Host *\n"
				  "  User everyone\n"
				  "  ServerAliveInterval 60\n";

struct bench {
	char *dir;
	struct ssh_config c;
};

static void bench_deinit(struct bench *b)
{
	ssh_config_deinit(&b->c);
	fake_dir_freep(&b->dir);
}

// `script` is the ssh, or NULL for the real one on the text above.
static void bench_init(struct bench *b, const char *script)
{
	CLEANUP(cleanup_free) char *real = NULL;

	*b = (struct bench){ .dir = fake_dir_new() };
	fake_root_put(b->dir, "/config", config_text);
	real = xasprintf("exec /usr/bin/ssh -F %s/config \"$@\"", b->dir);
	fake_ssh(b->dir, script != NULL ? script : real);
}

static void load(struct bench *b, const char *destination)
{
	struct err e = { 0 };

	ssh_config_deinit(&b->c);
	if (ssh_config_load(destination, &b->c, &e) < 0)
		fail_msg("%s: %s", destination, e.msg);
}

static void need_ssh(void)
{
	if (access("/usr/bin/ssh", X_OK) < 0)
		skip();
}

static bool has(const struct strv *list, const char *want)
{
	for (size_t i = 0; i < list->n; i++) {
		if (strcmp(list->v[i], want) == 0)
			return true;
	}
	return false;
}

static void hosts_patterns_are_merged_as_openssh_does(void **state)
{
	static const struct {
		const char *destination, *hostname, *user, *port;
		int64_t alive_s;
	} cases[] = {
		{ "one", "10.0.0.1", "joe", "2200", 7 },
		{ "two-x", "10.0.0.1", "joe", "2200", 7 },
		{ "ann@one", "10.0.0.1", "ann", "2200", 7 },
		{ "one:22", "10.0.0.1", "joe", "22", 7 },
		{ "x.lab", "x.lab", "labber", "22", 60 },
		{ "bad.lab", "bad.lab", "everyone", "22", 60 },
		{ "three", "three", "everyone", "22", 60 },
		{ "root@192.0.2.7:2022", "192.0.2.7", "root", "2022", 60 },
		{ "root@[fe80::1]:2022", "fe80::1", "root", "2022", 60 },
		{ "root@[fe80::1%eth0]", "fe80::1%eth0", "root", "22", 60 },
		{ "fe80::1", "fe80::1", "everyone", "22", 60 },
	};
	CLEANUP(bench_deinit) struct bench b;

	(void)state;
	need_ssh();
	bench_init(&b, NULL);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		load(&b, cases[i].destination);
		if (strcmp(b.c.hostname, cases[i].hostname) != 0 ||
		    strcmp(b.c.user, cases[i].user) != 0 ||
		    strcmp(b.c.port, cases[i].port) != 0 ||
		    b.c.alive_s != cases[i].alive_s)
			fail_msg("%s: %s@%s:%s, %lld s", cases[i].destination,
				 b.c.user, b.c.hostname, b.c.port,
				 (long long)b.c.alive_s);
	}
}

static void every_keyword_that_vrun_follows_arrives(void **state)
{
	const struct passwd *pw = getpwuid(getuid());
	CLEANUP(cleanup_free)
	char *key = xasprintf("%s/keys/joe-one", pw->pw_dir);
	CLEANUP(cleanup_free) char *known = xasprintf("%s/.ssh/a", pw->pw_dir);
	CLEANUP(bench_deinit) struct bench b;

	(void)state;
	need_ssh();
	bench_init(&b, NULL);
	load(&b, "one");
	assert_true(b.c.identities_only);
	assert_int_equal(b.c.alive_max, 4);
	assert_int_equal(b.c.connect_s, 9);
	assert_true(has(&b.c.identities, key));
	assert_true(has(&b.c.identities, "/abs/100%"));
	assert_true(has(&b.c.known_hosts, known));
	assert_true(has(&b.c.known_hosts, "/etc/b-10.0.0.1"));
	assert_null(b.c.proxy_jump);
	load(&b, "x.lab");
	assert_false(b.c.identities_only);
	assert_string_equal(b.c.proxy_jump, "user@j1:2022,j2");
	assert_string_equal(b.c.strict, "accept-new");
	assert_string_equal(b.c.host_key_alias, "rack");
	assert_string_equal(b.c.address_family, "inet");
	assert_string_equal(b.c.identity_agent, "none");
	// The first value holds, also where it is "none".
	load(&b, "bad.lab");
	assert_null(b.c.proxy_jump);
}

static void an_answer_that_is_none_is_refused(void **state)
{
	static const struct {
		const char *script, *why;
	} cases[] = {
		{ "exit 255", "`ssh -G somewhere` failed" },
		{ "kill -9 $$", "`ssh -G somewhere` failed" },
		{ "echo usage: dropbear", "has no hostname, user or port" },
		{ "echo hostname h; echo user u", "has no hostname, user or" },
		{ "printf 'hostname h\\nuser u\\nport 22\\nconnecttimeout x\\n'",
		  "connecttimeout \"x\": not a number" },
		{ "printf 'hostname h\\nuser u\\nport 22\\n"
		  "serveralivecountmax -1\\n'",
		  "serveralivecountmax \"-1\": not a number" },
		{ "yes hostname", "`ssh -G somewhere` failed" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(bench_deinit) struct bench b;
		struct err e = { 0 };

		bench_init(&b, cases[i].script);
		assert_int_equal(ssh_config_load("somewhere", &b.c, &e), -1);
		assert_int_equal(e.kind, ERR_HOST);
		if (strstr(e.msg, cases[i].why) == NULL)
			fail_msg("%s: \"%s\"", cases[i].script, e.msg);
		assert_null(b.c.hostname);
	}
}

// It is one word for `ssh -G`, after --, whatever is in it.
static void a_destination_is_one_argument(void **state)
{
	static const struct {
		const char *destination, *argument;
	} cases[] = {
		{ "h1", "h1" },
		{ "root@h1", "root@h1" },
		{ "root@h1:2200", "-p2200 root@h1" },
		{ "[fe80::1]:2200", "-p2200 fe80::1" },
		{ "u@[fe80::1]:2200", "-p2200 u@fe80::1" },
		{ "u@[fe80::1%eth0]", "u@fe80::1%eth0" },
		{ "[fe80::1", "[fe80::1" },
		{ "h1:", "-p h1" },
		{ "fe80::1", "fe80::1" },
		{ "a b;$(x)", "a b;$(x)" },
	};
	CLEANUP(bench_deinit) struct bench b;

	(void)state;
	bench_init(&b, "[ \"$1\" = -TG ] && shift || exit 1\n"
		       "case $1 in -p*) port=\"$1 \"; shift ;; esac\n"
		       "[ $# -eq 2 ] && [ \"$1\" = -- ] || exit 1\n"
		       "printf 'hostname %s\\nuser u\\nport 22\\n' "
		       "\"$port$2\"");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		load(&b, cases[i].destination);
		assert_string_equal(b.c.hostname, cases[i].argument);
	}
}

static void a_destination_is_letters_digits_and_little_else(void **state)
{
	static const char *const good[] = { "h1", "root@10.0.0.1:22", "a.b-c_d",
					    "u@[fe80::1%eth0]:22", "x+y" };
	static const char *const bad[] = {
		"",	"-oProxyCommand=x",
		"-x",	"u@-oX",
		"a b",	"a;b",
		"$(x)", "`x`",
		"a'b",	"a\"b",
		"a\nb", "a/b",
		"a\\b", "\xc3\xa4",
	};
	char text[SSH_CONFIG_DESTINATION_MAX + 1];
	struct err e;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		if (ssh_config_check(good[i], &e) < 0)
			fail_msg("%s: %s", good[i], e.msg);
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		if (ssh_config_check(bad[i], &e) == 0)
			fail_msg("\"%s\" is taken", bad[i]);
		assert_non_null(strstr(e.msg, "give [user@]host[:port]"));
	}
	memset(text, 'h', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(ssh_config_check(text, &e), -1);
	text[sizeof(text) - 2] = '\0';
	assert_int_equal(ssh_config_check(text, &e), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts_patterns_are_merged_as_openssh_does),
		cmocka_unit_test(every_keyword_that_vrun_follows_arrives),
		cmocka_unit_test(an_answer_that_is_none_is_refused),
		cmocka_unit_test(a_destination_is_one_argument),
		cmocka_unit_test(
			a_destination_is_letters_digits_and_little_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
