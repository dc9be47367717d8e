#!/bin/sh
# An input that cannot be used is exit status 1, nothing on stdout, and one line on stderr:
# FILE[:LINE]: what, and what to do.
set -u
srcdir=$(cd "$srcdir" && pwd) || exit 99
scratch=$(mktemp -d) || exit 99
trap 'chmod 600 "$scratch"/*; rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
failed=0 count=0

refuse() # input, what stderr says, the line's beginning
{
	for command in info 'info --json' rows index screen; do
		count=$((count + 1))
		case $1 in
		fifo) : >fifo & ;;
		esac
		# shellcheck disable=SC2086
		"$PIPEGLASS" $command --no-cache "$1" >out 2>err </dev/null
		status=$?
		if [ "$status" -ne 1 ] || [ -s out ] || [ "$(wc -l <err)" -ne 1 ] ||
			! grep -qF -e "$2" err || ! grep -q "^$3: " err; then
			echo "FAILED: $command $1: status $status, not 1 with '$2': $(cat err)"
			failed=$((failed + 1))
		fi
	done
}

: >empty
: | gzip >empty.gz
head -c 15 "$srcdir/samples/sort-4wide.trc.gz" >cut.gz
mkdir folder
printf 'words\nof no trace\n' >words
printf '\n\n\n\n' >newlines
printf '\nIterations:        100\n\nDispatch Width:    6\nIPC: 0.7\nBlock RThroughput: 1.0\n' >mca
printf 'a\0b\1c\0\n\n\0' >binary
printf 'BZh91AY' >packed
printf 'SQLite format 3\0' >database
cp words closed
chmod 0 closed
mkfifo fifo
formats='pipetrace, kanata, o3pipeview, llvm-mca, optrace, perf-stat, gem5-stats, csv'
if "$PIPEGLASS" info database 2>&1 | grep -q 'built without'; then
	echo 'SKIPPED: pipeglass was built without SQLite'
	formats="$formats, akita-csv, pgtrace, chiron"
else
	formats="$formats, akita, akita-csv, pgtrace, chiron"
	refuse database 'cut within the first page of a database: get the file again' database
fi
refuse empty 'empty; check the program that wrote it' empty
refuse empty.gz 'empty; check the program that wrote it' empty.gz
refuse cut.gz 'gzip data cut at byte 15: the text ends there; get the file again' cut.gz
refuse /dev/null 'empty; check the program that wrote it' /dev/null
refuse - 'empty; check the program that wrote it' 'standard input'
refuse fifo 'empty; check the program that wrote it' fifo
refuse folder 'is a directory: give the file itself' folder
refuse missing 'No such file or directory: check its name and permissions' missing
refuse folder/missing 'No such file or directory: check its name and permissions' folder/missing
refuse words/in 'Not a directory: check its name and permissions' words/in
refuse words "not a trace pipeglass knows ($formats); name the format with --as" words:1
refuse newlines "not a trace pipeglass knows ($formats); name the format with --as" newlines:1
refuse binary "binary data, not a trace pipeglass knows ($formats); name the format with --as" binary:1
refuse mca 'no timeline as JSON in this output of llvm-mca: run it with --timeline and --json' mca:1
refuse packed 'bzip2 is not supported: bzip2 -dc FILE | pipeglass -' packed
if [ ! -r closed ]; then # root reads everything
	refuse closed 'Permission denied: check its name and permissions' closed
fi
echo "$count calls, $failed failed"
[ "$failed" -eq 0 ]
