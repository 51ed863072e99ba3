#include "tests/unit/unit.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/agent/procfs.h"
#include "runner/agent/settings.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"
#include "tests/fake/root.h"

#define POOL "/sys/kernel/mm/hugepages/hugepages-2048kB/"
#define MIB2 ((uint64_t)2 << 20)

static void put_pool(const char *root, const char *total)
{
	fake_root_put(root, POOL "nr_hugepages", total);
	fake_root_put(root, POOL "free_hugepages", total);
	fake_root_put(root, POOL "resv_hugepages", "0\n");
}

static void start(struct settings *s, const char *root)
{
	struct err e = { 0 };

	if (settings_init(s, root, root, &e) < 0)
		fail_msg("%s", e.msg);
}

static void put_lease(const char *root, pid_t pid, uint64_t start_ticks)
{
	CLEANUP(cleanup_free)
	char *text =
		xasprintf("{\"pid\": %d, \"start_ticks\": %llu, \"values\": "
			  "{\"%s" POOL "nr_hugepages\": \"117\"}}",
			  (int)pid, (unsigned long long)start_ticks, root);

	fake_root_put(root, "/lease-1.json", text);
}

static void the_lease_of_a_dead_agent_is_restored(void **state)
{
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	struct procfs_stat me;
	struct settings s;
	pid_t dead = fork();

	(void)state;
	if (dead == 0)
		_exit(0);
	waitpid(dead, NULL, 0);
	put_pool(root, "300\n");
	put_lease(root, dead, 1);
	start(&s, root);
	assert_true(fake_root_has(root, POOL "nr_hugepages", "117"));
	settings_deinit(&s);
	// The same number, but another process: it began at another time.
	assert_int_equal(procfs_stat(getpid(), 0, &me), 0);
	put_pool(root, "300\n");
	put_lease(root, getpid(), me.start_ticks + 1);
	start(&s, root);
	assert_true(fake_root_has(root, POOL "nr_hugepages", "117"));
	settings_deinit(&s);
}

static void the_lease_of_a_living_agent_is_respected(void **state)
{
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	struct procfs_stat me;
	struct settings s;
	struct err e = { 0 };
	uint64_t got;

	(void)state;
	put_pool(root, "300\n");
	assert_int_equal(procfs_stat(getpid(), 0, &me), 0);
	put_lease(root, getpid(), me.start_ticks);
	start(&s, root);
	assert_true(fake_root_has(root, POOL "nr_hugepages", "300"));
	assert_int_equal(settings_hold_pages(&s, MIB2, 301, &got, &e), -1);
	assert_non_null(strstr(e.msg, "another vrun agent"));
	assert_true(fake_root_has(root, POOL "nr_hugepages", "300"));
	settings_deinit(&s);
}

// Of the agent of a former boot, whose number another process may have now.
static void what_is_restored_is_told_with_both_values(void **state)
{
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	CLEANUP(cleanup_free)
	char *pool = xasprintf("%s" POOL "nr_hugepages", root);
	const struct js *change;
	struct settings s;

	(void)state;
	put_pool(root, "300\n");
	start(&s, root);
	assert_int_equal(js_len(s.lease.restored), 0);
	settings_deinit(&s);
	put_lease(root, getpid(), 1);
	start(&s, root);
	assert_int_equal(js_len(s.lease.restored), 1);
	change = js_at(s.lease.restored, 0);
	assert_string_equal(js_get_str(change, "file", ""), pool);
	assert_string_equal(js_get_str(change, "from", ""), "300");
	assert_string_equal(js_get_str(change, "to", ""), "117");
	settings_deinit(&s);
}

static void who_holds_the_host_is_told_with_what_changed(void **state)
{
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	CLEANUP(js_unrefp) struct js *held = js_array();
	struct procfs_stat me;
	struct settings s;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(procfs_stat(getpid(), 0, &me), 0);
	put_pool(root, "300\n");
	put_lease(root, getpid(), me.start_ticks);
	start(&s, root);
	assert_int_equal(lease_holders(&s.lease, held, &e), 0);
	assert_int_equal(js_len(held), 1);
	assert_int_equal(js_get_int(js_at(held, 0), "pid", 0), getpid());
	assert_int_equal(js_len(js_get(js_at(held, 0), "changed")), 1);
	assert_true(fake_root_has(root, POOL "nr_hugepages", "300"));
	assert_int_equal(js_len(s.lease.restored), 0);
	settings_deinit(&s);
}

static void a_lease_of_a_former_boot_is_removed_and_not_restored(void **state)
{
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	CLEANUP(cleanup_free) char *text = NULL, *path = NULL;
	struct procfs_stat me;
	struct settings s;
	struct err e = { 0 };
	uint64_t got;

	(void)state;
	put_pool(root, "300\n");
	assert_int_equal(procfs_stat(getpid(), 0, &me), 0);
	text = xasprintf("{\"pid\": %d, \"start_ticks\": %llu, \"boot\": "
			 "\"0\", \"values\": {\"%s" POOL "nr_hugepages\": "
			 "\"117\"}}",
			 (int)getpid(), (unsigned long long)me.start_ticks,
			 root);
	fake_root_put(root, "/lease-1.json", text);
	path = xasprintf("%s/lease-1.json", root);
	start(&s, root);
	assert_true(fake_root_has(root, POOL "nr_hugepages", "300"));
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(settings_hold_pages(&s, MIB2, 1, &got, &e), 0);
	assert_int_equal(settings_restore(&s, &e), 0);
	settings_deinit(&s);
}

static void a_broken_lease_is_named(void **state)
{
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	struct settings s;
	struct err e = { 0 };

	(void)state;
	fake_root_put(root, "/lease-1.json", "{\"pid\": ");
	assert_int_equal(settings_init(&s, root, root, &e), -1);
	assert_non_null(strstr(e.msg, "lease-1.json"));
}

// --- several agents at the same moment -----------------------------------

enum {
	AGENTS = 6,
	RACES = 10,
	WHILE_MS = 200, // long enough for who does not wait
};

// An agent in a process of its own. Once `go` ends it takes the pool's file,
// says in one byte whether it got it, and lives until `end` ends.
struct agents {
	int go[2], said[2], end[2];
};

static void wait_end_of(const int pipe_fds[2])
{
	char none;

	close(pipe_fds[1]);
	if (read(pipe_fds[0], &none, 1) != 0)
		_exit(1);
}

static void be_agent(const char *root, const struct agents *a)
{
	struct js *files = js_object();
	char *pool = xasprintf("%s" POOL "nr_hugepages", root);
	struct settings s;
	struct err e = { 0 };
	char got = 'r';

	js_set(files, pool, js_null());
	free(pool);
	if (settings_init(&s, root, root, &e) < 0 ||
	    write(a->said[1], &got, 1) != 1)
		_exit(1);
	wait_end_of(a->go);
	if (lease_take(&s.lease, files, NULL, &e) == 0)
		got = 'y';
	else
		got = strstr(e.msg, "another vrun agent (pid") ? 'n' : '?';
	if (write(a->said[1], &got, 1) != 1)
		_exit(1);
	wait_end_of(a->end);
	settings_deinit(&s);
	js_unref(files);
	_exit(0);
}

static void start_agents(struct agents *a, const char *root, size_t n)
{
	assert_int_equal(pipe2(a->go, O_CLOEXEC), 0);
	assert_int_equal(pipe2(a->said, O_CLOEXEC), 0);
	assert_int_equal(pipe2(a->end, O_CLOEXEC), 0);
	for (size_t i = 0; i < n; i++) {
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (pid == 0)
			be_agent(root, a);
	}
}

// How many of `n` agents say `what`.
static size_t count_said(const struct agents *a, size_t n, char what)
{
	size_t count = 0;
	char c = 0;

	for (size_t i = 0; i < n; i++) {
		assert_int_equal(read(a->said[0], &c, 1), 1);
		count += c == what;
		assert_int_not_equal(c, '?');
	}
	return count;
}

static void end_agents(struct agents *a, size_t n)
{
	close(a->end[1]);
	for (size_t i = 0; i < n; i++) {
		int status;

		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	close(a->go[0]);
	close(a->said[0]);
	close(a->said[1]);
	close(a->end[0]);
}

static void one_of_many_agents_gets_the_host(void **state)
{
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();

	(void)state;
	put_pool(root, "300\n");
	for (int i = 0; i < RACES; i++) {
		struct agents a;

		start_agents(&a, root, AGENTS);
		assert_int_equal(count_said(&a, AGENTS, 'r'), AGENTS);
		close(a.go[1]);
		assert_int_equal(count_said(&a, AGENTS, 'y'), 1);
		end_agents(&a, AGENTS);
	}
}

// What happens while it waits counts: here, another agent takes the host.
static void an_agent_waits_for_one_that_is_at_the_leases(void **state)
{
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	CLEANUP(fd_closep) int turn = -1;
	struct procfs_stat me;
	struct agents a;

	(void)state;
	put_pool(root, "300\n");
	assert_int_equal(procfs_stat(getpid(), 0, &me), 0);
	start_agents(&a, root, 1);
	assert_int_equal(count_said(&a, 1, 'r'), 1);
	turn = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(turn, LOCK_EX | LOCK_NB), 0);
	close(a.go[1]);
	clock_sleep_ns(WHILE_MS * NS_PER_MS);
	put_lease(root, getpid(), me.start_ticks);
	fd_closep(&turn);
	assert_int_equal(count_said(&a, 1, 'n'), 1);
	end_agents(&a, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_lease_of_a_dead_agent_is_restored),
		cmocka_unit_test(the_lease_of_a_living_agent_is_respected),
		cmocka_unit_test(what_is_restored_is_told_with_both_values),
		cmocka_unit_test(who_holds_the_host_is_told_with_what_changed),
		cmocka_unit_test(
			a_lease_of_a_former_boot_is_removed_and_not_restored),
		cmocka_unit_test(a_broken_lease_is_named),
		cmocka_unit_test(one_of_many_agents_gets_the_host),
		cmocka_unit_test(an_agent_waits_for_one_that_is_at_the_leases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
