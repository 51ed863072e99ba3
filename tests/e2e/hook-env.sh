#!/bin/bash
# The table of hooks/README.md is what a hook is told, on the host, the
# controller and in the guest: no row too many, none missing. And values with
# blanks, quotes, `$(...)`, line feeds and ";" come to each place as they are.
set -eu
cd "$(dirname "$0")/../.."
. tests/e2e/campaign.bash

mkdir "$tmp/hooks" "$tmp/seen"
cat >"$tmp/hooks/see" <<EOF
#!/bin/sh
# see PLACE: the names, as the table writes them; and three values.
names=\$(env | sed -n 's/^\(VRUN_[A-Za-z_0-9]*\)=.*/\1/p' |
	sed 's/^VRUN_LEVEL_.*/VRUN_LEVEL_<factor>/; s/^VRUN_VAR_.*/VRUN_VAR_<name>/')
[ \$VRUN_STAGE != around-workload ] || { echo ready; cat; }
if [ "\$1" = guest ]; then
	echo "\$names" >"\$VRUN_ARTIFACTS/names"
	printf '<%s>\n' "\$2" "\$X" "\${VRUN_LEVEL_append-}" >"\$VRUN_ARTIFACTS/values"
else
	echo "\$names" >>"$tmp/seen/\$1"
	echo "\$names" >"$tmp/seen/\$1-\$VRUN_STAGE"
	printf '<%s>\n' "\$2" "\$X" "\${VRUN_LEVEL_append-}" >"$tmp/seen/values-\$1-\$VRUN_STAGE"
fi
EOF
chmod +x "$tmp/hooks/see"

# shellcheck disable=SC2016 # it is data
yaml='a  b; $(touch evil) `id` \"q\" '"'r'"' \\ &\nsecond | line'
evil=$(printf '%b' "${yaml//\\\"/\"}")
# shellcheck disable=SC2016 # it is data
level='vrun.x=$(id);"a b"'

# hooks PLACE STAGE...: the hook at each, in YAML.
hooks() {
	local stage
	for stage in "${@:2}"; do
		echo "  $stage: {on: $1, run: see, args: [$1, \"$yaml\"], env: {X: \"$yaml\"}}"
	done
}
# Of the same stage at two places, both.
both() {
	local stage
	for stage; do
		echo "  $stage:"
		for on in host guest; do
			echo "    - {on: $on, run: see, args: [$on, \"$yaml\"], env: {X: \"$yaml\"}}"
		done
	done
}

campaign() { # HOOKS FIXED FACTORS
	cat >"$tmp/m.yaml" <<EOF
name: env
question: "$yaml"
hooks:
$1
fixed: $2
factors: $3
vars: {note: "$yaml"}
workloads: [synthetic: {runtime: 50ms}]
design: {rounds: 1, seed: 1}
retries: 0
EOF
	rm -rf "$tmp/r"
	expect 0 "$VRUN" "$tmp/m.yaml" --results "$tmp/r"
	dir=$(results_in "$tmp/r")
}

# The table's rows: "NAME WHERE" for each.
awk -F' *\\| *' '
	/^\| variable/ { table = 1 }
	!/^\|/ { table = 0 }
	table && /VRUN_/ {
		n = split($2, names, /[`, ]+/)
		for (i = 1; i <= n; i++)
			if (names[i] ~ /^VRUN_/)
				print names[i], $4
	}' hooks/README.md >"$tmp/table"
[ "$(wc -l <"$tmp/table")" -gt 15 ] || fail "hooks/README.md has no table"

# agrees PLACE FILE [UNLESS]: what is told there, but for rows that say UNLESS.
agrees() {
	grep -E " (everywhere|.*\b$1\b)" "$tmp/table" |
		grep -Ev -- "${3:-^$}" | cut -d' ' -f1 | sort >"$tmp/want"
	sort -u "$2" | grep . | diff "$tmp/want" - >"$tmp/out" ||
		fail "$1: hooks/README.md (<) and what is told (>) differ"
}

# is_data FILE LEVEL
is_data() {
	printf '<%s>\n' "$evil" "$evil" "$2" | cmp - "$1" ||
		fail "$1: $(cat "$1")"
	if [ -e evil ] || [ -e "$dir/evil" ]; then
		fail "a shell read it"
	fi
}

# --- without a VM --------------------------------------------------------

campaign "$(hooks host before-campaign before-block before-boot after-boot \
	around-workload after-trial)
  after-campaign:
    - {run: see, args: [host, \"$yaml\"], env: {X: \"$yaml\"}}
    - {on: controller, run: see, args: [controller, \"$yaml\"], env: {X: \"$yaml\"}}" \
	'{accel: native}' '{effect: [0, 0.05]}'
for stage in before-campaign after-campaign; do
	agrees host "$tmp/seen/host-$stage" 'in a trial|it is up'
done
agrees host "$tmp/seen/host-before-boot" 'it is up'
agrees controller "$tmp/seen/controller"
for f in "$tmp"/seen/values-*; do
	is_data "$f" ''
done

# --- with one ------------------------------------------------------------

[ -e "$GUEST/initrd" ] || skip "no guest image; run make guest"
campaign "$(both after-boot around-workload after-trial)" \
	'{accel: tcg, memory: 256M}' "{append: ['$level']}"
agrees host "$tmp/seen/host"
for stage in after-boot around-workload after-trial; do
	is_data "$tmp/seen/values-host-$stage" "$level"
done
for n in '' .2 .3; do
	agrees guest "$(echo "$dir"/artifacts/*/hook-see-names$n)"
	is_data "$(echo "$dir"/artifacts/*/hook-see-values$n)" "$level"
done
