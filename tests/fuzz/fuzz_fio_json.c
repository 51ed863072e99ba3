// fio's output: whatever it holds, figures that are taken are figures.
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "runner/base/alloc.h"
#include "runner/tool/fio_json.h"
#include "tests/fuzz/fuzz.h"

static void check(const struct fio_figures *f)
{
	assert(f->jobs >= 1 && f->jobs <= FIO_JSON_JOBS_MAX);
	assert(isfinite(f->iops) && f->iops >= 0);
	assert(isfinite(f->lat_mean_ns) || isnan(f->lat_mean_ns));
	assert(isfinite(f->cpu_ns) && isfinite(f->bytes_per_s));
	assert(!f->has_hist || f->lat.n == 0 || f->lat.min <= f->lat.max);
	for (size_t i = 0; i < FIO_LEVELS; i++)
		assert(isfinite(f->level[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(cleanup_free) struct fio_figures *f = xcalloc(1, sizeof(*f));
	struct err e = { 0 };

	if (fio_json_parse((const char *)data, size, f, &e) == 0)
		check(f);
	else
		assert(e.kind == ERR_HOST && e.msg[0] != '\0');
	return 0;
}
