#include "runner/proto/message.h"

#include <string.h>

#include "runner/proto/frame.h"

enum {
	MESSAGE_FIELDS_MAX = 8
};

struct field {
	const char *name;
	enum js_kind kind;
};

// What a type needs: only these fields, of these kinds, are promised to the
// handlers. JS_REAL stands for any number.
static const struct shape {
	const char *name;
	struct field fields[MESSAGE_FIELDS_MAX];
} shapes[] = {
	[MESSAGE_HELLO] = { "hello", { { "version", JS_INT } } },
	[MESSAGE_FACTS] = { "facts", { { "id", JS_INT } } },
	[MESSAGE_PREFLIGHT] = { "preflight",
				{ { "id", JS_INT }, { "needs", JS_OBJECT } } },
	[MESSAGE_FINDING] = { "finding",
			      { { "id", JS_INT },
				{ "check", JS_STRING },
				{ "level", JS_STRING },
				{ "what", JS_STRING } } },
	[MESSAGE_TRIAL] = { "trial",
			    { { "id", JS_INT },
			      { "trial", JS_INT },
			      { "attempt", JS_INT },
			      { "boot", JS_INT },
			      { "last", JS_BOOL },
			      { "vm", JS_OBJECT },
			      { "workloads", JS_ARRAY } } },
	[MESSAGE_RUN] = { "run",
			  { { "id", JS_INT }, { "workloads", JS_ARRAY } } },
	[MESSAGE_HOOK] = { "hook",
			   { { "id", JS_INT },
			     { "hook", JS_OBJECT },
			     { "around", JS_BOOL } } },
	[MESSAGE_END] = { "end", { { "id", JS_INT } } },
	[MESSAGE_STAGE] = { "stage",
			    { { "id", JS_INT }, { "stage", JS_STRING } } },
	[MESSAGE_ARTIFACT] = { "artifact", { { "id", JS_INT } } },
	[MESSAGE_RESULT] = { "result",
			     { { "id", JS_INT }, { "result", JS_OBJECT } } },
	[MESSAGE_SETTINGS] = { "settings",
			       { { "id", JS_INT }, { "apply", JS_OBJECT } } },
	[MESSAGE_RESTORE] = { "restore",
			      { { "id", JS_INT }, { "force", JS_BOOL } } },
	[MESSAGE_STOP] = { "stop", { { "id", JS_INT } } },
	[MESSAGE_DONE] = { "done", { { "id", JS_INT } } },
	[MESSAGE_ERROR] = { "error",
			    { { "id", JS_INT }, { "message", JS_STRING } } },
	[MESSAGE_PING] = { "ping", { { NULL, JS_NULL } } },
	[MESSAGE_BYE] = { "bye", { { NULL, JS_NULL } } },
};

const char *message_type_name(enum message_type t)
{
	return shapes[t].name;
}

void message_deinit(struct message *m)
{
	js_unref(m->body);
	m->body = NULL;
}

static int find_type(const char *name, enum message_type *t)
{
	for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
		if (strcmp(shapes[i].name, name) == 0) {
			*t = (enum message_type)i;
			return 0;
		}
	}
	return -1;
}

static bool fits(const struct js *value, enum js_kind kind)
{
	return js_kind(value) == kind &&
	       (kind != JS_STRING ||
		strlen(js_str(value)) <= MESSAGE_STRING_MAX);
}

static int check_fields(const struct js *body, const struct shape *shape,
			const char *from, struct err *e)
{
	for (size_t i = 0; i < MESSAGE_FIELDS_MAX; i++) {
		const struct field *f = &shape->fields[i];

		if (f->name == NULL)
			break;
		if (!fits(js_get(body, f->name), f->kind))
			return err_set(e, ERR_HOST,
				       "%s: message \"%s\" lacks a proper "
				       "field \"%s\"",
				       from, shape->name, f->name);
	}
	return 0;
}

int message_decode(const char *text, size_t len, const char *from,
		   struct message *out, struct err *e)
{
	CLEANUP(js_unrefp) struct js *body = NULL;
	const char *type;
	enum message_type t;

	body = js_parse(text, len, from, e);
	if (body == NULL) {
		e->kind = ERR_HOST;
		return -1;
	}
	type = js_get_str(body, "type", NULL);
	if (js_kind(body) != JS_OBJECT || type == NULL)
		return err_set(e, ERR_HOST, "%s: a message without a type",
			       from);
	if (find_type(type, &t) < 0)
		return err_set(e, ERR_HOST,
			       "%s: unknown message type \"%.32s\"", from,
			       type);
	if (check_fields(body, &shapes[t], from, e) < 0)
		return -1;
	out->type = t;
	out->id = js_get_int(body, "id", 0);
	out->body = TAKE_PTR(body);
	return 0;
}

struct js *message_new(enum message_type t, int64_t id)
{
	struct js *msg = js_object();

	js_set_str(msg, "type", message_type_name(t));
	if (id != 0)
		js_set_int(msg, "id", id);
	return msg;
}

void message_append(struct buf *out, struct js *msg)
{
	CLEANUP(buf_deinit) struct buf body = BUF_INIT;

	js_print(msg, &body);
	frame_append(out, body.data, body.len);
	js_unref(msg);
}

bool message_wants_fio(const struct js *workloads)
{
	for (size_t i = 0; i < js_len(workloads); i++) {
		const char *engine =
			js_get_str(js_at(workloads, i), "engine", "");

		if (strcmp(engine, "fio") == 0)
			return true;
	}
	return false;
}
