/*
 * What a user changes about stages and events: `stage NAME LETTER ...`, `event NAME LETTER ...`.
 *
 * The changes are kept by name and laid over the table of whatever format a file turns out to
 * have; a name that the format lacks is added to it. Looking at a file's format costs reading
 * its first 64 KiB, and only when there are changes. Without a screen they are read from the
 * user's files by trace_changes_read().
 */
#ifndef PIPEGLASS_APP_PIPELINE_TRACE_CHANGES_H
#define PIPEGLASS_APP_PIPELINE_TRACE_CHANGES_H

#include "base/status.h"
#include "pipeline/formats/reader.h"

/* What of a row was given. */
enum { CHANGE_LETTER = 1, CHANGE_COLOUR = 2, CHANGE_ROLE = 4, CHANGE_MASK = 8 };

struct trace_changes {
	struct trace_config rows;
	uint8_t stage_given[STAGE_MAX], event_given[EVENT_MAX];
};

/* argc words: NAME LETTER [COLOUR [ROLE]] */
enum status trace_changes_stage(struct trace_changes *c, int argc, const char *const *argv,
				struct error *e);
/* argc words: NAME LETTER [COLOUR [MASK]] */
enum status trace_changes_event(struct trace_changes *c, int argc, const char *const *argv,
				struct error *e);

/* The table for path; out->stage_count 0 when there are no changes, so the format's own holds. */
enum status trace_changes_config(const struct trace_changes *c, const char *path,
				 const struct reader *as, struct trace_config *out,
				 struct error *e);

/* "FILE:LINE: what is wrong" */
typedef void trace_changes_slip(void *arg, const char *text);

/*
 * The `stage` and `event` lines of the user's files, for --config=ASKED (NULL: not given), and of
 * those that they `source`; other lines are passed over, right or wrong. Slips are told, as is a
 * standard file that cannot be read; one that was asked for is STATUS_IO or STATUS_USAGE.
 */
enum status trace_changes_read(struct trace_changes *c, const char *asked, trace_changes_slip *slip,
			       void *arg, struct error *e);

extern const char *const stage_role_names[]; /* by enum stage_role; NULL beyond the last */

#endif
