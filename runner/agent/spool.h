// The trial that the agent holds: the one in hand, or the last one until the
// controller says that its result is safe. With a campaign, a result is also
// in a file, so that it outlives the agent and a reboot:
// spool-CAMPAIGN.json in the state directory ($VRUN_STATEDIR; /var/lib/vrun
// for root; $XDG_STATE_HOME/vrun or ~/.local/state/vrun for others), written
// whole, durable before the result is sent.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "runner/base/buf.h"
#include "runner/proto/artifact.h"
#include "runner/record/result.h"

enum {
	SPOOL_VERSION = 1,
	// A result fills a frame at most; artifacts come in base64.
	SPOOL_FILE_MAX = (8 << 20) + BASE64_CHARS(ARTIFACT_TOTAL_MAX) + 65536,
	SPOOL_CAMPAIGN_MAX = 128,
	SPOOL_KEEP_DAYS = 30, // that a file waits for a controller
};

struct spool {
	char *path;	// NULL: in memory alone
	char *campaign; // NULL as well then
	bool holds;
	bool done; // `result` is there
	int64_t trial, attempt;
	struct js *result; // result.h's
	struct artifacts artifacts;
};

// 1 to SPOOL_CAMPAIGN_MAX of letters, digits, ".", "_" and "-".
bool spool_campaign_is_good(const char *campaign);

// Takes up what a former life of the campaign's agent left, and removes the
// files of others that nobody has asked for in SPOOL_KEEP_DAYS. What is wrong
// (no place to write to; a file that cannot be trusted, which is renamed) is
// appended to `warning`, and the agent goes on without.
void spool_open(struct spool *s, const char *campaign, struct buf *warning);
void spool_deinit(struct spool *s); // leaves the file

// Another trial is in hand from now on; what was held is dropped.
void spool_begin(struct spool *s, int64_t trial, int64_t attempt);
bool spool_is_for(const struct spool *s, int64_t trial, int64_t attempt);
// It ended: takes over `result` and what `a` holds, and writes the file. When
// it cannot be written they are in memory alone; the result's notes say so.
void spool_finish(struct spool *s, struct js *result, struct artifacts *a);
// Nothing is held any more; the file goes.
void spool_drop(struct spool *s);

// {trial, attempt, done} for a hello; NULL when nothing is held.
struct js *spool_holds(const struct spool *s);
