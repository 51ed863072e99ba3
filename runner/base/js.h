// JSON trees: the project's seam to jansson. An opaque `struct js` is counted
// by reference; setters that take a child take it over, getters lend.
// Numbers keep their kind: whole numbers are 64-bit, others are doubles that
// survive a round trip. NaN and infinities are written as null and read back
// as NaN.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/base/buf.h"
#include "runner/base/err.h"

struct js;

enum js_kind {
	JS_NULL,
	JS_BOOL,
	JS_INT,
	JS_REAL,
	JS_STRING,
	JS_ARRAY,
	JS_OBJECT,
};

enum {
	JS_DEPTH_MAX = 64
};

struct js *js_object(void);
struct js *js_array(void);
struct js *js_string(const char *s); // bytes that are not UTF-8 become '?'
struct js *js_int(int64_t i);
struct js *js_real(double x);
struct js *js_bool(bool b);
struct js *js_null(void);
struct js *js_ref(const struct js *j);	// one more reference; NULL is nothing
struct js *js_copy(const struct js *j); // a deep copy
void js_unref(struct js *j);		// NULL is nothing
void js_unrefp(struct js **j);		// for CLEANUP

// Text to a tree. `where` names the source in the message; the error gives
// line and column. Refuses duplicate keys, more than one document, NUL bytes,
// depth over JS_DEPTH_MAX.
struct js *js_parse(const char *text, size_t len, const char *where,
		    struct err *e) MUST_CHECK;
// The same for output of other programs, which may repeat keys (the last one
// counts) and go on after the document.
struct js *js_parse_foreign(const char *text, size_t len, const char *where,
			    struct err *e) MUST_CHECK;
// Compact on one line, keys in the order they were set.
void js_print(const struct js *j, struct buf *out);
// Compact with sorted keys: the same bytes for equal trees; for hashes.
void js_print_canonical(const struct js *j, struct buf *out);
// Indented by two, for people; ends with a newline.
void js_print_pretty(const struct js *j, struct buf *out);

enum js_kind js_kind(const struct js *j);	       // JS_NULL for NULL
bool js_equal(const struct js *a, const struct js *b); // by value

// Objects. A `child` of NULL is left out.
void js_set(struct js *obj, const char *key, struct js *child);
void js_set_str(struct js *obj, const char *key, const char *s); // NULL: none
void js_set_int(struct js *obj, const char *key, int64_t i);
void js_set_real(struct js *obj, const char *key, double x);
void js_set_bool(struct js *obj, const char *key, bool b);
struct js *js_get(const struct js *obj, const char *key); // NULL: none
void js_del(struct js *obj, const char *key);

// Typed look-ups with a default for what is missing or of another kind.
const char *js_get_str(const struct js *obj, const char *key, const char *def);
int64_t js_get_int(const struct js *obj, const char *key, int64_t def);
double js_get_real(const struct js *obj, const char *key, double def);
bool js_get_bool(const struct js *obj, const char *key, bool def);

// Values.
const char *js_str(const struct js *j); // NULL unless a string
int64_t js_int_value(const struct js *j, int64_t def);
double js_real_value(const struct js *j, double def); // whole numbers, too
bool js_bool_value(const struct js *j, bool def);

// Arrays.
void js_append(struct js *arr, struct js *child);
size_t js_len(const struct js *j); // elements or keys; 0 otherwise
struct js *js_at(const struct js *arr, size_t i); // NULL beyond the end

// The i-th member in the order of insertion is reached by iteration:
//	const char *key; struct js *val;
//	JS_FOREACH(obj, key, val) ...
void *js_iter(const struct js *obj);
void *js_iter_next(const struct js *obj, void *iter);
const char *js_iter_key(void *iter);
struct js *js_iter_value(void *iter);
#define JS_FOREACH(obj, key, val)                                              \
	for (void *iter_ = js_iter(obj);                                       \
	     iter_ != NULL &&                                                  \
	     ((key) = js_iter_key(iter_), (val) = js_iter_value(iter_), true); \
	     iter_ = js_iter_next((obj), iter_))
#define JS_FOREACH_KEY(obj, key)                                  \
	for (void *iter_ = js_iter(obj);                          \
	     iter_ != NULL && ((key) = js_iter_key(iter_), true); \
	     iter_ = js_iter_next((obj), iter_))
