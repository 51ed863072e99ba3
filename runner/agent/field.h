// From a workload's JSON object to a typed struct, by a table of fields. Each
// field has its limits in the table, so that nothing from the wire is trusted
// twice. Pure.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/base/arena.h"
#include "runner/base/err.h"
#include "runner/base/js.h"

enum {
	FIELD_TEXT_MAX = 4096,
	FIELD_LIST_MAX = 256,
};

enum field_type {
	FIELD_INT,    // int64_t in [min, max]
	FIELD_REAL,   // double in [min, max]
	FIELD_BOOL,   // bool
	FIELD_TEXT,   // const char *, at most FIELD_TEXT_MAX bytes
	FIELD_CHOICE, // int: index into `choices`
	FIELD_LIST,   // const char **, NULL-terminated, FIELD_LIST_MAX texts
};

struct field {
	const char *key;
	enum field_type type;
	size_t offset;		    // in the struct that is filled
	double min, max;	    // FIELD_INT, FIELD_REAL
	const char *const *choices; // FIELD_CHOICE, ended by NULL
};

struct field_set {
	const struct field *fields;
	size_t n;
	const char *where; // names the workload in errors
	struct arena *a;
};

// Fills the members of `out` that `obj` names; others keep what they hold,
// which is how defaults are given. A key that no field has is an error unless
// it is "kind" or "name". Strings are copied into the set's arena.
int field_decode(const struct js *obj, const struct field_set *set, void *out,
		 struct err *e) MUST_CHECK;
