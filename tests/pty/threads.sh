#!/bin/sh
# Scripts that stop threads and let them go, of a program built with ThreadSanitizer (.ci/test): a
# race ends it with status 66, and is shown. The first one three times: races do not always show.
scripts=$srcdir/tests/pty/scripts
reports=tests/pty/threads.report
rm -f "$reports".*
TSAN_OPTIONS=log_path=$PWD/$reports tests/pty/test_scripts \
	"$scripts/interrupt-work.pty" "$scripts/interrupt-work.pty" "$scripts/interrupt-work.pty" \
	"$scripts/compare.pty" "$scripts/cpi0.pty" "$scripts/follow-file.pty" "$scripts/memory.pty"
status=$?
cat "$reports".* 2>/dev/null
exit $status
