#include "analysis/html.h"

#include <ctype.h>

#include "analysis/svg.h"
#include "runner/base/sha256.h"

// clang-format off
static const char page_style[] =
"*{box-sizing:border-box}\n"
"body{margin:0;color:var(--fg);background:var(--bg);"
"font:1rem/1.5 system-ui,sans-serif}\n"
"main,header{max-width:62rem;margin:0 auto;padding:0 1rem}\n"
"h1{font-size:1.6rem;margin:1rem 0 0;overflow-wrap:anywhere}\n"
"h2{font-size:1.15rem;margin:2rem 0 .5rem;"
"border-bottom:1px solid var(--line)}\n"
"p,li{max-width:46rem;overflow-wrap:anywhere}\n"
".answer{font-size:1.15rem;font-weight:600;padding:.75rem 1rem;"
"background:var(--box);border-left:4px solid var(--accent)}\n"
".scroll{overflow-x:auto;position:relative}\n"
"table{border-collapse:collapse;font-size:.9rem;"
"font-variant-numeric:tabular-nums}\n"
"th,td{padding:.3rem .6rem;text-align:left;vertical-align:top;"
"border-bottom:1px solid var(--line);font-weight:400}\n"
"td,tbody th{overflow-wrap:break-word;min-width:7rem;max-width:26rem}\n"
"tbody th{max-width:22rem}\n"

"thead th{font-weight:600;white-space:nowrap}\n"
".r{text-align:right;white-space:nowrap;overflow-wrap:normal;min-width:0}\n"
"th button{all:unset;cursor:pointer;font:inherit}\n"
"th button:hover{text-decoration:underline}\n"
":focus-visible{outline:2px solid "
"var(--accent);outline-offset:2px}\n"
"th[aria-sort=ascending] button::after{content:\" \\2191\"}\n"
"th[aria-sort=descending] button::after{content:\" \\2193\"}\n"
"figure{margin:1.5rem 0}\n"
"figcaption,footer,caption,summary{color:var(--soft);font-size:.9rem}\n"
"svg{display:block;width:100%;min-width:32rem;height:auto}\n"
".hidden{position:absolute;width:1px;height:1px;overflow:hidden;"
"clip-path:inset(50%);white-space:nowrap}\n"
"footer{max-width:62rem;margin:0 auto;padding:1rem;"
"border-top:1px solid var(--line)}\n"
"a{color:var(--accent)}\n"
"@media(max-width:40rem){tbody th{min-width:5rem;max-width:11rem}}\n"
"@media print{main,header,footer{max-width:none}figure,tr{break-inside:avoid}"
"h2{break-after:avoid}.scroll{overflow:visible}svg{min-width:0}"
"html{font-size:11px}th,td{padding:.2rem .4rem;min-width:0}details{display:"
"none}}\n";

// Figures are sorted by their first number, unknown ones ("-") last.
// A region is a stop of the tab key only while there is something to scroll.
static const char script[] =
"const stops = () => document.querySelectorAll('.scroll').forEach(region =>\n"
"  region.tabIndex = region.scrollWidth > region.clientWidth ? 0 : -1);\n"
"addEventListener('resize', stops);\n"
"document.addEventListener('toggle', stops, true);\n"
"for (const table of document.querySelectorAll('table')) {\n"
"  const heads = [...table.tHead.rows[0].cells];\n"
"  const number = text => {\n"
"    const m = /[-+]?\\d*\\.?\\d+(e[-+]?\\d+)?/.exec(text);\n"
"    return m ? parseFloat(m[0]) : NaN;\n"
"  };\n"
"  const sort = (head, column) => {\n"
"    const up = head.getAttribute('aria-sort') !== 'ascending';\n"
"    const figures = head.classList.contains('r');\n"
"    const rows = [...table.tBodies[0].rows];\n"
"    const text = row => row.cells[column].textContent;\n"
"    rows.sort((a, b) => {\n"
"      const x = number(text(a)), y = number(text(b));\n"
"      if (!figures)\n"
"        return (up ? 1 : -1) * text(a).localeCompare(text(b), undefined,\n"
"                                                     {numeric: true});\n"
"      if (isNaN(x) || isNaN(y))\n"
"        return isNaN(x) - isNaN(y);\n"
"      return up ? x - y : y - x;\n"
"    });\n"
"    heads.forEach(h => h.removeAttribute('aria-sort'));\n"
"    head.setAttribute('aria-sort', up ? 'ascending' : 'descending');\n"
"    table.tBodies[0].append(...rows);\n"
"  };\n"
"  heads.forEach((head, column) => {\n"
"    const button = document.createElement('button');\n"
"    button.textContent = head.textContent;\n"
"    button.addEventListener('click', () => sort(head, column));\n"
"    head.replaceChildren(button);\n"
"  });\n"
"}\n"
"stops();\n";
// clang-format on

// What a policy calls an element's text by (Content Security Policy, 2.3.1).
static void put_hash(struct buf *out, const struct buf *text)
{
	char hash[SHA256_BASE64_CHARS + 1];

	sha256_base64(buf_str(text), text->len, hash);
	buf_printf(out, "'sha256-%s'", hash);
}

static void put_policy(struct buf *out, const struct buf *style)
{
	CLEANUP(buf_deinit) struct buf code = BUF_INIT;

	buf_puts(out, "<meta http-equiv=\"Content-Security-Policy\" content=\""
		      "default-src 'none'; base-uri 'none'; form-action "
		      "'none'; style-src ");
	put_hash(out, style);
	buf_puts(out, "; script-src ");
	buf_puts(&code, script);
	put_hash(out, &code);
	buf_puts(out, "\">\n");
}

void html_begin(struct buf *out, const char *title)
{
	CLEANUP(buf_deinit) struct buf style = BUF_INIT;

	buf_putc(&style, '\n');
	svg_variables(&style);
	svg_style(&style);
	buf_puts(&style, page_style);
	buf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		      "<meta charset=\"utf-8\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width, "
		      "initial-scale=1\">\n");
	put_policy(out, &style);
	html_element(out, "title", title);
	buf_printf(out, "<style>%s</style>\n</head>\n<body>\n<header>\n",
		   buf_str(&style));
	buf_puts(out, "<h1 dir=\"auto\">");
	svg_escape(out, title);
	buf_puts(out, "</h1>\n</header>\n<main>\n");
}

void html_end(struct buf *out)
{
	buf_printf(out,
		   "</main>\n<footer>Made by vrun %s.</footer>\n"
		   "<script>%s</script>\n</body>\n</html>\n",
		   VRUN_VERSION, script);
}

void html_element(struct buf *out, const char *tag, const char *text)
{
	buf_printf(out, "<%s>", tag);
	svg_escape(out, text);
	buf_printf(out, "</%s>\n", tag);
}

void html_paragraph(struct buf *out, const char *class, const char *text)
{
	buf_printf(out, "<p class=\"%s\" dir=\"auto\">", class);
	svg_escape(out, text);
	buf_puts(out, "</p>\n");
}

void html_heading(struct buf *out, const char *text)
{
	buf_puts(out, "<h2 id=\"");
	for (const char *p = text; *p != '\0'; p++)
		buf_putc(out, isalnum((unsigned char)*p)
				      ? (char)tolower((unsigned char)*p)
				      : '-');
	buf_puts(out, "\">");
	svg_escape(out, text);
	buf_puts(out, "</h2>\n");
}

void html_table_begin(struct buf *out, const char *caption,
		      const struct report_column *columns, size_t n)
{
	buf_puts(out, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
		      "aria-label=\"");
	svg_escape(out, caption);
	buf_puts(out, "\"><table>\n<caption class=\"hidden\">");
	svg_escape(out, caption);
	buf_puts(out, "</caption>\n<thead><tr>");
	for (size_t c = 0; c < n; c++) {
		buf_printf(out, "<th scope=\"col\"%s>",
			   columns[c].right ? " class=\"r\"" : "");
		svg_escape(out, columns[c].title);
		buf_puts(out, "</th>");
	}
	buf_puts(out, "</tr></thead>\n<tbody>\n");
}

void html_table_end(struct buf *out)
{
	buf_puts(out, "</tbody></table></div>\n");
}

void html_row_begin(struct buf *out)
{
	buf_puts(out, "<tr>");
}

void html_row_end(struct buf *out)
{
	buf_puts(out, "</tr>\n");
}

void html_cell(struct buf *out, const struct report_column *column, bool first,
	       const char *text, const char *link)
{
	const char *tag = first ? "th" : "td";

	buf_printf(out, "<%s%s%s>", tag, first ? " scope=\"row\"" : "",
		   column->right ? " class=\"r\"" : " dir=\"auto\"");
	if (link != NULL) {
		buf_puts(out, "<a href=\"");
		svg_escape(out, link);
		buf_puts(out, "\">");
	}
	svg_escape(out, text);
	buf_printf(out, "%s</%s>", link != NULL ? "</a>" : "", tag);
}
