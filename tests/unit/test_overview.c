#include "tests/unit/unit.h"

#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/campaign/overview.h"

enum {
	HOSTS = 64,
	ROOM = 3,
};

static struct js *host(const char *name, const char *missing)
{
	struct js *j = js_object(), *facts = js_object(), *agent = js_object();

	js_set_str(j, "host", name);
	js_set_str(j, "missing", missing);
	if (missing == NULL) {
		js_set_str(facts, "kernel", "6.1.0-13-cloud-amd64");
		js_set_int(facts, "cpus", 128);
		js_set_int(facts, "memory_bytes", 1LL << 40);
		js_set_str(agent, "vrun", "0.1.0");
	}
	js_set(j, "facts", facts);
	js_set(j, "agent", agent);
	return j;
}

static void find(struct findings *f, const char *name, const char *check,
		 enum finding_level level, const char *what)
{
	findings_add(f, &(struct finding){ .host = name,
					   .check = check,
					   .level = level,
					   .what = what,
					   .fix = level == FINDING_OK
							  ? NULL
							  : "mend it" });
}

static void rows_tell_state_versions_room_and_time(void **state)
{
	static const uint64_t takes[ROOM] = { 3661 * NS_PER_S, 1, 0 };
	CLEANUP(findings_deinit) struct findings f = { 0 };
	CLEANUP(js_unrefp) struct js *hosts = js_array();
	CLEANUP(buf_deinit) struct buf out = BUF_INIT;

	(void)state;
	findings_init(&f);
	js_append(hosts, host("lab1", NULL));
	js_append(hosts, host("lab2", NULL));
	js_append(hosts, host("a-host-of-a-long-name", "no route to it"));
	find(&f, "lab1", "qemu", FINDING_OK,
	     "/opt/q: QEMU emulator version 9.2.1 (Debian)");
	find(&f, "lab2", "hugepages", FINDING_REFUSE, "2M: 0 of 256");
	find(&f, "lab2", "qemu", FINDING_REFUSE,
	     "/q: libc.so.6: version `GLIBC_2.38' not found");
	find(&f, "lab2", "load", FINDING_WARN, "load average 9");
	find(&f, "a-host-of-a-long-name", "agent", FINDING_WARN,
	     "no route to it");
	overview_print(hosts, takes, &f, &out);
	assert_string_equal(
		buf_str(&out),
		"host             state      kernel           qemu     agent  "
		"cpus memory   takes\n"
		"lab1             ok         6.1.0-13-cloud-~ 9.2.1    0.1.0   "
		"128  1024G    1h2m\n"
		"lab2             2 refuse   6.1.0-13-cloud-~ -        0.1.0   "
		"128  1024G      1s\n"
		"a-host-of-a-lon~ missing    -                -        -       "
		"  -      -      0s\n"
		"\n"
		"refuse  lab2: hugepages: 2M: 0 of 256; fix: mend it\n"
		"refuse  lab2: qemu: /q: libc.so.6: version `GLIBC_2.38' not "
		"found; fix: mend it\n"
		"warn    lab2: load: load average 9; fix: mend it\n"
		"warn    a-host-of-a-long-name: agent: no route to it; fix: "
		"mend it\n");
}

static void check_columns(const char *text)
{
	while (*text != '\0') {
		size_t n = strcspn(text, "\n");

		if (n > OVERVIEW_COLUMNS)
			fail_msg("%zu columns: %.*s", n, (int)n, text);
		text += n + (text[n] == '\n');
	}
}

static void many_hosts_fit_and_share_their_findings(void **state)
{
	static uint64_t takes[HOSTS];
	CLEANUP(findings_deinit) struct findings f = { 0 };
	CLEANUP(js_unrefp) struct js *hosts = js_array();
	CLEANUP(buf_deinit) struct buf out = BUF_INIT;

	(void)state;
	findings_init(&f);
	for (int i = 0; i < HOSTS; i++) {
		CLEANUP(cleanup_free) char *name = xasprintf("rack-host-%d", i);

		takes[i] = 30LL * 86400 * NS_PER_S;
		js_append(hosts, host(name, NULL));
		find(&f, name, "turbo", FINDING_WARN,
		     "the CPUs may run above their base frequency, which "
		     "depends on their temperature and on what the others do");
	}
	overview_print(hosts, takes, &f, &out);
	check_columns(buf_str(&out));
	assert_non_null(strstr(buf_str(&out),
			       "\nwarn    rack-host-0, rack-host-1, "
			       "rack-host-2 and 61 more: turbo: the CPUs may\n"
			       "        run above"));
	assert_null(strstr(strstr(buf_str(&out), "turbo") + 1, "turbo"));
}

static void nothing_that_a_host_says_reaches_the_terminal_raw(void **state)
{
	static const uint64_t takes[1];
	CLEANUP(findings_deinit) struct findings f = { 0 };
	CLEANUP(js_unrefp) struct js *hosts = js_array();
	CLEANUP(buf_deinit) struct buf out = BUF_INIT;

	(void)state;
	findings_init(&f);
	js_append(hosts, host("lab1", NULL));
	js_set_str(js_get(js_at(hosts, 0), "facts"), "kernel", "6\033[2J");
	find(&f, "lab1", "load", FINDING_WARN, "much\033]0;x\a\nok      lab2");
	overview_print(hosts, takes, &f, &out);
	assert_null(strchr(buf_str(&out), '\033'));
	assert_null(strchr(buf_str(&out), '\a'));
	assert_null(strstr(buf_str(&out), "\nok"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_tell_state_versions_room_and_time),
		cmocka_unit_test(many_hosts_fit_and_share_their_findings),
		cmocka_unit_test(
			nothing_that_a_host_says_reaches_the_terminal_raw),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
