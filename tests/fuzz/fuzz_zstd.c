/*
 * Hostile zstd data and hostile saved access points, in the manner of fuzz_gzip.c. More text is
 * compared, so that some lies far behind an access point.
 */
#define TEXT_MOST (11 << 20)
#include "fuzz_gzip.c"
