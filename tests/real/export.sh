#!/bin/sh
# What `pipeglass export` writes, against what `pipeglass rows` says: Kanata logs read back, the
# JSON for Perfetto and the CSV read by other programs' readers; of real traces and hostile ones.
. "$srcdir/tests/real/lib.sh"
need_traces 'pipetrace/*' 'kanata/*' 'o3pipeview/*-o3pipeview-*'
python3 "$here/export.py" "$scratch" $traces
