#include "runner/agent/field.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct decode {
	const struct field *field;
	const struct js *value;
	const char *where;
	struct arena *a;
	void *to;
};

static int wrong(const struct decode *d, const char *what, struct err *e)
{
	return err_set(e, ERR_USAGE, "%s: %s: %s", d->where, d->field->key,
		       what);
}

static int out_of_range(const struct decode *d, struct err *e)
{
	return err_set(e, ERR_USAGE, "%s: %s: %.17g is not in [%.17g, %.17g]",
		       d->where, d->field->key, js_real_value(d->value, NAN),
		       d->field->min, d->field->max);
}

static bool in_range(const struct decode *d, double x)
{
	return x >= d->field->min && x <= d->field->max;
}

static int decode_int(const struct decode *d, struct err *e)
{
	if (js_kind(d->value) != JS_INT)
		return wrong(d, "is no whole number", e);
	if (!in_range(d, (double)js_int_value(d->value, 0)))
		return out_of_range(d, e);
	*(int64_t *)d->to = js_int_value(d->value, 0);
	return 0;
}

static int decode_real(const struct decode *d, struct err *e)
{
	if (js_kind(d->value) != JS_INT && js_kind(d->value) != JS_REAL)
		return wrong(d, "is no number", e);
	if (!in_range(d, js_real_value(d->value, NAN)))
		return out_of_range(d, e);
	*(double *)d->to = js_real_value(d->value, 0);
	return 0;
}

static int decode_bool(const struct decode *d, struct err *e)
{
	if (js_kind(d->value) != JS_BOOL)
		return wrong(d, "is neither true nor false", e);
	*(bool *)d->to = js_bool_value(d->value, false);
	return 0;
}

static bool is_text(const struct js *value)
{
	return js_str(value) != NULL && strlen(js_str(value)) <= FIELD_TEXT_MAX;
}

static int decode_text(const struct decode *d, struct err *e)
{
	if (!is_text(d->value))
		return wrong(d, "is no text of at most 4096 bytes", e);
	*(const char **)d->to = arena_strdup(d->a, js_str(d->value));
	return 0;
}

static int decode_choice(const struct decode *d, struct err *e)
{
	CLEANUP(buf_deinit) struct buf have = BUF_INIT;
	const char *const *c = d->field->choices;

	for (int i = 0; c[i] != NULL; i++) {
		if (is_text(d->value) && strcmp(c[i], js_str(d->value)) == 0) {
			*(int *)d->to = i;
			return 0;
		}
		buf_printf(&have, "%s%s", i ? ", " : "", c[i]);
	}
	return err_set(
		e, ERR_USAGE, "%s: %s: unknown value \"%.64s\" (have %s)",
		d->where, d->field->key,
		is_text(d->value) ? js_str(d->value) : "?", buf_str(&have));
}

static int decode_list(const struct decode *d, struct err *e)
{
	size_t n = js_len(d->value);
	const char **list;

	if (js_kind(d->value) != JS_ARRAY || n > FIELD_LIST_MAX)
		return wrong(d, "is no list of at most 256 texts", e);
	list = arena_array(d->a, n + 1, sizeof(*list));
	for (size_t i = 0; i < n; i++) {
		if (!is_text(js_at(d->value, i)))
			return wrong(d, "holds something that is no text", e);
		list[i] = arena_strdup(d->a, js_str(js_at(d->value, i)));
	}
	*(const char ***)d->to = list;
	return 0;
}

static int (*const decoders[])(const struct decode *d, struct err *e) = {
	[FIELD_INT] = decode_int,	[FIELD_REAL] = decode_real,
	[FIELD_BOOL] = decode_bool,	[FIELD_TEXT] = decode_text,
	[FIELD_CHOICE] = decode_choice, [FIELD_LIST] = decode_list,
};

static const struct field *find(const struct field_set *set, const char *key)
{
	for (size_t i = 0; i < set->n; i++) {
		if (strcmp(set->fields[i].key, key) == 0)
			return &set->fields[i];
	}
	return NULL;
}

int field_decode(const struct js *obj, const struct field_set *set, void *out,
		 struct err *e)
{
	const char *key;
	struct js *value;

	JS_FOREACH (obj, key, value) {
		const struct field *f = find(set, key);
		struct decode d = { .field = f,
				    .value = value,
				    .where = set->where,
				    .a = set->a };

		if (strcmp(key, "kind") == 0 || strcmp(key, "name") == 0)
			continue;
		if (f == NULL)
			return err_set(e, ERR_USAGE,
				       "%s: unknown parameter \"%.64s\"",
				       set->where, key);
		d.to = (char *)out + f->offset;
		if (decoders[f->type](&d, e) < 0)
			return -1;
	}
	return 0;
}
