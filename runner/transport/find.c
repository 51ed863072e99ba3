#include "runner/transport/find.h"

#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "runner/base/alloc.h"
#include "runner/base/fd.h"

// An environment variable, or NULL when it says nothing.
static const char *given(const char *name)
{
	const char *value = getenv(name);

	return value != NULL && value[0] != '\0' ? value : NULL;
}

char *find_own_arch(void)
{
	struct utsname u;

	return xstrdup(uname(&u) == 0 ? u.machine : "unknown");
}

static char *if_usable(char *path, int mode)
{
	if (access(path, mode) == 0)
		return path;
	free(path);
	return NULL;
}

// The target of the Makefile that makes vrun-agent-ARCH is agent-ARCH.
static char *no_agent(const char *name, const char *dir, struct err *e)
{
	const char *target = name + strlen("vrun-agent");

	err_set(e, ERR_HOST,
		"no %s in %s nor in ../libexec/vrun from there; run `make%s%s` "
		"or name its directory in VRUN_AGENT_DIR",
		name, dir, target[0] != '\0' ? " agent" : "", target);
	return NULL;
}

static char *search_agent(const char *name, struct err *e)
{
	static const char *const places[] = { "", "../libexec/vrun/" };
	const char *named = given("VRUN_AGENT_DIR");
	CLEANUP(cleanup_free) char *own = file_own_dir();
	const char *dir = named != NULL ? named : own;

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		char *path = if_usable(
			xasprintf("%s/%s%s", dir, places[i], name), X_OK);

		if (path != NULL)
			return path;
	}
	return no_agent(name, dir, e);
}

char *find_agent(const char *arch, struct err *e)
{
	CLEANUP(cleanup_free) char *own = find_own_arch();
	CLEANUP(cleanup_free) char *name = xasprintf("vrun-agent-%s", arch);
	const char *named = given("VRUN_AGENT");

	if (strcmp(own, arch) != 0)
		return search_agent(name, e);
	if (named == NULL)
		return search_agent("vrun-agent", e);
	if (access(named, X_OK) == 0)
		return xstrdup(named);
	err_sys(e, ERR_HOST, "VRUN_AGENT: %s", named);
	return NULL;
}

char *find_image(void)
{
	static const char *const places[] = { "guest", "../share/vrun/guest" };
	const char *named = given("VRUN_GUEST");
	CLEANUP(cleanup_free) char *dir = file_own_dir();

	if (named != NULL)
		return xstrdup(named);
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		CLEANUP(cleanup_free)
		char *kernel = if_usable(
			xasprintf("%s/%s/vmlinuz", dir, places[i]), R_OK);

		if (kernel != NULL)
			return xasprintf("%s/%s", dir, places[i]);
	}
	return NULL;
}
