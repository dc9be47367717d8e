#!/bin/sh
# Wrong usage is exit status 2 and one line on stderr, also when standard output is no terminal.
set -u
err=$(mktemp) || exit 99
trap 'rm -f "$err" "$err.out"' EXIT
failed=0 count=0

refuse() # what stderr says, argument...
{
	says=$1
	shift
	count=$((count + 1))
	"$PIPEGLASS" "$@" >"$err.out" 2>"$err" </dev/null
	status=$?
	if [ "$status" -ne 2 ] || [ -s "$err.out" ] || [ "$(wc -l <"$err")" -ne 1 ] || ! grep -qF -e "$says" "$err"; then
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
refuse 'ipc belongs to the whole trace, not to a component' series --metric ipc --component EX "$trace"
refuse '--ne' reduce --ne 0 "$trace"
refuse '--ns' reduce --ns 3..1 "$trace"
refuse 'give --ns or --ns-from' reduce --ns 3 --ns-from 1,1,1,2,0.5,3 "$trace"
refuse '--links: the trace has no links' reduce --links "$trace"
refuse '--links is for pipeline traces' reduce --links "$srcdir/samples/eigen.stats"
refuse '--times is for pipeline traces' reduce --times all=2 "$srcdir/samples/fig1.optrace"
refuse '--from and --to are for traces' reduce --from 1 "$srcdir/samples/eigen.stats"
refuse '--times' reduce --times swap=2 "$trace"
refuse 'a weight must be a number of at least 1' reduce "$trace=0"
refuse '--gamma' depth --es 1 "$trace"
refuse '--without and --set are for one file' why --without branch "$trace" "$trace"
refuse 'no such cause' series --metric why:rain "$trace"
refuse '--machine applies to --metric cpi0 only' series --metric why --machine r10000 "$trace"
refuse 'info: no file given' info
refuse 'index: no file given' index
refuse '--purge is for all files' index --purge "$trace"
refuse "info: unknown option '--no-such-option'" info --no-such-option "$trace"
refuse "'x' is not a tick" rows --from x "$trace"
refuse '--from 5 is after --to 2' rows --from 5 --to 2 "$trace"
refuse "'-1' is not a number" rows --limit -1 "$trace"
refuse 'rows takes one file' rows "$trace" "$trace"
refuse '--from needs a value: TICK' rows "$trace" --from
refuse '--metric NAME is missing' series "$trace"
refuse "unknown metric 'nothing'" series --metric nothing "$trace"
refuse "bad regular expression '*'" series --metric occupancy --component '*' "$trace"
refuse 'nothing-like-it' series --metric occupancy --component nothing-like-it "$trace"
refuse "--bins: '0' is not a number" series --metric ipc --bins 0 "$trace"
refuse "--threads: '0' is not a number" index --threads 0 "$trace"
refuse "unknown format 'klingon'" info --as klingon "$trace"
refuse "'80' is not COLSxROWS" screen -g 80 "$trace"
refuse "'0x0' is not COLSxROWS" screen -g 0x0 "$trace"
refuse "'png' is not text, ansi, html or svg" screen --format png "$trace"
refuse 'no such command: no-such-command' screen -c no-such-command "$trace"
refuse '--json takes no value' info --json=yes "$trace"
count=$((count + 1))
if ! "$PIPEGLASS" --help | grep -q 'Press F1 for help inside'; then
	echo 'FAILED: --help does not tell which key helps'
	failed=$((failed + 1))
fi
echo "$count calls, $failed failed"
[ "$failed" -eq 0 ]
