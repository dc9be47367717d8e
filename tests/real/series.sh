#!/bin/sh
# On every real pipetrace, and a log that says cycles in parts: curves against counts tick by tick.
. "$srcdir/tests/real/lib.sh"
need_traces
drop_long_traces
xz -dc "$PIPEGLASS_TRACES"/kanata/series-leaf-edge.kanata.xz >"$scratch/again.kanata"
python3 "$here/series.py" "$scratch"/traces/* "$scratch/again.kanata"
