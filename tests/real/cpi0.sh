#!/bin/sh
# CPI0: against a model and a machine of its own, the sample core's counters, and real traces.
. "$srcdir/tests/real/lib.sh"
need_traces 'pipetrace/*' 'kanata/*' 'o3pipeview/*-o3pipeview-*'
python3 "$here/cpi0.py" "$scratch" "$srcdir/samples" $traces
