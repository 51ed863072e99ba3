// talk AGENT [ARG...]: a controller for shell scripts. Starts the agent, as
// `AGENT host` when no arguments are given, sends each line of standard input
// to it as one message as soon as it is read, prints each message of the agent
// as one line. At the end of the input it waits for the answers that are due,
// then closes the connection and ends with the agent's exit status.

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/agent/link.h"
#include "runner/base/fd.h"

enum {
	IN,
	AGENT
};

struct talk {
	struct link agent;
	struct buf typed;
	size_t due; // requests that are not answered yet
	bool input_ended, agent_ended;
};

static int die(const struct err *e)
{
	fprintf(stderr, "talk: %s\n", e->msg);
	return 1;
}

static pid_t start_agent(char **argv, int *fd)
{
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		if (dup2(pair[1], STDIN_FILENO) >= 0 &&
		    dup2(pair[1], STDOUT_FILENO) >= 0)
			execv(argv[0], argv);
		_exit(127);
	}
	close(pair[1]);
	*fd = pair[0];
	return pid;
}

static int send_line(struct talk *t, const char *line, size_t len,
		     struct err *e)
{
	struct js *msg = js_parse(line, len, "standard input", e);

	if (msg == NULL)
		return -1;
	t->due += js_get(msg, "id") != NULL;
	return link_send(&t->agent, msg, e);
}

static int take_input(struct talk *t, struct err *e)
{
	char chunk[4096];
	ssize_t n = fd_read_some(STDIN_FILENO, chunk, sizeof(chunk));
	char *end;

	t->input_ended = n <= 0;
	if (n > 0)
		buf_add(&t->typed, chunk, (size_t)n);
	while ((end = strchr(buf_str(&t->typed), '\n')) != NULL) {
		size_t len = (size_t)(end - t->typed.data);

		if (len > 0 && send_line(t, t->typed.data, len, e) < 0)
			return -1;
		buf_consume(&t->typed, len + 1);
	}
	return 0;
}

static bool is_answer(const struct message *m)
{
	return m->id != 0 && m->type != MESSAGE_STAGE &&
	       m->type != MESSAGE_ARTIFACT && m->type != MESSAGE_FINDING;
}

static int take_messages(struct talk *t, struct err *e)
{
	int end = link_read(&t->agent, e), got;
	struct message m;

	while ((got = link_next(&t->agent, &m, e)) > 0) {
		CLEANUP(buf_deinit) struct buf text = BUF_INIT;

		js_print(m.body, &text);
		puts(text.data);
		fflush(stdout);
		t->due -= is_answer(&m) && t->due > 0;
		message_deinit(&m);
	}
	t->agent_ended = end != 0;
	return got < 0 || end < 0 ? -1 : 0;
}

static int converse(struct talk *t, struct err *e)
{
	while (!t->agent_ended && (!t->input_ended || t->due > 0)) {
		struct pollfd p[] = {
			[IN] = { t->input_ended ? -1 : STDIN_FILENO, POLLIN,
				 0 },
			[AGENT] = { t->agent.in, POLLIN, 0 },
		};

		if (poll(p, ARRAY_LEN(p), -1) < 0)
			return err_sys(e, ERR_HOST, "poll");
		if (p[IN].revents && take_input(t, e) < 0)
			return -1;
		if (p[AGENT].revents && take_messages(t, e) < 0)
			return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	char role[] = "host", *host[] = { argv[1], role, NULL };
	struct talk t = { .due = 0 };
	struct err e = { 0 };
	int fd = -1, status, rc;
	pid_t pid;

	if (argc < 2) {
		fputs("usage: talk AGENT [ARG...] <MESSAGES\n", stderr);
		return 2;
	}
	pid = start_agent(argc > 2 ? argv + 1 : host, &fd);
	if (pid < 0 || fd_set_nonblock(fd) < 0) {
		perror("talk");
		return 1;
	}
	link_init(&t.agent, fd, fd, "agent");
	rc = converse(&t, &e);
	link_deinit(&t.agent);
	buf_deinit(&t.typed);
	close(fd);
	waitpid(pid, &status, 0);
	if (rc < 0)
		return die(&e);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
