#include "runner/campaign/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runner/base/ahead.h"
#include "runner/base/alloc.h"
#include "runner/base/fd.h"
#include "runner/base/lines.h"
#include "runner/record/scan.h"

static const size_t journal_bytes_max = 4ULL << 30;

struct journal {
	int fd;
	char *path;
	uint64_t size; // of what is known to be whole
};

void journal_log_free(struct journal_log *log)
{
	if (log == NULL)
		return;
	for (size_t i = 0; i < log->n; i++)
		js_unref(log->records[i].tree);
	free(log->records);
	arena_free(log->arena);
	free(log);
}

void journal_log_freep(struct journal_log **log)
{
	journal_log_free(*log);
	*log = NULL;
}

static int add_line(struct journal_log *log, const char *line, size_t len,
		    const char *name, struct err *e)
{
	struct record r;

	if (log->n >= JOURNAL_RECORDS_MAX)
		return err_set(e, ERR_STORE, "%s:%zu: more than %d records",
			       name, log->n + 1, JOURNAL_RECORDS_MAX);
	if (record_parse(line, len, log->arena, &r, e) < 0)
		return err_wrap(e, "%s:%zu", name, log->n + 1);
	log->records = xgrow(log->records, &log->cap, log->n + 1,
			     sizeof(*log->records));
	log->records[log->n++] = r;
	return 0;
}

// What follows the last newline: a whole record that only lacks its newline,
// or torn.
static void add_tail(struct journal_log *log, const char *tail, size_t len,
		     const char *name)
{
	struct err ignored = { 0 };

	if (len == 0)
		return;
	if (add_line(log, tail, len, name, &ignored) == 0) {
		log->good_bytes += len;
		log->unterminated = true;
	} else {
		log->torn_bytes = len;
	}
}

// A crash can leave blocks that were never written, which read as zeros.
static bool is_torn(const char *line, size_t len, bool last)
{
	return last && memchr(line, '\0', len) != NULL;
}

static int add_all(struct journal_log *log, const char *text, size_t len,
		   const char *name, struct err *e)
{
	const char *end = text + len, *nl;

	for (const char *p = text; p < end; p = nl + 1) {
		size_t left = (size_t)(end - p);

		nl = memchr(p, '\n', left);
		if (nl == NULL) {
			add_tail(log, p, left, name);
			return 0;
		}
		if (is_torn(p, (size_t)(nl - p), nl + 1 == end)) {
			log->torn_bytes = left;
			return 0;
		}
		if (add_line(log, p, (size_t)(nl - p), name, e) < 0)
			return -1;
		log->good_bytes += (uint64_t)(nl - p) + 1;
	}
	return 0;
}

int journal_parse(const char *text, size_t len, const char *name,
		  struct journal_log **out, struct err *e)
{
	CLEANUP(journal_log_freep)
	struct journal_log *log = xcalloc(1, sizeof(*log));

	log->arena = arena_new();
	if (add_all(log, text, len, name, e) < 0)
		return -1;
	*out = TAKE_PTR(log);
	return 0;
}

int journal_load(const char *path, struct journal_log **out, struct err *e)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	if (access(path, F_OK) < 0 && errno == ENOENT)
		return journal_parse("", 0, path, out, e);
	if (file_read(path, journal_bytes_max, &text, ERR_STORE, e) < 0)
		return -1;
	return journal_parse(buf_str(&text), text.len, path, out, e);
}

// Some records, in the order of their lines, which begin with the first.
struct batch {
	struct record *records;
	size_t n, cap;
	size_t first; // line of the journal, from 1
	struct record_memory memory;
	struct err *error; // why there are no more, or NULL
	bool end;
};

struct reading {
	const char *path;
	struct lines *lines;
	struct record_scan *scan;
	size_t nlines; // so far
	struct err why;
	struct batch batches[AHEAD_SLOTS];
};

static void add_record(struct batch *b, const struct record *r)
{
	b->records = xgrow(b->records, &b->cap, b->n + 1, sizeof(*b->records));
	b->records[b->n++] = *r;
}

static int scan_line(struct reading *in, struct batch *b, const char *line,
		     size_t len)
{
	struct record r;

	in->nlines++;
	if (in->nlines > JOURNAL_RECORDS_MAX)
		return err_set(&in->why, ERR_STORE,
			       "%s:%zu: more than %d records", in->path,
			       in->nlines, JOURNAL_RECORDS_MAX);
	if (record_scan_line(in->scan, line, len, &r, &in->why) < 0)
		return err_wrap(&in->why, "%s:%zu", in->path, in->nlines);
	add_record(b, &r);
	return 0;
}

// Without a newline: whole, or torn.
static void scan_tail(struct reading *in, struct batch *b, const char *text,
		      size_t len)
{
	struct err torn = { 0 };
	struct record r;

	if (len > 0 && record_scan_line(in->scan, text, len, &r, &torn) == 0)
		add_record(b, &r);
}

static int scan_piece(struct reading *in, struct batch *b,
		      const struct lines_piece *piece)
{
	const char *p = piece->text, *end = p + piece->len, *nl;

	while ((nl = memchr(p, '\n', (size_t)(end - p))) != NULL) {
		bool last = piece->end && nl + 1 == end;

		if (is_torn(p, (size_t)(nl - p), last))
			return 0;
		if (scan_line(in, b, p, (size_t)(nl - p)) < 0)
			return -1;
		p = nl + 1;
	}
	if (piece->end)
		scan_tail(in, b, p, (size_t)(end - p));
	else if (p != end)
		return err_set(&in->why, ERR_STORE,
			       "%s:%zu: longer than %d bytes", in->path,
			       in->nlines + 1, RECORD_LINE_MAX);
	return 0;
}

static bool fill_batch(void *arg, size_t i)
{
	struct reading *in = arg;
	struct batch *b = &in->batches[i];
	struct lines_piece piece = { 0 };
	int rc;

	b->n = 0;
	b->first = in->nlines + 1;
	record_memory_reset(&b->memory);
	record_scan_into(in->scan, &b->memory);
	rc = lines_next(in->lines, &piece);
	if (rc < 0)
		err_sys(&in->why, ERR_STORE, "%s", in->path);
	else
		rc = scan_piece(in, b, &piece);
	b->error = rc < 0 ? &in->why : NULL;
	b->end = piece.end;
	return rc == 0 && !b->end;
}

static int give_batch(const struct batch *b, const char *path, journal_fn *fn,
		      void *arg, struct err *e)
{
	for (size_t i = 0; i < b->n; i++) {
		if (fn(arg, &b->records[i], e) < 0)
			return err_wrap(e, "%s:%zu", path, b->first + i);
	}
	if (b->error == NULL)
		return 0;
	*e = *b->error;
	return -1;
}

static int give_all(struct reading *in, bool thread, journal_fn *fn, void *arg,
		    struct err *e)
{
	CLEANUP(ahead_freep)
	struct ahead *ahead = ahead_new(thread, fill_batch, in);
	const struct batch *b;

	do {
		b = &in->batches[ahead_next(ahead)];
		if (give_batch(b, in->path, fn, arg, e) < 0)
			return -1;
	} while (!b->end);
	return 0;
}

static void reading_init(struct reading *in, const char *path, int fd)
{
	*in = (struct reading){ .path = path };
	for (size_t i = 0; i < AHEAD_SLOTS; i++)
		record_memory_init(&in->batches[i].memory);
	in->scan = record_scan_new();
	in->lines = lines_new(fd, RECORD_LINE_MAX);
}

static void reading_deinit(struct reading *in)
{
	for (size_t i = 0; i < AHEAD_SLOTS; i++) {
		record_memory_deinit(&in->batches[i].memory);
		free(in->batches[i].records);
	}
	record_scan_free(in->scan);
	lines_free(in->lines);
}

// Two threads ahead of `fn`: one reads, one makes records of it. Trees of facts
// are shared with the second: jansson counts references atomically.
int journal_each(const char *path, journal_fn *fn, void *arg, struct err *e)
{
	int fd = file_open(path, ERR_STORE, e), rc;
	bool thread = fd >= 0 && ahead_pays(fd);
	struct reading in;

	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	reading_init(&in, path, fd);
	rc = give_all(&in, thread, fn, arg, e);
	reading_deinit(&in);
	return rc;
}

void journal_close(struct journal *j)
{
	if (j == NULL)
		return;
	fd_closep(&j->fd);
	free(j->path);
	free(j);
}

void journal_closep(struct journal **j)
{
	journal_close(*j);
	*j = NULL;
}

// The file exists and is empty, or holds just the whole records of `log`.
static int mend(struct journal *j, const struct journal_log *log, struct err *e)
{
	if (log == NULL)
		return 0;
	j->size = log->good_bytes;
	if (log->torn_bytes > 0 && ftruncate(j->fd, (off_t)j->size) < 0)
		return err_sys(e, ERR_STORE, "%s: cut the torn last line",
			       j->path);
	if (!log->unterminated)
		return 0;
	if (pwrite(j->fd, "\n", 1, (off_t)j->size) != 1)
		return err_sys(e, ERR_STORE, "%s: end the last line", j->path);
	j->size++;
	return 0;
}

int journal_open(const char *path, const struct journal_log *log,
		 struct journal **out, struct err *e)
{
	CLEANUP(journal_closep) struct journal *j = xcalloc(1, sizeof(*j));
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (log ? 0 : O_EXCL);

	j->path = xstrdup(path);
	j->fd = open(path, flags, 0644);
	if (j->fd < 0)
		return err_sys(e, ERR_STORE, "%s", path);
	if (mend(j, log, e) < 0)
		return -1;
	if (fdatasync(j->fd) < 0)
		return err_sys(e, ERR_STORE, "%s", path);
	*out = TAKE_PTR(j);
	return 0;
}

// All of the line, or an error: the second write after a short one tells why.
static int write_whole(struct journal *j, const struct buf *line)
{
	size_t done = 0;

	while (done < line->len) {
		ssize_t n = pwrite(j->fd, line->data + done, line->len - done,
				   (off_t)(j->size + done));

		if (n < 0 && errno != EINTR)
			return -1;
		done += n > 0 ? (size_t)n : 0;
	}
	return fdatasync(j->fd);
}

int journal_append(struct journal *j, const struct record *r, struct err *e)
{
	CLEANUP(js_unrefp) struct js *tree = record_to_js(r);
	CLEANUP(buf_deinit) struct buf line = BUF_INIT;
	int rc;

	js_print(tree, &line);
	buf_putc(&line, '\n');
	if (write_whole(j, &line) == 0) {
		j->size += line.len;
		return 0;
	}
	rc = err_sys(e, ERR_STORE, "%s: trial %u could not be recorded",
		     j->path, r->trial);
	// What was written of it is taken back.
	if (ftruncate(j->fd, (off_t)j->size) < 0)
		err_wrap(e, "the last line may be torn");
	return rc;
}
