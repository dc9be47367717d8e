#!/bin/sh
# What `pipeglass export` writes, against what `pipeglass rows` says: Kanata logs read back, the
# JSON for Perfetto and the CSV read by other programs' readers; of real traces and hostile ones.
. "$srcdir/tests/real/lib.sh"
need_traces
drop_long_traces
for packed in "$PIPEGLASS_TRACES"/kanata/*.xz; do
	[ -e "$packed" ] || skip "no real Kanata logs in $PIPEGLASS_TRACES/kanata"
	name=${packed##*/}
	xz -dc "$packed" >"$scratch/traces/${name%.xz}"
done
for packed in "$PIPEGLASS_TRACES"/o3pipeview/*-o3pipeview-*.xz; do
	[ -e "$packed" ] || continue
	name=${packed##*/}
	xz -dc "$packed" >"$scratch/traces/${name%.xz}"
done
python3 "$here/export.py" "$scratch" "$scratch"/traces/*
