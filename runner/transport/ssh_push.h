// What is done on a host by SFTP: looking for files, copying bundles.
#pragma once

#include "runner/base/err.h"
#include "runner/transport/ssh_bundle.h"
#include "runner/transport/ssh_session.h"

// Makes DIR/NAME there, whole or not at all: into a directory of another name,
// synced, renamed. When another carrier was faster its copy stays. What
// carriers left that were killed a day ago is removed.
int ssh_push_bundle(struct ssh_host *h, const char *dir, const struct bundle *b,
		    struct err *e) MUST_CHECK;

// Whether each of these files is there. No shell is asked: a path may have any
// characters.
int ssh_push_look(struct ssh_host *h, const char *const *paths, size_t n,
		  bool *there, struct err *e) MUST_CHECK;
