/* What fuzzers have in common: what libFuzzer, or replay.c, calls; and what must hold. */
#ifndef PIPEGLASS_TESTS_FUZZ_H
#define PIPEGLASS_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static inline void demand(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

#endif
