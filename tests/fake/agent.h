// An agent that speaks the protocol and, where it is told to, breaks it.
// fake_agent(fd, script) serves one connection and returns the exit status.
//
// A script is FAULT[@TRIAL][!]: the fault happens in every trial, or in the
// one with that id; with "!" only in its first attempt. "good" has no fault.
#pragma once

#include "tests/fake/agent_faults.h"

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

static bool fake_is_held(const struct message *m)
{
	return fake_memory != NULL && fake_memory->holds &&
	       fake_memory->trial == js_get_int(m->body, "trial", -1) &&
	       fake_memory->attempt == js_get_int(m->body, "attempt", -1);
}

static void fake_answer_held(struct fake *f, const struct message *m)
{
	bool lies = fake_memory->lies;

	if (!fake_memory->done)
		clock_sleep_ns(50 * NS_PER_MS);
	fake_memory->done = true;
	fake_memory->lies = false;
	if (lies)
		fake_error(f, m);
	else
		fake_good(f, m);
}

static void fake_remember(const struct message *m)
{
	fake_memory->holds = fake_memory->done = true;
	fake_memory->trial = js_get_int(m->body, "trial", -1);
	fake_memory->attempt = js_get_int(m->body, "attempt", -1);
	fake_memory->runs++;
}

static void fake_trial(struct fake *f, const struct message *m)
{
	bool here = f->at < 0 || f->at == js_get_int(m->body, "trial", -1);
	bool spent = fake_memory != NULL && fake_memory->acted;

	if (fake_is_held(m)) {
		fake_answer_held(f, m);
		return;
	}
	if (fake_memory != NULL)
		fake_remember(m);
	if (!here || (f->once && (spent || fake_is_repeat(m)))) {
		fake_good(f, m);
		return;
	}
	if (fake_memory != NULL)
		fake_memory->acted = true;
	fake_find(f->fault)(f, m);
}

static struct js *fake_holds(void)
{
	struct js *j = js_object();

	js_set_int(j, "trial", fake_memory->trial);
	js_set_int(j, "attempt", fake_memory->attempt);
	js_set_bool(j, "done", fake_memory->done);
	return j;
}

static void fake_hello(struct fake *f)
{
	struct js *msg = message_new(MESSAGE_HELLO, 0);

	js_set_int(msg, "version", fake_is(f, "old") ? 0 : MESSAGE_VERSION);
	js_set_str(msg, "arch", "x86_64");
	js_set_int(msg, "pid", getpid());
	if (fake_memory != NULL) {
		char life[32];

		snprintf(life, sizeof(life), "life-%d", (int)fake_memory->life);
		js_set_str(msg, "life", life);
		if (fake_memory->holds)
			js_set(msg, "holds", fake_holds());
	}
	fake_send(f, msg);
	if (fake_memory != NULL && fake_memory->flapping > 0) {
		fake_memory->flapping--;
		_exit(0);
	}
}

static void fake_stop(struct fake *f, const struct message *m)
{
	if (fake_memory != NULL) {
		fake_memory->stops++;
		fake_memory->holds = false;
	}
	fake_send(f, message_new(MESSAGE_DONE, m->id));
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
	else if (m->type == MESSAGE_STOP)
		fake_stop(f, m);
	else
		return m->type != MESSAGE_BYE; // a ping is no request
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
