#include "runner/matrix/yaml.h"

#include <stdint.h>
#include <string.h>
#include <yaml.h>

struct anchor {
	const char *name;
	struct ynode *node; // NULL while it is being read
};

struct reader {
	yaml_parser_t parser;
	struct arena *arena;
	struct diags *d;
	const char *file, *data;
	size_t len;
	struct anchor *anchors;
	size_t nanchors, anchors_cap;
	unsigned depth;
};

static struct place place_of(const struct reader *r, yaml_mark_t m)
{
	return (struct place){ r->file, (int)m.line + 1, (int)m.column + 1 };
}

static struct place place_of_byte(const struct reader *r, size_t offset)
{
	struct place at = { r->file, 1, 1 };

	for (size_t i = 0; i < offset && i < r->len; i++) {
		at.col++;
		if (r->data[i] == '\n') {
			at.line++;
			at.col = 1;
		}
	}
	return at;
}

static const char *line_start(const struct reader *r, int line)
{
	const char *p = r->data, *end = r->data + r->len;

	while (--line > 0 && p != NULL) {
		p = memchr(p, '\n', (size_t)(end - p));
		p = p == NULL ? NULL : p + 1;
	}
	return p == NULL ? end : p;
}

// The column of a tab in the white space that starts a line, or 0.
static int tab_column(const struct reader *r, int line)
{
	const char *start = line_start(r, line), *p = start;

	while (p < r->data + r->len && *p == ' ')
		p++;
	return p < r->data + r->len && *p == '\t' ? (int)(p - start) + 1 : 0;
}

static void report_encoding(struct reader *r)
{
	const yaml_parser_t *p = &r->parser;
	struct place at = place_of_byte(r, p->problem_offset);

	if (strncmp(p->problem, "control", strlen("control")) != 0)
		diag_add(r->d, at, "not UTF-8 text: %s", p->problem);
	else
		diag_add(r->d, at, "control character 0x%02x: a binary file?",
			 (unsigned)p->problem_value);
}

static void report_syntax(struct reader *r)
{
	const yaml_parser_t *p = &r->parser;
	struct place at = place_of(r, p->problem_mark);
	int tab = tab_column(r, at.line);

	if (p->error == YAML_READER_ERROR) {
		report_encoding(r);
		return;
	}
	if (tab > 0) {
		at.col = tab;
		diag_add(r->d, at,
			 "tab in the indentation: indent with spaces");
		return;
	}
	if (p->context != NULL)
		diag_add(r->d, at, "bad YAML: %s (%s of line %zu)", p->problem,
			 p->context, p->context_mark.line + 1);
	else
		diag_add(r->d, at, "bad YAML: %s", p->problem);
}

// The caller deletes the event. 0 after a finding.
static int next_event(struct reader *r, yaml_event_t *ev)
{
	if (yaml_parser_parse(&r->parser, ev))
		return 1;
	report_syntax(r);
	return 0;
}

static struct ynode *node_new(struct reader *r, enum ynode_kind kind,
			      yaml_mark_t m)
{
	struct ynode *n = arena_alloc(r->arena, sizeof(*n));

	n->kind = kind;
	n->at = place_of(r, m);
	n->text = "";
	n->size = 1;
	return n;
}

static struct anchor *find_anchor(struct reader *r, const char *name)
{
	for (size_t i = r->nanchors; i-- > 0;) {
		if (strcmp(r->anchors[i].name, name) == 0)
			return &r->anchors[i];
	}
	return NULL;
}

// The index of the new anchor, or SIZE_MAX when the node has none.
static size_t begin_anchor(struct reader *r, const yaml_char_t *name)
{
	struct anchor *a;

	if (name == NULL)
		return SIZE_MAX;
	a = arena_push(r->arena, &r->anchors, &r->nanchors, &r->anchors_cap,
		       sizeof(*r->anchors));
	a->name = arena_strdup(r->arena, (const char *)name);
	return r->nanchors - 1;
}

static struct ynode *resolve_alias(struct reader *r, const yaml_event_t *ev)
{
	const char *name = (const char *)ev->data.alias.anchor;
	const struct anchor *a = find_anchor(r, name);
	struct place at = place_of(r, ev->start_mark);

	if (a == NULL)
		diag_add(r->d, at, "alias %s: no anchor of this name before it",
			 diag_quote(r->arena, name));
	else if (a->node == NULL)
		diag_add(r->d, at, "alias %s: stands inside its own anchor",
			 diag_quote(r->arena, name));
	return a == NULL ? NULL : a->node;
}

static struct ynode *build_scalar(struct reader *r, const yaml_event_t *ev)
{
	struct ynode *n = node_new(r, YNODE_SCALAR, ev->start_mark);
	const char *text = (const char *)ev->data.scalar.value;

	n->text = arena_strndup(r->arena, text, ev->data.scalar.length);
	if (strlen(n->text) == ev->data.scalar.length)
		return n;
	diag_add(r->d, n->at, "text with a NUL character in it");
	return NULL;
}

static bool size_fits(struct reader *r, struct ynode *n,
		      const struct ynode *add)
{
	n->size += add->size;
	if (n->size <= YNODE_NODES_MAX)
		return true;
	diag_add(r->d, n->at,
		 "too large: more than %d nodes once aliases are expanded",
		 YNODE_NODES_MAX);
	return false;
}

static struct ynode *build_node(struct reader *r, yaml_event_t *ev);

// The next node, or NULL: at the end of its list or map (`*ended`), or after
// a finding.
static struct ynode *build_next(struct reader *r, yaml_event_type_t end,
				bool *ended)
{
	struct ynode *n = NULL;
	yaml_event_t ev;

	*ended = false;
	if (!next_event(r, &ev))
		return NULL;
	if (ev.type == end)
		*ended = true;
	else
		n = build_node(r, &ev);
	yaml_event_delete(&ev);
	return n;
}

static bool build_list(struct reader *r, struct ynode *list)
{
	size_t cap = 0;
	bool ended;

	for (;;) {
		struct ynode *item =
			build_next(r, YAML_SEQUENCE_END_EVENT, &ended);
		struct ynode **slot;

		if (item == NULL)
			return ended;
		slot = arena_push(r->arena, &list->values, &list->n, &cap,
				  sizeof(*list->values));
		*slot = item;
		if (!size_fits(r, list, item))
			return false;
	}
}

static const struct ynode *find_key(const struct ynode *map, const char *key)
{
	for (size_t i = 0; i < map->n; i++) {
		if (strcmp(map->keys[i]->text, key) == 0)
			return map->keys[i];
	}
	return NULL;
}

static bool add_pair(struct reader *r, struct ynode *map, struct ynode *key,
		     struct ynode *value)
{
	const struct ynode *old = find_key(map, key->text);

	if (old != NULL) {
		diag_add(r->d, key->at,
			 "duplicate key %s: it stands in line %d already",
			 diag_quote(r->arena, key->text), old->at.line);
		return true; // go on: further findings are worth telling
	}
	ynode_push(r->arena, map, key, value);
	return size_fits(r, map, key) && size_fits(r, map, value);
}

static bool merge_map(struct reader *r, struct ynode *map,
		      const struct ynode *from)
{
	if (from->kind != YNODE_MAP) {
		diag_add(r->d, from->at,
			 "\"<<\" merges a map or a list of maps, not %s",
			 ynode_kind_name(from));
		return false;
	}
	for (size_t i = 0; i < from->n; i++) {
		if (find_key(map, from->keys[i]->text) == NULL &&
		    !add_pair(r, map, from->keys[i], from->values[i]))
			return false;
	}
	return true;
}

// Keys of the map itself win; of several maps, the earlier one.
static bool merge(struct reader *r, struct ynode *map, const struct ynode *from)
{
	if (from->kind != YNODE_LIST)
		return merge_map(r, map, from);
	for (size_t i = 0; i < from->n; i++) {
		if (!merge_map(r, map, from->values[i]))
			return false;
	}
	return true;
}

static bool build_map(struct reader *r, struct ynode *map)
{
	struct ynode *merged = NULL, *key, *value;
	bool ended;

	while ((key = build_next(r, YAML_MAPPING_END_EVENT, &ended)) != NULL) {
		if (key->kind != YNODE_SCALAR) {
			diag_add(r->d, key->at, "a key must be text, not %s",
				 ynode_kind_name(key));
			return false;
		}
		value = build_next(r, YAML_NO_EVENT, &ended);
		if (value == NULL)
			return false;
		if (strcmp(key->text, "<<") == 0 && merged == NULL)
			merged = value;
		else if (!add_pair(r, map, key, value))
			return false;
	}
	return ended && (merged == NULL || merge(r, map, merged));
}

static struct ynode *build_collection(struct reader *r, const yaml_event_t *ev)
{
	bool is_map = ev->type == YAML_MAPPING_START_EVENT;
	struct ynode *n =
		node_new(r, is_map ? YNODE_MAP : YNODE_LIST, ev->start_mark);
	bool ok;

	if (r->depth >= YNODE_DEPTH_MAX) {
		diag_add(r->d, n->at, "nested deeper than %d levels",
			 YNODE_DEPTH_MAX);
		return NULL;
	}
	r->depth++;
	ok = is_map ? build_map(r, n) : build_list(r, n);
	r->depth--;
	return ok ? n : NULL;
}

struct properties {
	const yaml_char_t *anchor, *tag;
};

static struct properties properties_of(const yaml_event_t *ev)
{
	if (ev->type == YAML_SCALAR_EVENT)
		return (struct properties){ ev->data.scalar.anchor,
					    ev->data.scalar.tag };
	if (ev->type == YAML_SEQUENCE_START_EVENT)
		return (struct properties){ ev->data.sequence_start.anchor,
					    ev->data.sequence_start.tag };
	return (struct properties){ ev->data.mapping_start.anchor,
				    ev->data.mapping_start.tag };
}

static struct ynode *build_node(struct reader *r, yaml_event_t *ev)
{
	struct properties props;
	struct ynode *n;
	size_t anchor;

	if (ev->type == YAML_ALIAS_EVENT)
		return resolve_alias(r, ev);
	props = properties_of(ev);
	if (props.tag != NULL) {
		diag_add(r->d, place_of(r, ev->start_mark),
			 "tag %s: tags have no use here, take it away",
			 diag_quote(r->arena, (const char *)props.tag));
		return NULL;
	}
	anchor = begin_anchor(r, props.anchor);
	n = ev->type == YAML_SCALAR_EVENT ? build_scalar(r, ev)
					  : build_collection(r, ev);
	if (anchor != SIZE_MAX)
		r->anchors[anchor].node = n;
	return n;
}

// Skips an event that must come next, such as the start of the stream.
static yaml_event_type_t skip_event(struct reader *r, struct place *at)
{
	yaml_event_type_t type;
	yaml_event_t ev;

	if (!next_event(r, &ev))
		return YAML_NO_EVENT;
	type = ev.type;
	*at = place_of(r, ev.start_mark);
	yaml_event_delete(&ev);
	return type;
}

static struct ynode *read_document(struct reader *r)
{
	yaml_event_type_t type;
	struct ynode *root;
	struct place at;
	bool ended;

	if (skip_event(r, &at) != YAML_STREAM_START_EVENT)
		return NULL;
	type = skip_event(r, &at);
	if (type == YAML_STREAM_END_EVENT)
		diag_add(r->d, (struct place){ r->file, 1, 1 }, "is empty");
	if (type != YAML_DOCUMENT_START_EVENT)
		return NULL;
	root = build_next(r, YAML_NO_EVENT, &ended);
	if (root == NULL || skip_event(r, &at) != YAML_DOCUMENT_END_EVENT)
		return NULL;
	type = skip_event(r, &at);
	if (type == YAML_DOCUMENT_START_EVENT)
		diag_add(r->d, at, "a second document: only one is read");
	return type == YAML_STREAM_END_EVENT ? root : NULL;
}

// Cheap tests that tell what the file is before libyaml sees it.
static bool looks_like_text(struct reader *r)
{
	const char *nul = memchr(r->data, '\0', r->len);

	if (r->len > YNODE_BYTES_MAX) {
		diag_add(r->d, (struct place){ r->file, 0, 0 },
			 "larger than the limit of %d bytes", YNODE_BYTES_MAX);
		return false;
	}
	if (nul == NULL)
		return true;
	diag_add(r->d, place_of_byte(r, (size_t)(nul - r->data)),
		 "a NUL byte: a binary file, or not UTF-8?");
	return false;
}

struct ynode *ynode_parse(const char *file, const void *data, size_t len,
			  struct diags *d)
{
	struct reader r = { .arena = d->arena,
			    .d = d,
			    .file = arena_strdup(d->arena, file),
			    .data = data,
			    .len = len };
	struct ynode *root;

	if (len == 0) {
		diag_add(d, (struct place){ r.file, 1, 1 }, "is empty");
		return NULL;
	}
	if (!looks_like_text(&r))
		return NULL;
	if (!yaml_parser_initialize(&r.parser))
		abort(); // fails only for want of memory
	yaml_parser_set_input_string(&r.parser, data, len);
	root = read_document(&r);
	yaml_parser_delete(&r.parser);
	return root;
}
