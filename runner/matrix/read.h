// Between the files that read a matrix or an inventory; nobody else includes
// it.
#pragma once

#include "runner/matrix/matrix.h"
#include "runner/matrix/yaml.h"

struct reading {
	struct matrix *m; // NULL in an inventory
	struct arena *a;  // of the document
	struct diags d;
	size_t levels_cap[MATRIX_FACTORS_MAX];
	size_t destroy_cap, exact_cap;
	size_t owners_cap, factors_cap, exclude_cap, include_cap, hosts_cap,
		metrics_cap, require_cap, host_files_cap, hooks_cap, hosts_at_n,
		hosts_at_cap;
};

// A key of a section of the file ("" is the top). The table of them serves
// the parser, the help and the schema.
enum read_form {
	READ_TEXT,
	READ_COUNT,
	READ_DURATION,
	READ_RATIO,
	READ_FLAG,
	READ_CHOICE,
	READ_NAMES,   // text, or a list of text
	READ_MAP,     // keys that the table does not know
	READ_LIST,    // of maps
	READ_GROUPS,  // a list of text, or a list of those
	READ_SECTION, // a map with keys of its own in this table
};

struct read_key {
	const char *section, *name;
	enum read_form form;
	void (*read)(struct reading *r, const struct read_key *k,
		     const struct ynode *v);
	const char *help;
	const char *def; // as in the file; NULL: see help
	bool required;
	const char *opens; // READ_SECTION: the section of its keys
	bool optional;	   // READ_SECTION: leaving it out is not leaving it
			   // empty
	size_t offset;	   // in struct matrix, of plain figures
	double min, max;   // READ_COUNT
	const char *const *choices; // READ_CHOICE, NULL-terminated
};

extern const struct read_key read_keys[];
extern const size_t read_nkeys;

// Reads the keys of one section in the order of the table; unknown keys and
// missing ones are findings. `map` is a map.
void read_section(struct reading *r, const char *section,
		  const struct ynode *map);

// The finding about a key that is none of `names`; `where` is "" or "place: ".
void read_unknown_key(struct reading *r, const struct ynode *key,
		      const char *where, const char *const *names, size_t n);

// Each of these adds a finding and returns false when the node is not that.
// `what` leads the message: "factor \"backing\"".
bool read_is(struct reading *r, const struct ynode *n, enum ynode_kind kind,
	     const char *what);
bool read_scalar(struct reading *r, const struct ynode *n, const char *what,
		 const char **out);

typedef void read_fn(struct reading *r, const struct read_key *k,
		     const struct ynode *v);

// read_plain.c: keys that hold a figure or text.
read_fn read_name, read_question, read_count, read_choice, read_duration,
	read_flag, read_ratio, read_timeout, read_seed, read_margin, read_hosts,
	read_require;

// read_params.c. Workloads come first: names of parameters depend on them.
read_fn read_workloads, read_fixed;
// What a name sets: "memory", "runtime" (in all workloads that have it) or
// "block.runtime". Returns the number of targets, on the arena; they have
// parameters of one type. 0 is no finding yet: read_unknown_param tells.
size_t read_resolve(struct reading *r, const char *name,
		    struct matrix_target **out);
void read_unknown_param(struct reading *r, struct place at, const char *name);
bool read_value(struct reading *r, const struct param *p, const struct ynode *n,
		const char *what, struct param_value *out);
// False, and a finding, when the target is set already.
bool read_is_free(struct reading *r, struct matrix_target t, struct place at,
		  const char *what);
// "fixed:" with nothing below it is an empty map.
bool read_is_nothing(const struct ynode *v);
// One parameter under `fixed` or the like, `what` in messages: every target.
void read_fixed_param(struct reading *r, const struct ynode *key,
		      const struct ynode *v, const char *what);
// A parameter by --set: wins over the file.
void read_override(struct reading *r, const char *name,
		   const struct ynode *value);
void read_defaults(struct reading *r, struct matrix_owner *o);

// read_host.c
read_fn read_host_settings;

// read_hooks.c
read_fn read_hooks;

// One level of the factor that `key` names, `what` in messages.
typedef bool read_level_fn(struct reading *r, const char *what,
			   const struct ynode *key, const struct ynode *v,
			   struct matrix_ref *out);

// read_vars.c: after the workloads, whose parameters' names are taken.
read_fn read_vars;
struct matrix_var *read_find_var(struct reading *r, const char *name);
// Its value.
void read_var(struct reading *r, struct matrix_var *var, const struct ynode *v);

// read_factors.c
read_fn read_factors;
// A level that the factor has, or one more that no combination takes.
read_level_fn read_more_level;

// read_cells.c: they name factors, and devices.
read_fn read_exclude, read_include, read_zip, read_destroy;

// read_compare.c: they name factors and metrics, so they come last.
read_fn read_metric, read_exact, read_baseline;
bool read_factor_name(struct reading *r, const char *what,
		      const struct ynode *key, size_t *out);
read_level_fn read_known_level;
// A map from factors to levels.
bool read_partial(struct reading *r, const char *what, const struct ynode *v,
		  read_level_fn *level, struct matrix_partial *out);
void read_default_metrics(struct reading *r);

// read_stop.c: once everything is read.
void read_check_stop(struct reading *r, const struct ynode *root);
