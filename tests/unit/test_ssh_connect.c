// The way to an SSH server: what is refused with which words, and that nothing
// takes longer than it may.
#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runner/base/clock.h"
#include "runner/transport/ssh_connect.h"
#include "runner/transport/ssh_session.h"
#include "tests/fake/ssh.h"

enum {
	FILL = 8,    // connections that fill the queue of one who never accepts
	SOON_S = 20, // for machines that are busy
};

// A socket that listens on 127.0.0.1; its port in decimal to `port`.
static int listen_here(char port[16])
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(fd, 0), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	snprintf(port, 16, "%u", ntohs(at.sin_port));
	return fd;
}

static struct ssh_config config_of(const char *host, const char *port)
{
	return (struct ssh_config){ .destination = xstrdup("h"),
				    .home = xstrdup("/"),
				    .user = xstrdup("u"),
				    .hostname = xstrdup(host),
				    .port = xstrdup(port) };
}

// What fails, and with which words.
static void fails(const struct ssh_config *c, int64_t limit_ns,
		  const char *const *texts)
{
	int64_t began = clock_mono_ns();
	struct err e = { 0 };

	assert_int_equal(ssh_connect_stream(c, false, began + limit_ns, &e),
			 -1);
	assert_true(clock_mono_ns() - began < limit_ns + SOON_S * NS_PER_S);
	assert_int_equal(e.kind, ERR_HOST);
	for (; *texts != NULL; texts++) {
		if (strstr(e.msg, *texts) == NULL)
			fail_msg("no \"%s\" in \"%s\"", *texts, e.msg);
	}
}

static void who_listens_is_reached(void **state)
{
	CLEANUP(ssh_config_deinit) struct ssh_config c = { 0 };
	CLEANUP(fd_closep) int server = -1, client = -1;
	struct err e = { 0 };
	char port[16];

	(void)state;
	server = listen_here(port);
	c = config_of("127.0.0.1", port);
	client = ssh_connect_stream(&c, false, clock_mono_ns() + 5 * NS_PER_S,
				    &e);
	if (client < 0)
		fail_msg("%s", e.msg);
}

static void who_cannot_be_reached_is_named_with_a_remedy(void **state)
{
	CLEANUP(ssh_config_deinit) struct ssh_config closed = { 0 };
	CLEANUP(ssh_config_deinit)
	struct ssh_config nowhere = config_of("no-such-host.invalid", "22");
	char port[16];

	(void)state;
	close(listen_here(port));
	closed = config_of("127.0.0.1", port);
	fails(&closed, NS_PER_S,
	      (const char *[]){ port, "connection refused; is sshd running",
				NULL });
	fails(&nowhere, NS_PER_S,
	      (const char *[]){ "no-such-host.invalid does not resolve",
				"HostName", NULL });
}

static void who_does_not_answer_is_given_up_in_time(void **state)
{
	CLEANUP(ssh_config_deinit) struct ssh_config c = { 0 };
	CLEANUP(fd_closep) int server = -1;
	int fill[FILL];
	char port[16];

	(void)state;
	server = listen_here(port);
	c = config_of("127.0.0.1", port);
	for (int i = 0; i < FILL; i++) {
		struct err e;

		fill[i] = ssh_connect_stream(
			&c, false, clock_mono_ns() + NS_PER_S / 10, &e);
	}
	fails(&c, NS_PER_S / 5,
	      (const char *[]){ port, "no answer within", "ConnectTimeout",
				NULL });
	for (int i = 0; i < FILL; i++)
		fd_closep(&fill[i]);
}

// Reads until the end.
static void read_all(int fd, struct buf *out)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char chunk[256];
	ssize_t n;

	while (poll(&p, 1, SOON_S * 1000) > 0 &&
	       (n = read(fd, chunk, sizeof(chunk))) > 0)
		buf_add(out, chunk, (size_t)n);
}

static void through(const struct ssh_config *c, bool accept_new,
		    const char *want)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	CLEANUP(fd_closep) int fd = -1;
	struct err e = { 0 };

	fd = ssh_connect_stream(c, accept_new, clock_mono_ns() + NS_PER_S, &e);
	if (fd < 0)
		fail_msg("%s", e.msg);
	read_all(fd, &text);
	assert_string_equal(buf_str(&text), want);
}

static void jump_hosts_are_one_argument_each(void **state)
{
	static const struct {
		const char *jump;
		int64_t connect_s;
		bool accept_new;
		const char *want;
	} cases[] = {
		{ "j1", 0, false,
		  "-oBatchMode=yes|-oStrictHostKeyChecking=yes|"
		  "-W[10.0.0.1]:2200|--|j1|" },
		{ "user@j1:2022,j2", 9, true,
		  "-oBatchMode=yes|-oStrictHostKeyChecking=accept-new|"
		  "-oConnectTimeout=9|-Juser@j1:2022|-W[10.0.0.1]:2200|--|"
		  "j2|" },
		{ "a,b,c:22", 0, false,
		  "-oBatchMode=yes|-oStrictHostKeyChecking=yes|-Ja,b|"
		  "-W[10.0.0.1]:2200|--|ssh://c:22|" },
		{ "-oProxyCommand=x", 0, false,
		  "-oBatchMode=yes|-oStrictHostKeyChecking=yes|"
		  "-W[10.0.0.1]:2200|--|-oProxyCommand=x|" },
	};
	CLEANUP(fake_dir_freep) char *dir = fake_dir_new();

	(void)state;
	fake_ssh(dir, "printf '%s|' \"$@\"");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(ssh_config_deinit)
		struct ssh_config c = config_of("10.0.0.1", "2200");

		c.proxy_jump = xstrdup(cases[i].jump);
		c.connect_s = cases[i].connect_s;
		through(&c, cases[i].accept_new, cases[i].want);
	}
}

static void a_proxy_command_is_for_the_users_shell(void **state)
{
	CLEANUP(ssh_config_deinit)
	struct ssh_config c = config_of("10.0.0.1", "2200");

	(void)state;
	setenv("SHELL", "/bin/sh", 1);
	c.proxy_command = xstrdup("echo '%r at %h' %p %n 100%%; echo not this");
	through(&c, false, "u at 10.0.0.1 2200 h 100%\n");
}

// It has the stream and says nothing, or no SSH.
static void opens_in_vain(const char *say, const char *why)
{
	CLEANUP(fake_dir_freep) char *dir = fake_dir_new();
	CLEANUP(cleanup_free)
	char *script = xasprintf("printf 'hostname 127.0.0.1\\nuser u\\n"
				 "port 22\\nproxycommand %s\\n'",
				 say);
	struct ssh_host h = { 0 };
	int64_t began = clock_mono_ns();
	struct err e = { 0 };

	fake_ssh(dir, script);
	setenv("SHELL", "/bin/sh", 1);
	assert_int_equal(ssh_host_open(&h, "h", NS_PER_S / 2, &e), -1);
	assert_true(clock_mono_ns() - began < SOON_S * NS_PER_S);
	ssh_host_close(&h);
	assert_int_equal(e.kind, ERR_HOST);
	if (strstr(e.msg, "u@127.0.0.1 port 22: ") == NULL ||
	    strstr(e.msg, why) == NULL)
		fail_msg("%s: %s", say, e.msg);
}

static void a_server_that_is_none_is_given_up_in_time(void **state)
{
	(void)state;
	opens_in_vain("cat >/dev/null", "SSH: no answer in time");
	opens_in_vain("yes SSH", "");
	opens_in_vain("true", "\"true\" ended before the host spoke");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_listens_is_reached),
		cmocka_unit_test(who_cannot_be_reached_is_named_with_a_remedy),
		cmocka_unit_test(who_does_not_answer_is_given_up_in_time),
		cmocka_unit_test(jump_hosts_are_one_argument_each),
		cmocka_unit_test(a_proxy_command_is_for_the_users_shell),
		cmocka_unit_test(a_server_that_is_none_is_given_up_in_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
