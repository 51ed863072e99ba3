// Anybody's table, through the whole analysis: read, compared, reported in
// every format. The first two bytes choose the options.
#include <assert.h>

#include "analysis/report.h"
#include "analysis/table.h"
#include "tests/fuzz/fuzz.h"

enum {
	INPUT_MAX = 4096, // the tests of many cells are quadratic in them
};

static const char *const values[] = { "y", "z" };
static const char *const range[] = { "1..3" };
static const char *const factors[] = { "a", "b" };

static struct table_spec spec_of(uint8_t bits, uint8_t style)
{
	bool headless = style & 1;

	return (struct table_spec){
		.where = "fuzz",
		.format = { .comment = style & 2 ? "#" : NULL,
			    .separator = style & 4 ? CSV_BLANKS : 0,
			    .first_line = style & 8 ? 2 : 0 },
		.style = { .decimal = style & 16 ? ',' : '.',
			   .units = style & 32 },
		.wide = (enum table_wide)(style >> 6),
		.no_header = headless,
		.values = { headless ? range : values,
			    headless ? 1 : 1 + (bits & 1) },
		.factors = { factors, !headless && (bits >> 1) & 3 ? 1 : 0 },
		.block = bits & 8 ? (headless ? "row" : "round") : NULL,
		.host = bits & 16 ? "host" : NULL,
		.boot = bits & 32 ? "boot" : NULL,
		.order = bits & 64 ? (headless ? "row" : "seq") : NULL,
		.status = bits & 128 ? "status" : NULL,
	};
}

static void report_all(const struct dataset *ds, const struct analysis *an)
{
	const struct report r = { .ds = ds, .an = an, .name = "fuzz" };

	for (int f = 0; f < REPORT_FORMATS; f++) {
		CLEANUP(buf_deinit) struct buf text = BUF_INIT;

		report_write(&r, (enum report_format)f, &text);
		assert(text.len > 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(dataset_freep) struct dataset *ds = NULL;
	CLEANUP(strv_deinit) struct strv notes = STRV_INIT;
	CLEANUP(analysis_freep) struct analysis *an = NULL;
	struct compare_spec compare = { .alpha = COMPARE_ALPHA,
					.margin = 0.02 };
	struct table_spec spec;
	struct err e = { 0 };

	if (size < 2 || size > INPUT_MAX)
		return 0;
	spec = spec_of(data[0], data[1]);
	ds = dataset_new();
	spec.text = (const char *)data + 2;
	spec.len = size - 2;
	if (table_read(&spec, ds, &notes, &e) != 0 ||
	    compare_run(ds, &compare, &an, &e) != 0) {
		assert(e.kind == ERR_USAGE && e.msg[0] != '\0');
		return 0;
	}
	report_all(ds, an);
	return 0;
}
