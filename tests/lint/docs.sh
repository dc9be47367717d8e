#!/bin/sh
# usage: docs.sh [DOCUMENT...]
# Every picture in the documents is what the program draws now. In a fenced block, a line
# "$ pipeglass ..." is run in a folder of its own beside samples (a \ at its end goes on in the next
# line) and the lines below it must be what it says. In a table whose first heading is "type", the keys of each row
# are typed after those above it, into the sample that the last line "pipeglass samples/..." opened,
# and the screen must then hold the text in the last column.
# PIPEGLASS_UPDATE_GOLDEN=1 rewrites the output in the documents; the tables are written by hand.
set -u
top=${srcdir:-$(dirname "$0")/../..}
cd "$top" || exit 99
scratch=$(mktemp -d) || exit 99
mkdir "$scratch/run" && ln -s "$PWD/samples" "$scratch/run" || exit 99
trap 'rm -rf "$scratch"' EXIT
pictures=0 steps=0 failed=0 sample=

# What `eval` of a document's line runs.
pipeglass()
{
	"$PIPEGLASS" "$@"
}

fail() # what
{
	echo "$document: $1"
	failed=$((failed + 1))
}

run_picture() # command
{
	pictures=$((pictures + 1))
	(cd "$scratch/run" && eval "$1") </dev/null >"$scratch/out" 2>&1 || fail "$1: $(cat "$scratch/out")"
	sed 's/ *$//' "$scratch/out"
}

# The screen after a row of a table; $@ are the keys so far, as -c "keys ..."
check_step() # text, option...
{
	text=$1
	shift
	steps=$((steps + 1))
	"$PIPEGLASS" screen -g 80x24 "$@" "$sample" </dev/null >"$scratch/screen" 2>&1
	if ! grep -qF -e "$text" "$scratch/screen"; then
		fail "step $keys: no '$text' in"
		cat "$scratch/screen"
	fi
}

# stdin: a document; fd 3: the same with its pictures drawn again
redraw()
{
	fenced= skipping= table=
	while IFS= read -r line; do
		case $line in
		'```'*)
			[ -n "$fenced" ] && fenced= || fenced=yes
			skipping=
			;;
		'$ pipeglass '*)
			if [ -n "$fenced" ]; then
				command=${line#??}
				printf '%s\n' "$line" >&3
				while [ "${command%\\}" != "$command" ] && IFS= read -r line; do
					printf '%s\n' "$line" >&3
					command=${command%\\}$line
				done
				run_picture "$command" >&3
				skipping=yes
				continue
			fi
			;;
		'$ '*) skipping= ;;
		'pipeglass samples/'*.gz) sample=${line#pipeglass } ;;
		'| type |'*)
			table=yes
			set --
			;;
		'| `'*)
			if [ -n "$table" ]; then
				keys=${line#*\`} text=${line%\`*}
				keys=${keys%%\`*} text=${text##*\`}
				set -- "$@" -c "keys $keys"
				check_step "$text" "$@"
			fi
			;;
		'|'*) ;;
		*) table= ;;
		esac
		[ -n "$skipping" ] || printf '%s\n' "$line" >&3
	done
}

check() # document
{
	document=$1
	redraw <"$document" 3>"$scratch/new" || fail 'could not be read'
	cmp -s "$document" "$scratch/new" && return
	if [ -n "${PIPEGLASS_UPDATE_GOLDEN-}" ] && [ "$document" != "$scratch/planted" ]; then
		cat "$scratch/new" >"$document"
	else
		diff -u "$document" "$scratch/new"
		fail 'a picture differs from what the program draws'
	fi
}

if [ $# -eq 0 ]; then
	set -- README.md samples/README.md samples/tutorial-*.md
fi
for name; do
	case $name in
	*-capture.md)
		command -v gcc >/dev/null && command -v g++ >/dev/null &&
			grep -q 'define HAVE_LIBDW 1' "${PIPEGLASS%/*}/config.h" || {
			echo "skipped: $name needs gcc, g++ and libdw"
			continue
		}
		;;
	esac
	check "$name"
done
echo "$pictures pictures, $steps steps, $failed failed"
[ "$pictures" -gt 0 ] && [ "$steps" -gt 0 ] && [ "$failed" -eq 0 ] || exit 1

echo '== a planted wrong picture and a planted wrong step, which must both be reported'
cat >"$scratch/planted" <<'END'
```
$ pipeglass series --metric ipc --bins 1 samples/sort-4wide.trc.gz
a lie
```
pipeglass samples/sort-4wide.trc.gz

| type | meaning | see |
|---|---|---|
| `G` | the last row | `row 0 of` |
END
check "$scratch/planted" >/dev/null
if [ "$failed" -ne 2 ]; then
	echo "docs.sh reported $failed of 2"
	exit 1
fi
