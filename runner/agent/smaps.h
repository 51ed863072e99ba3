// The guest's memory as /proc/PID/smaps shows it. Pure.
// Format: proc(5), Documentation/filesystems/proc.rst of the kernel.
#pragma once

#include <stdint.h>

#include "runner/base/compiler.h"

struct smaps {
	uint64_t size, rss; // bytes, as all others
	uint64_t kernel_page, mmu_page;
	uint64_t anon_huge, shmem_pmd, file_pmd; // transparent huge pages
	uint64_t shared_hugetlb, private_hugetlb;
};

// Finds the mapping that is exactly `bytes` long; the one with the most
// memory in use when there are several. 0, or -1 when there is none.
int smaps_find(const char *text, uint64_t bytes, struct smaps *out) MUST_CHECK;
