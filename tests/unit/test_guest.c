#include "tests/unit/unit.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/agent/guest.h"
#include "runner/agent/link.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"

enum {
	ANSWER_MS = 10000
};

// The agent in a process of its own, at the other end of a socket.
struct agent {
	pid_t pid;
	int fd;
	struct link link;
};

static struct agent start(void)
{
	struct agent a;
	int pair[2];

	assert_int_equal(
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	a.pid = fork();
	assert_true(a.pid >= 0);
	if (a.pid == 0) {
		struct err e = { 0 };

		close(pair[0]);
		_exit(guest_main(pair[1], &e) < 0 ? 1 : 0);
	}
	close(pair[1]);
	a.fd = pair[0];
	assert_int_equal(fd_set_nonblock(a.fd), 0);
	link_init(&a.link, a.fd, a.fd, "agent");
	return a;
}

static struct message receive(struct agent *a)
{
	struct pollfd p = { .fd = a->fd, .events = POLLIN };
	struct err e = { 0 };
	struct message m;

	while (link_next(&a->link, &m, &e) == 0) {
		assert_int_equal(poll(&p, 1, ANSWER_MS), 1);
		if (link_read(&a->link, &e) != 0)
			fail_msg("the agent is gone: %s", e.msg);
	}
	assert_string_equal(e.msg, "");
	return m;
}

// The next message of a type; stages before it are passed over.
static struct message expect(struct agent *a, enum message_type type)
{
	struct message m = receive(a);

	while (m.type == MESSAGE_STAGE && type != MESSAGE_STAGE) {
		message_deinit(&m);
		m = receive(a);
	}
	if (m.type != type)
		fail_msg("got \"%s\", not \"%s\"", message_type_name(m.type),
			 message_type_name(type));
	return m;
}

static void send_message(struct agent *a, struct js *msg)
{
	struct err e = { 0 };

	assert_int_equal(link_send(&a->link, msg, &e), 0);
	assert_false(link_wants_write(&a->link));
}

static void send_run(struct agent *a, int64_t id, const char *workloads)
{
	struct js *msg = message_new(MESSAGE_RUN, id);
	struct err e = { 0 };

	js_set(msg, "workloads",
	       js_parse(workloads, strlen(workloads), "test", &e));
	js_set_int(msg, "seq", 1);
	js_set_int(msg, "seed", 2);
	send_message(a, msg);
}

static int end(struct agent *a)
{
	int status;

	link_deinit(&a->link);
	close(a->fd);
	assert_int_equal(waitpid(a->pid, &status, 0), a->pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

// The agent hangs up first: a stage that a workload still tells must not find
// this end closed before the bye was read.
static int part(struct agent *a)
{
	struct pollfd p = { .fd = a->fd, .events = POLLIN };
	struct err e = { 0 };

	send_message(a, message_new(MESSAGE_BYE, 0));
	while (link_read(&a->link, &e) == 0)
		assert_int_equal(poll(&p, 1, ANSWER_MS), 1);
	return end(a);
}

static void greet(struct agent *a)
{
	struct message hello = expect(a, MESSAGE_HELLO);

	message_deinit(&hello);
}

static void it_says_hello_with_its_facts(void **state)
{
	struct agent a = start();
	struct message hello = expect(&a, MESSAGE_HELLO);
	const struct js *facts = js_get(hello.body, "facts");

	(void)state;
	assert_int_equal(js_get_int(hello.body, "version", 0), MESSAGE_VERSION);
	assert_non_null(js_get_str(hello.body, "arch", NULL));
	assert_non_null(js_get_str(facts, "kernel", NULL));
	assert_true(js_get_int(facts, "memory_bytes", 0) > 1 << 20);
	assert_int_equal(js_get_int(facts, "cpus", 0),
			 sysconf(_SC_NPROCESSORS_ONLN));
	message_deinit(&hello);
	assert_int_equal(end(&a), 0);
}

static void it_runs_one_run_after_another(void **state)
{
	struct agent a = start();

	(void)state;
	greet(&a);
	for (int64_t id = 5; id < 8; id++) {
		struct message m;

		send_run(&a, id, "[{\"kind\": \"synthetic\"}]");
		m = expect(&a, MESSAGE_STAGE);
		assert_string_equal(js_get_str(m.body, "stage", ""),
				    "synthetic.measure");
		message_deinit(&m);
		m = expect(&a, MESSAGE_RESULT);
		assert_int_equal(m.id, id);
		assert_string_equal(
			js_get_str(js_get(m.body, "result"), "outcome", ""),
			"ok");
		message_deinit(&m);
	}
	assert_int_equal(end(&a), 0);
}

static pid_t child_of(pid_t parent)
{
	char path[64], text[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)parent,
		 (int)parent);
	if (file_read_line(path, text, sizeof(text)) < 0)
		return 0;
	return (pid_t)atoi(text);
}

#define LONG_RUN "[{\"kind\": \"synthetic\", \"runtime\": 60000000000}]"

static void a_workload_that_is_killed_leaves_the_agent_alive(void **state)
{
	struct agent a = start();
	const struct js *result;
	struct message m;
	pid_t worker;

	(void)state;
	greet(&a);
	send_run(&a, 9, LONG_RUN);
	m = expect(&a, MESSAGE_STAGE);
	message_deinit(&m);
	worker = child_of(a.pid);
	if (worker <= 0) {
		printf("/proc/PID/task/TID/children is not there\n");
		end(&a);
		skip();
	}
	assert_int_equal(kill(worker, SIGKILL), 0);
	m = expect(&a, MESSAGE_RESULT);
	result = js_get(m.body, "result");
	assert_string_equal(js_get_str(result, "outcome", ""), "failed");
	assert_string_equal(js_get_str(result, "stage", ""),
			    "synthetic.measure");
	assert_non_null(strstr(js_get_str(result, "reason", ""), "signal 9"));
	message_deinit(&m);

	send_run(&a, 10, "[{\"kind\": \"synthetic\"}]");
	m = expect(&a, MESSAGE_RESULT);
	assert_int_equal(m.id, 10);
	message_deinit(&m);
	assert_int_equal(end(&a), 0);
}

static bool is_gone(pid_t pid)
{
	for (int i = 0; i < 500; i++) {
		if (kill(pid, 0) < 0)
			return true;
		clock_sleep_ns(10 * NS_PER_MS);
	}
	return false;
}

static void when_the_peer_goes_the_workload_goes_too(void **state)
{
	struct agent a = start();
	struct message m;
	pid_t worker;

	(void)state;
	greet(&a);
	send_run(&a, 1, LONG_RUN);
	m = expect(&a, MESSAGE_STAGE);
	message_deinit(&m);
	worker = child_of(a.pid);
	assert_int_equal(end(&a), 0);
	if (worker > 0)
		assert_true(is_gone(worker));
}

static void requests_out_of_turn_are_refused_in_words(void **state)
{
	struct agent a = start();
	struct message m;

	(void)state;
	greet(&a);
	send_run(&a, 1, LONG_RUN);
	send_run(&a, 2, LONG_RUN);
	m = expect(&a, MESSAGE_ERROR);
	assert_int_equal(m.id, 2);
	message_deinit(&m);
	send_message(&a, message_new(MESSAGE_STOP, 3));
	m = expect(&a, MESSAGE_ERROR);
	assert_int_equal(m.id, 3);
	message_deinit(&m);
	send_message(&a, message_new(MESSAGE_FACTS, 4));
	m = expect(&a, MESSAGE_FACTS);
	assert_int_equal(m.id, 4);
	message_deinit(&m);
	assert_int_equal(part(&a), 0);
}

static void a_peer_that_does_not_speak_the_protocol_ends_it(void **state)
{
	static const char noise[] = "\xff\xff\xff\xffGET / HTTP/1.1\r\n\r\n";
	struct agent a = start();

	(void)state;
	greet(&a);
	assert_int_equal(fd_write_all(a.fd, noise, sizeof(noise)), 0);
	assert_int_equal(end(&a), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_says_hello_with_its_facts),
		cmocka_unit_test(it_runs_one_run_after_another),
		cmocka_unit_test(
			a_workload_that_is_killed_leaves_the_agent_alive),
		cmocka_unit_test(when_the_peer_goes_the_workload_goes_too),
		cmocka_unit_test(requests_out_of_turn_are_refused_in_words),
		cmocka_unit_test(
			a_peer_that_does_not_speak_the_protocol_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
