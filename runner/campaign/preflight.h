// Preflight: what the plan needs of a host, and what was found there. The
// agent looks; the controller says what for and judges.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/base/arena.h"
#include "runner/base/buf.h"
#include "runner/base/err.h"
#include "runner/base/js.h"
#include "runner/plan/plan.h"

enum {
	FINDINGS_MAX = 1000, // from one host
	FINDING_TEXT_MAX = 2000,
};

enum finding_level {
	FINDING_OK,
	FINDING_WARN,
	FINDING_REFUSE,
};

struct finding {
	const char *host, *check; // "local", "hugepages"
	const char *what, *fix;	  // sentences; fix may be NULL
	enum finding_level level;
};

// Whether a trial of the plan boots the built-in guest image; *with_fio: one
// that is to have fio.
bool preflight_needs_image(const struct plan *p, bool *with_fio);

// A growing list that owns its texts.
struct findings {
	struct arena *arena;
	struct finding *items;
	size_t n, cap;
};

const char *finding_level_name(enum finding_level l); // "ok", "warn", "refuse"
int finding_level_from_name(const char *name,
			    enum finding_level *out) MUST_CHECK; // 0, -1

void findings_init(struct findings *f);
void findings_deinit(struct findings *f); // for CLEANUP, too
// Copies; the texts are made plain, whoever sent them.
void findings_add(struct findings *f, const struct finding *one);
// One `finding` message of `host`. Refuses unknown levels and too many.
int findings_add_message(struct findings *f, const char *host,
			 const struct js *body, struct err *e) MUST_CHECK;
size_t findings_count(const struct findings *f, enum finding_level l);

// What `require:` says of a check: "refuse", "warn" or "ignore" takes the
// place of warn and refuse; a check that is fine stays so. A check that was
// not made at all is a warning.
void findings_require(struct findings *f, const char *check, const char *level);

// The table for people. `from` leaves out what is milder.
void findings_print(const struct findings *f, enum finding_level from,
		    struct buf *out);
// [{host, check, level, what, fix}]; those of `host`, or all for NULL.
struct js *findings_to_js(const struct findings *f, const char *host);

// `needs` of a preflight message: everything that the plan's cells ask of a
// host whose own QEMU is `qemu` (see plan_cell_vm), as message.h lists it.
struct js *preflight_needs(const struct plan *p, const char *qemu);
// The QEMUs among them: a list of texts, "" for that of PATH.
struct js *preflight_qemus(const struct plan *p, const char *qemu);
// The guest images, "builtin" for vrun's own.
struct js *preflight_images(const struct plan *p);
// `apply` of a settings message: the huge pages to hold for the campaign; {}
// when there are none.
struct js *preflight_settings(const struct plan *p);

// Whether a campaign can be kept under `root`: adds the finding; an error
// (ERR_STORE) when it cannot.
int preflight_store(const struct plan *p, const char *root, struct findings *f,
		    struct err *e) MUST_CHECK;
