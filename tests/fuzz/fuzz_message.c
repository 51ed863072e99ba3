// A peer's JSON. What is accepted must survive being sent on; what is refused
// must carry a sentence and leave the output alone.
#include <assert.h>
#include <string.h>

#include "runner/proto/frame.h"
#include "runner/proto/message.h"
#include "tests/fuzz/fuzz.h"

static void send_on(const struct message *m)
{
	CLEANUP(buf_deinit) struct buf wire = BUF_INIT;
	CLEANUP(message_deinit) struct message again = { .body = NULL };
	struct err e = { .kind = ERR_NONE };
	const char *body = NULL;
	size_t len = 0, used = 0;
	int rc;

	message_append(&wire, js_ref(m->body));
	assert(frame_peek(wire.data, wire.len, &body, &len, &used) == FRAME_OK);
	rc = message_decode(body, len, "self", &again, &e);
	assert(rc == 0 && again.type == m->type && again.id == m->id);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(message_deinit) struct message m = { .body = NULL };
	struct err e = { .kind = ERR_NONE };

	if (message_decode((const char *)data, size, "peer", &m, &e) == 0)
		send_on(&m);
	else
		assert(m.body == NULL && e.kind == ERR_HOST && e.msg[0]);
	return 0;
}
