#!/bin/sh
# CPI0: against a model and a machine of its own, the sample core's counters, and real traces.
. "$srcdir/tests/real/lib.sh"
need_traces
for packed in "$PIPEGLASS_TRACES"/kanata/*.xz "$PIPEGLASS_TRACES"/o3pipeview/*-o3pipeview-*.xz; do
	[ -e "$packed" ] || continue
	name=${packed##*/}
	xz -dc "$packed" >"$scratch/traces/${name%.xz}"
done
python3 "$here/cpi0.py" "$scratch" "$srcdir/samples" "$scratch"/traces/*
