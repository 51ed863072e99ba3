#include "runner/transport/ssh_config.h"

#include <ctype.h>
#include <pwd.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runner/base/alloc.h"
#include "runner/base/buf.h"
#include "runner/base/fd.h"
#include "runner/transport/capture.h"

// How the value of a keyword is kept.
enum kind {
	TEXT,
	AS_IS,	    // text, where "none" says something
	FILE_LINE,  // one file a line, may be said again
	FILE_WORDS, // files between blanks
	YES,
	NUMBER,
};

#define AT(field) offsetof(struct ssh_config, field)

static const struct row {
	const char *keyword;
	enum kind kind;
	size_t at;
} rows[] = {
	{ "hostname", TEXT, AT(hostname) },
	{ "user", TEXT, AT(user) },
	{ "port", TEXT, AT(port) },
	{ "addressfamily", TEXT, AT(address_family) },
	{ "bindaddress", TEXT, AT(bind_address) },
	{ "proxyjump", TEXT, AT(proxy_jump) },
	{ "proxycommand", TEXT, AT(proxy_command) },
	{ "hostkeyalias", TEXT, AT(host_key_alias) },
	{ "identityagent", AS_IS, AT(identity_agent) },
	{ "stricthostkeychecking", TEXT, AT(strict) },
	{ "ciphers", TEXT, AT(ciphers) },
	{ "macs", TEXT, AT(macs) },
	{ "kexalgorithms", TEXT, AT(kex) },
	{ "hostkeyalgorithms", TEXT, AT(host_keys) },
	{ "pubkeyacceptedalgorithms", TEXT, AT(public_keys) },
	{ "compression", TEXT, AT(compression) },
	{ "identityfile", FILE_LINE, AT(identities) },
	{ "userknownhostsfile", FILE_WORDS, AT(known_hosts) },
	{ "globalknownhostsfile", FILE_WORDS, AT(global_known_hosts) },
	{ "identitiesonly", YES, AT(identities_only) },
	{ "connecttimeout", NUMBER, AT(connect_s) },
	{ "serveraliveinterval", NUMBER, AT(alive_s) },
	{ "serveralivecountmax", NUMBER, AT(alive_max) },
};

static void *field(struct ssh_config *c, const struct row *row)
{
	return (char *)c + row->at;
}

void ssh_config_deinit(struct ssh_config *c)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (rows[i].kind == TEXT || rows[i].kind == AS_IS)
			free(*(char **)field(c, &rows[i]));
		if (rows[i].kind == FILE_LINE || rows[i].kind == FILE_WORDS)
			strv_deinit(field(c, &rows[i]));
	}
	free(c->destination);
	free(c->home);
	*c = (struct ssh_config){ 0 };
}

int ssh_config_check(const char *destination, struct err *e)
{
	static const char allowed[] = "._-:%+@[]";
	size_t n = 0;

	while (isalnum((unsigned char)destination[n]) ||
	       (destination[n] != '\0' &&
		strchr(allowed, destination[n]) != NULL))
		n++;
	if (destination[n] == '\0' && n > 0 && destination[0] != '-' &&
	    strstr(destination, "@-") == NULL && n < SSH_CONFIG_DESTINATION_MAX)
		return 0;
	return err_set(
		e, ERR_HOST,
		"\"%.80s\" is no SSH destination: give [user@]host[:port] "
		"or a Host of ~/.ssh/config, in letters, digits and %s",
		destination, allowed);
}

// --- the answer ---------------------------------------------------------

// The value of a token, NULL when it has none here.
static const char *token(const struct ssh_config *c, char t)
{
	const struct {
		char letter;
		const char *value;
	} tokens[] = {
		{ '%', "%" },	  { 'd', c->home }, { 'h', c->hostname },
		{ 'p', c->port }, { 'r', c->user }, { 'n', c->destination },
	};

	for (size_t i = 0; i < ARRAY_LEN(tokens); i++) {
		if (tokens[i].letter == t)
			return tokens[i].value;
	}
	return NULL;
}

void ssh_config_expand(const struct ssh_config *c, const char *text,
		       struct buf *out)
{
	for (; *text != '\0'; text++) {
		const char *value = *text == '%' ? token(c, text[1]) : NULL;

		if (value == NULL) {
			buf_putc(out, *text);
			continue;
		}
		buf_puts(out, value);
		text++;
	}
}

static void expand_files(const struct ssh_config *c, struct strv *files)
{
	for (size_t i = 0; i < files->n; i++) {
		CLEANUP(buf_deinit) struct buf path = BUF_INIT;
		const char *text = files->v[i];

		if (strncmp(text, "~/", 2) == 0) {
			buf_puts(&path, c->home);
			text++;
		}
		ssh_config_expand(c, text, &path);
		free(files->v[i]);
		files->v[i] = buf_take(&path);
	}
}

static void add_words(struct strv *out, char *text)
{
	char *rest = NULL;

	for (char *w = strtok_r(text, " \t", &rest); w != NULL;
	     w = strtok_r(NULL, " \t", &rest))
		strv_add(out, w);
}

static int read_number(const char *text, int64_t *out)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (end == text || *end != '\0' || n < 0 || n > SSH_CONFIG_SECONDS_MAX)
		return -1;
	*out = n;
	return 0;
}

static int take(struct ssh_config *c, const struct row *row, char *value,
		struct err *e)
{
	void *at = field(c, row);

	if (strcmp(value, "none") == 0 && row->kind != AS_IS)
		return 0;
	switch (row->kind) {
	case TEXT:
	case AS_IS:
		free(*(char **)at);
		*(char **)at = xstrdup(value);
		return 0;
	case FILE_LINE:
		strv_add(at, value);
		return 0;
	case FILE_WORDS:
		add_words(at, value);
		return 0;
	case YES:
		*(bool *)at = strcmp(value, "yes") == 0;
		return 0;
	case NUMBER:
		if (read_number(value, at) == 0)
			return 0;
		break;
	}
	return err_set(e, ERR_HOST, "ssh -G: %s \"%.40s\": not a number",
		       row->keyword, value);
}

static int take_line(struct ssh_config *c, char *line, struct err *e)
{
	char *value = line + strcspn(line, " ");

	if (*value != '\0')
		*value++ = '\0';
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (strcmp(rows[i].keyword, line) == 0)
			return take(c, &rows[i], value, e);
	}
	return 0; // nothing that concerns vrun
}

int ssh_config_parse(char *text, struct ssh_config *c, struct err *e)
{
	char *rest = NULL;

	for (char *line = strtok_r(text, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (take_line(c, line, e) < 0)
			return -1;
	}
	if (c->hostname == NULL || c->user == NULL || c->port == NULL)
		return err_set(e, ERR_HOST,
			       "ssh -G: its answer has no hostname, user or "
			       "port; is `ssh` OpenSSH's?");
	expand_files(c, &c->identities);
	expand_files(c, &c->known_hosts);
	expand_files(c, &c->global_known_hosts);
	return 0;
}

// --- ssh -G -------------------------------------------------------------

// OpenSSH takes no brackets but in a URI, and there no address of IPv6.
static void add_arguments(const char *destination, struct strv *argv)
{
	const char *host = strrchr(destination, '@');
	const char *end, *port;
	int user;

	host = host == NULL ? destination : host + 1;
	user = (int)(host - destination);
	if (host[0] == '[' && strchr(host, ']') != NULL) {
		end = strchr(++host, ']');
		port = end[1] == ':' ? end + 2 : NULL;
	} else {
		end = strchr(host, ':');
		port = end != NULL && strchr(end + 1, ':') == NULL ? end + 1
								   : NULL;
		if (port == NULL)
			end = host + strlen(host);
	}
	if (port != NULL)
		strv_addf(argv, "-p%s", port);
	strv_add(argv, "--");
	strv_addf(argv, "%.*s%.*s", user, destination, (int)(end - host), host);
}

static int ask_ssh(const char *destination, struct buf *out, struct err *e)
{
	CLEANUP(strv_deinit) struct strv argv = STRV_INIT;
	struct err ignored = { 0 };

	strv_add(&argv, "ssh");
	strv_add(&argv, "-TG");
	add_arguments(destination, &argv);
	if (capture(argv.v, out, SSH_CONFIG_BYTES_MAX, &ignored) == 0)
		return 0;
	return err_set(e, ERR_HOST,
		       "`ssh -G %s` failed, which tells how the host is "
		       "reached; mend ~/.ssh/config, or install OpenSSH's "
		       "client",
		       destination);
}

int ssh_config_load(const char *destination, struct ssh_config *out,
		    struct err *e)
{
	CLEANUP(ssh_config_deinit) struct ssh_config c = { 0 };
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	const struct passwd *pw = getpwuid(getuid());

	if (pw == NULL)
		return err_set(e, ERR_HOST, "user %u has no entry in passwd",
			       (unsigned)getuid());
	if (ask_ssh(destination, &text, e) < 0)
		return -1;
	c.destination = xstrdup(destination);
	c.home = xstrdup(pw->pw_dir);
	buf_putc(&text, '\n');
	if (ssh_config_parse(text.data, &c, e) < 0)
		return -1;
	*out = c;
	c = (struct ssh_config){ 0 };
	return 0;
}
