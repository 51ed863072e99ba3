#include "runner/cmd/source.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "runner/base/fd.h"
#include "runner/campaign/store.h"
#include "runner/cmd/hosts.h"
#include "runner/matrix/yaml.h"

enum {
	SOURCE_OPTIONS_VERSION = 1,
	SOURCE_SETS_MAX = 1000,
};

void source_deinit(struct source *s)
{
	plan_free(s->plan);
	matrix_free(s->matrix);
	strv_deinit(&s->set);
	strv_deinit(&s->says);
	buf_deinit(&s->text);
	*s = (struct source){ 0 };
}

// A name in YAML's single quotes, inside which only they mean something.
static void quote_yaml(const char *name, size_t len, struct buf *out)
{
	buf_putc(out, '\'');
	for (size_t i = 0; i < len; i++)
		buf_printf(out, "%s%c", name[i] == '\'' ? "'" : "", name[i]);
	buf_putc(out, '\'');
}

// "a,b" is ['a','b'].
static int list_of_hosts(const char *names, struct buf *out, struct err *e)
{
	const char *p = names, *end;

	do {
		end = strchrnul(p, ',');
		if (end == p)
			return err_set(e, ERR_USAGE,
				       "--hosts: \"%.64s\" has an empty name; "
				       "give them like lab1,lab2",
				       names);
		buf_putc(out, p == names ? '[' : ',');
		quote_yaml(p, (size_t)(end - p), out);
		p = end + 1;
	} while (*end != '\0');
	buf_putc(out, ']');
	return 0;
}

// Options that override the matrix: what errors call them, the key they set,
// and how its value is made (NULL: as given).
static const struct {
	const char *option, *name, *key;
	int (*make)(const char *value, struct buf *out, struct err *e);
} overrides[] = {
	{ "set", "", "", NULL },
	{ "rounds", "--rounds", "design.rounds=", NULL },
	{ "seed", "--seed", "design.seed=", NULL },
	{ "hosts", "--hosts", "hosts=", list_of_hosts },
};

static int add_override(struct source *s, const struct cmd_given *g,
			struct err *e)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	for (size_t k = 0; k < ARRAY_LEN(overrides); k++) {
		if (strcmp(g->option->name, overrides[k].option) != 0)
			continue;
		buf_puts(&text, overrides[k].key);
		if (overrides[k].make == NULL)
			buf_puts(&text, g->value);
		else if (overrides[k].make(g->value, &text, e) < 0)
			return -1;
		strv_add(&s->set, buf_str(&text));
		strv_add(&s->says, overrides[k].name);
	}
	return 0;
}

static int collect_overrides(const struct cmd_args *args, struct source *s,
			     struct err *e)
{
	for (size_t i = 0; i < args->ngiven; i++) {
		if (add_override(s, &args->given[i], e) < 0)
			return -1;
	}
	return 0;
}

// Zero is the generator's own default.
static int draw_seed(uint32_t *seed, struct err *e)
{
	do {
		if (getrandom(seed, sizeof(*seed), 0) != sizeof(*seed))
			return err_sys(e, ERR_USAGE,
				       "draw a seed; give one with --seed");
	} while (*seed < MATRIX_SEED_MIN);
	return 0;
}

static int parse(struct source *s, struct err *e)
{
	struct matrix_source from = {
		.file = s->file,
		.data = buf_str(&s->text),
		.len = s->text.len,
		.set = (const char *const *)s->set.v,
		.nset = s->set.n,
		.set_names = (const char *const *)s->says.v,
	};

	return matrix_parse(&from, &s->matrix, e);
}

static int build(struct source *s, struct err *e)
{
	return (s->aa ? plan_build_aa : plan_build)(s->matrix, s->seed,
						    &s->plan, e);
}

int source_load(const struct cmd_args *args, struct source *out, struct err *e)
{
	CLEANUP(source_deinit) struct source s = { 0 };

	s.file = args->operands[0];
	if (collect_overrides(args, &s, e) < 0 ||
	    file_read(s.file, YNODE_BYTES_MAX, &s.text, ERR_USAGE, e) < 0 ||
	    parse(&s, e) < 0 ||
	    hosts_resolve(s.file, s.matrix, &s.hosts, e) < 0)
		return -1;
	s.seed = s.matrix->seed;
	s.aa = cmd_has(args, "aa");
	if (!s.matrix->has_seed && draw_seed(&s.seed, e) < 0)
		return -1;
	if (build(&s, e) < 0)
		return -1;
	*out = s;
	s = (struct source){ 0 };
	return 0;
}

struct js *source_options(const struct source *s)
{
	struct js *j = js_object(), *set = js_array();

	for (size_t i = 0; i < s->set.n; i++)
		js_append(set, js_string(s->set.v[i]));
	js_set_int(j, "v", SOURCE_OPTIONS_VERSION);
	js_set_str(j, "vrun", VRUN_VERSION);
	js_set_str(j, "matrix", s->file);
	js_set_int(j, "seed", s->seed);
	js_set(j, "set", set);
	js_set(j, "hosts", inventory_to_js(s->hosts, s->matrix->nhosts));
	if (s->aa)
		js_set_bool(j, "aa", true);
	return j;
}

static int read_options(const char *dir, const struct js *j, struct source *s,
			struct err *e)
{
	const struct js *set;
	int64_t seed;

	set = js_get(j, "set");
	seed = js_get_int(j, "seed", 0);
	if (js_get_int(j, "v", 0) != SOURCE_OPTIONS_VERSION ||
	    seed < MATRIX_SEED_MIN || seed > MATRIX_SEED_MAX ||
	    js_len(set) > SOURCE_SETS_MAX)
		return err_set(e, ERR_STORE,
			       "%s/" STORE_OPTIONS ": not of format version %d",
			       dir, SOURCE_OPTIONS_VERSION);
	s->seed = (uint32_t)seed;
	s->aa = js_get_bool(j, "aa", false);
	for (size_t i = 0; i < js_len(set); i++) {
		const char *text = js_str(js_at(set, i));

		strv_add(&s->set, text != NULL ? text : "");
	}
	return 0;
}

// A campaign goes on with the hosts that it began with; one of an older vrun
// kept names only.
static int restore_hosts(const char *dir, const struct js *options,
			 struct source *s, struct err *e)
{
	const struct js *kept = js_get(options, "hosts");

	if (kept == NULL)
		return inventory_resolve(NULL, s->matrix, &s->hosts, e);
	if (inventory_from_js(kept, s->matrix, &s->hosts, e) < 0)
		return err_wrap(e, "%s/" STORE_OPTIONS, dir);
	return 0;
}

int source_reload(const char *dir, const char *file, struct source *out,
		  struct err *e)
{
	CLEANUP(source_deinit) struct source s = { .file = file };
	CLEANUP(js_unrefp) struct js *j = store_read_js(dir, STORE_OPTIONS, e);

	if (j == NULL || read_options(dir, j, &s, e) < 0 ||
	    file_read(file, YNODE_BYTES_MAX, &s.text, ERR_STORE, e) < 0 ||
	    parse(&s, e) < 0 || restore_hosts(dir, j, &s, e) < 0 ||
	    build(&s, e) < 0)
		return -1;
	*out = s;
	s = (struct source){ 0 };
	return 0;
}
