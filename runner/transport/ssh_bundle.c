#include "runner/transport/ssh_bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/base/alloc.h"
#include "runner/base/fd.h"

void bundle_deinit(struct bundle *b)
{
	for (size_t i = 0; i < b->n; i++) {
		free(b->files[i].path);
		free(b->files[i].name);
	}
	free(b->files);
	free(b->sums);
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

int bundle_add(struct bundle *b, const char *path, char *name, unsigned mode,
	       struct err *e)
{
	struct bundle_file *f;

	if (b->n >= BUNDLE_FILES_MAX) {
		free(name);
		return err_set(e, ERR_HOST, "%s: one of more than %d files",
			       path, BUNDLE_FILES_MAX);
	}
	b->files = xgrow(b->files, &b->cap, b->n + 1, sizeof(*b->files));
	f = &b->files[b->n++];
	*f = (struct bundle_file){ .path = xstrdup(path),
				   .name = name,
				   .mode = mode };
	return hash_file(f, e);
}

static int by_name(const void *a, const void *b)
{
	const struct bundle_file *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void sort(struct bundle *b)
{
	size_t kept = 0;

	qsort(b->files, b->n, sizeof(*b->files), by_name);
	for (size_t i = 0; i < b->n; i++) {
		struct bundle_file f = b->files[i];

		if (kept > 0 && strcmp(b->files[kept - 1].name, f.name) == 0) {
			free(f.path);
			free(f.name);
			continue;
		}
		b->files[kept++] = f;
	}
	b->n = kept;
}

void bundle_seal(struct bundle *b, const char *kind, bool sums)
{
	CLEANUP(buf_deinit) struct buf list = BUF_INIT;
	char hash[SHA256_HEX_CHARS + 1];

	if (sums)
		sort(b);
	for (size_t i = 0; i < b->n; i++)
		buf_printf(&list, "%s %s%s\n", b->files[i].hash,
			   sums ? " " : "", b->files[i].name);
	sha256_hex(list.data, list.len, hash);
	snprintf(b->name, sizeof(b->name), "%s-%s", kind, hash);
	if (sums)
		b->sums = xstrdup(buf_str(&list));
}

int bundle_agent(const char *path, struct bundle *out, struct err *e)
{
	CLEANUP(bundle_deinit) struct bundle b = { 0 };

	if (bundle_add(&b, path, xstrdup("vrun-agent"), 0755, e) < 0)
		return -1;
	bundle_seal(&b, "agent", false);
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
		const char *name = image_files[i].name;
		CLEANUP(cleanup_free)
		char *path = xasprintf("%s/%s", dir, name);

		if ((image_files[i].fio && !with_fio) ||
		    (!image_files[i].needed && access(path, R_OK) < 0))
			continue;
		if (bundle_add(&b, path, xstrdup(name), 0644, e) < 0)
			return err_wrap(e, "guest image (`make guest`)");
	}
	bundle_seal(&b, "image", false);
	*out = b;
	b = (struct bundle){ 0 };
	return 0;
}

bool bundle_is_there(const struct bundle *b)
{
	if (b->sums != NULL)
		return b->sums_hold;
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
	if (b->sums != NULL) {
		buf_printf(out, " %s", b->name);
		return;
	}
	for (size_t i = 0; i < b->n; i++)
		buf_printf(out, " %s/%s", b->name, b->files[i].name);
}

bool bundle_is_damaged(const struct bundle *b)
{
	return b->seen && !bundle_is_there(b);
}

// Whether the line is about that file; *hash: what stands before its name.
static bool is_about(const struct bundle *b, const char *name, const char *line,
		     size_t *hash)
{
	CLEANUP(cleanup_free)
	char *end = xasprintf("  %s/%s", b->name, name);
	size_t len = strlen(line), n = strlen(end);

	if (len < n || strcmp(line + len - n, end) != 0)
		return false;
	*hash = len - n;
	return true;
}

void bundle_note(struct bundle *b, const char *line)
{
	size_t hash;

	if (b->sums != NULL && is_about(b, BUNDLE_SUMS, line, &hash)) {
		// They name the bundle: its name is their own hash.
		b->seen = true;
		b->sums_hold = hash == SHA256_HEX_CHARS &&
			       strncmp(line, strrchr(b->name, '-') + 1,
				       SHA256_HEX_CHARS) == 0;
		return;
	}
	for (size_t i = 0; b->sums == NULL && i < b->n; i++) {
		struct bundle_file *f = &b->files[i];

		if (!is_about(b, f->name, line, &hash))
			continue;
		b->seen = true;
		f->there = hash == SHA256_HEX_CHARS &&
			   strncmp(line, f->hash, SHA256_HEX_CHARS) == 0;
	}
}
