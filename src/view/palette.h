/*
 * Roles, not colours: what a cell means -> how it looks at the terminal's colour depth.
 *
 * Each role has a mono look (attributes), an 8-colour look and a 256-colour look side by
 * side, so that the mono design is visible next to the coloured one; no meaning is carried
 * by colour alone. The defaults are the text file keymaps/default.palette, embedded at build
 * time; `color ROLE FG BG ATTRS` in a configuration overrides a row.
 */
#ifndef PIPEGLASS_VIEW_PALETTE_H
#define PIPEGLASS_VIEW_PALETTE_H

#include "base/status.h"
#include "view/grid.h"

/* What a user may want of a terminal. */
enum color_choice { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER, COLOR_8, COLOR_256 };

enum { PALETTE_STAGES = 16, PALETTE_EVENTS = 16, PALETTE_METRICS = 10, PALETTE_HEATS = 6 };

/* role, name in configuration, what it is */
#define ROLE_INFO(_)                                                                               \
	_(TEXT, "text", "ordinary text")                                                           \
	_(DIM, "dim", "less important text, blank marks")                                          \
	_(TITLE, "title", "top line")                                                              \
	_(TITLE_IDLE, "title-idle", "top line while a pane has the keys")                          \
	_(STATUS, "status", "bottom line")                                                         \
	_(MESSAGE, "message", "messages")                                                          \
	_(ERROR, "error", "errors")                                                                \
	_(PROMPT, "prompt", "the prompt")                                                          \
	_(RULER, "ruler", "cycle ruler")                                                           \
	_(CURSOR, "cursor", "the cell under the cursor")                                           \
	_(CURSOR_ROW, "cursor-row", "label of the row under the cursor")                           \
	_(SELECTION, "selection", "rows or cells of the visual selection")                         \
	_(SEARCH, "search", "text that matches the search")                                        \
	_(HIGHLIGHT, "highlight", "the highlighted event or stage")                                \
	_(CRITICAL, "critical", "cells on the critical path")                                      \
	_(MARK, "mark", "row marks")                                                               \
	_(PC, "pc", "pc column")                                                                   \
	_(SEQ, "seq", "sequence number column")                                                    \
	_(SQUASHED, "squashed", "cells and labels of squashed, dropped and lost rows")             \
	_(UNKNOWN, "unknown", "lives whose beginning or end is not in the trace")                  \
	_(BORDER, "border", "pane borders and headings")                                           \
	_(PANE, "pane", "text of panes")                                                           \
	_(PANE_TITLE, "pane-title", "title of the pane that has the keys")                         \
	_(PANE_CURSOR, "pane-cursor", "selected line of a pane")                                   \
	_(KEY, "key", "keys in help and hints")

enum role {
#define ROLE_ENUM(name, text, help) ROLE_##name,
	ROLE_INFO(ROLE_ENUM)
#undef ROLE_ENUM
	    ROLE_STAGE_0,
	ROLE_STAY_0 = ROLE_STAGE_0 + PALETTE_STAGES, /* where a row merely stays in the stage */
	ROLE_EVENT_0 = ROLE_STAY_0 + PALETTE_STAGES,
	ROLE_METRIC_0 = ROLE_EVENT_0 + PALETTE_EVENTS,
	ROLE_HEAT_0 = ROLE_METRIC_0 + PALETTE_METRICS, /* of heat maps, from cold to hot */
	ROLE_COUNT = ROLE_HEAT_0 + PALETTE_HEATS
};

enum color_depth { DEPTH_MONO, DEPTH_8, DEPTH_256 };

struct palette {
	enum color_depth depth;
	struct style look[3][ROLE_COUNT];
};

void palette_init(struct palette *p, enum color_depth depth); /* from the embedded defaults */
struct style palette_style(const struct palette *p, enum role role);
/* A stage's role -> that of the cells behind the first one of a stay; others stay as they are. */
static inline enum role palette_stay(enum role role)
{
	return role >= ROLE_STAGE_0 && role < ROLE_STAY_0 ? role + PALETTE_STAGES : role;
}
/*
 * A sign of one role over the colour of a stage, which keeps the cell: the sign has a light tone of
 * the role's colour; where the stage is a letter's colour alone, its cell is filled with it.
 */
struct style palette_over(const struct palette *p, enum role sign, enum role stage);
/* From cold to hot, values on a scale of logarithms from 1 to most; 0 or less is plain. */
enum role heat_role(double value, double most);
/* The same for lines: in the colour that cells of that heat are filled with. */
struct style palette_heat(const struct palette *p, double value, double most);

/*
 * "ROLE DEPTH FG BG ATTRS" as in the palette file, e.g. "stage-0 256 default 25 -". What a stage
 * gets its stay gets too, until it is given a shade of its own.
 */
enum status palette_set(struct palette *p, const char *line, struct error *e);
const char *palette_role_name(enum role role, char buf[24]); /* "stage-3" */

#endif
