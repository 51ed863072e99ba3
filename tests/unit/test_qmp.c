#include "tests/unit/unit.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/agent/qmp.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"

#define GREETING                                                            \
	"{\"QMP\": {\"version\": {\"qemu\": {\"micro\": 22, \"minor\": 2, " \
	"\"major\": 7}, \"package\": \"Debian\"}, \"capabilities\": []}}\r\n"
#define OK	    "{\"return\": {}}\r\n"
#define EVENT(name) "{\"timestamp\": {}, \"event\": \"" name "\"}\r\n"

enum {
	WAIT_MS = 200
};

// A QEMU that says all its words before it is asked: one socket holds them.
struct peer {
	struct watch watch;
	struct qmp qmp;
	int far; // its end of the socket
};

static void peer_init(struct peer *p, const char *words, int *near)
{
	int pair[2];

	memset(p, 0, sizeof(*p));
	p->watch.signals = -1;
	assert_int_equal(
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
	*near = pair[0];
	p->far = pair[1];
	assert_int_equal(fd_write_all(p->far, words, strlen(words)), 0);
}

static int open_qmp(struct peer *p, int near, int64_t wait_ms, struct fault *f)
{
	const struct qmp_peer qemu = {
		.fd = near,
		.watch = &p->watch,
		.deadline_ns = clock_mono_ns() + wait_ms * NS_PER_MS,
	};

	return qmp_open(&p->qmp, &qemu, f);
}

static int peer_open(struct peer *p, const char *words, struct fault *f)
{
	int near;

	peer_init(p, words, &near);
	return open_qmp(p, near, WAIT_MS, f);
}

static void peer_deinit(struct peer *p)
{
	qmp_close(&p->qmp);
	close(p->far);
}

static void the_version_is_read_and_capabilities_are_asked_for(void **state)
{
	struct fault f = { 0 };
	struct peer p;
	char said[256] = "";

	(void)state;
	if (peer_open(&p, GREETING OK, &f) < 0)
		fail_msg("%s", f.err.msg);
	assert_string_equal(p.qmp.version, "7.2.22 Debian");
	assert_true(fd_read_some(p.far, said, sizeof(said) - 1) > 0);
	assert_string_equal(said, "{\"execute\":\"qmp_capabilities\"}\n");
	peer_deinit(&p);
}

static void an_answer_is_found_behind_events(void **state)
{
	CLEANUP(js_unrefp) struct js *ret = NULL;
	struct fault f = { 0 };
	struct peer p;

	(void)state;
	assert_int_equal(
		peer_open(&p,
			  GREETING OK EVENT("RESUME") EVENT(
				  "STOP") "{\"return\": {\"enabled\": true}}\n",
			  &f),
		0);
	assert_int_equal(qmp_command(&p.qmp, "query-kvm", NULL, &ret, &f), 0);
	assert_true(js_get_bool(ret, "enabled", false));
	assert_string_equal(p.qmp.last_event, "STOP");
	peer_deinit(&p);
}

static void an_error_of_qemu_is_quoted(void **state)
{
	CLEANUP(js_unrefp) struct js *ret = NULL;
	struct fault f = { 0 };
	struct peer p;

	(void)state;
	assert_int_equal(
		peer_open(&p,
			  GREETING OK
			  "{\"error\": {\"class\": \"CommandNotFound\", "
			  "\"desc\": \"no such command\"}}\n",
			  &f),
		0);
	assert_int_equal(qmp_command(&p.qmp, "nonsense", NULL, &ret, &f), -1);
	assert_string_equal(f.err.msg, "QMP: nonsense: no such command");
	assert_int_equal(f.outcome, OUTCOME_FAILED);
	peer_deinit(&p);
}

static void words_that_are_no_qmp_are_refused(void **state)
{
	static const struct {
		const char *words, *why;
		enum outcome outcome;
	} cases[] = {
		{ "SSH-2.0-OpenSSH\n", "QMP:", OUTCOME_FAILED },
		{ "{}\n", "has no version", OUTCOME_FAILED },
		{ "{\"QMP\": []}\n", "has no version", OUTCOME_FAILED },
		{ "[]\n", "has no version", OUTCOME_FAILED },
		{ "\n", "QMP", OUTCOME_FAILED },
		{ GREETING "{\"return\": \n", "QMP", OUTCOME_FAILED },
		{ "", "greeting did not come in time", OUTCOME_TIMEOUT },
		{ "{\"QMP\": ", "greeting did not come in time",
		  OUTCOME_TIMEOUT },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fault f = { 0 };
		struct peer p;

		if (peer_open(&p, cases[i].words, &f) == 0)
			fail_msg("\"%s\" was taken", cases[i].words);
		if (strstr(f.err.msg, cases[i].why) == NULL ||
		    f.outcome != cases[i].outcome)
			fail_msg("\"%s\": %s", cases[i].words, f.err.msg);
		peer_deinit(&p);
	}
}

static void a_closed_connection_is_told(void **state)
{
	struct fault f = { 0 };
	struct peer p;
	int near;

	(void)state;
	peer_init(&p, "{\"QMP\"", &near);
	close(p.far);
	assert_int_equal(open_qmp(&p, near, 1000, &f), -1);
	assert_non_null(strstr(f.err.msg, "closed the connection"));
}

// The writer's end is a child that never stops.
static void a_line_without_end_is_refused(void **state)
{
	struct fault f = { 0 };
	struct peer p;
	int near;
	pid_t pid;

	(void)state;
	peer_init(&p, "", &near);
	pid = fork();
	if (pid == 0) {
		static char junk[1 << 16];

		memset(junk, 'x', sizeof(junk));
		fcntl(p.far, F_SETFL, 0);
		close(near);
		while (write(p.far, junk, sizeof(junk)) > 0)
			;
		_exit(0);
	}
	close(p.far);
	assert_int_equal(open_qmp(&p, near, 10000, &f), -1);
	assert_non_null(strstr(f.err.msg, "a line of more than"));
	waitpid(pid, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_version_is_read_and_capabilities_are_asked_for),
		cmocka_unit_test(an_answer_is_found_behind_events),
		cmocka_unit_test(an_error_of_qemu_is_quoted),
		cmocka_unit_test(words_that_are_no_qmp_are_refused),
		cmocka_unit_test(a_closed_connection_is_told),
		cmocka_unit_test(a_line_without_end_is_refused),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
