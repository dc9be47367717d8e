/*
 * Two tabs that share the window and a time axis, and move together: A and B.
 *
 * Nothing is opened twice. The tab that is current has the focus, so that every command works
 * on it as ever; after each the other one is brought to the same place (joined_sync). Leaving for
 * a third tab and coming back leaves them joined; closing one of them ends it, reloading begins it
 * again. A tab is joined once.
 *
 * Which place of one is which of the other is not known here: whoever joins tabs brings a map of
 * places. That is made on a thread of its own when both traces are read, ^C stops it, and the window
 * is shared from then on.
 */
#ifndef PIPEGLASS_APP_JOINED_H
#define PIPEGLASS_APP_JOINED_H

#include "app/background.h"
#include "app/tab.h"

enum { JOINED_A, JOINED_B, JOINED_SIDES };
enum { JOINED_MARGIN = 2 }; /* columns at the left edge: which side */

struct app;
struct joined;

/* What the map of places has to do; of a call on struct joined the struct that it is first in. */
struct joined_ops {
	/* The same two once more, not yet begun: before a reload. */
	struct joined *(*again)(const struct joined *j);
	void (*free)(struct joined *j); /* whatever goes on for it ends */

	/* Makes the map, on a thread of its own; NULL: nothing has to be. Then; false: no memory. */
	enum status (*match)(struct joined *j, const atomic_bool *stop, struct error *e);
	bool (*matched)(struct app *a, struct joined *j);

	/* Those of a map that is ready. The other side to the place of that with the focus: */
	void (*follow)(struct joined *j);
	void (*layout)(struct app *a, struct joined *j, struct rect view);
	enum status (*draw)(struct app *a, struct joined *j, struct grid *g, struct error *e);
	bool (*hit)(const struct joined *j, int x, int y, int *side, uint64_t *index,
		    int64_t *tick);
	void (*describe)(struct joined *j, struct sbuf *out); /* what is beside the cursor; NULL */
	/* The pane `compare` is to be opened: what it shows is made. NULL: it makes that itself. */
	enum status (*table)(struct app *a, struct error *e);
	bool whole; /* it draws the curves of both, too: there are no strips below */
};

/* First in what the ops know. */
struct joined {
	struct background matching; /* first; its job waits for the traces as well */
	const struct joined_ops *ops;
	struct tab *side[JOINED_SIDES];
	int focus;              /* side of the current tab, or that was it last */
	bool reading;           /* the traces */
	bool ready;             /* there is a map */
	int64_t since;          /* clock_ms(): of the matching */
	int64_t told_second;    /* how long the status line said it takes */
	bool curves;            /* one metric of both on one axis, in place of the strips */
	struct metric_wish metric;
	struct resource *graph; /* NULL: not drawn yet */
};

static inline char joined_letter(int side)
{
	return (char)('A' + side);
}

/* Takes j over, with ops and sides; what any of them was joined to before is left. */
void joined_begin(struct app *a, struct joined *j);
void joined_end(struct app *a, struct joined *j); /* may be NULL */
/* The current tab and the one beside it; of the two the one further left is A. */
enum status joined_neighbours(struct app *a, struct tab *side[JOINED_SIDES], struct error *e);
/* By time, each from its own beginning: curves above each other; without time a table. */
enum status timed_begin(struct app *a, struct tab *const side[JOINED_SIDES], int way,
			struct error *e);
/* How a tab is joined, to begin it again; NULL: it is not. */
struct joined *joined_again(const struct tab *t);

/* That on the screen: of the current tab and ready; NULL: none. */
struct joined *joined_shown(const struct app *a);
int joined_side(const struct joined *j, const struct tab *t);
/* The other side comes along with the current tab. */
void joined_sync(struct app *a);
/* The current tab becomes another one of those that it is joined to; false: `t` is none. */
bool joined_pass(struct app *a, struct tab *t);

/* joined_view.c */
void joined_describe(const struct app *a, struct sbuf *out);
void joined_layout(struct app *a, struct rect view);
int joined_strip_lines(const struct joined *j, int h); /* of a screen of h lines */
/* The metric of both on one axis and one scale; NULL: the strips again. */
enum status joined_curves(struct app *a, const struct metric_wish *metric, struct error *e);
enum status joined_draw(struct app *a, struct grid *g, struct error *e);
bool joined_click(struct app *a, int x, int y, uint64_t *index, int64_t *tick);

#endif
