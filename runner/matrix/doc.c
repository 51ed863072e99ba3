#include "runner/matrix/doc.h"

#include <string.h>

#include "runner/base/arena.h"
#include "runner/matrix/inventory.h"
#include "runner/matrix/read.h"

enum {
	TEXT_COLUMNS = 78,
	NAME_COLUMNS = 18,
};

static const char *form_name(enum read_form f)
{
	switch (f) {
	case READ_TEXT:
		return "text";
	case READ_COUNT:
		return "count";
	case READ_DURATION:
		return "time";
	case READ_RATIO:
		return "share";
	case READ_FLAG:
		return "on/off";
	case READ_CHOICE:
		return "choice";
	case READ_NAMES:
		return "name or list";
	case READ_MAP:
	case READ_SECTION:
		return "map";
	case READ_LIST:
	case READ_GROUPS:
		return "list";
	}
	return "";
}

static const char *key_range(const struct read_key *k, struct arena *a)
{
	struct param like = { .type = PARAM_COUNT,
			      .min = k->min,
			      .max = k->max };

	if (k->form == READ_CHOICE) {
		like.type = PARAM_CHOICE;
		like.choices = k->choices;
	}
	return param_range(&like, a);
}

// One entry of either table, in words.
struct entry {
	const char *name, *type, *range, *def, *help, *more;
};

static struct entry entry_of_key(const struct read_key *k, struct arena *a)
{
	struct entry e = { .name = k->name,
			   .type = form_name(k->form),
			   .range = key_range(k, a),
			   .def = k->def != NULL ? k->def : "",
			   .help = k->help,
			   .more = k->required ? "required" : "" };

	if (k->section[0] != '\0')
		e.name = arena_printf(a, "%s.%s", k->section, k->name);
	return e;
}

static struct entry entry_of_param(const struct param *p, struct arena *a)
{
	struct entry e = { .name = p->name,
			   .type = param_type_name(p->type),
			   .range = param_range(p, a),
			   .def = p->def,
			   .help = p->help,
			   .more = param_condition(p, a) };

	if (p->check != NULL)
		e.more = arena_printf(a, "%s%schecked: %s", e.more,
				      e.more[0] ? "; " : "", p->check);
	return e;
}

typedef void print_fn(struct buf *out, const struct entry *e);

static void print_keys(struct buf *out, print_fn *print, struct arena *a)
{
	for (size_t i = 0; i < read_nkeys; i++) {
		struct entry e = entry_of_key(&read_keys[i], a);

		print(out, &e);
	}
}

static bool same_kind(const struct param *p, const char *kind)
{
	return kind == NULL ? p->kind == NULL
			    : p->kind != NULL && strcmp(p->kind, kind) == 0;
}

static void print_params(struct buf *out, const char *kind, bool host,
			 print_fn *print, struct arena *a)
{
	for (size_t i = 0; i < param_count; i++) {
		struct entry e;

		if (!same_kind(&param_table[i], kind) ||
		    (param_table[i].scope == PARAM_HOST) != host)
			continue;
		e = entry_of_param(&param_table[i], a);
		print(out, &e);
	}
}

// Words of `s` from column `indent` on, broken before the last column.
static void wrap(struct buf *out, const char *s, size_t indent)
{
	size_t at = indent;

	while (*s != '\0') {
		size_t n = strcspn(s, " ");

		if (at + n + 1 > TEXT_COLUMNS && at > indent) {
			buf_printf(out, "\n%*s", (int)indent, "");
			at = indent;
		}
		buf_printf(out, "%s%.*s", at > indent ? " " : "", (int)n, s);
		at += n + (at > indent);
		s += n + (s[n] == ' ');
	}
	buf_putc(out, '\n');
}

static void print_text_entry(struct buf *out, const struct entry *e)
{
	CLEANUP(buf_deinit) struct buf facts = BUF_INIT;

	buf_printf(out, "  %-*s", NAME_COLUMNS - 2, e->name);
	if (strlen(e->name) > NAME_COLUMNS - 3)
		buf_printf(out, "\n%*s", NAME_COLUMNS, "");
	wrap(out, e->help, NAME_COLUMNS);
	buf_printf(&facts, "(%s", e->type);
	if (e->range[0] != '\0')
		buf_printf(&facts, ": %s", e->range);
	if (e->def[0] != '\0')
		buf_printf(&facts, "; default %s", e->def);
	if (e->more[0] != '\0')
		buf_printf(&facts, "; %s", e->more);
	buf_putc(&facts, ')');
	buf_printf(out, "%*s", NAME_COLUMNS, "");
	wrap(out, buf_str(&facts), NAME_COLUMNS);
}

static void print_markdown_entry(struct buf *out, const struct entry *e)
{
	buf_printf(out, "| `%s` | %s", e->name, e->type);
	if (e->range[0] != '\0')
		buf_printf(out, ": %s", e->range);
	buf_puts(out, " | ");
	if (e->def[0] != '\0')
		buf_printf(out, "`%s`", e->def);
	buf_printf(out, " | %s", e->help);
	if (e->more[0] != '\0')
		buf_printf(out, " (%s)", e->more);
	buf_puts(out, " |\n");
}

static void metrics_text(struct buf *out, const struct param_kind *kind)
{
	buf_printf(out, "\n  Metrics of %s\n", kind->name);
	for (size_t i = 0; i < kind->nmetrics; i++) {
		const struct param_metric *m = &kind->metrics[i];

		buf_printf(out, "    %-14s %-6s %-8s %s\n", m->name,
			   m->unit != NULL ? m->unit : "unit",
			   better_name(m->better), m->help);
	}
}

static void metrics_markdown(struct buf *out, const struct param_kind *kind)
{
	buf_printf(out,
		   "\nMetrics of `%s`:\n\n| metric | unit | better | what |\n"
		   "|---|---|---|---|\n",
		   kind->name);
	for (size_t i = 0; i < kind->nmetrics; i++) {
		const struct param_metric *m = &kind->metrics[i];

		buf_printf(out, "| `%s.%s` | %s | %s | %s |\n", kind->name,
			   m->name,
			   m->unit != NULL ? m->unit : "as `unit` says",
			   better_name(m->better), m->help);
	}
}

static void heading_text(struct buf *out, const char *title, const char *help)
{
	buf_printf(out, "\n%s: %s\n", title, help);
}

static void heading_markdown(struct buf *out, const char *title,
			     const char *help)
{
	buf_printf(out,
		   "\n### %s\n\n%s.\n\n| name | value | default | what |\n"
		   "|---|---|---|---|\n",
		   title, help);
}

// How a document looks; what it says is the same for all of them.
struct style {
	void (*heading)(struct buf *out, const char *title, const char *help);
	print_fn *entry;
	void (*metrics)(struct buf *out, const struct param_kind *kind);
};

static void print_hosts(struct buf *out, const struct style *s, struct arena *a)
{
	s->heading(out, "Hosts",
		   "what " INVENTORY_FILE " says of each host, under hosts");
	for (size_t i = 0; i < inventory_nkeys; i++) {
		struct entry e = entry_of_param(&inventory_keys[i].like, a);

		s->entry(out, &e);
	}
}

static void print_all(struct buf *out, const struct style *s)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();

	s->heading(out, "Keys",
		   "what a matrix says; times are like 250ms, "
		   "sizes like 4k, shares like 2%");
	print_keys(out, s->entry, a);
	s->heading(out, "Parameters of the VM",
		   "each may stand under fixed or, as a list, under factors");
	print_params(out, NULL, false, s->entry, a);
	s->heading(out, "Parameters of the host",
		   "under host-settings or, as a list, factors");
	print_params(out, NULL, true, s->entry, a);
	for (size_t i = 0; i < param_nkinds; i++) {
		const struct param_kind *kind = &param_kinds[i];

		s->heading(out, arena_printf(a, "Workload %s", kind->name),
			   kind->help);
		print_params(out, kind->name, false, s->entry, a);
		s->metrics(out, kind);
	}
	print_hosts(out, s, a);
}

static const struct style text_style = { heading_text, print_text_entry,
					 metrics_text };

void doc_text(struct buf *out)
{
	buf_puts(out, "A matrix is a YAML file. matrices/ holds examples, "
		      "matrices/README.md explains.\n");
	print_all(out, &text_style);
}

void doc_hosts(struct buf *out)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();

	buf_puts(out, INVENTORY_FILE
		 " stands beside the matrix or in ~/.config/vrun. It has two "
		 "keys:\nhosts, a map of names to what is known of each, and "
		 "groups, a map of names\nto lists of hosts and groups, or to "
		 "{tags: [...]}. All of it may be left out.\n");
	print_hosts(out, &text_style, a);
	buf_puts(out,
		 "\nWhat `ssh -G` says of a destination counts, and so "
		 "~/.ssh/config. With\nIdentitiesOnly the key files come "
		 "first; where one has a passphrase every key of\nssh-agent "
		 "is tried after them, not that one alone.\n");
}

void doc_markdown(struct buf *out)
{
	static const struct style style = { heading_markdown,
					    print_markdown_entry,
					    metrics_markdown };

	print_all(out, &style);
}
