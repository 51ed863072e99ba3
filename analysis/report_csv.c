// The report as a tidy table: one line per cell (and host) and per comparison
// (and host), told apart by `kind`. Unknown figures are empty.
#include "analysis/report_parts.h"

#include <math.h>
#include <string.h>

#include "analysis/csv.h"
#include "analysis/words.h"

static void next(struct buf *out)
{
	buf_putc(out, ',');
}

// 17 digits: a double survives the round trip.
static void put_real(struct buf *out, double x)
{
	next(out);
	if (isfinite(x))
		buf_printf(out, "%.17g", x);
}

static void put_count(struct buf *out, size_t n)
{
	next(out);
	buf_printf(out, "%zu", n);
}

static void put_empty(struct buf *out, size_t n)
{
	while (n-- > 0)
		next(out);
}

// A spreadsheet takes such a text for a formula and runs it. An apostrophe
// makes it a text there; no name that vrun gives begins so.
static void put_text(struct buf *out, const char *text)
{
	CLEANUP(buf_deinit) struct buf safe = BUF_INIT;

	if (*text != '\0' && strchr("=+-@\t\r", *text) != NULL)
		buf_putc(&safe, '\'');
	buf_puts(&safe, text);
	csv_put_text(out, buf_str(&safe));
}

static const char header[] =
	"kind,metric,unit,cell,baseline,host,n,n_baseline,failed,invalid,value,"
	"lo,hi,median,sd,cv,p_welch,p_diff,p_holm,p_equivalent,q,verdict,reason\n";

static void put_names(struct buf *out, const char *kind,
		      const struct dataset_metric *m, const char *unit)
{
	buf_puts(out, kind);
	next(out);
	put_text(out, m->name);
	next(out);
	put_text(out, unit);
	next(out);
}

static void put_host(struct buf *out, const struct dataset *ds, uint32_t host)
{
	next(out);
	if (host != DATASET_NONE)
		put_text(out, intern_name(&ds->hosts, host));
}

static void put_cell(struct buf *out, const struct dataset *ds,
		     const struct analysis_cell *c)
{
	const struct dataset_metric *m = &ds->metrics[c->metric];

	put_names(out, "cell", m, m->unit);
	put_text(out, ds->cells[c->cell].label);
	put_empty(out, 1);
	put_host(out, ds, c->host);
	put_count(out, c->n);
	put_empty(out, 1);
	put_count(out, c->failed);
	put_count(out, c->invalid);
	put_real(out, c->d.mean);
	put_real(out, c->mean.lo);
	put_real(out, c->mean.hi);
	put_real(out, c->d.median);
	put_real(out, c->d.sd);
	put_real(out, c->d.cv);
	put_empty(out, 7);
	buf_putc(out, '\n');
}

struct effect_row {
	const char *kind;
	uint32_t host;
	size_t n, n_baseline;
	const struct effect *effect;
};

static void put_effect(struct buf *out, const struct dataset *ds,
		       const struct analysis_comparison *c,
		       const struct effect_row *row)
{
	put_names(out, row->kind, &ds->metrics[c->metric], "%");
	put_text(out, ds->cells[c->cell].label);
	next(out);
	put_text(out, ds->cells[c->baseline].label);
	put_host(out, ds, row->host);
	put_count(out, row->n);
	put_count(out, row->n_baseline);
	put_empty(out, 2);
	put_real(out, row->effect->pct);
	put_real(out, row->effect->lo_pct);
	put_real(out, row->effect->hi_pct);
	put_empty(out, 3);
}

static void put_comparison(struct buf *out, const struct analysis *an,
			   const struct analysis_comparison *c)
{
	const struct dataset *ds = an->ds;
	struct effect_row row = { "comparison", DATASET_NONE, c->n,
				  c->n_baseline, &c->effect };

	put_effect(out, ds, c, &row);
	put_real(out, c->welch.p);
	put_real(out, c->effect.p);
	put_real(out, c->p_holm);
	put_real(out, c->tost.p);
	put_empty(out, 1);
	buf_printf(out, ",%s,%s\n", words_verdict_kind(an, c),
		   verdict_reason_text(&c->verdict));
	for (size_t i = 0; i < c->nhosts && c->nhosts > 1; i++) {
		const struct analysis_host *h = &c->hosts[i];

		row = (struct effect_row){ "comparison on host", h->host, h->n,
					   h->n_baseline, &h->effect };
		put_effect(out, ds, c, &row);
		put_empty(out, 1);
		put_real(out, h->effect.p);
		put_empty(out, 5);
		buf_putc(out, '\n');
	}
}

static void put_secondary(struct buf *out, const struct dataset *ds,
			  const struct analysis_comparison *c)
{
	struct effect_row row = { "also measured", DATASET_NONE, c->n,
				  c->n_baseline, &c->effect };

	put_effect(out, ds, c, &row);
	put_real(out, c->welch.p);
	put_real(out, c->effect.p);
	put_empty(out, 2);
	put_real(out, c->q);
	put_empty(out, 2);
	buf_putc(out, '\n');
}

void report_write_csv(const struct report *r, struct buf *out)
{
	const struct analysis *an = r->an;

	buf_puts(out, header);
	for (size_t i = 0; i < an->ncells; i++)
		put_cell(out, r->ds, &an->cells[i]);
	for (size_t i = 0; i < an->nhost_cells; i++)
		put_cell(out, r->ds, &an->host_cells[i]);
	for (size_t i = 0; i < an->ncomparisons; i++)
		put_comparison(out, an, &an->comparisons[i]);
	for (size_t i = 0; i < an->nsecondary; i++)
		put_secondary(out, r->ds, &an->secondary[i]);
}
