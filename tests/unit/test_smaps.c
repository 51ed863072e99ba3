#include "tests/unit/unit.h"

#include <string.h>

#include "runner/agent/check.h"
#include "runner/agent/smaps.h"

#define MIB ((uint64_t)1 << 20)

// As the kernel prints them, cut to the lines that matter and some that do
// not.
#define HEAD_MEMFD \
	"7f0000000000-7f0010000000 rw-s 00000000 00:01 5 /memfd:memory (deleted)\n"
#define HEAD_ANON "7f2000000000-7f2010000000 rw-p 00000000 00:00 0 \n"

static const char small_pages[] =
	HEAD_MEMFD "Size:             262144 kB\n"
		   "KernelPageSize:        4 kB\n"
		   "MMUPageSize:           4 kB\n"
		   "Rss:              262144 kB\n"
		   "AnonHugePages:         0 kB\n"
		   "ShmemPmdMapped:        0 kB\n"
		   "FilePmdMapped:         0 kB\n"
		   "Shared_Hugetlb:        0 kB\n"
		   "Private_Hugetlb:       0 kB\n"
		   "THPeligible:           0\n"
		   "VmFlags: rd wr sh mr mw me ms sd\n";
static const char huge_pages[] = HEAD_MEMFD "Size:             262144 kB\n"
					    "KernelPageSize:     2048 kB\n"
					    "MMUPageSize:        2048 kB\n"
					    "Rss:                   0 kB\n"
					    "Shared_Hugetlb:        0 kB\n"
					    "Private_Hugetlb:  262144 kB\n";
static const char half_huge[] = HEAD_MEMFD "Size:             262144 kB\n"
					   "KernelPageSize:     2048 kB\n"
					   "MMUPageSize:        2048 kB\n"
					   "Private_Hugetlb:  131072 kB\n";
static const char transparent[] = HEAD_ANON "Size:             262144 kB\n"
					    "KernelPageSize:        4 kB\n"
					    "MMUPageSize:           4 kB\n"
					    "Rss:              262144 kB\n"
					    "AnonHugePages:    262144 kB\n";
static const char shmem_huge[] = HEAD_MEMFD "Size:             262144 kB\n"
					    "KernelPageSize:        4 kB\n"
					    "MMUPageSize:           4 kB\n"
					    "Rss:              262144 kB\n"
					    "ShmemPmdMapped:     2048 kB\n";
static const char untouched[] = HEAD_MEMFD "Size:             262144 kB\n"
					   "KernelPageSize:        4 kB\n"
					   "MMUPageSize:           4 kB\n"
					   "Rss:                   0 kB\n";

static void a_backing_holds_only_when_smaps_shows_it(void **state)
{
	static const struct {
		const char *text, *backing;
		bool holds;
	} cases[] = {
		{ small_pages, "4k", true },
		{ small_pages, "thp", false },
		{ small_pages, "hugetlb-2M", false },
		{ small_pages, "hugetlb-1G", false },
		{ huge_pages, "hugetlb-2M", true },
		{ huge_pages, "hugetlb-1G", false },
		{ huge_pages, "4k", false },
		{ huge_pages, "thp", false },
		{ half_huge, "hugetlb-2M", false },
		{ transparent, "thp", true },
		{ transparent, "4k", false },
		{ shmem_huge, "4k", false },
		{ shmem_huge, "thp", false },
		{ untouched, "4k", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct smaps m;

		if (smaps_find(cases[i].text, 256 * MIB, &m) < 0)
			fail_msg("no mapping in case %zu", i);
		if (check_backing_holds(vm_backing_find(cases[i].backing),
					256 * MIB, &m) != cases[i].holds)
			fail_msg("case %zu as %s: not %d", i, cases[i].backing,
				 cases[i].holds);
	}
}

static void of_mappings_of_one_size_the_used_one_is_taken(void **state)
{
	char text[4096];
	struct smaps m;

	(void)state;
	snprintf(text, sizeof(text), "%s%s%s", untouched, huge_pages,
		 untouched);
	assert_int_equal(smaps_find(text, 256 * MIB, &m), 0);
	assert_int_equal(m.private_hugetlb, 256 * MIB);
}

static void text_without_such_a_mapping_is_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"\n",
		"Size:",
		"garbage",
		"Size: 99999999999999999999999999 kB\n",
		HEAD_MEMFD,
		HEAD_MEMFD "Size: x kB\n",
		HEAD_MEMFD "Size:   262140 kB\n",
		HEAD_MEMFD "Sizes:  262144 kB\n",
	};
	struct smaps m;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		if (smaps_find(texts[i], 256 * MIB, &m) == 0)
			fail_msg("found a mapping in \"%s\"", texts[i]);
	}
}

static void a_failed_check_leaves_no_figure(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct result *r = result_new(a);

	(void)state;
	result_metric(
		a, r,
		&(struct metric){ "block.iops", 1000, "IOPS", BETTER_HIGHER });
	result_check(a, r,
		     &(struct check){ "cpus", "1", "1", "QMP", CHECK_OK });
	result_check(
		a, r,
		&(struct check){ "pin", "x", "?", "/proc", CHECK_UNVERIFIED });
	check_judge(a, r);
	assert_int_equal(r->outcome, OUTCOME_OK);
	assert_int_equal(r->nmetrics, 1);
	result_check(a, r,
		     &(struct check){ "backing", "hugetlb-2M", "4 kB", "smaps",
				      CHECK_FAILED });
	check_judge(a, r);
	assert_int_equal(r->outcome, OUTCOME_INVALID);
	assert_int_equal(r->nmetrics, 0);
	assert_string_equal(r->reason,
			    "backing: expected hugetlb-2M, seen 4 kB (smaps)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_backing_holds_only_when_smaps_shows_it),
		cmocka_unit_test(of_mappings_of_one_size_the_used_one_is_taken),
		cmocka_unit_test(text_without_such_a_mapping_is_refused),
		cmocka_unit_test(a_failed_check_leaves_no_figure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
