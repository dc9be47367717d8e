#!/bin/sh
# Links of gem5 logs with the debug flag Rename: a renamer of our own, which knows who depends on
# whom, prints what gem5 would; what pipeglass makes of the text is what the renamer knows. And the
# words of a real gem5, with records between them.
. "$srcdir/tests/real/lib.sh"
export PIPEGLASS
set -- "$PIPEGLASS_TRACES"/o3pipeview/*nopipeview*.xz
if [ -e "$1" ] && command -v xz >/dev/null; then
	xz -dc "$1" >"$scratch/log"
	python3 "$here/renames.py" "$scratch" "$scratch/log"
else
	python3 "$here/renames.py" "$scratch"
fi
