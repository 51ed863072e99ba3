#!/bin/bash
# The examples of published figures, as tests/data/published/README.md has
# them: every table and what an honest report says of it.
# with sanitizers, too
set -u

. tests/e2e/examples.bash
data=tests/data/published

examples $data/README.md || exit 1
# No report of these may claim that there is no difference.
while read -r command; do
	if bash -c "vrun $command" | grep -iq 'no difference'; then
		echo "says \"no difference\": $command"
		exit 1
	fi
done < <(sed -e ':a' -e '/\\$/N; s/\\\n//; ta' $data/README.md |
	sed -n 's/^\$ vrun //p')
for file in "$data"/*.csv; do
	grep -q "^\\\$ vrun analyze $file" $data/README.md && continue
	echo "no example of $file"
	exit 1
done
[ $example_count -eq 13 ] || {
	echo "$example_count examples, not 13"
	exit 1
}
