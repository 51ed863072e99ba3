#include "runner/agent/attach.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/agent/host.h"
#include "runner/agent/meeting.h"
#include "runner/agent/relay.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"

enum {
	ATTACH_WAIT_S = 60, // for an agent that is leaving
	ATTACH_STEP_MS = 20,
};

// --- the agent -----------------------------------------------------------

static int live(struct meeting *m, struct host_post *post)
{
	struct err e = { 0 };
	int rc = -1;

	post->listener = m->listener;
	if (meeting_take_stdio(m, &e) == 0)
		rc = host_main(post, &e);
	if (rc == 0)
		meeting_leave(m);
	else
		fprintf(stderr, "vrun-agent: %s\n", e.msg);
	return rc == 0 ? 0 : 1;
}

// Twice forked and in a session of its own, it is nobody's child and no
// terminal's. Lock and listener are its own from now on.
static int start_agent(struct meeting *m, struct host_post *post, struct err *e)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		return err_sys(e, ERR_HOST, "fork");
	if (pid == 0) {
		if (setsid() < 0)
			_exit(1);
		pid = fork();
		_exit(pid == 0 ? live(m, post) : pid < 0);
	}
	fd_closep(&m->listener);
	fd_closep(&m->lock);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return err_set(e, ERR_HOST, "the agent could not be started");
	return 0;
}

// --- the way to it -------------------------------------------------------

// Only one of several that come at once gets the lock; the others find the
// socket at their next look.
static int reach_agent(struct meeting *m, struct host_post *post, struct err *e)
{
	int64_t until = clock_mono_ns() + ATTACH_WAIT_S * NS_PER_S;

	while (clock_mono_ns() < until) {
		int fd = meeting_connect(m), rc;

		if (fd >= 0)
			return fd;
		rc = meeting_occupy(m, e);
		if (rc < 0 || (rc > 0 && start_agent(m, post, e) < 0))
			return -1;
		if (rc == 0)
			clock_sleep_ns(ATTACH_STEP_MS * NS_PER_MS);
	}
	return err_set(e, ERR_HOST,
		       "%s: the agent there has been leaving for %d s, or does "
		       "not listen; look into its log, or end it",
		       m->dir, ATTACH_WAIT_S);
}

static int read_lease(const char *text, int64_t *ns, struct err *e)
{
	char *end;
	long s;

	errno = 0;
	s = strtol(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || s < 1 ||
	    s > ATTACH_LEASE_MAX_S)
		return err_set(e, ERR_USAGE,
			       "attach: --lease \"%.32s\": give seconds, 1 to "
			       "%d",
			       text, ATTACH_LEASE_MAX_S);
	*ns = s * NS_PER_S;
	return 0;
}

static int read_post(int argc, char **argv, struct host_post *post,
		     struct err *e)
{
	if (argc != 5 || strcmp(argv[1], "--campaign") != 0 ||
	    strcmp(argv[3], "--lease") != 0)
		return err_set(e, ERR_USAGE,
			       "attach: give --campaign NAME --lease SECONDS");
	if (!spool_campaign_is_good(argv[2]))
		return err_set(
			e, ERR_USAGE,
			"attach: --campaign \"%.140s\": 1 to %d letters, "
			"digits, \".\", \"_\" and \"-\"",
			argv[2], SPOOL_CAMPAIGN_MAX);
	post->campaign = argv[2];
	return read_lease(argv[4], &post->lease_ns, e);
}

int attach_main(int argc, char **argv, struct err *e)
{
	CLEANUP(meeting_deinit)
	struct meeting m = { .lock = -1, .listener = -1 };
	CLEANUP(fd_closep) int fd = -1;
	struct host_post post = { .listener = -1 };

	if (read_post(argc, argv, &post, e) < 0 ||
	    meeting_init(&m, post.campaign, e) < 0)
		return -1;
	signal(SIGPIPE, SIG_IGN);
	fd = reach_agent(&m, &post, e);
	return fd < 0 ? -1 : relay_run(STDIN_FILENO, STDOUT_FILENO, fd, e);
}
