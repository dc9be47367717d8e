#!/bin/sh
# Links of gem5 logs with the debug flag Rename: a renamer of our own, which knows who depends on
# whom, prints what gem5 would; what pipeglass makes of the text is what the renamer knows. And the
# words of a real gem5, with records between them.
. "$srcdir/tests/real/lib.sh"
need_traces 'o3pipeview/*nopipeview*'
export PIPEGLASS
python3 "$here/renames.py" "$scratch" $traces
