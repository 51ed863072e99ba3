#!/bin/bash
# The pages and figures in a real browser, headless: nothing is fetched, nothing
# complains, tables are sorted by keyboard, labels do not overlap, colours have
# contrast, in light and dark, on paper and on 360 pixels. What it saw is in
# $B/tests/shots.
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash

for tool in chromium chromedriver curl jq; do
	command -v $tool >/dev/null ||
		skip "$tool is not installed: make check-deps"
done

shots=$B/tests/shots
mkdir -p "$shots"
rm -f "$shots"/*.png # only its own: latex.sh may run now

# --- the browser ---------------------------------------------------------

driver=
session=
close_browser() {
	[ -z "$session" ] || curl -s -X DELETE "$session" >"$tmp/bye" || :
	[ -z "$driver" ] || kill "$driver" 2>"$tmp/bye" || :
	[ -z "$driver" ] || wait "$driver" 2>"$tmp/bye" || :
}
on_exit=close_browser

# ask METHOD PATH BODY: prints the value of the answer.
ask() {
	curl -s -X "$1" -H 'Content-Type: application/json' \
		${3:+--data-binary "$3"} "$session$2" >"$tmp/answer" ||
		fail "the browser does not answer: $1 $2" >&2
	jq -e '.value | (type == "object" and has("error")) | not' \
		"$tmp/answer" >"$tmp/is-right" ||
		fail "$1 $2: $(jq -c .value.message "$tmp/answer")" >&2
	jq -r '.value' "$tmp/answer"
}

# javascript TEXT: what it returns.
javascript() {
	ask POST /execute/sync "$(jq -n --arg s "$1" '{script: $s, args: []}')"
}

# devtools COMMAND PARAMETERS
devtools() {
	ask POST /goog/cdp/execute \
		"$(jq -n --arg c "$1" --argjson p "$2" '{cmd: $c, params: $p}')" \
		>"$tmp/devtools"
}

open_browser() {
	local port i options
	: >"$tmp/driver"
	chromedriver --port=0 >>"$tmp/driver" 2>&1 &
	driver=$!
	for ((i = 0; i < 100; i++)); do
		port=$(sed -n 's/.*successfully on port \([0-9]*\).*/\1/p' \
			"$tmp/driver")
		[ -z "$port" ] || break
		sleep 0.1
	done
	[ -n "$port" ] || fail "chromedriver: $(cat "$tmp/driver")"
	session=http://127.0.0.1:$port/session
	options=$(jq -n --arg dir "$tmp/profile" '{capabilities: {alwaysMatch: {
		"goog:chromeOptions": {args: ["--headless=new", "--no-sandbox",
			"--disable-gpu", "--disable-dev-shm-usage",
			"--user-data-dir=" + $dir]},
		"goog:loggingPrefs": {browser: "ALL", performance: "ALL"}}}}')
	session=$session/$(ask POST '' "$options" | jq -r .sessionId)
	# What the browser's own first page fetches is not ours.
	ask POST /url '{"url": "about:blank"}' >"$tmp/visited"
	ask POST /se/log '{"type": "performance"}' >"$tmp/visited"
}

# visit FILE
visit() {
	ask POST /url "$(jq -n --arg u "file://$1" '{url: $u}')" >"$tmp/visited"
}

# look WIDTH SCHEME NAME: as a window or a telephone would show it.
look() {
	devtools Emulation.setDeviceMetricsOverride "{\"width\": $1,
		\"height\": 800, \"deviceScaleFactor\": 1, \"mobile\": false}"
	devtools Emulation.setEmulatedMedia "{\"features\": [{
		\"name\": \"prefers-color-scheme\", \"value\": \"$2\"}]}"
	devtools Page.captureScreenshot '{"captureBeyondViewport": true}'
	jq -r .data "$tmp/devtools" | base64 -d >"$shots/$3.png"
	[ "$(stat -c %s "$shots/$3.png")" -gt 5000 ] || fail "$3.png is empty"
}

# expect_no_complaint NAME
expect_no_complaint() {
	local said
	said=$(javascript "$(cat tests/e2e/html.js)")
	[ -z "$said" ] || fail "$1: $said"
}

# Neither errors nor requests beyond the file itself.
expect_silence() {
	local said
	said=$(ask POST /se/log '{"type": "browser"}' | jq -r '.[].message')
	[ -z "$said" ] || fail "$1: console: $said"
	said=$(ask POST /se/log '{"type": "performance"}' |
		jq -r '.[].message | fromjson | .message |
			select(.method == "Network.requestWillBeSent") |
			.params.request.url' | grep -v '^\(file\|data\):') || :
	[ -z "$said" ] || fail "$1: fetches $said"
}

# inspect NAME FILE SCHEME...: at every size.
inspect() {
	local name=$1 scheme width
	visit "$2"
	shift 2
	for scheme; do
		for width in 1100 360; do
			look $width "$scheme" "$name-$scheme-$width"
			expect_no_complaint "$name, $scheme, $width pixels"
		done
	done
	expect_silence "$name"
}

# press KEY...: tab, enter or space.
press() {
	local actions
	# shellcheck disable=SC2016 # jq's variables
	actions=$(jq -n --args '{tab: "\ue004", enter: "\ue007", space: " "} as $keys |
		[$ARGS.positional[] | $keys[.] | {type: "keyDown", value: .},
		{type: "keyUp", value: .}]' "$@")
	ask POST /actions "$(jq -n --argjson a "$actions" \
		'{actions: [{type: "key", id: "keys", actions: $a}]}')" \
		>"$tmp/pressed"
}

# --- the pages -------------------------------------------------------------

odd=$tmp/odd.csv
{
	echo name,value,round,order
	order=0
	for round in 1 2 3; do
		for name in "$(printf 'x%.0s' {1..200})" 'عربي نص طويل للتجربة' \
			'<script>alert(1)</script>' '日本語' \
			"$(printf 'W%.0s' {1..60})" "a' onload=x"; do
			order=$((order + 1))
			echo "\"$name\",$((round * order - 9)).5,$round,$order"
		done
	done
} >"$odd"
"$VRUN" analyze "$odd" --value value --factors name --block round \
	--order order --better higher --question 'هل <b>يتغير</b> الأداء؟' \
	-f html -o "$tmp/odd.html"
"$VRUN" analyze tests/data/published/iozone_cache_modes.csv --value MBps \
	--factors record,cache,op --baseline cache=host -f html \
	-o "$tmp/many.html"
"$VRUN" analyze tests/data/oracles/e2e_iops3.csv --value value --metric metric \
	--factors config --host host --block round --status status --order seq \
	--baseline config=native --margin 2% -f html -o "$tmp/report.html" \
	--figures "$tmp/figures"
expect 0 "$VRUN" matrices/synthetic.yaml --rounds 3 --results "$tmp/results" -q
grep -q '  figures/effects.svg$' "$tmp"/results/synthetic-*/MANIFEST.sha256 ||
	fail 'the figures are not among the results'
[ -s "$tmp/results/index.html" ] || fail 'the run left no list of campaigns'
expect 2 "$VRUN" report
says 'vrun: report: DIR is missing'
expect 2 "$VRUN" report --index "$tmp/results" --json
says 'vrun: --index and --json exclude each other'
expect 4 "$VRUN" report --index "$tmp/none"
says "vrun: $tmp/none: No such file"
mkdir "$tmp/results/no campaign"
expect 0 "$VRUN" report --index "$tmp/results"

open_browser
inspect report "$tmp/report.html" light dark
inspect odd "$tmp/odd.html" light
inspect many "$tmp/many.html" light
inspect campaign "$(echo "$tmp"/results/synthetic-*/report.html)" dark
inspect index "$tmp/results/index.html" light dark

# The link of the list leads to the report.
javascript 'document.querySelector("td a, th a").click()' >"$tmp/clicked"
case $(ask GET /url) in
*/synthetic-*/report.html) ;;
*) fail "the link of index.html leads to $(ask GET /url)" ;;
esac

# --- keyboard ----------------------------------------------------------------

visit "$tmp/report.html"
look 1100 light sorted

# The first column's text, joined; and how its head says it is sorted.
column='const t = document.querySelector("table");
	return [...t.tBodies[0].rows].map(r => r.cells[0].textContent).join("|")'
sorted='return document.activeElement.closest("th")
	.getAttribute("aria-sort") + " " + document.activeElement.tagName'
press tab # the first head of the first table
as_written=$(javascript "$column")
press enter
[ "$(javascript "$sorted")" = 'ascending BUTTON' ] ||
	fail "enter on a head: $(javascript "$sorted")"
up=$(javascript "$column")
press space
[ "$(javascript "$sorted")" = 'descending BUTTON' ] ||
	fail "space on a head: $(javascript "$sorted")"
down=$(javascript "$column")
[ "$up" = "$(tr '|' '\n' <<<"$up" | LC_ALL=C.UTF-8 sort -V | paste -sd '|')" ] ||
	fail "not ascending: $up"
[ "$up" = "$(tr '|' '\n' <<<"$down" | tac | paste -sd '|')" ] ||
	fail "not the other way round: $down"
[ "$(tr '|' '\n' <<<"$as_written" | sort)" = \
	"$(tr '|' '\n' <<<"$up" | sort)" ] || fail 'sorting lost a row'
# Where the focus is can be seen.
[ "$(javascript 'return getComputedStyle(document.activeElement)
	.outlineStyle')" = solid ] || fail 'the focus cannot be seen'
expect_silence 'sorting'

# --- paper -------------------------------------------------------------------

ask POST /print '{}' | base64 -d >"$shots/report.pdf"
[ "$(head -c 5 "$shots/report.pdf")" = %PDF- ] || fail 'nothing is printed'
devtools Emulation.setEmulatedMedia '{"media": "print", "features": [{
	"name": "prefers-color-scheme", "value": "dark"}]}'
[ "$(javascript 'return getComputedStyle(document.body)
	.backgroundColor')" = 'rgb(255, 255, 255)' ] || fail 'paper is not white'
devtools Emulation.setEmulatedMedia '{"media": ""}'

# --- figures alone -------------------------------------------------------------

for figure in "$tmp"/figures/*.svg; do
	name=figure-$(basename "$figure" .svg)
	visit "$figure"
	look 760 dark "$name"
	[ "$(javascript 'const paper = document.querySelector(".paper");
		return getComputedStyle(paper).fill')" = 'rgb(13, 17, 23)' ] ||
		fail "$name is not dark"
	expect_silence "$name"
done

# --- what does not belong there does not run -----------------------------------

visit "$tmp/odd.html"
[ "$(javascript 'const s = document.createElement("script");
	s.textContent = "window.ran = 1";
	document.body.append(s);
	return String(window.ran)')" = undefined ] ||
	fail 'the policy lets any script run'
