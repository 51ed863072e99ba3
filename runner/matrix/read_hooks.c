// hooks: what runs at which stage of a campaign, and where.
#include "runner/matrix/read.h"

#include <ctype.h>
#include <string.h>

#include "runner/base/clock.h"

enum {
	HOOKS_MAX = 64,
	ARGS_MAX = 64,
	ENV_MAX = 64,
	TEXT_MAX = 4096,
};

#define TIMEOUT_DEFAULT (60 * NS_PER_S)

static const char *const places[] = {
	[MATRIX_ON_HOST] = "host",
	[MATRIX_ON_CONTROLLER] = "controller",
	[MATRIX_ON_GUEST] = "guest",
	[MATRIX_ON_COUNT] = NULL,
};

// host, controller, guest
const struct matrix_hook_stage matrix_hook_stages[] = {
	{ "before-campaign",
	  { true, true, false },
	  "once, before anything runs there" },
	{ "before-block",
	  { true, false, false },
	  "before the first trial of a round" },
	{ "before-boot", { true, false, false }, "before a VM is started" },
	{ "after-boot",
	  { true, false, true },
	  "when the guest is up, before its treatment is checked" },
	{ "around-workload",
	  { true, false, true },
	  "started before the workloads, told when they have ended" },
	{ "after-trial",
	  { true, false, true },
	  "when a trial has ended, in any way" },
	{ "after-campaign",
	  { true, true, false },
	  "at the end, also of an interrupted one" },
};
const size_t matrix_nhook_stages = ARRAY_LEN(matrix_hook_stages);

const char *matrix_on_name(enum matrix_on on)
{
	return places[on];
}

static const struct matrix_hook_stage *find_stage(const char *name)
{
	for (size_t i = 0; i < matrix_nhook_stages; i++) {
		if (strcmp(matrix_hook_stages[i].name, name) == 0)
			return &matrix_hook_stages[i];
	}
	return NULL;
}

// What every key of a hook's map sets.
struct hook_key {
	const char *name;
	void (*read)(struct reading *r, struct matrix_hook *h,
		     const struct ynode *v, const char *what);
};

static bool text_of(struct reading *r, const struct ynode *v, const char *what,
		    const char **out)
{
	if (!read_scalar(r, v, what, out))
		return false;
	if ((*out)[0] != '\0' && strlen(*out) <= TEXT_MAX)
		return true;
	diag_add(&r->d, v->at, "%s: must be 1 to %d bytes of text", what,
		 TEXT_MAX);
	return false;
}

// A name looked up in hooks/, or a path: below the matrix's directory or from
// the root.
static void read_run(struct reading *r, struct matrix_hook *h,
		     const struct ynode *v, const char *what)
{
	if (!text_of(r, v, what, &h->run))
		return;
	if (h->run[strlen(h->run) - 1] == '/' || strcmp(h->run, ".") == 0 ||
	    strcmp(h->run, "..") == 0)
		diag_add(&r->d, v->at, "%s: %s is no file", what,
			 diag_quote(r->a, h->run));
}

static void read_shell(struct reading *r, struct matrix_hook *h,
		       const struct ynode *v, const char *what)
{
	if (text_of(r, v, what, &h->run))
		h->shell = true;
}

static void read_args(struct reading *r, struct matrix_hook *h,
		      const struct ynode *v, const char *what)
{
	if (!read_is(r, v, YNODE_LIST, what))
		return;
	if (v->n > ARGS_MAX) {
		diag_add(&r->d, v->at, "%s: more than %d", what, ARGS_MAX);
		return;
	}
	h->args = arena_array(r->a, v->n + 1, sizeof(*h->args));
	for (size_t i = 0; i < v->n; i++) {
		if (!read_is(r, v->values[i], YNODE_SCALAR, what))
			return;
		h->args[h->nargs++] = v->values[i]->text; // "" is one, too
	}
}

// "after-boot, around-workload and after-trial" for the guest.
static const char *stages_on(struct arena *a, enum matrix_on on)
{
	const char **names =
		arena_array(a, matrix_nhook_stages, sizeof(*names));
	size_t n = 0;

	for (size_t i = 0; i < matrix_nhook_stages; i++) {
		if (matrix_hook_stages[i].on[on])
			names[n++] = matrix_hook_stages[i].name;
	}
	return diag_list(a, names, n);
}

static void read_on(struct reading *r, struct matrix_hook *h,
		    const struct ynode *v, const char *what)
{
	const struct param like = { .type = PARAM_CHOICE, .choices = places };
	struct param_value value;

	if (!read_value(r, &like, v, what, &value))
		return;
	for (size_t i = 0; i < MATRIX_ON_COUNT; i++) {
		if (strcmp(value.s, places[i]) == 0)
			h->on = (enum matrix_on)i;
	}
	h->on_at = v->at;
	if (!h->stage->on[h->on])
		diag_add(&r->d, v->at,
			 "%s: %s does not run on the %s%s; what does: %s", what,
			 h->stage->name, value.s,
			 h->on == MATRIX_ON_GUEST ? ", which does not live then"
						  : "",
			 stages_on(r->a, h->on));
}

static void read_hook_timeout(struct reading *r, struct matrix_hook *h,
			      const struct ynode *v, const char *what)
{
	const struct param like = { .type = PARAM_DURATION,
				    .min = NS_PER_MS,
				    .max = 86400.0 * NS_PER_S };
	struct param_value value;

	if (read_value(r, &like, v, what, &value))
		h->timeout_ns = (uint64_t)value.i;
}

// What vrun sets itself, and what would change how the hook is loaded.
static bool is_variable(const char *s)
{
	static const char *const kept[] = { "VRUN_", "LD_" };

	for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
		if (strncmp(s, kept[i], strlen(kept[i])) == 0)
			return false;
	}
	if (!isalpha((unsigned char)*s) && *s != '_')
		return false;
	for (; *s != '\0'; s++) {
		if (!isalnum((unsigned char)*s) && *s != '_')
			return false;
	}
	return true;
}

static void read_env(struct reading *r, struct matrix_hook *h,
		     const struct ynode *v, const char *what)
{
	if (!read_is(r, v, YNODE_MAP, what))
		return;
	if (v->n > ENV_MAX) {
		diag_add(&r->d, v->at, "%s: more than %d", what, ENV_MAX);
		return;
	}
	h->env = arena_array(r->a, v->n + 1, sizeof(*h->env));
	for (size_t i = 0; i < v->n; i++) {
		struct matrix_pair *pair = &h->env[h->nenv];

		pair->key = v->keys[i]->text;
		if (!is_variable(pair->key))
			diag_add(
				&r->d, v->keys[i]->at,
				"%s: %s must be letters, digits and \"_\", and "
				"must not begin with VRUN_ or LD_",
				what, diag_quote(r->a, pair->key));
		else if (read_is(r, v->values[i], YNODE_SCALAR, what)) {
			pair->value = v->values[i]->text;
			h->nenv++;
		}
	}
}

static const struct hook_key keys[] = {
	{ "run", read_run },   { "shell", read_shell },
	{ "args", read_args }, { "on", read_on },
	{ "env", read_env },   { "timeout", read_hook_timeout },
};

static const struct hook_key *find_key(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		if (strcmp(keys[i].name, name) == 0)
			return &keys[i];
	}
	return NULL;
}

static void read_hook_key(struct reading *r, struct matrix_hook *h,
			  const struct ynode *key, const struct ynode *v)
{
	const struct hook_key *k = find_key(key->text);
	const char *names[ARRAY_LEN(keys)];
	const char *what =
		arena_printf(r->a, "hooks: %s: %s", h->stage->name, key->text);

	if (k != NULL) {
		k->read(r, h, v, what);
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		names[i] = keys[i].name;
	diag_add(&r->d, key->at, "hooks: %s: unknown key %s (have %s)%s",
		 h->stage->name, diag_quote(r->a, key->text),
		 diag_list(r->a, names, ARRAY_LEN(keys)),
		 diag_hint(r->a, key->text, names, ARRAY_LEN(keys)));
}

static void read_hook_map(struct reading *r, struct matrix_hook *h,
			  const struct ynode *v)
{
	bool both =
		ynode_get(v, "run") != NULL && ynode_get(v, "shell") != NULL;

	for (size_t i = 0; i < v->n; i++)
		read_hook_key(r, h, v->keys[i], v->values[i]);
	if (both ||
	    (ynode_get(v, "run") == NULL && ynode_get(v, "shell") == NULL))
		diag_add(&r->d, v->at,
			 "hooks: %s: give one of run (a program) and shell (a "
			 "command line)",
			 h->stage->name);
}

// "drop-caches", or a map.
static void read_hook(struct reading *r, const struct matrix_hook_stage *stage,
		      const struct ynode *v)
{
	struct matrix *m = r->m;
	struct matrix_hook *h;

	if (m->nhooks >= HOOKS_MAX) {
		diag_add(&r->d, v->at, "hooks: more than %d", HOOKS_MAX);
		return;
	}
	h = arena_push(r->a, &m->hooks, &m->nhooks, &r->hooks_cap, sizeof(*h));
	*h = (struct matrix_hook){ .stage = stage,
				   .at = v->at,
				   .timeout_ns = TIMEOUT_DEFAULT };
	if (v->kind == YNODE_SCALAR)
		read_run(r, h, v, arena_printf(r->a, "hooks: %s", stage->name));
	else if (read_is(r, v, YNODE_MAP, "a hook"))
		read_hook_map(r, h, v);
}

static void read_stage(struct reading *r, const struct ynode *key,
		       const struct ynode *v)
{
	const struct matrix_hook_stage *stage = find_stage(key->text);
	const char **names;

	if (stage != NULL && v->kind == YNODE_LIST) {
		for (size_t i = 0; i < v->n; i++)
			read_hook(r, stage, v->values[i]);
		return;
	}
	if (stage != NULL) {
		read_hook(r, stage, v);
		return;
	}
	names = arena_array(r->a, matrix_nhook_stages, sizeof(*names));
	for (size_t i = 0; i < matrix_nhook_stages; i++)
		names[i] = matrix_hook_stages[i].name;
	diag_add(&r->d, key->at, "hooks: unknown stage %s (have %s)%s",
		 diag_quote(r->a, key->text),
		 diag_list(r->a, names, matrix_nhook_stages),
		 diag_hint(r->a, key->text, names, matrix_nhook_stages));
}

void read_hooks(struct reading *r, const struct read_key *k,
		const struct ynode *v)
{
	(void)k;
	if (read_is_nothing(v) || !read_is(r, v, YNODE_MAP, "\"hooks\""))
		return;
	for (size_t i = 0; i < v->n; i++)
		read_stage(r, v->keys[i], v->values[i]);
}
