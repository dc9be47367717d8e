#!/bin/sh
# Functions and source lines of a program compiled here, against nm and addr2line; and damaged ones.
. "$srcdir/tests/real/lib.sh"
for tool in "${CC:=cc}" nm addr2line strip; do
	command -v "${tool%% *}" >/dev/null || skip "$tool is missing: install the Debian package gcc"
done
printf '@ 1\n+ 1 0x1000 0x0 nop\n@ 2\n- 1\n' >"$scratch/one.trc"
status=0
"$PIPEGLASS" stalls --binary "$PIPEGLASS" "$scratch/one.trc" >"$scratch/out" 2>"$scratch/err" || status=$?
if grep -q 'built without libdw' "$scratch/err"; then
	[ "$status" -eq 1 ] && [ "$(wc -l <"$scratch/err")" -eq 1 ] && [ ! -s "$scratch/out" ] || exit 1
	skip "$(cat "$scratch/err")"
fi
python3 "$here/binary.py" "$scratch"
