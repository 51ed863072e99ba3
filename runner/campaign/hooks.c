#include "runner/campaign/hooks.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/base/alloc.h"
#include "runner/base/base64.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"
#include "runner/transport/spawn.h"

enum {
	LAST_WORDS_BYTES = 300,
};

// --- gathering -----------------------------------------------------------

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       access(path, X_OK) == 0;
}

// Beside the matrix, in a build tree, or where `make install` puts them.
static char *look_up(const char *name, const char *beside, struct err *e)
{
	CLEANUP(cleanup_free) char *self = realpath("/proc/self/exe", NULL);
	const char *own = self == NULL ? "." : dirname(self);
	char *const places[] = {
		xasprintf("%s/hooks/%s", beside, name),
		xasprintf("%s/../hooks/%s", own, name),
		xasprintf("%s/../share/vrun/hooks/%s", own, name),
	};
	char *found = NULL;

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		if (found == NULL && is_program(places[i]))
			found = places[i];
		else
			free(places[i]);
	}
	if (found == NULL)
		err_set(e, ERR_USAGE,
			"hook \"%.64s\": no such program in %s/hooks nor among "
			"vrun's own hooks; name a file with a slash, or write "
			"shell: for a command line",
			name, beside);
	return found;
}

static char *path_of(const char *run, const char *beside, struct err *e)
{
	CLEANUP(cleanup_free) char *path = NULL;

	if (strchr(run, '/') == NULL)
		return look_up(run, beside, e);
	path = run[0] == '/' ? xstrdup(run) : xasprintf("%s/%s", beside, run);
	if (is_program(path))
		return TAKE_PTR(path);
	err_set(e, ERR_USAGE,
		"hook \"%.200s\": %s is no file that can be executed", run,
		path);
	return NULL;
}

// Of letters, digits, ".", "_" and "-": it names files and metrics.
static char *name_of(const char *run, bool shell, size_t i)
{
	CLEANUP(cleanup_free) char *copy = xstrdup(run);
	char *name;

	if (shell)
		return xasprintf("shell-%zu", i + 1);
	name = xasprintf("%.48s", basename(copy));
	for (char *p = name; *p != '\0'; p++) {
		if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			   "0123456789._-",
			   *p) == NULL ||
		    (p == name && *p == '.'))
			*p = '_';
	}
	return name;
}

static int read_program(const struct js *hook, const char *beside,
			struct buf *out, struct err *e)
{
	const char *shell = js_get_str(hook, "shell", NULL);
	CLEANUP(cleanup_free) char *path = NULL;

	if (shell != NULL) {
		buf_printf(out, "#!/bin/sh\n%s\n", shell);
		return 0;
	}
	path = path_of(js_get_str(hook, "run", ""), beside, e);
	if (path == NULL)
		return -1;
	return file_read(path, HOOK_PROGRAM_MAX, out, ERR_USAGE, e);
}

static struct js *gather_one(const struct js *hook, size_t i,
			     const char *beside, struct err *e)
{
	static const char *const kept[] = { "stage", "on", "args", "env",
					    "timeout_ns" };
	CLEANUP(buf_deinit) struct buf program = BUF_INIT, data = BUF_INIT;
	const char *shell = js_get_str(hook, "shell", NULL);
	CLEANUP(cleanup_free)
	char *name = name_of(js_get_str(hook, "run", ""), shell != NULL, i);
	struct js *out;

	if (read_program(hook, beside, &program, e) < 0)
		return NULL;
	out = js_object();
	js_set_str(out, "name", name);
	for (size_t k = 0; k < ARRAY_LEN(kept); k++)
		js_set(out, kept[k], js_ref(js_get(hook, kept[k])));
	base64_encode(buf_str(&program), program.len, &data);
	js_set_str(out, "data", buf_str(&data));
	return out;
}

struct js *hooks_gather(const struct plan *p, const char *beside, struct err *e)
{
	CLEANUP(js_unrefp) struct js *list = js_array();
	size_t bytes = 0;

	for (size_t i = 0; i < js_len(p->hooks); i++) {
		struct js *one = gather_one(js_at(p->hooks, i), i, beside, e);

		if (one == NULL)
			return NULL;
		bytes += strlen(js_get_str(one, "data", ""));
		js_append(list, one);
	}
	if (bytes > HOOK_PROGRAMS_MAX) {
		err_set(e, ERR_USAGE,
			"hooks: their programs have %zu bytes in base64, more "
			"than %d together",
			bytes, HOOK_PROGRAMS_MAX);
		return NULL;
	}
	return TAKE_PTR(list);
}

static bool is_on(const struct js *hook, const char *place)
{
	return strcmp(js_get_str(hook, "on", ""), place) == 0;
}

struct js *hooks_for_host(const struct js *hooks, const char *host)
{
	struct js *list = js_array();

	for (size_t i = 0; i < js_len(hooks); i++) {
		struct js *one;

		if (is_on(js_at(hooks, i), "controller"))
			continue;
		one = js_copy(js_at(hooks, i));
		js_set_str(one, "host", host);
		js_append(list, one);
	}
	return list;
}

// --- running here --------------------------------------------------------

struct command {
	const char *path, *dir;
	struct strv argv, env;
};

static void become(const void *arg, int stream, int output)
{
	const struct command *c = arg;
	int null = open("/dev/null", O_RDONLY);

	(void)stream;
	if (null >= 0 && chdir(c->dir) == 0 && dup2(null, STDIN_FILENO) >= 0 &&
	    dup2(output, STDOUT_FILENO) >= 0 &&
	    dup2(output, STDERR_FILENO) >= 0)
		execve(c->path, c->argv.v, c->env.v);
	dprintf(output, "%s: %s\n", c->path, strerror(errno));
}

// The whole environment of vrun's, then what is said here.
static void environment(const struct js *hook, const struct strv *more,
			struct strv *out)
{
	const char *name;
	struct js *value;

	for (size_t i = 0; environ[i] != NULL; i++) {
		if (strncmp(environ[i], "VRUN_", 5) != 0)
			strv_add(out, environ[i]);
	}
	JS_FOREACH (js_get(hook, "env"), name, value)
		strv_addf(out, "%s=%s", name,
			  js_str(value) != NULL ? js_str(value) : "");
	strv_addf(out, "VRUN_STAGE=%s", js_get_str(hook, "stage", ""));
	strv_addf(out, "VRUN_HOOK=%s", js_get_str(hook, "name", ""));
	for (size_t i = 0; i < more->n; i++)
		strv_add(out, more->v[i]);
}

static int write_program(const char *path, const struct js *hook, struct err *e)
{
	CLEANUP(buf_deinit) struct buf program = BUF_INIT;
	CLEANUP(fd_closep) int fd = -1;
	const char *data = js_get_str(hook, "data", "");

	if (base64_decode(data, strlen(data), &program) < 0)
		return err_set(e, ERR_STORE, "hook \"%.64s\": bad program",
			       js_get_str(hook, "name", ""));
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	if (fd < 0 || fd_write_all(fd, buf_str(&program), program.len) < 0)
		return err_sys(e, ERR_STORE, "%s", path);
	return 0;
}

static int describe_end(const struct spawn *child, const struct js *hook,
			struct err *e)
{
	char words[LAST_WORDS_BYTES];
	const char *name = js_get_str(hook, "name", "");
	bool said = spawn_last_words(child, words, sizeof(words));

	if (!child->ended)
		return err_set(
			e, ERR_HOST,
			"hook %s took longer than its timeout (%.3g s)%s%s",
			name,
			(double)js_get_int(hook, "timeout_ns", 0) / NS_PER_S,
			said ? ": " : "", said ? words : "");
	if (WIFSIGNALED(child->status))
		return err_set(e, ERR_HOST,
			       "hook %s was killed by signal %d%s%s", name,
			       WTERMSIG(child->status), said ? ": " : "",
			       said ? words : "");
	if (WEXITSTATUS(child->status) == 0)
		return 0;
	return err_set(e, ERR_HOST, "hook %s exited with status %d%s%s", name,
		       WEXITSTATUS(child->status), said ? ": " : "",
		       said ? words : "");
}

static int run_command(const struct command *c, const struct js *hook,
		       struct err *e)
{
	CLEANUP(fd_closep) int stream = -1;
	struct spawn child;
	int rc;

	spawn_init(&child);
	stream = spawn_start(&child, become, c, e);
	if (stream < 0) {
		spawn_deinit(&child, 0);
		return -1;
	}
	spawn_reap(&child,
		   (int)(js_get_int(hook, "timeout_ns", 0) / NS_PER_MS));
	rc = describe_end(&child, hook, e);
	if (!child.ended)
		kill(-child.pid, SIGKILL); // with what it started
	spawn_deinit(&child, 0);
	return rc;
}

static int run_one(const struct js *hook, const char *dir,
		   const struct strv *env, struct err *e)
{
	CLEANUP(cleanup_free)
	char *path =
		xasprintf("%s/.hook-%s", dir, js_get_str(hook, "name", ""));
	const struct js *args = js_get(hook, "args");
	struct command c = { .path = path, .dir = dir };
	int rc;

	strv_add(&c.argv, path);
	for (size_t i = 0; i < js_len(args); i++)
		strv_add(&c.argv, js_str(js_at(args, i)) != NULL
					  ? js_str(js_at(args, i))
					  : "");
	environment(hook, env, &c.env);
	rc = write_program(path, hook, e);
	if (rc == 0)
		rc = run_command(&c, hook, e);
	unlink(path);
	strv_deinit(&c.argv);
	strv_deinit(&c.env);
	return rc;
}

int hooks_run_here(const struct js *hooks, const char *stage, const char *dir,
		   const struct strv *env, struct err *e)
{
	for (size_t i = 0; i < js_len(hooks); i++) {
		const struct js *hook = js_at(hooks, i);

		if (is_on(hook, "controller") &&
		    strcmp(js_get_str(hook, "stage", ""), stage) == 0 &&
		    run_one(hook, dir, env, e) < 0)
			return err_wrap(e, "%s", stage);
	}
	return 0;
}
