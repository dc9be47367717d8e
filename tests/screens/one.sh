#!/bin/sh
# What there is one of is not called by its plural.
set -u
srcdir=$(cd "$srcdir" && pwd) || exit 99
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
failed=0

says() # a line of stdout, argument...
{
	line=$1
	shift
	"$PIPEGLASS" "$@" >out 2>/dev/null </dev/null
	if ! grep -qxF -e "$line" out; then
		echo "FAILED: $*: not '$line': $(cat out)"
		failed=$((failed + 1))
	fi
}

printf 'optrace 1\n10 - r1 r2\nwhat\n' >one
printf 'optrace 1\n10 - r1 r2\nwhat\n14 - r1 r2\nelse\n' >two
says '  1 line that is no instruction, left out' reduce one
says '  2 lines that are no instructions, left out' reduce two
says 'one: 1 instruction' depth --es 1 --gamma 9 one
says 'two: 2 instructions' depth --es 1 --gamma 9 two
[ "$failed" -eq 0 ]
