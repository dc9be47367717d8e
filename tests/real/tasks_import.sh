#!/bin/sh
# Real traces of tasks: what info counts is what SQLite, or a reader of its own, counts; before and
# from the cache. The files are as they were, and nothing lies beside them.
. "$srcdir/tests/real/lib.sh"
need_sqlite
# Of two runs that were written alike, one.
need_traces 'daisen/akita*' 'daisen/real_v3*' 'daisen/real_v4_mgpusim*' 'daisen/*_dispatch_fast*' 'daisen/real_v5*'
export PIPEGLASS
# shellcheck disable=SC2086
python3 "$here/tasks_import.py" $traces
