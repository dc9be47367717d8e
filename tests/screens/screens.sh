#!/bin/sh
# usage: screens.sh [NAME...]
# Golden screens: each line of cases is drawn by the headless renderer and compared with golden/NAME.
# A trace is one of the samples, or a path; files in the commands are named from the top folder.
# PIPEGLASS_UPDATE_GOLDEN=1 writes what is drawn instead (make update-golden).
set -eu
cd "$srcdir" # commands name files from there
srcdir=.
cases=$srcdir/tests/screens/cases
golden=$srcdir/tests/screens/golden
drawn=$(mktemp) || exit 99
trap 'rm -f "$drawn" "$drawn.err"' EXIT
failed=0 count=0

fail() # what
{
	echo "FAILED: $name: $1"
	failed=$((failed + 1))
}

# "a ; b" -> -c a -c b, run, and the status line of what it says
draw() # commands
{
	set -- "$1"
	rest=$1
	set --
	while [ -n "$rest" ]; do
		command=${rest%% ; *}
		set -- "$@" -c "$command"
		case $rest in
		*' ; '*) rest=${rest#* ; } ;;
		*) rest= ;;
		esac
	done
	case $trace in
	*/*) file=$srcdir/$trace ;;
	*) file=$srcdir/samples/$trace.trc.gz ;;
	esac
	"$PIPEGLASS" screen --no-cache -g "$size" --format "$format" --color "$color" "$@" "$file"
}

while IFS='	' read -r name size format color trace commands; do
	case $name in
	'' | '#'*) continue ;;
	esac
	if [ $# -gt 0 ]; then
		case " $* " in
		*" $name "*) ;;
		*) continue ;;
		esac
	fi
	count=$((count + 1))
	if ! draw "$commands" >"$drawn" 2>"$drawn.err" </dev/null; then
		fail "$(cat "$drawn.err")"
	elif [ -n "${PIPEGLASS_UPDATE_GOLDEN-}" ]; then
		mkdir -p "$golden"
		cat "$drawn" >"$golden/$name"
	elif ! diff -u "$golden/$name" "$drawn"; then
		fail "differs from golden/$name"
	fi
done <"$cases"

# A picture that no case draws any more is a lie about the program.
for file in "$golden"/*; do
	name=${file##*/}
	grep -q "^$name	" "$cases" || fail 'no such case'
done
echo "$count screens, $failed failed"
[ "$count" -gt 0 ] && [ "$failed" -eq 0 ]
