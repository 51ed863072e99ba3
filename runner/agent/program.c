#include "runner/agent/program.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "runner/base/fd.h"

enum {
	HEAD_BYTES = 4096, // ELF's headers and a loader's name stand in these
#if defined(__x86_64__)
	OUR_MACHINE = EM_X86_64,
#elif defined(__aarch64__)
	OUR_MACHINE = EM_AARCH64,
#endif
};

struct head {
	char bytes[HEAD_BYTES + 1]; // ends with 0
	size_t len;
};

static bool read_head(const char *path, struct head *h)
{
	CLEANUP(fd_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : fd_read_some(fd, h->bytes, HEAD_BYTES);

	if (n < 0)
		return false;
	h->len = (size_t)n;
	h->bytes[n] = '\0';
	return true;
}

// "#!/usr/bin/python3 -u": its first word.
static void explain_script(const struct head *h, struct fault *f)
{
	char name[256] = "";
	const char *first = h->bytes + 2 + strspn(h->bytes + 2, " \t");

	memcpy(name, first, MIN(strcspn(first, " \t\r\n"), sizeof(name) - 1));
	if (access(name, X_OK) < 0)
		fault_add(f,
			  "its interpreter \"%s\" is not here; write it for "
			  "/bin/sh",
			  name);
}

// The loader that a dynamic program names; "" for a static one.
static const char *loader_of(const struct head *h)
{
	Elf64_Ehdr elf;
	Elf64_Phdr p;

	memcpy(&elf, h->bytes, sizeof(elf));
	for (size_t i = 0; i < elf.e_phnum; i++) {
		size_t at = elf.e_phoff + i * sizeof(p);

		if (elf.e_phoff > h->len || at + sizeof(p) > h->len)
			break;
		memcpy(&p, h->bytes + at, sizeof(p));
		if (p.p_type == PT_INTERP && p.p_offset < h->len)
			return h->bytes + p.p_offset;
	}
	return "";
}

static void explain_elf(const struct head *h, struct fault *f)
{
	const char *loader;
	Elf64_Ehdr elf;

	memcpy(&elf, h->bytes, sizeof(elf));
	if (elf.e_ident[EI_CLASS] != ELFCLASS64 ||
	    elf.e_machine != OUR_MACHINE) {
		fault_add(f, "it is a program for another machine; build it "
			     "for this one");
		return;
	}
	loader = loader_of(h);
	if (loader[0] != '\0' && access(loader, X_OK) < 0)
		fault_add(f,
			  "it is linked dynamically, and its loader %s is not "
			  "here; link it statically (-static), or write it for "
			  "/bin/sh",
			  loader);
}

void program_explain(const char *path, struct fault *f)
{
	struct head h;

	if (!read_head(path, &h))
		return;
	if (strncmp(h.bytes, "#!", 2) == 0)
		explain_script(&h, f);
	else if (h.len >= sizeof(Elf64_Ehdr) &&
		 memcmp(h.bytes, ELFMAG, SELFMAG) == 0)
		explain_elf(&h, f);
	else
		fault_add(f, "it is neither a script, which begins with "
			     "\"#!/bin/sh\", nor a program for Linux");
}
