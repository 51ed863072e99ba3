// An authenticated SSH session with a host whose key is known: how the
// carrier comes by one. Blocking, and bounded by a watchdog that cuts the
// stream: libssh has waits of its own without a limit.
#pragma once

#include <libssh/libssh.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "runner/base/err.h"
#include "runner/transport/ssh_config.h"

struct ssh_host {
	struct ssh_config config;
	bool accept_new; // store an unknown host key instead of refusing it
	char *at;	 // "root@10.0.0.1 port 22", for errors
	ssh_session session;
	timer_t watchdog;
	bool watched;
	int64_t until_ns; // when the watchdog cuts the stream
};

// Connects, checks the host key, authenticates, all within `limit_ns`, or
// what the configuration says if that is longer; 20 s if neither does.
int ssh_host_open(struct ssh_host *h, const char *destination, int64_t limit_ns,
		  struct err *e) MUST_CHECK;
// From now on the session ends in `limit_ns` unless this is called again; 0:
// never.
void ssh_host_watch(struct ssh_host *h, int64_t limit_ns);
// libssh's words for what failed, or that it took too long. Returns -1.
int ssh_host_error(const struct ssh_host *h, const char *what, struct err *e);
void ssh_host_close(struct ssh_host *h);

// ssh_hostkey.c: is this the host that it was before?
int ssh_hostkey_check(const struct ssh_host *h, struct err *e) MUST_CHECK;
// The same of a key that it showed: only h's config and accept_new count.
int ssh_hostkey_judge(const struct ssh_host *h, ssh_key shown,
		      struct err *e) MUST_CHECK;
// The algorithms of the keys that are known of it, best first, before
// `others`; so that it shows a key that can be compared.
void ssh_hostkey_order(const struct ssh_config *c, const char *others,
		       struct buf *out);

// ssh_auth.c: keys of the agent, then key files.
int ssh_auth_login(const struct ssh_host *h, struct err *e) MUST_CHECK;
