// Hosts that are reached by SSH: a carrier process for each, which does
// everything that may take its time.
#include "runner/transport/transport.h"

#include <sys/wait.h>

#include "runner/base/alloc.h"
#include "runner/transport/carrier.h"
#include "runner/transport/spawn.h"
#include "runner/transport/ssh_config.h"

enum {
	WORDS_MAX = 2000,
	CARRIER_WAIT_MS = 1000,
};

struct transport {
	const struct transport_target *target;
	struct spawn carrier;
};

static struct transport *ssh_open(const struct transport_target *target,
				  struct err *e)
{
	const char *where = target->destination != NULL ? target->destination
							: target->name;
	struct transport *t;

	if (ssh_config_check(where, e) < 0)
		return NULL;
	t = xcalloc(1, sizeof(*t));
	t->target = target;
	spawn_init(&t->carrier);
	return t;
}

// The carrier does it, when it knows what the host is.
static int ssh_push(struct transport *t, struct err *e)
{
	(void)t;
	(void)e;
	return 0;
}

static int ssh_exec(struct transport *t, struct err *e)
{
	return spawn_start(&t->carrier, carrier_main, t->target, e);
}

static void ssh_obituary(struct transport *t, struct buf *out)
{
	char words[WORDS_MAX];
	struct spawn *c = &t->carrier;

	if (spawn_reap(c, CARRIER_WAIT_MS) && WIFEXITED(c->status) &&
	    WEXITSTATUS(c->status) == CARRIER_FAILED &&
	    spawn_last_words(c, words, sizeof(words)))
		buf_puts(out, words);
	else
		spawn_obituary(c, out);
}

static void ssh_close(struct transport *t, int grace_ms)
{
	if (t == NULL)
		return;
	spawn_deinit(&t->carrier, grace_ms);
	free(t);
}

const struct transport_ops transport_ssh = {
	.name = "ssh",
	.lasts = true,
	.hello_s = 1800, // the guest image may have to be copied over
	.open = ssh_open,
	.push = ssh_push,
	.exec = ssh_exec,
	.obituary = ssh_obituary,
	.close = ssh_close,
};
