#!/bin/bash
# Shows that a rule can fail: tests/lint/selftest.sh RULE runs it on a small
# tree that it must accept, then on that tree with one bad file after another.
set -u
here=$(cd "$(dirname "$0")" && pwd)
rule=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
export LINT_ROOT=$tree LINT_CFLAGS="-std=gnu17 -I."
status=0 cases=0

# put FILE: what is on standard input.
put() {
	mkdir -p "$tree/$(dirname "$1")"
	cat >"$tree/$1"
}

accepts() {
	if ! "$here/$rule.sh" >"$tree.log" 2>&1; then
		echo "$rule refuses what is right:"
		cat "$tree.log"
		status=1
	fi
	rm -f "$tree.log"
}

# refuses WHAT FILE [TEXT]: the file, of the text (with \n and the like) or of
# standard input, breaks the rule.
refuses() {
	cases=$((cases + 1))
	if [ $# -gt 2 ]; then
		printf '%b' "$3" | put "$2"
	else
		put "$2"
	fi
	if "$here/$rule.sh" >"$tree.log" 2>&1; then
		echo "$rule accepts: $1"
		status=1
	elif ! grep -q "$(basename "${2%.*}")" "$tree.log"; then
		echo "$rule does not say where: $1"
		cat "$tree.log"
		status=1
	fi
	rm -f "$tree/$2" "$tree.log"
}

put runner/base/good.h <<'END'
// A good header.
#pragma once

#include <stddef.h>

size_t good(void);
END
put runner/base/good.c <<'END'
#include "runner/base/good.h"

size_t good(void)
{
	return 1;
}
END
cp "$here/../../.clang-format" "$here/../../.clang-tidy" "$tree" || exit 1

try_layers() {
	put runner/cmd/cmd.h </dev/null
	accepts
	refuses 'an include upwards' runner/base/up.c \
		'#include "runner/cmd/cmd.h"\n'
	refuses 'a library of another module' runner/agent/lib.c \
		'#include <jansson.h>\n'
	refuses 'a path that is not from the root' runner/base/rel.c \
		'#include "good.h"\n'
	refuses 'a layer that nobody knows' runner/common/misc.c \
		'#include "runner/base/good.h"\n'
	refuses 'its own header not first' runner/base/good.c \
		'#include <stdio.h>\n#include "runner/base/good.h"\n'
}

try_environment() {
	put runner/cmd/manual.c <<-'END'
		} environment[] = {
			{ "HOME", "where ~ leads" },
			{ "VRUN_GUEST", "an image" },
		};
	END
	put runner/agent/reads.c <<-'END'
		a = getenv("HOME"), b = given("VRUN_GUEST");
	END
	accepts
	refuses 'one that no manual names' runner/base/new.c \
		'x = getenv("VRUN_NEW");\n'
	refuses 'one that no manual names, after another' runner/base/more.c \
		'x = getenv("HOME"), y = secure_getenv("VRUN_MORE");\n'
	put runner/agent/reads.c <<<'a = getenv("HOME");'
	refuses 'one that nothing reads' runner/cmd/manual.c \
		'	{ "HOME", "x" },\n	{ "VRUN_GUEST", "an image" },\n'
	refuses 'one that stands there twice' runner/cmd/manual.c \
		'	{ "HOME", "x" },\n	{ "HOME", "y" },\n'
}

try_headers() {
	accepts
	refuses 'no pragma' runner/base/twice.h 'int a(void);\n'
	refuses 'a header that needs another' runner/base/needy.h \
		'#pragma once\nsize_t a(void);\n'
}

try_format() {
	accepts
	refuses 'two blanks' runner/base/blanks.h 'int  a;\n'
}

try_length() {
	accepts
	refuses '500 lines' runner/base/long.c < <(yes '// line' | head -n 500)
	refuses 'an exception without need' tests/lint/long-files \
		'runner/base/good.c for no reason\n'
}

try_text() {
	accepts
	refuses 'unfinished work' notes.txt "// TO""DO: later\n"
	refuses 'a private path' notes.txt "see /wo""rk/main\n"
	refuses 'a trailing blank' notes.txt 'blank \n'
	refuses 'no newline at the end' notes.txt 'no end'
}

try_shell() {
	accepts
	refuses 'no quotes' hooks/unquoted "#!/bin/sh\nrm \$1\n"
}

# compile NAME: the object of a source that stands in the tree.
compile() {
	mkdir -p "$B/obj/runner/base"
	gcc -c "$tree/runner/base/$1.c" -I"$tree" -o "$B/obj/runner/base/$1.o"
}

try_globals() {
	local declaration
	export B=$tree/build
	compile good
	accepts
	echo 'const int table[] = { 1 };' | put runner/base/table.c
	compile table
	accepts
	while read -r declaration; do
		echo "$declaration" | put runner/base/state.c
		compile state
		refuses "$declaration" runner/base/state.c "$declaration"
	done <<'END'
int counter = 1;
static int counter; int *next(void) { return &counter; }
int *next(void) { static int counter; return &counter; }
END
}

try_tidy() {
	accepts
	put runner/base/deep.h <<'END'
int deep(int a);
int wide(int a, int b, int c, int d, int e, int f);
END
	refuses 'four levels' runner/base/deep.c <<'END'
int deep(int a);
int deep(int a)
{
	while (a > 1) {
		if (a > 2) {
			while (a > 3) {
				if (a > 4) {
					if (a > 5)
						a -= 2;
				}
				a--;
			}
		}
		a--;
	}
	return a;
}
END
	refuses 'six parameters' runner/base/wide.c <<'END'
int wide(int a, int b, int c, int d, int e, int f);
int wide(int a, int b, int c, int d, int e, int f)
{
	return a + b + c + d + e + f;
}
END
	refuses 'a null dereference' runner/base/null.c <<'END'
int null(int *p);
int null(int *p)
{
	if (p == 0)
		return *p;
	return 0;
}
END
}

"try_$rule"
[ $cases -gt 0 ] || status=1
exit $status
