#!/bin/bash
# The tables for papers compile with LaTeX, whatever is in them, and stay on
# the page. What it made is in $B/tests/shots.
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash

command -v pdflatex >/dev/null ||
	skip 'pdflatex is not installed: make check-deps'
export TEXMFVAR=$tmp/texmf # where fonts are made
shots=$B/tests/shots
mkdir -p "$shots"

# compile NAME: a document with the tables of $tmp/NAME.tex.
compile() {
	cat >"$tmp/doc-$1.tex" <<-EOT
		\documentclass{article}
		\usepackage[T1]{fontenc}
		\usepackage[utf8]{inputenc}
		\usepackage{array,booktabs,graphicx}
		\begin{document}
		\input{$1.tex}
		\end{document}
	EOT
	(cd "$tmp" && pdflatex -halt-on-error -interaction=nonstopmode \
		"doc-$1.tex" >"$tmp/out" 2>"$tmp/err") ||
		fail "$1: $(grep -A 5 '^!' "$tmp/out")"
	grep -q 'Output written' "$tmp/out" || fail "$1: no page"
	cp "$tmp/doc-$1.pdf" "$shots/latex-$1.pdf"
}

# fits NAME: no table is wider than the text.
fits() {
	! grep '^Overfull .hbox' "$tmp/doc-$1.log" ||
		fail "$1: a table is wider than the page"
}

"$VRUN" analyze tests/data/oracles/e2e_iops3.csv --value value --metric metric \
	--factors config --host host --block round --status status --order seq \
	--baseline config=native --margin 2% -f latex -o "$tmp/hosts.tex"
compile hosts
fits hosts

expect 0 "$VRUN" matrices/synthetic.yaml --rounds 3 --results "$tmp/results" \
	-q -f latex -o "$tmp/campaign.tex"
compile campaign
fits campaign

# Everything that TeX reads as something else.
cat >"$tmp/odd.csv" <<'END'
name,value
"\x_{%&#$~^<>|""'`",10
"\x_{%&#$~^<>|""'`",11
"[a] -- ?` !` << >> ---",12
"[a] -- ?` !` << >> ---",14
"café",13
"café",15
END
"$VRUN" analyze "$tmp/odd.csv" --value value --factors name --better higher \
	-f latex -o "$tmp/odd.tex"
compile odd
