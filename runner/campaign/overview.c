#include "runner/campaign/overview.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/base/plain.h"
#include "runner/base/units.h"

enum {
	CELL_MAX = 64,
	FINDING_INDENT = 8,
};

struct row {
	const struct js *host;
	const struct findings *findings;
	uint64_t takes_ns;
};

static const char *name_of(const struct row *r)
{
	return js_get_str(r->host, "host", "?");
}

static void put_host(const struct row *r, char *out, size_t size)
{
	snprintf(out, size, "%s", name_of(r));
}

static size_t count(const struct row *r, enum finding_level level)
{
	size_t n = 0;

	for (size_t i = 0; i < r->findings->n; i++) {
		const struct finding *one = &r->findings->items[i];

		n += one->level == level && strcmp(one->host, name_of(r)) == 0;
	}
	return n;
}

static void put_state(const struct row *r, char *out, size_t size)
{
	size_t refuse = count(r, FINDING_REFUSE), warn = count(r, FINDING_WARN);

	if (js_get(r->host, "missing") != NULL)
		snprintf(out, size, "missing");
	else if (refuse > 0)
		snprintf(out, size, "%zu refuse", refuse);
	else if (warn > 0)
		snprintf(out, size, "%zu warn", warn);
	else
		snprintf(out, size, "ok");
}

static void put_kernel(const struct row *r, char *out, size_t size)
{
	const struct js *facts = js_get(r->host, "facts");

	snprintf(out, size, "%s", js_get_str(facts, "kernel", "-"));
}

// As QEMU itself says it, which the agent's finding holds:
// "PATH: QEMU emulator version 7.2.22 (Debian ...)".
static void put_qemu(const struct row *r, char *out, size_t size)
{
	static const char before[] = " version ";

	snprintf(out, size, "-");
	for (size_t i = 0; i < r->findings->n; i++) {
		const struct finding *one = &r->findings->items[i];
		const char *at = strstr(one->what, before);

		if (at == NULL || one->level != FINDING_OK ||
		    strcmp(one->check, "qemu") != 0 ||
		    strcmp(one->host, name_of(r)) != 0)
			continue;
		at += strlen(before);
		snprintf(out, size, "%.*s", (int)strcspn(at, " "), at);
	}
}

static void put_agent(const struct row *r, char *out, size_t size)
{
	const struct js *agent = js_get(r->host, "agent");

	snprintf(out, size, "%s", js_get_str(agent, "vrun", "-"));
}

static void put_cpus(const struct row *r, char *out, size_t size)
{
	int64_t n = js_get_int(js_get(r->host, "facts"), "cpus", 0);

	snprintf(out, size, n > 0 ? "%lld" : "-", (long long)n);
}

static void put_memory(const struct row *r, char *out, size_t size)
{
	int64_t bytes = js_get_int(js_get(r->host, "facts"), "memory_bytes", 0);

	snprintf(out, size, bytes > 0 ? "%.4gG" : "-",
		 (double)bytes / (1 << 30));
}

// Rounded up to seconds, from an hour on to minutes.
static void put_takes(const struct row *r, char *out, size_t size)
{
	uint64_t step = NS_PER_S;

	if (r->takes_ns > 3600 * step)
		step *= 60;
	units_format_duration((r->takes_ns + step - 1) / step * step, out,
			      size);
}

// Widths and the blanks between them come to 80 columns.
static const struct column {
	const char *title;
	int width;
	bool right;
	void (*put)(const struct row *r, char *out, size_t size);
} columns[] = {
	{ "host", 16, false, put_host },     { "state", 10, false, put_state },
	{ "kernel", 16, false, put_kernel }, { "qemu", 8, false, put_qemu },
	{ "agent", 6, false, put_agent },    { "cpus", 4, true, put_cpus },
	{ "memory", 6, true, put_memory },   { "takes", 7, true, put_takes },
};

// What does not fit is cut; its last column says so.
static void put_cell(const struct column *c, char *text, struct buf *out)
{
	size_t len = plain_text(text);

	if (len > (size_t)c->width) {
		text[c->width - 1] = '~';
		text[c->width] = '\0';
	}
	buf_printf(out, c->right ? "%*s" : "%-*s", c->width, text);
}

static void put_row(const struct row *r, struct buf *out)
{
	for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
		char text[CELL_MAX];

		if (r == NULL)
			snprintf(text, sizeof(text), "%s", columns[i].title);
		else
			columns[i].put(r, text, sizeof(text));
		if (i > 0)
			buf_putc(out, ' ');
		put_cell(&columns[i], text, out);
	}
	buf_putc(out, '\n');
}

static bool is_same(const struct finding *a, const struct finding *b)
{
	return a->level == b->level && strcmp(a->check, b->check) == 0 &&
	       strcmp(a->what, b->what) == 0;
}

static bool is_told(const struct findings *f, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (is_same(&f->items[k], &f->items[i]))
			return true;
	}
	return false;
}

// "lab1, lab2, lab3 and 61 more"
static void put_names(const struct findings *f, const struct finding *one,
		      struct buf *out)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (!is_same(&f->items[i], one))
			continue;
		if (n++ < OVERVIEW_NAMES_MAX)
			buf_printf(out, "%s%s", n > 1 ? ", " : "",
				   f->items[i].host);
	}
	if (n > OVERVIEW_NAMES_MAX)
		buf_printf(out, " and %zu more", n - OVERVIEW_NAMES_MAX);
}

// Broken at blanks, with lines after the first indented.
static void put_wrapped(const char *text, struct buf *out)
{
	size_t start = out->len;
	const char *lead = "";

	for (size_t n; *text != '\0'; text += n + (text[n] == ' ')) {
		n = strcspn(text, " ");
		if (out->len - start + n + 1 >= OVERVIEW_COLUMNS) {
			buf_putc(out, '\n');
			start = out->len;
			buf_printf(out, "%*s", FINDING_INDENT, "");
			lead = "";
		}
		buf_printf(out, "%s%.*s", lead, (int)n, text);
		lead = " ";
	}
	buf_putc(out, '\n');
}

static void put_finding(const struct findings *f, const struct finding *one,
			struct buf *out)
{
	CLEANUP(buf_deinit) struct buf line = BUF_INIT;

	buf_printf(&line, "%-7s ", finding_level_name(one->level));
	put_names(f, one, &line);
	buf_printf(&line, ": %s: %s", one->check, one->what);
	if (one->fix != NULL)
		buf_printf(&line, "; fix: %s", one->fix);
	line.len = plain_text(line.data);
	put_wrapped(line.data, out);
}

void overview_print(const struct js *hosts, const uint64_t *takes_ns,
		    const struct findings *f, struct buf *out)
{
	put_row(NULL, out);
	for (size_t i = 0; i < js_len(hosts); i++) {
		struct row r = { js_at(hosts, i), f, takes_ns[i] };

		put_row(&r, out);
	}
	buf_putc(out, '\n');
	for (int level = FINDING_REFUSE; level > FINDING_OK; level--) {
		for (size_t i = 0; i < f->n; i++) {
			if (f->items[i].level == (enum finding_level)level &&
			    !is_told(f, i))
				put_finding(f, &f->items[i], out);
		}
	}
}
