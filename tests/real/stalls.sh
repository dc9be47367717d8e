#!/bin/sh
# On every real Kanata log: who held the head of the commit queue, against a count made tick by tick.
. "$srcdir/tests/real/lib.sh"
command -v xz >/dev/null || skip 'xz is missing: install the Debian package xz-utils'
set -- "$PIPEGLASS_TRACES"/kanata/*.xz
[ -e "$1" ] || skip "no Kanata logs in $PIPEGLASS_TRACES/kanata (set PIPEGLASS_TRACES)"
mkdir "$scratch/logs"
for packed; do
	name=${packed##*/}
	xz -dc "$packed" >"$scratch/logs/${name%.xz}"
done
python3 "$here/stalls.py" "$scratch"/logs/*
