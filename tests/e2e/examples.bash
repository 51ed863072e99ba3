# Examples in documents, as they stand there. Sourced; B is absolute.
# shellcheck shell=bash

# In a document, "$ COMMAND" begins an example; lines that end with \ go on.
# What follows up to an empty line, a fence or the next example are texts that
# its output must have somewhere, line ends apart.

export PATH=$B:$PATH
example_count=0 example_bad=0 example_command='' example_output=''

example_run() {
	local status=0
	example_output=$(bash -c "$example_command" 2>&1) || status=$?
	example_output=$(tr -s ' \n' ' ' <<<"$example_output")
	example_count=$((example_count + 1))
	[ $status -eq 0 ] || example_complain "status $status"
}

example_complain() {
	echo "$example_command"
	echo "    $1"
	fold -s -w 76 <<<"$example_output" | head -n 12 | sed 's/^/    | /'
	example_bad=$((example_bad + 1))
}

example_says() {
	[[ $example_output == *"$1"* ]] || example_complain "does not say: $1"
}

# examples FILE: runs all of them; false when one is not as the document says.
examples() {
	local line state=text
	while IFS= read -r line; do
		case $state:$line in
		*:'$ '*)
			example_command=${line#??}
			state='command'
			;;
		command:*) example_command+=$line ;;
		output:'' | output:'```'*) state=text ;;
		output:*) example_says "$line" ;;
		esac
		if [ $state = command ] && [[ $example_command != *\\ ]]; then
			example_run
			state=output
		elif [ $state = command ]; then
			example_command=${example_command%\\}
		fi
	done <"$1"
	[ $example_bad -eq 0 ]
}
