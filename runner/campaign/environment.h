// What the figures were measured on, for the report: the hosts' facts as they
// stood in each session, and what the trials say of their guests and QEMU.
#pragma once

#include "analysis/dataset.h"
#include "runner/base/arena.h"
#include "runner/base/js.h"
#include "runner/campaign/journal.h"

enum {
	ENVIRONMENT_VALUES_MAX = 4, // of one fact; more are only counted
	HOSTS_VERSION = 1,
};

// hosts.json: {"v": 1, "sessions": [{"utc":, "vrun":, "hosts": [...]}]}, one
// session per `vrun run` or `vrun resume`. `former` is what is there already,
// or NULL; `hosts` (taken over) is campaign_hosts's.
struct js *environment_add_session(const struct js *former, struct js *hosts,
				   const char *vrun_version);

// {host: {fact: value}, "guest": {...}, "qemu": {...}}. A fact that was not
// the same in every session or trial is a list of its values.
struct js *environment_new(const struct js *hosts,
			   const struct journal_log *log);

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
// not, from one session to the next. `env` is environment_new's.
void environment_changes(const struct js *env, const char *const *hosts,
			 size_t nhosts, struct environment_notes *notes);
