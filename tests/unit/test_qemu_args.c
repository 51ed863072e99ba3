#include "tests/unit/unit.h"

#include <string.h>

#include "runner/agent/cpulist.h"
#include "runner/agent/procfs.h"
#include "runner/agent/qemu_args.h"
#include "runner/base/buf.h"

static struct js *parse(const char *text)
{
	struct err e = { 0 };
	struct js *j = js_parse(text, strlen(text), "test", &e);

	if (j == NULL)
		fail_msg("%s", e.msg);
	return j;
}

// The command line that a `vm` object gives, as one quoted line.
static void line_of(const char *vm, struct buf *out)
{
	CLEANUP(js_unrefp) struct js *j = parse(vm);
	CLEANUP(strv_deinit) struct strv argv = STRV_INIT;
	char kernel[] = "/g/vmlinuz", initrd[] = "/g/initrd",
	     append[] = "console=ttyS0";
	const struct vm_image image = { .kernel = kernel,
					.initrd = initrd,
					.append = append };
	const struct qemu_paths paths = { .program = "/q/qemu",
					  .qmp = "/r/q",
					  .guest = "/r/a",
					  .console = "/d/con,sole" };
	struct vm_spec spec;
	struct err e = { 0 };

	if (vm_spec_from_js(j, &spec, &e) < 0)
		fail_msg("%s: %s", vm, e.msg);
	qemu_args(&spec, &image, &paths, &argv);
	strv_quote(&argv, out);
}

static void each_parameter_shows_in_the_command_line(void **state)
{
	static const struct {
		const char *vm, *part, *absent;
	} cases[] = {
		{ "{\"accel\":\"tcg\",\"memory\":536870912}",
		  "-accel tcg,thread=multi -cpu max -smp 1 -m 536870912B "
		  "-object memory-backend-memfd,id=memory,size=536870912,"
		  "prealloc=on",
		  "hugetlb" },
		{ "{\"accel\":\"tcg-single\",\"memory\":4096}",
		  "-accel tcg,thread=single", "kvm" },
		{ "{\"accel\":\"kvm\",\"memory\":4096}", "-accel kvm -cpu host",
		  "tcg" },
		{ "{\"accel\":\"kvm\",\"memory\":4096,\"cpu\":\"EPYC\"}",
		  "-cpu EPYC", "host" },
		{ "{\"accel\":\"kvm\",\"memory\":2097152,\"backing\":"
		  "\"hugetlb-2M\"}",
		  "hugetlb=on,hugetlbsize=2097152,prealloc=on", "-ram" },
		{ "{\"accel\":\"kvm\",\"memory\":1073741824,\"backing\":"
		  "\"hugetlb-1G\"}",
		  "hugetlb=on,hugetlbsize=1073741824,prealloc=on", "-ram" },
		{ "{\"accel\":\"kvm\",\"memory\":4096,\"backing\":\"thp\"}",
		  "memory-backend-ram,id=memory,size=4096,prealloc=on",
		  "memfd" },
		{ "{\"accel\":\"tcg\",\"memory\":4096,\"cpus\":7,\"machine\":"
		  "\"pc\",\"append\":\"nokaslr quiet\",\"qemu\":\"/q/qemu\"}",
		  "/q/qemu -name", "q35" },
		{ "{\"accel\":\"tcg\",\"memory\":4096,\"append\":"
		  "\"nokaslr quiet\"}",
		  "-append 'console=ttyS0 nokaslr quiet'", "?" },
		{ "{\"accel\":\"tcg\",\"memory\":4096,\"qemu-args\":"
		  "[\"-device\",\"a b\"]}",
		  "-S -device 'a b'", "?" },
		{ "{\"accel\":\"tcg\",\"memory\":4096}",
		  "file,id=console,path=/d/con,,sole", "?" },
		{ "{\"accel\":\"tcg\",\"memory\":4096}",
		  "-nodefaults -no-user-config -no-reboot -display none", "?" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_deinit) struct buf line = BUF_INIT;

		line_of(cases[i].vm, &line);
		if (strstr(line.data, cases[i].part) == NULL)
			fail_msg("%s: no \"%s\" in %s", cases[i].vm,
				 cases[i].part, line.data);
		if (strstr(line.data, cases[i].absent) != NULL)
			fail_msg("%s: \"%s\" in %s", cases[i].vm,
				 cases[i].absent, line.data);
	}
}

static void values_that_cannot_be_are_refused_by_name(void **state)
{
	static const struct {
		const char *vm, *why;
	} cases[] = {
		{ "{\"accel\":\"xen\",\"memory\":4096}", "unknown \"xen\"" },
		{ "{\"arch\":\"m68k\",\"memory\":4096}", "have x86_64" },
		{ "{\"backing\":\"3M\",\"memory\":4096}", "have 4k, thp" },
		{ "{\"cpus\":0,\"memory\":4096}", "cpus: 0" },
		{ "{\"cpus\":99999,\"memory\":4096}", "cpus: 99999" },
		{ "{}", "memory" },
		{ "{\"memory\":-1}", "memory" },
		{ "{\"memory\":4097}", "no multiple" },
		{ "{\"memory\":4096,\"backing\":\"hugetlb-2M\"}",
		  "no multiple of the pages of backing hugetlb-2M" },
		{ "{\"memory\":4096,\"pin\":\"a\"}", "pin: \"a\"" },
		{ "{\"memory\":4096,\"qemu-args\":[1]}", "item 0" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(js_unrefp) struct js *j = parse(cases[i].vm);
		struct vm_spec spec;
		struct err e = { 0 };

		if (vm_spec_from_js(j, &spec, &e) == 0)
			fail_msg("%s was taken", cases[i].vm);
		if (strstr(e.msg, cases[i].why) == NULL)
			fail_msg("%s: %s", cases[i].vm, e.msg);
	}
}

static void a_list_of_cpus_keeps_its_order(void **state)
{
	static const struct {
		const char *text;
		size_t n;
		int first, last;
	} cases[] = {
		{ "0", 1, 0, 0 },	   { "3,1", 2, 3, 1 },
		{ "0-3", 4, 0, 3 },	   { "8,0-1", 3, 8, 1 },
		{ "1023", 1, 1023, 1023 }, { "0-1023", 1024, 0, 1023 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct cpulist l;
		struct err e = { 0 };

		if (cpulist_parse(cases[i].text, &l, &e) < 0)
			fail_msg("%s", e.msg);
		if (l.n != cases[i].n || l.cpu[0] != cases[i].first ||
		    l.cpu[l.n - 1] != cases[i].last)
			fail_msg("%s: %zu CPUs", cases[i].text, l.n);
	}
}

static void text_that_is_no_list_of_cpus_is_refused(void **state)
{
	static const char *const texts[] = {
		"",	"a",   "1,",	   ",1",
		"1-",	"-1",  "3-1",	   "1 ",
		" 1",	"1;2", "1024",	   "0-1024",
		"1,,2", "0x1", "0-1023,1", "99999999999999999999",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct cpulist l;
		struct err e = { 0 };

		if (cpulist_parse(texts[i], &l, &e) == 0)
			fail_msg("\"%s\" was taken", texts[i]);
	}
}

static void a_stat_line_is_read_past_any_name(void **state)
{
	static const char *const names[] = { "qemu", "CPU 0/KVM", "a) R 1 (b",
					     ") ) )" };
	char line[1024];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct procfs_stat st;

		snprintf(line, sizeof(line),
			 "123 (%s) S 1 123 123 0 -1 4194560 1 2 3 4 100 50 0 "
			 "0 20 0 3 0 777 1000 200 18446744073709551615 1 1 0 "
			 "0 0 0 0 0 0 0 0 0 17 5 0 0 0 0 0",
			 names[i]);
		if (procfs_parse_stat(line, &st) < 0)
			fail_msg("not read: %s", line);
		assert_int_equal(st.start_ticks, 777);
		assert_int_equal(st.last_cpu, 5);
		assert_true(st.cpu_ns > 0);
	}
	assert_int_equal(procfs_parse_stat("", &(struct procfs_stat){ 0 }), -1);
	assert_int_equal(
		procfs_parse_stat("1 (a) S 1 2", &(struct procfs_stat){ 0 }),
		-1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_parameter_shows_in_the_command_line),
		cmocka_unit_test(values_that_cannot_be_are_refused_by_name),
		cmocka_unit_test(a_list_of_cpus_keeps_its_order),
		cmocka_unit_test(text_that_is_no_list_of_cpus_is_refused),
		cmocka_unit_test(a_stat_line_is_read_past_any_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
