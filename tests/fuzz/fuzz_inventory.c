// A file's bytes as an inventory, and hosts that a matrix names with it. A
// refusal carries a sentence; whatever is taken as a destination is safe on a
// command line.
#include <assert.h>
#include <string.h>

#include "runner/matrix/inventory.h"
#include "runner/matrix/matrix.h"
#include "tests/fuzz/fuzz.h"

static const char matrix_text[] = "name: x\nworkloads: [synthetic]\n"
				  "hosts: [a, g, local, 'me@lab:22']\n";

static void check_safe(const char *text)
{
	assert(text[0] != '-');
	assert(strpbrk(text, " \t\n\r'\"\\$`;&|<>(){}*?#~!/=,") == NULL);
}

static void resolve(const struct inventory *inv)
{
	struct matrix_source from = { "m",  matrix_text, strlen(matrix_text),
				      NULL, 0,		 NULL };
	CLEANUP(matrix_freep) struct matrix *m = NULL;
	struct inventory_host *hosts = NULL;
	struct err e = { 0 };
	int rc = matrix_parse(&from, &m, &e);

	assert(rc == 0);
	if (inventory_resolve(inv, m, &hosts, &e) < 0) {
		assert(e.kind == ERR_USAGE && e.msg[0] != '\0');
		return;
	}
	assert(m->nhosts > 0 && m->nhosts <= INVENTORY_HOSTS_MAX);
	for (size_t i = 0; i < m->nhosts; i++) {
		check_safe(hosts[i].name);
		check_safe(hosts[i].destination);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(inventory_freep) struct inventory *inv = NULL;
	struct err e = { 0 };

	if (inventory_parse("f", data, size, &inv, &e) < 0) {
		assert(inv == NULL && e.kind == ERR_USAGE && e.msg[0] != '\0');
		return 0;
	}
	resolve(inv);
	return 0;
}
