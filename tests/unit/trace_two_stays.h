/*
 * A trace too long to be read for a picture, in which no stage is longer than the other: rows
 * born TWO_WIDTH a tick, each TWO_STAY ticks in F, then as many in X. Kanata, some 7 MB.
 */
#ifndef TESTS_UNIT_TRACE_TWO_STAYS_H
#define TESTS_UNIT_TRACE_TWO_STAYS_H

#include <stdio.h>

enum { TWO_ROWS = 64000, TWO_WIDTH = 32, TWO_STAY = 1000 };
enum { TWO_TICKS = TWO_ROWS / TWO_WIDTH + 2 * TWO_STAY };

/* What the rows born at a tick do later. */
static inline void two_stays_each(FILE *f, int tick, char what)
{
	if (tick < 0 || tick >= TWO_ROWS / TWO_WIDTH)
		return;
	for (int row = tick * TWO_WIDTH; row < (tick + 1) * TWO_WIDTH; row++)
		if (what == 'F')
			fprintf(f, "I\t%d\t%d\t0\nL\t%d\t0\tan operation told of at length\n"
				   "S\t%d\t0\tF\n", row, row, row, row);
		else if (what == 'X')
			fprintf(f, "S\t%d\t0\tX\n", row);
		else
			fprintf(f, "R\t%d\t%d\t0\n", row, row);
}

static inline void two_stays_write(FILE *f)
{
	fputs("Kanata\t0004\nC=\t0\n", f);
	for (int t = 0; t <= TWO_TICKS; t++) {
		two_stays_each(f, t, 'F');
		two_stays_each(f, t - TWO_STAY, 'X');
		two_stays_each(f, t - 2 * TWO_STAY, 'R');
		fputs("C\t1\n", f);
	}
}

#endif
