#!/bin/sh
# The user's files of commands: batch commands run their lines that set something for traces, also of
# files that they source, and no others; slips are told as FILE:LINE: what.
# So they take the limit of the cache, which `index --purge` empties.
set -u
srcdir=$(cd "$srcdir" && pwd) || exit 99
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
trace=$srcdir/samples/sort-4wide.trc.gz
mkdir "$scratch/pipeglass"
XDG_CONFIG_HOME=$scratch
export XDG_CONFIG_HOME
config=$scratch/pipeglass/config
failed=0 count=0

# Standard output of a call holds a text, and standard error so many lines with another.
says() # text, lines, text of stderr, argument...
{
	text=$1 lines=$2 told=$3
	shift 3
	count=$((count + 1))
	if ! "$PIPEGLASS" "$@" "$trace" >"$scratch/out" 2>"$scratch/err" </dev/null ||
		! grep -qF -e "$text" "$scratch/out" || [ "$(wc -l <"$scratch/err")" -ne "$lines" ] ||
		! { [ -z "$told" ] || grep -qF -e "$told" "$scratch/err"; }; then
		echo "FAILED: $*: no '$text', or not $lines lines with '$told': $(cat "$scratch/err")"
		failed=$((failed + 1))
	fi
}

cat >"$config" <<END
# about the screen, wrong too
set no-such-option 3
bind main <F9> next event nosuch
no such command
set pan 50 ; event cache-miss m
source $scratch/more
END
printf 'set pan far\nevent boom b 9 0x008\nsource %s\n' "$scratch/deeper" >"$scratch/more"
printf '\n\n  stage XX Y 3\r\n' >"$scratch/deeper"
says '"name":"boom"' 3 "$config:4: no such command: no" info --no-cache --json
says '"name":"XX"' 3 "$scratch/more:1: " stalls --no-cache --json
says '"name":"mispredict-detected"' 0 '' info --no-cache --json --config=none
says '"name":"boom"' 3 '' info --no-cache --json --config="$config"

# The same lines at the screen, which hears of all of it.
says 'row 0 of' 3 "$config:4: no such command: no" screen --no-cache --config="$config"
says 'row 0 of' 3 "$config:2: no-such-option: no such option" screen --no-cache --config="$config"
says 'row 0 of' 3 "$scratch/more:1: " screen --no-cache --config="$config"

printf 'stage IF\nstage IF ff\nsource %s\nevent a b 99\n' "$scratch/absent" >"$config"
says '"name":"IF"' 4 "$config:2: not one printable ASCII letter: ff" stalls --no-cache --json
says '"name":"IF"' 4 "$config:3: $scratch/absent: No such file" stalls --no-cache --json
printf 'source %s\n' "$config" >"$config"
says '"name":"IF"' 1 'nested more than' stalls --no-cache --json
rm "$config"
printf 'event boom b 9 0x008\n' >"$scratch/pipeglass/keys"
says '"name":"boom"' 0 '' info --no-cache --json

count=$((count + 1))
"$PIPEGLASS" info --config="$scratch/absent" "$trace" >"$scratch/out" 2>"$scratch/err"
status=$?
if [ "$status" -ne 1 ] || [ -s "$scratch/out" ] || ! grep -q 'absent: No such file' "$scratch/err"; then
	echo "FAILED: a configuration that was asked for and is not there: $(cat "$scratch/err")"
	failed=$((failed + 1))
fi

# Below the limit of the cache there is room for one of these indexes; the screen keeps its own open.
cache=$scratch/cache
mkdir "$scratch/copies"
for i in 1 2 3; do cp "$trace" "$scratch/copies/$i.trc.gz"; done
demand() # what, is, wanted
{
	count=$((count + 1))
	[ "$2" = "$3" ] && return
	echo "FAILED: $1: $2, not $3"
	failed=$((failed + 1))
}
indexes() # how many there are after a subcommand, options
{
	of=$1 command=$2
	shift 2
	"$PIPEGLASS" "$command" --config=none --cache-dir "$cache" "$@" "$scratch/copies/$of.trc.gz" >"$scratch/out"
	find "$cache" -name '*.idx' | wc -l
}
printf 'set cache-limit 150k\n' >"$scratch/limit"
demand 'indexes below the limit' "$(indexes 1 index)$(indexes 2 index)$(indexes 3 index)" 123
demand 'indexes, when one of three comes from the cache' "$(indexes 1 index --config="$scratch/limit")" 3
rm "$cache"/*
demand 'indexes at the limit' "$(indexes 1 index)$(indexes 2 index --config="$scratch/limit")" 11
demand 'indexes of the screen' "$(indexes 3 screen --config="$scratch/limit")" 1
demand 'indexes of a screen with a limit that is typed' "$(indexes 1 screen)$(indexes 1 screen -c 'set cache-limit 1k')" 21
printf 'set cache-limit 5\n' >"$scratch/limit"
demand 'indexes with a limit that is none' "$(indexes 2 index --config="$scratch/limit" 2>"$scratch/err")" 2
demand 'what is said of it' "$(cut -d' ' -f2-6 "$scratch/err")" "$scratch/limit:1: cache-limit must be a"
demand 'what is said of sizes' "$(grep -c ', as 500M or 8G, not 5' "$scratch/err")" 1
size=$(find "$cache" -name '*.idx' -printf '%s\n' | awk '{ sum += $1 } END { print sum }')
touch "$cache/notes"
demand 'what was removed' "$("$PIPEGLASS" index --purge --json --cache-dir "$cache")" \
	"{\"files\":2,\"bytes\":$size,\"in_use\":0}"
demand 'what is left' "$(ls "$cache")" notes
demand 'what is removed then' "$("$PIPEGLASS" index --purge --cache-dir "$cache")" 'removed 0 files, 0 bytes'

# The traces of a folder, by content, names as people sort them and harmless; no FIFO is opened.
mkdir "$scratch/folder"
cp "$srcdir/samples/fig1.optrace" "$scratch/folder/t10"
cp "$srcdir/samples/fig1.optrace" "$scratch/folder/t9"
gzip -c "$srcdir/samples/fig1.optrace" >"$scratch/folder/$(printf 't1\033[31m')"
cp "$srcdir/README.md" "$scratch/folder/t2"
mkfifo "$scratch/folder/t3"
count=$((count + 1))
seen=$(cd "$scratch/folder" && "$PIPEGLASS" screen --config=none --no-cache -c 'open pane traces' t9 |
	sed -n 's/.*optrace  *[0-9]* B .*:[0-9][0-9]  \([^ ]*\).*/\1/p' | tr '\n' ' ')
if [ "$seen" != 't1�[31m t9 t10 ' ]; then
	echo "FAILED: the traces of a folder are: $seen"
	failed=$((failed + 1))
fi
echo "$count calls, $failed failed"
[ "$failed" -eq 0 ]
