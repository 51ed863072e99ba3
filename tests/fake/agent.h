// An agent that speaks the protocol and, where it is told to, breaks it.
// fake_agent(fd, script) serves one connection and returns the exit status.
//
// A script is FAULT[@TRIAL][!]: the fault happens in every trial, or in the
// one with that id; with "!" only in its first attempt. "good" has no fault.
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/base/buf.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"
#include "runner/proto/frame.h"
#include "runner/proto/message.h"

struct fake {
	int fd;
	char fault[32];
	long at; // trial; -1: every one
	bool once;
	struct buf in;
};

// What it is to do in a trial. Returning means that the agent goes on.
typedef void fake_fn(struct fake *f, const struct message *m);

static void fake_send(struct fake *f, struct js *msg)
{
	CLEANUP(buf_deinit) struct buf out = BUF_INIT;

	message_append(&out, msg);
	if (fd_write_all(f->fd, out.data, out.len) < 0)
		_exit(0); // nobody listens any more
}

static void fake_raw(struct fake *f, const void *data, size_t len)
{
	if (fd_write_all(f->fd, data, len) < 0)
		_exit(0);
}

static struct js *fake_result(const struct message *m, const char *outcome)
{
	struct js *msg = message_new(MESSAGE_RESULT, m->id), *r = js_object();
	struct js *metric = js_object(), *metrics = js_array();
	const struct js *w = js_at(js_get(m->body, "workloads"), 0);

	js_set_str(metric, "name", "synthetic.value");
	js_set_real(metric, "value",
		    js_get_real(w, "mean", 100) +
			    (double)js_get_int(m->body, "seq", 0));
	js_set_str(metric, "unit", "1");
	js_set_str(metric, "better", "higher");
	js_append(metrics, metric);
	js_set_str(r, "outcome", outcome);
	if (strcmp(outcome, "ok") != 0)
		js_set_str(r, "reason", "the script says so");
	js_set(r, "metrics", metrics);
	js_set(msg, "result", r);
	return msg;
}

static void fake_good(struct fake *f, const struct message *m)
{
	struct js *stage = message_new(MESSAGE_STAGE, m->id);

	js_set_str(stage, "stage", "measuring");
	fake_send(f, stage);
	fake_send(f, fake_result(m, "ok"));
}

static void fake_send_artifact(struct fake *f, const struct message *m,
			       const char *name)
{
	struct js *msg = message_new(MESSAGE_ARTIFACT, m->id);

	js_set_str(msg, "name", name);
	js_set_str(msg, "data", "YWJj");
	fake_send(f, msg);
}

static void fake_artifact(struct fake *f, const struct message *m)
{
	fake_send_artifact(f, m, "fake.log");
	fake_good(f, m);
}

static void fake_bad_artifact(struct fake *f, const struct message *m)
{
	fake_send_artifact(f, m, "../trials.jsonl");
	fake_good(f, m);
}

static void fake_many_artifacts(struct fake *f, const struct message *m)
{
	for (int i = 0; i < 1000; i++)
		fake_send_artifact(f, m, "fake.log");
	fake_good(f, m);
}

static void fake_late(struct fake *f, const struct message *m)
{
	clock_sleep_ns(300 * NS_PER_MS);
	fake_good(f, m);
}

static void fake_mute(struct fake *f, const struct message *m)
{
	(void)f;
	(void)m;
}

static void fake_dying(struct fake *f, const struct message *m)
{
	(void)f;
	(void)m;
	fputs("fake agent: no more\n", stderr);
	_exit(3);
}

static void fake_killed(struct fake *f, const struct message *m)
{
	(void)f;
	(void)m;
	raise(SIGKILL);
}

static void fake_truncated(struct fake *f, const struct message *m)
{
	CLEANUP(buf_deinit) struct buf out = BUF_INIT;

	message_append(&out, fake_result(m, "ok"));
	fake_raw(f, out.data, out.len / 2);
	_exit(0);
}

static void fake_garbage(struct fake *f, const struct message *m)
{
	(void)m;
	fake_raw(f, "login: bash: no job control in this shell\n", 42);
}

static void fake_zeros(struct fake *f, const struct message *m)
{
	static const char zeros[65536];

	(void)m;
	for (;;)
		fake_raw(f, zeros, sizeof(zeros));
}

static void fake_endless(struct fake *f, const struct message *m)
{
	for (;;) {
		struct js *stage = message_new(MESSAGE_STAGE, m->id);

		js_set_str(stage, "stage", "measuring");
		fake_send(f, stage);
	}
}

static void fake_not_json(struct fake *f, const struct message *m)
{
	CLEANUP(buf_deinit) struct buf out = BUF_INIT;

	(void)m;
	frame_append(&out, "{\"type\": \"result\"", 17);
	fake_raw(f, out.data, out.len);
}

static void fake_wrong_id(struct fake *f, const struct message *m)
{
	struct message other = *m;

	other.id++;
	fake_good(f, &other);
}

static void fake_bad_result(struct fake *f, const struct message *m)
{
	fake_send(f, fake_result(m, "splendid"));
}

static void fake_failed(struct fake *f, const struct message *m)
{
	fake_send(f, fake_result(m, "failed"));
}

static void fake_invalid(struct fake *f, const struct message *m)
{
	fake_send(f, fake_result(m, "invalid"));
}

static void fake_lost(struct fake *f, const struct message *m)
{
	fake_send(f, fake_result(m, "lost"));
}

static void fake_error(struct fake *f, const struct message *m)
{
	struct js *msg = message_new(MESSAGE_ERROR, m->id);

	js_set_str(msg, "message", "the script says no");
	fake_send(f, msg);
}

static void fake_last_words(struct fake *f)
{
	struct js *msg = message_new(MESSAGE_ERROR, 0);

	js_set_int(msg, "id", 0);
	js_set_str(msg, "message", "there is no room for it");
	fake_send(f, msg);
}

static void fake_hello_again(struct fake *f, const struct message *m)
{
	struct js *msg = message_new(MESSAGE_HELLO, 0);

	(void)m;
	js_set_int(msg, "version", MESSAGE_VERSION);
	fake_send(f, msg);
}

// ESC and U+009B begin sequences, U+202E turns what follows around.
static const char fake_hostile[] = "\033]0;owned\007\n\r\xc2\x9b"
				   "2J\xe2\x80\xae";

static void fake_escape(struct fake *f, const struct message *m)
{
	struct js *stage = message_new(MESSAGE_STAGE, m->id);
	struct js *failed = fake_result(m, "failed");

	js_set_str(stage, "stage", fake_hostile);
	fake_send(f, stage);
	js_set_str(js_get(failed, "result"), "reason", fake_hostile);
	fake_send(f, failed);
}

static const struct {
	const char *name;
	fake_fn *in_trial;
} fake_faults[] = {
	{ "good", fake_good },
	{ "artifact", fake_artifact },
	{ "bad-artifact", fake_bad_artifact },
	{ "many-artifacts", fake_many_artifacts },
	{ "late", fake_late },
	{ "mute", fake_mute },
	{ "dying", fake_dying },
	{ "killed", fake_killed },
	{ "truncated", fake_truncated },
	{ "garbage", fake_garbage },
	{ "zeros", fake_zeros },
	{ "endless", fake_endless },
	{ "not-json", fake_not_json },
	{ "wrong-id", fake_wrong_id },
	{ "bad-result", fake_bad_result },
	{ "failed", fake_failed },
	{ "invalid", fake_invalid },
	{ "lost", fake_lost },
	{ "error", fake_error },
	{ "hello-again", fake_hello_again },
	{ "escape", fake_escape },
	// These act before any trial.
	{ "old", fake_good },
	{ "stillborn", fake_good },
	{ "last-words", fake_good },
	{ "refusing", fake_good },
	{ "no-settings", fake_good },
};

static bool fake_is(const struct fake *f, const char *fault)
{
	return strcmp(f->fault, fault) == 0;
}

static fake_fn *fake_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(fake_faults); i++) {
		if (strcmp(fake_faults[i].name, name) == 0)
			return fake_faults[i].in_trial;
	}
	fprintf(stderr, "fake agent: no fault \"%s\"\n", name);
	_exit(2);
}

static void fake_parse(struct fake *f, const char *script)
{
	const char *at = strchr(script, '@');
	size_t len = strcspn(script, "@!");

	snprintf(f->fault, sizeof(f->fault), "%.*s", (int)len, script);
	f->at = at == NULL ? -1 : strtol(at + 1, NULL, 10);
	f->once = strchr(script, '!') != NULL;
	fake_find(f->fault);
}

static bool fake_is_repeat(const struct message *m)
{
	return js_get_int(m->body, "attempt", 1) > 1;
}

static void fake_trial(struct fake *f, const struct message *m)
{
	bool here = f->at < 0 || f->at == js_get_int(m->body, "trial", -1);

	if (here && !(f->once && fake_is_repeat(m)))
		fake_find(f->fault)(f, m);
	else
		fake_good(f, m);
}

static void fake_hello(struct fake *f)
{
	struct js *msg = message_new(MESSAGE_HELLO, 0);

	js_set_int(msg, "version", fake_is(f, "old") ? 0 : MESSAGE_VERSION);
	js_set_str(msg, "arch", "x86_64");
	js_set_int(msg, "pid", getpid());
	fake_send(f, msg);
}

static void fake_facts(struct fake *f, const struct message *m)
{
	struct js *msg = message_new(MESSAGE_FACTS, m->id);
	struct js *facts = js_object();

	js_set_str(facts, "kernel", "fake");
	js_set(msg, "facts", facts);
	fake_send(f, msg);
}

static void fake_preflight(struct fake *f, const struct message *m)
{
	struct js *msg = message_new(MESSAGE_FINDING, m->id);
	bool refusing = fake_is(f, "refusing");

	js_set_str(msg, "check", "script");
	js_set_str(msg, "level", refusing ? "refuse" : "ok");
	js_set_str(msg, "what",
		   refusing		  ? "it is in no mood"
		   : fake_is(f, "escape") ? fake_hostile
					  : "it will do");
	js_set_str(msg, "fix", refusing ? "wait" : NULL);
	fake_send(f, msg);
	fake_send(f, message_new(MESSAGE_DONE, m->id));
}

static void fake_settings(struct fake *f, const struct message *m)
{
	if (fake_is(f, "no-settings"))
		fake_error(f, m);
	else
		fake_send(f, message_new(MESSAGE_DONE, m->id));
}

// false: it was told to leave.
static bool fake_answer(struct fake *f, const struct message *m)
{
	if (m->type == MESSAGE_FACTS)
		fake_facts(f, m);
	else if (m->type == MESSAGE_PREFLIGHT)
		fake_preflight(f, m);
	else if (m->type == MESSAGE_SETTINGS)
		fake_settings(f, m);
	else if (m->type == MESSAGE_TRIAL)
		fake_trial(f, m);
	else
		return m->type != MESSAGE_BYE;
	return true;
}

// Every whole message that is there; false: it was told to leave.
static bool fake_serve(struct fake *f)
{
	struct err e = { 0 };
	struct message m;
	const char *body;
	size_t len, used;
	bool stay = true;

	while (stay && frame_peek(buf_str(&f->in), f->in.len, &body, &len,
				  &used) == FRAME_OK) {
		if (message_decode(body, len, "vrun", &m, &e) < 0) {
			fprintf(stderr, "fake agent: %s\n", e.msg);
			_exit(2);
		}
		buf_consume(&f->in, used);
		stay = fake_answer(f, &m);
		message_deinit(&m);
	}
	return stay;
}

static int fake_agent(int fd, const char *script)
{
	struct fake f = { .fd = fd };
	char chunk[4096];
	bool stay = true;
	ssize_t n;

	signal(SIGPIPE, SIG_IGN);
	fake_parse(&f, script);
	if (fake_is(&f, "stillborn"))
		return 7;
	if (fake_is(&f, "last-words")) {
		fake_last_words(&f);
		return 7;
	}
	fake_hello(&f);
	while (stay && (n = fd_read_some(fd, chunk, sizeof(chunk))) > 0) {
		buf_add(&f.in, chunk, (size_t)n);
		stay = fake_serve(&f);
	}
	buf_deinit(&f.in);
	return 0;
}
