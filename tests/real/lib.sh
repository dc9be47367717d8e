# shellcheck shell=sh disable=SC2034
# What the tests on real traces share: what they need, and where they put it. Sourced.
set -eu
here=$srcdir/tests/real

skip()
{
	echo "SKIPPED: $*" >&2
	exit 77
}

command -v python3 >/dev/null || skip 'python3 is missing: install the Debian package python3'
python3 -c 'import json' 2>/dev/null || skip 'python3 is not whole: install the Debian package python3'

scratch=$(mktemp -d "${TMPDIR:-/tmp}/pipeglass-real.XXXXXX") || exit 99
chmod 755 "$scratch" # a test becomes another user
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
export XDG_CACHE_HOME="$scratch/cache" PYTHONDONTWRITEBYTECODE=1

# Unpack every real trace into $scratch/traces.
need_traces()
{
	command -v xz >/dev/null || skip 'xz is missing: install the Debian package xz-utils'
	set -- "$PIPEGLASS_TRACES"/pipetrace/*.xz
	[ -e "$1" ] || skip "no real traces in $PIPEGLASS_TRACES/pipetrace (set PIPEGLASS_TRACES)"
	mkdir "$scratch/traces"
	for packed; do
		name=${packed##*/}
		xz -dc "$packed" >"$scratch/traces/${name%.xz}"
	done
}

# What reads every trace a dozen times: where the build has sanitizers, $TRACE_MOST bytes of a trace
# are enough, and the long ones are left to the plain build.
drop_long_traces()
{
	[ -n "${TRACE_MOST-}" ] || return 0
	find "$scratch/traces" -type f -size +"${TRACE_MOST}c" -exec echo 'left to the plain build:' {} \; -delete
}
