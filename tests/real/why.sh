#!/bin/sh
# Why a run took so long: times given back, causes that add up, and what others measured again.
. "$srcdir/tests/real/lib.sh"
need_traces 'pipetrace/*' 'kanata/*' 'o3pipeview/gem5-o3pipeview-*'
# runs with a truth are read whole
for packed in "$PIPEGLASS_TRACES"/why/*.xz; do
	[ -e "$packed" ] || skip "no why/* in $PIPEGLASS_TRACES (set PIPEGLASS_TRACES)"
	name=${packed##*/}
	unpacked "$packed" "why-${name%.xz}" cat
	traces="$traces tests/traces/why-${name%.xz}"
done
python3 "$here/why.py" "$PIPEGLASS_TRACES/why" $traces
