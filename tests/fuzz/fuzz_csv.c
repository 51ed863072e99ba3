// Anybody's table, through the whole analysis: read, compared, reported in
// every format. The first byte chooses the options.
#include <assert.h>

#include "analysis/report.h"
#include "analysis/table.h"
#include "tests/fuzz/fuzz.h"

enum {
	INPUT_MAX = 4096, // the tests of many cells are quadratic in them
};

static const char *const values[] = { "y", "z" };
static const char *const factors[] = { "a", "b" };

static struct table_spec spec_of(uint8_t bits)
{
	return (struct table_spec){
		.where = "fuzz",
		.values = { values, 1 + (bits & 1) },
		.factors = { factors, (bits >> 1) & 3 ? 1 : 0 },
		.block = bits & 8 ? "round" : NULL,
		.host = bits & 16 ? "host" : NULL,
		.boot = bits & 32 ? "boot" : NULL,
		.order = bits & 64 ? "seq" : NULL,
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

	if (size == 0 || size > INPUT_MAX)
		return 0;
	spec = spec_of(data[0]);
	ds = dataset_new();
	spec.text = (const char *)data + 1;
	spec.len = size - 1;
	if (table_read(&spec, ds, &notes, &e) != 0 ||
	    compare_run(ds, &compare, &an, &e) != 0) {
		assert(e.kind == ERR_USAGE && e.msg[0] != '\0');
		return 0;
	}
	report_all(ds, an);
	return 0;
}
