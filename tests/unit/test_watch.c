#include "tests/unit/unit.h"

#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runner/agent/watch.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"
#include "tests/fake/dir.h"

enum {
	FRAME_HALF = 4 << 20,
	FILE_LIMIT = 1 << 20,
};

// An agent that listens to a controller, which this test is.
struct stand {
	struct watch watch;
	struct link ctl;
	int controller; // the other end
};

static void stand_init(struct stand *s)
{
	int pair[2];

	memset(s, 0, sizeof(*s));
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_int_equal(fd_set_nonblock(pair[0]), 0);
	link_init(&s->ctl, pair[0], pair[0], "controller");
	s->watch = (struct watch){ .signals = -1, .ctl = &s->ctl };
	s->controller = pair[1];
}

static void stand_deinit(struct stand *s)
{
	fd_closep(&s->ctl.in);
	watch_deinit(&s->watch);
	link_deinit(&s->ctl);
	fd_closep(&s->controller);
}

static void say(struct stand *s, enum message_type type, int64_t id)
{
	CLEANUP(buf_deinit) struct buf frame = BUF_INIT;

	message_append(&frame, message_new(type, id));
	assert_int_equal(fd_write_all(s->controller, frame.data, frame.len), 0);
}

static int wait_100ms(struct stand *s, struct child *c, struct fault *f)
{
	const struct watch_for nothing = {
		.fd = -1,
		.child = c,
		.deadline_ns = clock_mono_ns() + 100 * NS_PER_MS,
		.what = "nothing",
	};

	return watch_wait(&s->watch, &nothing, f);
}

static void a_wait_ends_for_each_reason_with_its_outcome(void **state)
{
	static const struct {
		enum message_type said;
		bool hang_up;
		const char *junk, *why;
		enum outcome outcome;
		enum watch_stop stop;
	} cases[] = {
		{ MESSAGE_FACTS, false, NULL, "nothing did not come in time",
		  OUTCOME_TIMEOUT, WATCH_GO },
		{ MESSAGE_STOP, false, NULL, "the controller stopped it",
		  OUTCOME_LOST, WATCH_STOP_TRIAL },
		{ MESSAGE_BYE, false, NULL, "said bye", OUTCOME_LOST,
		  WATCH_STOP_ALL },
		{ MESSAGE_FACTS, true, NULL, "is gone", OUTCOME_LOST,
		  WATCH_STOP_ALL },
		{ MESSAGE_STOP, true, NULL, "is gone", OUTCOME_LOST,
		  WATCH_STOP_ALL },
		{ MESSAGE_FACTS, false, "SSH-2.0-OpenSSH_9.2\r\n",
		  "does not speak the protocol", OUTCOME_LOST, WATCH_STOP_ALL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fault f = { 0 };
		struct stand s;

		stand_init(&s);
		say(&s, cases[i].said, 7);
		if (cases[i].junk != NULL)
			assert_int_equal(fd_write_all(s.controller,
						      cases[i].junk,
						      strlen(cases[i].junk)),
					 0);
		if (cases[i].hang_up)
			fd_closep(&s.controller);
		assert_int_equal(wait_100ms(&s, NULL, &f), -1);
		if (strstr(f.err.msg, cases[i].why) == NULL ||
		    f.outcome != cases[i].outcome ||
		    s.watch.stop != cases[i].stop)
			fail_msg("case %zu: %s, outcome %s, stop %d", i,
				 f.err.msg, outcome_name(f.outcome),
				 s.watch.stop);
		stand_deinit(&s);
	}
}

static void requests_are_served_in_order(void **state)
{
	struct stand s;
	struct err e = { 0 };

	(void)state;
	stand_init(&s);
	for (int id = 1; id <= 3; id++)
		say(&s, MESSAGE_FACTS, id);
	for (int id = 1; id <= 3; id++) {
		struct message m;

		assert_int_equal(watch_request(&s.watch, &m, &e), 1);
		assert_int_equal(m.id, id);
		message_deinit(&m);
	}
	fd_closep(&s.controller);
	assert_int_equal(watch_request(&s.watch, &(struct message){ 0 }, &e),
			 0);
	stand_deinit(&s);
}

static void a_controller_cannot_queue_without_end(void **state)
{
	struct stand s;
	struct fault f = { 0 };

	(void)state;
	stand_init(&s);
	for (int id = 1; id <= WATCH_PENDING_MAX + 1; id++)
		say(&s, MESSAGE_FACTS, id);
	assert_int_equal(wait_100ms(&s, NULL, &f), -1);
	assert_non_null(strstr(f.err.msg, "too many requests"));
	stand_deinit(&s);
}

// valgrind of Debian 12 does not know the call.
static void skip_without_pidfd(void)
{
	CLEANUP(fd_closep) int fd = pidfd_open(getpid(), 0);

	if (fd < 0)
		skip();
}

static void start_shell(struct child *c, const char *dir, const char *script)
{
	CLEANUP(cleanup_free) char *log = xasprintf("%s/log", dir);
	char sh[] = "sh", dash_c[] = "-c", *text = xstrdup(script);
	char *argv[] = { sh, dash_c, text, NULL };
	const struct child_spec spec = { .name = "program",
					 .argv = argv,
					 .log = log,
					 .keep_fd = -1,
					 .file_max = FILE_LIMIT };
	struct err e = { 0 };

	if (child_start(c, &spec, &e) < 0)
		fail_msg("%s", e.msg);
	free(text);
}

static void the_end_of_a_child_is_told_with_its_last_words(void **state)
{
	static const struct {
		const char *script, *why;
	} cases[] = {
		{ "exit 3", "program exited with status 3" },
		{ "echo one; echo two >&2; exit 1", "status 1: one | two" },
		{ "kill -9 $$", "killed by signal 9 (Killed)" },
		{ "printf 'a\\033[31mb'; exit 1", "status 1: a[31mb" },
		{ "yes x | head -c 100000; exit 1", "x | x | x" },
		{ "exec yes x", "killed by signal 25 (File size limit "
				"exceeded): x | x" },
	};
	CLEANUP(fake_dir_freep) char *dir = NULL;

	(void)state;
	skip_without_pidfd();
	dir = fake_dir_new();
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct child c = CHILD_INIT;
		struct fault f = { 0 };
		struct watch w = { .signals = -1 };
		const struct watch_for end = { .fd = -1, .child = &c };

		start_shell(&c, dir, cases[i].script);
		assert_int_equal(watch_wait(&w, &end, &f), -1);
		if (strstr(f.err.msg, cases[i].why) == NULL ||
		    f.outcome != OUTCOME_FAILED)
			fail_msg("%s: %s", cases[i].script, f.err.msg);
		child_stop(&c);
	}
}

static void a_program_that_does_not_end_is_named_with_the_time(void **state)
{
	CLEANUP(fake_dir_freep) char *dir = NULL;
	struct child c = CHILD_INIT;
	struct watch w = { .signals = -1 };
	struct fault f = { 0 };

	(void)state;
	skip_without_pidfd();
	dir = fake_dir_new();
	start_shell(&c, dir, "exec sleep 100");
	assert_int_equal(watch_child_end(&w, &c, 100 * NS_PER_MS, &f), -1);
	assert_string_equal(f.err.msg, "program did not end within 0.1 s");
	assert_int_equal(f.outcome, OUTCOME_TIMEOUT);
	child_stop(&c);
}

static void a_child_that_ignores_sigterm_is_killed_and_reaped(void **state)
{
	CLEANUP(fake_dir_freep) char *dir = NULL;
	struct child c = CHILD_INIT;
	struct stand s;
	struct fault f = { 0 };
	pid_t pid;

	(void)state;
	skip_without_pidfd();
	dir = fake_dir_new();
	stand_init(&s);
	start_shell(&c, dir, "trap '' TERM; while :; do sleep 1; done");
	pid = c.pid;
	assert_int_equal(wait_100ms(&s, &c, &f), -1);
	assert_int_equal(f.outcome, OUTCOME_TIMEOUT);
	assert_true(child_running(&c));
	child_stop(&c);
	assert_false(child_running(&c));
	assert_int_equal(kill(pid, 0), -1);
	child_stop(&c); // there is none any more
	stand_deinit(&s);
}

static void a_program_that_is_not_there_is_named(void **state)
{
	CLEANUP(fake_dir_freep) char *dir = fake_dir_new();
	CLEANUP(cleanup_free) char *log = xasprintf("%s/log", dir);
	char name[] = "/nonexistent/qemu";
	char *argv[] = { name, NULL };
	const struct child_spec spec = {
		.name = "QEMU", .argv = argv, .log = log, .keep_fd = -1
	};
	struct child c = CHILD_INIT;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(child_start(&c, &spec, &e), -1);
	assert_string_equal(e.msg,
			    "QEMU: cannot execute \"/nonexistent/qemu\": "
			    "No such file or directory");
	assert_false(child_running(&c));
}

static void a_peer_that_does_not_read_is_given_up(void **state)
{
	char *big = xmalloc(FRAME_HALF);
	struct stand s;
	struct err e = { 0 };
	int sent = 0;

	(void)state;
	memset(big, 'x', FRAME_HALF - 1);
	big[FRAME_HALF - 1] = '\0';
	stand_init(&s);
	for (;;) {
		struct js *msg = message_new(MESSAGE_ERROR, 1);

		js_set_str(msg, "message", big);
		if (link_send(&s.ctl, msg, &e) < 0)
			break;
		assert_true(++sent < 100);
	}
	assert_non_null(strstr(e.msg, "has stopped reading"));
	free(big);
	stand_deinit(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wait_ends_for_each_reason_with_its_outcome),
		cmocka_unit_test(requests_are_served_in_order),
		cmocka_unit_test(a_controller_cannot_queue_without_end),
		cmocka_unit_test(
			the_end_of_a_child_is_told_with_its_last_words),
		cmocka_unit_test(
			a_program_that_does_not_end_is_named_with_the_time),
		cmocka_unit_test(
			a_child_that_ignores_sigterm_is_killed_and_reaped),
		cmocka_unit_test(a_program_that_is_not_there_is_named),
		cmocka_unit_test(a_peer_that_does_not_read_is_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
