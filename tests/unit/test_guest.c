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
#include "runner/base/base64.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"
#include "runner/proto/artifact.h"

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

// --- hooks -----------------------------------------------------------------

static void send_hook(struct agent *a, int64_t id, const char *script,
		      bool around)
{
	CLEANUP(buf_deinit) struct buf data = BUF_INIT;
	struct js *msg = message_new(MESSAGE_HOOK, id), *hook = js_object();
	struct js *told = js_object(), *args = js_array(), *env = js_object();

	base64_encode(script, strlen(script), &data);
	js_append(args, js_string("a  b;$(id)\n\"q\""));
	js_set_str(env, "X", "x'y\nz");
	js_set_str(hook, "name", "h");
	js_set_str(hook, "stage", "after-boot");
	js_set_str(hook, "data", buf_str(&data));
	js_set_int(hook, "timeout_ns", 500 * NS_PER_MS);
	js_set(hook, "args", args);
	js_set(hook, "env", env);
	js_set_str(told, "accel", "tcg");
	js_set_int(told, "trial", 7);
	js_set(msg, "hook", hook);
	js_set(msg, "told", told);
	js_set_bool(msg, "around", around);
	send_message(a, msg);
}

// What files came before it goes to `file`, if that is not NULL.
static struct message result_of(struct agent *a, int64_t id, struct buf *file)
{
	struct message m = receive(a);
	struct err e = { 0 };
	const char *name;

	while (m.type != MESSAGE_RESULT) {
		assert_int_equal(m.id, id);
		if (m.type == MESSAGE_ARTIFACT && file != NULL &&
		    artifact_read(m.body, &name, file, &e) < 0)
			fail_msg("%s", e.msg);
		message_deinit(&m);
		m = receive(a);
	}
	assert_int_equal(m.id, id);
	return m;
}

static void a_hook_gives_figures_and_files(void **state)
{
	struct agent a = start();
	CLEANUP(buf_deinit) struct buf file = BUF_INIT;
	struct message m;
	const struct js *r, *metric;

	(void)state;
	greet(&a);
	send_hook(&a, -1,
		  "#!/bin/sh\nprintf '%s|' \"$1\" \"$X\" $VRUN_TRIAL "
		  "$VRUN_ACCEL \"${VRUN_QEMU_PID-none}\" >$VRUN_ARTIFACTS/f\n"
		  "echo metric n 3 ms\n",
		  false);
	m = result_of(&a, -1, &file);
	r = js_get(m.body, "result");
	metric = js_at(js_get(r, "metrics"), 0);
	assert_string_equal(js_get_str(r, "outcome", ""), "ok");
	assert_string_equal(js_get_str(metric, "name", ""), "h.n");
	assert_string_equal(buf_str(&file),
			    "metric n 3 ms\n"
			    "a  b;$(id)\n\"q\"|x'y\nz|7|tcg|none|");
	message_deinit(&m);
	assert_int_equal(part(&a), 0);
}

static void a_hook_that_fails_says_how(void **state)
{
	static const struct {
		const char *script;
		bool around;
		const char *outcome, *reason;
	} cases[] = {
		{ "#!/bin/sh\necho no luck; exit 3\n", false, "failed",
		  "exited with status 3: no luck" },
		{ "#!/bin/sh\nsleep 60\n", false, "timeout",
		  "did not end within 0.5 s" },
		{ "#!/bin/sh\nsleep 60\n", true, "timeout",
		  "did not say \"ready\" in time" },
		{ "#!/bin/sh\nexit 0\n", true, "failed",
		  "hook h (after-boot)" },
		{ "#!/bin/sh\necho metric x y z\n", false, "failed",
		  "a metric is \"metric NAME VALUE UNIT" },
		{ "#!/bin/sh\nkill -9 $PPID; sleep 60\n", false, "failed",
		  "the hook was killed by signal 9" },
		{ "#!/no/such/sh -u\n", false, "failed",
		  "its interpreter \"/no/such/sh\" is not here" },
		{ "\x01\x02", false, "failed", "it is neither a script" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct agent a = start();
		struct message m;
		const struct js *r;

		greet(&a);
		send_hook(&a, -2, cases[i].script, cases[i].around);
		m = result_of(&a, -2, NULL);
		r = js_get(m.body, "result");
		if (strstr(js_get_str(r, "reason", ""), cases[i].reason) ==
			    NULL ||
		    strcmp(js_get_str(r, "outcome", ""), cases[i].outcome) != 0)
			fail_msg("%s: %s: %s", cases[i].script,
				 js_get_str(r, "outcome", ""),
				 js_get_str(r, "reason", ""));
		message_deinit(&m);
		assert_int_equal(part(&a), 0);
	}
}

// Two of them, and a run between their beginnings and their ends. The first is
// told first to end, although the second was forked with copies of all that
// the agent had open.
static void hooks_go_on_around_a_run(void **state)
{
	static const char script[] = "#!/bin/sh\necho ready; cat; "
				     "echo metric over 1 1\n";
	struct agent a = start();
	struct message m;

	(void)state;
	greet(&a);
	for (int64_t id = -1; id >= -2; id--) {
		send_hook(&a, id, script, true);
		m = expect(&a, MESSAGE_STAGE);
		assert_int_equal(m.id, id);
		assert_string_equal(js_get_str(m.body, "stage", ""), "ready");
		message_deinit(&m);
	}
	send_run(&a, 5, "[{\"kind\": \"synthetic\"}]");
	m = expect(&a, MESSAGE_RESULT);
	assert_int_equal(m.id, 5);
	message_deinit(&m);
	for (int64_t id = -1; id >= -2; id--) {
		send_message(&a, message_new(MESSAGE_END, id));
		m = result_of(&a, id, NULL);
		assert_string_equal(
			js_get_str(js_get(m.body, "result"), "outcome", ""),
			"ok");
		message_deinit(&m);
	}
	send_message(&a, message_new(MESSAGE_END, -1)); // it has ended
	assert_int_equal(part(&a), 0);
}

static void what_is_no_hook_is_refused(void **state)
{
	static const struct {
		const char *key, *value;
	} cases[] = { { "name", "../h" }, { "stage", NULL }, { "data", "!" } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct agent a = start();
		struct js *msg = message_new(MESSAGE_HOOK, -1);
		struct js *hook = js_object();
		struct message m;

		greet(&a);
		js_set_str(hook, "name", "h");
		js_set_str(hook, "stage", "after-boot");
		js_set_str(hook, "data", "");
		js_set_int(hook, "timeout_ns", NS_PER_S);
		js_del(hook, cases[i].key);
		if (cases[i].value != NULL)
			js_set_str(hook, cases[i].key, cases[i].value);
		js_set(msg, "hook", hook);
		js_set_bool(msg, "around", false);
		send_message(&a, msg);
		m = result_of(&a, -1, NULL);
		if (strcmp(js_get_str(js_get(m.body, "result"), "outcome", ""),
			   "failed") != 0)
			fail_msg("%s was taken", cases[i].key);
		message_deinit(&m);
		assert_int_equal(part(&a), 0);
	}
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
		cmocka_unit_test(a_hook_gives_figures_and_files),
		cmocka_unit_test(a_hook_that_fails_says_how),
		cmocka_unit_test(hooks_go_on_around_a_run),
		cmocka_unit_test(what_is_no_hook_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
