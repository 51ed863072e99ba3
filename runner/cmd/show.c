#include "runner/cmd/show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "analysis/report_figures.h"
#include "runner/base/alloc.h"
#include "runner/base/arena.h"
#include "runner/base/fd.h"

static int format_of(const struct cmd_args *args, enum report_format *out,
		     struct err *e)
{
	CLEANUP(buf_deinit) struct buf have = BUF_INIT;
	const char *name = cmd_value(args, "format");
	bool json = cmd_has(args, "json");

	*out = json ? REPORT_JSON : REPORT_TERM;
	if (name == NULL)
		return 0;
	if (report_format_from_name(name, out) != 0) {
		report_format_list(&have);
		return err_set(e, ERR_USAGE,
			       "--format: unknown format \"%s\" (have %s)",
			       name, buf_str(&have));
	}
	if (json && *out != REPORT_JSON)
		return err_set(e, ERR_USAGE,
			       "--json and --format %s exclude each other",
			       name);
	return 0;
}

// See no-color.org; TERM=dumb knows no escape codes.
static bool wants_color(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && (no == NULL || no[0] == '\0') &&
	       term != NULL && strcmp(term, "dumb") != 0;
}

static unsigned terminal_width(void)
{
	struct winsize ws;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_col > 0)
		return ws.ws_col;
	return REPORT_WIDTH;
}

int show_check(const struct cmd_args *args, struct err *e)
{
	enum report_format ignored;

	return format_of(args, &ignored, e);
}

static int write_figure(const struct report_figure *f, const char *dir,
			struct err *e)
{
	CLEANUP(cleanup_free)
	char *path = xasprintf("%s/%s.svg", dir, f->head.name);
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	report_figure_file(f, &text);
	return file_replace(path, buf_str(&text), text.len, e);
}

int show_figures(const struct report *r, const char *dir, struct err *e)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct report_figures all;

	report_figures_make(r, a, &all);
	if (all.n > 0 && dir_make_all(dir) < 0)
		return err_sys(e, ERR_STORE, "figures in %s", dir);
	for (size_t i = 0; i < all.n; i++) {
		if (write_figure(&all.items[i], dir, e) < 0)
			return -1;
	}
	return 0;
}

int show_report(const struct cmd_args *args, struct report *r, struct err *e)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	const char *path = cmd_value(args, "output");
	const char *figures = cmd_value(args, "figures");
	enum report_format format;

	if (format_of(args, &format, e) != 0)
		return -1;
	if (figures != NULL && show_figures(r, figures, e) < 0)
		return -1;
	r->color = path == NULL && wants_color();
	r->width = path == NULL ? terminal_width() : REPORT_WIDTH;
	report_write(r, format, &text);
	if (path != NULL)
		return file_replace(path, buf_str(&text), text.len, e);
	fwrite(text.data, 1, text.len, stdout); // main checks the stream
	return 0;
}
