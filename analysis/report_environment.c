// What the figures were measured on: all facts as rows of dotted names, and
// the few of them that a screen has room for.
#include "analysis/report_parts.h"

#include <string.h>

enum {
	ENVIRONMENT_ROWS = 200,
	SETUP_HOSTS = 3, // described one by one
	TOPIC_PARTS = 5,
};

static void scalar_text(const struct js *j, struct buf *out)
{
	if (js_kind(j) == JS_STRING)
		buf_puts(out, js_str(j));
	else
		js_print(j, out);
}

// Nested objects become rows of dotted names; arrays stay on one line.
static void flatten(struct report_table *t, const struct js *j,
		    const char *path)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	const char *key;
	struct js *val;

	if (report_table_rows(t) == ENVIRONMENT_ROWS)
		return;
	if (js_kind(j) != JS_OBJECT) {
		scalar_text(j, &text);
		report_table_add(t, path);
		report_table_take(t, &text);
		return;
	}
	JS_FOREACH (j, key, val)
		flatten(t, val,
			path[0] == '\0'
				? key
				: arena_printf(t->arena, "%s.%s", path, key));
}

static const struct report_column fact_columns[] = {
	{ "fact", false },
	{ "value", false },
};

void report_table_environment(const struct report *r, struct report_table *t)
{
	t->columns = fact_columns;
	t->ncolumns = ARRAY_LEN(fact_columns);
	if (r->environment != NULL)
		flatten(t, r->environment, "");
}

// --- on a screen ---

enum form {
	FORM_TEXT,
	FORM_BYTES, // as MiB or GiB
	FORM_ON_0,  // 1: off, 0: on
	FORM_ON_1,  // 1: on, 0: off
};

struct part {
	const char *key, *before, *after;
	enum form form;
};

// One line: those of its parts that are known.
struct topic {
	const char *title;
	struct part parts[TOPIC_PARTS];
};

static const struct topic of_hosts[] = {
	{ "CPU",
	  { { "cpu", "", "", FORM_TEXT },
	    { "cpus", "", " online", FORM_TEXT },
	    { "memory_bytes", "", " of memory", FORM_BYTES } } },
	{ "kernel",
	  { { "kernel", "", "", FORM_TEXT },
	    { "microcode", "microcode ", "", FORM_TEXT } } },
	{ "frequency",
	  { { "governor", "governor ", "", FORM_TEXT },
	    { "no_turbo", "turbo ", "", FORM_ON_0 },
	    { "boost", "boost ", "", FORM_ON_1 } } },
};

static const struct topic of_qemu = { "QEMU",
				      { { "version", "", "", FORM_TEXT },
					{ "accel", "accel ", "",
					  FORM_TEXT } } };

static const struct topic of_guest = { "guest",
				       { { "kernel", "kernel ", "", FORM_TEXT },
					 { "cpus", "CPUs: ", "", FORM_TEXT },
					 { "memory_bytes", "", " of memory",
					   FORM_BYTES } } };

static const struct topic of_workloads = {
	"engine", { { "engine", "", "", FORM_TEXT } }
};

static void bytes_text(const struct js *j, struct buf *out)
{
	double mib = (double)js_int_value(j, 0) / (1 << 20);

	if (mib >= 10 * 1024)
		buf_printf(out, "%.1f GiB", mib / 1024);
	else
		buf_printf(out, "%.0f MiB", mib);
}

static void switch_text(const struct js *j, const char *on, struct buf *out)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	scalar_text(j, &text);
	buf_puts(out, strcmp(buf_str(&text), on) == 0 ? "on" : "off");
}

static void value_text(const struct js *j, enum form form, struct buf *out)
{
	if (js_kind(j) == JS_STRING && form == FORM_BYTES)
		form = FORM_TEXT; // "and others"
	switch (form) {
	case FORM_TEXT:
		scalar_text(j, out);
		break;
	case FORM_BYTES:
		bytes_text(j, out);
		break;
	case FORM_ON_0:
		switch_text(j, "0", out);
		break;
	case FORM_ON_1:
		switch_text(j, "1", out);
		break;
	}
}

// A fact that was not the same in all trials is a list of its values.
static void part_text(const struct js *j, const struct part *p, struct buf *out)
{
	buf_puts(out, p->before);
	if (js_kind(j) != JS_ARRAY)
		value_text(j, p->form, out);
	for (size_t i = 0; i < js_len(j) && js_kind(j) == JS_ARRAY; i++) {
		buf_puts(out, i == 0 ? "" : " or ");
		value_text(js_at(j, i), p->form, out);
	}
	buf_puts(out, p->after);
}

static void topic_row(struct report_table *t, const struct js *facts,
		      const struct topic *topic, const char *name)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	for (size_t i = 0; i < TOPIC_PARTS; i++) {
		const struct part *p = &topic->parts[i];
		const struct js *j = p->key ? js_get(facts, p->key) : NULL;

		if (j == NULL)
			continue;
		buf_puts(&text, text.len > 0 ? ", " : "");
		part_text(j, p, &text);
	}
	if (text.len == 0)
		return;
	report_table_add(t, name);
	report_table_take(t, &text);
}

static void host_rows(struct report_table *t, const struct js *facts,
		      const char *host)
{
	for (size_t i = 0; i < ARRAY_LEN(of_hosts); i++)
		topic_row(t, facts, &of_hosts[i],
			  arena_printf(t->arena, "%s%s%s", host,
				       host[0] != '\0' ? " " : "",
				       of_hosts[i].title));
}

static size_t hosts_rows(const struct report *r, struct report_table *t)
{
	size_t known = 0;

	for (uint32_t h = 0; h < r->ds->hosts.n; h++) {
		const char *host = intern_name(&r->ds->hosts, h);
		const struct js *facts = js_get(r->environment, host);

		if (facts != NULL && known++ < SETUP_HOSTS)
			host_rows(t, facts, host);
	}
	return known;
}

void report_table_setup(const struct report *r, struct report_table *t)
{
	const struct js *env = r->environment, *qemu, *facts;
	const char *key;
	struct js *val;
	size_t hosts;

	t->columns = fact_columns;
	t->ncolumns = ARRAY_LEN(fact_columns);
	if (env == NULL)
		return;
	hosts = hosts_rows(r, t);
	qemu = js_get(env, "qemu");
	facts = js_get(env, "guest");
	topic_row(t, qemu, &of_qemu, of_qemu.title);
	if (qemu != NULL) // else the guest is the host
		topic_row(t, facts, &of_guest, of_guest.title);
	JS_FOREACH (env, key, val)
		topic_row(t, val, &of_workloads,
			  arena_printf(t->arena, "%s %s", key,
				       of_workloads.title));
	if (t->ntext == 0)
		return;
	report_table_add(t, "more");
	report_table_add(
		t, hosts > SETUP_HOSTS
			   ? arena_printf(t->arena,
					  "%zu more hosts, and all facts, are "
					  "in --format md and json",
					  hosts - SETUP_HOSTS)
			   : "all facts are in --format md and json");
}
