#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <poll.h>

#include "runner/campaign/session.h"
#include "tests/fake/transport.h"

static const struct transport_target target = { .name = "lab3" };

static struct session *open_session(const char *script)
{
	struct session *s = NULL;
	struct err e = { 0 };

	fake_script = script;
	if (session_open(&fake_ops, &target, &s, &e) < 0)
		fail_msg("%s: %s", script, e.msg);
	return s;
}

// Waits for the next message or the end.
static enum session_status next(struct session *s, struct message *m,
				struct err *e)
{
	enum session_status st;

	while ((st = session_next(s, m, e)) == SESSION_QUIET) {
		struct pollfd pfd = { .fd = session_fd(s),
				      .events = session_events(s) };

		if (poll(&pfd, 1, 10000) != 1)
			fail_msg("nothing for 10 s");
		session_flush(s);
		if (pfd.revents & ~POLLOUT)
			session_receive(s);
	}
	return st;
}

static void expect(struct session *s, enum message_type t)
{
	struct message m = { 0 };
	struct err e = { 0 };

	if (next(s, &m, &e) != SESSION_MESSAGE)
		fail_msg("want %s: %s", message_type_name(t), e.msg);
	assert_int_equal(m.type, t);
	message_deinit(&m);
}

static struct js *trial_fields(void)
{
	struct js *f = js_object();

	js_set_int(f, "trial", 0);
	js_set_int(f, "attempt", 1);
	js_set_int(f, "boot", 0);
	js_set_bool(f, "last", true);
	js_set(f, "vm", js_object());
	js_set(f, "workloads", js_array());
	return f;
}

static void an_agent_greets_answers_and_leaves(void **state)
{
	struct session *s = open_session("good");
	struct message m = { 0 };
	struct err e = { 0 };

	(void)state;
	expect(s, MESSAGE_HELLO);
	session_ask(s, MESSAGE_FACTS, NULL);
	expect(s, MESSAGE_FACTS);
	session_ask(s, MESSAGE_TRIAL, trial_fields());
	expect(s, MESSAGE_STAGE);
	expect(s, MESSAGE_RESULT);
	session_ask(s, MESSAGE_BYE, NULL);
	assert_int_equal(next(s, &m, &e), SESSION_GONE);
	assert_non_null(strstr(e.msg, "the fake agent ended"));
	session_close(s, 0);
}

// Asks for a trial and reads until the session ends.
static enum session_status end_of(const char *script, struct err *e)
{
	struct session *s = open_session(script);
	enum session_status st;

	session_ask(s, MESSAGE_TRIAL, trial_fields());
	for (;;) {
		struct message m = { 0 };

		st = next(s, &m, e);
		if (st != SESSION_MESSAGE)
			break;
		message_deinit(&m);
	}
	session_close(s, 0);
	return st;
}

static void what_is_not_the_protocol_ends_the_session(void **state)
{
	static const struct {
		const char *script;
		enum session_status status;
		const char *says;
	} cases[] = {
		{ "stillborn", SESSION_GONE, "ended" },
		{ "last-words", SESSION_GONE, "agent: there is no room" },
		{ "dying", SESSION_GONE, "ended" },
		{ "truncated", SESSION_GONE, "in the middle of a message" },
		{ "garbage", SESSION_BAD, "not the protocol" },
		{ "zeros", SESSION_BAD, "not the protocol" },
		{ "not-json", SESSION_BAD, "bad JSON" },
		{ "wrong-id", SESSION_BAD, "answers request 2" },
		{ "hello-again", SESSION_BAD, "\"hello\" out of turn" },
		{ "endless", SESSION_BAD, "more than 4096 answers" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e = { 0 };
		enum session_status st = end_of(cases[i].script, &e);

		if (st != cases[i].status ||
		    strstr(e.msg, cases[i].says) == NULL)
			fail_msg("%s: status %d, %s", cases[i].script, (int)st,
				 e.msg);
		assert_int_equal(e.kind, ERR_HOST);
	}
}

static void a_host_that_cannot_be_reached_is_an_error(void **state)
{
	struct session *s = NULL;
	struct err e = { 0 };

	(void)state;
	fake_script = "unreachable";
	assert_int_equal(session_open(&fake_ops, &target, &s, &e), -1);
	assert_null(s);
	assert_string_equal(e.msg, "no route to host");
}

// The agent does not read: what it was sent waits, and nothing blocks.
static void a_deaf_agent_does_not_block_the_controller(void **state)
{
	struct session *s = open_session("zeros");

	(void)state;
	session_ask(s, MESSAGE_TRIAL, trial_fields());
	for (int i = 0; i < 64; i++) {
		CLEANUP(cleanup_free) char *pad = xcalloc(1, 60001);
		struct js *f = trial_fields();

		memset(pad, 'x', 60000);
		js_set_str(f, "pad", pad);
		session_ask(s, MESSAGE_TRIAL, f);
	}
	assert_true(session_events(s) & POLLOUT);
	session_close(s, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_agent_greets_answers_and_leaves),
		cmocka_unit_test(what_is_not_the_protocol_ends_the_session),
		cmocka_unit_test(a_host_that_cannot_be_reached_is_an_error),
		cmocka_unit_test(a_deaf_agent_does_not_block_the_controller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
