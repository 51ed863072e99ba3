// How a campaign that runs looks on a terminal: one line for one host; for
// several a line each and one for all. Pure: figures in, lines out.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runner/base/arena.h"
#include "runner/base/buf.h"
#include "runner/plan/plan.h"
#include "runner/record/record.h"

enum {
	VIEW_HOST_COLUMNS = 20, // longer names are cut
	VIEW_BAR_COLUMNS = 20,
};

enum view_state {
	VIEW_TROUBLED, // it is away; shown first where room is short
	VIEW_WORKS,
	VIEW_DONE,
};

// One host. Texts are borrowed and may be NULL, but for the name.
struct view_row {
	const char *host;
	enum view_state state;
	size_t over, trials;
	uint32_t round;	   // of the trial in hand, from 1; 0: there is none
	const char *cell;  // of the trial in hand
	const char *stage; // "measuring", "connecting again", "done"
	const char *error; // what went wrong on it last
};

struct view {
	const struct view_row *rows;
	size_t nrows; // at least 1
	size_t over, trials;
	size_t failed;	      // trials whose last attempt gave no figure
	int64_t left_ns;      // < 0: not known
	const char *estimate; // "so far +0.3 % [-1.2 %, +1.9 %]", or NULL
};

// At most `height` lines of at most `width` columns, "\n" between them. Hosts
// for which there is no line are counted in one.
void view_format(const struct view *v, unsigned width, unsigned height,
		 struct buf *out);

// "[3/20] lab1 round 2, backing=4k: ok, block.iops 51234 IOPS (6.1 s)", the
// host only where there are several. `over`: trials that are over by now.
void view_finished(const struct plan *p, const struct record *r, size_t over,
		   int64_t took_ns, struct buf *out);
