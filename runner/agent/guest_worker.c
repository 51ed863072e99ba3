#include "runner/agent/guest_worker.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/agent/guest_hook.h"
#include "runner/agent/workload.h"
#include "runner/base/alloc.h"
#include "runner/base/arena.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"

struct workload_place guest_place(const struct js *body)
{
	return (struct workload_place){
		.seed = (uint64_t)js_get_int(body, "seed", 0),
		.seq = MAX(js_get_int(body, "seq", 0), (int64_t)0),
		.boot = js_get_int(body, "boot", 0),
	};
}

// --- in the child ----------------------------------------------------------

void guest_send(const struct guest_sender *s, struct js *msg)
{
	CLEANUP(buf_deinit) struct buf frame = BUF_INIT;

	message_append(&frame, msg);
	if (fd_write_all(s->fd, frame.data, frame.len) < 0)
		_exit(1);
}

void guest_send_stage(const struct guest_sender *s, const char *stage)
{
	struct js *msg = message_new(MESSAGE_STAGE, s->id);

	js_set_str(msg, "stage", stage);
	guest_send(s, msg);
}

static void tell_stage(void *arg, const char *stage)
{
	guest_send_stage(arg, stage);
}

static void work(const struct message *request, struct guest_sender *s)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct artifacts artifacts = { 0 };
	struct workload_run proto = {
		.place = guest_place(request->body),
		.artifacts = &artifacts,
		.stage = tell_stage,
		.stage_arg = s,
	};
	struct js *msg = message_new(MESSAGE_RESULT, s->id);
	int64_t begin = clock_mono_ns();
	struct result *r =
		workload_run_all(js_get(request->body, "workloads"), &proto, a);

	r->times = js_object();
	js_set_int(r->times, "run_ns", clock_mono_ns() - begin);
	js_set(msg, "result", result_to_js(r));
	js_set(msg, "artifacts", artifacts.list);
	js_unref(r->times);
	js_unref(r->hists);
	js_unref(r->facts);
	guest_send(s, msg);
}

// --- in the agent ------------------------------------------------------------

static const char *noun(const struct guest_worker *w)
{
	return w->type == MESSAGE_HOOK ? "hook" : "workload";
}

int guest_worker_start(struct guest_worker *w, const struct message *request,
		       struct err *e)
{
	CLEANUP(fd_closep) int ours = -1, theirs = -1;
	pid_t parent = getpid();
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return err_sys(e, ERR_HOST, "socketpair");
	ours = fds[0];
	theirs = fds[1];
	if (fd_set_nonblock(ours) < 0)
		return err_sys(e, ERR_HOST, "socketpair");
	*w = (struct guest_worker)GUEST_WORKER_INIT;
	w->pid = fork();
	if (w->pid < 0) {
		w->pid = 0;
		return err_sys(e, ERR_HOST, "fork");
	}
	if (w->pid == 0) {
		struct guest_sender s = { theirs, request->id };

		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() == parent)
			(request->type == MESSAGE_HOOK ? guest_hook_work
						       : work)(request, &s);
		_exit(0);
	}
	setpgid(w->pid, w->pid); // both do, as either may be first
	w->type = request->type;
	w->fd = TAKE_FD(ours);
	w->id = request->id;
	link_init(&w->link, w->fd, -1, noun(w));
	return 0;
}

static int pass_on(struct guest_worker *w, struct link *to, struct err *e)
{
	for (;;) {
		struct message m;
		int rc = link_next(&w->link, &m, e);

		if (rc <= 0)
			return rc;
		if (m.type == MESSAGE_RESULT)
			w->answered = true;
		if (m.type == MESSAGE_STAGE) {
			free(w->stage);
			w->stage = xstrdup(js_get_str(m.body, "stage", ""));
		}
		rc = link_send(to, TAKE_PTR(m.body), e);
		if (rc < 0)
			return -1;
	}
}

// The group is killed before its leader is reaped and its number free again.
static int reap(struct guest_worker *w)
{
	int status = 0;

	if (w->pid <= 0)
		return 0;
	kill(-w->pid, SIGKILL);
	while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
		;
	w->pid = 0;
	return status;
}

// Waits for an orderly end, so that its own exit is seen, not our SIGKILL.
static int reap_ended(struct guest_worker *w)
{
	siginfo_t info;

	while (waitid(P_PID, (id_t)w->pid, &info, WEXITED | WNOWAIT) < 0 &&
	       errno == EINTR)
		;
	return reap(w);
}

static int send_death(const struct guest_worker *w, int status, struct link *to,
		      struct err *e)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct js *msg = message_new(MESSAGE_RESULT, w->id);
	struct result *r = result_new(a);

	r->stage = w->stage;
	if (WIFSIGNALED(status))
		result_fail(a, r, OUTCOME_FAILED,
			    "the %s was killed by signal %d (%s)", noun(w),
			    WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		result_fail(a, r, OUTCOME_FAILED,
			    "the %s exited with status %d and no result",
			    noun(w), WEXITSTATUS(status));
	js_set(msg, "result", result_to_js(r));
	return link_send(to, msg, e);
}

static void forget(struct guest_worker *w)
{
	link_deinit(&w->link);
	fd_closep(&w->fd);
	free(w->stage);
	*w = (struct guest_worker)GUEST_WORKER_INIT;
}

int guest_worker_serve(struct guest_worker *w, struct link *to, struct err *e)
{
	int rc = link_read(&w->link, e), status;

	if (rc < 0 || pass_on(w, to, e) < 0)
		return -1;
	if (rc == 0)
		return 0;
	status = reap_ended(w);
	rc = w->answered ? 0 : send_death(w, status, to, e);
	forget(w);
	return rc < 0 ? -1 : 1;
}

// Its side of the socket ends, however many copies of it other workers have.
void guest_worker_end(struct guest_worker *w)
{
	shutdown(w->fd, SHUT_WR);
}

void guest_worker_stop(struct guest_worker *w)
{
	reap(w);
	forget(w);
}
