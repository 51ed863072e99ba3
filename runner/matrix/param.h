// THE table of parameters: every setting that a matrix may fix or vary. The
// parser, the checks, `vrun help matrix`, the JSON Schema and
// matrices/README.md read it; a new parameter is a new row of param_table.c.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/base/arena.h"
#include "runner/base/js.h"
#include "runner/record/result.h"

enum param_type {
	PARAM_TEXT,
	PARAM_CHOICE,	// one of `choices`
	PARAM_CPU_LIST, // "0-3,8"; "" for none
	PARAM_ARGS,	// a list of text, as it is handed to a program
	PARAM_COUNT,
	PARAM_SIZE,	// bytes
	PARAM_DURATION, // ns
	PARAM_BOOL,
	PARAM_RATIO, // 2 % is 0.02
	PARAM_REAL,
};

enum param_scope {
	PARAM_HOST, // a setting of the host; "keep" leaves it as it is
	PARAM_VM,   // fixed for the life of a VM
	PARAM_WORKLOAD,
};

// The parameter matters only where another one of the same cell is, or is
// not, `value`. Where it does not matter it takes its default, so that cells
// which differ in nothing else are one.
struct param_needs {
	const char *param, *value;
	bool is_not;
};

struct param {
	const char *name; // in the matrix and on the wire
	const char *kind; // of workload; NULL unless PARAM_WORKLOAD
	enum param_scope scope;
	enum param_type type;
	const char *const *choices; // NULL-terminated; PARAM_CHOICE
	double min, max;	    // numbers: range, ends included
	double multiple;	    // of this, unless 0
	bool power_of_2;
	const char *def;   // as a matrix would say it
	const char *empty; // what "" of a TEXT is for people; NULL: "default"
	const char *help;
	struct param_needs needs; // .param NULL: always matters
	const char *check;	  // read back from; NULL: no treatment check
};

struct param_metric {
	const char *name, *unit; // NULL unit: the workload's parameter `unit`
	enum better better;
	const char *help;
};

struct param_kind {
	const char *name, *help;
	const struct param_metric *metrics; // the first is the primary one
	size_t nmetrics;
};

// A value in its type, on the arena that parsed it.
struct param_value {
	const char *text; // for people: canonical for numbers, as written else
	const char *s;	  // TEXT, CHOICE, CPU_LIST
	int64_t i;	  // COUNT, SIZE, DURATION, BOOL
	double x;	  // RATIO, REAL
	const char *const *list; // ARGS
	size_t nlist;
};

extern const struct param param_table[];
extern const size_t param_count;
extern const struct param_kind param_kinds[];
extern const size_t param_nkinds;

// NULL when there is none. `kind` NULL looks among host and VM parameters.
const struct param *param_find(const char *kind, const char *name);
const struct param_kind *param_kind_find(const char *name);

static inline size_t param_index(const struct param *p)
{
	return (size_t)(p - param_table);
}

// Text to a value. On -1, `*why` is what is wrong and what would be right,
// on the arena: "unknown value \"3M\" (have 4k, thp)".
int param_parse(const struct param *p, const char *text, struct arena *a,
		struct param_value *out, const char **why) MUST_CHECK;
// The value of an ARGS parameter. `list` is borrowed.
void param_set_list(const char *const *list, size_t n, struct arena *a,
		    struct param_value *out);

// The default, which the table's test proves to be right.
struct param_value param_default(const struct param *p, struct arena *a);

// Of two values of one parameter.
bool param_equal(const struct param_value *a, const struct param_value *b);
struct js *param_to_js(const struct param *p, const struct param_value *v);

size_t param_nchoices(const struct param *p);
const char *param_type_name(enum param_type t); // "size"
// "4k, thp", "1 to 1024", "512 to 4k, a power of 2"; "" when free.
const char *param_range(const struct param *p, struct arena *a);
// "only with engine: fio", or "" when it always matters.
const char *param_condition(const struct param *p, struct arena *a);
