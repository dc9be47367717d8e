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

# For databases: pipeglass reads them, and so does python.
need_sqlite()
{
	python3 -c 'import sqlite3' 2>/dev/null || skip 'python3 has no sqlite3'
	printf 'SQLite format 3\0' >"$scratch/cut.sqlite3"
	! "$PIPEGLASS" info "$scratch/cut.sqlite3" 2>&1 | grep -q 'built without' ||
		skip 'pipeglass was built without SQLite'
}

# Whole lines of the first 2.5 MiB, which are two pieces of what threads read: half a record would
# not be counted alike by everybody.
beginning()
{
	python3 -c '
import sys
most = 5 << 19
text = sys.stdin.buffer.read(most + 1)
if len(text) > most:
    text = text[: text.rindex(b"\n") + 1]
sys.stdout.buffer.write(text)'
}

# Unpack real traces; $traces are their paths. Of long ones the beginning is read.
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
			*.sqlite3 | *.csv) unpacked "$packed" "$name" cat ;; # half of one is none
			*) unpacked "$packed" "$name" beginning ;;
			esac
			traces="$traces tests/traces/$name"
		done
	done
}

# The whole of long ones: tests/traces/whole-NAME.
need_whole_traces() # name in the folder of pipetraces...
{
	for name; do
		unpacked "$PIPEGLASS_TRACES/pipetrace/$name.xz" "whole-$name" cat
	done
}
