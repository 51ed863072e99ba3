// What fake agents do wrong in a trial, each a row of a table.
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

// What agents of one campaign have in common that outlive their connections;
// shared by their processes. NULL: they end with it.
struct fake_memory {
	int64_t life;
	bool holds, done;
	int64_t trial, attempt;
	bool acted;	   // the fault has happened
	bool lies;	   // it answers nothing that it says to hold
	unsigned runs;	   // trials that were really run
	unsigned stops;	   // requests to stop
	unsigned deaf;	   // connections still to be refused
	unsigned flapping; // connections still to end after hello
};

static struct fake_memory *fake_memory;

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

static void fake_cut(struct fake *f, const struct message *m)
{
	(void)f;
	(void)m;
	_exit(0);
}

static void fake_cut_late(struct fake *f, const struct message *m)
{
	fake_memory->done = false;
	fake_cut(f, m);
}

static void fake_reborn(struct fake *f, const struct message *m)
{
	fake_memory->life++;
	fake_memory->holds = false;
	fake_cut(f, m);
}

static void fake_spooled(struct fake *f, const struct message *m)
{
	fake_memory->life++;
	fake_cut(f, m);
}

static void fake_elsewhere(struct fake *f, const struct message *m)
{
	fake_memory->life++;
	fake_memory->trial = 4711;
	fake_cut(f, m);
}

static void fake_busy(struct fake *f, const struct message *m)
{
	fake_memory->done = false;
	fake_elsewhere(f, m);
}

static void fake_unasked(struct fake *f, const struct message *m)
{
	fake_memory->holds = false;
	fake_memory->runs--;
	fake_cut(f, m);
}

static void fake_liar(struct fake *f, const struct message *m)
{
	fake_memory->lies = true;
	fake_cut(f, m);
}

static void fake_deaf(struct fake *f, const struct message *m)
{
	fake_memory->deaf = 3;
	fake_cut(f, m);
}

static void fake_gone(struct fake *f, const struct message *m)
{
	fake_memory->deaf = UINT32_MAX;
	fake_cut(f, m);
}

static void fake_flapping(struct fake *f, const struct message *m)
{
	fake_memory->flapping = 3;
	fake_cut(f, m);
}

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
	// With a memory only.
	{ "cut", fake_cut },
	{ "cut-late", fake_cut_late },
	{ "reborn", fake_reborn },
	{ "spooled", fake_spooled },
	{ "elsewhere", fake_elsewhere },
	{ "busy", fake_busy },
	{ "unasked", fake_unasked },
	{ "liar", fake_liar },
	{ "deaf", fake_deaf },
	{ "gone", fake_gone },
	{ "flapping", fake_flapping },
	// These act before any trial.
	{ "old", fake_good },
	{ "stillborn", fake_good },
	{ "last-words", fake_good },
	{ "refusing", fake_good },
	{ "no-settings", fake_good },
};
