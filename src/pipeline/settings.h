/*
 * What the user's files and options say of traces of instructions before one is open: `stage NAME
 * LETTER ...`, `event NAME LETTER ...`, and the pipeline that an optrace goes through.
 *
 * Stages and events are kept by name and laid over the table of whatever format a file turns out
 * to have; a name that the format lacks is added to it.
 */
#ifndef PIPEGLASS_PIPELINE_SETTINGS_H
#define PIPEGLASS_PIPELINE_SETTINGS_H

#include "base/status.h"
#include "pipeline/formats/reader.h"

/* What of a row was given. */
enum { CHANGE_LETTER = 1, CHANGE_COLOUR = 2, CHANGE_ROLE = 4, CHANGE_MASK = 8 };

/* The kind's own in struct trace_settings. */
struct pipeline_settings {
	struct trace_config rows;
	uint8_t stage_given[STAGE_MAX], event_given[EVENT_MAX];
	struct segments segments; /* 0: the default */
};

/* argc words: NAME LETTER [COLOUR [ROLE]] */
enum status pipeline_settings_stage(struct pipeline_settings *c, int argc,
				    const char *const *argv, struct error *e);
/* argc words: NAME LETTER [COLOUR [MASK]] */
enum status pipeline_settings_event(struct pipeline_settings *c, int argc,
				    const char *const *argv, struct error *e);

/* The format's table with the changes over it. False: there are none, the format's own holds. */
bool pipeline_settings_config(const struct pipeline_settings *s, const struct reader *reader,
			      struct trace_config *out);

extern const char *const stage_role_names[]; /* by enum stage_role; NULL beyond the last */

#endif
