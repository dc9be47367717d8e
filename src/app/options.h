/*
 * Options: `set OPTION VALUE`. A row of OPTION_INFO is the name, type, range, default, help
 * and what must be done again when the value changes; setting, completion, `:set`, the man
 * page and the help pane are made from it. Gutter columns bring two rows each.
 */
#ifndef PIPEGLASS_APP_OPTIONS_H
#define PIPEGLASS_APP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sbuf.h"
#include "base/status.h"
#include "trace/cachefile.h"
#include "view/gutter.h"

enum option_type { OPTION_BOOL, OPTION_INT, OPTION_SIZE };

/* what a change asks for */
enum {
	EFFECT_REDRAW = 1,
	EFFECT_LAYOUT = 2,
	EFFECT_VIEW = 4,   /* hand it to the views of all tabs */
	EFFECT_FILTER = 8, /* the set of rows shown changes */
	EFFECT_LEGEND = 16,
	EFFECT_MOUSE = 32,
	EFFECT_FOLLOW = 64,
	EFFECT_CACHE = 128 /* a setting of the traces: it holds without a screen, too */
};

#define OPTION_SIZE_MAX INT64_C(1000000000000000)
#define OPTION_CYCLES_MAX INT64_C(1000000000000) /* more is a slip */

/* name in C, name, type, default, least, most, effect, help */
#define OPTION_INFO(_)                                                                             \
	_(MOUSE, "mouse", BOOL, 0, 0, 1, MOUSE,                                                    \
	  "use wheel and clicks; the terminal cannot select text then")                            \
	_(FOLLOW, "follow", BOOL, 0, 0, 1, FOLLOW,                                                 \
	  "follow pipes and growing files from the start")                                         \
	_(PINNED, "pinned", BOOL, 0, 0, 1, VIEW,                                                   \
	  "keep the cycles in place, also when you move through rows")                             \
	_(LEGEND, "legend", BOOL, 0, 0, 1, LEGEND, "show the legend at the right")                 \
	_(STRIP, "strip", BOOL, 1, 0, 1, LAYOUT, "show curves below the rows")                     \
	_(TITLE, "title", BOOL, 1, 0, 1, LAYOUT, "show the title line at the top")                 \
	_(WRAP, "wrap", BOOL, 1, 0, 1, REDRAW, "continue a search from the other end")             \
	_(INCREMENTAL, "incremental", BOOL, 1, 0, 1, REDRAW, "search while you type the pattern")  \
	_(CLIPBOARD, "clipboard", BOOL, 0, 0, 1, REDRAW,                                           \
	  "yank to the terminal's clipboard too (OSC 52)")                                         \
	_(HIDE_SQUASHED, "hide-squashed", BOOL, 0, 0, 1, FILTER, "hide squashed rows")             \
	_(HIDE_DROPPED, "hide-dropped", BOOL, 0, 0, 1, FILTER,                                     \
	  "hide rows consumed at decode")                                                          \
	_(HIDE_LOST, "hide-lost", BOOL, 0, 0, 1, FILTER, "hide lost rows: their end is not in the trace")           \
	_(HIDE_IN_FLIGHT, "hide-in-flight", BOOL, 0, 0, 1, FILTER,                                 \
	  "hide rows whose end is not in the trace")                                               \
	_(HIDE_MICRO_OPS, "hide-micro-ops", BOOL, 0, 0, 1, FILTER, "hide micro-ops")               \
	_(PAN, "pan", INT, 33, 1, 100, REDRAW, "coarse step to the side, in percent of the width") \
	_(SCROLL_MARGIN, "scroll-margin", INT, 3, 0, 1000, VIEW,                                   \
	  "lines kept visible above and below the cursor")                                         \
	_(WHEEL, "wheel", INT, 3, 1, 100, REDRAW, "lines per turn of the mouse wheel")             \
	_(STAY, "stay", INT, 20, 1, OPTION_CYCLES_MAX, REDRAW,                                     \
	  "shortest stay that next stay finds, in cycles")                                         \
	_(CAPACITY, "capacity", INT, 0, 0, 1000000, REDRAW,                                        \
	  "wavefronts that a compute unit can hold, for hints; 0: not known")                      \
	_(GAP, "gap", INT, 10, 1, OPTION_CYCLES_MAX, REDRAW,                                       \
	  "shortest gap that next gap finds, in cycles")                                           \
	_(CACHE_LIMIT, "cache-limit", SIZE, CACHE_LIMIT, 1000, OPTION_SIZE_MAX, CACHE,             \
	  "most bytes of indexes in the cache folder (500M, 8G); those used longest ago go first")

enum option {
#define OPTION_ENUM(id, name, type, def, least, most, effect, help) OPT_##id,
	OPTION_INFO(OPTION_ENUM)
#undef OPTION_ENUM
#define OPTION_COLUMN(id, text, width, shown, help) OPT_COLUMN_##id,
	    GUTTER_INFO(OPTION_COLUMN)
#undef OPTION_COLUMN
#define OPTION_WIDTH(id, text, width, shown, help) OPT_WIDTH_##id,
		GUTTER_INFO(OPTION_WIDTH)
#undef OPTION_WIDTH
		    OPTION_COUNT
};

struct option_info {
	const char *name;
	enum option_type type;
	int64_t def, least, most;
	unsigned effect;
	const char *help;
};

extern const struct option_info option_infos[OPTION_COUNT];

struct options {
	int64_t value[OPTION_COUNT];
};

void options_init(struct options *o);
/* STATUS_USAGE lists what is possible; a unique beginning of a name will do. */
enum status option_find(const char *name, enum option *out, struct error *e);
enum status option_set(struct options *o, enum option which, const char *value, struct error *e);
void option_show(const struct options *o, enum option which, struct sbuf *out); /* "pan 33" */

#endif
