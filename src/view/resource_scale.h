/*
 * What a line's axis spans, and the words on it.
 *
 * A scale is what the user asked for: automatic (what the line has on the screen, from zero unless
 * it is a counter, rounded so that it does not change with every step to the side), shared (the
 * same for all lines that share), or given. O(1).
 */
#ifndef PIPEGLASS_VIEW_RESOURCE_SCALE_H
#define PIPEGLASS_VIEW_RESOURCE_SCALE_H

#include <stdbool.h>

#include "base/sbuf.h"
#include "base/status.h"

enum scale_kind { SCALE_AUTO, SCALE_SHARED, SCALE_GIVEN };

struct scale {
	enum scale_kind kind;
	double low, high; /* GIVEN: low < high */
};

/* "auto", "shared" or "LOW:HIGH". */
enum status scale_parse(const char *text, struct scale *out, struct error *e);
void scale_show(const struct scale *s, struct sbuf *out); /* as parsed; appends */

/* low <= high; an empty one has low > high. */
struct scale_range {
	double low, high;
};

#define SCALE_EMPTY ((struct scale_range){INFINITY, -INFINITY})

struct scale_range scale_join(struct scale_range a, struct scale_range b);
/* The range of an axis for values in r: 0..1 for an empty one. */
struct scale_range scale_round(struct scale_range r, bool counter);

#endif
