#!/bin/sh
# usage: regenerate.sh SAMPLECORE [FOLDER]
# Writes the bundled samples, byte for byte the same each time, into FOLDER (default: beside this script).
set -eu
samplecore=${1:?usage: regenerate.sh SAMPLECORE [FOLDER]}
folder=${2:-$(dirname "$0")}

sample()
{
	"$samplecore" --width "$2" --counters "$folder/$1-$2wide.counters" \
		--output "$folder/$1-$2wide.trc" "$1" 2> /dev/null
	gzip -9nf "$folder/$1-$2wide.trc"
}

sample list 2
sample daxpy 4
sample matmul 4
sample matmul-blocked 4
sample sort 2
sample sort 4
sample sort-branchless 2

# the same run as sort-2wide.trc.gz, as gem5 would have told it
"$samplecore" --width 2 --gem5 --counters /dev/null --output "$folder/sort-2wide.o3pipeview" sort 2> /dev/null
gzip -9nf "$folder/sort-2wide.o3pipeview"
