// The kernel and initial root file system that a VM boots: a directory with
// vmlinuz, initrd, perhaps initrd-fio, config and manifest.json.
#pragma once

#include <stdbool.h>

#include "runner/base/err.h"

struct vm_image {
	char *dir, *kernel, *initrd, *append; // owned; append: kernel options
	char *config; // the kernel's configuration; NULL when there is none
	bool has_fio;
};

// `image` is a directory, or "builtin": $VRUN_GUEST, else `guest` beside the
// running program, else ../../share/vrun/guest from there. An image with fio is
// taken when `want_fio` is set and there is one.
int vm_image_open(const char *image, bool want_fio, struct vm_image *out,
		  struct err *e) MUST_CHECK;
void vm_image_close(struct vm_image *i); // for CLEANUP, too
