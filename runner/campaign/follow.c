#include "runner/campaign/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"
#include "runner/base/units.h"
#include "runner/campaign/live.h"
#include "runner/campaign/store.h"
#include "runner/record/scan.h"

enum {
	FOLLOW_PIECE_BYTES = 256 << 10,
	FOLLOW_LOCKS_MAX = 8 << 20,
	FOLLOW_LOCK_TEXT_MAX = 256,
};

struct followed {
	const struct plan_trial *trial; // in hand, or NULL
	int64_t started_ns;		// on this process's monotonic clock
	char *error;
	size_t measured;
	int64_t spent_ns; // on these, cooldown included
};

struct follow {
	const char *dir;
	enum follow_state state;
	struct plan *plan;
	struct schedule *schedule;
	struct live *live;
	struct record_scan *scan;
	struct followed *hosts;
	int fd;		 // of the journal; -1 until there is one
	struct buf text; // that is read and has no newline yet
	size_t lines;
};

static int load_plan(struct follow *f, struct err *e)
{
	CLEANUP(js_unrefp) struct js *j = NULL;

	if (store_check(f->dir, e) < 0)
		return -1;
	j = store_read_js(f->dir, STORE_PLAN, e);
	if (j == NULL)
		return -1;
	if (plan_from_js(j, &f->plan, e) < 0)
		return err_wrap(e, "%s/" STORE_PLAN, f->dir);
	return 0;
}

int follow_open(const char *dir, struct follow **out, struct err *e)
{
	CLEANUP(follow_freep) struct follow *f = xcalloc(1, sizeof(*f));

	f->dir = dir;
	f->fd = -1;
	if (load_plan(f, e) < 0)
		return -1;
	f->schedule = schedule_new(f->plan);
	f->live = live_new(f->plan);
	f->scan = record_scan_new();
	f->hosts = xcalloc(f->plan->nhosts, sizeof(*f->hosts));
	*out = TAKE_PTR(f);
	return 0;
}

void follow_free(struct follow *f)
{
	if (f == NULL)
		return;
	for (size_t i = 0; f->hosts != NULL && i < f->plan->nhosts; i++)
		free(f->hosts[i].error);
	free(f->hosts);
	schedule_free(f->schedule);
	live_free(f->live);
	record_scan_free(f->scan);
	plan_free(f->plan);
	fd_closep(&f->fd);
	buf_deinit(&f->text);
	free(f);
}

void follow_freep(struct follow **f)
{
	follow_free(*f);
	*f = NULL;
}

static void note_end(struct follow *f, struct followed *h,
		     const struct record *r, int64_t took_ns)
{
	const struct result *res = r->result;

	h->trial = NULL;
	h->measured++;
	h->spent_ns += took_ns + (int64_t)f->plan->cooldown_ns;
	if (res->outcome == OUTCOME_OK)
		return;
	free(h->error);
	h->error = xasprintf("%s: %s", outcome_name(res->outcome),
			     res->reason != NULL ? res->reason : "?");
}

struct listener {
	follow_fn *finished;
	void *ctx;
};

// When a stamp was, on our own clock: the wall clock may be set later.
static int64_t since(int64_t wall_ns)
{
	return clock_mono_ns() - MAX(clock_wall_ns() - wall_ns, (int64_t)0);
}

// As the host says, else by the stamps, between which the clock may have been
// set.
static int64_t took(const struct followed *h, const struct record *r)
{
	int64_t ns = js_get_int(r->result->times, "trial_ns", 0);

	return ns > 0 ? ns : MAX(since(r->wall_ns) - h->started_ns, (int64_t)0);
}

static int take_record(struct follow *f, const struct record *r,
		       const struct listener *to, struct err *e)
{
	struct followed *h;
	int64_t took_ns;

	if (schedule_note(f->schedule, r, e) < 0)
		return -1;
	live_add(f->live, r);
	h = &f->hosts[f->plan->trials[r->trial].host];
	if (r->event == RECORD_STARTED) {
		h->trial = &f->plan->trials[r->trial];
		h->started_ns = since(r->wall_ns);
		return 0;
	}
	took_ns = took(h, r);
	note_end(f, h, r, took_ns);
	if (to->finished != NULL)
		to->finished(to->ctx, r, schedule_count(f->schedule).over,
			     took_ns);
	return 0;
}

// The whole lines that were read. One that a crash left with zeros in it is
// torn: `vrun resume` will cut it off.
static int take_lines(struct follow *f, const struct listener *to,
		      struct err *e)
{
	const char *begin = buf_str(&f->text), *p = begin, *nl;
	const char *end = begin + f->text.len;

	while ((nl = memchr(p, '\n', (size_t)(end - p))) != NULL) {
		size_t len = (size_t)(nl - p);
		struct record r;

		if (memchr(p, '\0', len) != NULL)
			break;
		f->lines++;
		if (record_scan_line(f->scan, p, len, &r, e) < 0 ||
		    take_record(f, &r, to, e) < 0)
			return err_wrap(e, "%s/" STORE_TRIALS ":%zu", f->dir,
					f->lines);
		p = nl + 1;
	}
	buf_consume(&f->text, (size_t)(p - begin));
	return 0;
}

static int open_journal(struct follow *f, struct err *e)
{
	CLEANUP(cleanup_free)
	char *path = xasprintf("%s/" STORE_TRIALS, f->dir);

	if (f->fd >= 0)
		return 0;
	f->fd = file_open(path, ERR_STORE, e);
	return f->fd < 0 && errno != ENOENT ? -1 : 0;
}

// --- whether somebody writes there ---

// The host that the writer named in the lock; false: nobody did.
static bool locked_on(const char *dir, char *host, size_t size)
{
	CLEANUP(cleanup_free) char *path = xasprintf("%s/" STORE_LOCK, dir);
	char text[FOLLOW_LOCK_TEXT_MAX];
	const char *on;

	if (file_read_line(path, text, sizeof(text)) < 0)
		return false;
	on = strstr(text, " on ");
	if (on == NULL)
		return false;
	on += strlen(" on ");
	snprintf(host, size, "%.*s", (int)strcspn(on, ","), on);
	return true;
}

// As /proc/locks tells it, so that the lock is not touched: whoever tries it
// would stand in the way of a writer for that moment.
static bool is_flocked(const char *dir)
{
	CLEANUP(cleanup_free) char *path = xasprintf("%s/" STORE_LOCK, dir);
	CLEANUP(buf_deinit) struct buf locks = BUF_INIT;
	CLEANUP(cleanup_free) char *end = NULL;
	struct err e = { 0 };
	struct stat st;
	char *save = NULL;

	if (stat(path, &st) < 0 ||
	    file_read("/proc/locks", FOLLOW_LOCKS_MAX, &locks, ERR_STORE, &e) <
		    0 ||
	    locks.len == 0)
		return false;
	// "1: FLOCK  ADVISORY  WRITE 4711 fd:01:1234 0 EOF". The device is
	// left out: file systems of several have more than one name for it.
	end = xasprintf(":%" PRIu64 " 0 EOF", (uint64_t)st.st_ino);
	for (char *line = strtok_r(locks.data, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save)) {
		if (strstr(line, " FLOCK ") != NULL &&
		    strstr(line, end) != NULL)
			return true;
	}
	return false;
}

static bool is_in_use(const char *dir, bool finished)
{
	char writer[64], here[64] = "";

	if (!locked_on(dir, writer, sizeof(writer)))
		return false;
	gethostname(here, sizeof(here) - 1);
	if (strcmp(writer, here) == 0)
		return is_flocked(dir);
	// Another machine's locks cannot be seen.
	return !finished;
}

static void look_at_state(struct follow *f)
{
	bool finished = store_has(f->dir, STORE_MANIFEST);

	if (is_in_use(f->dir, finished))
		f->state = FOLLOW_RUNS;
	else
		f->state = finished ? FOLLOW_ENDED : FOLLOW_STOPPED;
}

// A line that was torn is cut off by who goes on; what was read of it goes,
// too.
static int forget_what_was_cut(struct follow *f, struct err *e)
{
	off_t at = lseek(f->fd, 0, SEEK_CUR);
	struct stat st;

	if (fstat(f->fd, &st) < 0 || at < 0)
		return err_sys(e, ERR_STORE, "%s/" STORE_TRIALS, f->dir);
	if (st.st_size >= at)
		return 0;
	lseek(f->fd, at - (off_t)f->text.len, SEEK_SET);
	buf_clear(&f->text);
	return 0;
}

int follow_read(struct follow *f, follow_fn *finished, void *ctx, struct err *e)
{
	struct listener to = { finished, ctx };
	ssize_t n;

	look_at_state(f);
	if (open_journal(f, e) < 0)
		return -1;
	if (f->fd < 0)
		return 0;
	if (forget_what_was_cut(f, e) < 0)
		return -1;
	do {
		if (f->text.len > RECORD_LINE_MAX)
			return err_set(e, ERR_STORE,
				       "%s/" STORE_TRIALS
				       ":%zu: longer than %d bytes",
				       f->dir, f->lines + 1, RECORD_LINE_MAX);
		buf_reserve(&f->text, FOLLOW_PIECE_BYTES);
		n = fd_read_some(f->fd, f->text.data + f->text.len,
				 FOLLOW_PIECE_BYTES);
		if (n < 0)
			return err_sys(e, ERR_STORE, "%s/" STORE_TRIALS,
				       f->dir);
		f->text.len += (size_t)n;
		f->text.data[f->text.len] = '\0';
		if (take_lines(f, &to, e) < 0)
			return -1;
	} while (n > 0);
	return 0;
}

// --- what is shown ---

enum follow_state follow_state(const struct follow *f)
{
	return f->state;
}

const struct plan *follow_plan(const struct follow *f)
{
	return f->plan;
}

struct schedule_counts follow_counts(const struct follow *f)
{
	return schedule_count(f->schedule);
}

static const char *stage_of(const struct follow *f, const struct followed *h,
			    struct arena *a)
{
	int64_t for_ns = clock_mono_ns() - h->started_ns;
	char text[64];

	if (f->state != FOLLOW_RUNS)
		return "stopped in it";
	units_format_duration((uint64_t)(for_ns / NS_PER_S * NS_PER_S), text,
			      sizeof(text));
	return arena_printf(a, "under way, %s", text);
}

static void fill_row(const struct follow *f, uint32_t i, struct arena *a,
		     struct view_row *row)
{
	const struct followed *h = &f->hosts[i];
	size_t left = schedule_left(f->schedule, i);

	*row = (struct view_row){
		.host = f->plan->hosts[i],
		.state = left > 0 ? VIEW_WORKS : VIEW_DONE,
		.trials = schedule_trials(f->schedule, i),
		.stage = left > 0 ? NULL : "done",
		.error = h->error,
	};
	row->over = row->trials - left;
	if (h->trial == NULL)
		return;
	row->round = h->trial->block + 1;
	row->cell = f->plan->cells[h->trial->cell].label;
	row->stage = stage_of(f, h, a);
}

// By the slowest host.
static int64_t time_left_ns(const struct follow *f)
{
	int64_t left = -1;

	if (f->state != FOLLOW_RUNS)
		return left;
	for (uint32_t i = 0; i < f->plan->nhosts; i++) {
		const struct followed *h = &f->hosts[i];

		if (h->measured > 0)
			left = MAX(left, h->spent_ns / (int64_t)h->measured *
						 (int64_t)schedule_left(
							 f->schedule, i));
	}
	return left;
}

void follow_fill(void *follow, struct arena *a, struct view *v)
{
	const struct follow *f = follow;
	struct schedule_counts n = follow_counts(f);
	struct view_row *rows = arena_array(a, f->plan->nhosts, sizeof(*rows));

	for (uint32_t i = 0; i < f->plan->nhosts; i++)
		fill_row(f, i, a, &rows[i]);
	*v = (struct view){
		.rows = rows,
		.nrows = f->plan->nhosts,
		.over = n.over,
		.trials = n.trials,
		.failed = n.failed + n.invalid + n.timeout + n.lost,
		.left_ns = time_left_ns(f),
		.estimate = live_estimate(f->live),
	};
}
