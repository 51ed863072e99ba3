// What OpenSSH would do to reach a destination: the answer of `ssh -G`, which
// reads ~/.ssh/config and /etc/ssh/ssh_config with everything that may stand
// there (Host, Match, Include, tokens). Only what libssh can follow is kept.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "runner/base/buf.h"
#include "runner/base/err.h"
#include "runner/base/strv.h"

enum {
	SSH_CONFIG_BYTES_MAX = 256 * 1024, // of the answer
	SSH_CONFIG_DESTINATION_MAX = 512,
	SSH_CONFIG_SECONDS_MAX = 24 * 3600,
};

// Texts are owned; NULL where nothing was said, or "none".
struct ssh_config {
	char *destination; // as it was given
	char *home;	   // directory of the user of vrun
	char *hostname, *user, *port;
	char *address_family; // "any", "inet", "inet6"
	char *bind_address;
	char *proxy_jump, *proxy_command;
	char *host_key_alias;
	char *identity_agent; // may be "none", too
	char *strict;	      // StrictHostKeyChecking
	char *ciphers, *macs, *kex, *host_keys, *public_keys, *compression;
	struct strv identities; // key files
	struct strv known_hosts, global_known_hosts;
	bool identities_only;
	int64_t connect_s, alive_s, alive_max; // 0: not said
};

// The destination stands for data everywhere: [user@]host[:port] of letters,
// digits and . _ - : % + [ ] alone, so that no option, no shell and no
// ProxyCommand can take it for something else.
int ssh_config_check(const char *destination, struct err *e) MUST_CHECK;
// Runs `ssh -G`; its complaints go to standard error.
int ssh_config_load(const char *destination, struct ssh_config *out,
		    struct err *e) MUST_CHECK;
// The answer of `ssh -G`, which is cut up, to *c, where destination and home
// are set. ~ and tokens in the names of files are expanded.
int ssh_config_parse(char *text, struct ssh_config *c,
		     struct err *e) MUST_CHECK;
// Appends `text` with the tokens of ssh_config(5): %d %h %n %p %r %%.
void ssh_config_expand(const struct ssh_config *c, const char *text,
		       struct buf *out);
void ssh_config_deinit(struct ssh_config *c); // for CLEANUP, too
