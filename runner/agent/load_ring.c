#include "runner/agent/load_ring.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runner/base/alloc.h"
#include "runner/base/fd.h"

// Flags that are newer than the oldest liburing that serves (2.3), by the
// kernel's own ABI.
#define SETUP_NO_SQARRAY (1U << 16) // Linux 6.6

enum {
	RING_FIXED_BUFFERS_MAX = 1 << 14, // the kernel's limit
};

#define SETUP_DEFER (IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN)

// From everything down to the first kernels with io_uring: the newest flag
// goes first.
static const unsigned ladder[] = {
	IORING_SETUP_CQSIZE | SETUP_DEFER | SETUP_NO_SQARRAY,
	IORING_SETUP_CQSIZE | SETUP_DEFER,
	IORING_SETUP_CQSIZE | IORING_SETUP_SINGLE_ISSUER |
		IORING_SETUP_COOP_TASKRUN,
	IORING_SETUP_CQSIZE | IORING_SETUP_COOP_TASKRUN,
	IORING_SETUP_CQSIZE,
	0,
};

static const struct {
	unsigned flag;
	unsigned implied_by; // not missed where one of these is set
	const char *name;
} flag_names[] = {
	{ SETUP_NO_SQARRAY, 0, "NO_SQARRAY" },
	{ IORING_SETUP_DEFER_TASKRUN, 0, "DEFER_TASKRUN" },
	{ IORING_SETUP_SINGLE_ISSUER, 0, "SINGLE_ISSUER" },
	{ IORING_SETUP_COOP_TASKRUN, IORING_SETUP_DEFER_TASKRUN,
	  "COOP_TASKRUN" },
	{ IORING_SETUP_CQSIZE, 0, "CQSIZE" },
};

static void add_text(char out[LOAD_TEXT_MAX], const char *sep, const char *text)
{
	size_t len = strlen(out);

	snprintf(out + len, LOAD_TEXT_MAX - len, "%s%s", len ? sep : "", text);
}

static void missed(struct load_job *job, const char *what, int errnum)
{
	char text[LOAD_TEXT_MAX];

	snprintf(text, sizeof(text), "no %s: %s", what, strerror(errnum));
	add_text(job->fallback, "; ", text);
}

static bool seccomp_filtered(void)
{
	CLEANUP(buf_deinit) struct buf status = BUF_INIT;
	struct err ignored;

	return file_read("/proc/self/status", 1 << 16, &status, ERR_HOST,
			 &ignored) == 0 &&
	       strstr(buf_str(&status), "\nSeccomp:\t2") != NULL;
}

// What forbids io_uring, and the remedy.
static const char *refusal(int errnum)
{
	char sysctl[16] = "";

	if (file_read_line("/proc/sys/kernel/io_uring_disabled", sysctl,
			   sizeof(sysctl)) < 0)
		sysctl[0] = '\0';
	if (errnum == EPERM && strcmp(sysctl, "2") == 0)
		return "kernel.io_uring_disabled is 2, which forbids it even "
		       "to root; allow it with `sysctl -w "
		       "kernel.io_uring_disabled=0`";
	if (errnum == EPERM && strcmp(sysctl, "1") == 0)
		return "kernel.io_uring_disabled is 1; allow it with `sysctl "
		       "-w kernel.io_uring_disabled=0`, or join the group "
		       "of kernel.io_uring_group";
	if ((errnum == EPERM || errnum == ENOSYS) && seccomp_filtered())
		return "a seccomp filter (of a container, say) forbids it; "
		       "run outside of it or with a profile that allows "
		       "io_uring_setup, _enter and _register";
	if (errnum == ENOSYS)
		return "this kernel has no io_uring; it needs Linux 5.1 or "
		       "later with CONFIG_IO_URING=y";
	if (errnum == ENOMEM)
		return "no memory for the ring, or over RLIMIT_MEMLOCK; raise "
		       "it with `ulimit -l unlimited`";
	return "see io_uring_setup(2)";
}

static int refuse(int errnum, struct err *e)
{
	return err_set(e, ERR_HOST,
		       "io_uring is not to be had: io_uring_setup: %s (errno "
		       "%d): %s; or use `engine: fio` with `fio-args: "
		       "[--ioengine=libaio]`",
		       strerror(errnum), errnum, refusal(errnum));
}

static int try_setup(unsigned entries, unsigned flags,
		     struct io_uring_params *p)
{
	memset(p, 0, sizeof(*p));
	p->flags = flags;
	p->cq_entries = flags & IORING_SETUP_CQSIZE ? entries : 0;
	return (int)syscall(__NR_io_uring_setup, entries, p);
}

// The ring's descriptor, with the best set of flags that the kernel takes.
// Set up by the bare call: some versions of liburing fill the array of the
// submission queue even where NO_SQARRAY has left it out.
static int setup(unsigned entries, struct io_uring_params *p, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(ladder); i++) {
		int fd = try_setup(entries, ladder[i], p);

		if (fd >= 0)
			return fd;
		if (errno != EINVAL)
			break;
	}
	return refuse(errno, e);
}

static void name_flags(const struct io_uring_params *p, struct load_job *job)
{
	for (size_t i = 0; i < ARRAY_LEN(flag_names); i++) {
		if (p->flags & flag_names[i].flag)
			add_text(job->ring, " ", flag_names[i].name);
		else if (!(flag_names[i].implied_by & p->flags))
			missed(job, flag_names[i].name, EINVAL);
	}
}

// Where there is an array between queue and entries it is filled once: entry
// i is always number i.
static void map_identity(struct io_uring *u, const struct io_uring_params *p)
{
	if (p->flags & SETUP_NO_SQARRAY)
		return;
	for (unsigned i = 0; i < p->sq_entries; i++)
		u->sq.array[i] = i;
}

static unsigned pow2_at_least(unsigned n)
{
	return n <= 1 ? 1 : 1U << (32 - (unsigned)__builtin_clz(n - 1));
}

static int open_ring(struct load_ring *r, unsigned depth, struct load_job *job,
		     struct err *e)
{
	struct io_uring_params p;
	CLEANUP(fd_closep) int fd = setup(pow2_at_least(depth), &p, e);
	int rc;

	if (fd < 0)
		return -1;
	rc = io_uring_queue_mmap(fd, &p, &r->uring);
	if (rc < 0)
		return err_set(e, ERR_HOST, "io_uring: mapping the ring: %s",
			       strerror(-rc));
	fd = -1; // the ring's
	r->open = true;
	r->timed = p.features & IORING_FEAT_EXT_ARG;
	map_identity(&r->uring, &p);
	name_flags(&p, job);
	return 0;
}

static void register_ring(struct load_ring *r, struct load_job *job)
{
	int rc = io_uring_register_ring_fd(&r->uring);

	r->enter_fd = r->uring.enter_ring_fd;
	r->enter_flags = IORING_ENTER_GETEVENTS;
	if (rc != 1) {
		missed(job, "registered ring", rc < 0 ? -rc : EINVAL);
		return;
	}
	r->enter_flags |= IORING_ENTER_REGISTERED_RING;
	add_text(job->ring, " ", "registered-ring");
}

static void register_file(struct load_ring *r, int fd, struct load_job *job)
{
	int rc = io_uring_register_files(&r->uring, &fd, 1);

	r->fixed_file = rc == 0;
	if (r->fixed_file)
		add_text(job->ring, " ", "fixed-file");
	else
		missed(job, "fixed file", -rc);
}

// Pinned buffers count as locked memory before Linux 5.12 and for those
// without CAP_IPC_LOCK.
static void raise_memlock(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_MEMLOCK, &lim) < 0)
		return;
	lim.rlim_cur = lim.rlim_max;
	if (setrlimit(RLIMIT_MEMLOCK, &lim) < 0)
		return; // registering says so if it matters
}

static void register_buffers(struct load_ring *r, struct load_job *job)
{
	int rc = -EINVAL;

	raise_memlock();
	if (r->nbuffers <= RING_FIXED_BUFFERS_MAX)
		rc = io_uring_register_buffers(&r->uring, r->buffers,
					       r->nbuffers);
	r->fixed_buffers = rc == 0;
	if (r->fixed_buffers)
		add_text(job->ring, " ", "fixed-buffers");
	else
		missed(job, "fixed buffers", -rc);
}

static bool plain_io_supported(struct load_ring *r)
{
	struct io_uring_probe *probe = io_uring_get_probe_ring(&r->uring);
	bool ok = probe != NULL &&
		  io_uring_opcode_supported(probe, IORING_OP_READ) &&
		  io_uring_opcode_supported(probe, IORING_OP_WRITE);

	io_uring_free_probe(probe);
	return ok;
}

static bool is_mix(const struct load_spec *spec)
{
	return spec->read_pct > 0 && spec->read_pct < 100;
}

// One buffer a slot, each on its own pages. Filled with noise, so that a
// device that compresses has nothing to gain, and touched by this thread.
static int map_buffers(struct load_ring *r, const struct load_spec *spec,
		       struct err *e)
{
	size_t stride = ((size_t)spec->bs + spec->align - 1) &
			~((size_t)spec->align - 1);
	struct rng rng;
	char *map;

	r->nbuffers = is_mix(spec) ? 2 * spec->depth : spec->depth;
	if (__builtin_mul_overflow(stride, (size_t)r->nbuffers, &r->map_bytes))
		return err_set(e, ERR_HOST,
			       "buffers: bs times iodepth is "
			       "more than memory can hold");
	map = mmap(NULL, r->map_bytes, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return err_sys(e, ERR_HOST, "buffers: %zu bytes for %u I/Os",
			       r->map_bytes, spec->depth);
	rng_seed(&rng, spec->seed);
	for (size_t i = 0; i + sizeof(uint64_t) <= r->map_bytes;
	     i += sizeof(uint64_t))
		*(uint64_t *)(void *)(map + i) = rng_next(&rng);
	r->buffers = xcalloc(r->nbuffers, sizeof(*r->buffers));
	for (unsigned b = 0; b < r->nbuffers; b++) {
		r->buffers[b].iov_base = map + b * stride;
		r->buffers[b].iov_len = spec->bs;
	}
	return 0;
}

int load_ring_init(struct load_ring *r, const struct load_spec *spec,
		   struct load_job *job, struct err *e)
{
	assert(spec->align >= 4096 && (spec->align & (spec->align - 1)) == 0);
	memset(r, 0, sizeof(*r));
	if (open_ring(r, spec->depth, job, e) < 0 ||
	    map_buffers(r, spec, e) < 0)
		return -1;
	register_ring(r, job);
	register_file(r, spec->fd, job);
	register_buffers(r, job);
	if (!r->fixed_buffers && !plain_io_supported(r))
		return err_set(e, ERR_HOST,
			       "io_uring: neither fixed buffers nor plain "
			       "reads work (%s); raise `ulimit -l` or use "
			       "Linux 5.6 or later",
			       job->fallback);
	return 0;
}

void load_ring_deinit(struct load_ring *r)
{
	if (r->open)
		io_uring_queue_exit(&r->uring);
	if (r->buffers != NULL)
		munmap(r->buffers[0].iov_base, r->map_bytes);
	free(r->buffers);
	memset(r, 0, sizeof(*r));
}

int load_uring_probe(struct err *e)
{
	struct io_uring_params p;
	CLEANUP(fd_closep) int fd = setup(1, &p, e);

	return fd < 0 ? -1 : 0;
}
