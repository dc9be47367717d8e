#!/bin/sh
# Bad input, bad caches, bad disks; real traces damaged and cut.
. "$srcdir/tests/real/lib.sh"
mkdir "$scratch/hostile"
traces=
if command -v xz >/dev/null && [ -e "$PIPEGLASS_TRACES/pipetrace" ]; then
	need_traces 'pipetrace/*lswlr*' 'pipetrace/*cyc5000*' 'pipetrace/mixed*' 'pipetrace/arm2007*' \
		'pipetrace/*list-m4*'
fi
python3 "$here/hostile.py" "$scratch/hostile" $traces
