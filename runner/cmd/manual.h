// The man page and the shells' completion, made from cmd_table. Pure: text
// goes to a buffer.
#pragma once

#include "runner/base/buf.h"

void manual_man(struct buf *out);  // vrun(1), in man(7) macros
void manual_bash(struct buf *out); // for bash-completion
void manual_zsh(struct buf *out);  // a _vrun function

// What `vrun help` knows, a blank before each: commands, then topics.
void help_names(struct buf *out);
