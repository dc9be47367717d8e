#!/bin/sh
# What `sharing` says of shared memory is what the text of real traces says, counted anew.
. "$srcdir/tests/real/lib.sh"
export PIPEGLASS
need_traces chiron/vecadd1.trace.files chiron/vecadd1.trace chiron/mp3d-bad.trace.files \
	chiron/mp3d-bad.trace chiron/vecadd1-mask.trace
for trace in $traces; do
	case $trace in
	*.trace) python3 "$here/sharing.py" "$trace" ;;
	esac
done
