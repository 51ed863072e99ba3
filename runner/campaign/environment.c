#include "runner/campaign/environment.h"

#include <stdbool.h>
#include <string.h>

#include "runner/base/buf.h"
#include "runner/base/clock.h"
#include "runner/base/compiler.h"

const char *const environment_steady[] = {
	"hostname",	"kernel",  "microcode",	  "cpu",      "cpus",
	"memory_bytes", "cmdline", "governor",	  "no_turbo", "boost",
	"smt",		"thp",	   "clocksource", NULL,
};

struct js *environment_add_session(const struct js *former, struct js *hosts,
				   const char *vrun_version)
{
	struct js *all = former != NULL ? js_copy(former) : js_object();
	struct js *session = js_object(), *sessions = js_get(all, "sessions");
	char utc[CLOCK_STAMP_MAX];

	clock_format_utc(clock_wall_ns(), utc);
	js_set_str(session, "utc", utc);
	js_set_str(session, "vrun", vrun_version);
	js_set(session, "hosts", hosts);
	if (js_kind(sessions) != JS_ARRAY) {
		sessions = js_array();
		js_set_int(all, "v", HOSTS_VERSION);
		js_set(all, "sessions", sessions);
	}
	js_append(sessions, session);
	return all;
}

static bool holds(const struct js *list, const struct js *value)
{
	for (size_t i = 0; i < js_len(list); i++) {
		if (js_equal(js_at(list, i), value))
			return true;
	}
	return false;
}

// A second value beside the first ones.
static void add_value(struct js *into, const char *key, struct js *old,
		      const struct js *value)
{
	struct js *list = old;

	if (js_kind(old) != JS_ARRAY) {
		list = js_array();
		js_append(list, js_ref(old));
		js_set(into, key, list);
	}
	if (holds(list, value) || js_len(list) > ENVIRONMENT_VALUES_MAX)
		return;
	if (js_len(list) == ENVIRONMENT_VALUES_MAX)
		js_append(list, js_string("and others"));
	else
		js_append(list, js_ref(value));
}

static void merge(struct js *into, const struct js *from)
{
	struct js *value;
	const char *key;

	JS_FOREACH (from, key, value) {
		struct js *old = js_get(into, key);

		if (old == NULL)
			js_set(into, key, js_copy(value));
		else if (js_kind(old) == JS_OBJECT &&
			 js_kind(value) == JS_OBJECT)
			merge(old, value);
		else if (!js_equal(old, value))
			add_value(into, key, old, value);
	}
}

// A copy without what a reader of the figures need not know: the kernel's
// long list of flaws that this CPU does not have.
static struct js *condense(const struct js *facts)
{
	struct js *copy = js_copy(facts), *value;
	const struct js *flaws = js_get(facts, "mitigations");
	const char *key;

	JS_FOREACH (flaws, key, value) {
		const char *text = js_str(value);

		if (text != NULL && strcmp(text, "Not affected") == 0)
			js_del(js_get(copy, "mitigations"), key);
	}
	return copy;
}

static void merge_host(struct js *env, const struct js *host)
{
	const char *name = js_get_str(host, "host", "?");
	CLEANUP(js_unrefp) struct js *facts = NULL;

	if (js_kind(js_get(host, "facts")) != JS_OBJECT)
		return;
	facts = condense(js_get(host, "facts"));
	if (js_get(env, name) == NULL)
		js_set(env, name, js_object());
	merge(js_get(env, name), facts);
}

// Leaves out what is of one attempt and not of the environment.
static void merge_section(struct js *env, const char *key,
			  const struct js *facts)
{
	static const char *const fleeting[] = {
		"pid", "argv", "command",   "command_line",
		"dir", "ios",  "window_ns", "fio_command",
	};
	CLEANUP(js_unrefp) struct js *lasting = js_object();
	struct js *part = condense(facts);

	for (size_t i = 0; i < ARRAY_LEN(fleeting); i++)
		js_del(part, fleeting[i]);
	js_set(lasting, key, part);
	merge(env, lasting);
}

void environment_init(struct environment *env, const struct js *hosts)
{
	const struct js *sessions = js_get(hosts, "sessions");

	*env = (struct environment){ .all = js_object() };
	for (size_t i = 0; i < js_len(sessions); i++) {
		const struct js *list = js_get(js_at(sessions, i), "hosts");

		for (size_t k = 0; k < js_len(list); k++)
			merge_host(env->all, js_at(list, k));
	}
}

void environment_deinit(struct environment *env)
{
	for (size_t i = 0; i < ENVIRONMENT_SEEN; i++)
		js_unref(env->sections[i]);
	js_unref(env->facts);
	js_unref(env->all);
	*env = (struct environment){ 0 };
}

static bool is_seen(const struct environment *env, const struct js *section)
{
	for (size_t i = 0; i < ENVIRONMENT_SEEN; i++)
		if (env->sections[i] == section)
			return true;
	return false;
}

static void add_section(struct environment *env, const char *key,
			struct js *section)
{
	if (is_seen(env, section))
		return;
	merge_section(env->all, key, section);
	js_unref(env->sections[env->next]);
	env->sections[env->next] = js_ref(section);
	env->next = (env->next + 1) % ENVIRONMENT_SEEN;
}

void environment_add(struct environment *env, struct js *facts)
{
	struct js *section;
	const char *key;

	if (facts == NULL || facts == env->facts)
		return;
	JS_FOREACH (facts, key, section)
		add_section(env, key, section);
	js_unref(env->facts);
	env->facts = js_ref(facts);
}

struct js *environment_take(struct environment *env)
{
	return TAKE_PTR(env->all);
}

void environment_note(struct environment_notes *notes, const char *text)
{
	arena_push(notes->arena, &notes->text, &notes->n, &notes->cap,
		   sizeof(*notes->text));
	notes->text[notes->n - 1] = text;
}

static bool is_noted(const struct dataset *ds, const char *text)
{
	for (size_t i = 0; i < ds->nnotes; i++) {
		if (strcmp(ds->notes[i].text, text) == 0)
			return true;
	}
	return false;
}

static void warn(const char *host, const struct js *finding,
		 const struct dataset *said, struct environment_notes *notes)
{
	const char *what = js_get_str(finding, "what", "");

	if (strcmp(js_get_str(finding, "level", ""), "warn") != 0 ||
	    is_noted(said, what))
		return;
	environment_note(notes,
			 arena_printf(notes->arena, "%s: %s: %s", host,
				      js_get_str(finding, "check", ""), what));
}

void environment_warnings(const struct js *hosts, const struct dataset *said,
			  struct environment_notes *notes)
{
	const struct js *sessions = js_get(hosts, "sessions");
	const struct js *last = js_at(sessions, js_len(sessions) - 1);
	const struct js *list = js_get(last, "hosts");

	for (size_t i = 0; i < js_len(list); i++) {
		const struct js *found = js_get(js_at(list, i), "findings");
		const char *host = js_get_str(js_at(list, i), "host", "?");

		for (size_t k = 0; k < js_len(found); k++)
			warn(host, js_at(found, k), said, notes);
	}
}

static void change(const char *host, const char *fact, const struct js *values,
		   struct environment_notes *notes)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	buf_printf(&text, "%s: %s changed between sessions:", host, fact);
	for (size_t i = 0; i < js_len(values); i++) {
		buf_puts(&text, i > 0 ? ", then " : " ");
		js_print(js_at(values, i), &text);
	}
	environment_note(notes, arena_strdup(notes->arena, buf_str(&text)));
}

void environment_changes(const struct js *env, const char *const *hosts,
			 size_t nhosts, struct environment_notes *notes)
{
	for (size_t i = 0; i < nhosts; i++) {
		const struct js *facts = js_get(env, hosts[i]);

		for (const char *const *k = environment_steady; *k; k++) {
			const struct js *values = js_get(facts, *k);

			if (js_kind(values) == JS_ARRAY)
				change(hosts[i], *k, values, notes);
		}
	}
}
