#!/bin/sh
# Bad input, bad caches, bad disks.
. "$srcdir/tests/real/lib.sh"
mkdir "$scratch/hostile"
set --
if command -v xz >/dev/null && [ -e "$PIPEGLASS_TRACES/pipetrace" ]; then
	need_traces
	set -- "$scratch"/traces/*lswlr* "$scratch"/traces/*cyc5000* "$scratch"/traces/mixed* \
		"$scratch"/traces/*list-m4* "$scratch"/traces/alpha-math-n1*
fi
python3 "$here/hostile.py" "$scratch/hostile" "$@"
