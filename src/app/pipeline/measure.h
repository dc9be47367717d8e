/*
 * The distance between two cells: cycles, rows, committed instructions and IPC.
 *
 * Of the time between them what the trace has counts (analysis/interval.h), in the length as well as
 * in the rate. The commit count is exact (store_series over one bin); O(log n).
 */
#ifndef PIPEGLASS_APP_PIPELINE_MEASURE_H
#define PIPEGLASS_APP_PIPELINE_MEASURE_H

#include "app/tab.h"

struct distance {
	int64_t length;    /* in units of axis_unit() */
	uint64_t rows;     /* of those shown */
	double ipc;        /* a cycle; NaN: none */
	int64_t committed; /* -1: not known */
};

/* Ticks [t0, t1) and rows between the two, whatever their order. */
enum status measure(struct tab *t, int64_t t0, int64_t t1, uint64_t row0, uint64_t row1,
		    struct distance *out, struct error *e);
/* "5 cycles x 4 rows; 7 committed in these cycles, IPC 1.40", with between instead of the x. */
void distance_text(const struct tab *t, const struct distance *d, const char *between,
		   struct sbuf *out);

#endif
