#!/bin/sh
# usage: bounded.sh .../fuzz_NAME, or any other test, which is run as it is
# Replay the seed corpus of one libFuzzer program, then fuzz it for FUZZ_SECONDS (2).
# What it finds, and inputs that crash it, stay in tests/fuzz/found/NAME of the build.
set -eu
case $1 in
*/fuzz_*) ;;
*) exec "$@" ;;
esac
name=${1##*/fuzz_}
seeds=$srcdir/tests/fuzz/corpus/$name
found=tests/fuzz/found/$name
mkdir -p "$found"
# libFuzzer's own exit status for a crash, 77, would count as a skipped test.
fuzz()
{
	"$@" -error_exitcode=1 -timeout=20 -timeout_exitcode=1 -rss_limit_mb=2048 \
		-artifact_prefix="$found/" || exit 1
}
fuzz "$1" -runs=0 "$seeds"
fuzz "$1" -max_total_time="${FUZZ_SECONDS:-2}" "$found" "$seeds"
