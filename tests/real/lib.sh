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
export XDG_CACHE_HOME="$scratch/cache" PYTHONPYCACHEPREFIX="$PWD/tests/traces/python"

# All tests of a build share the unpacked traces: made whole before they get their name.
unpacked() # packed, name, command...
{
	from=$1 made=tests/traces/$2
	shift 2
	[ "$made" -nt "$from" ] && return
	mkdir -p tests/traces
	xz -dc "$from" | "$@" >"$made.$$"
	mv "$made.$$" "$made"
}

# Unpack real traces; $traces are their paths. Of the two longest the first 6 MiB are read.
need_traces() # pattern in the folder of traces...
{
	command -v xz >/dev/null || skip 'xz is missing: install the Debian package xz-utils'
	traces=
	for pattern; do
		for packed in "$PIPEGLASS_TRACES"/$pattern.xz; do
			[ -e "$packed" ] || skip "no $pattern in $PIPEGLASS_TRACES (set PIPEGLASS_TRACES)"
			name=${packed##*/}
			name=${name%.xz}
			case $name in
			*-matmul-*) unpacked "$packed" "$name" head -c 6291456 ;;
			*) unpacked "$packed" "$name" cat ;;
			esac
			traces="$traces tests/traces/$name"
		done
	done
}

# The whole of one of them, 29 MB: $long.
need_long_trace()
{
	name=arm-own-matmul-naive-def.gpv.trc long=tests/traces/long.trc
	unpacked "$PIPEGLASS_TRACES/pipetrace/$name.xz" long.trc cat
}
