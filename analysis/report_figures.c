#include "analysis/report_figures.h"

#include <ctype.h>
#include <string.h>

#include "analysis/report_figure_parts.h"
#include "analysis/report_parts.h"
#include "analysis/words.h"
#include "runner/base/alloc.h"

enum {
	LABEL_PIXELS = FIGURE_LABELS - 20,
	TITLE_PIXELS = 380, // of an axis
	NAME_CHARS = 100,
};

#define LOG_FROM 3.0 // times as much

void figure_deinit(struct figure *f)
{
	buf_deinit(&f->name);
	buf_deinit(&f->title);
	buf_deinit(&f->about);
	buf_deinit(&f->caption);
	buf_deinit(&f->body);
}

static bool is_taken(const struct report_figures *to, const char *name)
{
	for (size_t i = 0; i < to->n; i++)
		if (strcmp(to->items[i].head.name, name) == 0)
			return true;
	return false;
}

// Letters, digits, point and hyphen; cut, and numbered when another has it.
static const char *plain_name(const struct report_figures *to, const char *name)
{
	char *plain = arena_strndup(to->arena, name,
				    MIN(strlen(name), (size_t)NAME_CHARS));
	const char *unique = plain;

	for (char *p = plain; *p != '\0'; p++)
		if (!isalnum((unsigned char)*p) && strchr("._", *p) == NULL)
			*p = '-';
	for (int i = 2; is_taken(to, unique); i++)
		unique = arena_printf(to->arena, "%s-%d", plain, i);
	return unique;
}

static const char *keep(const struct report_figures *to, const struct buf *b)
{
	return report_clean(to->arena, buf_str(b));
}

void figure_add(struct report_figures *to, const struct figure *f)
{
	const char *name = plain_name(to, buf_str(&f->name));
	struct report_figure *new;

	arena_push(to->arena, &to->items, &to->n, &to->cap, sizeof *to->items);
	new = &to->items[to->n - 1];
	*new = (struct report_figure){
		.head = { .name = name,
			  .title = keep(to, &f->title),
			  .about = keep(to, &f->about),
			  .height = f->height },
		.caption = keep(to, &f->caption),
		.body = arena_strdup(to->arena, buf_str(&f->body)),
	};
}

// --- rows ---

double figure_row_y(const struct figure_rows *rows, size_t i)
{
	return FIGURE_TOP + rows->row * ((double)i + 0.5);
}

double figure_rows_bottom(const struct figure_rows *rows)
{
	return FIGURE_TOP + rows->row * (double)rows->n;
}

// How much of a text fits in one line: up to a blank, if there is one.
static size_t line_len(const char *text)
{
	size_t fits = svg_fitting(text, LABEL_PIXELS), end = fits;

	if (text[fits] == '\0')
		return fits;
	while (end > 0 && text[end] != ' ')
		end--;
	return end > 0 ? end : fits;
}

void figure_label(struct buf *out, double y, const char *text)
{
	CLEANUP(buf_deinit) struct buf line = BUF_INIT;
	size_t len = line_len(text);
	const char *rest = text + len + strspn(text + len, " ");

	buf_add(&line, text, len);
	svg_text(out, "end", FIGURE_LABELS - 10, y + (*rest != '\0' ? -3 : 4),
		 buf_str(&line));
	if (*rest == '\0')
		return;
	buf_clear(&line);
	svg_fit_end(rest, LABEL_PIXELS, &line);
	svg_text(out, "end", FIGURE_LABELS - 10, y + 11, buf_str(&line));
}

void figure_rows_axis(struct figure *f, const struct figure_rows *rows,
		      const char *unit, const char *title)
{
	double bottom = figure_rows_bottom(rows);

	svg_x_ticks(&f->body, &rows->x, unit,
		    (struct svg_line){ 0, FIGURE_TOP, 0, bottom });
	svg_text(&f->body, "middle", (rows->x.from + rows->x.to) / 2,
		 bottom + 36, title);
	f->height = bottom + FIGURE_UNDER;
}

void figure_metric(const struct dataset_metric *m, bool log, struct buf *out)
{
	svg_fit(m->name, TITLE_PIXELS, out);
	if (m->unit[0] != '\0' && strcmp(m->unit, "1") != 0 &&
	    strcmp(m->unit, "ns") != 0)
		buf_printf(out, ", %s", m->unit);
	buf_puts(out, log ? " (log scale)" : "");
}

void figure_say_cut(size_t shown, size_t all, const char *noun, struct buf *out)
{
	if (shown == all)
		return;
	buf_printf(out, " The first %zu of ", shown);
	words_count(all, noun, out);
	buf_puts(out, " are drawn.");
}

const struct analysis_cell *figure_cells_of(const struct analysis *an,
					    size_t metric)
{
	return an->cells + metric * an->ds->ncells;
}

bool figure_wants_log(const struct analysis *an, size_t metric)
{
	const struct analysis_cell *c = figure_cells_of(an, metric);
	double lo = INFINITY, hi = 0;

	for (size_t i = 0; i < an->ds->ncells; i++) {
		if (c[i].d.n == 0)
			continue;
		if (!(c[i].d.min > 0))
			return false;
		lo = fmin(lo, c[i].d.mean);
		hi = fmax(hi, c[i].d.mean);
	}
	return hi >= LOG_FROM * lo;
}

bool figure_has_trial(const struct dataset *ds, size_t row, uint32_t metric)
{
	return ds->outcome[row] == OUTCOME_OK &&
	       isfinite(ds->values[metric][row]);
}

size_t figure_thinning(size_t trials)
{
	return trials / (REPORT_FIGURE_POINTS + 1) + 1;
}

// --- all of them ---

void report_figures_make(const struct report *r, struct arena *a,
			 struct report_figures *out)
{
	static void (*const figures[])(struct report_figures * to) = {
		figure_effects, figure_bars,	figure_cells,
		figure_trials,	figure_latency,
	};

	*out = (struct report_figures){ .r = r, .arena = a };
	for (size_t i = 0; i < ARRAY_LEN(figures); i++)
		figures[i](out);
}

void report_figure_inline(const struct report_figure *f, struct buf *out)
{
	svg_open(out, &f->head);
	buf_puts(out, f->body);
	svg_close(out);
}

void report_figure_file(const struct report_figure *f, struct buf *out)
{
	svg_open_file(out, &f->head);
	buf_puts(out, f->body);
	svg_close(out);
}
