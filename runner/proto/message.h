// Messages between controller, host agent and guest agent: a JSON object with
// "type" and, in requests and their answers, "id". Decoding checks the type
// and each field that the type needs against one table, so that the handlers
// may rely on them.
//
// controller -> host agent
//   hello      {version}
//   facts      {id}                         answered by facts
//   preflight  {id, needs}                  answered by finding..., done
//   trial      {id, trial, attempt, boot, block, label, levels, last,
//               host, vm, workloads,
//               timeout_ns, seq, seed}        answered by stage...,
//               artifact..., result
//   settings   {id, apply, hooks}           answered by done or error
//   needs: {accels, backings, qemus, images: [text], memory: bytes of the
//          largest VM, cpus: most of one VM, pages: {"2M": n, "1G": n} huge
//          pages of the largest VM, workloads: [{kind, engine, device,
//          size, native: true where it runs without a VM}], hosts: [{setting:
//          value}]}
//   host:  {setting: value} of the host in this trial (knob.h); may be missing
//   label, levels: {factor: level} of the cell, for hooks
//   hooks: of the campaign, as hooks.h takes them; may be missing
//   apply: {"pages": {"2M": n, "1G": n}} huge pages to reserve until bye
//   boot:  differs for every boot, repeated ones too: a VM with another
//          number is stopped before the trial's own is started
//   level: "ok" | "warn" | "refuse"
//   A trial that the agent holds (same trial, same attempt) is not run again:
//   it goes on, or is answered at once. Asking for another one says that the
//   result of the one before is safe, and so does bye.
//   restore    {id, force}                  answered by done or error
//   stop       {id}       stop any VM now; answered by done
//   ping       {}         not answered: the controller is still there
//   bye        {}         stop any VM, restore settings, exit
// host agent -> controller
//   hello      {version, arch, pid, life, holds, warning}
//   facts      {id, facts}
//   finding    {id, check, level, what, fix}
//   stage      {id, stage}
//   artifact   {id, name, data}             artifact.h's object and reader
//   result     {id, result}                 result.h's JSON
//   done       {id, ...}  error {id, message}
//   error      {id: 0, message}             last words: it ends now
//   done of restore: {restored: [{file, from, to}], held: [{pid, campaign,
//          changed: [{file, from, to}]}]}, held by agents that live; with
//          force those are ended first
//   life:    random; another one means another agent, without VM or settings
//   holds:   {trial, attempt, done}: in hand or kept; absent: nothing
//   warning: what a reader of the campaign should know of the agent's start
// host agent -> guest agent (over virtio-serial, or a socketpair for
// `accel: native`)
//   run        {id, workloads, seq, seed}   answered by stage..., result
//   hook       {id, hook, around, told}     answered by artifact..., result;
//              around: first by the stage "ready", and not before the end
//   end        {id}       the workloads have ended: so is the hook to
//   facts      {id}                         answered by facts
//   bye        {}
// guest agent -> host agent
//   hello      {version, arch, facts}       once, when it is ready
//   stage, facts, error, artifact
//   hook:    one of the campaign's, as hook_run.h takes it, with its program
//   told:    {trial, attempt, block, label, levels, vars, accel} for its
//            environment
//   result     {id, result, artifacts}      artifacts: a list of artifact.h's
//                                           objects; absent: none
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/base/buf.h"
#include "runner/base/err.h"
#include "runner/base/js.h"

enum {
	MESSAGE_VERSION = 3,
	MESSAGE_STRING_MAX = 1 << 16,
};

enum message_type {
	MESSAGE_HELLO,
	MESSAGE_FACTS,
	MESSAGE_PREFLIGHT,
	MESSAGE_FINDING,
	MESSAGE_TRIAL,
	MESSAGE_RUN,
	MESSAGE_HOOK,
	MESSAGE_END,
	MESSAGE_STAGE,
	MESSAGE_ARTIFACT,
	MESSAGE_RESULT,
	MESSAGE_SETTINGS,
	MESSAGE_RESTORE,
	MESSAGE_STOP,
	MESSAGE_DONE,
	MESSAGE_ERROR,
	MESSAGE_PING,
	MESSAGE_BYE,
};

const char *message_type_name(enum message_type t);

struct message {
	enum message_type type;
	int64_t id;	 // 0 where the type has none
	struct js *body; // the whole object, owned
};

void message_deinit(struct message *m); // for CLEANUP, too

// `from` names the peer in the error: "guest agent", "agent on lab3".
int message_decode(const char *text, size_t len, const char *from,
		   struct message *out, struct err *e) MUST_CHECK;

// A new object {"type": ..., "id": id} to add fields to; id 0 is left out.
struct js *message_new(enum message_type t, int64_t id);

// Appends the frame of `msg` to `out` and unrefs msg.
void message_append(struct buf *out, struct js *msg);

// Whether one of a trial's "workloads" is run by fio.
bool message_wants_fio(const struct js *workloads);
