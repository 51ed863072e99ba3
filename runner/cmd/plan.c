// vrun plan MATRIX: what would be measured, in which order. Touches no host.
#include "runner/cmd/cmd.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runner/base/clock.h"
#include "runner/base/plain.h"
#include "runner/base/units.h"
#include "runner/cmd/power.h"
#include "runner/cmd/source.h"

enum {
	LINE_CHARS = 78,
	ID_SHOWN = 12,
	DURATION_CHARS = 64,
};

static const struct cmd_option plan_options[] = {
	SOURCE_OPTIONS,
	{ "json", 0, NULL, "the plan's canonical form, on one line" },
	{ "power", 'p', "NOISE|DIR",
	  "what it can detect: NOISE is a CV like 2%, DIR a campaign" },
	{ NULL, 0, NULL, NULL },
};

static void print_cells(const struct plan *p, struct buf *out)
{
	buf_puts(out, "\nCells (* is a baseline)\n");
	for (size_t i = 0; i < p->ncells; i++)
		buf_printf(out, "  %3zu%c %s\n", i,
			   plan_is_baseline(p, &p->cells[i]) ? '*' : ' ',
			   p->cells[i].label);
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void print_size(const struct plan *p, struct buf *out)
{
	uint64_t estimate = plan_estimate_ns(p, PLAN_BOOT_NS);
	size_t boots = plan_boots(p);
	char time[DURATION_CHARS];

	// Whole seconds: it is an estimate.
	estimate += NS_PER_S - 1;
	units_format_duration(estimate - estimate % NS_PER_S, time,
			      sizeof(time));
	buf_printf(out, "%zu trial%s", p->ntrials, plural(p->ntrials));
	if (boots > 0)
		buf_printf(out, " in %zu boot%s", boots, plural(boots));
	buf_printf(out, ": %u round%s of %zu cell%s", p->rounds,
		   plural(p->rounds), p->ncells, plural(p->ncells));
	if (p->warmup_rounds > 0)
		buf_printf(out, " after %u to warm up", p->warmup_rounds);
	if (p->repeat > 1)
		buf_printf(out, ", %u times in each boot", p->repeat);
	buf_printf(out, "\non %zu host%s%s, about %s%s\n", p->nhosts,
		   plural(p->nhosts), p->share ? " that share the rounds" : "",
		   time, boots > 0 ? " at 3s a boot" : "");
}

static void print_stop(const struct plan *p, struct buf *out)
{
	buf_printf(out,
		   "stops early: looks from round %u on; ends when every "
		   "comparison is\ndifferent",
		   p->stop.min_rounds);
	if (p->stop.margin)
		buf_puts(out, ", equivalent");
	if (p->stop.precision > 0)
		buf_printf(out, ", known to %g %%", p->stop.precision * 100);
	buf_printf(out, " or at round %u\n", p->rounds);
}

static void print_head(const struct plan *p, struct buf *out)
{
	static const char *const orders[] = { [PLAN_BLOCKS] = "blocks",
					      [PLAN_WILLIAMS] = "williams",
					      [PLAN_SEQUENTIAL] =
						      "sequential" };

	buf_printf(out, "%s: %s\n", p->name, p->question);
	buf_printf(out, "plan %.*s, seed %" PRIu64 " (%s), order %s\n",
		   ID_SHOWN, p->id, p->seed, p->rng, orders[p->order]);
	buf_puts(out, "compares");
	for (size_t i = 0; i < p->nmetrics; i++)
		buf_printf(out, "%s %s", i ? "," : "", p->metrics[i]);
	if (p->has_margin)
		buf_printf(out, "; a difference below %g %% does not matter",
			   p->margin * 100);
	buf_putc(out, '\n');
	if (p->has_stop)
		print_stop(p, out);
}

// A line of the order under way, broken where it gets too long.
struct line {
	struct buf *out;
	size_t start; // of the line, in out
	size_t indent;
};

static void line_break(struct line *l, size_t need)
{
	if (l->out->len - l->start + need <= LINE_CHARS)
		return;
	buf_putc(l->out, '\n');
	l->start = l->out->len;
	buf_printf(l->out, "%*s", (int)l->indent, "");
}

static bool starts_row(const struct plan *p, size_t i)
{
	const struct plan_trial *t = &p->trials[i];

	return i == 0 || t->host != t[-1].host || t->block != t[-1].block;
}

static void start_row(const struct plan *p, const struct plan_trial *t,
		      struct line *l)
{
	bool new_host = t->id == 0 || t->host != t[-1].host;

	if (new_host && p->nhosts > 1)
		buf_printf(l->out, "%s  %s", t->id ? "\n" : "",
			   p->hosts[t->host]);
	if (t->id > 0 || p->nhosts > 1)
		buf_putc(l->out, '\n');
	l->start = l->out->len;
	if (t->block < p->warmup_rounds)
		buf_puts(l->out, "  warm-up ");
	else
		buf_printf(l->out, "  %7u ", t->block - p->warmup_rounds + 1);
	l->indent = l->out->len - l->start;
}

static void print_order(const struct plan *p, struct buf *out)
{
	struct line l = { .out = out };

	buf_printf(out, "\nOrder (round, then cells%s)\n",
		   plan_boots(p) > 0 ? "; brackets hold a boot" : "");
	for (size_t i = 0; i < p->ntrials; i++) {
		const struct plan_trial *t = &p->trials[i];
		bool vm = plan_has_vm(&p->cells[t->cell]);
		char text[32];
		int n = snprintf(text, sizeof(text), " %s%u%s",
				 vm && t->first_in_boot ? "[" : "", t->cell,
				 vm && t->last_in_boot ? "]" : "");

		if (starts_row(p, i))
			start_row(p, t, &l);
		line_break(&l, (size_t)n);
		buf_puts(out, text);
	}
	buf_putc(out, '\n');
}

static void print_note(const char *text, struct buf *out)
{
	struct line l = { .out = out, .start = out->len, .indent = 3 };

	buf_puts(out, "  -");
	while (*text != '\0') {
		size_t n = strcspn(text, " ");

		line_break(&l, n + 1);
		buf_printf(out, " %.*s", (int)n, text);
		text += n + (text[n] == ' ');
	}
	buf_putc(out, '\n');
}

static void print_notes(const struct plan *p, struct buf *out)
{
	if (p->nnotes > 0)
		buf_puts(out, "\nNotes\n");
	for (size_t i = 0; i < p->nnotes; i++)
		print_note(p->notes[i], out);
}

static void print_text(const struct plan *p, struct buf *out)
{
	print_head(p, out);
	print_size(p, out);
	print_cells(p, out);
	print_order(p, out);
	print_notes(p, out);
	out->len = plain_lines(out->data);
}

static void print_json(const struct plan *p, struct buf *out)
{
	CLEANUP(js_unrefp) struct js *j = plan_to_js(p);

	js_print_canonical(j, out);
	buf_putc(out, '\n');
}

static int print_power(const struct cmd_args *args, const struct plan *plan,
		       struct buf *out, struct err *e)
{
	CLEANUP(power_freep) struct power *power = NULL;
	CLEANUP(js_unrefp) struct js *j = NULL;

	if (power_new(plan, cmd_value(args, "power"), &power, e) < 0)
		return -1;
	if (cmd_has(args, "json")) {
		j = power_to_js(power);
		js_print_pretty(j, out);
		return 0;
	}
	print_head(plan, out);
	print_size(plan, out);
	power_print(power, out);
	out->len = plain_lines(out->data);
	return 0;
}

static int run(const struct cmd_args *args, int *status, struct err *e)
{
	CLEANUP(source_deinit) struct source source = { 0 };
	CLEANUP(buf_deinit) struct buf out = BUF_INIT;

	if (source_load(args, &source, e) < 0)
		return -1;
	if (cmd_has(args, "power")) {
		if (print_power(args, source.plan, &out, e) < 0)
			return -1;
	} else if (cmd_has(args, "json")) {
		print_json(source.plan, &out);
	} else {
		print_text(source.plan, &out);
	}
	fputs(buf_str(&out), stdout);
	*status = CMD_OK;
	return 0;
}

const struct cmd cmd_plan = {
	.name = "plan",
	.operands = "MATRIX",
	.summary = "show what would be measured, in which order",
	.details =
		"Reads and checks the matrix, expands it into cells and\n"
		"orders the trials. No host is touched. The same matrix, seed\n"
		"and overrides give the same plan, byte for byte, on every\n"
		"machine; its id is a hash of its canonical form.\n\n"
		"--power says before the night what the plan can detect: the\n"
		"least difference at 80 % power, and the rounds that 1 % and\n"
		"the margin take; for an earlier campaign also if its noise\n"
		"was underestimated, and for design.stop the rounds to be\n"
		"expected. A CV takes trials of a round as independent, which\n"
		"is cautious: a campaign of the same kind, such as one with\n"
		"--aa, tells how much a round takes out.",
	.min_operands = 1,
	.max_operands = 1,
	.options = plan_options,
	.run = run,
};
