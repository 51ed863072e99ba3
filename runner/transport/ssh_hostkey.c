// Host keys, strictly: what is in no known_hosts file is refused or, if the
// user said so, stored; what differs from it is refused.
#include "runner/transport/ssh_session.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/base/alloc.h"
#include "runner/base/fd.h"

enum {
	KNOWN_LINE_MAX = 64 * 1024,
	SSH_PORT = 22,
};

struct known_line {
	const char *file;
	unsigned number;
	bool revoked;
	ssh_key key;
};

// Stops the walk when it returns true.
typedef bool visit_fn(void *arg, const struct known_line *line);

// The name that the files know the host by; allocated.
static char *known_name(const struct ssh_config *c)
{
	char *name;

	if (c->host_key_alias != NULL)
		name = xstrdup(c->host_key_alias);
	else if (strtol(c->port, NULL, 10) == SSH_PORT)
		name = xstrdup(c->hostname);
	else
		name = xasprintf("[%s]:%s", c->hostname, c->port);
	for (char *p = name; *p != '\0'; p++)
		*p = (char)tolower((unsigned char)*p);
	return name;
}

// Authorities are nothing that libssh could check by.
static bool is_plain(const char *text)
{
	return text[0] != '\0' && text[0] != '#' && text[0] != '@';
}

static bool visit_line(const char *name, char *text, struct known_line *line,
		       visit_fn *visit, void *arg)
{
	static const char mark[] = "@revoked ";
	struct ssh_knownhosts_entry *entry = NULL;
	bool stop;

	text += strspn(text, " \t");
	text[strcspn(text, "\r\n")] = '\0';
	for (char *p = text; *p != '\0'; p++)
		*p = *p == '\t' ? ' ' : *p;
	line->revoked = strncmp(text, mark, strlen(mark)) == 0;
	text += line->revoked ? strlen(mark) : 0;
	if (!is_plain(text) ||
	    ssh_known_hosts_parse_line(name, text, &entry) != SSH_OK)
		return false;
	line->key = entry->publickey;
	stop = visit(arg, line);
	ssh_knownhosts_entry_free(entry);
	return stop;
}

static bool visit_file(const char *name, const char *path, visit_fn *visit,
		       void *arg)
{
	CLEANUP(cleanup_free) char *text = NULL;
	struct known_line line = { .file = path };
	FILE *f = fopen(path, "re");
	bool stop = false;
	size_t room = 0;
	ssize_t n;

	if (f == NULL)
		return false;
	while (!stop && (n = getline(&text, &room, f)) >= 0) {
		line.number++;
		stop = n <= KNOWN_LINE_MAX &&
		       visit_line(name, text, &line, visit, arg);
	}
	fclose(f);
	return stop;
}

static void visit_all(const struct ssh_config *c, visit_fn *visit, void *arg)
{
	const struct strv *lists[] = { &c->known_hosts,
				       &c->global_known_hosts };
	CLEANUP(cleanup_free) char *name = known_name(c);

	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		for (size_t k = 0; k < lists[i]->n; k++) {
			if (visit_file(name, lists[i]->v[k], visit, arg))
				return;
		}
	}
}

// --- which algorithms ---------------------------------------------------

static bool add_algorithm(void *arg, const struct known_line *line)
{
	enum ssh_keytypes_e type = ssh_key_type(line->key);
	struct buf *out = arg;

	if (line->revoked)
		return false;
	if (out->len > 0)
		buf_putc(out, ',');
	buf_puts(out, type == SSH_KEYTYPE_RSA ? "rsa-sha2-512,rsa-sha2-256"
					      : ssh_key_type_to_char(type));
	return false;
}

void ssh_hostkey_order(const struct ssh_config *c, const char *others,
		       struct buf *out)
{
	visit_all(c, add_algorithm, out);
	if (others == NULL)
		return;
	if (out->len > 0)
		buf_putc(out, ',');
	buf_puts(out, others);
}

// --- the verdict --------------------------------------------------------

struct verdict {
	ssh_key shown;
	bool same, revoked;
	char *other; // FILE:LINE of a different key; owned
};

static bool judge_line(void *arg, const struct known_line *line)
{
	struct verdict *v = arg;
	bool same = ssh_key_cmp(v->shown, line->key, SSH_KEY_CMP_PUBLIC) == 0;

	v->revoked = v->revoked || (same && line->revoked);
	v->same = v->same || (same && !line->revoked);
	if (!same && !line->revoked && v->other == NULL)
		v->other = xasprintf("%s:%u", line->file, line->number);
	return v->revoked;
}

// "ssh-ed25519 SHA256:..."; allocated.
static char *describe(const ssh_key key)
{
	const char *type = ssh_key_type_to_char(ssh_key_type(key));
	unsigned char *hash = NULL;
	size_t len = 0;
	char *print, *out;

	if (ssh_get_publickey_hash(key, SSH_PUBLICKEY_HASH_SHA256, &hash,
				   &len) < 0)
		return xstrdup(type);
	print = ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, len);
	out = xasprintf("%s %s", type, print != NULL ? print : "");
	ssh_string_free_char(print);
	ssh_clean_pubkey_hash(&hash);
	return out;
}

static int is_changed(const struct ssh_config *c, const struct verdict *v,
		      struct err *e)
{
	CLEANUP(cleanup_free) char *shown = describe(v->shown);
	CLEANUP(cleanup_free) char *name = known_name(c);
	int file = (int)(strrchr(v->other, ':') - v->other);

	return err_set(e, ERR_HOST,
		       "its host key has changed: it shows %s, but %s has "
		       "another. Somebody may be in between, or it was "
		       "installed anew. If that is so, remove the old one "
		       "with `ssh-keygen -f '%.*s' -R '%s'`",
		       shown, v->other, file, v->other, name);
}

static int is_unknown(const struct ssh_config *c, const struct verdict *v,
		      struct err *e)
{
	CLEANUP(cleanup_free) char *shown = describe(v->shown);

	return err_set(e, ERR_HOST,
		       "its host key is not known (%s). Compare it with the "
		       "host's own, then accept it with `ssh %s true`, or for "
		       "all new hosts with --accept-new-host-key",
		       shown, c->destination);
}

static int refuse_storing(const char *path, struct err *e)
{
	return err_sys(e, ERR_HOST,
		       "its new host key cannot be kept in %s (UserKnownHosts"
		       "File of ~/.ssh/config)",
		       path);
}

// The last line of the file may lack its end.
static bool ends_in_line(int fd)
{
	off_t end = lseek(fd, 0, SEEK_END);
	char last = '\n';

	return end <= 0 || pread(fd, &last, 1, end - 1) != 1 || last == '\n';
}

// One write, so that what several carriers add does not mix.
static int store(const struct ssh_config *c, const ssh_key key, struct err *e)
{
	const char *path =
		c->known_hosts.n > 0 ? c->known_hosts.v[0] : "/dev/null";
	CLEANUP(cleanup_free) char *name = known_name(c);
	CLEANUP(buf_deinit) struct buf line = BUF_INIT;
	CLEANUP(cleanup_free) char *copy = xstrdup(path);
	CLEANUP(fd_closep) int fd = -1;
	char *text = NULL;

	if (mkdir(dirname(copy), 0700) < 0 && errno != EEXIST)
		return refuse_storing(path, e);
	fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return refuse_storing(path, e);
	if (ssh_pki_export_pubkey_base64(key, &text) != SSH_OK)
		return err_set(e, ERR_HOST, "its host key cannot be written");
	buf_printf(&line, "%s%s %s %s\n", ends_in_line(fd) ? "" : "\n", name,
		   ssh_key_type_to_char(ssh_key_type(key)), text);
	ssh_string_free_char(text);
	if (fd_write_all(fd, line.data, line.len) < 0)
		return refuse_storing(path, e);
	return 0;
}

static int decide(const struct ssh_host *h, const struct verdict *v,
		  struct err *e)
{
	const struct ssh_config *c = &h->config;

	if (v->revoked)
		return err_set(e, ERR_HOST,
			       "its host key is marked @revoked in a "
			       "known_hosts file");
	if (v->same)
		return 0;
	if (v->other != NULL)
		return is_changed(c, v, e);
	return h->accept_new ? store(c, v->shown, e) : is_unknown(c, v, e);
}

int ssh_hostkey_judge(const struct ssh_host *h, ssh_key shown, struct err *e)
{
	struct verdict v = { .shown = shown };
	int rc;

	visit_all(&h->config, judge_line, &v);
	rc = decide(h, &v, e);
	free(v.other);
	return rc;
}

int ssh_hostkey_check(const struct ssh_host *h, struct err *e)
{
	ssh_key shown;
	int rc;

	if (ssh_get_server_publickey(h->session, &shown) != SSH_OK)
		return ssh_host_error(h, "its host key", e);
	rc = ssh_hostkey_judge(h, shown, e);
	ssh_key_free(shown);
	return rc;
}
