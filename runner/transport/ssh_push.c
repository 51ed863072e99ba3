#include "runner/transport/ssh_push.h"

#include <errno.h>
#include <fcntl.h>
#include <libssh/sftp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"

#define PART_SUFFIX ".new" // of directories that are being filled

enum {
	STALL_S = 60, // for one chunk
	// What every server takes, and OpenSSH's, which waits for an answer
	// to each: fewer, larger ones hide the way there and back.
	CHUNK_BYTES = 32 * 1024,
	CHUNK_OPENSSH_BYTES = 192 * 1024,
	STALE_S = 24 * 3600,
	DEPTH_MAX = 8, // of directories in a bundle
	MIB_SHIFT = 20,
};

struct push {
	struct ssh_host *host;
	sftp_session sftp;
	const char *dir; // the cache directory
	const struct bundle *bundle;
	char *part; // the directory that is being filled
};

// The words of the protocol's status (draft-ietf-secsh-filexfer-02, 7).
static const char *const words[] = {
	[SSH_FX_OK] = "no reason given",
	[SSH_FX_EOF] = "end of file",
	[SSH_FX_NO_SUCH_FILE] = "no such file or directory",
	[SSH_FX_PERMISSION_DENIED] = "permission denied",
	[SSH_FX_FAILURE] = "the server says \"failure\"",
	[SSH_FX_BAD_MESSAGE] = "bad message",
	[SSH_FX_NO_CONNECTION] = "no connection",
	[SSH_FX_CONNECTION_LOST] = "connection lost",
	[SSH_FX_OP_UNSUPPORTED] = "not supported",
};

// What is free in the cache directory; UINT64_MAX when that is not known.
static uint64_t room_bytes(const struct push *p)
{
	sftp_statvfs_t st = sftp_statvfs(p->sftp, p->dir);
	uint64_t room = UINT64_MAX;

	if (st != NULL)
		room = st->f_bavail * st->f_frsize;
	sftp_statvfs_free(st);
	return room;
}

static int no_room(const struct push *p, uint64_t room, struct err *e)
{
	return err_set(
		e, ERR_HOST,
		"%s: %s: no room there: %llu MiB are needed, %llu MiB "
		"are free; make room, or set XDG_CACHE_HOME for the "
		"user there",
		p->host->at, p->dir,
		(unsigned long long)(bundle_bytes(p->bundle) >> MIB_SHIFT) + 1,
		(unsigned long long)(room >> MIB_SHIFT));
}

// -1 with a sentence about what could not be done with `path`.
static int failed(const struct push *p, const char *path, struct err *e)
{
	int code = sftp_get_error(p->sftp);
	uint64_t room;

	if (!ssh_is_connected(p->host->session))
		return ssh_host_error(p->host, "copying", e);
	room = code == SSH_FX_FAILURE ? room_bytes(p) : UINT64_MAX;
	if (room < bundle_bytes(p->bundle))
		return no_room(p, room, e);
	return err_set(e, ERR_HOST, "%s: %s: cannot be written there: %s",
		       p->host->at, path,
		       code >= 0 && (size_t)code < ARRAY_LEN(words)
			       ? words[code]
			       : "unknown status");
}

static void still_going(const struct push *p)
{
	ssh_host_watch(p->host, STALL_S * NS_PER_S);
}

// --- one file -----------------------------------------------------------

static int copy(const struct push *p, int from, sftp_file to, const char *path,
		struct err *e)
{
	size_t chunk = ssh_get_openssh_version(p->host->session) > 0
			       ? CHUNK_OPENSSH_BYTES
			       : CHUNK_BYTES;
	CLEANUP(cleanup_free) char *data = xmalloc(chunk);
	ssize_t n;

	while ((n = fd_read_some(from, data, chunk)) > 0) {
		still_going(p);
		if (sftp_write(to, data, (size_t)n) != n)
			return failed(p, path, e);
	}
	return n == 0 ? 0 : err_sys(e, ERR_HOST, "reading what to copy");
}

// Servers without fsync@openssh.com sync in their own time.
static int finish_file(const struct push *p, sftp_file f, const char *path,
		       struct err *e)
{
	int rc = 0;

	still_going(p);
	if (sftp_extension_supported(p->sftp, "fsync@openssh.com", "1"))
		rc = sftp_fsync(f);
	if (sftp_close(f) != SSH_NO_ERROR || rc < 0)
		return failed(p, path, e);
	return 0;
}

static int write_file(const struct push *p, int from, const char *name,
		      unsigned mode, struct err *e)
{
	CLEANUP(cleanup_free) char *path = xasprintf("%s/%s", p->part, name);
	sftp_file to =
		sftp_open(p->sftp, path, O_WRONLY | O_CREAT | O_EXCL, mode);

	if (to == NULL)
		return failed(p, path, e);
	if (copy(p, from, to, path, e) < 0) {
		sftp_close(to);
		return -1;
	}
	if (finish_file(p, to, path, e) < 0)
		return -1;
	if (sftp_chmod(p->sftp, path, mode) < 0) // whatever the umask is
		return failed(p, path, e);
	return 0;
}

// The directories above it that the one before it did not need.
static void make_dirs_of(const struct push *p, const char *name,
			 const char *former)
{
	for (const char *s = strchr(name, '/'); s != NULL;
	     s = strchr(s + 1, '/')) {
		CLEANUP(cleanup_free)
		char *path =
			xasprintf("%s/%.*s", p->part, (int)(s - name), name);

		if (strncmp(name, former, (size_t)(s - name) + 1) != 0)
			sftp_mkdir(p->sftp, path, 0755);
	}
}

static int copy_file(const struct push *p, const struct bundle_file *f,
		     struct err *e)
{
	CLEANUP(fd_closep) int from = open(f->path, O_RDONLY | O_CLOEXEC);

	if (from < 0)
		return err_sys(e, ERR_HOST, "%s", f->path);
	return write_file(p, from, f->name, f->mode, e);
}

static int copy_sums(const struct push *p, struct err *e)
{
	CLEANUP(fd_closep) int from = memfd_create(BUNDLE_SUMS, MFD_CLOEXEC);
	const char *text = p->bundle->sums;

	if (from < 0 || fd_write_all(from, text, strlen(text)) < 0 ||
	    lseek(from, 0, SEEK_SET) < 0)
		return err_sys(e, ERR_HOST, BUNDLE_SUMS);
	return write_file(p, from, BUNDLE_SUMS, 0644, e);
}

// --- directories --------------------------------------------------------

// mkdir -p; what is there already, or cannot be seen, shows later.
static void make_dirs(const struct push *p)
{
	CLEANUP(cleanup_free) char *path = xstrdup(p->dir);

	for (char *s = path + 1; *s != '\0'; s++) {
		if (*s != '/')
			continue;
		*s = '\0';
		sftp_mkdir(p->sftp, path, 0755);
		*s = '/';
	}
	sftp_mkdir(p->sftp, path, 0700);
}

// A directory with what is in it. Recursive; no deeper than DEPTH_MAX.
static void remove_tree(const struct push *p, const char *path, int depth)
{
	sftp_dir d = sftp_opendir(p->sftp, path);
	sftp_attributes a;

	while (d != NULL && (a = sftp_readdir(p->sftp, d)) != NULL) {
		CLEANUP(cleanup_free)
		char *entry = xasprintf("%s/%s", path, a->name);
		bool dots =
			strcmp(a->name, ".") == 0 || strcmp(a->name, "..") == 0;

		still_going(p);
		if (!dots && a->type != SSH_FILEXFER_TYPE_DIRECTORY)
			sftp_unlink(p->sftp, entry);
		else if (!dots && depth < DEPTH_MAX)
			remove_tree(p, entry, depth + 1);
		sftp_attributes_free(a);
	}
	if (d != NULL)
		sftp_closedir(d);
	sftp_rmdir(p->sftp, path);
}

static bool is_stale(const struct sftp_attributes_struct *a, uint32_t now)
{
	size_t len = strlen(a->name), end = strlen(PART_SUFFIX);

	return len > end && strcmp(a->name + len - end, PART_SUFFIX) == 0 &&
	       a->mtime < now && now - a->mtime > STALE_S;
}

// `now` is by the host's own clock.
static void remove_stale(const struct push *p, uint32_t now)
{
	sftp_dir d = sftp_opendir(p->sftp, p->dir);
	sftp_attributes a;

	if (d == NULL)
		return;
	while ((a = sftp_readdir(p->sftp, d)) != NULL) {
		if (is_stale(a, now)) {
			CLEANUP(cleanup_free)
			char *path = xasprintf("%s/%s", p->dir, a->name);

			remove_tree(p, path, 0);
		}
		sftp_attributes_free(a);
	}
	sftp_closedir(d);
}

static int make_part(struct push *p, struct err *e)
{
	sftp_attributes a;
	uint32_t luck;

	if (getrandom(&luck, sizeof(luck), 0) != sizeof(luck))
		return err_sys(e, ERR_HOST, "random name");
	p->part = xasprintf("%s/%s.%08x" PART_SUFFIX, p->dir, p->bundle->name,
			    luck);
	make_dirs(p);
	if (sftp_mkdir(p->sftp, p->part, 0755) < 0)
		return failed(p, p->part, e);
	a = sftp_stat(p->sftp, p->part);
	if (a != NULL)
		remove_stale(p, a->mtime);
	sftp_attributes_free(a);
	return 0;
}

static void put_in_place(const struct push *p)
{
	CLEANUP(cleanup_free)
	char *path = xasprintf("%s/%s", p->dir, p->bundle->name);

	if (bundle_is_damaged(p->bundle))
		remove_tree(p, path, 0);
	if (sftp_rename(p->sftp, p->part, path) < 0)
		remove_tree(p, p->part, 0); // another carrier's is there
}

static int fill(const struct push *p, struct err *e)
{
	uint64_t room = room_bytes(p);

	if (room < bundle_bytes(p->bundle))
		return no_room(p, room, e);
	for (size_t i = 0; i < p->bundle->n; i++) {
		const struct bundle_file *f = &p->bundle->files[i];

		make_dirs_of(p, f->name, i > 0 ? f[-1].name : "");
		if (copy_file(p, f, e) < 0)
			return -1;
	}
	return p->bundle->sums != NULL ? copy_sums(p, e) : 0;
}

static int no_sftp(const struct push *p, struct err *e)
{
	if (!ssh_is_connected(p->host->session))
		return ssh_host_error(p->host, "SFTP", e);
	return err_set(e, ERR_HOST,
		       "%s: has no SFTP, which copies the agent there; give "
		       "its sshd_config a line `Subsystem sftp internal-sftp`, "
		       "and no MaxSessions below 2",
		       p->host->at);
}

static int push(struct push *p, struct err *e)
{
	if (make_part(p, e) < 0)
		return -1;
	if (fill(p, e) < 0) {
		remove_tree(p, p->part, 0);
		return -1;
	}
	put_in_place(p);
	return 0;
}

static int begin(struct push *p, struct err *e)
{
	still_going(p);
	p->sftp = sftp_new(p->host->session);
	if (p->sftp == NULL || sftp_init(p->sftp) < 0)
		return no_sftp(p, e);
	return 0;
}

static void end(struct push *p)
{
	if (p->sftp != NULL)
		sftp_free(p->sftp);
	free(p->part);
}

int ssh_push_bundle(struct ssh_host *h, const char *dir, const struct bundle *b,
		    struct err *e)
{
	CLEANUP(end) struct push p = { .host = h, .dir = dir, .bundle = b };

	return begin(&p, e) < 0 ? -1 : push(&p, e);
}

int ssh_push_look(struct ssh_host *h, const char *const *paths, size_t n,
		  bool *there, struct err *e)
{
	CLEANUP(end) struct push p = { .host = h };

	if (begin(&p, e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		sftp_attributes a = sftp_stat(p.sftp, paths[i]);

		there[i] = a != NULL;
		sftp_attributes_free(a);
	}
	return ssh_is_connected(h->session) ? 0 : ssh_host_error(h, "SFTP", e);
}
