#include "runner/transport/ssh_session.h"

#include <signal.h>
#include <string.h>
#include <sys/socket.h>

#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"
#include "runner/transport/ssh_connect.h"

enum {
	CONNECT_S = 20,
};

// --- watchdog -----------------------------------------------------------

// Async-signal-safe; the timer brings the descriptor along.
static void cut_stream(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	shutdown(info->si_value.sival_int, SHUT_RDWR);
}

static int start_watchdog(struct ssh_host *h, int fd, struct err *e)
{
	struct sigaction sa = { .sa_sigaction = cut_stream,
				.sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigevent how = { .sigev_notify = SIGEV_SIGNAL,
				.sigev_signo = SIGALRM,
				.sigev_value = { .sival_int = fd } };

	sigemptyset(&sa.sa_mask);
	if (sigaction(SIGALRM, &sa, NULL) < 0 ||
	    timer_create(CLOCK_MONOTONIC, &how, &h->watchdog) < 0)
		return err_sys(e, ERR_HOST, "timer");
	h->watched = true;
	return 0;
}

void ssh_host_watch(struct ssh_host *h, int64_t limit_ns)
{
	struct itimerspec when = { 0 };

	h->until_ns = limit_ns > 0 ? clock_mono_ns() + limit_ns : INT64_MAX;
	when.it_value.tv_sec = (time_t)(limit_ns / NS_PER_S);
	when.it_value.tv_nsec = (long)(limit_ns % NS_PER_S);
	timer_settime(h->watchdog, 0, &when, NULL);
}

int ssh_host_error(const struct ssh_host *h, const char *what, struct err *e)
{
	if (clock_mono_ns() >= h->until_ns)
		return err_set(e, ERR_HOST,
			       "%s: %s: no answer in time; is the host "
			       "overloaded, or the network?",
			       h->at, what);
	return err_set(e, ERR_HOST, "%s: %s: %.400s", h->at, what,
		       ssh_get_error(h->session));
}

// libssh has no words for a stream that ended before the other side spoke.
static int not_greeted(const struct ssh_host *h, struct err *e)
{
	const struct ssh_config *c = &h->config;
	const char *proxy =
		c->proxy_jump != NULL ? c->proxy_jump : c->proxy_command;

	if (clock_mono_ns() >= h->until_ns ||
	    ssh_get_serverbanner(h->session) != NULL)
		return ssh_host_error(h, "SSH", e);
	if (proxy == NULL)
		return err_set(e, ERR_HOST,
			       "%s: whoever listens there speaks no SSH, or "
			       "hung up; is it sshd, and has it room for one "
			       "more (MaxStartups)?",
			       h->at);
	return err_set(e, ERR_HOST,
		       "%s: the way through \"%.200s\" ended before the host "
		       "spoke; `ssh -o BatchMode=yes` has to come through",
		       h->at, proxy);
}

// --- options ------------------------------------------------------------

static int set_text(struct ssh_host *h, enum ssh_options_e option,
		    const char *value, struct err *e)
{
	if (value == NULL || ssh_options_set(h->session, option, value) == 0)
		return 0;
	return ssh_host_error(h, "options of ~/.ssh/config", e);
}

static int set_algorithms(struct ssh_host *h, struct err *e)
{
	const struct ssh_config *c = &h->config;
	CLEANUP(buf_deinit) struct buf keys = BUF_INIT;
	const struct {
		enum ssh_options_e option;
		const char *value;
	} rows[] = {
		{ SSH_OPTIONS_CIPHERS_C_S, c->ciphers },
		{ SSH_OPTIONS_CIPHERS_S_C, c->ciphers },
		{ SSH_OPTIONS_HMAC_C_S, c->macs },
		{ SSH_OPTIONS_HMAC_S_C, c->macs },
		{ SSH_OPTIONS_KEY_EXCHANGE, c->kex },
		{ SSH_OPTIONS_PUBLICKEY_ACCEPTED_TYPES, c->public_keys },
		{ SSH_OPTIONS_COMPRESSION, c->compression },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (set_text(h, rows[i].option, rows[i].value, e) < 0)
			return -1;
	}
	ssh_hostkey_order(c, c->host_keys, &keys);
	return set_text(h, SSH_OPTIONS_HOSTKEYS,
			keys.len > 0 ? buf_str(&keys) : NULL, e);
}

static int set_options(struct ssh_host *h, int fd, struct err *e)
{
	const struct ssh_config *c = &h->config;
	bool by_us = false;

	if (ssh_options_set(h->session, SSH_OPTIONS_PROCESS_CONFIG, &by_us) <
		    0 ||
	    ssh_options_set(h->session, SSH_OPTIONS_FD, &fd) < 0)
		return ssh_host_error(h, "options", e);
	if (set_text(h, SSH_OPTIONS_HOST, c->hostname, e) < 0 ||
	    set_text(h, SSH_OPTIONS_PORT_STR, c->port, e) < 0 ||
	    set_text(h, SSH_OPTIONS_USER, c->user, e) < 0 ||
	    set_algorithms(h, e) < 0)
		return -1;
	if (c->identity_agent == NULL ||
	    strcmp(c->identity_agent, "SSH_AUTH_SOCK") == 0)
		return 0;
	if (strcmp(c->identity_agent, "none") == 0)
		return unsetenv("SSH_AUTH_SOCK");
	return set_text(h, SSH_OPTIONS_IDENTITY_AGENT, c->identity_agent, e);
}

// --- life ---------------------------------------------------------------

// The longer of what hosts.yaml and ~/.ssh/config say.
static int64_t limit_of(const struct ssh_config *c, int64_t given_ns)
{
	int64_t limit_ns = MAX(given_ns, c->connect_s * NS_PER_S);

	return limit_ns > 0 ? limit_ns : CONNECT_S * NS_PER_S;
}

// StrictHostKeyChecking no goes no further than accept-new here: a key that
// changed is refused all the same.
static bool accepts_new(const struct ssh_config *c)
{
	return c->strict != NULL && (strcmp(c->strict, "accept-new") == 0 ||
				     strcmp(c->strict, "false") == 0);
}

// The session owns the stream from here on.
static int begin(struct ssh_host *h, int fd, int64_t limit_ns, struct err *e)
{
	const long limit_s = (long)(limit_ns / NS_PER_S) + 1;

	h->session = ssh_new();
	if (h->session == NULL || set_options(h, fd, e) < 0 ||
	    ssh_options_set(h->session, SSH_OPTIONS_TIMEOUT, &limit_s) < 0)
		return err_wrap(e, "libssh");
	if (start_watchdog(h, fd, e) < 0)
		return -1;
	ssh_host_watch(h, limit_ns);
	return 0;
}

int ssh_host_open(struct ssh_host *h, const char *destination, int64_t limit_ns,
		  struct err *e)
{
	const struct ssh_config *c = &h->config;
	int64_t began = clock_mono_ns();
	int fd;

	if (ssh_config_load(destination, &h->config, e) < 0)
		return -1;
	h->at = xasprintf("%s@%s port %s", c->user, c->hostname, c->port);
	h->accept_new = h->accept_new || accepts_new(c);
	limit_ns = limit_of(c, limit_ns);
	fd = ssh_connect_stream(c, h->accept_new, began + limit_ns, e);
	if (fd < 0 || begin(h, fd, limit_ns, e) < 0)
		return -1;
	if (ssh_connect(h->session) != SSH_OK)
		return not_greeted(h, e);
	if (ssh_hostkey_check(h, e) < 0 || ssh_auth_login(h, e) < 0)
		return err_wrap(e, "%s", h->at);
	return 0;
}

void ssh_host_close(struct ssh_host *h)
{
	if (h->watched)
		timer_delete(h->watchdog);
	if (h->session != NULL) {
		ssh_disconnect(h->session);
		ssh_free(h->session);
	}
	ssh_config_deinit(&h->config);
	free(h->at);
	*h = (struct ssh_host){ 0 };
}
