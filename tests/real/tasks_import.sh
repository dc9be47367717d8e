#!/bin/sh
# Real traces of tasks: what info counts is what SQLite, or a reader of its own, counts; before and
# from the cache. The files are as they were, and nothing lies beside them.
. "$srcdir/tests/real/lib.sh"
command -v xz >/dev/null || skip 'xz is missing: install the Debian package xz-utils'
python3 -c 'import sqlite3' 2>/dev/null || skip 'python3 has no sqlite3: install the Debian package libsqlite3-0'
traces=
for packed in "$PIPEGLASS_TRACES"/daisen/*.xz; do
	[ -e "$packed" ] || skip "no daisen/*.xz in $PIPEGLASS_TRACES (set PIPEGLASS_TRACES)"
	name=whole-${packed##*/}
	unpacked "$packed" "${name%.xz}" cat
	traces="$traces tests/traces/${name%.xz}"
done
export PIPEGLASS
# shellcheck disable=SC2086
python3 "$here/tasks_import.py" $traces
