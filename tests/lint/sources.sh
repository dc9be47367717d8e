#!/bin/sh
# Every .c and .h of the tree is in a list of Makefile.am, and no list is out of order.
# A test program is listed without its .c. Any path of the form FOLDER/NAME counts.
cd "${srcdir:-$(dirname "$0")/../..}" || exit 99

listed=$(tr -s ' \t\\' '\n' <Makefile.am | sort -u)
status=0
for file in $(find src include tests samples -name '*.[ch]' | LC_ALL=C sort); do
	case $file in
	src/base/embedded_data.c) continue ;; # generated, when built in place
	esac
	if ! printf '%s\n' "$listed" | grep -qxF -e "$file" -e "${file%.c}"; then
		echo "$file: not in Makefile.am"
		status=1
	fi
done

LC_ALL=C awk '
	/=[ \t]*\\$/ { last = ""; sorted = $1 != "rooms" && $1 != "embedded" && !/^AM_/; next }
	sorted && /^\t[a-z.][^ $]*( \\)?$/ {
		if ($1 <= last) { print FILENAME ":" FNR ": " $1 " is out of order"; bad = 1 }
		last = $1
	}
	!/\\$/ { sorted = 0 }
	END { exit bad }' Makefile.am || status=1
exit $status
