#include "runner/campaign/index.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "analysis/report.h"
#include "analysis/report_index.h"
#include "runner/base/alloc.h"
#include "runner/base/arena.h"
#include "runner/base/fd.h"
#include "runner/campaign/store.h"

enum {
	COMPACT_CHARS = 16, // of "20261201T041944Z"
};

struct scan {
	struct arena *arena;
	const char *root;
	struct report_index_entry *entries;
	size_t n, cap;
	const char **skipped;
	size_t nskipped, skipped_cap;
};

static bool is_compact(const char *text)
{
	static const char shape[] = "########T######Z";

	for (size_t i = 0; i < COMPACT_CHARS; i++) {
		if (shape[i] == '#' ? !isdigit((unsigned char)text[i])
				    : text[i] != shape[i])
			return false;
	}
	return true;
}

// "2026-12-01T04:19:44Z" from the name of the directory; "" when it has none.
static const char *stamp_of(struct arena *a, const char *dir)
{
	for (const char *p = dir; *p != '\0'; p++) {
		if (is_compact(p))
			return arena_printf(a, "%.4s-%.2s-%.2sT%.2s:%.2s:%.2sZ",
					    p, p + 4, p + 6, p + 9, p + 11,
					    p + 13);
	}
	return "";
}

static struct js *read_report(const char *path, struct err *e)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	if (file_read(path, INDEX_REPORT_MAX, &text, ERR_STORE, e) < 0)
		return NULL;
	return js_parse(buf_str(&text), text.len, "report", e);
}

static const char *take_str(struct scan *s, const struct js *j, const char *key)
{
	const char *text = js_get_str(j, key, NULL);

	return text != NULL ? arena_strdup(s->arena, text) : NULL;
}

// What the report says; the caller has filled in what there is without it.
static void add_report(struct scan *s, const char *path,
		       struct report_index_entry *to)
{
	struct err e = { 0 };
	CLEANUP(js_unrefp) struct js *j = read_report(path, &e);
	const char *name = j != NULL ? take_str(s, j, "name") : NULL;
	const char *started = j != NULL ? take_str(s, j, "started") : NULL;

	if (j == NULL) {
		to->trouble = arena_printf(s->arena, "unreadable: %s", e.msg);
		return;
	}
	to->question = take_str(s, j, "question");
	to->answer = take_str(s, j, "answer");
	if (to->answer == NULL)
		to->trouble = "unreadable: its report has no answer";
	if (name != NULL)
		to->name = name;
	if (started != NULL)
		to->started = started;
}

static void add_campaign(struct scan *s, const char *dir, const char *path)
{
	const char *json = report_file_name(REPORT_JSON);
	const char *html = report_file_name(REPORT_HTML);
	struct report_index_entry *to;

	arena_push(s->arena, &s->entries, &s->n, &s->cap, sizeof(*s->entries));
	to = &s->entries[s->n - 1];
	to->dir = to->name = arena_strdup(s->arena, dir);
	to->started = stamp_of(s->arena, dir);
	if (store_has(path, html))
		to->page = html;
	if (store_has(path, json))
		add_report(s, arena_printf(s->arena, "%s/%s", path, json), to);
	else
		to->trouble = "no report: it is running, or vrun resume goes "
			      "on with it";
}

static void add_dir(struct scan *s, const char *name)
{
	const char *path = arena_printf(s->arena, "%s/%s", s->root, name);
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return; // a file, or gone by now
	if (store_has(path, STORE_PLAN)) {
		add_campaign(s, name, path);
		return;
	}
	arena_push(s->arena, &s->skipped, &s->nskipped, &s->skipped_cap,
		   sizeof(*s->skipped));
	s->skipped[s->nskipped - 1] = arena_strdup(s->arena, name);
}

static int is_shown(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int scan(struct scan *s, struct err *e)
{
	struct dirent **names;
	int n = scandir(s->root, &names, is_shown, by_bytes);

	if (n < 0)
		return err_sys(e, ERR_STORE, "%s", s->root);
	for (int i = 0; i < n; i++) {
		add_dir(s, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	return 0;
}

static int newest_first(const void *a, const void *b)
{
	const struct report_index_entry *x = a, *y = b;
	int order = strcmp(y->started, x->started);

	return order != 0 ? order : strcmp(x->dir, y->dir);
}

static int write_page(struct scan *s, struct err *e)
{
	CLEANUP(cleanup_free)
	char *path = xasprintf("%s/" INDEX_FILE, s->root);
	CLEANUP(buf_deinit) struct buf page = BUF_INIT;
	struct report_index index = { s->entries, s->n, s->skipped,
				      s->nskipped };

	if (s->n > 0)
		qsort(s->entries, s->n, sizeof(*s->entries), newest_first);
	report_index_write(&index, &page);
	return file_replace(path, buf_str(&page), page.len, e);
}

int index_write(const char *root, struct err *e)
{
	CLEANUP(fd_closep)
	int lock = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct scan s = { .arena = a, .root = root };

	if (lock < 0)
		return err_sys(e, ERR_STORE, "%s", root);
	if (flock(lock, LOCK_EX) < 0)
		return err_sys(e, ERR_STORE, "%s: lock", root);
	if (scan(&s, e) < 0)
		return -1;
	return write_page(&s, e);
}
