// The plan: what will be measured, in which order, frozen. A pure function of
// (matrix, hosts, seed): the same inputs give the same bytes on every machine.
// It owns an arena; all that it points to dies with it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/base/arena.h"
#include "runner/base/clock.h"
#include "runner/base/err.h"
#include "runner/base/js.h"
#include "runner/record/record.h"
#include "runner/record/result.h"

enum {
	PLAN_VERSION = 2,
	PLAN_ID_CHARS = 64, // SHA-256 of the canonical form, hexadecimal
	PLAN_CELLS_MAX = 10000,
	PLAN_TRIALS_MAX = 1000 * 1000,
};

// The level of a factor that has no effect in a cell, such as `backing` under
// accel: native. It stands for every level when a baseline is looked for.
#define PLAN_LEVEL_ANY LEVEL_ANY

// What a boot of the built-in guest takes without hardware help.
#define PLAN_BOOT_NS (3 * NS_PER_S)

// In the vm of a cell that was imported, with the SHA-256 of its campaign's
// journal: what it ran with is not known, and no other cell is like it.
#define PLAN_IMPORTED "imported"

struct matrix;

enum plan_order {
	PLAN_BLOCKS,
	PLAN_WILLIAMS,
	PLAN_SEQUENTIAL,
	PLAN_RECORDED, // imported: trials stand as they ran
	PLAN_UNKNOWN,  // imported: nobody knows how they ran
};

struct plan_cell {
	uint32_t id;	      // its index
	const char *label;    // "backing=hugetlb-2M, memory=1G"
	struct level *levels; // factors only, in the matrix's order
	size_t nlevels;
	struct js *host; // {setting: value} of the host; NULL: none
	struct js *vars; // {variable: text} for hooks; NULL: none
	struct js *vm;	 // {parameter: value} on the wire, all vm-scope ones
	struct js *workloads; // [{"kind":, "name":, parameter: value...}]
	uint32_t boot_group;  // cells of one group can share a boot
};

struct plan_trial {
	uint32_t id;	   // its index; trials are listed in the order they run
	uint32_t host;	   // index in hosts
	uint32_t block;	   // round, from 0; the warm-up rounds come first,
			   // and every host has these
	uint32_t boot;	   // unique in the plan
	uint32_t position; // place in its block, from 0
	uint32_t repeat;   // repetition inside the boot, from 0
	uint32_t cell;
	bool first_in_boot, last_in_boot;
};

// When the campaign may end before its last round: looks at every complete
// round from min_rounds on. Stops when every comparison is decided.
struct plan_stop {
	bool margin;	     // equivalent within the margin is decided
	double precision;    // half-width that is; 0: none
	uint32_t min_rounds; // warm-up rounds left out
};

struct plan {
	struct arena *arena;
	const char *name, *question;
	char id[PLAN_ID_CHARS + 1];
	uint64_t seed;
	const char *rng; // "gsl mt19937"
	enum plan_order order;
	const char **hosts;
	size_t nhosts;
	bool share; // each round is one host's; else every host has all
	struct plan_cell *cells;
	size_t ncells;
	struct plan_trial *trials; // by host, then in order of execution
	size_t ntrials;
	uint32_t rounds, warmup_rounds, repeat, retries;
	uint64_t timeout_ns;  // of one trial, its boot included
	uint64_t cooldown_ns; // between trials
	// The comparison. Baseline names one level of some or all factors; each
	// other cell is compared with the cell that has these levels and is
	// otherwise the same.
	const char **metrics; // primary: "block.iops"
	size_t nmetrics;
	const char **exact; // metrics that have no noise
	size_t nexact;
	struct level *baseline;
	size_t nbaseline;
	bool has_margin;
	double margin; // 0.02
	bool has_stop;
	struct plan_stop stop;
	bool aa; // the baseline against itself
	// [{stage, run, shell, on, args, env, timeout_ns}] in the order of the
	// matrix; NULL: none.
	struct js *hooks;
	const char **notes; // merged cells and the like, as sentences
	size_t nnotes;
};

// Expands and orders. `seed` is the matrix's own or one that the caller drew:
// nothing is drawn here. On failure `e` has every error, with its place.
int plan_build(const struct matrix *m, uint32_t seed, struct plan **out,
	       struct err *e) MUST_CHECK;

// The same for an A/A: see aa.h.
int plan_build_aa(const struct matrix *m, uint32_t seed, struct plan **out,
		  struct err *e) MUST_CHECK;

// Whether the cell has the baseline's levels; PLAN_LEVEL_ANY is all of them.
bool plan_is_baseline(const struct plan *p, const struct plan_cell *c);

// The cell's VM on a host whose own QEMU is `qemu`, which counts where the cell
// names none; "": the host has none of its own. A new reference.
struct js *plan_cell_vm(const struct plan_cell *c, const char *qemu);

// Its trials were measured by something else, before there was a plan.
bool plan_is_imported(const struct plan *p);
// Sets the id: the last thing that is done to a plan made by hand.
void plan_seal(struct plan *p);

void plan_free(struct plan *p);
void plan_freep(struct plan **p);

// The canonical form, id included.
struct js *plan_to_js(const struct plan *p);
// Reads plan.json back; recomputes the id and refuses one that differs.
int plan_from_js(const struct js *j, struct plan **out,
		 struct err *e) MUST_CHECK;

// Whether trials of the cell run in a VM: not under accel native.
bool plan_has_vm(const struct plan_cell *c);
// How many VMs are booted on all hosts together, if none has to be again.
size_t plan_boots(const struct plan *p);
// How many hosts measure in one round.
size_t plan_hosts_per_round(const struct plan *p);

// The time that each host takes, by index, from the workloads' own ramp and
// runtime and `boot_ns` a boot. out has nhosts elements.
void plan_estimate_hosts(const struct plan *p, uint64_t boot_ns, uint64_t *out);
// Of the host that takes longest: they work at the same time.
uint64_t plan_estimate_ns(const struct plan *p, uint64_t boot_ns);
