#include "tests/unit/unit.h"

#include "runner/base/jscan.h"
#include "runner/base/js.h"
#include "tests/fake/scan.h"

#define HEAD                                                                     \
	"{\"v\":1,\"event\":\"finished\",\"trial\":4,\"attempt\":2,\"block\":1," \
	"\"boot\":3,\"boot_attempt\":1,\"position\":5,\"cell\":6,"               \
	"\"host\":\"lab3\",\"levels\":{\"backing\":\"4k\",\"cpus\":\"2\"},"      \
	"\"wall_ns\":1700000000000000001,\"mono_ns\":9,\"result\":"
#define METRICS                                                         \
	"\"metrics\":[{\"name\":\"block.iops\",\"value\":0.1,\"unit\":" \
	"\"IOPS\",\"better\":\"higher\"},{\"name\":\"n\",\"value\":"    \
	"-12e-3,\"unit\":\"1\",\"better\":\"neither\"}]"
#define CHECKS                                                        \
	"\"checks\":[{\"parameter\":\"backing\",\"expected\":\"4k\"," \
	"\"seen\":\"4k\",\"source\":\"smaps\",\"status\":\"ok\"}]"

// Each alone, and after all others.
static const char *const lines[] = {
	HEAD "{\"outcome\":\"ok\"," METRICS "," CHECKS "}}",
	HEAD "{\"outcome\":\"ok\",\"metrics\":[],\"checks\":[]}}",
	HEAD "{\"outcome\":\"failed\",\"reason\":\"gone\",\"stage\":\"boot\","
	     "\"metrics\":[],\"checks\":[],\"notes\":[\"a\",\"b\"]}}",
	HEAD "{\"outcome\":\"ok\"," METRICS "," CHECKS
	     ",\"hists\":{\"block.lat\":{\"n\":1,\"buckets\":[[5,1]]}},"
	     "\"times\":{\"boot_ns\":12,\"guest\":{\"x\":1.5e3}},"
	     "\"facts\":{\"guest\":{\"kernel\":\"6.1\",\"debug\":[]},"
	     "\"qemu\":{\"pid\":12,\"kvm\":true}}}}",
	HEAD "{\"outcome\":\"ok\"," METRICS "," CHECKS
	     ",\"facts\":{\"guest\":{\"kernel\":\"6.1\",\"debug\":[]},"
	     "\"qemu\":{\"pid\":13,\"kvm\":true}}}}",
	HEAD "{\"outcome\":\"ok\"," METRICS "," CHECKS ",\"facts\":{}}}",
	HEAD "{\"outcome\":\"ok\"," METRICS "," CHECKS
	     ",\"facts\":{\"guest\":7}}}",
	// Written otherwise, and as true.
	HEAD " {\"outcome\":\"ok\"," METRICS "," CHECKS "}}",
	HEAD "{" METRICS ",\"outcome\":\"ok\"," CHECKS "}}",
	HEAD "{\"outcome\":\"ok\",\"checks\":[]}}",
	HEAD "{\"outcome\":\"ok\"," METRICS "," CHECKS ",\"more\":1}}",
	HEAD "{\"outcome\":\"ok\",\"metrics\":[{\"name\":\"caf\xc3\xa9\","
	     "\"value\":1,\"unit\":\"\xc2\xb5s\",\"better\":\"lower\"}]}}",
	HEAD "{\"outcome\":\"ok\",\"metrics\":[{\"name\":\"a\\u0041\\n\","
	     "\"value\":null,\"unit\":\"\",\"better\":\"lower\"}]}}",
	// Figures at the limits.
	HEAD "{\"outcome\":\"ok\",\"metrics\":[{\"name\":\"m\",\"value\":"
	     "9223372036854775807,\"unit\":\"\",\"better\":\"lower\"}]}}",
	HEAD "{\"outcome\":\"ok\",\"metrics\":[{\"name\":\"m\",\"value\":"
	     "1.7976931348623157e308,\"unit\":\"\",\"better\":\"lower\"}]}}",
	HEAD "{\"outcome\":\"ok\",\"metrics\":[{\"name\":\"m\",\"value\":"
	     "4.9e-324,\"unit\":\"\",\"better\":\"lower\"}]}}",
	HEAD "{\"outcome\":\"ok\",\"metrics\":[{\"name\":\"m\",\"value\":"
	     "0.30000000000000000000000000000000000000000004,"
	     "\"unit\":\"\",\"better\":\"lower\"}],\"checks\":[]}}",
	HEAD "{\"outcome\":\"ok\",\"metrics\":[{\"name\":\"m\",\"value\":"
	     "-0,\"unit\":\"\",\"better\":\"lower\"}],\"checks\":[]}}",
	// To be refused.
	"",
	"{",
	HEAD,
	HEAD "{\"outcome\":\"fine\"," METRICS "," CHECKS "}}",
	HEAD "{\"outcome\":\"ok\"," METRICS "," CHECKS "}}x",
	HEAD "{\"outcome\":\"ok\"," METRICS "," CHECKS "}}}",
	HEAD "{\"outcome\":\"ok\"," METRICS "," CHECKS ",\"facts\":[]}}",
	HEAD "{\"outcome\":\"ok\"," METRICS "," CHECKS ",\"times\":[]}}",
	HEAD "{\"outcome\":\"ok\"," METRICS "," CHECKS ",\"hists\":3}}",
	HEAD "{\"outcome\":\"ok\"," METRICS "," CHECKS
	     ",\"facts\":{\"guest\":{\"a\":1,\"a\":2}}}}",
	HEAD "{\"outcome\":\"ok\"," METRICS "," CHECKS
	     ",\"facts\":{\"guest\":{},\"guest\":{}}}}",
	HEAD "{\"outcome\":\"ok\"," METRICS "," CHECKS
	     ",\"times\":{\"a\":01}}}",
	HEAD "{\"outcome\":\"ok\"," METRICS "," CHECKS
	     ",\"times\":{\"a\":1e999}}}",
	HEAD "{\"outcome\":\"ok\"," METRICS "," CHECKS
	     ",\"times\":{\"a\":9300000000000000000}}}",
	HEAD "{\"outcome\":\"ok\",\"metrics\":[{\"name\":\"m\",\"value\":"
	     "\"1\",\"unit\":\"\",\"better\":\"lower\"}],\"checks\":[]}}",
	HEAD "{\"outcome\":\"ok\",\"metrics\":[{\"name\":\"m\",\"value\":1,"
	     "\"unit\":\"\",\"better\":\"worse\"}],\"checks\":[]}}",
	"{\"v\":1,\"event\":\"started\",\"trial\":4294967296,\"attempt\":1,"
	"\"block\":1,\"boot\":3,\"boot_attempt\":1,\"position\":5,\"cell\":6,"
	"\"host\":\"h\",\"levels\":{},\"wall_ns\":1,\"mono_ns\":9}",
	"{\"v\":1,\"event\":\"started\",\"trial\":4,\"attempt\":1,\"block\":1,"
	"\"boot\":3,\"boot_attempt\":1,\"position\":5,\"cell\":6,"
	"\"host\":\"h\",\"levels\":{\"a\":\"1\",\"a\":\"2\"},\"wall_ns\":1,"
	"\"mono_ns\":9}",
	"{\"v\":1,\"event\":\"started\",\"trial\":4,\"attempt\":1,\"block\":1,"
	"\"boot\":3,\"boot_attempt\":1,\"position\":5,\"cell\":4294967295,"
	"\"host\":\"h\",\"levels\":{},\"wall_ns\":1,\"mono_ns\":9}",
};

static void check(struct record_scan *s, const char *line, size_t len)
{
	CLEANUP(scan_pair_deinit) struct scan_pair p;

	scan_both(s, line, len, &p);
	if (!scan_agrees(&p))
		fail_msg("%.*s\nscanned: %s %s\nparsed:  %s %s", (int)len, line,
			 buf_str(&p.scanned), p.scan_err.msg,
			 buf_str(&p.parsed), p.parse_err.msg);
}

static void both_readers_say_the_same_of_a_line(void **state)
{
	CLEANUP(record_scan_freep) struct record_scan *s = record_scan_new();

	(void)state;
	for (int pass = 0; pass < 3; pass++)
		for (size_t i = 0; i < ARRAY_LEN(lines); i++)
			check(s, lines[i], strlen(lines[i]));
}

static void both_readers_say_the_same_of_every_part_of_a_line(void **state)
{
	CLEANUP(record_scan_freep) struct record_scan *s = record_scan_new();

	(void)state;
	for (size_t len = 0; len <= strlen(lines[3]); len++)
		check(s, lines[3], len);
}

// Each byte of a line in turn becomes another one.
static void both_readers_say_the_same_of_a_damaged_line(void **state)
{
	static const char others[] = { '"', '\\', '{',	'}', ',', '0',
				       '-', '\0', '\n', ' ', 'e', '\x80' };
	CLEANUP(record_scan_freep) struct record_scan *s = record_scan_new();
	CLEANUP(buf_deinit) struct buf line = BUF_INIT;

	(void)state;
	buf_puts(&line, lines[3]);
	for (size_t i = 0; i < line.len; i++) {
		char was = line.data[i];

		for (size_t k = 0; k < sizeof(others); k++) {
			line.data[i] = others[k];
			check(s, line.data, line.len);
		}
		line.data[i] = was;
	}
}

static void equal_facts_are_one_tree(void **state)
{
	CLEANUP(record_scan_freep) struct record_scan *s = record_scan_new();
	CLEANUP(js_unrefp) struct js *facts = NULL;
	struct err e = { 0 };
	struct record r;

	(void)state;
	assert_int_equal(
		record_scan_line(s, lines[3], strlen(lines[3]), &r, &e), 0);
	facts = js_ref(r.result->facts);
	assert_int_equal(
		record_scan_line(s, lines[3], strlen(lines[3]), &r, &e), 0);
	assert_ptr_equal(r.result->facts, facts);
	assert_int_equal(
		record_scan_line(s, lines[4], strlen(lines[4]), &r, &e), 0);
	assert_ptr_not_equal(r.result->facts, facts);
	assert_ptr_equal(js_get(r.result->facts, "guest"),
			 js_get(facts, "guest"));
	assert_ptr_not_equal(js_get(r.result->facts, "qemu"),
			     js_get(facts, "qemu"));
}

// Whatever is read after it: by the scan, by record_parse, with other facts.
static void a_record_stays_as_long_as_its_memory(void **state)
{
	CLEANUP(record_scan_freep) struct record_scan *s = record_scan_new();
	CLEANUP(record_memory_deinit) struct record_memory m;
	struct record kept[ARRAY_LEN(lines)], r;
	bool good[ARRAY_LEN(lines)];
	struct err e = { 0 };

	(void)state;
	record_memory_init(&m);
	for (int pass = 0; pass < 2; pass++) {
		record_memory_reset(&m);
		record_scan_into(s, &m);
		for (size_t i = 0; i < ARRAY_LEN(lines); i++)
			good[i] =
				record_scan_line(s, lines[i], strlen(lines[i]),
						 &kept[i], &e) == 0;
		record_scan_into(s, NULL);
		for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
			CLEANUP(js_unrefp) struct js *was = NULL, *is = NULL;

			if (!good[i])
				continue;
			assert_int_equal(record_scan_line(s, lines[i],
							  strlen(lines[i]), &r,
							  &e),
					 0);
			was = record_to_js(&kept[i]);
			is = record_to_js(&r);
			assert_true(js_equal(was, is));
		}
	}
}

// What the cursor takes is JSON to jansson, too, with the same value.
static void a_value_that_the_cursor_takes_is_json(void **state)
{
	static const struct {
		const char *text;
		bool takes;
	} cases[] = {
		{ "0", true },
		{ "-0.5e+3", true },
		{ "12.25E-10", true },
		{ "[1,[2,{\"a\":null}]]", true },
		{ "{}", true },
		{ "\"text\"", true },
		{ "true", true },
		{ "1e100", false },
		{ "01", false },
		{ "-", false },
		{ "1.", false },
		{ "1e", false },
		{ ".5", false },
		{ "+1", false },
		{ "[1,]", false },
		{ "{\"a\"}", false },
		{ "{1:2}", false },
		{ "\"a\\n\"", false },
		{ "\"\x7f\"", false },
		{ "tru", false },
		{ "nan", false },
		{ "\"", false },
		{ "[", false },
		{ "9300000000000000000", false },
		{ "[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *text = cases[i].text;
		struct jscan in = { .at = text, .end = text + strlen(text) };
		struct jscan_text got = jscan_value(&in);
		struct err e = { 0 };
		CLEANUP(js_unrefp)
		struct js *j = js_parse(text, strlen(text), "case", &e);

		if (in.failed == cases[i].takes)
			fail_msg("%s", text);
		if (!in.failed && (got.len != strlen(text) || j == NULL))
			fail_msg("%s: %s", text, e.msg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_readers_say_the_same_of_a_line),
		cmocka_unit_test(
			both_readers_say_the_same_of_every_part_of_a_line),
		cmocka_unit_test(both_readers_say_the_same_of_a_damaged_line),
		cmocka_unit_test(equal_facts_are_one_tree),
		cmocka_unit_test(a_record_stays_as_long_as_its_memory),
		cmocka_unit_test(a_value_that_the_cursor_takes_is_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
