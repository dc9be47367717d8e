/*
 * Mapped pages that vanish: a truncated file, a disk that fails.
 *
 * Touching such a page raises SIGBUS. For a watched range the handler puts a page of zero
 * bytes there, counts it and returns; the reader goes on and asks source_faults() later. Any
 * other SIGBUS goes where it went before the first sigbus_watch(), so a handler of the
 * program's own must be installed earlier. Watching and forgetting take no lock and cost
 * O(ranges watched), a few dozen at most.
 */
#ifndef PIPEGLASS_SOURCE_SIGBUS_H
#define PIPEGLASS_SOURCE_SIGBUS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Watch the pages [base, base + len); *faults counts. False: out of memory. */
bool sigbus_watch(const void *base, size_t len, _Atomic uint64_t *faults);

/* To be called before the range is unmapped. */
void sigbus_forget(const void *base);

#endif
