/*
 * The resource strip: sparklines of statistics under the instruction view, on its time axis.
 *
 * A heading with the tick under the cursor; then each line is a label, the value under the
 * cursor (with ~ when it was interpolated between two samples or index entries), its own range
 * (from zero to the greatest on screen, rounded; of a counter its least and greatest on screen; or
 * as a scale says) and a row of eighth-block cells: the mean of each column, blank where there is
 * no sample. Any statistic of the trace and any derived metric can be chosen; each line can be
 * hidden. A frame costs O(lines * columns * log n). The same lines are drawn larger by
 * view/resource.h.
 */
#ifndef PIPEGLASS_VIEW_STRIP_H
#define PIPEGLASS_VIEW_STRIP_H

#include "view/pipeline/pipeview.h"
#include "view/resource.h"

enum { STRIP_MAX = RESOURCE_MAX };

struct strip_line {
	struct series series;
	char name[RESOURCE_NAME]; /* as typed: "occupancy IF" */
	bool hidden;
	const struct curve_given *given; /* in place of the series; NULL: none */
};

struct strip {
	struct strip_line lines[STRIP_MAX];
	int count;
	const struct resource_look *look; /* scales; of the app; NULL: all automatic */
	struct resource *graph;           /* what the resource view keeps of these lines */
	struct strip_cache *cache;        /* private */
};

void strip_init(struct strip *s);
void strip_free(struct strip *s);
bool strip_add(struct strip *s, const struct series *series, const char *name); /* false: full */
/* The same of values that somebody else works out; they must outlive the line. */
bool strip_add_given(struct strip *s, const struct curve_given *given, const char *name);
/* As what such values are drawn. */
void strip_given_source(struct curve_source *out, const struct curve_given *given);
void strip_remove(struct strip *s, int line);
int strip_height(const struct strip *s); /* shown lines and a heading; 0 when none */
/* The lines, hidden ones too, as those of a resource view; returns how many. Names stay ours. */
int strip_resources(const struct strip *s, struct store *store,
		    struct resource_line out[STRIP_MAX]);
/* Draw under the time axis of v (same columns, label in v's gutter). */
enum status strip_draw(struct strip *s, struct pipeview *v, struct grid *g, struct rect area,
		       const struct palette *p, struct error *e);

#endif
