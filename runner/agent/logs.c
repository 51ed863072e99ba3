#include "runner/agent/logs.h"

#include <fcntl.h>
#include <unistd.h>

#include "runner/base/alloc.h"
#include "runner/base/fd.h"

static const char *const names[LOGS_COUNT] = { "qemu.log", "console.log",
					       "agent.log" };

void logs_begin(struct logs *l, const char *dir)
{
	*l = (struct logs){ 0 };
	for (size_t i = 0; i < LOGS_COUNT; i++) {
		CLEANUP(cleanup_free)
		char *path = xasprintf("%s/%s", dir, names[i]);

		unlink(path);
	}
}

// The bytes [from, from + len) of a file, as far as they are there.
static void read_part(int fd, off_t from, size_t len, struct buf *out)
{
	ssize_t n;

	buf_reserve(out, len);
	while (len > 0 &&
	       (n = pread(fd, out->data + out->len, len, from)) > 0) {
		out->len += (size_t)n;
		out->data[out->len] = '\0';
		from += n;
		len -= (size_t)n;
	}
}

static void take_one(const char *path, const char *name, off_t *taken,
		     struct artifacts *out)
{
	CLEANUP(fd_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	off_t room = (off_t)artifacts_room(out);
	off_t end = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);

	if (end <= *taken || room == 0)
		return;
	read_part(fd, MAX(*taken, end - room), (size_t)MIN(end - *taken, room),
		  &text);
	if (text.len > 0 && artifacts_add(out, name, text.data, text.len))
		*taken = end;
}

void logs_take(struct logs *l, const char *dir, struct artifacts *out)
{
	for (size_t i = 0; i < LOGS_COUNT; i++) {
		CLEANUP(cleanup_free)
		char *path = xasprintf("%s/%s", dir, names[i]);

		take_one(path, names[i], &l->taken[i], out);
	}
}
