#include "tests/unit/unit.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/agent/copies.h"
#include "runner/agent/qemu_program.h"
#include "runner/base/alloc.h"
#include "runner/base/fd.h"

// "/no/q" in hexadecimal.
#define NO_Q "2f6e6f2f71"

static void a_qemu_is_the_hosts_or_what_was_copied(void **state)
{
	static const struct {
		const char *told, *given;
		const char *run; // NULL: below the directory beside the agent's
		bool copied, nowhere;
	} cases[] = {
		{ NULL, "", "qemu-system-x86_64", false, false },
		{ NULL, "/no/q", "/no/q", false, false },
		{ NO_Q "=qemu-1 ", "/no/q", NULL, true, false },
		{ "2f61=qemu-2 " NO_Q "=qemu-1 ", "/no/q", NULL, true, false },
		{ NO_Q "=- ", "/no/q", "/no/q", false, true },
		{ NO_Q "=../qemu-1 ", "/no/q", "/no/q", false, true },
		{ NO_Q "=qemu-1/../.. ", "/no/q", "/no/q", false, true },
		{ NO_Q "72=qemu-1 ", "/no/q", "/no/q", false, false },
		{ "2f6e6f=qemu-1 ", "/no/q", "/no/q", false, false },
		{ NO_Q, "/no/q", "/no/q", false, false },
		{ "2f=qemu-1 2f62696e2f7368=qemu-1 ", "/bin/sh", "/bin/sh",
		  false, false }, // the host has it
	};
	CLEANUP(cleanup_free) char *own = file_own_dir();
	CLEANUP(cleanup_free)
	char *copy =
		xasprintf("%s/qemu-1/bin/qemu-system-x86_64", dirname(own));

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(qemu_program_deinit) struct qemu_program p = { 0 };
		const char *run = cases[i].run != NULL ? cases[i].run : copy;

		if (cases[i].told != NULL)
			setenv(COPIES_ENV, cases[i].told, 1);
		else
			unsetenv(COPIES_ENV);
		qemu_program_find(cases[i].given, &p);
		if (strcmp(p.run, run) != 0 || p.copied != cases[i].copied ||
		    p.nowhere != cases[i].nowhere)
			fail_msg("%s for %s: %s, copied %d, nowhere %d",
				 cases[i].given, cases[i].told, p.run, p.copied,
				 p.nowhere);
	}
	unsetenv(COPIES_ENV);
}

static void a_running_program_is_recognized(void **state)
{
	CLEANUP(qemu_program_deinit) struct qemu_program self = { 0 };
	CLEANUP(qemu_program_deinit) struct qemu_program other = { 0 };

	(void)state;
	qemu_program_find("/proc/self/exe", &self);
	qemu_program_find("/bin/sh", &other);
	assert_true(qemu_program_is_run_by(&self, getpid()));
	assert_false(qemu_program_is_run_by(&other, getpid()));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_qemu_is_the_hosts_or_what_was_copied),
		cmocka_unit_test(a_running_program_is_recognized),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
