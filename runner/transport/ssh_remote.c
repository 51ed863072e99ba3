#include "runner/transport/ssh_remote.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/transport/find.h"
#include "runner/transport/qemu_bundle.h"
#include "runner/transport/ssh_bundle.h"
#include "runner/transport/ssh_push.h"

// A login shell may be any: it is only asked to start sh(1) on one quoted
// word without line breaks, backslashes and exclamation marks. Nothing in it
// but hashes and names that were checked comes from outside.
#define CACHE "d=\"${XDG_CACHE_HOME:-$HOME/.cache}/vrun\"; "
#define MARK  "vrun-host "

enum {
	LOOK_BYTES_MAX = 64 * 1024, // of what the host says about itself
	LOOK_S = 60,		    // it reads the image there once
	ARCH_MAX = 32,
	DIR_MAX = 1024,
};

// What the host was found to be and to have.
struct look {
	char arch[ARCH_MAX];
	char dir[DIR_MAX]; // the cache directory
	bool can_hash;
	struct bundle agent, image;
	// Of each image of the user's that is here, and of each QEMU that the
	// host has not: the copy, without a name where there is none here,
	// either.
	struct copy {
		const char *path;
		struct bundle bundle;
	} * copies;
	size_t ncopies;
};

static void look_deinit(struct look *l)
{
	bundle_deinit(&l->agent);
	bundle_deinit(&l->image);
	for (size_t i = 0; i < l->ncopies; i++)
		bundle_deinit(&l->copies[i].bundle);
	free(l->copies);
}

static bool all_there(const struct look *l)
{
	for (size_t i = 0; i < l->ncopies; i++) {
		if (!bundle_is_there(&l->copies[i].bundle))
			return false;
	}
	return bundle_is_there(&l->agent) && bundle_is_there(&l->image);
}

// --- running one command ------------------------------------------------

static void channel_freep(ssh_channel *c)
{
	if (*c != NULL)
		ssh_channel_free(*c);
}

static ssh_channel start(struct ssh_host *h, const char *command, struct err *e)
{
	CLEANUP(channel_freep) ssh_channel c = ssh_channel_new(h->session);

	if (c == NULL || ssh_channel_open_session(c) != SSH_OK ||
	    ssh_channel_request_exec(c, command) != SSH_OK) {
		ssh_host_error(h, "starting a command there", e);
		return NULL;
	}
	return TAKE_PTR(c);
}

static int run(struct ssh_host *h, const char *command, struct buf *out,
	       struct err *e)
{
	CLEANUP(channel_freep) ssh_channel c = start(h, command, e);
	char chunk[4096];
	int n;

	if (c == NULL)
		return -1;
	while ((n = ssh_channel_read(c, chunk, sizeof(chunk), 0)) > 0) {
		if (out->len + (size_t)n > LOOK_BYTES_MAX)
			return err_set(e, ERR_HOST,
				       "%s: a command there printed more than "
				       "%d bytes; does a login script print?",
				       h->at, LOOK_BYTES_MAX);
		buf_add(out, chunk, (size_t)n);
	}
	return n == 0 ? 0 : ssh_host_error(h, "running a command there", e);
}

// --- looking ------------------------------------------------------------

// "ARCH YES|NO DIR"
static int read_mark(struct look *l, const char *text)
{
	char can[8];
	int at = 0;

	if (sscanf(text, "%31s %7s %n", l->arch, can, &at) != 2 ||
	    text[at] != '/' || strlen(text + at) >= sizeof(l->dir))
		return -1;
	for (const char *p = text + at; *p != '\0'; p++) {
		if ((unsigned char)*p < ' ')
			return -1;
	}
	l->can_hash = strcmp(can, "yes") == 0;
	snprintf(l->dir, sizeof(l->dir), "%s", text + at);
	return 0;
}

// What a login script prints would stand before the agent's own words, too.
static int refuse_noise(const struct ssh_host *h, const char *text,
			struct err *e)
{
	if (text[strspn(text, "\r\n")] == '\0')
		return err_set(
			e, ERR_HOST,
			"%s: a command there does nothing; the user's "
			"login shell must be one (not false or nologin), "
			"and its sshd_config without a ForceCommand",
			h->at);
	return err_set(e, ERR_HOST,
		       "%s: a command there begins with \"%.*s\", not with its "
		       "own output; a login script (.bashrc, .cshrc) that "
		       "prints must not when there is no terminal",
		       h->at, (int)MIN(strcspn(text, "\r\n"), (size_t)80),
		       text);
}

static int read_look(const struct ssh_host *h, struct look *l, char *text,
		     struct err *e)
{
	char *rest = NULL, *line = strtok_r(text, "\n", &rest);

	if (line == NULL || strncmp(line, MARK, strlen(MARK)) != 0 ||
	    read_mark(l, line + strlen(MARK)) < 0)
		return refuse_noise(h, text, e);
	if (!l->can_hash)
		return err_set(e, ERR_HOST,
			       "%s: has no sha256sum, which checks what was "
			       "copied there; install coreutils",
			       h->at);
	while ((line = strtok_r(NULL, "\n", &rest)) != NULL) {
		bundle_note(&l->agent, line);
		bundle_note(&l->image, line);
		for (size_t i = 0; i < l->ncopies; i++)
			bundle_note(&l->copies[i].bundle, line);
	}
	return 0;
}

// Of many files the host says only whether all of them hold.
static void ask_for_sums(const struct look *l, struct buf *command)
{
	if (l->ncopies == 0)
		return;
	buf_puts(command, "for b in");
	for (size_t i = 0; i < l->ncopies; i++) {
		if (l->copies[i].bundle.sums != NULL)
			bundle_list(&l->copies[i].bundle, command);
	}
	buf_puts(command,
		 "; do test -e $b || continue; "
		 "if (cd $b && sha256sum -c " BUNDLE_SUMS " >/dev/null 2>&1); "
		 "then sha256sum $b/" BUNDLE_SUMS "; "
		 "else echo \"damaged  $b/" BUNDLE_SUMS "\"; fi; done; ");
}

// Asks for the hashes of all files that are to be there.
static int look(struct ssh_host *h, struct look *l, struct err *e)
{
	CLEANUP(buf_deinit) struct buf command = BUF_INIT, out = BUF_INIT;

	buf_puts(&command, "exec /bin/sh -c '" CACHE
			   "s=no; command -v sha256sum >/dev/null && s=yes; "
			   "echo \"" MARK "$(uname -m) $s $d\"; "
			   "cd \"$d\" 2>/dev/null || exit 0; ");
	ask_for_sums(l, &command);
	buf_puts(&command, "exec sha256sum -- /dev/null");
	bundle_list(&l->agent, &command);
	bundle_list(&l->image, &command);
	for (size_t i = 0; i < l->ncopies; i++) {
		if (l->copies[i].bundle.sums == NULL)
			bundle_list(&l->copies[i].bundle, &command);
	}
	buf_puts(&command, " 2>/dev/null'");
	l->agent.seen = l->image.seen = false;
	ssh_host_watch(h, LOOK_S * NS_PER_S);
	if (run(h, buf_str(&command), &out, e) < 0)
		return -1;
	buf_putc(&out, '\n');
	return read_look(h, l, out.data, e);
}

// --- what it lacks ------------------------------------------------------

static int choose_agent(struct look *l, const char *arch, struct err *e)
{
	CLEANUP(cleanup_free) char *path = find_agent(arch, e);

	if (path == NULL)
		return -1;
	bundle_deinit(&l->agent);
	return bundle_agent(path, &l->agent, e);
}

// The first guess is that it is a machine like this one.
static int look_twice(struct ssh_host *h, struct look *l, struct err *e)
{
	static const char *const known[] = { "x86_64", "aarch64" };
	CLEANUP(cleanup_free) char *own = find_own_arch();

	if (choose_agent(l, own, e) < 0 || look(h, l, e) < 0)
		return -1;
	if (strcmp(own, l->arch) == 0)
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		CLEANUP(cleanup_free) char *arch = xstrdup(l->arch);

		if (strcmp(known[i], arch) != 0)
			continue;
		if (choose_agent(l, arch, e) < 0)
			return err_wrap(e, "%s: is of architecture %s", h->at,
					arch);
		return look(h, l, e);
	}
	return err_set(e, ERR_HOST,
		       "%s: is of architecture \"%s\"; there are agents for "
		       "x86_64 and aarch64",
		       h->at, l->arch);
}

// A program of another architecture is none there.
static int copy_qemu(const struct look *l, struct copy *q, struct err *e)
{
	CLEANUP(cleanup_free) char *own = find_own_arch();

	if (strcmp(own, l->arch) != 0 || access(q->path, X_OK) < 0)
		return 0;
	return bundle_qemu(q->path, &q->bundle, e);
}

static int take_images(const struct transport_target *t, struct look *l,
		       struct err *e)
{
	l->copies = xcalloc(t->nimages + t->nqemus + 1, sizeof(*l->copies));
	if (t->image != NULL &&
	    bundle_image(t->image, t->image_with_fio, &l->image, e) < 0)
		return -1;
	for (size_t i = 0; i < t->nimages; i++) {
		CLEANUP(cleanup_free)
		char *kernel = xasprintf("%s/vmlinuz", t->images[i]);
		struct copy *c = &l->copies[l->ncopies];

		if (access(kernel, R_OK) < 0)
			continue; // the host may have it
		c->path = t->images[i];
		l->ncopies++;
		if (bundle_image(c->path, t->image_with_fio, &c->bundle, e) < 0)
			return -1;
	}
	return 0;
}

static int look_for_qemus(struct ssh_host *h, const struct transport_target *t,
			  struct look *l, struct err *e)
{
	CLEANUP(cleanup_free) bool *there = NULL;

	if (t->nqemus == 0)
		return 0;
	there = xcalloc(t->nqemus, sizeof(*there));
	if (ssh_push_look(h, t->qemus, t->nqemus, there, e) < 0)
		return -1;
	for (size_t i = 0; i < t->nqemus; i++) {
		struct copy *q = &l->copies[l->ncopies];

		if (there[i])
			continue;
		l->ncopies++;
		q->path = t->qemus[i];
		if (copy_qemu(l, q, e) < 0)
			return err_wrap(e,
					"%s: has no such QEMU, which would "
					"be copied from here",
					h->at);
	}
	return l->ncopies > 0 ? look(h, l, e) : 0;
}

static int push_one(struct ssh_host *h, const struct look *l,
		    const struct bundle *b, struct err *e)
{
	return bundle_is_there(b) ? 0 : ssh_push_bundle(h, l->dir, b, e);
}

static int push(struct ssh_host *h, struct look *l, struct err *e)
{
	if (all_there(l))
		return 0;
	if (push_one(h, l, &l->agent, e) < 0 ||
	    push_one(h, l, &l->image, e) < 0)
		return -1;
	for (size_t i = 0; i < l->ncopies; i++) {
		if (push_one(h, l, &l->copies[i].bundle, e) < 0)
			return -1;
	}
	if (look(h, l, e) < 0)
		return -1;
	if (all_there(l))
		return 0;
	return err_set(e, ERR_HOST,
		       "%s: what was copied to %s is not what was sent; remove "
		       "that directory, and look whether its disk is sound",
		       h->at, l->dir);
}

// --- the agent ----------------------------------------------------------

// For copies.h: HEX=BUNDLE, where HEX is the path, byte by byte; "-" is a QEMU
// that is nowhere.
static void tell_copies(const struct look *l, struct buf *out)
{
	buf_puts(out, "VRUN_COPIES=\"");
	for (size_t i = 0; i < l->ncopies; i++) {
		const struct copy *q = &l->copies[i];

		for (const char *s = q->path; *s != '\0'; s++)
			buf_printf(out, "%02x", (unsigned char)*s);
		buf_printf(out, "=%s ", q->bundle.n > 0 ? q->bundle.name : "-");
	}
	buf_puts(out, "\"; export VRUN_COPIES; ");
}

static void agent_command(const struct look *l,
			  const struct transport_target *t, struct buf *out)
{
	buf_puts(out, "exec /bin/sh -c '" CACHE);
	if (l->image.n > 0)
		buf_printf(out, "VRUN_GUEST=\"$d/%s\"; export VRUN_GUEST; ",
			   l->image.name);
	if (l->ncopies > 0)
		tell_copies(l, out);
	buf_printf(out, "exec \"$d/%s/vrun-agent\" ", l->agent.name);
	if (t->lease_ns > 0 && t->campaign != NULL)
		buf_printf(out, "attach --campaign %s --lease %lld'",
			   t->campaign, (long long)(t->lease_ns / NS_PER_S));
	else
		buf_puts(out, "host'");
}

// The name of the campaign stands in a command line.
static int check_campaign(const char *name, struct err *e)
{
	size_t n;

	if (name == NULL)
		return 0;
	n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._-"
			 "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
	if (name[n] == '\0' && n > 0 && n <= TRANSPORT_CAMPAIGN_MAX &&
	    name[0] != '-')
		return 0;
	return err_set(e, ERR_HOST,
		       "campaign \"%.140s\": is no name for the host: letters, "
		       "digits and . _ - only, at most %d",
		       name, TRANSPORT_CAMPAIGN_MAX);
}

ssh_channel ssh_remote_start(struct ssh_host *h,
			     const struct transport_target *t, struct err *e)
{
	CLEANUP(look_deinit) struct look l = { 0 };
	CLEANUP(buf_deinit) struct buf command = BUF_INIT;

	if (check_campaign(t->campaign, e) < 0 || take_images(t, &l, e) < 0 ||
	    look_twice(h, &l, e) < 0 || look_for_qemus(h, t, &l, e) < 0 ||
	    push(h, &l, e) < 0)
		return NULL;
	ssh_host_watch(h, LOOK_S * NS_PER_S);
	agent_command(&l, t, &command);
	return start(h, buf_str(&command), e);
}

void ssh_remote_explain(const struct ssh_host *h, int status, struct err *e)
{
	err_set(e, ERR_HOST,
		"%s: the agent cannot be run in ~/.cache/vrun there (status "
		"%d); if that is mounted noexec, set XDG_CACHE_HOME for the "
		"user there to a directory that is not",
		h->at, status);
}
