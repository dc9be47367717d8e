/*
 * The resource view in the program: where the curves stand, which line is selected, what the
 * slope is measured between. Of the program, not of a trace: another tab is looked at the same way.
 */
#ifndef PIPEGLASS_APP_COMMANDS_RESOURCE_H
#define PIPEGLASS_APP_COMMANDS_RESOURCE_H

#include "base/sbuf.h"
#include "base/status.h"
#include "view/resource.h"

struct app;
struct call;
struct tab;
struct view_kind;

/* where the curves are, name for `view`, help */
#define RESOURCE_PLACE_INFO(_)                                                                     \
	_(STRIP, "rows", "show rows with a strip of curves below them")                         \
	_(BELOW, "both", "show rows with large curves below them")                           \
	_(ALONE, "resources", "show curves in the whole window")

enum resource_place {
#define RESOURCE_PLACE_ENUM(name, text, help) RESOURCE_##name,
	RESOURCE_PLACE_INFO(RESOURCE_PLACE_ENUM)
#undef RESOURCE_PLACE_ENUM
	    RESOURCE_PLACES
};

struct resources {
	enum resource_place place;
	struct resource_look look;
	struct {
		bool on;
		char from, to; /* marks; to '\0': the cursor */
	} slope;
	int64_t since; /* cycle at which the window was given to curves alone */
};

bool resources_alone(const struct app *a);     /* they have the window */
bool resources_select_time(const struct app *a); /* there are no rows in sight to select */
bool resources_have_keys(const struct app *a); /* and its keys; or two of them share it */
/* What the curves of a tab hang on. */
struct resource_frame resources_frame(const struct tab *t);
/* Draw the curves of the current tab into their part of the layout. */
enum status resources_draw(struct app *a, struct grid *g, struct error *e);
/* The cell (x, y) of the layout's part was clicked: the cursor goes to that cycle. */
void resources_click(struct app *a, int x);
/* A command: the current trace in its view of a kind, without curves in all of the window. */
enum status view_switch(struct call *c, const struct view_kind *kind, struct error *e);
/* The same of the kind that the command is named after. */
enum status view_named(struct call *c, struct error *e);
/* From curves in all of the window, or a view that Esc does nothing else in, to the first view. */
bool resources_leave(struct call *c);
void resources_hint(const struct app *a, struct sbuf *out); /* keys, for the bottom line */

#endif
