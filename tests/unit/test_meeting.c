#include "tests/unit/unit.h"

#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/agent/meeting.h"
#include "runner/agent/watch.h"
#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"
#include "tests/fake/dir.h"

// An agent at its post, whose controllers this test is.
struct stand {
	char *dir;
	struct meeting meeting;
	struct link ctl;
	struct watch_door door;
	struct watch watch;
	int attached;  // controllers so far
	int64_t joins; // trial that is in hand; 0: none
	int joined;
};

static void on_attached(void *arg)
{
	struct stand *s = arg;
	struct js *hello = message_new(MESSAGE_HELLO, 0);
	struct err e = { 0 };

	js_set_int(hello, "version", MESSAGE_VERSION);
	assert_int_equal(link_send(&s->ctl, hello, &e), 0);
	s->attached++;
}

static bool on_request(void *arg, const struct message *m)
{
	struct stand *s = arg;
	bool joins = m->id == s->joins;

	s->joined += joins;
	return joins;
}

static void stand_init(struct stand *s, int64_t lease_ns)
{
	struct err e = { 0 };

	*s = (struct stand){ .dir = fake_dir_new() };
	setenv("VRUN_RUNDIR", s->dir, 1);
	if (meeting_init(&s->meeting, "night", &e) < 0 ||
	    meeting_occupy(&s->meeting, &e) != 1)
		fail_msg("%s", e.msg);
	link_init(&s->ctl, -1, -1, "controller");
	s->door = (struct watch_door){
		.listener = s->meeting.listener,
		.lease_ns = lease_ns,
		.lease_end_ns = INT64_MAX,
		.attached = on_attached,
		.joins = on_request,
		.arg = s,
	};
	s->watch = (struct watch){ .signals = -1,
				   .ctl = &s->ctl,
				   .door = &s->door };
}

static void stand_deinit(struct stand *s)
{
	fd_closep(&s->ctl.in);
	watch_deinit(&s->watch);
	link_deinit(&s->ctl);
	meeting_leave(&s->meeting);
	fake_dir_freep(&s->dir);
}

static int attach(struct stand *s)
{
	int fd = meeting_connect(&s->meeting);

	assert_true(fd >= 0);
	return fd;
}

// Lets the agent look around for a while; what it says of that.
static int look(struct stand *s, struct fault *f)
{
	const struct watch_for nothing = {
		.fd = -1,
		.deadline_ns = clock_mono_ns() + 30 * NS_PER_MS,
		.what = "nothing",
	};

	return watch_wait(&s->watch, &nothing, f);
}

static void say(int fd, enum message_type type, int64_t id)
{
	CLEANUP(buf_deinit) struct buf frame = BUF_INIT;
	struct js *msg = message_new(type, id);

	js_set_int(msg, "trial", 1);
	message_append(&frame, msg);
	assert_int_equal(fd_write_all(fd, frame.data, frame.len), 0);
}

// Whether the agent sent the text by now; NULL: whether it hung up.
static bool heard(int fd, const char *text)
{
	CLEANUP(buf_deinit) struct buf got = BUF_INIT;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char chunk[4096];
	ssize_t n = 1;

	while (n > 0 && poll(&p, 1, 0) > 0) {
		n = fd_read_some(fd, chunk, sizeof(chunk));
		if (n > 0)
			buf_add(&got, chunk, (size_t)n);
	}
	if (text == NULL)
		return n <= 0;
	return memmem(buf_str(&got), got.len, text, strlen(text)) != NULL;
}

static void an_agent_waits_for_a_controller_that_hung_up(void **state)
{
	CLEANUP(fd_closep) int fd = -1;
	struct stand s;
	struct fault f = { 0 };

	(void)state;
	stand_init(&s, 60 * NS_PER_S);
	for (int i = 1; i <= 3; i++) {
		fd = attach(&s);
		look(&s, &f);
		assert_int_equal(s.attached, i);
		assert_true(heard(fd, "hello"));
		say(fd, MESSAGE_STOP, 9);
		fd_closep(&fd);
		look(&s, &f);
		assert_int_equal(s.ctl.in, -1);
		assert_int_equal(s.watch.stop, WATCH_STOP_TRIAL);
		assert_int_equal(s.watch.stop_id, 0); // nobody is to be told
		s.watch.stop = WATCH_GO;
	}
	stand_deinit(&s);
}

static void requests_of_a_controller_that_is_gone_are_forgotten(void **state)
{
	CLEANUP(fd_closep) int fd = -1;
	struct stand s;
	struct fault f = { 0 };

	(void)state;
	stand_init(&s, 60 * NS_PER_S);
	fd = attach(&s);
	say(fd, MESSAGE_FACTS, 1);
	look(&s, &f);
	assert_int_equal(s.watch.npending, 1);
	fd_closep(&fd);
	look(&s, &f);
	assert_int_equal(s.watch.npending, 0);
	stand_deinit(&s);
}

static void the_newest_controller_displaces_the_one_before(void **state)
{
	CLEANUP(fd_closep) int first = -1, second = -1;
	struct stand s;
	struct fault f = { 0 };

	(void)state;
	stand_init(&s, 60 * NS_PER_S);
	first = attach(&s);
	look(&s, &f);
	second = attach(&s);
	look(&s, &f);
	assert_int_equal(s.attached, 2);
	assert_true(heard(first, "a newer connection took its place"));
	assert_true(heard(first, NULL));
	say(second, MESSAGE_FACTS, 1);
	look(&s, &f);
	assert_int_equal(s.watch.npending, 1);
	assert_int_equal(s.watch.stop, WATCH_GO);
	stand_deinit(&s);
}

// With and without the end of the connection.
static void an_agent_ends_when_its_lease_is_over(bool hang_up)
{
	CLEANUP(fd_closep) int fd = -1;
	struct message m = { .body = NULL };
	struct stand s;
	struct err e = { 0 };
	struct fault f = { 0 };

	stand_init(&s, 400 * NS_PER_MS); // more than a busy machine takes
	fd = attach(&s);
	for (int i = 0; i < 4; i++) {
		say(fd, MESSAGE_PING, 0);
		look(&s, &f);
	}
	assert_int_equal(s.watch.stop, WATCH_GO); // while it is heard of
	assert_int_equal(s.watch.npending, 0);
	if (hang_up)
		fd_closep(&fd);
	assert_int_equal(watch_request(&s.watch, &m, &e), 0);
	assert_int_equal(s.watch.stop, WATCH_STOP_ALL);
	assert_false(s.watch.bye);
	assert_string_equal(s.watch.why,
			    "no controller was heard of within the lease");
	stand_deinit(&s);
}

static void the_lease_ends_an_agent_that_was_left(void **state)
{
	(void)state;
	an_agent_ends_when_its_lease_is_over(true);
}

static void a_dead_connection_does_not_keep_an_agent(void **state)
{
	(void)state;
	an_agent_ends_when_its_lease_is_over(false);
}

static void what_is_no_protocol_costs_the_controller_not_the_agent(void **state)
{
	CLEANUP(fd_closep) int fd = -1;
	struct stand s;
	struct fault f = { 0 };

	(void)state;
	stand_init(&s, 60 * NS_PER_S);
	fd = attach(&s);
	assert_int_equal(fd_write_all(fd, "SSH-2.0-OpenSSH_9.2\r\n", 21), 0);
	look(&s, &f);
	assert_int_equal(s.watch.stop, WATCH_GO);
	assert_int_equal(s.ctl.in, -1);
	stand_deinit(&s);
}

static void asking_for_the_trial_in_hand_does_not_queue_it(void **state)
{
	CLEANUP(fd_closep) int fd = -1;
	struct stand s;
	struct fault f = { 0 };

	(void)state;
	stand_init(&s, 60 * NS_PER_S);
	s.joins = 5;
	fd = attach(&s);
	say(fd, MESSAGE_FACTS, 5);
	say(fd, MESSAGE_FACTS, 6);
	look(&s, &f);
	assert_int_equal(s.joined, 1);
	assert_int_equal(s.watch.npending, 1);
	assert_int_equal(s.watch.pending[0].id, 6);
	stand_deinit(&s);
}

static void bye_is_told_from_every_other_end(void **state)
{
	CLEANUP(fd_closep) int fd = -1;
	struct stand s;
	struct fault f = { 0 };

	(void)state;
	stand_init(&s, 60 * NS_PER_S);
	fd = attach(&s);
	say(fd, MESSAGE_BYE, 0);
	look(&s, &f);
	assert_int_equal(s.watch.stop, WATCH_STOP_ALL);
	assert_true(s.watch.bye);
	stand_deinit(&s);
}

static void one_agent_a_campaign_lives_at_a_time(void **state)
{
	struct meeting other;
	struct stand s;
	struct err e = { 0 };

	(void)state;
	stand_init(&s, 60 * NS_PER_S);
	assert_int_equal(meeting_init(&other, "night", &e), 0);
	assert_int_equal(meeting_occupy(&other, &e), 0);
	meeting_leave(&s.meeting);
	assert_int_equal(meeting_connect(&other), -1);
	assert_int_equal(meeting_occupy(&other, &e), 1);
	s.meeting = other;
	stand_deinit(&s);
}

static void only_the_directories_of_the_dead_are_swept(void **state)
{
	CLEANUP(cleanup_free) char *dead = NULL, *alien = NULL;
	struct stand s;
	struct err e = { 0 };
	struct meeting m;
	pid_t pid;

	(void)state;
	stand_init(&s, 60 * NS_PER_S);
	pid = fork();
	if (pid == 0)
		_exit(meeting_init(&m, "dead", &e) < 0 ||
		      meeting_occupy(&m, &e) != 1);
	waitpid(pid, NULL, 0);
	dead = xasprintf("%s/campaign-dead", s.dir);
	alien = xasprintf("%s/other", s.dir);
	assert_int_equal(dir_make_all(alien), 0);
	assert_int_equal(access(dead, F_OK), 0);
	meeting_sweep(s.dir);
	assert_int_equal(access(dead, F_OK), -1);
	assert_int_equal(access(alien, F_OK), 0);
	assert_int_equal(access(s.meeting.dir, F_OK), 0);
	stand_deinit(&s);
}

static void a_long_name_has_a_socket_too(void **state)
{
	char name[129];
	struct meeting m;
	struct stand s;
	struct err e = { 0 };
	int fd;

	(void)state;
	stand_init(&s, 60 * NS_PER_S);
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(meeting_init(&m, name, &e), 0);
	assert_int_equal(meeting_occupy(&m, &e), 1);
	fd = meeting_connect(&m);
	assert_true(fd >= 0);
	fd_closep(&fd);
	meeting_leave(&m);
	stand_deinit(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_agent_waits_for_a_controller_that_hung_up),
		cmocka_unit_test(
			requests_of_a_controller_that_is_gone_are_forgotten),
		cmocka_unit_test(
			the_newest_controller_displaces_the_one_before),
		cmocka_unit_test(the_lease_ends_an_agent_that_was_left),
		cmocka_unit_test(a_dead_connection_does_not_keep_an_agent),
		cmocka_unit_test(
			what_is_no_protocol_costs_the_controller_not_the_agent),
		cmocka_unit_test(
			asking_for_the_trial_in_hand_does_not_queue_it),
		cmocka_unit_test(bye_is_told_from_every_other_end),
		cmocka_unit_test(one_agent_a_campaign_lives_at_a_time),
		cmocka_unit_test(only_the_directories_of_the_dead_are_swept),
		cmocka_unit_test(a_long_name_has_a_socket_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
