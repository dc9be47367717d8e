#!/bin/sh
# Wrong usage is exit status 2 and one line on stderr, also when standard output is no terminal.
set -u
err=$(mktemp) || exit 99
trap 'rm -f "$err"' EXIT
failed=0 count=0

refuse() # what stderr says, argument...
{
	says=$1
	shift
	count=$((count + 1))
	"$PIPEGLASS" "$@" >/dev/null 2>"$err" </dev/null
	status=$?
	if [ "$status" -ne 2 ] || [ "$(wc -l <"$err")" -ne 1 ] || ! grep -qF -e "$says" "$err"; then
		echo "FAILED: $*: status $status, not 2 with '$says': $(cat "$err")"
		failed=$((failed + 1))
	fi
}

trace=$srcdir/samples/daxpy-4wide.trc.gz
refuse "'emacs' is not default, vi, less or konata" --keymap emacs "$trace"
refuse "'' is not default" --keymap= "$trace"
refuse "'default.palette' is not default" --keymap default.palette "$trace"
refuse "unknown format 'x'" --as x "$trace"
refuse "'pink' is not auto" --color pink "$trace"
refuse "'0' is not a number from 1" --threads 0 "$trace"
refuse "unknown option '--nonsense'" --nonsense "$trace"
refuse 'no trace given'
refuse 'ipc is of the whole trace, not of a component' series --metric ipc --component EX "$trace"
refuse '--ne' reduce --ne 0 "$trace"
refuse '--ns' reduce --ns 3..1 "$trace"
refuse 'either --ns or --ns-from' reduce --ns 3 --ns-from 1,1,1,2,0.5,3 "$trace"
refuse '--links: the trace has none' reduce --links "$trace"
refuse '--links is for pipeline traces' reduce --links "$srcdir/samples/eigen.stats"
refuse '--times is for pipeline traces' reduce --times all=2 "$srcdir/samples/fig1.optrace"
refuse '--from and --to are for traces' reduce --from 1 "$srcdir/samples/eigen.stats"
refuse '--times' reduce --times swap=2 "$trace"
refuse 'a weight is a number from 1 on' reduce "$trace=0"
refuse '--gamma' depth --es 1 "$trace"
count=$((count + 1))
if ! "$PIPEGLASS" --help | grep -q 'Press F1 for help inside'; then
	echo 'FAILED: --help does not tell which key helps'
	failed=$((failed + 1))
fi
echo "$count calls, $failed failed"
[ "$failed" -eq 0 ]
