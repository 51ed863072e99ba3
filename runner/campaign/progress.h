// The live view of a campaign on a terminal's last lines, redrawn at most once
// a second: measured hosts are not to be disturbed, and one may be this one.
// Elsewhere plain lines.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/base/arena.h"
#include "runner/base/compiler.h"
#include "runner/campaign/view.h"

enum {
	PROGRESS_WIDTH = 80, // where the terminal does not tell
	PROGRESS_HEIGHT = 24,
	PROGRESS_WIDTH_MIN = 20,
};

enum progress_mode {
	PROGRESS_QUIET, // nothing but what must be said
	PROGRESS_LINES, // a line per finished trial
	PROGRESS_LIVE,	// the live view, and lines for what went wrong
};

struct progress;

struct progress *progress_new(int fd, enum progress_mode mode);
void progress_free(struct progress *p);

// What to draw is asked for when it is drawn. What *v points to may be on the
// arena, or must stay as it is until the next call.
typedef void progress_fill_fn(void *ctx, struct arena *a, struct view *v);
// NULL: nothing is drawn any more.
void progress_watch(struct progress *p, progress_fill_fn *fill, void *ctx);

// Something happened: redraws the view, now or when its second is over.
void progress_show(struct progress *p, int64_t now_ns);
// When a redraw that was put off is due; INT64_MAX when none is.
int64_t progress_due_ns(const struct progress *p);
void progress_tick(struct progress *p, int64_t now_ns);

// A line of its own, above the view: `must` is shown even when quiet.
void progress_say(struct progress *p, bool must, const char *fmt, ...)
	PRINTF(3, 4);
// A line about a finished trial: always in PROGRESS_LINES, in PROGRESS_LIVE
// when it went wrong.
void progress_finished(struct progress *p, bool wrong, const char *line);
// Wipes the view off.
void progress_clear(struct progress *p);
