# Bash sources it before a script when BASH_ENV names it: what the script does
# goes to the file TRACE, line by line, with the seconds since its start. What
# the script runs is not traced.
# shellcheck shell=bash
unset BASH_ENV
exec {BASH_XTRACEFD}>>"${TRACE:?}"
unset TRACE
# shellcheck disable=SC2016 # bash expands it for each line
PS4='+ $SECONDS s, line $LINENO: '
set -x
