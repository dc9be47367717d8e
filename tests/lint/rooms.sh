#!/bin/sh
# usage: rooms.sh [FOLDER]
# The arrows between rooms: a file in src/ROOM includes only rooms at or above its own, curses is
# included in src/term alone, and every .c includes config.h first. Without an argument the tree's
# own src is checked, and then that each kind of planted violation is found.
set -u

check() # src folder
{
	find "$1" -name '*.[ch]' | LC_ALL=C sort | xargs awk -v top="$1/" '
	BEGIN {
		may["base"] = " base "
		may["isa"] = may["base"] "isa "
		may["source"] = may["isa"] "source "
		may["trace"] = may["source"] "trace "
		may["pipeline"] = may["trace"] "pipeline "
		may["analysis"] = may["pipeline"] "analysis "
		may["view"] = may["analysis"] "view "
		may["app"] = may["view"] "app "
		may["term"] = may["app"] "term "
		may["cmd"] = may["app"] "cmd "
		may["main.c"] = may["term"] "cmd "
	}
	function wrong(what) { print FILENAME ":" FNR ": " what; bad = 1 }
	FNR == 1 {
		room = substr(FILENAME, length(top) + 1)
		sub(/\/.*/, "", room)
		first = FILENAME ~ /\.c$/
		if (!(room in may)) wrong("not in a known room")
	}
	!/^[ \t]*#[ \t]*include/ { next }
	first {
		if (!/"config.h"/) wrong("config.h is not included first")
		first = 0
	}
	/[<"\/](n?cursesw?|term|panel|menu|form)\.h[>"]/ && !/"(app|term|view)\// && room != "term" {
		wrong("curses outside of src/term")
	}
	/"/ {
		split($0, part, "\"")
		if (part[2] == "config.h" || part[2] ~ /^pipeglass\//) next
		slash = index(part[2], "/")
		target = substr(part[2], 1, slash - 1)
		if (!slash || part[2] ~ /\.\./) wrong("include \"" part[2] "\" does not start at a room")
		else if (!index(may[room], " " target " ")) wrong(room " may not include " target)
	}
	END { exit bad }'
}

plant() # what is wrong, path, lines...
{
	what=$1 path=$scratch/src/$2
	shift 2
	rm -rf "$scratch/src"
	mkdir -p "${path%/*}"
	printf '%s\n' "$@" >"$path"
	if check "$scratch/src"; then
		echo "rooms.sh does not see: $what"
		exit 1
	fi
}

if [ $# -eq 1 ]; then
	check "$1"
	exit
fi

echo "== the tree"
check "${srcdir:-$(dirname "$0")/../..}/src" || exit 1

echo "== planted violations, each of which must be reported"
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
config='#include "config.h"'
plant 'a lower room' base/a.c "$config" '#include "pipeline/store.h"'
plant 'a room beside' cmd/a.c "$config" '#include "term/term.h"'
plant 'a room above all but base' isa/a.c "$config" '#include "source/source.h"'
plant 'a header downwards' view/a.h '#include "app/app.h"'
plant 'curses in a view' view/a.c "$config" '#include <curses.h>'
plant 'ncursesw in app' app/a.c "$config" '#  include <ncursesw/curses.h>'
plant 'config.h missing' base/a.c '#include <stdio.h>'
plant 'config.h late' base/a.c '#include <stdio.h>' "$config"
plant 'a relative include' trace/a.c "$config" '#include "../app/app.h"'
plant 'an include without a room' trace/a.c "$config" '#include "index.h"'
plant 'an unknown room' misc/a.c "$config"
