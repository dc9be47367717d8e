#!/bin/sh
# usage: embed.sh FILE... >embedded_data.c
# Writes the files as the byte arrays that src/base/embedded.h declares.
# A NUL follows each file's bytes, so that a text file can be used as a string.
set -eu

hex()
{
	od -An -v -tx1 "$1" | awk '{ gsub(/[0-9a-f]+/, "0x&,"); gsub(/ /, ""); print "\t" $0 }'
}

printf '#include "config.h"\n\n#include "base/embedded.h"\n'
n=0
for file; do
	printf '\nstatic const unsigned char bytes_%d[] = {\n' "$n"
	hex "$file"
	printf '\t0};\n'
	n=$((n + 1))
done

printf '\nconst struct embedded_file embedded_files[] = {\n'
n=0
for file; do
	printf '\t{"%s", bytes_%d, sizeof(bytes_%d) - 1},\n' "${file##*/}" "$n" "$n"
	n=$((n + 1))
done
printf '\t{NULL, NULL, 0},\n};\n'
