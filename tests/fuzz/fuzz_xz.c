/* Hostile xz data and hostile saved access points, in the manner of fuzz_gzip.c. */
#include "fuzz_zstd.c"
