#!/bin/sh
# What is said of real memory traces is what an independent reader counts.
. "$srcdir/tests/real/lib.sh"
export PIPEGLASS
python3 "$here/functions.py" "$srcdir"/samples/*.c "$srcdir"/samples/record/*.c* "$srcdir"/src/base/*.c
command -v xz >/dev/null || skip 'xz is missing: install the Debian package xz-utils'
traces=
for name in vecadd1.trace vecadd1-mask.trace mp3d-bad.trace; do
	packed=$PIPEGLASS_TRACES/chiron/$name
	[ -e "$packed.xz" ] || skip "no $packed.xz (set PIPEGLASS_TRACES)"
	unpacked "$packed.files.xz" "whole-$name.files" cat
	unpacked "$packed.xz" "whole-$name" cat
	traces="$traces tests/traces/whole-$name"
done
cp "$PIPEGLASS_TRACES"/chiron/*.c* tests/traces/
chmod u+w tests/traces/*.c*
python3 "$here/functions.py" tests/traces/*.c*
python3 "$here/memory.py" $traces
python3 "$here/sharing.py" $traces
