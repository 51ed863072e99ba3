#include "runner/matrix/read.h"

#include <string.h>

#include "runner/base/checks.h"

#define AT(member)    .offset = offsetof(struct matrix, member)
#define RANGE(lo, hi) .min = (lo), .max = (hi)

// clang-format off
#define REQUIRE(id, check, what)                                    \
	{ "require", (check), READ_CHOICE, read_require,            \
	  .help = (what), .choices = require_actions },
// clang-format on

static const char *const require_actions[] = { "refuse", "warn", "ignore",
					       NULL };
static read_fn read_keys_of;

// In this order they are read: what is named must be known by then.
const struct read_key read_keys[] = {
	{ "", "name", READ_TEXT, read_name,
	  .help = "of the experiment; names the results directory",
	  .required = true },
	{ "", "question", READ_TEXT, read_question,
	  .help = "what the experiment is to answer; heads the report" },
	{ "", "workloads", READ_LIST, read_workloads,
	  .help = "what is run and measured in each trial, one after the other",
	  .required = true },
	{ "", "vars", READ_MAP, read_vars,
	  .help = "free parameters and their values, which hooks get as VRUN_VAR_NAME; "
		  "one may be a factor" },
	{ "", "fixed", READ_MAP, read_fixed,
	  .help = "parameters that are the same in every cell" },
	{ "", "host-settings", READ_MAP, read_host_settings,
	  .help = "settings of the host while the campaign runs: parameters of "
		  "the host, sysctl.NAME, or the path of a file of /sys or "
		  "/proc/sys; put back as they were at the end" },
	{ "", "factors", READ_MAP, read_factors,
	  .help = "parameters that vary: a list of levels each; all combinations are "
		  "the cells" },
	{ "", "zip", READ_GROUPS, read_zip,
	  .help = "factors that move together, [cpus, memory], or a list of such "
		  "lists: the first level of each makes one combination, the "
		  "second of each the next" },
	{ "", "exclude", READ_LIST, read_exclude,
	  .help = "cells to drop: one level of some factors each" },
	{ "", "include", READ_LIST, read_include,
	  .help = "cells to add: a level of every factor each, which need not be "
		  "under factors" },
	{ "", "compare", READ_SECTION, read_keys_of, .opens = "compare",
	  .help = "what is compared with what" },
	{ "", "design", READ_SECTION, read_keys_of, .opens = "design",
	  .help = "how often and in which order" },
	{ "", "hosts", READ_NAMES, read_hosts,
	  .help = "where it runs: local, hosts and groups of hosts.yaml, or SSH "
		  "destinations",
	  .def = "local" },
	{ "", "spread", READ_CHOICE, read_choice,
	  .help = "every: each host runs every round; share: the rounds are dealt "
		  "out, each to one host",
	  .def = "every", AT(spread),
	  .choices = (const char *const[]){ "every", "share", NULL } },
	{ "", "timeout", READ_DURATION, read_timeout,
	  .help = "of one trial, boot included; by default 2m and three times the "
		  "workloads' own time" },
	{ "", "retries", READ_COUNT, read_count,
	  .help = "more attempts at a trial that did not end ok", .def = "1",
	  AT(retries), RANGE(0, MATRIX_RETRIES_MAX) },
	{ "", "require", READ_SECTION, read_keys_of, .opens = "require",
	  .help = "what a problem that preflight finds does, by check, such as "
		  "{smt: refuse}; else as the check sees fit" },
	{ "", "hooks", READ_MAP, read_hooks,
	  .help = "programs that run at stages of the campaign: before-campaign, "
		  "before-block, before-boot, after-boot, around-workload, "
		  "after-trial, after-campaign; on the host, on: controller or "
		  "on: guest; hooks/README.md explains" },
	{ "", "destroy", READ_NAMES, read_destroy,
	  .help = "devices and files that block workloads may overwrite, whatever "
		  "they hold; others with a file system, partitions or a foreign "
		  "file are refused" },

	{ "compare", "metric", READ_NAMES, read_metric,
	  .help = "primary metrics, WORKLOAD.FIGURE; by default the first of each "
		  "workload" },
	{ "compare", "metrics", READ_NAMES, read_metric,
	  .help = "the same, for more than one" },
	{ "compare", "exact", READ_NAMES, read_exact,
	  .help = "metrics that have no noise, such as counts: figures that are all "
		  "equal are then no reason for doubt" },
	{ "compare", "baseline", READ_MAP, read_baseline,
	  .help = "one level of some factors: each other cell is compared with the "
		  "cell that has these and is otherwise the same; by default the "
		  "first cell" },
	{ "compare", "margin", READ_RATIO, read_margin,
	  .help = "the smallest relative difference that matters; without it nothing "
		  "is called equivalent",
	  AT(margin) },

	{ "design", "rounds", READ_COUNT, read_count,
	  .help = "blocks: each holds every cell once", .def = "10", AT(rounds),
	  RANGE(1, MATRIX_ROUNDS_MAX) },
	{ "design", "warmup-rounds", READ_COUNT, read_count,
	  .help = "rounds before these that are recorded, not analysed",
	  .def = "0", AT(warmup_rounds), RANGE(0, MATRIX_ROUNDS_MAX) },
	{ "design", "repeat", READ_COUNT, read_count,
	  .help = "repetitions of the workloads in one boot", .def = "1",
	  AT(repeat), RANGE(1, MATRIX_REPEAT_MAX) },
	{ "design", "seed", READ_COUNT, read_seed,
	  .help = "of the order; drawn and recorded when absent",
	  RANGE(MATRIX_SEED_MIN, MATRIX_SEED_MAX) },
	{ "design", "order", READ_CHOICE, read_choice,
	  .help = "blocks: shuffled in each round; williams: each cell follows each "
		  "other equally often; sequential: all of a cell, then the next",
	  .def = "blocks", AT(order),
	  .choices = (const char *const[]){ "blocks", "williams", "sequential",
					    NULL } },
	{ "design", "cooldown", READ_DURATION, read_duration,
	  .help = "pause between trials", .def = "0", AT(cooldown_ns) },
	{ "design", "stop", READ_SECTION, read_keys_of, .opens = "design.stop",
	  .optional = true,
	  .help = "look after every complete round, and stop when every comparison "
		  "is decided; costs no false claims" },

	{ "design.stop", "margin", READ_FLAG, read_flag,
	  .help = "a comparison that is equivalent within compare.margin is decided",
	  .def = "no", AT(stop.margin) },
	{ "design.stop", "precision", READ_RATIO, read_ratio,
	  .help = "so is one whose interval is at most this far to either side",
	  AT(stop.precision) },
	{ "design.stop", "min-rounds", READ_COUNT, read_count,
	  .help = "rounds before the first look", .def = "5",
	  AT(stop.min_rounds), RANGE(2, MATRIX_STOP_ROUNDS_MAX) },
	{ "design.stop", "max-rounds", READ_COUNT, read_count,
	  .help = "rounds at most, in place of design.rounds",
	  AT(stop.max_rounds), RANGE(2, MATRIX_STOP_ROUNDS_MAX) },

	CHECKS_TABLE(REQUIRE)
};
const size_t read_nkeys = ARRAY_LEN(read_keys);

static void read_keys_of(struct reading *r, const struct read_key *k,
			 const struct ynode *v)
{
	if (read_is(r, v, YNODE_MAP, diag_quote(r->a, k->name)))
		read_section(r, k->opens, v);
}

static const struct read_key *find_key(const char *section, const char *name)
{
	for (size_t i = 0; i < read_nkeys; i++) {
		if (strcmp(read_keys[i].section, section) == 0 &&
		    strcmp(read_keys[i].name, name) == 0)
			return &read_keys[i];
	}
	return NULL;
}

void read_unknown_key(struct reading *r, const struct ynode *key,
		      const char *where, const char *const *names, size_t n)
{
	diag_add(&r->d, key->at, "%sunknown key %s (have %s)%s", where,
		 diag_quote(r->a, key->text), diag_list(r->a, names, n),
		 diag_hint(r->a, key->text, names, n));
}

static void report_unknown(struct reading *r, const char *section,
			   const struct ynode *key)
{
	const char *names[ARRAY_LEN(read_keys)];
	const char *where =
		section[0] == '\0' ? "" : arena_printf(r->a, "%s: ", section);
	size_t n = 0;

	for (size_t i = 0; i < read_nkeys; i++) {
		if (strcmp(read_keys[i].section, section) == 0)
			names[n++] = read_keys[i].name;
	}
	read_unknown_key(r, key, where, names, n);
}

// "x-..." at the top is the writer's own: a place for anchors.
static bool is_private(const char *section, const char *key)
{
	return section[0] == '\0' && strncmp(key, "x-", 2) == 0;
}

static void check_keys(struct reading *r, const char *section,
		       const struct ynode *map)
{
	for (size_t i = 0; i < map->n; i++) {
		const struct ynode *key = map->keys[i];
		const struct read_key *k = find_key(section, key->text);

		if (k == NULL && !is_private(section, key->text))
			report_unknown(r, section, key);
	}
}

// What a key that the file leaves out means.
static const struct ynode *default_of(struct reading *r,
				      const struct read_key *k)
{
	struct place at = { k->name, 0, 0 };

	if (k->form == READ_SECTION)
		return k->optional ? NULL : ynode_map(r->a, at);
	return k->def == NULL ? NULL : ynode_scalar(r->a, at, k->def);
}

void read_section(struct reading *r, const char *section,
		  const struct ynode *map)
{
	check_keys(r, section, map);
	for (size_t i = 0; i < read_nkeys; i++) {
		const struct read_key *k = &read_keys[i];
		const struct ynode *v;

		if (k->read == NULL || strcmp(k->section, section) != 0)
			continue;
		v = ynode_get(map, k->name);
		if (v == NULL)
			v = default_of(r, k);
		if (v != NULL)
			k->read(r, k, v);
		else if (k->required)
			diag_add(&r->d, map->at, "\"%s\" is missing: %s",
				 k->name, k->help);
	}
}
