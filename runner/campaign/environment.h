// What the figures were measured on, for the report: the hosts' facts as they
// stood in each session, and what the trials say of their guests and QEMU.
#pragma once

#include "analysis/dataset.h"
#include "runner/base/arena.h"
#include "runner/base/js.h"

enum {
	ENVIRONMENT_VALUES_MAX = 4, // of one fact; more are only counted
	ENVIRONMENT_SEEN = 32,
	HOSTS_VERSION = 1,
};

// hosts.json: {"v": 1, "sessions": [{"utc":, "vrun":, "hosts": [...]}]}, one
// session per `vrun run` or `vrun resume`. `former` is what is there already,
// or NULL; `hosts` (taken over) is campaign_hosts's.
struct js *environment_add_session(const struct js *former, struct js *hosts,
				   const char *vrun_version);

// {host: {fact: value}, "guest": {...}, "qemu": {...}} in the making. A fact
// that was not the same in every session or trial is a list of its values.
struct environment {
	struct js *all;
	// What was merged last and need not be again, by reference.
	struct js *facts, *sections[ENVIRONMENT_SEEN];
	size_t next;
};

void environment_init(struct environment *env, const struct js *hosts);
void environment_deinit(struct environment *env); // for CLEANUP, too
// What one trial says (struct result); NULL is nothing.
void environment_add(struct environment *env, struct js *facts);
struct js *environment_take(struct environment *env); // all of it

// Facts of a host that should stay as they are from one session to the next,
// and that tell campaigns apart where they do not. Ended by NULL.
extern const char *const environment_steady[];

struct environment_notes {
	struct arena *arena;
	const char **text;
	size_t n, cap;
};

// Borrows the text.
void environment_note(struct environment_notes *notes, const char *text);
// Appends a sentence for each warning of the last session's preflight that
// the trials do not note themselves (`said`).
void environment_warnings(const struct js *hosts, const struct dataset *said,
			  struct environment_notes *notes);
// Likewise for each fact of a host that should have stayed as it was and did
// not, from one session to the next. `env` is what
// environment_take gave.
void environment_changes(const struct js *env, const char *const *hosts,
			 size_t nhosts, struct environment_notes *notes);
