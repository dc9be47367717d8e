#!/bin/sh
# Reduced traces: against a program of its own, the machine cycle by cycle, and each other.
. "$srcdir/tests/real/lib.sh"
need_traces
python3 "$here/reduce.py" "$scratch" "$srcdir/samples" "$scratch"/traces/*
