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

# compile NAME [PROGRAM MORE]: a document with the tables of $tmp/NAME.tex, and
# MORE. Twice: captions may come back from a file.
compile() {
	local program=${2:-pdflatex}
	cat >"$tmp/doc-$1.tex" <<-EOT
		\documentclass{article}
		\ifdefined\directlua\else
		\usepackage[T1]{fontenc}
		\usepackage[utf8]{inputenc}
		\fi
		\usepackage{array,booktabs,graphicx}
		\begin{document}
		\input{$1.tex}
		${3:-}
		\end{document}
	EOT
	rm -f "$tmp/doc-$1.lot" "$tmp/doc-$1.aux"
	for _ in 1 2; do
		(cd "$tmp" && $program -halt-on-error \
			-interaction=nonstopmode "doc-$1.tex" >"$tmp/out" \
			2>"$tmp/err") ||
			fail "$program $1: $(grep -A 5 '^!' "$tmp/out")"
	done
	grep -q 'Output written' "$tmp/out" || fail "$1: no page"
	cp "$tmp/doc-$1.pdf" "$shots/$program-$1.pdf"
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

# Letters that the font lacks are shown by their number, not left out.
cat >"$tmp/letters.csv" <<'END'
name,value
"café ß µ × Łódź",10
"café ß µ × Łódź",11
"[😀] 测试",12
"[😀] 测试",14
"тест ≤ ∞",13
"тест ≤ ∞",15
END
"$VRUN" analyze "$tmp/letters.csv" --value value --factors name \
	--better higher --question 'Is 😀 quick?' -f latex -o "$tmp/letters.tex"
more='\listoftables \input{letters.tex}'
compile letters pdflatex "$more"

# lualatex has other fonts than pdflatex only where luaotfload is installed.
if [ -n "$(kpsewhich luaotfload.sty)" ]; then
	compile letters lualatex "$more"
	! grep 'Missing character' "$tmp/doc-letters.log" ||
		fail 'lualatex: a letter was left out'
fi
