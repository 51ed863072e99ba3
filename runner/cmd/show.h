// Shows a report as the options --format, --json and --output ask: on standard
// output or in a file; colour and width as the terminal has them.
#pragma once

#include "analysis/report.h"
#include "runner/base/err.h"
#include "runner/cmd/cmd.h"

// Rows for the table of options of a command that shows a report.
// clang-format off
#define SHOW_OPTIONS                                                           \
	{ "format", 'f', "FORMAT",                                             \
	  "term (default), md, csv, json, latex or html" },                    \
	{ "json", 0, NULL, "the same as --format json" },                      \
	{ "output", 'o', "FILE", "write to FILE instead of standard output" }, \
	{ "figures", 0, "DIR", "write each figure to DIR, too, as SVG" }
// clang-format on

// Whether the options make sense, before anything is done for them.
int show_check(const struct cmd_args *args, struct err *e) MUST_CHECK;
// The report's figures as DIR/NAME.svg; DIR is made when there are any.when
// there are any.
int show_figures(const struct report *r, const char *dir,
		 struct err *e) MUST_CHECK;
// Sets r->width and r->color.
int show_report(const struct cmd_args *args, struct report *r,
		struct err *e) MUST_CHECK;
