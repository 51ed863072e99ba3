// The matrix: what the user asked for, typed and validated. A pure function of
// the file's bytes and the overrides. It owns an arena; all that it points to
// dies with it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/base/err.h"
#include "runner/matrix/diag.h"
#include "runner/matrix/param.h"

enum {
	MATRIX_NAME_MAX = 64, // it becomes part of a directory's name
	MATRIX_TEXT_MAX = 4096,
	MATRIX_LABEL_MAX = 256,
	MATRIX_FACTORS_MAX = 16,
	MATRIX_VARS_MAX = 64,
	MATRIX_LEVELS_MAX = 1000, // of one factor
	MATRIX_WORKLOADS_MAX = 16,
	MATRIX_HOSTS_MAX = 1024,
	MATRIX_DESTROY_MAX = 256,
	MATRIX_METRICS_MAX = 16,
	MATRIX_RULES_MAX = 1000,
	MATRIX_ROUNDS_MAX = 100000,
	MATRIX_STOP_ROUNDS_MAX = 1000, // looks that can be calibrated
	MATRIX_REPEAT_MAX = 1000,
	MATRIX_RETRIES_MAX = 100,
	MATRIX_HOST_FILES_MAX = 256,
	MATRIX_VM = 0, // the owner that holds the host's and VM's parameters
};

// The generator takes 32 bits and reads 0 as its own default.
#define MATRIX_SEED_MIN 1
#define MATRIX_SEED_MAX 4294967295

enum matrix_order {
	MATRIX_BLOCKS,
	MATRIX_WILLIAMS,
	MATRIX_SEQUENTIAL
};

enum matrix_spread {
	MATRIX_EVERY, // each host runs every round
	MATRIX_SHARE, // each round is run by one host
};

// A setting of one parameter of one owner.
struct matrix_slot {
	const struct param_value *value; // NULL: not a parameter of this owner
	struct place at;		 // where it was given
	bool given;			 // else it is the default
};

// The VM, or one workload: whatever has parameters.
struct matrix_owner {
	const struct param_kind *kind; // NULL for the VM
	const char *name;	       // "block", or its name:; "" for the VM
	struct matrix_slot *slots;     // by param_index, param_count of them
};

// A free parameter of `vars`: text that hooks get. vrun makes nothing of it.
struct matrix_var {
	struct param param;	  // its name
	struct param_value value; // unless a factor has its name
	struct place at;
};

struct matrix_target {
	size_t owner;
	const struct param *param;
};

struct matrix_level {
	const char *text; // its label, or the value for people
	struct param_value value;
};

// A factor sets each of its targets: a bare name reaches every workload that
// has the parameter. One of a variable has no targets.
struct matrix_factor {
	const char *name; // as written: "backing", "block.iodepth"
	struct place at;
	struct matrix_target *targets;
	size_t ntargets;
	const struct matrix_var *var;
	struct matrix_level *levels; // all different
	size_t nlevels;
	size_t ncrossed;   // the first of them form combinations; those after
			   // come in cells of `include` alone
	size_t moves_with; // a factor before it, by index, whose levels it
			   // keeps step with; its own index: none
};

// A level of a factor, by index.
struct matrix_ref {
	size_t factor, level;
};

// Part of a cell: the baseline, or a rule of `exclude`; or all of it: a cell of
// `include`.
struct matrix_partial {
	struct place at;
	struct matrix_ref *refs;
	size_t n;
};

// A device or file that workloads may overwrite, whatever it holds.
struct matrix_destroy {
	const char *path;
	struct place at;
};

struct matrix_pair {
	const char *key, *value;
};

enum matrix_on {
	MATRIX_ON_HOST,
	MATRIX_ON_CONTROLLER,
	MATRIX_ON_GUEST,
	MATRIX_ON_COUNT
};

const char *matrix_on_name(enum matrix_on on); // "host"

// A stage of a campaign at which hooks run, and where they may.
struct matrix_hook_stage {
	const char *name; // "before-boot"
	bool on[MATRIX_ON_COUNT];
	const char *help;
};

extern const struct matrix_hook_stage matrix_hook_stages[];
extern const size_t matrix_nhook_stages;

struct matrix_hook {
	const struct matrix_hook_stage *stage;
	struct place at, on_at;
	const char *run; // a program: name or path; a line for sh(1)
	bool shell;	 // the latter
	enum matrix_on on;
	const char **args;
	size_t nargs;
	struct matrix_pair *env;
	size_t nenv;
	uint64_t timeout_ns;
};

// design.stop: looks after every complete round, from min_rounds on.
struct matrix_stop {
	bool margin;	  // stop when equivalent within compare.margin
	double precision; // stop at this half-width; 0: not for that
	uint32_t min_rounds;
	uint32_t max_rounds; // as given, or 0; `rounds` has it in either case
};

struct matrix {
	struct arena *arena;
	const char *file; // name for messages
	const char *name, *question;
	struct matrix_owner *owners; // [MATRIX_VM], then the workloads
	size_t nowners;
	struct matrix_var *vars;
	size_t nvars;
	struct matrix_factor *factors;
	size_t nfactors;
	struct matrix_partial *exclude;
	size_t nexclude;
	struct matrix_partial *include;
	size_t ninclude;
	const char **hosts; // as written, until inventory_resolve
	struct place *hosts_at;
	size_t nhosts;
	enum matrix_spread spread;
	struct matrix_destroy *destroy;
	size_t ndestroy;
	const char **metrics; // "block.iops"; never empty
	size_t nmetrics;
	const char **exact; // metrics that have no noise
	size_t nexact;
	struct matrix_partial baseline; // n = 0: the first cell
	bool has_margin;
	double margin;
	uint32_t rounds, warmup_rounds, repeat, retries;
	bool has_stop;
	struct matrix_stop stop;
	bool has_seed;
	uint32_t seed;
	enum matrix_order order;
	uint64_t cooldown_ns;
	struct place timeout_at;
	uint64_t timeout_ns; // 0: from the workloads
	// Files of /sys and /proc/sys that host-settings names, and what they
	// are to hold.
	struct matrix_pair *host_files;
	size_t nhost_files;
	struct matrix_hook *hooks; // of a stage in the order of the file
	size_t nhooks;
	struct matrix_pair *require; // preflight check -> refuse|warn|ignore
	size_t nrequire;
};

// What a matrix is made from; all borrowed. `set`: "KEY=VALUE" each, applied
// over the file. KEY is a place in the file ("design.rounds",
// "factors.backing") or a parameter ("memory", "block.runtime"). VALUE is
// text, or YAML when it begins with a bracket.
struct matrix_source {
	const char *file; // name for messages
	const void *data;
	size_t len;
	const char *const *set;
	size_t nset;
	// What the user typed for each ("--rounds"), for messages; "" or NULL
	// altogether: "--set KEY".
	const char *const *set_names;
};

// On failure `e` has every error of the file, sorted by place.
int matrix_parse(const struct matrix_source *s, struct matrix **out,
		 struct err *e) MUST_CHECK;
void matrix_free(struct matrix *m);
void matrix_freep(struct matrix **m);

// What the design calls a factor's value: the index of a level by its text or
// by an equal value, or SIZE_MAX.
size_t matrix_find_level(const struct matrix_factor *f, const char *text);
const struct matrix_factor *matrix_find_factor(const struct matrix *m,
					       const char *name);
