#!/bin/sh
# The man page in the tree is what the program writes (`make man`); the title line's version may differ.
set -u
body()
{
	grep -v '^\.TH '
}
made=$(mktemp) || exit 99
trap 'rm -f "$made"' EXIT
"$PIPEGLASS" --generate-man >"$made" || exit 1
body <"$made" >"$made.body"
trap 'rm -f "$made" "$made.body"' EXIT
if ! body <"$srcdir/pipeglass.1" | diff -u - "$made.body"; then
	echo 'pipeglass.1 is out of date: run make man'
	exit 1
fi
