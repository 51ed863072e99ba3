// The hosts of a campaign: the names in its matrix, looked up in hosts.yaml
// beside the matrix or in the user's configuration, and how each is reached.
#pragma once

#include <stddef.h>

#include "runner/base/err.h"
#include "runner/matrix/inventory.h"
#include "runner/matrix/matrix.h"
#include "runner/transport/transport.h"

// As inventory_resolve, with the first file that is there: hosts.yaml beside
// `matrix_file`, in $XDG_CONFIG_HOME/vrun, or in ~/.config/vrun.
int hosts_resolve(const char *matrix_file, struct matrix *m,
		  struct inventory_host **out, struct err *e) MUST_CHECK;

// A row for the table of options of a command that reaches hosts.
// clang-format off
#define HOSTS_OPTIONS                                                          \
	{ "accept-new-host-key", 0, NULL,                                      \
	  "store SSH keys of hosts that were never seen before" }
// clang-format on

// Borrows the host's texts.
struct transport_target hosts_target(const struct inventory_host *h);
