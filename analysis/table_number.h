// Cells of anybody's table to figures. What could mean two things is refused
// with what to do about it, never guessed. Pure.
#pragma once

#include <stdbool.h>

struct table_style {
	char decimal; // '.' or ','; 0 is '.'
	bool units;   // figures may have units: "1.3M", "12 ms", "4 KiB"
};

struct table_number {
	double value;	  // in `unit`; NaN: the cell says that there is none
	const char *unit; // static: "s", "B", "B/s", "Hz", "IOPS", "%" or ""
};

// NULL, or why the text is no figure and what would be right, as in
// "is no number: ...". No figure is what is empty, or a word for it (NA, NaN,
// null, none, inf, -). Units count in 1000, Ki, Mi.. in 1024; K alone is
// neither.
const char *table_number_read(const char *text, const struct table_style *style,
			      struct table_number *out);
