#!/bin/sh
# On every real Kanata log: who held the head of the commit queue, against a count made tick by tick.
. "$srcdir/tests/real/lib.sh"
need_traces 'kanata/*'
python3 "$here/stalls.py" $traces
