#include "runner/transport/ssh_bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/base/alloc.h"
#include "runner/base/fd.h"

void bundle_deinit(struct bundle *b)
{
	for (size_t i = 0; i < b->n; i++)
		free(b->files[i].path);
	*b = (struct bundle){ 0 };
}

// Mapped, so that the pages are shared by all who read the same file.
static int hash_file(struct bundle_file *f, struct err *e)
{
	CLEANUP(fd_closep) int fd = open(f->path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *data;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, ERR_HOST, "%s", f->path);
	if (!S_ISREG(st.st_mode) || st.st_size == 0)
		return err_set(e, ERR_HOST, "%s: is no file, or empty",
			       f->path);
	f->bytes = (uint64_t)st.st_size;
	data = mmap(NULL, f->bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return err_sys(e, ERR_HOST, "%s", f->path);
	sha256_hex(data, f->bytes, f->hash);
	munmap(data, f->bytes);
	return 0;
}

static int add(struct bundle *b, char *path, const char *name, unsigned mode,
	       struct err *e)
{
	struct bundle_file *f = &b->files[b->n++];

	*f = (struct bundle_file){ .path = path, .name = name, .mode = mode };
	return hash_file(f, e);
}

static void name_bundle(struct bundle *b, const char *kind)
{
	CLEANUP(buf_deinit) struct buf list = BUF_INIT;
	char hash[SHA256_HEX_CHARS + 1];

	for (size_t i = 0; i < b->n; i++)
		buf_printf(&list, "%s %s\n", b->files[i].hash,
			   b->files[i].name);
	sha256_hex(list.data, list.len, hash);
	snprintf(b->name, sizeof(b->name), "%s-%s", kind, hash);
}

int bundle_agent(const char *path, struct bundle *out, struct err *e)
{
	CLEANUP(bundle_deinit) struct bundle b = { 0 };

	if (add(&b, xstrdup(path), "vrun-agent", 0755, e) < 0)
		return -1;
	name_bundle(&b, "agent");
	*out = b;
	b = (struct bundle){ 0 };
	return 0;
}

static const struct {
	const char *name;
	bool needed, fio;
} image_files[] = {
	{ "vmlinuz", true, false },	   { "initrd", true, false },
	{ "initrd-fio", false, true },	   { "config", false, false },
	{ "manifest.json", false, false },
};

int bundle_image(const char *dir, bool with_fio, struct bundle *out,
		 struct err *e)
{
	CLEANUP(bundle_deinit) struct bundle b = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(image_files); i++) {
		char *path = xasprintf("%s/%s", dir, image_files[i].name);

		if ((image_files[i].fio && !with_fio) ||
		    (!image_files[i].needed && access(path, R_OK) < 0)) {
			free(path);
			continue;
		}
		if (add(&b, path, image_files[i].name, 0644, e) < 0)
			return err_wrap(e, "guest image (`make guest`)");
	}
	name_bundle(&b, "image");
	*out = b;
	b = (struct bundle){ 0 };
	return 0;
}

bool bundle_is_there(const struct bundle *b)
{
	for (size_t i = 0; i < b->n; i++) {
		if (!b->files[i].there)
			return false;
	}
	return true;
}

uint64_t bundle_bytes(const struct bundle *b)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < b->n; i++)
		sum += b->files[i].bytes;
	return sum;
}

void bundle_list(const struct bundle *b, struct buf *out)
{
	for (size_t i = 0; i < b->n; i++)
		buf_printf(out, " %s/%s", b->name, b->files[i].name);
}

bool bundle_is_damaged(const struct bundle *b)
{
	return b->seen && !bundle_is_there(b);
}

void bundle_note(struct bundle *b, const char *line)
{
	for (size_t i = 0; i < b->n; i++) {
		struct bundle_file *f = &b->files[i];
		CLEANUP(cleanup_free)
		char *name = xasprintf("  %s/%s", b->name, f->name);
		size_t len = strlen(line), end = strlen(name);

		if (len != SHA256_HEX_CHARS + end ||
		    strcmp(line + len - end, name) != 0)
			continue;
		b->seen = true;
		f->there = strncmp(line, f->hash, SHA256_HEX_CHARS) == 0;
	}
}
