#include "runner/matrix/param.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/base/units.h"
#include "runner/matrix/diag.h"

enum {
	FIGURE_MAX = 64,
	CPU_MAX = 8191,
};

const struct param *param_find(const char *kind, const char *name)
{
	for (size_t i = 0; i < param_count; i++) {
		const struct param *p = &param_table[i];

		if (strcmp(p->name, name) != 0)
			continue;
		if (kind == NULL
			    ? p->kind == NULL
			    : p->kind != NULL && strcmp(p->kind, kind) == 0)
			return p;
	}
	return NULL;
}

const struct param_kind *param_kind_find(const char *name)
{
	for (size_t i = 0; i < param_nkinds; i++) {
		if (strcmp(param_kinds[i].name, name) == 0)
			return &param_kinds[i];
	}
	return NULL;
}

size_t param_nchoices(const struct param *p)
{
	size_t n = 0;

	while (p->choices != NULL && p->choices[n] != NULL)
		n++;
	return n;
}

static const char *choices_text(const struct param *p, struct arena *a)
{
	return diag_list(a, p->choices, param_nchoices(p));
}

static int parse_text(const struct param *p, const char *text, struct arena *a,
		      struct param_value *v, const char **why)
{
	if (text[0] == '\0' && p->def[0] != '\0') {
		*why = arena_printf(a, "has no value (like %s)", p->def);
		return -1;
	}
	v->s = arena_strdup(a, text);
	v->text = v->s;
	if (text[0] == '\0')
		v->text = p->empty != NULL ? p->empty : "default";
	return 0;
}

static int parse_choice(const struct param *p, const char *text,
			struct arena *a, struct param_value *v,
			const char **why)
{
	size_t n = param_nchoices(p);

	for (size_t i = 0; i < n; i++) {
		if (strcmp(p->choices[i], text) == 0) {
			v->s = v->text = p->choices[i];
			return 0;
		}
	}
	*why = arena_printf(a, "unknown value %s (have %s)%s",
			    diag_quote(a, text), choices_text(p, a),
			    diag_hint(a, text, p->choices, n));
	return -1;
}

// One CPU or range "3-7" at *s; moves past it.
static bool cpu_range(const char **s)
{
	unsigned long lo, hi;
	char *end;

	if (!isdigit((unsigned char)**s))
		return false;
	lo = hi = strtoul(*s, &end, 10);
	if (*end == '-') {
		*s = end + 1;
		if (!isdigit((unsigned char)**s))
			return false;
		hi = strtoul(*s, &end, 10);
	}
	*s = end;
	return lo <= hi && hi <= CPU_MAX;
}

static bool is_cpu_list(const char *s)
{
	for (;; s++) {
		if (!cpu_range(&s))
			return false;
		if (*s != ',')
			return *s == '\0';
	}
}

static int parse_cpu_list(const struct param *p, const char *text,
			  struct arena *a, struct param_value *v,
			  const char **why)
{
	if (text[0] == '\0' || is_cpu_list(text))
		return parse_text(p, text, a, v, why);
	*why = arena_printf(a, "%s is no list of CPUs (like 2 or 0-3,8)",
			    diag_quote(a, text));
	return -1;
}

static int parse_args(const struct param *p, const char *text, struct arena *a,
		      struct param_value *v, const char **why)
{
	const char **list = arena_array(a, 1, sizeof(*list));

	(void)p;
	(void)why;
	list[0] = arena_strdup(a, text);
	param_set_list(list, text[0] == '\0' ? 0 : 1, a, v);
	return 0;
}

void param_set_list(const char *const *list, size_t n, struct arena *a,
		    struct param_value *out)
{
	*out = (struct param_value){ .text = "none", .list = list, .nlist = n };
	for (size_t i = 0; i < n; i++)
		out->text =
			i == 0 ? list[0]
			       : arena_printf(a, "%s %s", out->text, list[i]);
}

static void format_figure(const struct param *p, double x, char *out,
			  size_t size)
{
	if (p->type == PARAM_SIZE)
		units_format_size((uint64_t)x, out, size);
	else if (p->type == PARAM_DURATION)
		units_format_duration((uint64_t)x, out, size);
	else if (p->type == PARAM_RATIO)
		snprintf(out, size, "%.10g%%", x * 100);
	else
		snprintf(out, size, "%.10g", x);
}

const char *param_range(const struct param *p, struct arena *a)
{
	char lo[FIGURE_MAX], hi[FIGURE_MAX], mult[FIGURE_MAX];

	if (p->type == PARAM_CHOICE)
		return choices_text(p, a);
	if (p->type == PARAM_BOOL)
		return "on, off";
	if (p->min == p->max)
		return "";
	format_figure(p, p->min, lo, sizeof(lo));
	format_figure(p, p->max, hi, sizeof(hi));
	format_figure(p, p->multiple, mult, sizeof(mult));
	if (p->power_of_2)
		return arena_printf(a, "%s to %s, a power of 2", lo, hi);
	return arena_printf(
		a, p->multiple > 1 ? "%s to %s, a multiple of %s" : "%s to %s",
		lo, hi, mult);
}

static bool has_shape(const struct param *p, uint64_t n)
{
	if (p->power_of_2 && (n & (n - 1)) != 0)
		return false;
	return p->multiple <= 1 || n % (uint64_t)p->multiple == 0;
}

static int check_range(const struct param *p, const char *text, double x,
		       struct arena *a, const char **why)
{
	if (x < p->min || x > p->max) {
		*why = arena_printf(a, "%s is out of range (%s)",
				    diag_quote(a, text), param_range(p, a));
		return -1;
	}
	if (!has_shape(p, (uint64_t)x)) {
		*why = arena_printf(a, "%s does not fit (%s)",
				    diag_quote(a, text), param_range(p, a));
		return -1;
	}
	return 0;
}

static const char *like(enum param_type t)
{
	switch (t) {
	case PARAM_COUNT:
		return "a whole number like 128";
	case PARAM_SIZE:
		return "a size like 4k or 512M";
	case PARAM_DURATION:
		return "a time like 250ms or 3s";
	case PARAM_RATIO:
		return "a share like 2% or 0.02";
	case PARAM_REAL:
		return "a number like 0.5";
	case PARAM_BOOL:
		return "on or off";
	case PARAM_TEXT:
	case PARAM_CHOICE:
	case PARAM_CPU_LIST:
	case PARAM_ARGS:
		break;
	}
	return "text";
}

static int bad_figure(const struct param *p, const char *text,
		      enum units_status st, struct arena *a, const char **why)
{
	if (st == UNITS_EMPTY)
		*why = arena_printf(a, "has no value (%s)", like(p->type));
	else
		*why = arena_printf(a, "%s %s (%s)", diag_quote(a, text),
				    units_status_text(st), like(p->type));
	return -1;
}

static int parse_whole(const struct param *p, const char *text, struct arena *a,
		       struct param_value *v, const char **why)
{
	enum units_status st = UNITS_NOT_A_NUMBER;
	char canonical[FIGURE_MAX];
	uint64_t n = 0;

	if (p->type == PARAM_SIZE)
		st = units_parse_size(text, &n);
	else if (p->type == PARAM_DURATION)
		st = units_parse_duration(text, &n);
	else
		st = units_parse_count(text, &n);
	if (st != UNITS_OK)
		return bad_figure(p, text, st, a, why);
	if (check_range(p, text, (double)n, a, why) < 0)
		return -1;
	v->i = (int64_t)n;
	if (p->type == PARAM_COUNT)
		snprintf(canonical, sizeof(canonical), "%lld", (long long)n);
	else
		format_figure(p, (double)n, canonical, sizeof(canonical));
	v->text = arena_strdup(a, canonical);
	return 0;
}

static int parse_real(const struct param *p, const char *text, struct arena *a,
		      struct param_value *v, const char **why)
{
	enum units_status st = p->type == PARAM_RATIO
				       ? units_parse_ratio(text, &v->x)
				       : units_parse_real(text, &v->x);

	if (st != UNITS_OK)
		return bad_figure(p, text, st, a, why);
	v->x += 0.0; // no negative zero
	v->text = arena_strdup(a, text);
	return check_range(p, text, v->x, a, why);
}

static int parse_bool(const struct param *p, const char *text, struct arena *a,
		      struct param_value *v, const char **why)
{
	enum units_status st;
	bool on = false;

	st = units_parse_bool(text, &on);
	if (st == UNITS_EMPTY)
		return bad_figure(p, text, st, a, why);
	if (st != UNITS_OK) {
		*why = arena_printf(a, "unknown value %s (have on, off)",
				    diag_quote(a, text));
		return -1;
	}
	v->i = on;
	v->text = on ? "on" : "off";
	return 0;
}

typedef int parse_fn(const struct param *p, const char *text, struct arena *a,
		     struct param_value *v, const char **why);
typedef struct js *to_js_fn(const struct param_value *v);

static struct js *text_to_js(const struct param_value *v)
{
	return js_string(v->s);
}

static struct js *whole_to_js(const struct param_value *v)
{
	return js_int(v->i);
}

static struct js *real_to_js(const struct param_value *v)
{
	return js_real(v->x);
}

static struct js *bool_to_js(const struct param_value *v)
{
	return js_bool(v->i != 0);
}

static struct js *args_to_js(const struct param_value *v)
{
	struct js *list = js_array();

	for (size_t i = 0; i < v->nlist; i++)
		js_append(list, js_string(v->list[i]));
	return list;
}

static const struct {
	const char *name;
	parse_fn *parse;
	to_js_fn *to_js;
} types[] = {
	[PARAM_TEXT] = { "text", parse_text, text_to_js },
	[PARAM_CHOICE] = { "choice", parse_choice, text_to_js },
	[PARAM_CPU_LIST] = { "CPU list", parse_cpu_list, text_to_js },
	[PARAM_ARGS] = { "list of text", parse_args, args_to_js },
	[PARAM_COUNT] = { "count", parse_whole, whole_to_js },
	[PARAM_SIZE] = { "size", parse_whole, whole_to_js },
	[PARAM_DURATION] = { "time", parse_whole, whole_to_js },
	[PARAM_BOOL] = { "on/off", parse_bool, bool_to_js },
	[PARAM_RATIO] = { "share", parse_real, real_to_js },
	[PARAM_REAL] = { "number", parse_real, real_to_js },
};

const char *param_type_name(enum param_type t)
{
	return types[t].name;
}

int param_parse(const struct param *p, const char *text, struct arena *a,
		struct param_value *out, const char **why)
{
	struct param_value v = { 0 };

	if (types[p->type].parse(p, text, a, &v, why) < 0)
		return -1;
	*out = v;
	return 0;
}

struct param_value param_default(const struct param *p, struct arena *a)
{
	struct param_value v = { 0 };
	const char *why = NULL;

	if (param_parse(p, p->def, a, &v, &why) < 0)
		abort(); // a bug in the table
	return v;
}

struct js *param_to_js(const struct param *p, const struct param_value *v)
{
	return types[p->type].to_js(v);
}

static bool lists_equal(const struct param_value *a,
			const struct param_value *b)
{
	if (a->nlist != b->nlist)
		return false;
	for (size_t i = 0; i < a->nlist; i++) {
		if (strcmp(a->list[i], b->list[i]) != 0)
			return false;
	}
	return true;
}

// Members that a type does not use are zero in both.
bool param_equal(const struct param_value *a, const struct param_value *b)
{
	if ((a->s == NULL) != (b->s == NULL) || a->i != b->i)
		return false;
	if (a->s != NULL && strcmp(a->s, b->s) != 0)
		return false;
	return a->x <= b->x && a->x >= b->x && lists_equal(a, b);
}

const char *param_condition(const struct param *p, struct arena *a)
{
	if (p->needs.param == NULL)
		return "";
	return arena_printf(
		a, p->needs.is_not ? "not with %s: %s" : "only with %s: %s",
		p->needs.param, p->needs.value);
}
