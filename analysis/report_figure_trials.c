// Trials in the order in which they ran, so that drift shows.
#include "analysis/report_figure_parts.h"

#include <string.h>

#include "analysis/words.h"

enum {
	LEFT = 84,
	PLOT = 240,
	LEGEND = 22, // a line of it
};

struct trials {
	const struct report *r;
	uint32_t host, metric;
	size_t n, every;
	struct svg_axis x, y;
};

static bool is_drawn(const struct trials *p, size_t row)
{
	const struct dataset *ds = p->r->ds;

	return ds->host[row] == p->host && isfinite(ds->order[row]) &&
	       figure_has_trial(ds, row, p->metric);
}

static void measure(struct trials *p)
{
	const struct dataset *ds = p->r->ds;

	p->x = SVG_AXIS(LEFT, SVG_WIDTH - 10);
	p->y = SVG_AXIS(FIGURE_TOP + PLOT, FIGURE_TOP);
	p->y.log = figure_wants_log(p->r->an, 0);
	for (size_t i = 0; i < ds->ntrials; i++) {
		if (!is_drawn(p, i))
			continue;
		svg_widen(&p->x, ds->order[i]);
		svg_widen(&p->y, ds->values[p->metric][i]);
		p->n++;
	}
	p->every = figure_thinning(p->n);
	if (p->n == 0)
		return;
	svg_pad(&p->x);
	svg_pad(&p->y);
}

static void points(const struct trials *p, struct buf *out)
{
	const struct dataset *ds = p->r->ds;
	size_t seen = 0;

	for (size_t i = 0; i < ds->ntrials; i++)
		if (is_drawn(p, i) && seen++ % p->every == 0)
			svg_marker(out, ds->cell[i],
				   svg_at(&p->x, ds->order[i]),
				   svg_at(&p->y, ds->values[p->metric][i]));
}

static size_t legend_lines(const struct report *r)
{
	return MIN(r->ds->ncells, (size_t)REPORT_FIGURE_ROWS);
}

// One cell a line, below the plot.
static void legend(const struct report *r, struct buf *out)
{
	double y = FIGURE_TOP + PLOT + FIGURE_UNDER + LEGEND / 2.0;

	for (uint32_t c = 0; c < legend_lines(r); c++) {
		CLEANUP(buf_deinit) struct buf text = BUF_INIT;
		CLEANUP(buf_deinit) struct buf fit = BUF_INIT;

		words_cell(r->an, c, &text);
		svg_fit(buf_str(&text), SVG_WIDTH - LEFT - 20, &fit);
		svg_marker(out, c, LEFT, y);
		svg_text(out, "start", LEFT + 12, y + 4, buf_str(&fit));
		y += LEGEND;
	}
}

static void describe_trials(const struct trials *p, struct figure *f)
{
	const struct dataset *ds = p->r->ds;
	const struct dataset_metric *m = &ds->metrics[p->metric];
	const char *on = ds->hosts.n > 1 ? " on " : "";
	const char *host =
		ds->hosts.n > 1 ? intern_name(&ds->hosts, p->host) : "";

	buf_printf(&f->name, "trials%s%s", ds->hosts.n > 1 ? "-" : "", host);
	buf_printf(&f->title, "%s over time%s%s", m->name, on, host);
	words_count(p->n, "trial", &f->about);
	buf_printf(&f->about,
		   " in the order in which they ran%s%s, each with its figure "
		   "of %s, by cell. The table of trials has the figures.",
		   on, host, m->name);
	buf_printf(&f->caption,
		   "Each trial in the order in which they ran%s%s.", on, host);
	if (p->every > 1)
		buf_printf(&f->caption, " One in %zu is drawn.", p->every);
	if (p->host + 1 == REPORT_FIGURE_HOSTS)
		figure_say_cut(REPORT_FIGURE_HOSTS, ds->hosts.n, "host",
			       &f->caption);
}

static void axes(const struct trials *p, struct buf *out)
{
	const struct dataset_metric *m = &p->r->ds->metrics[p->metric];
	CLEANUP(buf_deinit) struct buf title = BUF_INIT;

	figure_metric(m, p->y.log, &title);
	svg_y_ticks(out, &p->y, m->unit, LEFT);
	svg_x_ticks(out, &p->x, "",
		    (struct svg_line){ 0, FIGURE_TOP, 0, FIGURE_TOP + PLOT });
	svg_text_up(out, 16, FIGURE_TOP + PLOT / 2.0, buf_str(&title));
	svg_text(out, "middle", (p->x.from + p->x.to) / 2,
		 FIGURE_TOP + PLOT + 34, "order of execution");
}

static void on_host(struct report_figures *to, uint32_t host)
{
	CLEANUP(figure_deinit) struct figure f = { 0 };
	struct trials p = { .r = to->r,
			    .host = host,
			    .metric = to->r->an->metrics[0] };

	measure(&p);
	if (p.n == 0)
		return;
	describe_trials(&p, &f);
	axes(&p, &f.body);
	points(&p, &f.body);
	legend(p.r, &f.body);
	f.height = FIGURE_TOP + PLOT + FIGURE_UNDER +
		   LEGEND * (double)legend_lines(p.r);
	figure_add(to, &f);
}

void figure_trials(struct report_figures *to)
{
	const struct dataset *ds = to->r->ds;

	if (!ds->has_order || to->r->an->nmetrics == 0)
		return;
	for (uint32_t h = 0; h < MIN(ds->hosts.n, (size_t)REPORT_FIGURE_HOSTS);
	     h++)
		on_host(to, h);
}
