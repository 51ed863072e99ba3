#include "runner/agent/vm_image.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/agent/copies.h"
#include "runner/base/alloc.h"
#include "runner/base/fd.h"
#include "runner/base/js.h"

#define DEFAULT_APPEND "console=ttyS0 quiet panic=-1"

enum {
	MANIFEST_MAX = 1 << 20
};

void vm_image_close(struct vm_image *i)
{
	free(i->dir);
	free(i->kernel);
	free(i->initrd);
	free(i->append);
	free(i->config);
	*i = (struct vm_image){ 0 };
}

static bool has_file(const char *dir, const char *name)
{
	CLEANUP(cleanup_free) char *path = xasprintf("%s/%s", dir, name);

	return access(path, R_OK) == 0;
}

static char *builtin_dir(void)
{
	static const char *const places[] = { "guest",
					      "../../share/vrun/guest" };
	const char *given = getenv("VRUN_GUEST");
	CLEANUP(cleanup_free) char *here = file_own_dir();

	if (given != NULL && given[0] != '\0')
		return xstrdup(given);
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		CLEANUP(cleanup_free)
		char *dir = xasprintf("%s/%s", here, places[i]);
		char *real = realpath(dir, NULL);

		if (real != NULL && has_file(real, "vmlinuz"))
			return real;
		free(real);
	}
	return xasprintf("%s/guest", here);
}

static char *file_of(const char *dir, const char *name)
{
	return has_file(dir, name) ? xasprintf("%s/%s", dir, name) : NULL;
}

// What the image itself wants on the kernel's command line.
static int read_append(struct vm_image *i, struct err *e)
{
	CLEANUP(cleanup_free) char *path = file_of(i->dir, "manifest.json");
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	CLEANUP(js_unrefp) struct js *j = NULL;

	if (path == NULL) {
		i->append = xstrdup(DEFAULT_APPEND);
		return 0;
	}
	if (file_read(path, MANIFEST_MAX, &text, ERR_HOST, e) < 0)
		return -1;
	j = js_parse(buf_str(&text), text.len, path, e);
	if (j == NULL)
		return -1;
	i->append = xstrdup(js_get_str(j, "append", DEFAULT_APPEND));
	return 0;
}

static int fill(struct vm_image *i, bool want_fio, struct err *e)
{
	char *fio = file_of(i->dir, "initrd-fio");

	i->kernel = file_of(i->dir, "vmlinuz");
	i->initrd = file_of(i->dir, "initrd");
	i->config = file_of(i->dir, "config");
	i->has_fio = fio != NULL && want_fio;
	if (i->has_fio) {
		free(i->initrd);
		i->initrd = fio;
	} else {
		free(fio);
	}
	if (i->kernel == NULL || i->initrd == NULL)
		return err_set(e, ERR_HOST,
			       "guest image: %s has no readable %s; run `make "
			       "guest`, or name a directory with vmlinuz and "
			       "initrd as \"image\"",
			       i->dir, i->kernel ? "initrd" : "vmlinuz");
	return read_append(i, e);
}

// The controller's, where it has one of that path: all hosts boot the same.
static char *named_dir(const char *image)
{
	bool nowhere;
	char *copy = copies_find(image, "image-", &nowhere);

	return copy != NULL ? copy : xstrdup(image);
}

int vm_image_open(const char *image, bool want_fio, struct vm_image *out,
		  struct err *e)
{
	struct vm_image i = { 0 };

	i.dir = strcmp(image, "builtin") == 0 ? builtin_dir()
					      : named_dir(image);
	if (fill(&i, want_fio, e) < 0) {
		vm_image_close(&i);
		return -1;
	}
	*out = i;
	return 0;
}
