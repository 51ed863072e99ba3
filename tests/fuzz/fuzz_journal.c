// A whole trials.jsonl, torn or edited. What is read adds up to the file, and
// what is kept of it is read again as the same records.
#include <assert.h>
#include <string.h>

#include "runner/campaign/journal.h"
#include "tests/fuzz/fuzz.h"

static void check_bytes(const struct journal_log *log, size_t size)
{
	assert(log->good_bytes + log->torn_bytes == size);
	assert(log->torn_bytes == 0 || !log->unterminated);
	for (size_t i = 0; i < log->n; i++)
		assert(log->records[i].tree != NULL);
}

// As the next writer leaves it: the torn part is cut off.
static void read_again(const struct journal_log *log, const char *text)
{
	CLEANUP(journal_log_freep) struct journal_log *again = NULL;
	struct err e = { .kind = ERR_NONE };
	int rc = journal_parse(text, log->good_bytes, "j", &again, &e);

	assert(rc == 0 && again->n == log->n && again->torn_bytes == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(journal_log_freep) struct journal_log *log = NULL;
	struct err e = { .kind = ERR_NONE };
	const char *text = (const char *)data;

	if (journal_parse(text, size, "j", &log, &e) == 0) {
		check_bytes(log, size);
		read_again(log, text);
	} else {
		assert(log == NULL && e.kind == ERR_STORE);
		assert(strncmp(e.msg, "j:", 2) == 0);
	}
	return 0;
}
