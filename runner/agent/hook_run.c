#include "runner/agent/hook_run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/agent/hook_env.h"
#include "runner/agent/hook_output.h"
#include "runner/agent/program.h"
#include "runner/base/alloc.h"
#include "runner/base/base64.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"

enum {
	READY_STEP_MS = 20, // between looks for "ready"; nothing measures yet
};

int hook_check(const struct js *hook, struct err *e)
{
	const char *name = js_get_str(hook, "name", "");

	if (artifact_name_is_good(name) &&
	    js_get_str(hook, "stage", NULL) != NULL &&
	    js_get_int(hook, "timeout_ns", 0) > 0 &&
	    js_len(js_get(hook, "args")) <= HOOK_ARGS_MAX)
		return 0;
	return err_set(e, ERR_HOST, "hook \"%.64s\" is malformed", name);
}

int hook_write_program(const struct js *hook, const char *path, struct err *e)
{
	CLEANUP(buf_deinit) struct buf program = BUF_INIT;
	CLEANUP(fd_closep) int fd = -1;
	const char *data = js_get_str(hook, "data", "");

	if (strlen(data) > BASE64_CHARS(HOOK_PROGRAM_MAX) ||
	    base64_decode(data, strlen(data), &program) < 0)
		return err_set(e, ERR_HOST, "hook \"%.64s\": bad program",
			       js_get_str(hook, "name", ""));
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	if (fd < 0 || fd_write_all(fd, buf_str(&program), program.len) < 0)
		return err_sys(e, ERR_HOST, "%s", path);
	return 0;
}

void hook_run_deinit(struct hook_run *r)
{
	child_stop(&r->child);
	fd_closep(&r->input);
	if (r->artifacts != NULL)
		dir_remove_all(r->artifacts);
	free(r->artifacts);
	free(r->log);
	free(r->name);
}

static void name_run(struct hook_run *r, const struct js *hook)
{
	const char *path = js_get_str(hook, "path", "");

	*r = (struct hook_run)HOOK_RUN_INIT;
	r->hook = hook;
	r->name = xasprintf("hook %s (%s)", js_get_str(hook, "name", ""),
			    js_get_str(hook, "stage", ""));
	r->log = xasprintf("%s.log", path);
	r->artifacts = xasprintf("%s.d", path);
}

static void arguments_of(const struct js *hook, struct strv *argv)
{
	const struct js *args = js_get(hook, "args");

	strv_add(argv, js_get_str(hook, "path", ""));
	for (size_t i = 0; i < js_len(args); i++)
		strv_add(argv, js_str(js_at(args, i)) != NULL
				       ? js_str(js_at(args, i))
				       : "");
}

static int start(struct hook_run *r, const struct hook_site *s, bool around,
		 struct err *e)
{
	CLEANUP(strv_deinit) struct strv argv = STRV_INIT;
	CLEANUP(strv_deinit) struct strv env = STRV_INIT;
	CLEANUP(fd_closep) int in = -1;
	struct child_spec spec = { .name = r->name,
				   .log = r->log,
				   .keep_fd = -1,
				   .file_max = HOOK_OUTPUT_MAX };
	int pipe_ends[2];

	dir_remove_all(r->artifacts);
	if (dir_make_all(r->artifacts) < 0)
		return err_sys(e, ERR_HOST, "%s", r->artifacts);
	if (around) {
		if (pipe2(pipe_ends, O_CLOEXEC) < 0)
			return err_sys(e, ERR_HOST, "pipe");
		in = spec.in_fd = pipe_ends[0];
		r->input = pipe_ends[1];
	}
	arguments_of(r->hook, &argv);
	hook_env_add(s, r->hook, r->artifacts, &env);
	spec.argv = argv.v;
	spec.env = env.v;
	return child_start(&r->child, &spec, e);
}

int hook_run_start(struct hook_run *r, const struct hook_site *s,
		   const struct js *hook, bool around, struct fault *f)
{
	name_run(r, hook);
	if (start(r, s, around, &f->err) == 0)
		return 0;
	fault_from_err(f, OUTCOME_FAILED);
	program_explain(js_get_str(hook, "path", ""), f);
	return -1;
}

static int64_t limit_of(const struct hook_run *r)
{
	return js_get_int(r->hook, "timeout_ns", 0);
}

static void keep_artifact(const struct hook_site *s, const char *hook,
			  const char *path, const char *file)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	CLEANUP(cleanup_free)
	char *name = xasprintf("hook-%s%s%s", hook, file[0] ? "-" : "", file);
	size_t room = artifacts_room(s->artifacts);
	struct stat st;
	struct err e;

	// Nobody may write to a pipe, nor a device ever end.
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		result_note(s->arena, s->result,
			    "hook %s: \"%.64s\" is not kept: it is no file",
			    hook, file);
	else if (file_read(path, room, &text, ERR_HOST, &e) < 0)
		result_note(s->arena, s->result, "hook %s: %s is not kept: %s",
			    hook, file[0] ? file : "its output", e.msg);
	else if (text.len > 0 &&
		 !artifacts_add(s->artifacts, name, text.data, text.len))
		result_note(
			s->arena, s->result,
			"hook %s: \"%.64s\" is not kept: no room, or a name "
			"of other than letters, digits, dots and dashes",
			hook, file);
}

static void keep_artifacts(const struct hook_site *s, const struct hook_run *r)
{
	const char *hook = js_get_str(r->hook, "name", "");
	DIR *d = opendir(r->artifacts);
	const struct dirent *ent;

	keep_artifact(s, hook, r->log, "");
	while (d != NULL && (ent = readdir(d)) != NULL) {
		CLEANUP(cleanup_free)
		char *path = xasprintf("%s/%s", r->artifacts, ent->d_name);

		if (ent->d_name[0] != '.')
			keep_artifact(s, hook, path, ent->d_name);
	}
	if (d != NULL)
		closedir(d);
}

static int take_output(const struct hook_site *s, const struct hook_run *r,
		       struct fault *f)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	if (s->result == NULL)
		return 0;
	keep_artifacts(s, r);
	if (file_read(r->log, HOOK_OUTPUT_MAX, &text, ERR_HOST, &f->err) < 0 ||
	    hook_output_read(js_get_str(r->hook, "name", ""), buf_str(&text),
			     s->arena, s->result, &f->err) < 0) {
		fault_from_err(f, OUTCOME_FAILED);
		return fault_wrap(f, "%s", r->name);
	}
	return 0;
}

int hook_run_finish(struct hook_run *r, const struct hook_site *s,
		    struct fault *f)
{
	fd_closep(&r->input);
	if (watch_child_end(s->watch, &r->child, limit_of(r), f) < 0) {
		if (s->result != NULL)
			keep_artifacts(s, r);
		return -1;
	}
	return take_output(s, r, f);
}

static bool is_ready(const struct hook_run *r)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct err e;

	return file_read(r->log, HOOK_OUTPUT_MAX, &text, ERR_HOST, &e) == 0 &&
	       hook_output_is_ready(buf_str(&text));
}

// Looks at its output now and then: nothing measures yet.
int hook_run_wait_ready(struct hook_run *r, const struct hook_site *s,
			struct fault *f)
{
	int64_t until = clock_mono_ns() + limit_of(r);

	while (!is_ready(r)) {
		struct watch_for step = {
			.fd = -1,
			.deadline_ns =
				clock_mono_ns() + READY_STEP_MS * NS_PER_MS,
			.child = &r->child,
			.what = "\"ready\" of a hook",
		};

		if (watch_wait(s->watch, &step, f) < 0 &&
		    f->outcome != OUTCOME_TIMEOUT)
			return is_ready(r) ? 0 : -1;
		if (clock_mono_ns() >= until)
			return fault_set(f, OUTCOME_TIMEOUT,
					 "%s did not say \"ready\" in time",
					 r->name);
	}
	return 0;
}
