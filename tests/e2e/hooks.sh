#!/bin/bash
# Hooks: run at their stages with their environment, their metrics join the
# record, their failures fail the trial, and nothing of them is read by a
# shell that was not asked for.
# alone: looks for processes by what they are called
# with sanitizers, too
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash

# matrix HOOKS [WORKLOAD]: YAML of the map below "hooks:", on one line.
matrix() {
	cat >"$tmp/m.yaml" <<EOF
name: hooks
hooks: $1
fixed: {accel: native}
factors: {effect: [0, 0.05]}
workloads: [synthetic: {runtime: 50ms}]
compare: {metric: synthetic.value}
design: {rounds: 2, seed: 1}
retries: 0
EOF
}

run() { # STATUS
	rm -rf "$tmp/r"
	expect "$1" "$VRUN" "$tmp/m.yaml" --results "$tmp/r"
	[ "$1" -gt 1 ] || dir=$(results_in "$tmp/r")
}

# --- every stage, in order, with what it is told -----------------------

mkdir "$tmp/hooks"
cat >"$tmp/hooks/note" <<EOF
#!/bin/sh
echo "\$VRUN_STAGE \$VRUN_HOST \${VRUN_TRIAL-} \${VRUN_LEVEL_effect-} \$*" >>"$tmp/log"
[ \$VRUN_STAGE != around-workload ] || { echo ready; cat; echo metric late 5.\$VRUN_TRIAL ms lower; }
EOF
chmod +x "$tmp/hooks/note"
stages='before-campaign before-block before-boot after-boot around-workload after-trial after-campaign'
matrix "{$(for s in $stages; do echo "$s: note, "; done | tr -d '\n')}"
run 0
awk '{ print $1 }' "$tmp/log" | head -n 7 | tr '\n' ' ' >"$tmp/seen"
grep -qx "${stages% after-campaign} around-workload " \
	"$tmp/seen" || fail "stages came as: $(cat "$tmp/seen")"
[ "$(tail -n 1 "$tmp/log")" = 'after-campaign local   ' ] ||
	fail "the last stage is: $(tail -n 1 "$tmp/log")"
[ "$(grep -c before-block "$tmp/log")" -eq 2 ] || fail "not once a round"
[ "$(grep -c after-trial "$tmp/log")" -eq 4 ] || fail "not once a trial"
[ "$(grep -c '"name":"note.late","value":5' "$dir/trials.jsonl")" -eq 4 ] ||
	fail "the metric of the hook is not in every record"
grep -q 'note.late' "$dir/report.md" || fail "the report lacks the metric"

# --- arguments and variables are data ----------------------------------

evil="a b;\$(touch $tmp/evil) \"q\" \`id\`"
matrix "{after-trial: {run: ./hooks/note, args: ['$evil', ''], env: {X: '$evil'}}}"
: >"$tmp/log"
run 0
grep -Fq -- "$evil " "$tmp/log" || fail "the argument is: $(cat "$tmp/log")"
[ ! -e "$tmp/evil" ] || fail "an argument was read by a shell"

# --- free parameters, as a factor and fixed ----------------------------

cat >"$tmp/m.yaml" <<EOF
name: vars
vars: {mode: fast, other: '$evil'}
factors: {mode: [fast, {odd: '$evil'}]}
fixed: {accel: native}
workloads: [synthetic: {runtime: 50ms}]
design: {rounds: 1, seed: 1}
hooks: {before-boot: {shell: 'echo "\$VRUN_LEVEL_mode|\$VRUN_VAR_mode|\$VRUN_VAR_other" >>"$tmp/vars"'}}
EOF
run 0
printf '%s\n' "fast|fast|$evil" "odd|$evil|$evil" >"$tmp/want"
sort "$tmp/vars" | cmp -s - "$tmp/want" || fail "variables: $(cat "$tmp/vars")"
expect 2 "$VRUN" plan "$tmp/m.yaml" --set mode=slow
grep -q 'is a factor here' "$tmp/err" || fail "said: $(cat "$tmp/err")"
expect 0 "$VRUN" plan "$tmp/m.yaml" --set other=slow --json
grep -Fq '"other":"slow"' "$tmp/out" || fail "--set left the variable as it was"

# --- a hook that fails, hangs or says nonsense fails its trial ---------

fails() { # HOOKS TEXT
	matrix "$1"
	run 1
	[ "$(grep -c "\"outcome\":\"$3\"" "$dir/trials.jsonl")" -eq 4 ] ||
		fail "$1: not every trial is $3"
	grep -Fq -- "$2" "$dir/trials.jsonl" || fail "$1: no record says: $2"
}
fails '{before-boot: {shell: "echo no such luck; exit 3"}}' \
	'exited with status 3: no such luck' failed
fails '{after-trial: {shell: "sleep 4322", timeout: 200ms}}' \
	'hook shell-1 (after-trial)' timeout
fails '{around-workload: {shell: "sleep 4322", timeout: 200ms}}' \
	'did not say \"ready\" in time' timeout
fails '{around-workload: {shell: "echo early; exit 0"}}' \
	'hook shell-1 (around-workload)' failed
fails '{around-workload: {shell: "echo ready; cat; exit 7"}}' \
	'exited with status 7' failed
# shellcheck disable=SC2016 # the hook's shell reads it
fails '{after-boot: {shell: "mkfifo $VRUN_ARTIFACTS/pipe; exit 6"}}' \
	'exited with status 6' failed
grep -Fq 'pipe\" is not kept: it is no file' "$dir/trials.jsonl" ||
	fail "no note about a pipe among the artifacts"
fails '{after-boot: {shell: "echo metric x y z"}}' \
	'a metric is \"metric NAME VALUE UNIT' failed
# shellcheck disable=SC2016
fails '{around-workload: {shell: "sleep 4321 & echo ready; cat; kill -9 $$"}}' \
	'was killed by signal 9' failed
! pgrep -f 'sleep 4321' >/dev/null || fail "what a killed hook began goes on"
! pgrep -f 'sleep 4322' -s 0 >/dev/null || fail "a hook was left behind"

# --- on the controller: the answer is told, a failure is ---------------

matrix "{after-campaign: {on: controller, shell: 'echo \$VRUN_STATE \$VRUN_ANSWER >$tmp/told'}}"
run 0
grep -q '^complete [A-Z][a-z]*: ' "$tmp/told" || fail "told: $(cat "$tmp/told")"
[ -z "$(find "$dir" -name '.hook*')" ] || fail "a program was left in $dir"
matrix '{after-campaign: {on: controller, shell: "echo gone; exit 4"}}'
run 1
says 'hook shell-1 exited with status 4: gone'
matrix '{before-campaign: {on: controller, shell: "exit 5"}}'
run 1
says 'before-campaign: hook shell-1 exited with status 5'

# --- resumed: the programs are those of the beginning ------------------

matrix '{after-trial: note}'
sed -i 's/50ms/400ms/' "$tmp/m.yaml"
: >"$tmp/log"
env --default-signal=INT "$VRUN" "$tmp/m.yaml" --results "$tmp/s" \
	>"$tmp/out" 2>"$tmp/err" </dev/null &
pid=$!
wait_for 20 test -s "$tmp/log"
kill -INT $pid
wait $pid || true
rm "$tmp/hooks/note"
expect 0 "$VRUN" resume "$(results_in "$tmp/s")"
[ "$(grep -c after-trial "$tmp/log")" -eq 4 ] ||
	fail "the hook ran $(grep -c after-trial "$tmp/log") times, not 4"

# --- what is wrong in the matrix is said before anything runs ----------

refused() { # HOOKS TEXT
	matrix "$1"
	run 2
	says "$2"
	[ ! -e "$tmp/r" ] || fail "$1: results were made"
}
refused '{before-bot: x}' 'unknown stage "before-bot"'
refused '{before-boot: nosuch}' 'hook "nosuch": no such program in'
refused '{before-boot: ./m.yaml}' 'is no file that can be executed'
refused '{before-boot: {args: [a]}}' 'give one of run (a program) and shell'
refused '{before-boot: {run: a, shell: b}}' 'give one of run'
refused '{before-boot: {run: note, on: controller}}' \
	'before-boot does not run on the controller'
refused '{before-boot: {run: note, env: {VRUN_X: 1}}}' 'must not begin with VRUN_'
refused '{before-boot: {run: note, tiemout: 1s}}' 'unknown key "tiemout"'
