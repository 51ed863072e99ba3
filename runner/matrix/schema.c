#include "runner/matrix/doc.h"

#include <string.h>

#include "runner/matrix/inventory.h"
#include "runner/matrix/read.h"

static struct js *type_of(const char *type)
{
	struct js *j = js_object();

	js_set_str(j, "type", type);
	return j;
}

static struct js *list_of(struct js *items)
{
	struct js *j = type_of("array");

	js_set(j, "items", items);
	js_set_int(j, "minItems", 1);
	return j;
}

static struct js *any_of(struct js *a, struct js *b)
{
	struct js *j = js_object(), *list = js_array();

	js_append(list, a);
	js_append(list, b);
	js_set(j, "anyOf", list);
	return j;
}

static struct js *names_to_js(const char *const *names)
{
	struct js *list = js_array();

	for (size_t i = 0; names != NULL && names[i] != NULL; i++)
		js_append(list, js_string(names[i]));
	return list;
}

static struct js *choice_of(const char *const *names)
{
	struct js *j = js_object();

	js_set(j, "enum", names_to_js(names));
	return j;
}

// What stands for one value. An editor's YAML reader makes numbers and truth
// values of plain scalars, so these are allowed where text is read.
static struct js *scalar(void)
{
	static const char *const kinds[] = { "string", "number", "boolean",
					     NULL };
	struct js *j = js_object();

	js_set(j, "type", names_to_js(kinds));
	return j;
}

static struct js *value_schema(const struct param *p)
{
	if (p->type == PARAM_CHOICE)
		return choice_of(p->choices);
	if (p->type == PARAM_ARGS)
		return any_of(scalar(), list_of(scalar()));
	return scalar();
}

static void describe(struct js *j, const char *help, const char *def)
{
	js_set_str(j, "description", help);
	if (def != NULL && def[0] != '\0')
		js_set_str(j, "default", def);
}

static struct js *closed_object(void)
{
	struct js *j = type_of("object");

	js_set(j, "properties", js_object());
	js_set_bool(j, "additionalProperties", false);
	return j;
}

static void set_property(struct js *object, const char *name, struct js *value)
{
	js_set(js_get(object, "properties"), name, value);
}

static void add_params(struct js *object, const char *kind)
{
	for (size_t i = 0; i < param_count; i++) {
		const struct param *p = &param_table[i];
		struct js *value;

		if (param_find(kind, p->name) != p)
			continue;
		value = value_schema(p);
		describe(value, p->help, p->def);
		set_property(object, p->name, value);
	}
}

static struct js *workload_schema(const struct param_kind *kind)
{
	static const char *const null_or_map[] = { "object", "null", NULL };
	struct js *params = closed_object(), *one = closed_object();

	js_set(params, "type", names_to_js(null_or_map));
	set_property(params, "name", type_of("string"));
	add_params(params, kind->name);
	describe(params, kind->help, NULL);
	set_property(one, kind->name, params);
	js_set_int(one, "minProperties", 1);
	return one;
}

static struct js *workloads_schema(void)
{
	struct js *item = js_object(), *kinds = js_array();
	struct js *bare = js_object(), *names = js_array();

	for (size_t i = 0; i < param_nkinds; i++) {
		js_append(kinds, workload_schema(&param_kinds[i]));
		js_append(names, js_string(param_kinds[i].name));
	}
	js_set(bare, "enum", names);
	js_append(kinds, bare);
	js_set(item, "anyOf", kinds);
	return list_of(item);
}

// Parameters under their bare names; "workload.parameter" by pattern. As
// factors they are lists, whose items may carry a label.
static struct js *params_schema(bool lists)
{
	struct js *j = closed_object(), *dotted = js_object();

	for (size_t i = 0; i < param_count; i++) {
		const struct param *p = &param_table[i];
		struct js *value = value_schema(p);

		if (lists)
			value = list_of(any_of(value, type_of("object")));
		describe(value, p->help, NULL);
		set_property(j, p->name, value);
	}
	js_set(dotted, "^[A-Za-z][A-Za-z0-9_-]*\\.",
	       lists ? list_of(js_object()) : js_object());
	js_set(j, "patternProperties", dotted);
	return j;
}

static struct js *section_schema(const char *section);

static struct js *key_schema(const struct read_key *k)
{
	switch (k->form) {
	case READ_CHOICE:
		return choice_of(k->choices);
	case READ_NAMES:
		return any_of(type_of("string"), list_of(type_of("string")));
	case READ_GROUPS:
		return list_of(
			any_of(type_of("string"), list_of(type_of("string"))));
	case READ_LIST:
		return strcmp(k->name, "workloads") == 0
			       ? workloads_schema()
			       : list_of(type_of("object"));
	case READ_MAP:
		if (strcmp(k->name, "fixed") == 0)
			return params_schema(false);
		if (strcmp(k->name, "factors") == 0)
			return params_schema(true);
		return type_of("object");
	case READ_SECTION:
		return section_schema(k->opens);
	case READ_TEXT:
	case READ_COUNT:
	case READ_DURATION:
	case READ_RATIO:
	case READ_FLAG:
		break;
	}
	return scalar();
}

static struct js *section_schema(const char *section)
{
	struct js *j = closed_object(), *required = js_array();

	for (size_t i = 0; i < read_nkeys; i++) {
		const struct read_key *k = &read_keys[i];
		struct js *value;

		if (strcmp(k->section, section) != 0)
			continue;
		value = key_schema(k);
		describe(value, k->help, k->def);
		set_property(j, k->name, value);
		if (k->required)
			js_append(required, js_string(k->name));
	}
	js_set(j, "required", required);
	return j;
}

// A document: keys that begin with "x-" are its writer's own.
static struct js *document(struct js *j, const char *title)
{
	struct js *own = js_object();

	js_set_str(j, "$schema",
		   "https://json-schema.org/draft/2020-12/schema");
	js_set_str(j, "title", title);
	js_set(own, "^x-", js_object());
	js_set(j, "patternProperties", own);
	return j;
}

struct js *doc_schema(void)
{
	return document(section_schema(""), "vrun matrix");
}

// A map whose keys are the writer's.
static struct js *map_of(struct js *value)
{
	static const char *const null_or_map[] = { "object", "null", NULL };
	struct js *j = js_object();

	js_set(j, "type", names_to_js(null_or_map));
	js_set(j, "additionalProperties", value);
	return j;
}

static struct js *host_schema(void)
{
	struct js *j = closed_object();

	for (size_t i = 0; i < inventory_nkeys; i++) {
		const struct param *p = &inventory_keys[i].like;
		struct js *value = value_schema(p);

		describe(value, p->help, p->def);
		set_property(j, p->name, value);
	}
	return any_of(j, type_of("null"));
}

static struct js *group_schema(void)
{
	struct js *j = closed_object();

	set_property(j, "tags", any_of(scalar(), list_of(scalar())));
	return any_of(list_of(type_of("string")), j);
}

struct js *doc_hosts_schema(void)
{
	struct js *j = closed_object();

	set_property(j, "hosts", map_of(host_schema()));
	set_property(j, "groups", map_of(group_schema()));
	return document(j, "vrun " INVENTORY_FILE);
}
