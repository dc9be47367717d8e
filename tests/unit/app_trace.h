/*
 * A small pipeline trace for the tests of the app: TRACE_ROWS instructions, one every second
 * cycle, each IF DA EX WB CT a cycle apart.
 *
 * Row i has pc 0x1000 + 4 * (i % 16) and text by i % 4 (add, ldr, bne, str). Rows with
 * i % 10 == 3 are squashed in their third cycle; those with i % 10 == 7 miss the cache in EX
 * and stay there for MISS_CYCLES. Row GAP_ROW and what follows come GAP_CYCLES later.
 */
#ifndef TESTS_UNIT_APP_TRACE_H
#define TESTS_UNIT_APP_TRACE_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRACE_ROWS = 200, MISS_CYCLES = 30, GAP_ROW = 50, GAP_CYCLES = 100, TRACE_END = 600 };

static inline int trace_birth(int row)
{
	return row * 2 + (row >= GAP_ROW ? GAP_CYCLES : 0);
}

static inline void trace_stage(FILE *f, int row, int cycle)
{
	static const char *const stages[] = {"DA", "EX", "WB", "CT"};
	int age = cycle - trace_birth(row);
	int miss = row % 10 == 7;

	if (age > 2 && miss)
		age = age < 2 + MISS_CYCLES ? -1 : age - MISS_CYCLES + 1;
	if (row % 10 == 3 && age == 2)
		fprintf(f, "- %d\n", row);
	if (age < 1 || age > 4 || (row % 10 == 3 && age > 1))
		return;
	fprintf(f, "* %d %s 0x%08x\n", row, stages[age - 1], age == 2 && miss ? 1u : 0u);
	if (age == 4)
		fprintf(f, "- %d\n", row);
}

static inline void trace_write(FILE *f, int rows)
{
	static const char *const texts[] = {"add r1,r2,r3", "ldr r4,[r5]", "bne 0x40",
					    "str r4,[r5]"};

	for (int cycle = 0; cycle < TRACE_END; cycle++) {
		fprintf(f, "@ %d\n", cycle);
		for (int row = 0; row < rows; row++)
			trace_stage(f, row, cycle);
		for (int row = 0; row < rows; row++)
			if (trace_birth(row) == cycle)
				fprintf(f, "+ %d 0x%08x 0x00000000 %s\n* %d IF 0x00000000\n", row,
					0x1000u + 4u * (unsigned)(row % 16), texts[row % 4], row);
	}
}

/* Replaces path. */
static inline void trace_make(const char *path, int rows)
{
	FILE *f = fopen(path, "w");

	if (!f)
		abort();
	trace_write(f, rows);
	if (fclose(f))
		abort();
}

#endif
