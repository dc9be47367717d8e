#!/bin/sh
# usage: rooms.sh [FOLDER]
# The arrows between rooms: a file in src/ROOM includes only rooms at or above its own, curses is
# included in src/term alone, and every .c includes config.h first. A kind of trace has its room and
# folders of its name in the rooms below: there alone its headers are included, and no kind knows
# another. A file that serves every kind says no kind's name, but for the tables with a line a kind.
# Without an argument the tree's own src is checked, and then that each kind of planted violation is
# found.
set -u

kinds='pipeline tasks memory counters'

# The tables that know every kind: of kinds, views, commands, subcommands, and options of the command line.
tables='
kinds.c
app/command.c
app/views.c
cmd/cmds.c
cmd/options.c
cmd/options.h
main.c
'

# Files that serve every kind and still know one. No file comes onto this list; whoever frees one
# strikes it out.
owed=''

check() # src folder, files that still know a kind
{
	find "$1" -name '*.[ch]' | LC_ALL=C sort | xargs awk -v top="$1/" -v kinds="$kinds" \
		-v tables=" $(echo $tables) " -v owed="$(echo $2)" '
	BEGIN {
		may["base"] = " base "
		may["libpgmem"] = " libpgmem simulator " # users link it
		may["libpgtrace"] = " " # users link it: nothing of ours but its header
		may["simulator"] = may["base"] "simulator " # what users link of it: in simulator.h
		may["isa"] = may["base"] "isa "
		may["source"] = may["base"] "source "
		may["trace"] = may["isa"] "source trace "
		n = split(kinds, kind)
		for (k = 1; k <= n; k++) {
			is_kind[kind[k]] = 1
			may[kind[k]] = may["trace"] kind[k] " "
		}
		may["kinds.c"] = may["trace"] kinds " "
		may["analysis"] = may["kinds.c"] "analysis "
		may["view"] = may["analysis"] "view "
		may["app"] = may["view"] "app "
		may["term"] = may["app"] "term "
		may["capture"] = may["source"] "capture simulator "
		may["cmd"] = may["app"] "cmd capture simulator "
		may["main.c"] = may["term"] "cmd "
		names = kinds
		gsub(" ", "|", names)
		names = "(^|[^A-Za-z0-9_])((" names ")_|(struct|enum) (" names ")[^A-Za-z0-9_]|\"(" names ")\")"
		n = split(owed, path, " ")
		for (k = 1; k <= n; k++) owes[path[k]] = 1
	}
	function wrong(what) { print FILENAME ":" FNR ": " what; bad = 1 }
	# A kind where none, or another one, is known.
	function known(kind, what) {
		if (of == kind || index(tables, " " file " ")) return
		if (of || !(file in owes)) wrong(what)
		else knows[file] = 1
	}
	# The kind whose room or folder a path lies in.
	function kind_of(path) {
		split(path, part, "/")
		return part[1] in is_kind ? part[1] : part[2] in is_kind ? part[2] : ""
	}
	FNR == 1 {
		room = file = substr(FILENAME, length(top) + 1)
		sub(/\/.*/, "", room)
		of = kind_of(file)
		first = FILENAME ~ /\.c$/
		if (!(room in may)) wrong("not in a known room")
		# what is older than the kinds has its words from elsewhere
		serves = !of && index(may[room], " trace ")
	}
	!/^[ \t]*#[ \t]*include/ {
		if (!serves || /^ *\* /) next
		sub(/\/\*.*/, "")
		if ($0 ~ names) known("any", "says the name of a kind, but serves every one")
		next
	}
	first {
		if (!/"config.h"/) wrong("config.h is not included first")
		first = 0
	}
	/[<"\/](n?cursesw?|term|panel|menu|form)\.h[>"]/ && !/"(app|term|view)\// && room != "term" {
		wrong("the terminal outside of src/term")
	}
	/"/ {
		split($0, quoted, "\"")
		target = quoted[2]
		if (target == "config.h" || target ~ /^pipeglass\//) next
		slash = index(target, "/")
		to = substr(target, 1, slash - 1)
		if (!slash || target ~ /\.\./) wrong("include \"" target "\" does not start at a room")
		else if (!index(may[room], " " to " ")) wrong(room " may not include " to)
		else if (kind_of(target)) known(kind_of(target), "knows a kind of trace: " target)
	}
	END {
		for (file in owes)
			if (!(file in knows)) {
				print file ": knows no kind of trace any more: strike it out in rooms.sh"
				bad = 1
			}
		exit bad
	}'
}

plant() # what is wrong, path, lines...
{
	what=$1 path=$scratch/src/$2
	shift 2
	rm -rf "$scratch/src"
	mkdir -p "${path%/*}"
	printf '%s\n' "$@" >"$path"
	if check "$scratch/src" ''; then
		echo "rooms.sh does not see: $what"
		exit 1
	fi
}

if [ $# -eq 1 ]; then
	check "$1" "$owed"
	exit
fi

echo "== the tree"
check "${srcdir:-$(dirname "$0")/../..}/src" "$owed" || exit 1

echo "== planted violations, each of which must be reported"
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
config='#include "config.h"'
plant 'a lower room' base/a.c "$config" '#include "pipeline/store.h"'
plant 'a room beside' cmd/a.c "$config" '#include "term/term.h"'
plant 'a room above all but base' isa/a.c "$config" '#include "source/source.h"'
plant 'a header downwards' view/a.h '#include "app/app.h"'
plant 'curses in a view' view/a.c "$config" '#include <curses.h>'
plant 'terminfo in app' app/a.c "$config" '#  include <ncursesw/term.h>'
plant 'config.h missing' base/a.c '#include <stdio.h>'
plant 'config.h late' base/a.c '#include <stdio.h>' "$config"
plant 'a relative include' trace/a.c "$config" '#include "../app/app.h"'
plant 'an include without a room' trace/a.c "$config" '#include "index.h"'
plant 'an unknown room' misc/a.c "$config"
plant 'a kind in a lower room' source/a.c "$config" '#include "pipeline/store.h"'
plant 'a kind in the contract' trace/a.h '#include "memory/index.h"'
plant 'a kind beside' tasks/a.c "$config" '#include "pipeline/store.h"'
plant 'a kind downwards' tasks/a.c "$config" '#include "view/tasks/gantt.h"'
plant 'a kind known to all' view/a.h '#include "counters/counters.h"'
plant 'its folder known to all' cmd/a.c "$config" '#include "view/pipeline/pipeview.h"'
plant 'the folder of another kind' view/memory/a.h '#include "view/tasks/gantt.h"'
plant 'another kind' app/counters/a.c "$config" '#include "pipeline/store.h"'
plant 'a kind asked for' app/a.c "$config" '	if (t->kind == &pipeline_kind)'
plant 'a kind asked for by name' term/a.c "$config" '	if (!strcmp(name, "memory"))'
plant 'a struct of a kind' cmd/a.h 'struct tasks;'

rm -rf "$scratch/src"
mkdir -p "$scratch/src/app"
echo '#include "view/a.h"' >"$scratch/src/app/a.h"
if check "$scratch/src" app/a.h; then
	echo 'rooms.sh does not see: a file that is owed no more'
	exit 1
fi
