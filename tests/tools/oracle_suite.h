// The cases of a directory of known results, read, and the printing of what
// was computed. Included by oracle.c and its parts: a tool is one program out
// of one source file.
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/csv.h"
#include "analysis/sample.h"
#include "runner/base/alloc.h"
#include "runner/base/arena.h"
#include "runner/base/fd.h"

enum {
	FILE_MAX = 256 << 20,
	INDEX_MAX = 10000000,
	FIELDS = 5, // columns of the widest file
};

// One line of a file.
struct line {
	const char *f[FIELDS]; // "" beyond the last
};

struct lines {
	struct line *v;
	size_t n, cap;
};

struct suite {
	struct arena *arena;
	const char *dir;
	struct lines inputs, params, expected;
};

struct test {
	const struct suite *suite;
	const char *id;
};

// --- reading ------------------------------------------------------------

static inline int read_lines(struct suite *s, const char *path,
			     struct lines *out, struct err *e)
{
	static const struct csv_format commas = { .separator = ',' };
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	CLEANUP(csv_deinit) struct csv csv = { 0 };
	struct csv_row row;
	bool more;

	if (file_read(path, FILE_MAX, &text, ERR_USAGE, e) != 0)
		return -1;
	csv_init(&csv, buf_str(&text), text.len, &commas, path);
	for (;;) {
		struct line *l;

		if (csv_next(&csv, &row, &more, e) != 0)
			return -1;
		if (!more)
			return 0;
		l = arena_push(s->arena, &out->v, &out->n, &out->cap,
			       sizeof *l);
		for (size_t i = 0; i < FIELDS; i++)
			l->f[i] = i < row.n ? arena_strdup(s->arena,
							   row.fields[i].text)
					    : "";
	}
}

static inline const char *param(const struct test *t, const char *key)
{
	const struct lines *l = &t->suite->params;

	for (size_t i = 1; i < l->n; i++)
		if (strcmp(l->v[i].f[0], t->id) == 0 &&
		    strcmp(l->v[i].f[1], key) == 0)
			return l->v[i].f[2];
	return "";
}

// An empty value is no figure: NaN.
static inline double real(const char *text)
{
	char *end;
	double x = strtod(text, &end);

	return end == text || *end != '\0' ? NO_FIGURE : x;
}

static inline double param_real(const struct test *t, const char *key,
				double def)
{
	const char *text = param(t, key);

	return *text == '\0' ? def : real(text);
}

static inline double conf(const struct test *t)
{
	return param_real(t, "conf", 0.95);
}

static inline double alpha(const struct test *t)
{
	return param_real(t, "alpha", 0.05);
}

// key[0], key[1], ... up to the first that is missing.
static inline struct sample param_array(const struct test *t, const char *key)
{
	double *x = NULL;
	size_t n = 0, cap = 0;

	for (;;) {
		double *item;
		const char *text = param(
			t, arena_printf(t->suite->arena, "%s[%zu]", key, n));

		if (*text == '\0')
			return (struct sample){ x, n };
		item = arena_push(t->suite->arena, &x, &n, &cap, sizeof *x);
		*item = real(text);
	}
}

// The lines of one input in the order of the file.
static inline struct lines input(const struct test *t, const char *name)
{
	const struct lines *l = &t->suite->inputs;
	struct lines out = { 0 };

	for (size_t i = 1; i < l->n; i++) {
		struct line *slot;

		if (strcmp(l->v[i].f[0], t->id) != 0 ||
		    strcmp(l->v[i].f[1], name) != 0 || *l->v[i].f[2] == '\0')
			continue;
		slot = arena_push(t->suite->arena, &out.v, &out.n, &out.cap,
				  sizeof *slot);
		*slot = l->v[i];
	}
	return out;
}

static inline size_t input_index(const char *text)
{
	double i = real(text);

	return i >= 0 && i < INDEX_MAX ? (size_t)i : 0;
}

// An input as a vector, or as a matrix row by row of `*columns`.
static inline struct sample matrix(const struct test *t, const char *name,
				   size_t *columns)
{
	struct lines l = input(t, name);
	size_t rows = 0;
	double *x;

	*columns = 1;
	for (size_t i = 0; i < l.n; i++) {
		rows = MAX(rows, input_index(l.v[i].f[2]) + 1);
		*columns = MAX(*columns, input_index(l.v[i].f[3]) + 1);
	}
	x = arena_array(t->suite->arena, rows * *columns + 1, sizeof *x);
	for (size_t i = 0; i < rows * *columns; i++)
		x[i] = NO_FIGURE;
	for (size_t i = 0; i < l.n; i++)
		x[input_index(l.v[i].f[2]) * *columns +
		  input_index(l.v[i].f[3])] = real(l.v[i].f[4]);
	return (struct sample){ x, rows * *columns };
}

// "csv:FILE" as the value of a whole input: a file of the directory, one
// number a line. NULL when the input is given number by number.
static inline const char *input_file(const struct test *t, const char *name)
{
	const struct lines *l = &t->suite->inputs;

	for (size_t i = 1; i < l->n; i++)
		if (strcmp(l->v[i].f[0], t->id) == 0 &&
		    strcmp(l->v[i].f[1], name) == 0 &&
		    strncmp(l->v[i].f[4], "csv:", 4) == 0)
			return l->v[i].f[4] + 4;
	return NULL;
}

static inline struct sample file_vector(const struct test *t, const char *file)
{
	struct suite part = { .arena = t->suite->arena };
	struct lines l = { 0 };
	struct err e = { 0 };
	double *x;

	if (read_lines(&part,
		       arena_printf(part.arena, "%s/%s", t->suite->dir, file),
		       &l, &e) != 0)
		fprintf(stderr, "oracle: %s: %s\n", t->id, e.msg);
	x = arena_array(part.arena, l.n + 1, sizeof *x);
	for (size_t i = 0; i < l.n; i++)
		x[i] = real(l.v[i].f[0]);
	return (struct sample){ x, l.n };
}

static inline struct sample vector(const struct test *t, const char *name)
{
	const char *file = input_file(t, name);
	size_t columns;

	return file != NULL ? file_vector(t, file) : matrix(t, name, &columns);
}

// --- writing ------------------------------------------------------------

static inline void put_text(const struct test *t, const char *field,
			    const char *index, const char *value)
{
	printf("%s,%s,%s,%s\n", t->id, field, index, value);
}

static inline const char *number(const struct test *t, double x)
{
	if (isnan(x))
		return "NaN";
	if (isinf(x))
		return x > 0 ? "Inf" : "-Inf";
	return arena_printf(t->suite->arena, "%.17g", x);
}

struct figure {
	const char *field;
	double value;
};

static inline void put_figures(const struct test *t, const struct figure *f,
			       size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_text(t, f[i].field, "", number(t, f[i].value));
}

#define PUT(t, ...)                                                  \
	put_figures((t), (const struct figure[]){ __VA_ARGS__ },     \
		    sizeof((const struct figure[]){ __VA_ARGS__ }) / \
			    sizeof(struct figure))

static inline void put_bool(const struct test *t, const char *field, bool b)
{
	put_text(t, field, "", b ? "true" : "false");
}

static inline void put_array(const struct test *t, const char *field,
			     const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_text(t, field, arena_printf(t->suite->arena, "%zu", i),
			 number(t, x[i]));
	if (n == 0)
		put_text(t, field, "", "(empty)");
}
