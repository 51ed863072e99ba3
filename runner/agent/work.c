#include "runner/agent/work.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runner/agent/guest_worker.h"
#include "runner/agent/workload.h"
#include "runner/base/fd.h"

enum {
	WORK_FILE_MAX = 1 << 20
};

static int read_input(const char *path, struct buf *text, struct err *e)
{
	if (strcmp(path, "-") != 0)
		return file_read(path, WORK_FILE_MAX, text, ERR_USAGE, e);
	if (fd_read_all(STDIN_FILENO, text, WORK_FILE_MAX) < 0)
		return err_sys(e, ERR_USAGE, "standard input");
	return 0;
}

// Whatever form was given, the list of workloads.
static struct js *list_of(const struct js *given)
{
	struct js *list = js_get(given, "workloads");

	if (js_kind(given) == JS_ARRAY)
		return js_ref(given);
	if (list != NULL)
		return js_ref(list);
	list = js_array();
	js_append(list, js_ref(given));
	return list;
}

static int print(struct result *r, struct err *e)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct js *j = result_to_js(r);

	js_print_pretty(j, &text);
	js_unref(j);
	if (fd_write_all(STDOUT_FILENO, text.data, text.len) < 0)
		return err_sys(e, ERR_HOST, "standard output");
	return 0;
}

int work_main(int argc, char **argv, struct err *e)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	CLEANUP(js_unrefp) struct js *given = NULL, *list = NULL;
	struct workload_run proto = { .name = NULL };
	struct result *r;
	int rc;

	if (argc != 2)
		return err_set(e, ERR_USAGE,
			       "usage: vrun-agent work FILE.json");
	if (read_input(argv[1], &text, e) < 0)
		return -1;
	given = js_parse(buf_str(&text), text.len, argv[1], e);
	if (given == NULL)
		return -1;
	list = list_of(given);
	proto.place = guest_place(given);
	r = workload_run_all(list, &proto, a);
	rc = print(r, e);
	js_unref(r->hists);
	js_unref(r->facts);
	return rc;
}
