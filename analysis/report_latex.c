// The tables of the report for a paper: booktabs, to be \input as they are.
// The caption of each begins with the answer; the methods stand below.
#include "analysis/report_parts.h"

#include <ctype.h>
#include <string.h>

enum {
	TEXT_CHARS = 30, // in a column; longer ones are broken into lines
	LATIN1_LAST = 0xff,
};

// Tables are made narrower only when they would not fit.
// Letters that neither the font nor the input encoding has are printed by
// their number, "[U+1F600]": pdflatex stops at them, lualatex leaves them out.
static const char preamble[] =
	"% Made by vrun. Needs \\usepackage{array,booktabs,graphicx}, and "
	"pdflatex also\n"
	"% \\usepackage[T1]{fontenc}, which is wrong for lualatex. A letter that "
	"the font\n"
	"% lacks is printed as [U+1F600]: lualatex with fontspec and a font that "
	"has it\n"
	"% prints it.\n"
	"\\providecommand{\\vrunlacks}[1]{\\texttt{[U+#1]}}\n"
	"\\ifdefined\\Umathchar % lualatex, xelatex\n"
	"  \\providecommand{\\vrunhas}[4]{\\iffontchar\\font\\string\"#1 "
	"#3\\else#4\\fi}\n"
	"\\else\n"
	"  \\providecommand{\\vrunhas}[4]{\\ifcsname "
	"u8:\\detokenize{#2}\\endcsname#3\\else#4\\fi}\n"
	"\\fi\n"
	"\\ifdefined\\vrunchar\\else\n"
	"  "
	"\\DeclareRobustCommand{\\vrunchar}[2]{\\vrunhas{#1}{#2}{#2}"
	"{\\vrunlacks{#1}}}\n"
	"\\fi\n"
	"\\providecommand{\\vrunfit}[1]{\\setlength{\\tabcolsep}{3pt}%\n"
	"  \\sbox0{#1}\\ifdim\\wd0>\\linewidth"
	"\\resizebox{\\linewidth}{!}{\\usebox0}%\n"
	"  \\else\\usebox0\\fi}\n";

static const struct escape {
	char c;
	const char *tex;
} escapes[] = {
	{ '\\', "\\textbackslash{}" },
	{ '{', "\\{" },
	{ '}', "\\}" },
	{ '_', "\\_" },
	{ '%', "\\%" },
	{ '&', "\\&" },
	{ '#', "\\#" },
	{ '$', "\\$" },
	{ '~', "\\textasciitilde{}" },
	{ '^', "\\textasciicircum{}" },
	{ '<', "\\textless{}" },
	{ '>', "\\textgreater{}" },
	{ '|', "\\textbar{}" },
	{ '"', "\\textquotedbl{}" },
	{ '`', "\\textasciigrave{}" },
};

static const char *escape_of(char c)
{
	for (size_t i = 0; i < ARRAY_LEN(escapes); i++)
		if (escapes[i].c == c)
			return escapes[i].tex;
	return NULL;
}

// A minus and not a hyphen: before a figure, after nothing, a blank or "[".
static bool is_minus(const char *text, size_t i)
{
	char before = i > 0 ? text[i - 1] : ' ';

	return text[i] == '-' && isdigit((unsigned char)text[i + 1]) &&
	       (before == ' ' || before == '[');
}

// Bytes of the character at `text`, which is right UTF-8, and its number.
static size_t code_of(const char *text, unsigned *code)
{
	unsigned char first = (unsigned char)text[0];
	size_t len = 1;

	*code = first < 0xe0 ? first & 0x1f : first & 0x0f;
	for (; ((unsigned char)text[len] & 0xc0) == 0x80; len++)
		*code = *code << 6 | ((unsigned char)text[len] & 0x3f);
	return len;
}

// Latin-1 is everywhere.
static size_t put_letter(struct buf *out, const char *text)
{
	unsigned code;
	size_t len = code_of(text, &code);

	if (code > LATIN1_LAST)
		buf_printf(out, "\\vrunchar{%04X}{%.*s}", code, (int)len, text);
	else
		buf_add(out, text, len);
	return len;
}

static void escaped(struct buf *out, const char *text)
{
	for (size_t i = 0; text[i] != '\0'; i++) {
		const char *tex = escape_of(text[i]);

		if ((unsigned char)text[i] >= 0x80)
			i += put_letter(out, text + i) - 1;
		else if (text[i] == '[' && i == 0)
			buf_puts(out, "{[}"); // no argument of the row before
		else if (is_minus(text, i))
			buf_puts(out, "$-$");
		else if (text[i] == '-' && text[i + 1] == '-')
			buf_puts(out, "-{}"); // no dash
		else if (text[i] == ' ' && text[i + 1] == '%')
			buf_puts(out, "\\,"); // never apart from its figure
		else if (tex != NULL)
			buf_puts(out, tex);
		else
			buf_putc(out, text[i]);
	}
}

static void row(struct buf *out, const struct report_table *t,
		const char *const *text)
{
	buf_puts(out, "    ");
	for (size_t c = 0; c < t->ncolumns; c++) {
		buf_puts(out, c > 0 ? " & " : "");
		escaped(out, text[c]);
	}
	buf_puts(out, " \\\\\n");
}

static size_t longest(const struct report_table *t, size_t column)
{
	size_t most = 0;

	for (size_t i = column; i < t->ntext; i += t->ncolumns)
		most = MAX(most, strlen(t->text[i]));
	return most;
}

static void tabular(struct buf *out, const struct report_table *t)
{
	buf_puts(out, "  \\vrunfit{\\begin{tabular}{");
	for (size_t c = 0; c < t->ncolumns; c++)
		if (!t->columns[c].right && longest(t, c) > TEXT_CHARS)
			buf_puts(out, ">{\\raggedright\\arraybackslash}"
				      "p{0.3\\linewidth}");
		else
			buf_putc(out, t->columns[c].right ? 'r' : 'l');
	buf_puts(out, "}\n    \\toprule\n    ");
	for (size_t c = 0; c < t->ncolumns; c++) {
		buf_puts(out, c > 0 ? " & " : "");
		escaped(out, t->columns[c].title);
	}
	buf_puts(out, " \\\\\n    \\midrule\n");
	for (size_t i = 0; i < t->ntext; i += t->ncolumns)
		row(out, t, t->text + i);
	buf_puts(out, "    \\bottomrule\n  \\end{tabular}}\n");
}

struct float_table {
	const char *label; // "tab:vrun-cells"
	void (*fill)(const struct report *r, struct report_table *t);
	void (*caption)(const struct report *r, struct buf *out);
	void (*note)(const struct report *r, struct buf *out); // or NULL
};

static const struct float_table floats[] = {
	{ "cells", report_table_cells, report_question, NULL },
	{ "comparisons", report_table_comparisons, report_answer,
	  report_methods },
	{ "also", report_table_secondary, report_secondary_title, NULL },
};

static void say(struct buf *out, const struct report *r, struct arena *a,
		void (*what)(const struct report *r, struct buf *out))
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	what(r, &text);
	escaped(out, report_clean(a, buf_str(&text)));
}

static void put_float(struct buf *out, const struct report *r, struct arena *a,
		      const struct float_table *f)
{
	struct report_table t;

	report_table_init(&t, a, NULL, 0);
	f->fill(r, &t);
	if (t.ntext == 0)
		return;
	buf_puts(out, "\n\\begin{table}\n  \\centering\n  \\caption{");
	say(out, r, a, f->caption);
	buf_printf(out, "}\n  \\label{tab:vrun-%s}\n  \\footnotesize\n",
		   f->label);
	tabular(out, &t);
	if (f->note != NULL) {
		buf_puts(out, "\n  \\medskip\\footnotesize\\raggedright\n  ");
		say(out, r, a, f->note);
		buf_putc(out, '\n');
	}
	buf_puts(out, "\\end{table}\n");
}

void report_write_latex(const struct report *r, struct buf *out)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();

	buf_puts(out, preamble);
	for (size_t i = 0; i < ARRAY_LEN(floats); i++)
		put_float(out, r, a, &floats[i]);
}
