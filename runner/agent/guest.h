// The agent in a guest (or, for `accel: native`, on the host itself): serves
// one peer over a virtio-serial port or a socket. Each run is a child process,
// so that a workload that crashes or is killed leaves the agent alive.
#pragma once

#include "runner/base/err.h"

// Says hello, then serves `run` and `facts` until `bye` or, on a socket, end
// of file. On a character device an end of file only means that nobody is
// connected now.
int guest_main(int fd, struct err *e) MUST_CHECK;
