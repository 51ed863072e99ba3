#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/fd.h"
#include "runner/tool/fio_json.h"

enum {
	FILE_MAX = 1 << 20
};

#define DATA "tests/data/tool-output/"

static struct fio_figures *figures_new(void)
{
	return xcalloc(1, sizeof(struct fio_figures));
}

static void close_to(const char *what, double got, double want)
{
	if (!(fabs(got - want) <= 1e-9 * fabs(want)))
		fail_msg("%s: %.17g, not %.17g", what, got, want);
}

static struct fio_figures *parse_ok(const char *text, size_t len)
{
	struct fio_figures *f = figures_new();
	struct err e;

	if (fio_json_parse(text, len, f, &e) < 0)
		fail_msg("%s", e.msg);
	return f;
}

static void read_data(const char *name, struct buf *text)
{
	CLEANUP(cleanup_free) char *path = xasprintf(DATA "%s", name);
	struct err e;

	if (file_read(path, FILE_MAX, text, ERR_HOST, &e) < 0)
		fail_msg("%s", e.msg);
}

static void output_of_several_versions_is_read(void **state)
{
	static const struct {
		const char *file, *version;
		int64_t written_ms;
		uint64_t ios;
		double iops, bytes_per_s, lat_mean_ns, p50, p999;
		double cpu_ns; // (usr_cpu + sys_cpu) / 100 of the job's time
	} cases[] = {
		// bw in KiB/s, latency in us.
		{ "fio-2.18.json", "fio-2.18-59-g618e", 1492427773974, 4891,
		  476.798596, 1907 * 1024.0, 131978623.799, 73216e3, 1564672e3,
		  0 },
		{ "fio-3.14.json", "fio-3.14-6-g97134", 1566772963019, 522428,
		  8706.988217, 35663823, 112799.599709, 101888, 158720,
		  (5.305 + 11.656667) / 100 * 60000e6 },
		{ "fio-3.19.json", "fio-3.19-10-g3bd2", 1584586049245,
		  5866101116, 29330065.629016, 120135948816, 1350.855684, 1128,
		  15040, (98.265736 + 1.726191) / 100 * 9600037e6 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_deinit) struct buf text = BUF_INIT;
		CLEANUP(cleanup_free) struct fio_figures *f = NULL;
		const char *name = cases[i].file;

		read_data(name, &text);
		f = parse_ok(text.data, text.len);
		assert_string_equal(f->version, cases[i].version);
		assert_int_equal(f->written_ms, cases[i].written_ms);
		assert_int_equal(f->ios, cases[i].ios);
		assert_int_equal(f->error, 0);
		close_to(name, f->iops, cases[i].iops);
		close_to(name, f->bytes_per_s, cases[i].bytes_per_s);
		close_to(name, f->lat_mean_ns, cases[i].lat_mean_ns);
		close_to(name, f->percentile[0], cases[i].p50);
		close_to(name, f->percentile[3], cases[i].p999);
		close_to(name, f->cpu_ns, cases[i].cpu_ns);
		// Without lat_percentiles there are only those of clat.
		assert_true(f->percentiles_of_clat);
		assert_false(f->has_hist);
		close_to(name, f->level[0], 1);
	}
}

// A file of the data directory, or text of ours, and words of the error.
static void what_is_no_result_says_why(void **state)
{
	static const struct {
		const char *file, *text, *why;
	} cases[] = {
		{ "fio-3.34-text-before-json.json", NULL,
		  "fio: the run was cut short: \"terminating on signal 2\"" },
		{ "fio-engine-missing.json", NULL,
		  "fio: gave no JSON but: fio: engine libaio not loadable | "
		  "fio: failed to load engine" },
		{ NULL, "", "fio: gave no output" },
		{ NULL, "\n\n", "fio: gave no output" },
		{ NULL, "{\n  \"fio version\" : \"fio-3.33\",\n  \"jo",
		  "fio's output:" },
		{ NULL, "{", "fio's output:" },
		{ NULL, "{}", "no list of 1 to" },
		{ NULL, "{\"jobs\":{}}", "no list of 1 to" },
		{ NULL, "{\"jobs\":[]}", "no list of 1 to" },
		{ NULL, "{\"jobs\":[{\"read\":{\"total_ios\":-1}}]}",
		  "job 1 has a count" },
		{ NULL,
		  "{\"jobs\":[{\"read\":{\"total_ios\":5,\"iops\":nan}}]}",
		  "job 1 has a count, rate or latency that is no figure" },
		{ NULL,
		  "{\"jobs\":[{\"read\":{\"total_ios\":5,\"iops\":-1.0}}]}",
		  "job 1 has a count" },
		{ NULL,
		  "{\"jobs\":[{\"read\":{\"total_ios\":5,\"iops\":1,"
		  "\"lat_ns\":{\"mean\":inf}}}]}",
		  "job 1 has a count" },
		{ NULL,
		  "{\"jobs\":[{\"read\":{\"total_ios\":5,\"iops\":1e999}}]}",
		  "fio's output:" },
		{ NULL,
		  "{\"jobs\":[{\"usr_cpu\":1e300,\"job_runtime\":1e300}]}",
		  "figures of its jobs add up to none" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_deinit) struct buf text = BUF_INIT;
		CLEANUP(cleanup_free) struct fio_figures *f = figures_new();
		struct err e;

		if (cases[i].file != NULL)
			read_data(cases[i].file, &text);
		else
			buf_puts(&text, cases[i].text);
		if (fio_json_parse(buf_str(&text), text.len, f, &e) == 0)
			fail_msg("case %zu is taken", i);
		if (e.kind != ERR_HOST || !strstr(e.msg, cases[i].why))
			fail_msg("case %zu: \"%s\"", i, e.msg);
	}
}

static void output_cut_off_anywhere_is_refused_not_read(void **state)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	CLEANUP(cleanup_free) struct fio_figures *f = figures_new();
	struct err e;
	size_t end;

	(void)state;
	read_data("fio-3.14.json", &text);
	for (end = text.len; text.data[end - 1] != '}'; end--)
		;
	for (size_t len = 0; len < end; len += len < 600 ? 1 : 97) {
		if (fio_json_parse(text.data, len, f, &e) == 0)
			fail_msg("the first %zu bytes are taken", len);
	}
}

#define JOB(read_extra, job_extra)                                      \
	"{\"read\":{\"total_ios\":100,\"iops\":50.0,\"bw_bytes\":1000," \
	"\"lat_ns\":{\"mean\":2000.0" read_extra "}},\"usr_cpu\":10.0," \
	"\"sys_cpu\":20.0,\"job_runtime\":1000" job_extra "}"

static struct fio_figures *parse_jobs(const char *jobs)
{
	CLEANUP(cleanup_free) char *text = xasprintf("{\"jobs\":[%s]}", jobs);

	return parse_ok(text, strlen(text));
}

static void numbers_that_are_none_are_passed_over_where_nobody_reads(void **s)
{
	CLEANUP(cleanup_free)
	struct fio_figures *f = parse_jobs(
		JOB(",\"stddev\":-nan,\"min\":18446744073709551615,\"x\":inf",
		    ",\"name\":\"a nan, \\\" inf 18446744073709551615\""));

	(void)s;
	assert_int_equal(f->ios, 100);
	close_to("mean", f->lat_mean_ns, 2000);
}

static void jobs_add_up_and_their_percentiles_do_not(void **state)
{
	CLEANUP(cleanup_free)
	struct fio_figures *f = parse_jobs(
		JOB(",\"percentile\":{\"50.000000\":1900}",
		    "") ","
			"{\"write\":{\"total_ios\":300,\"iops\":150.0,"
			"\"bw_bytes\":3000,\"lat_ns\":{\"mean\":6000.0}},"
			"\"job_runtime\":1000,\"total_err\":3,\"error\":5}");

	(void)state;
	assert_int_equal(f->jobs, 2);
	assert_int_equal(f->ios, 400);
	close_to("iops", f->iops, 200);
	close_to("bytes", f->bytes_per_s, 4000);
	close_to("mean", f->lat_mean_ns, 5000);
	close_to("cpu", f->cpu_ns, 0.3e9);
	assert_int_equal(f->errors, 3);
	assert_int_equal(f->error, 5);
	for (size_t i = 0; i < FIO_PERCENTILES; i++)
		assert_true(isnan(f->percentile[i]));
}

static void bins_become_a_histogram_if_all_have_them(void **state)
{
	CLEANUP(cleanup_free)
	struct fio_figures *both =
		parse_jobs(JOB(",\"bins\":{\"1000\":50,\"3000\":50}",
			       "") "," JOB(",\"bins\":{\"5000\":100}", ""));
	CLEANUP(cleanup_free)
	struct fio_figures *one = parse_jobs(
		JOB(",\"bins\":{\"1000\":50,\"3000\":50}", "") "," JOB("", ""));

	(void)state;
	assert_true(both->has_hist);
	assert_int_equal(both->lat.n, 200);
	assert_int_equal(both->lat.min, 1000);
	assert_int_equal(both->lat.max, 5000);
	assert_false(one->has_hist);
}

static void depths_are_weighted_by_ios(void **state)
{
	CLEANUP(cleanup_free)
	struct fio_figures *f = parse_jobs(
		JOB("", ",\"iodepth_level\":{\"1\":10.0,\">=64\":90.0}") "," JOB(
			"", ",\"iodepth_level\":{\"1\":50.0,\">=64\":50.0}"));

	(void)state;
	close_to("1", f->level[0], 0.3);
	close_to(">=64", f->level[FIO_LEVELS - 1], 0.7);
}

static void text_around_the_json_is_passed_over(void **state)
{
	static const char text[] =
		"fio: warning {of something}\n{\"jobs\":[" JOB(
			"", "") "]}\n"
				"and more text {";
	CLEANUP(cleanup_free)
	struct fio_figures *f = parse_ok(text, sizeof(text) - 1);

	(void)state;
	assert_int_equal(f->ios, 100);
	assert_string_equal(f->version, "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_of_several_versions_is_read),
		cmocka_unit_test(what_is_no_result_says_why),
		cmocka_unit_test(output_cut_off_anywhere_is_refused_not_read),
		cmocka_unit_test(
			numbers_that_are_none_are_passed_over_where_nobody_reads),
		cmocka_unit_test(jobs_add_up_and_their_percentiles_do_not),
		cmocka_unit_test(bins_become_a_histogram_if_all_have_them),
		cmocka_unit_test(depths_are_weighted_by_ios),
		cmocka_unit_test(text_around_the_json_is_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
