#include "runner/agent/qmp_tool.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "runner/agent/qmp.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"

static int connect_to(const char *path, struct err *e)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	CLEANUP(fd_closep) int fd = -1;

	if (strlen(path) >= sizeof(addr.sun_path))
		return err_set(e, ERR_USAGE,
			       "%s: longer than a socket's name may be", path);
	memcpy(addr.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    fd_set_nonblock(fd) < 0)
		return err_sys(e, ERR_HOST, "%s", path);
	return TAKE_FD(fd);
}

static int ask(int fd, const char *command, struct js *args, struct js **ret,
	       struct fault *f)
{
	struct watch quiet = { .signals = -1 };
	const struct qmp_peer peer = {
		.fd = fd,
		.watch = &quiet,
		.deadline_ns = clock_mono_ns() + QMP_ANSWER_S * NS_PER_S,
	};
	struct qmp q;
	int rc = qmp_open(&q, &peer, f);

	if (rc < 0) {
		js_unref(args);
		return -1;
	}
	rc = qmp_command(&q, command, args, ret, f);
	qmp_close(&q);
	return rc;
}

int qmp_tool_main(int argc, char **argv, struct err *e)
{
	CLEANUP(js_unrefp) struct js *args = NULL, *ret = NULL;
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct fault f = { 0 };
	int fd;

	if (argc != 3 && argc != 4)
		return err_set(e, ERR_USAGE,
			       "usage: vrun-agent qmp SOCKET COMMAND "
			       "[ARGUMENTS]");
	if (argc == 4) {
		args = js_parse(argv[3], strlen(argv[3]), "arguments", e);
		if (args == NULL)
			return -1;
	}
	fd = connect_to(argv[1], e);
	if (fd < 0)
		return -1;
	if (ask(fd, argv[2], TAKE_PTR(args), &ret, &f) < 0) {
		*e = f.err;
		return -1;
	}
	js_print(ret, &text);
	buf_add(&text, "\n", 1);
	if (fd_write_all(STDOUT_FILENO, text.data, text.len) < 0)
		return err_sys(e, ERR_HOST, "standard output");
	return 0;
}
