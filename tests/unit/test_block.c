#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/agent/block.h"
#include "runner/agent/block_device.h"
#include "runner/agent/block_guard.h"
#include "runner/agent/load_uring.h"
#include "tests/fake/dir.h"

enum {
	FILE_BYTES = 1 << 20,
};

// --- parameters --------------------------------------------------------------

static int decode(const char *json, struct arena *a, struct block_params *p,
		  struct err *e)
{
	CLEANUP(js_unrefp)
	struct js *j = js_parse(json, strlen(json), "test", e);

	assert_non_null(j);
	return block_params_decode(j, "block", a, p, e);
}

static void defaults_read_null_blk_at_random(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct block_params p;
	struct err e;

	(void)state;
	assert_int_equal(decode("{\"fio-args\":[]}", a, &p, &e), 0);
	assert_int_equal(p.engine, BLOCK_BUILTIN);
	assert_int_equal(p.profile, BLOCK_LATENCY);
	assert_string_equal(p.device, "null_blk");
	assert_string_equal(block_rw_name(p.rw), "randread");
	assert_int_equal(p.bs, 4096);
	assert_true(p.direct);
	assert_null(p.fio_args);
	assert_false(block_writes(&p));
	assert_int_equal(p.null_blk.queue_mode, 2);
	assert_int_equal(p.null_blk.completion_nsec, 10000);
}

static void parameters_that_cannot_be_are_named(void **state)
{
	static const struct {
		const char *json, *why;
	} cases[] = {
		{ "{\"bs\":1000}", "bs: 1000 is no multiple of 512" },
		{ "{\"bs\":256}", "bs: 256 is not in" },
		{ "{\"iodepth\":0}", "iodepth: 0 is not in [1, 32768]" },
		{ "{\"iodepth\":32769}", "iodepth" },
		{ "{\"jobs\":257}", "jobs" },
		{ "{\"rwmixread\":101}", "rwmixread" },
		{ "{\"rw\":\"trim\"}", "have read, write, randread" },
		{ "{\"engine\":\"spdk\"}", "have builtin, fio" },
		{ "{\"device\":\"\"}", "device: is empty" },
		{ "{\"runtime\":0}", "runtime" },
		{ "{\"null_bs\":1536}", "null_bs: 1536 is no power of two" },
		{ "{\"fio-args\":[\"--iodepth=3\"]}", "need `engine: fio`" },
		{ "{\"fio-job\":\"[j]\"}", "need `engine: fio`" },
		{ "{\"queue_mode\":3}", "queue_mode" },
		{ "{\"size\":512}", "size: 512 bytes are too small for 1 job "
				    "of 4096" },
		{ "{\"size\":8192,\"jobs\":3}", "too small for 3 jobs of" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		struct block_params p;
		struct err e;

		if (decode(cases[i].json, a, &p, &e) == 0)
			fail_msg("%s is taken", cases[i].json);
		if (!strstr(e.msg, cases[i].why))
			fail_msg("%s: \"%s\"", cases[i].json, e.msg);
	}
}

static void what_writes_is_known(void **state)
{
	static const struct {
		int rw, mix;
		unsigned read_pct;
	} cases[] = {
		{ BLOCK_READ, 50, 100 },    { BLOCK_RANDREAD, 50, 100 },
		{ BLOCK_WRITE, 50, 0 },	    { BLOCK_RANDWRITE, 50, 0 },
		{ BLOCK_RANDRW, 70, 70 },   { BLOCK_RANDRW, 0, 0 },
		{ BLOCK_RANDRW, 100, 100 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct block_params p = { .rw = cases[i].rw,
					  .rwmixread = cases[i].mix };

		assert_int_equal(block_read_pct(&p), cases[i].read_pct);
		assert_int_equal(block_writes(&p), cases[i].read_pct < 100);
	}
}

// --- what writing would destroy

static void known_signatures_are_found(void **state)
{
	static const struct {
		const char *what, *magic;
		size_t at; // from the front, or from the end
		bool from_end;
	} cases[] = {
		{ "ext2/3/4", "\x53\xef", 0x438, false },
		{ "XFS", "XFSB", 0, false },
		{ "Btrfs", "_BHRfS_M", 0x10040, false },
		{ "LUKS", "LUKS\xba\xbe", 0, false },
		{ "LVM", "LVM2 001", 0x218, false },
		{ "swap", "SWAPSPACE2", 4086, false },
		{ "MD RAID", "\xfc\x4e\x2b\xa9", 0x1000, false },
		{ "MD RAID", "\xfc\x4e\x2b\xa9", 8192, true },
		{ "GPT", "EFI PART", 512, false },
		{ "GPT", "EFI PART", 512, true },
		{ "boot sector", "\x55\xaa", 510, false },
	};
	CLEANUP(cleanup_free)
	unsigned char *head = xcalloc(1, BLOCK_GUARD_HEAD);
	CLEANUP(cleanup_free)
	unsigned char *tail = xcalloc(1, BLOCK_GUARD_TAIL);

	(void)state;
	assert_null(block_guard_signature(head, BLOCK_GUARD_HEAD, tail,
					  BLOCK_GUARD_TAIL));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		size_t len = strlen(cases[i].magic);
		unsigned char *at =
			cases[i].from_end
				? tail + BLOCK_GUARD_TAIL - cases[i].at
				: head + cases[i].at;
		const char *found;

		memcpy(at, cases[i].magic, len);
		found = block_guard_signature(head, BLOCK_GUARD_HEAD, tail,
					      BLOCK_GUARD_TAIL);
		if (found == NULL || !strstr(found, cases[i].what))
			fail_msg("%s: %s", cases[i].what,
				 found ? found : "nothing");
		memset(at, 0, len);
	}
}

static void a_device_smaller_than_a_signatures_place_has_none(void **state)
{
	static const unsigned char zeros[512] = { 0 };

	(void)state;
	assert_null(block_guard_signature(zeros, sizeof(zeros), zeros,
					  sizeof(zeros)));
	assert_null(block_guard_signature(zeros, 0, zeros, 0));
}

// --- files

struct place {
	char *dir, *path;
	struct block_params p;
};

static struct place place_new(int rw, int64_t size)
{
	struct place at = { .dir = fake_dir_new() };

	at.path = xasprintf("%s/target", at.dir);
	at.p = (struct block_params){ .rw = rw, .size = size, .bs = 4096 };
	return at;
}

static void place_deinit(struct place *at)
{
	fake_dir_freep(&at->dir);
	free(at->path);
}

static void put(const struct place *at, off_t size)
{
	CLEANUP(fd_closep)
	int fd = open(at->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
}

static void a_file_is_made_with_data_and_used_again(void **state)
{
	CLEANUP(place_deinit)
	struct place at = place_new(BLOCK_RANDWRITE, FILE_BYTES);
	struct err e;

	(void)state;
	for (int i = 0; i < 2; i++) {
		CLEANUP(block_device_close)
		struct block_device d = { .fd = -1 };

		if (block_device_open(&d, at.path, &at.p, &e) < 0)
			fail_msg("%s", e.msg);
		assert_int_equal(d.size, FILE_BYTES);
		assert_false(d.is_block);
		assert_false(d.has_holes);
		assert_true(d.logical_block >= 512);
		assert_true(d.align >= 4096 && (d.align & (d.align - 1)) == 0);
		// Where it cannot be marked it goes with the run.
		if (d.unlink)
			return;
	}
}

// As when `size` is a factor.
static void a_file_of_our_own_is_made_anew_when_more_is_asked_for(void **state)
{
	static const int64_t sizes[] = { FILE_BYTES, 2LL * FILE_BYTES,
					 FILE_BYTES, 3LL * FILE_BYTES };
	static const int modes[] = { BLOCK_RANDREAD, BLOCK_RANDWRITE };
	CLEANUP(place_deinit)
	struct place at = place_new(BLOCK_RANDREAD, FILE_BYTES);
	int64_t has = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		CLEANUP(block_device_close)
		struct block_device d = { .fd = -1 };
		struct err e;

		at.p.rw = modes[i % 2];
		at.p.size = sizes[i];
		if (block_device_open(&d, at.path, &at.p, &e) < 0)
			fail_msg("%s", e.msg);
		has = d.unlink ? sizes[i] : MAX(has, sizes[i]);
		assert_int_equal(d.size, has);
		assert_false(d.has_holes);
	}
}

static void a_file_of_somebody_is_read_but_not_written(void **state)
{
	CLEANUP(place_deinit) struct place at = place_new(BLOCK_RANDREAD, 0);
	CLEANUP(block_device_close) struct block_device d = { .fd = -1 };
	struct err e;

	(void)state;
	put(&at, FILE_BYTES);
	assert_int_equal(block_device_open(&d, at.path, &at.p, &e), 0);
	assert_true(d.has_holes);
	block_device_close(&d);
	at.p.rw = BLOCK_RANDWRITE;
	assert_int_equal(block_device_open(&d, at.path, &at.p, &e), -1);
	assert_int_equal(e.kind, ERR_REFUSED);
	assert_non_null(strstr(e.msg, "refusing to write: the file exists"));
	assert_non_null(strstr(e.msg, "`destroy: ["));
	at.p.destroy = true;
	assert_int_equal(block_device_open(&d, at.path, &at.p, &e), 0);
}

static void a_target_that_is_none_is_refused(void **state)
{
	CLEANUP(place_deinit) struct place at = place_new(BLOCK_RANDREAD, 0);
	const struct {
		const char *path, *why;
	} cases[] = {
		{ at.path, "does not exist; give a `size:`" },
		{ at.dir, "is neither a block device nor a regular file" },
		{ "/dev/null", "is neither a block device" },
		{ "/nonexistent/x/y", "does not exist" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(block_device_close)
		struct block_device d = { .fd = -1 };
		struct err e;

		assert_int_equal(
			block_device_open(&d, cases[i].path, &at.p, &e), -1);
		if (!strstr(e.msg, cases[i].why))
			fail_msg("%s: \"%s\"", cases[i].path, e.msg);
	}
}

// --- whole runs

// A run of 30 ms on a file, with more parameters.
static struct result *run(const struct place *at, struct arena *a,
			  const char *more)
{
	CLEANUP(js_unrefp) struct js *list = NULL;
	CLEANUP(cleanup_free)
	char *json = xasprintf("[{\"kind\":\"block\",\"device\":\"%s\","
			       "\"ramp\":0,\"runtime\":30000000,"
			       "\"direct\":false%s}]",
			       at->path, more);
	struct workload_run proto = { .name = NULL };
	struct err e;

	list = js_parse(json, strlen(json), "test", &e);
	assert_non_null(list);
	return workload_run_all(list, &proto, a);
}

static void result_drop(struct result *r)
{
	js_unref(r->hists);
	js_unref(r->facts);
}

static double metric_of(const struct result *r, const char *name)
{
	for (size_t i = 0; i < r->nmetrics; i++) {
		if (strcmp(r->metrics[i].name, name) == 0)
			return r->metrics[i].value;
	}
	fail_msg("no %s", name);
	return -1;
}

static bool notes_say(const struct result *r, const char *what)
{
	for (size_t i = 0; i < r->nnotes; i++) {
		if (strstr(r->notes[i], what))
			return true;
	}
	return false;
}

static void a_run_gives_all_figures_and_they_agree(void **state)
{
	static const char *const mores[] = {
		",\"size\":1048576",
		",\"rw\":\"read\",\"jobs\":2",
		",\"rw\":\"randrw\",\"iodepth\":16",
		",\"iodepth\":64,\"profile\":\"peak\"",
		",\"norepeat\":true,\"iodepth\":4",
		",\"rate\":1000,\"rw\":\"write\"",
	};
	CLEANUP(place_deinit) struct place at = place_new(0, 0);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(mores); i++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		struct result *r = run(&at, a, mores[i]);
		double p50, iops;

		if (r->outcome != OUTCOME_OK)
			fail_msg("%s: %s", mores[i], r->reason);
		iops = metric_of(r, "block.iops");
		p50 = metric_of(r, "block.lat_p50");
		assert_true(iops > 0 && p50 > 0);
		assert_true(p50 <= metric_of(r, "block.lat_p999"));
		assert_true(metric_of(r, "block.lat_mean") > 0);
		assert_true(metric_of(r, "block.cpu_per_io") > 0);
		assert_true(metric_of(r, "block.errors") == 0);
		assert_true(metric_of(r, "block.bw") == iops * 4096 / 1e6);
		assert_non_null(js_get(r->hists, "block.lat"));
		assert_null(r->stage);
		result_drop(r);
	}
}

static void a_run_that_cannot_be_says_why(void **state)
{
	static const struct {
		const char *more, *why;
		enum outcome outcome;
		bool final; // a retry would say the same
	} cases[] = {
		{ ",\"size\":2097152",
		  "has 1048576 bytes, `size:` asks for "
		  "2097152; remove it",
		  OUTCOME_FAILED, true },
		{ ",\"bs\":2097152", "are too small for 1 job of",
		  OUTCOME_FAILED, true },
		{ ",\"rw\":\"write\"", "refusing to write", OUTCOME_FAILED,
		  true },
		{ ",\"bs\":512,\"iodepht\":1", "unknown parameter \"iodepht\"",
		  OUTCOME_FAILED, true },
		{ ",\"engine\":\"fio\",\"fio-args\":[\"--no-such\"]", "fio",
		  OUTCOME_FAILED, false },
	};
	CLEANUP(place_deinit) struct place at = place_new(0, 0);

	(void)state;
	put(&at, FILE_BYTES);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		struct result *r = run(&at, a, cases[i].more);

		assert_int_equal(r->outcome, cases[i].outcome);
		if (!strstr(r->reason, cases[i].why) ||
		    r->final != cases[i].final)
			fail_msg("%s: \"%s\"%s", cases[i].more, r->reason,
				 r->final ? ", final" : "");
		result_drop(r);
	}
}

// A fio that does nothing but report.
static void put_fio(const struct place *at, const char *job)
{
	CLEANUP(cleanup_free) char *path = xasprintf("%s/fio", at->dir);
	CLEANUP(fd_closep) int fd = -1;

	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
	assert_true(fd >= 0);
	assert_true(dprintf(fd,
			    "#!/bin/sh\nexec >\"${1#--output=}\"\n"
			    "echo '{\"fio version\":\"fio-3\",\"jobs\":"
			    "[{%s}]}'\n",
			    job) > 0);
}

static void errors_that_fio_reports_are_worded(void **state)
{
	static const struct {
		const char *job, *why;
	} cases[] = {
		{ "\"total_err\":3,\"first_error\":0",
		  "block: fio reported 3 failed I/Os, but not why" },
		{ "\"total_err\":1,\"first_error\":5",
		  "block: fio reported 1 failed I/O, the first by: "
		  "Input/output error (errno 5)" },
		{ "\"error\":28,\"total_err\":0",
		  "block: fio reported: No space left on device (errno 28)" },
	};
	CLEANUP(place_deinit) struct place at = place_new(0, 0);
	CLEANUP(cleanup_free) char *before = xstrdup(getenv("PATH"));
	CLEANUP(cleanup_free)
	char *path = xasprintf("%s:%s", at.dir, before);

	(void)state;
	put(&at, FILE_BYTES);
	setenv("PATH", path, 1);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		struct result *r;

		put_fio(&at, cases[i].job);
		r = run(&at, a, ",\"engine\":\"fio\"");
		assert_int_equal(r->outcome, OUTCOME_FAILED);
		assert_string_equal(r->reason, cases[i].why);
		result_drop(r);
	}
	setenv("PATH", before, 1);
}

static void reading_holes_is_said(void **state)
{
	CLEANUP(place_deinit) struct place at = place_new(0, 0);
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct result *r;

	(void)state;
	put(&at, FILE_BYTES);
	r = run(&at, a, "");
	assert_int_equal(r->outcome, OUTCOME_OK);
	assert_true(notes_say(r, "parts that were never written"));
	result_drop(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_read_null_blk_at_random),
		cmocka_unit_test(parameters_that_cannot_be_are_named),
		cmocka_unit_test(what_writes_is_known),
		cmocka_unit_test(known_signatures_are_found),
		cmocka_unit_test(
			a_device_smaller_than_a_signatures_place_has_none),
		cmocka_unit_test(a_file_is_made_with_data_and_used_again),
		cmocka_unit_test(
			a_file_of_our_own_is_made_anew_when_more_is_asked_for),
		cmocka_unit_test(a_file_of_somebody_is_read_but_not_written),
		cmocka_unit_test(a_target_that_is_none_is_refused),
		cmocka_unit_test(a_run_gives_all_figures_and_they_agree),
		cmocka_unit_test(a_run_that_cannot_be_says_why),
		cmocka_unit_test(errors_that_fio_reports_are_worded),
		cmocka_unit_test(reading_holes_is_said),
	};
	struct err e;

	if (load_uring_probe(&e) < 0) {
		puts(e.msg);
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
