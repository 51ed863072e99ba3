// The pump between a controller and a real SSH server, which is libssh's in a
// process of its own.
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <libssh/server.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"
#include "runner/transport/ssh_pump.h"

enum {
	ECHO_BYTES = 1 << 20,
	SOON_S = 30, // for machines that are busy
	STATUS = 7,
	FLOOD_MAX = 8 << 20, // what is held, windows and sockets hold
};

typedef void serve_fn(ssh_channel c);

struct bench {
	pid_t server;
	struct ssh_host h;
	ssh_channel channel;
	int ours, theirs; // the controller's stream, and its other end
};

// --- the server ----------------------------------------------------------

static ssh_channel accept_exec(ssh_session s)
{
	ssh_channel c = NULL;
	ssh_message m;
	bool over = false;

	while (!over && (m = ssh_message_get(s)) != NULL) {
		switch (ssh_message_type(m)) {
		case SSH_REQUEST_AUTH:
			ssh_message_auth_reply_success(m, 0);
			break;
		case SSH_REQUEST_CHANNEL_OPEN:
			c = ssh_message_channel_request_open_reply_accept(m);
			break;
		case SSH_REQUEST_CHANNEL:
			over = true;
			ssh_message_channel_request_reply_success(m);
			break;
		default:
			ssh_message_reply_default(m);
		}
		ssh_message_free(m);
	}
	return c;
}

static void be_server(int fd, serve_fn *serve)
{
	ssh_bind b = ssh_bind_new();
	ssh_session s = ssh_new();
	ssh_key key = NULL;
	ssh_channel c;

	alarm(2 * SOON_S); // whatever happens
	if (ssh_pki_generate(SSH_KEYTYPE_ED25519, 0, &key) == SSH_OK &&
	    ssh_bind_options_set(b, SSH_BIND_OPTIONS_IMPORT_KEY, key) == 0 &&
	    ssh_bind_accept_fd(b, s, fd) == SSH_OK &&
	    ssh_handle_key_exchange(s) == SSH_OK &&
	    (c = accept_exec(s)) != NULL)
		serve(c);
	_exit(0);
}

// What an agent does that ends well.
static void end_well(ssh_channel c)
{
	ssh_channel_request_send_exit_status(c, STATUS);
	ssh_channel_send_eof(c);
	ssh_channel_close(c);
	// Until the other side has it.
	ssh_blocking_flush(ssh_channel_get_session(c), SOON_S * 1000);
}

static void echo(ssh_channel c)
{
	char chunk[8192];
	int n;

	while ((n = ssh_channel_read(c, chunk, sizeof(chunk), 0)) > 0)
		ssh_channel_write(c, chunk, (uint32_t)n);
	end_well(c);
}

static void complain(ssh_channel c)
{
	char chunk[4096];

	memset(chunk, 'x', sizeof(chunk));
	while (ssh_channel_write_stderr(c, chunk, sizeof(chunk)) > 0)
		;
}

// How much it got rid of; shared between processes.
static _Atomic size_t *poured;

static void flood(ssh_channel c)
{
	char chunk[4096];
	int n;

	memset(chunk, 'x', sizeof(chunk));
	while ((n = ssh_channel_write(c, chunk, sizeof(chunk))) > 0)
		*poured += (size_t)n;
}

static void freeze(ssh_channel c)
{
	(void)c;
	raise(SIGSTOP);
}

static void die(ssh_channel c)
{
	(void)c;
	raise(SIGKILL);
}

// --- the client -----------------------------------------------------------

static void need(int rc, ssh_session s)
{
	if (rc != SSH_OK)
		fail_msg("libssh: %s", ssh_get_error(s));
}

static void connect_to(struct bench *b, int fd)
{
	ssh_session s = ssh_new();
	bool no = false;

	b->h.session = s;
	need(ssh_options_set(s, SSH_OPTIONS_PROCESS_CONFIG, &no), s);
	need(ssh_options_set(s, SSH_OPTIONS_HOST, "test"), s);
	need(ssh_options_set(s, SSH_OPTIONS_USER, "u"), s);
	need(ssh_options_set(s, SSH_OPTIONS_FD, &fd), s);
	need(ssh_connect(s), s);
	need(ssh_userauth_none(s, NULL) == SSH_AUTH_SUCCESS ? SSH_OK : -1, s);
	b->channel = ssh_channel_new(s);
	need(ssh_channel_open_session(b->channel), s);
	need(ssh_channel_request_exec(b->channel, "agent"), s);
}

static void bench_init(struct bench *b, serve_fn *serve)
{
	int link[2], stream[2];

	*b = (struct bench){ .h = { .at = xstrdup("u@test port 22") } };
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, link), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, stream), 0);
	b->server = fork();
	assert_true(b->server >= 0);
	if (b->server == 0) {
		close(link[0]);
		close(stream[0]);
		close(stream[1]);
		be_server(link[1], serve);
	}
	close(link[1]);
	b->ours = stream[0];
	b->theirs = stream[1];
	assert_int_equal(fd_set_nonblock(b->ours), 0);
	connect_to(b, link[0]);
}

static void bench_deinit(struct bench *b)
{
	kill(b->server, SIGKILL);
	waitpid(b->server, NULL, 0);
	ssh_channel_free(b->channel);
	ssh_host_close(&b->h);
	fd_closep(&b->ours);
	fd_closep(&b->theirs);
}

// Runs the pump, which fails in time, saying `why`.
static void fails(struct bench *b, const char *why)
{
	int64_t began = clock_mono_ns();
	struct err e = { 0 };

	assert_int_equal(ssh_pump(&b->h, b->channel, b->ours, &e), -1);
	assert_true(clock_mono_ns() - began < SOON_S * NS_PER_S);
	assert_int_equal(e.kind, ERR_HOST);
	if (strstr(e.msg, "u@test port 22: ") == NULL ||
	    strstr(e.msg, why) == NULL)
		fail_msg("no \"%s\" in \"%s\"", why, e.msg);
}

// --- tests ------------------------------------------------------------------

static char byte_at(size_t i)
{
	return (char)(i * 31 + i / 251);
}

// The controller: writes it all, reads slowly, hangs up.
static void talk(int fd)
{
	static char out[ECHO_BYTES], in[ECHO_BYTES];
	size_t sent = 0, got = 0;
	ssize_t n;

	for (size_t i = 0; i < ECHO_BYTES; i++)
		out[i] = byte_at(i);
	if (fd_set_nonblock(fd) < 0)
		_exit(1);
	while (got < ECHO_BYTES) {
		struct pollfd p = { .fd = fd, .events = POLLIN };

		if (sent < ECHO_BYTES)
			p.events |= POLLOUT;
		if (poll(&p, 1, SOON_S * 1000) <= 0)
			_exit(2);
		n = send(fd, out + sent, ECHO_BYTES - sent, MSG_NOSIGNAL);
		sent += n > 0 ? (size_t)n : 0;
		n = read(fd, in + got, MIN(ECHO_BYTES - got, (size_t)10000));
		got += n > 0 ? (size_t)n : 0;
		if (n == 0)
			_exit(3);
	}
	_exit(memcmp(in, out, ECHO_BYTES) == 0 ? 0 : 4);
}

static void all_bytes_go_both_ways_and_the_status_comes_back(void **state)
{
	CLEANUP(bench_deinit) struct bench b;
	struct err e = { 0 };
	int status;
	pid_t pid;

	(void)state;
	bench_init(&b, echo);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		close(b.ours);
		talk(b.theirs);
	}
	fd_closep(&b.theirs);
	status = ssh_pump(&b.h, b.channel, b.ours, &e);
	if (status != STATUS)
		fail_msg("status %d: %s", status, e.msg);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void complaints_without_end_are_cut(void **state)
{
	CLEANUP(bench_deinit) struct bench b;
	int kept = dup(STDERR_FILENO);
	FILE *said = tmpfile();

	(void)state;
	bench_init(&b, complain);
	assert_non_null(said);
	dup2(fileno(said), STDERR_FILENO);
	fails(&b, "printed more than 32768 bytes on standard error");
	dup2(kept, STDERR_FILENO);
	close(kept);
	assert_true(lseek(fileno(said), 0, SEEK_END) <= 32768);
	fclose(said);
}

// A server that never stops printing is stopped by its own window.
static void what_nobody_takes_is_not_read(void **state)
{
	CLEANUP(bench_deinit) struct bench b;
	size_t before = 0;
	struct err e;
	pid_t pid;

	(void)state;
	poured = mmap(NULL, sizeof(*poured), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(poured != MAP_FAILED);
	bench_init(&b, flood);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(ssh_pump(&b.h, b.channel, b.ours, &e) < 0);
	for (int i = 0; i < SOON_S && (*poured == 0 || *poured != before);
	     i++) {
		before = *poured;
		clock_sleep_ns(NS_PER_S);
	}
	assert_int_equal(*poured, before);
	assert_true(before > PUMP_BYTES && before < FLOOD_MAX);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), 0); // it goes on
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	munmap(poured, sizeof(*poured));
}

static void a_server_that_says_no_more_is_given_up(void **state)
{
	CLEANUP(bench_deinit) struct bench b;

	(void)state;
	bench_init(&b, freeze);
	b.h.config.alive_s = 1;
	b.h.config.alive_max = 1;
	fails(&b, "the connection was lost: no answer for 2 s");
}

static void a_server_that_dies_is_a_lost_connection(void **state)
{
	CLEANUP(bench_deinit) struct bench b;

	(void)state;
	bench_init(&b, die);
	fails(&b, "the connection was lost: ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			all_bytes_go_both_ways_and_the_status_comes_back),
		cmocka_unit_test(complaints_without_end_are_cut),
		cmocka_unit_test(what_nobody_takes_is_not_read),
		cmocka_unit_test(a_server_that_says_no_more_is_given_up),
		cmocka_unit_test(a_server_that_dies_is_a_lost_connection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
