// io_uring_enter as an inlined system call: in a loop that makes one a batch,
// a call to a wrapper (with its errno, and the registers that it spills) is a
// measurable part of an I/O. Returns what the kernel returned: -errno.
#pragma once

#include <errno.h>
#include <liburing.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
static inline long load_enter(int fd, unsigned submit, unsigned wait,
			      unsigned flags,
			      const struct io_uring_getevents_arg *arg)
{
	register long r10 __asm__("r10") = flags;
	register const void *r8 __asm__("r8") = arg;
	register size_t r9 __asm__("r9") = arg != NULL ? sizeof(*arg) : 0;
	long ret = __NR_io_uring_enter;

	__asm__ volatile("syscall"
			 : "+a"(ret)
			 : "D"((long)fd), "S"((long)submit), "d"((long)wait),
			   "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}
#elif defined(__aarch64__)
static inline long load_enter(int fd, unsigned submit, unsigned wait,
			      unsigned flags,
			      const struct io_uring_getevents_arg *arg)
{
	register long x8 __asm__("x8") = __NR_io_uring_enter;
	register long x0 __asm__("x0") = fd;
	register long x1 __asm__("x1") = submit;
	register long x2 __asm__("x2") = wait;
	register long x3 __asm__("x3") = flags;
	register const void *x4 __asm__("x4") = arg;
	register size_t x5 __asm__("x5") = arg != NULL ? sizeof(*arg) : 0;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}
#else
static inline long load_enter(int fd, unsigned submit, unsigned wait,
			      unsigned flags,
			      const struct io_uring_getevents_arg *arg)
{
	long ret = syscall(__NR_io_uring_enter, fd, submit, wait, flags, arg,
			   arg != NULL ? sizeof(*arg) : 0);

	return ret < 0 ? -errno : ret;
}
#endif
