// The kernel's pool of huge pages of one size, under <root>/sys and
// <root>/proc (root is "" but in tests).
// Source: Documentation/admin-guide/mm/hugetlbpage.rst of the kernel.
#pragma once

#include <stdint.h>

#include "runner/base/err.h"

struct hugepages {
	uint64_t total;	    // nr_hugepages
	uint64_t available; // free and not reserved by a mapping
};

// The pool's file; caller frees.
char *hugepages_path(const char *root, uint64_t page_bytes);

int hugepages_read(const char *root, uint64_t page_bytes, struct hugepages *out,
		   struct err *e) MUST_CHECK;

// Grows the pool until `need` pages are available: asks, compacts memory,
// asks again, drops the page cache only if that was not enough. Returns 0
// with what is available then in *got, which may be less than `need`.
int hugepages_grow(const char *root, uint64_t page_bytes, uint64_t need,
		   uint64_t *got, struct err *e) MUST_CHECK;
