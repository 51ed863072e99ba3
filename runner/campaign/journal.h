// trials.jsonl: the append-only journal of a campaign, one record a line.
// A line that append returned 0 for is on the disk. What a crash leaves of a
// line (no newline at its end, and not a whole record) is torn: readers leave
// it out, the next writer cuts it off. Anything else that cannot be read is an
// error that names file and line.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/base/arena.h"
#include "runner/base/err.h"
#include "runner/base/js.h"
#include "runner/record/record.h"

enum {
	JOURNAL_RECORDS_MAX = 20 * 1000 * 1000,
};

// A journal in memory. The records and their trees live as long as it does.
struct journal_log {
	struct arena *arena;
	struct record *records;
	size_t n, cap;
	uint64_t good_bytes; // up to the end of the last whole record
	uint64_t torn_bytes; // after it
	bool unterminated;   // the last whole record lacks its newline
};

// Reads a journal; a file that does not exist is an empty one.
int journal_load(const char *path, struct journal_log **out,
		 struct err *e) MUST_CHECK;
// As journal_load for text in memory; `name` stands for the file's name.
int journal_parse(const char *text, size_t len, const char *name,
		  struct journal_log **out, struct err *e) MUST_CHECK;
void journal_log_free(struct journal_log *log);
void journal_log_freep(struct journal_log **log);

// What is done with each whole record of a journal, in its order. `r` is as
// record_scan_line gives it.
typedef int journal_fn(void *arg, const struct record *r, struct err *e);

// Reads a journal of any size piece by piece and keeps nothing of it. An error
// of `fn` ends it and is given back with the line's place. A file that does
// not exist is an empty one.
int journal_each(const char *path, journal_fn *fn, void *arg,
		 struct err *e) MUST_CHECK;

struct journal; // open for appending

// Opens or creates the file, cuts what `log` found torn and goes on at its
// end. `log` is NULL for a new file, which must not exist.
int journal_open(const char *path, const struct journal_log *log,
		 struct journal **out, struct err *e) MUST_CHECK;
// One line in one write, then fdatasync. When it fails (ERR_STORE) the file is
// as it was before, as far as the file system lets it be.
int journal_append(struct journal *j, const struct record *r,
		   struct err *e) MUST_CHECK;
void journal_close(struct journal *j);
void journal_closep(struct journal **j);
