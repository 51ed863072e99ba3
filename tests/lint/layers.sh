#!/bin/bash
# Every #include goes down: a file includes only what is at or below its
# layer, by its path from the root, its own header first; and each library has
# one owner.
. "$(dirname "$0")/files.sh"

# layer: the layers that it may include.
layers='
base       base
record     base record
proto      base proto
tool       base tool
matrix     base record matrix
plan       base record matrix plan
transport  base transport
analysis   base record analysis
agent      base record proto tool agent
campaign   base record proto matrix plan transport analysis campaign
cmd        base record tool matrix plan transport analysis campaign cmd
main       base cmd
tests      *
'
# header: a pattern of the files that may include it.
owners='
jansson\.h        ^runner/base/js\.c$
yaml\.h           ^runner/matrix/
liburing\.h       ^runner/agent/load_
gsl/.*            ^(analysis/|runner/plan/order\.c$)
libssh/.*         ^(runner/transport/|tests/unit/test_ssh_)
'

includes() {
	files '*.c' '*.h' | xargs -r grep -HnE '^[ \t]*#[ \t]*include'
}

found=$(includes | awk -v layers="$layers" -v owners="$owners" '
	function layer_of(path, part) {
		split(path, part, "/")
		if (path == "runner/main.c")
			return "main"
		return part[1] == "runner" ? part[2] : part[1]
	}
	function complain(what) {
		print file ":" line ": " what
	}
	function own_header(path) {
		sub(/\.c$/, ".h", path)
		return path
	}
	function exists(path, ignored, rc) {
		rc = (getline ignored < path) >= 0
		close(path)
		return rc
	}
	function check_layer(path, from, to) {
		from = layer_of(file)
		to = layer_of(path)
		if (path !~ /^(runner|analysis|tests)\//)
			complain("\"" path "\" is no path from the root")
		else if (!(from in may))
			complain("no layer \"" from "\" in tests/lint/layers.sh")
		else if (may[from] != " * " && !index(may[from], " " to " "))
			complain("layer " from " includes " path " of layer " to)
	}
	function check_owner(path, o) {
		for (o in owner)
			if (path ~ "^" o "$" && file !~ owner[o])
				complain("<" path "> belongs to " owner[o])
	}
	BEGIN {
		n = split(layers, l, "\n")
		for (i = 1; i <= n; i++)
			if (split(l[i], w, " ")) {
				sub(/^[^ ]+ +/, "", l[i])
				may[w[1]] = " " l[i] " "
			}
		n = split(owners, l, "\n")
		for (i = 1; i <= n; i++)
			if (split(l[i], w, " "))
				owner[w[1]] = w[2]
	}
	{
		split($0, at, ":")
		file = at[1]
		line = at[2]
		own = own_header(file)
		first = file != last
		last = file
		path = $0
		if (first && own != file && exists(own) && \
		    !index($0, "\"" own "\""))
			complain("includes something before \"" own "\"")
		if (sub(/^[^"<]*"/, "", path)) {
			sub(/".*/, "", path)
			check_layer(path)
		} else if (sub(/^[^<]*</, "", path)) {
			sub(/>.*/, "", path)
			check_owner(path)
		}
	}')
[ -z "$found" ] || complain layers $'\n'"$found"
finish
