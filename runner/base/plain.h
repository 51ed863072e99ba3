// Text that is safe to show on a terminal, whoever wrote it: nothing in it
// moves the cursor, sets a title, or turns the order of reading.
#pragma once

#include <stddef.h>

// In place; returns the length, which never grows. A '?' takes the place of
// each
// - control character: ASCII's, and C1's (some terminals take U+009B for
//   ESC [);
// - character that breaks lines or has a say in the direction of text
//   (Unicode 15, table 4-10 and UAX #9, 2);
// - byte that is no UTF-8 (RFC 3629), which a terminal of 8 bits might take
//   for C1.
size_t plain_text(char *text);
// The same, but line feeds stay: for text of several lines that is ours.
size_t plain_lines(char *text);
