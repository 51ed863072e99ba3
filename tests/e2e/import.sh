#!/bin/bash
# vrun import: files of fio and hyperfine become a table that analyze reports
# on; what cannot be read is refused.
# with sanitizers, too
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash

data=tests/data/tool-output

# prints TEXT...: on standard output, whose lines are folded.
prints() {
	local text
	for text; do
		tr -s ' \n' ' ' <"$tmp/out" | grep -Fq -- "$text" ||
			fail "does not print: $text"
	done
}

# campaign NAME STATUS OPERAND...: imports to $tmp/NAME; prints the report.
campaign() {
	local name=$1 want=$2
	shift 2
	expect "$want" "$VRUN" import --results "$tmp/results" --name "$name" "$@"
	says 'results are in'
	mv "$(results_in "$tmp/results")" "$tmp/$name"
}

# --- fio ---------------------------------------------------------------

# The figures are fio's own: iops, bw_bytes / 1e6, lat_ns.mean.
expect 0 "$VRUN" import --factors backing 4k=$data/fio-3.14.json
prints 'backing,file,run,order,status,metric,value,unit,better' \
	"4k,$data/fio-3.14.json,1,1566772963019,ok,block.iops,8706.988217" \
	',block.bw,35.663823' ',block.lat_mean,112799.59970' \
	',block.clat_p50,101888,ns,lower'

# variant N RATE: a file like fio-3.14.json, N seconds later, of another rate.
variant() {
	sed "s/1566772963019/156677${1}019/
		s/\"iops\" : 8706.988217/\"iops\" : $2/" \
		$data/fio-3.14.json >"$tmp/run$1.json"
}
i=3000
operands=()
for rate in 8700.5 9001.5 8710.5 8990.5 8690.5 9011.5 8705.5 9003.5; do
	i=$((i + 1))
	variant $i $rate
	size=4k,512M
	[ $((i % 2)) -eq 1 ] || size=2M,512M
	operands+=("$size=$tmp/run$i.json")
done
expect 0 "$VRUN" import -F backing,memory "${operands[@]}" -o "$tmp/runs.csv"
expect 0 "$VRUN" analyze "$tmp/runs.csv" --value value --metric metric \
	--factors backing,memory --where metric=block.iops --order order \
	--status status
prints 'Faster: backing=2M' 'In every cell: memory=512M.' 'n = 4 and 4'

campaign paired 0 -F backing,memory --rounds --baseline backing=4k,memory=512M \
	--margin 2% --question 'Pages?' "${operands[@]}"
prints 'Pages?' 'Faster: backing=2M' 'In every cell: memory=512M.' \
	'beyond the margin of 2 %; 4 rounds' 'Each trial is one unit' \
	'the order is that of the files'"'"' time stamps' \
	'imported from 8 files of fio: vrun neither ran these trials' \
	'Order: recorded.' 'fio-3.14-6-g97134' '8 trials of 8 planned: 8 ok'
expect 0 "$VRUN" report "$tmp/paired" --json
prints '"order": "recorded"' '"estimator": "blocked"'
(cd "$tmp/paired" && sha256sum --quiet -c MANIFEST.sha256) ||
	fail 'the manifest does not fit'
cmp -s "$tmp/paired/artifacts/0/fio.json" "$tmp/run3001.json" ||
	fail 'the first file is not kept'
expect 2 "$VRUN" resume "$tmp/paired"
says 'a campaign that was imported has nothing to resume'

# In the order A..A B..B the same figures prove nothing.
sorted=()
for k in 0 2 4 6 1 3 5 7; do
	sorted+=("${operands[$k]}")
done
i=4000
for k in "${!sorted[@]}"; do
	i=$((i + 1))
	sed -i "s/\"timestamp_ms\" : [0-9]*/\"timestamp_ms\" : 156677${i}019/" \
		"${sorted[$k]#*=}"
done
expect 0 "$VRUN" import -F backing,memory "${sorted[@]}" -o "$tmp/runs.csv"
expect 0 "$VRUN" analyze "$tmp/runs.csv" --value value --metric metric \
	--factors backing,memory --where metric=block.iops --order order
prints 'Inconclusive (confounded)'

# --- hyperfine ---------------------------------------------------------

hyperfine=$data/hyperfine-1.15.json
expect 0 "$VRUN" import $hyperfine
prints 'command,n,file,run,order,status,metric,value,unit,better' \
	"seq 1000,1000,$hyperfine,1,1,ok,time," \
	"seq 20000,20000,$hyperfine,12,24,ok,time,"
mv "$tmp/out" "$tmp/runs.csv"
expect 0 "$VRUN" analyze "$tmp/runs.csv" --value value --metric metric \
	--factors n --order order --status status
prints 'n = 12 and 12' '(confounded)' 'the arms ran one after the other'

# Which of two files came first is unknown; commas and quotes are kept.
sed 's/"seq 1000"/"seq, \\"1000\\""/; s/^ *0,$/1,/' $hyperfine >"$tmp/h2.json"
expect 0 "$VRUN" import -F host a=$hyperfine "b=$tmp/h2.json"
prints "a,seq 1000,1000,$hyperfine,1,,ok,time," \
	"b,\"seq, \"\"1000\"\"\",1000,$tmp/h2.json,1,,failed,time,"

# --- campaigns ---------------------------------------------------------

# The order A..A B..B proves nothing here, either; without rounds no pairs.
campaign apart 0 -F backing,memory "${sorted[@]}"
prints 'Inconclusive (confounded)' 'no round has both arms'

# Two imports have no anchor: nobody knows what they ran with.
expect 0 "$VRUN" compare "$tmp/paired" "$tmp/apart"
prints 'no anchor ties them together' 'inconclusive (confounded)'

# Runs that failed are lost trials, and the status says so.
sed '0,/^ *0,$/s//1,/' $hyperfine >"$tmp/h3.json"
campaign hyperfine 1 "$tmp/h3.json"
prints 'n=20000' '1 failed' 'of the runs in the file' 'Order: recorded' \
	'imported from 1 file of hyperfine'
campaign two 1 -F host a=$hyperfine "b=$tmp/h3.json" --baseline host=a
prints 'the files do not tell in which order' 'Order: unknown.' \
	'the order of execution was not recorded'
expect 2 "$VRUN" compare "$tmp/two" "$tmp/two"
says 'it is the same campaign as two'
campaign commands 0 "$hyperfine" --metric time --baseline n=1000
prints 'n=20000 changed time'

# Two versions of fio are a confound.
campaign versions 0 -F fio 3.14=$data/fio-3.14.json 3.19=$data/fio-3.19.json
prints 'the baseline ran with engine fio-3.14-6-g97134, this with fio-3.19' \
	'n = 1 and 1: no interval'
# A file without a result is a failed trial, if asked for.
campaign lost 1 --keep-failed -F a x=$data/fio-3.14.json \
	y=$data/fio-engine-missing.json
prints 'gave no JSON but' 'inconclusive (no-data)'
# fio 2 has other keys; json+ has a histogram.
campaign old 0 $data/fio-2.18.json
prints '476.8'
fio --name=x --ioengine=null --size=4m --numjobs=2 --lat_percentiles=1 \
	--output-format=json+ --output="$tmp/plus.json" >/dev/null
campaign plus 0 "$tmp/plus.json"
prints 'block.iops'
grep -q '"hists":{"block.lat":' "$tmp/plus/trials.jsonl" ||
	fail 'the histogram of json+ is not kept'

# Levels from names of files.
mkdir "$tmp/named"
for i in 1 2; do
	cp "$tmp/run300$i.json" "$tmp/named/io-4k-512M-$i.json"
	cp "$tmp/run300$((i + 2)).json" "$tmp/named/io-2M-512M-$i.json"
done
campaign named 0 --pattern 'io-{backing}-{memory}-{}.json' "$tmp"/named/*.json \
	--baseline backing=4k
prints 'backing=2M' 'In every cell: memory=512M.' 'n = 2 and 2'
expect 2 "$VRUN" import --pattern 'x-{backing}.json' "$tmp"/named/*.json
says 'io-2M-512M-1.json: its name is not like --pattern x-{backing}.json'
for pattern in '{a}{b}' 'a{b' 'a}b' '{a,b}' 'abc' '{}.json'; do
	expect 2 "$VRUN" import --pattern "$pattern" "$tmp"/named/*.json
	says "--pattern: \"$pattern\"" 'names of factors stand in braces'
done
expect 2 "$VRUN" import --pattern '{a}.json' -F b "$tmp"/named/*.json
says 'either --factors and levels before the files, or --pattern'

expect 2 "$VRUN" import --results "$tmp/results" $hyperfine $data/fio-3.14.json
says 'fio and hyperfine have no figure in common'
expect 2 "$VRUN" import --results "$tmp/results" --metric y $hyperfine
says '--metric: no file has a figure of "y"'
expect 2 "$VRUN" import --results "$tmp/results" --margin 2 $hyperfine
says '--margin: "2" is no ratio'
expect 2 "$VRUN" import --results "$tmp/results" --baseline x $hyperfine
says '--baseline: "x" is no FACTOR=LEVEL'
expect 2 "$VRUN" import --margin 2% $hyperfine
says 'import: --margin is for a campaign: give --results DIR'
printf '%s' '{"results": [{"command": "a", "times": [1],' \
	'"parameters": {"": "1"}}]}' >"$tmp/nameless.json"
expect 2 "$VRUN" import "$tmp/nameless.json"
says 'a factor without a name'
expect 2 "$VRUN" import $hyperfine $hyperfine
says 'hyperfine-1.15.json: given twice'

# --- what is refused ---------------------------------------------------

expect 2 "$VRUN" import
says 'too few arguments'
expect 2 "$VRUN" import $data/fio-engine-missing.json
says 'fio-engine-missing.json: fio: gave no JSON but:'
expect 0 "$VRUN" import --keep-failed $data/fio-engine-missing.json
prints 'block.iops,,IOPS,higher' 'gave no JSON but'
expect 2 "$VRUN" import $data/fio-3.34-text-before-json.json
says 'the run was cut short'
expect 2 "$VRUN" import "$tmp/nowhere.json"
says 'nowhere.json'
expect 2 "$VRUN" import -F backing,memory 4k=$data/fio-3.14.json
says 'write one level for each of backing,memory'
expect 2 "$VRUN" import -F backing $data/fio-3.14.json
says 'write one level for each of backing'
expect 2 "$VRUN" import -F value 4k=$data/fio-3.14.json
says '"value" cannot be a factor'
expect 2 "$VRUN" import -F backing,backing 4k,4k=$data/fio-3.14.json
says '"backing" twice'
expect 2 "$VRUN" import -F command 4k=$hyperfine
says '"command" comes from the file'
printf '{"results": []}' >"$tmp/empty.json"
expect 2 "$VRUN" import "$tmp/empty.json"
says 'empty.json: hyperfine: its JSON has no list'
