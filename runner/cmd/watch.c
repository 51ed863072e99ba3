// vrun watch DIR: the view of a campaign from elsewhere. Reads only.
#include "runner/cmd/cmd.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runner/base/clock.h"
#include "runner/base/strv.h"
#include "runner/campaign/follow.h"
#include "runner/campaign/progress.h"

enum {
	WATCH_STEP_S = 1, // between looks at the journal
	WATCH_COLUMNS = 79,
};

static const struct cmd_option watch_options[] = {
	{ "once", '1', NULL, "show how it stands and do not wait" },
	{ NULL, 0, NULL, NULL },
};

struct watch {
	struct follow *follow;
	struct progress *progress;
	sigset_t signals; // blocked while it waits
	int signal;	  // that ended it, or 0
};

static void say_finished(void *ctx, const struct record *r, size_t over,
			 int64_t took_ns)
{
	const struct watch *w = ctx;
	CLEANUP(buf_deinit) struct buf line = BUF_INIT;

	view_finished(follow_plan(w->follow), r, over, took_ns, &line);
	progress_finished(w->progress, r->result->outcome != OUTCOME_OK,
			  buf_str(&line));
}

// One step; a window of another size is drawn anew at once.
static void wait_for_more(struct watch *w)
{
	struct timespec step = { .tv_sec = WATCH_STEP_S };
	int sig = sigtimedwait(&w->signals, NULL, &step);

	if (sig > 0 && sig != SIGWINCH)
		w->signal = sig;
}

static int follow_to_the_end(struct watch *w, struct err *e)
{
	while (w->signal == 0) {
		if (follow_read(w->follow, say_finished, w, e) < 0)
			return -1;
		if (follow_state(w->follow) != FOLLOW_RUNS)
			return 0;
		progress_show(w->progress, clock_mono_ns());
		progress_tick(w->progress, clock_mono_ns());
		wait_for_more(w);
	}
	return 0;
}

static enum progress_mode mode(void)
{
	const char *term = getenv("TERM");

	if (isatty(STDOUT_FILENO) && term != NULL && strcmp(term, "dumb") != 0)
		return PROGRESS_LIVE;
	return PROGRESS_LINES;
}

static int watch(struct watch *w, struct err *e)
{
	sigset_t former;
	int rc;

	sigemptyset(&w->signals);
	sigaddset(&w->signals, SIGINT);
	sigaddset(&w->signals, SIGTERM);
	sigaddset(&w->signals, SIGHUP);
	sigaddset(&w->signals, SIGWINCH);
	sigprocmask(SIG_BLOCK, &w->signals, &former);
	w->progress = progress_new(STDOUT_FILENO, mode());
	progress_watch(w->progress, follow_fill, w->follow);
	rc = follow_to_the_end(w, e);
	progress_free(w->progress); // wipes the view off
	sigprocmask(SIG_SETMASK, &former, NULL);
	return rc;
}

static void print_hosts(const struct view *v)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	if (v->nrows == 1)
		return;
	view_format(v, WATCH_COLUMNS, (unsigned)v->nrows + 1, &text);
	printf("%s\n", buf_str(&text));
}

// How it stands, as a sentence, and what may be done.
static void print_state(const char *dir, struct follow *f)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(strv_deinit) struct strv command = STRV_INIT;
	CLEANUP(buf_deinit) struct buf line = BUF_INIT;
	static const struct {
		const char *word, *command;
	} states[] = {
		[FOLLOW_RUNS] = { "runs", "watch" },
		[FOLLOW_STOPPED] = { "is stopped", "resume" },
		[FOLLOW_ENDED] = { "is finished", "report" },
	};
	enum follow_state state = follow_state(f);
	struct view v;

	follow_fill(f, a, &v);
	print_hosts(&v);
	strv_add(&command, "vrun");
	strv_add(&command, states[state].command);
	strv_add(&command, dir);
	strv_quote(&command, &line);
	printf("%s %s: %zu of %zu trials are over, %zu failed%s%s; see: %s\n",
	       follow_plan(f)->name, states[state].word, v.over, v.trials,
	       v.failed, v.estimate != NULL ? ", " : "",
	       v.estimate != NULL ? v.estimate : "", buf_str(&line));
}

static bool is_whole(const struct follow *f)
{
	struct schedule_counts n = follow_counts(f);

	if (follow_plan(f)->has_stop && follow_state(f) == FOLLOW_ENDED)
		return n.failed + n.invalid + n.timeout + n.lost == 0;
	return n.ok == n.trials;
}

static int run(const struct cmd_args *args, int *status, struct err *e)
{
	CLEANUP(follow_freep) struct follow *f = NULL;
	const char *dir = args->operands[0];
	struct watch w = { 0 };

	if (follow_open(dir, &f, e) < 0 || follow_read(f, NULL, NULL, e) < 0)
		return -1;
	w.follow = f;
	if (!cmd_has(args, "once") && watch(&w, e) < 0)
		return -1;
	if (w.signal == 0)
		print_state(dir, f);
	*status = w.signal != 0 ? CMD_INTERRUPTED
		  : is_whole(f) ? CMD_OK
				: CMD_INCOMPLETE;
	return 0;
}

const struct cmd cmd_watch = {
	.name = "watch",
	.operands = "DIR",
	.summary = "follow a campaign from another terminal",
	.details =
		"Shows what `vrun run` shows in the terminal where it runs: a\n"
		"line for each host, how far all are, the time that is left\n"
		"and the estimate so far; into a pipe, a line for each trial\n"
		"that ends. It only reads DIR, once a second, and takes no\n"
		"lock, so that it can come and go. Ends with the campaign; of\n"
		"one that does not run it tells how it stands. Exit status: 0\n"
		"every trial was ok, 1 some were not or are missing.",
	.min_operands = 1,
	.max_operands = 1,
	.options = watch_options,
	.run = run,
};
