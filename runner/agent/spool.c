#include "runner/agent/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/agent/procfs.h"
#include "runner/agent/rundir.h"
#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"

#define PREFIX "spool-"

bool spool_campaign_is_good(const char *campaign)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789._-";
	size_t len = strlen(campaign);

	return len > 0 && len <= SPOOL_CAMPAIGN_MAX &&
	       strspn(campaign, good) == len;
}

// --- what is held --------------------------------------------------------

static void forget(struct spool *s)
{
	js_unref(s->result);
	artifacts_deinit(&s->artifacts);
	s->result = NULL;
	s->holds = s->done = false;
}

void spool_drop(struct spool *s)
{
	forget(s);
	if (s->path != NULL)
		unlink(s->path);
}

void spool_deinit(struct spool *s)
{
	forget(s);
	free(s->path);
	free(s->campaign);
	*s = (struct spool){ 0 };
}

void spool_begin(struct spool *s, int64_t trial, int64_t attempt)
{
	spool_drop(s);
	s->holds = true;
	s->trial = trial;
	s->attempt = attempt;
}

bool spool_is_for(const struct spool *s, int64_t trial, int64_t attempt)
{
	return s->holds && s->trial == trial && s->attempt == attempt;
}

struct js *spool_holds(const struct spool *s)
{
	struct js *j;

	if (!s->holds)
		return NULL;
	j = js_object();
	js_set_int(j, "trial", s->trial);
	js_set_int(j, "attempt", s->attempt);
	js_set_bool(j, "done", s->done);
	return j;
}

// --- the file ------------------------------------------------------------

static int save(const struct spool *s, struct err *e)
{
	CLEANUP(js_unrefp) struct js *j = js_object();
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	char boot[PROCFS_BOOT_ID_MAX];

	js_set_int(j, "v", SPOOL_VERSION);
	js_set_str(j, "campaign", s->campaign);
	if (procfs_boot_id(boot) == 0)
		js_set_str(j, "boot_id", boot);
	js_set_int(j, "uptime_ns", clock_boot_ns());
	js_set_int(j, "trial", s->trial);
	js_set_int(j, "attempt", s->attempt);
	js_set(j, "result", js_ref(s->result));
	if (s->artifacts.list != NULL)
		js_set(j, "artifacts", js_ref(s->artifacts.list));
	js_print(j, &text);
	return file_replace(s->path, text.data, text.len, e);
}

static void add_note(struct js *result, const char *text)
{
	struct js *notes = js_get(result, "notes");

	if (js_kind(notes) != JS_ARRAY) {
		notes = js_array();
		js_set(result, "notes", notes);
	}
	js_append(notes, js_string(text));
}

void spool_finish(struct spool *s, struct js *result, struct artifacts *a)
{
	CLEANUP(cleanup_free) char *note = NULL;
	struct err e = { 0 };

	js_unref(s->result);
	artifacts_deinit(&s->artifacts);
	s->result = result;
	s->artifacts = *a;
	*a = (struct artifacts){ 0 };
	s->done = true;
	if (s->path == NULL || save(s, &e) == 0)
		return;
	unlink(s->path);
	note = xasprintf("the host had no place to keep this result: %.500s",
			 e.msg);
	add_note(s->result, note);
}

// The times in it are of a clock that began anew.
static void note_reboot(const struct js *file, struct js *result)
{
	char now[PROCFS_BOOT_ID_MAX];

	if (procfs_boot_id(now) == 0 &&
	    strcmp(js_get_str(file, "boot_id", ""), now) != 0)
		add_note(result, "the host was rebooted after this trial and "
				 "before its result was handed over");
}

static int take_file(struct spool *s, const struct js *j, struct err *e)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct js *result = js_get(j, "result");
	int64_t trial = js_get_int(j, "trial", -1);
	int64_t attempt = js_get_int(j, "attempt", 0);

	if (js_get_int(j, "v", 0) != SPOOL_VERSION)
		return err_set(e, ERR_HOST,
			       "version %lld of the format; this agent has %d",
			       (long long)js_get_int(j, "v", 0), SPOOL_VERSION);
	if (strcmp(js_get_str(j, "campaign", ""), s->campaign) != 0)
		return err_set(e, ERR_HOST, "it is of campaign \"%.64s\"",
			       js_get_str(j, "campaign", ""));
	if (trial < 0 || attempt < 1)
		return err_set(e, ERR_HOST, "it names no trial");
	if (result_from_js(result, a, result_new(a), e) < 0 ||
	    artifacts_read(js_get(j, "artifacts"), &s->artifacts, e) < 0)
		return -1;
	s->result = js_ref(result);
	note_reboot(j, s->result);
	s->trial = trial;
	s->attempt = attempt;
	s->holds = s->done = true;
	return 0;
}

static int load(struct spool *s, struct err *e)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	CLEANUP(js_unrefp) struct js *j = NULL;

	if (file_read(s->path, SPOOL_FILE_MAX, &text, ERR_HOST, e) < 0)
		return -1;
	j = js_parse(buf_str(&text), text.len, s->path, e);
	if (j == NULL)
		return -1;
	return take_file(s, j, e) < 0 ? err_wrap(e, "%s", s->path) : 0;
}

// Nobody may take it for a result, and somebody may want to look at it.
static void set_aside(const struct spool *s, const struct err *why,
		      struct buf *warning)
{
	CLEANUP(cleanup_free) char *aside = xasprintf("%s.bad", s->path);

	if (rename(s->path, aside) < 0)
		unlink(s->path);
	buf_printf(warning,
		   "the result that was kept here cannot be trusted: %.600s; "
		   "it is now %s.bad",
		   why->msg, s->path);
}

// --- others' files -------------------------------------------------------

// How long ago it was written: by the host's uptime, which nobody can set,
// and only for the files of a former boot by its calendar.
static int64_t age_ns(const char *path, const struct stat *st)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	CLEANUP(js_unrefp) struct js *j = NULL;
	char now[PROCFS_BOOT_ID_MAX];
	struct err ignored;

	if (file_read(path, SPOOL_FILE_MAX, &text, ERR_HOST, &ignored) == 0)
		j = js_parse(buf_str(&text), text.len, path, &ignored);
	if (procfs_boot_id(now) == 0 &&
	    strcmp(js_get_str(j, "boot_id", ""), now) == 0)
		return clock_boot_ns() - js_get_int(j, "uptime_ns", INT64_MAX);
	return clock_wall_ns() - st->st_mtim.tv_sec * NS_PER_S;
}

static void remove_if_old(const char *path)
{
	const int64_t keep = SPOOL_KEEP_DAYS * 24LL * 3600 * NS_PER_S;
	struct stat st;

	// By the calendar first: it spares reading what is young by both.
	if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	    clock_wall_ns() - st.st_mtim.tv_sec * NS_PER_S > keep &&
	    age_ns(path, &st) > keep)
		unlink(path);
}

static void sweep(const char *dir, const char *own)
{
	DIR *d = opendir(dir);
	struct dirent *ent;

	while (d != NULL && (ent = readdir(d)) != NULL) {
		CLEANUP(cleanup_free) char *path = NULL;

		path = xasprintf("%s/%s", dir, ent->d_name);
		if (strncmp(ent->d_name, PREFIX, strlen(PREFIX)) == 0 &&
		    strcmp(path, own) != 0)
			remove_if_old(path);
	}
	if (d != NULL)
		closedir(d);
}

void spool_open(struct spool *s, const char *campaign, struct buf *warning)
{
	CLEANUP(cleanup_free) char *dir = NULL;
	struct err e = { 0 };

	*s = (struct spool){ 0 };
	if (campaign == NULL)
		return;
	dir = rundir_state(&e);
	if (dir == NULL) {
		buf_printf(warning,
			   "results cannot be kept here when the connection is "
			   "lost: %.600s",
			   e.msg);
		return;
	}
	s->campaign = xstrdup(campaign);
	s->path = xasprintf("%s/" PREFIX "%s.json", dir, campaign);
	sweep(dir, s->path);
	if (access(s->path, F_OK) == 0 && load(s, &e) < 0)
		set_aside(s, &e, warning);
}
