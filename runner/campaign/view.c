#include "runner/campaign/view.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/base/plain.h"
#include "runner/base/units.h"

// Code points, not bytes.
static size_t columns_of(const char *text)
{
	size_t n = 0;

	for (; *text != '\0'; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

// Cuts what was added since `start` to `width` columns and makes it plain:
// some of it is from other machines.
static void finish_line(struct buf *out, size_t start, unsigned width)
{
	unsigned columns = 0;

	out->len = start + plain_text(out->data + start);
	for (size_t i = start; i < out->len; i++) {
		if (((unsigned char)out->data[i] & 0xc0) == 0x80)
			continue;
		if (columns++ < width)
			continue;
		out->len = i;
		out->data[i] = '\0';
		return;
	}
}

// What is true of all hosts together, behind the count of trials.
static void put_whole(const struct view *v, struct buf *out)
{
	char text[64];

	if (v->failed > 0)
		buf_printf(out, ", %zu failed", v->failed);
	if (v->left_ns >= 0) {
		// Whole seconds: the rest is noise.
		units_format_duration(
			(uint64_t)(v->left_ns / NS_PER_S * NS_PER_S), text,
			sizeof(text));
		buf_printf(out, ", %s left", text);
	}
	if (v->estimate != NULL)
		buf_printf(out, ", %s", v->estimate);
}

static void put_work(const struct view_row *r, struct buf *out)
{
	if (r->round > 0)
		buf_printf(out, "round %u %s: ", r->round, r->cell);
	buf_puts(out, r->stage != NULL ? r->stage : "waiting");
}

static void format_one(const struct view *v, unsigned width, struct buf *out)
{
	size_t start = out->len;

	buf_printf(out, "trial %zu/%zu ", MIN(v->over + 1, v->trials),
		   v->trials);
	put_work(&v->rows[0], out);
	put_whole(v, out);
	finish_line(out, start, width);
}

// Widths that all rows share.
struct columns {
	int host, over, trials;
};

static int digits(size_t n)
{
	int d = 1;

	for (; n > 9; n /= 10)
		d++;
	return d;
}

static struct columns measure(const struct view *v)
{
	struct columns c = { 0 };

	for (size_t i = 0; i < v->nrows; i++) {
		c.host = MAX(c.host, (int)columns_of(v->rows[i].host));
		c.over = MAX(c.over, digits(v->rows[i].over));
		c.trials = MAX(c.trials, digits(v->rows[i].trials));
	}
	c.host = MIN(c.host, (int)VIEW_HOST_COLUMNS);
	return c;
}

static void put_row(const struct view_row *r, const struct columns *c,
		    unsigned width, struct buf *out)
{
	size_t start = out->len;

	buf_printf(out, "%-*.*s %*zu/%-*zu ", c->host, c->host, r->host,
		   c->over, r->over, c->trials, r->trials);
	put_work(r, out);
	if (r->error != NULL)
		buf_printf(out, "; last error: %s", r->error);
	finish_line(out, start, width);
	buf_putc(out, '\n');
}

static void put_bar(const struct view *v, unsigned width, struct buf *out)
{
	size_t start = out->len, full = VIEW_BAR_COLUMNS;

	if (v->trials > 0)
		full = v->over * VIEW_BAR_COLUMNS / v->trials;
	buf_putc(out, '[');
	for (size_t i = 0; i < VIEW_BAR_COLUMNS; i++)
		buf_putc(out, i < full ? '#' : '.');
	buf_printf(out, "] %zu/%zu", v->over, v->trials);
	put_whole(v, out);
	finish_line(out, start, width);
}

// Marks the rows that are shown: those in trouble before those at work before
// those that are done; each in its place.
static void choose(const struct view *v, size_t room, bool *shown)
{
	for (int state = VIEW_TROUBLED; state <= VIEW_DONE; state++) {
		for (size_t i = 0; i < v->nrows && room > 0; i++) {
			if (v->rows[i].state != (enum view_state)state)
				continue;
			shown[i] = true;
			room--;
		}
	}
}

static void put_rest(const struct view *v, const bool *shown, unsigned width,
		     struct buf *out)
{
	static const char *const words[] = { [VIEW_TROUBLED] = "away",
					     [VIEW_WORKS] = "at work",
					     [VIEW_DONE] = "done" };
	size_t n[ARRAY_LEN(words)] = { 0 }, rest = 0, start = out->len;
	const char *lead = ": ";

	for (size_t i = 0; i < v->nrows; i++) {
		n[v->rows[i].state] += !shown[i];
		rest += !shown[i];
	}
	if (rest == 0)
		return;
	buf_printf(out, "%zu more hosts", rest);
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (n[i] == 0)
			continue;
		buf_printf(out, "%s%zu %s", lead, n[i], words[i]);
		lead = ", ";
	}
	finish_line(out, start, width);
	buf_putc(out, '\n');
}

void view_format(const struct view *v, unsigned width, unsigned height,
		 struct buf *out)
{
	CLEANUP(cleanup_free) bool *shown = xcalloc(v->nrows, sizeof(*shown));
	struct columns c = measure(v);
	size_t room = v->nrows;

	if (v->nrows == 1) {
		format_one(v, width, out);
		return;
	}
	// The last line is the bar's; where hosts are left out, the one before
	// it counts them.
	if (v->nrows + 1 > height)
		room = height > 2 ? height - 2 : 0;
	choose(v, room, shown);
	for (size_t i = 0; i < v->nrows; i++) {
		if (shown[i])
			put_row(&v->rows[i], &c, width, out);
	}
	if (height > 1)
		put_rest(v, shown, width, out);
	put_bar(v, width, out);
}

static void put_metric(const struct metric *m, struct buf *line)
{
	buf_printf(line, ", %s %.6g", m->name, m->value);
	if (strcmp(m->unit, "1") != 0)
		buf_printf(line, " %s", m->unit);
}

void view_finished(const struct plan *p, const struct record *r, size_t over,
		   int64_t took_ns, struct buf *out)
{
	const struct result *res = r->result;

	buf_printf(out, "[%zu/%zu] ", over, p->ntrials);
	if (p->nhosts > 1)
		buf_printf(out, "%s ", r->host);
	buf_printf(out, "round %u, %s: %s", r->block + 1,
		   p->cells[r->cell].label, outcome_name(res->outcome));
	if (r->attempt > 1)
		buf_printf(out, " (attempt %u)", r->attempt);
	for (size_t i = 0; res->outcome == OUTCOME_OK && i < res->nmetrics;
	     i++) {
		if (p->nmetrics > 0 &&
		    strcmp(res->metrics[i].name, p->metrics[0]) == 0)
			put_metric(&res->metrics[i], out);
	}
	if (res->reason != NULL)
		buf_printf(out, ": %s", res->reason);
	buf_printf(out, " (%.1f s)", (double)took_ns / NS_PER_S);
}
