#include "runner/cmd/hosts.h"

#include <libgen.h>
#include <stdlib.h>
#include <unistd.h>

#include "runner/base/alloc.h"
#include "runner/base/fd.h"
#include "runner/matrix/yaml.h"

static char *beside(const char *matrix_file)
{
	CLEANUP(cleanup_free) char *copy = xstrdup(matrix_file);

	return xasprintf("%s/" INVENTORY_FILE, dirname(copy));
}

// Relative paths are to be ignored (XDG Base Directory Specification). NULL:
// there is no such directory.
static char *below_config(void)
{
	const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (base != NULL && base[0] == '/')
		return xasprintf("%s/vrun/" INVENTORY_FILE, base);
	if (home != NULL && home[0] == '/')
		return xasprintf("%s/.config/vrun/" INVENTORY_FILE, home);
	return NULL;
}

// The caller frees; NULL: there is none.
static char *find(const char *matrix_file)
{
	CLEANUP(cleanup_free) char *near = beside(matrix_file);
	CLEANUP(cleanup_free) char *far = below_config();

	if (access(near, F_OK) == 0)
		return TAKE_PTR(near);
	if (far != NULL && access(far, F_OK) == 0)
		return TAKE_PTR(far);
	return NULL;
}

static int load(const char *path, struct inventory **out, struct err *e)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	if (file_read(path, YNODE_BYTES_MAX, &text, ERR_USAGE, e) < 0)
		return -1;
	return inventory_parse(path, buf_str(&text), text.len, out, e);
}

int hosts_resolve(const char *matrix_file, struct matrix *m,
		  struct inventory_host **out, struct err *e)
{
	CLEANUP(inventory_freep) struct inventory *inv = NULL;
	CLEANUP(cleanup_free) char *path = find(matrix_file);

	if (path != NULL && load(path, &inv, e) < 0)
		return -1;
	return inventory_resolve(inv, m, out, e);
}

struct transport_target hosts_target(const struct inventory_host *h)
{
	return (struct transport_target){
		.name = h->name,
		.destination =
			h->destination[0] != '\0' ? h->destination : NULL,
		.lease_ns = h->lease_ns,
		.connect_ns = h->connect_ns,
	};
}
