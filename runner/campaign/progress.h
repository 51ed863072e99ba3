// The live view of a campaign, on standard error: one line that is redrawn at
// most once a second on a terminal, plain lines elsewhere.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/base/buf.h"
#include "runner/base/compiler.h"

enum {
	PROGRESS_WIDTH = 80, // where the terminal does not tell
	PROGRESS_WIDTH_MIN = 20,
};

enum progress_mode {
	PROGRESS_QUIET, // nothing but what must be said
	PROGRESS_LINES, // a line per finished trial
	PROGRESS_LIVE,	// the live line, and lines for what went wrong
};

// What the live line tells. Texts are borrowed.
struct progress_view {
	size_t trial, trials; // the trial in hand, from 1
	uint32_t round;	      // from 1
	const char *host;     // NULL: there is only one
	const char *cell, *stage;
	size_t failed;	      // trials whose last attempt gave no figure
	int64_t left_ns;      // < 0: not known
	const char *estimate; // "so far +0.3 % [-1.2 %, +1.9 %]", or NULL
};

// The live line, cut to `width` columns. Pure.
void progress_format(const struct progress_view *v, unsigned width,
		     struct buf *out);

struct progress;

struct progress *progress_new(int fd, enum progress_mode mode);
bool progress_is_live(const struct progress *p);
void progress_free(struct progress *p);

// Something happened: redraws the live line, now or when its second is over.
void progress_show(struct progress *p, const struct progress_view *v,
		   int64_t now_ns);
// When a redraw that was put off is due; INT64_MAX when none is.
int64_t progress_due_ns(const struct progress *p);
void progress_tick(struct progress *p, int64_t now_ns);

// A line of its own, above the live line: `must` is shown even when quiet.
void progress_say(struct progress *p, bool must, const char *fmt, ...)
	PRINTF(3, 4);
// A line about a finished trial: always in PROGRESS_LINES, in PROGRESS_LIVE
// when it went wrong.
void progress_finished(struct progress *p, bool wrong, const char *line);
// Wipes the live line off.
void progress_clear(struct progress *p);
