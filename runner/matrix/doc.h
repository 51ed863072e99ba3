// The reference of the matrix and of hosts.yaml, made from the tables that
// their parsers read.
#pragma once

#include "runner/base/buf.h"
#include "runner/base/js.h"

void doc_text(struct buf *out);	    // for a terminal of 80 columns
void doc_hosts(struct buf *out);    // its part about hosts.yaml alone
void doc_markdown(struct buf *out); // the tables of matrices/README.md
// A JSON Schema (draft 2020-12) for editors that check YAML. It allows
// whatever the parser allows; the parser knows better in places.
struct js *doc_schema(void);
struct js *doc_hosts_schema(void); // of hosts.yaml
