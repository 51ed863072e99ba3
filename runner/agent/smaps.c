#include "runner/agent/smaps.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct line {
	const char *key;
	size_t offset;
} lines[] = {
	{ "Size", offsetof(struct smaps, size) },
	{ "Rss", offsetof(struct smaps, rss) },
	{ "KernelPageSize", offsetof(struct smaps, kernel_page) },
	{ "MMUPageSize", offsetof(struct smaps, mmu_page) },
	{ "AnonHugePages", offsetof(struct smaps, anon_huge) },
	{ "ShmemPmdMapped", offsetof(struct smaps, shmem_pmd) },
	{ "FilePmdMapped", offsetof(struct smaps, file_pmd) },
	{ "Shared_Hugetlb", offsetof(struct smaps, shared_hugetlb) },
	{ "Private_Hugetlb", offsetof(struct smaps, private_hugetlb) },
};

static void take_line(const char *s, struct smaps *m)
{
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		size_t len = strlen(lines[i].key);
		unsigned long long kb;

		if (strncmp(s, lines[i].key, len) != 0 || s[len] != ':')
			continue;
		if (sscanf(s + len + 1, " %llu kB", &kb) == 1)
			memcpy((char *)m + lines[i].offset,
			       &(uint64_t){ kb << 10 }, sizeof(uint64_t));
	}
}

// Hugetlb pages are not part of Rss.
static uint64_t used(const struct smaps *m)
{
	return m->rss + m->shared_hugetlb + m->private_hugetlb;
}

// A mapping's first line begins with its addresses in lower-case
// hexadecimal; the keys of the others begin with a capital.
static int is_heading(const char *s)
{
	return isdigit((unsigned char)*s) || islower((unsigned char)*s);
}

static void keep_better(const struct smaps *m, uint64_t bytes,
			struct smaps *best)
{
	if (m->size == bytes && (best->size == 0 || used(m) > used(best)))
		*best = *m;
}

int smaps_find(const char *text, uint64_t bytes, struct smaps *out)
{
	struct smaps now = { 0 }, best = { 0 };

	while (*text != '\0') {
		const char *end = strchrnul(text, '\n');

		if (is_heading(text)) {
			keep_better(&now, bytes, &best);
			now = (struct smaps){ 0 };
		} else {
			take_line(text, &now);
		}
		text = *end == '\n' ? end + 1 : end;
	}
	keep_better(&now, bytes, &best);
	if (best.size == 0)
		return -1;
	*out = best;
	return 0;
}
