// Who we are: keys of ssh-agent, then key files. Nothing is ever asked of the
// user; a key with a passphrase is for the agent.
#include "runner/transport/ssh_session.h"

#include <libssh/libssh.h>
#include <string.h>
#include <unistd.h>

#include "runner/base/alloc.h"
#include "runner/base/buf.h"
#include "runner/base/fd.h"

enum {
	KEY_FILE_MAX = 64 << 10,
};

struct login {
	const struct ssh_host *host;
	struct buf tried;   // what came of it, for the error
	const char *locked; // a key file with a passphrase, or NULL
	bool in;
};

static void note(struct login *l, const char *what, const char *came)
{
	buf_printf(&l->tried, "%s%s: %s", l->tried.len > 0 ? ", " : "", what,
		   came);
}

// What libssh answered, in the error's list; true when there is no need to go
// on: we are in, or the server has had enough.
static bool settled(struct login *l, const char *what, int answer)
{
	switch (answer) {
	case SSH_AUTH_SUCCESS:
		l->in = true;
		return true;
	case SSH_AUTH_PARTIAL:
		note(l, what, "taken, but the server wants more than a key");
		return true;
	case SSH_AUTH_DENIED:
		note(l, what, "not taken");
		return false;
	default:
		note(l, what, ssh_get_error(l->host->session));
		return !ssh_is_connected(l->host->session);
	}
}

static bool try_agent(struct login *l)
{
	const struct ssh_config *c = &l->host->config;
	const char *socket = c->identity_agent != NULL
				     ? c->identity_agent
				     : getenv("SSH_AUTH_SOCK");

	if (socket == NULL || strcmp(socket, "none") == 0) {
		note(l, "ssh-agent", "none");
		return false;
	}
	return settled(l, "ssh-agent",
		       ssh_userauth_agent(l->host->session, NULL));
}

// libssh does not tell a key with a passphrase from one that is damaged. A PEM
// file says so; in OpenSSH's own format the name of the cipher stands first.
// Source: PROTOCOL.key of OpenSSH.
static bool has_passphrase(const char *path)
{
	static const char no_cipher[] = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmU";
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct err e;

	if (file_read(path, KEY_FILE_MAX, &text, ERR_HOST, &e) < 0)
		return false;
	if (strstr(buf_str(&text), "OPENSSH PRIVATE KEY") != NULL)
		return strstr(buf_str(&text), no_cipher) == NULL;
	return strstr(buf_str(&text), "ENCRYPTED") != NULL;
}

static bool try_file(struct login *l, const char *path)
{
	ssh_key key = NULL;
	bool over, locked;

	if (access(path, F_OK) < 0)
		return false; // most of the default ones
	if (ssh_pki_import_privkey_file(path, NULL, NULL, NULL, &key) !=
	    SSH_OK) {
		locked = has_passphrase(path);
		note(l, path,
		     locked ? "has a passphrase"
			    : "not a key that can be read");
		if (locked && l->locked == NULL)
			l->locked = path;
		return false;
	}
	over = settled(l, path,
		       ssh_userauth_publickey(l->host->session, NULL, key));
	ssh_key_free(key);
	return over;
}

static bool try_files(struct login *l)
{
	const struct strv *files = &l->host->config.identities;

	for (size_t i = 0; i < files->n; i++) {
		if (try_file(l, files->v[i]))
			return true;
	}
	return false;
}

// With IdentitiesOnly the files come first; the agent then stands in for one
// that has a passphrase.
static void try_all(struct login *l)
{
	bool only = l->host->config.identities_only;

	if (!only && try_agent(l))
		return;
	if (try_files(l) || !only || l->locked == NULL)
		return;
	try_agent(l);
}

static int fail(const struct login *l, struct err *e)
{
	CLEANUP(cleanup_free) char *remedy = NULL;

	if (ssh_get_error_code(l->host->session) == SSH_FATAL &&
	    !ssh_is_connected(l->host->session))
		return ssh_host_error(l->host, "logging in", e);
	if (l->locked != NULL)
		remedy = xasprintf("load the key with `ssh-add %s`", l->locked);
	else
		remedy = xasprintf(
			"is the user right, has its authorized_keys your key? "
			"`ssh -o BatchMode=yes %s true` has to work",
			l->host->config.destination);
	return err_set(e, ERR_HOST, "no key is taken for user %s (%s); %s",
		       l->host->config.user, buf_str(&l->tried), remedy);
}

int ssh_auth_login(const struct ssh_host *h, struct err *e)
{
	struct login l = { .host = h };
	int answer = ssh_userauth_none(h->session, NULL);
	int rc = 0;

	if (answer == SSH_AUTH_ERROR)
		return ssh_host_error(h, "logging in", e);
	l.in = answer == SSH_AUTH_SUCCESS;
	if (!l.in)
		try_all(&l);
	if (!l.in)
		rc = fail(&l, e);
	buf_deinit(&l.tried);
	return rc;
}
