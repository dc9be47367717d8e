#!/bin/sh
# Kanata logs: every row, label, link and count equals what an independent reading of the log gives.
. "$srcdir/tests/real/lib.sh"
mkdir "$scratch/made" "$scratch/logs"
set --
for log in "$PIPEGLASS_TRACES"/kanata/*.xz; do
	[ -e "$log" ] || continue
	name=$(basename "$log" .xz)
	xz -dc "$log" >"$scratch/logs/$name"
	set -- "$@" "$scratch/logs/$name"
done
[ $# -gt 0 ] || echo "no real Kanata logs: that part is skipped"
python3 "$here/kanata.py" "$scratch/made" "$@"
