/*
 * Names that users type -> numbers of a trace: stages, events, fates. Any unambiguous
 * beginning will do; case is ignored. Errors list what there is.
 */
#ifndef PIPEGLASS_APP_PIPELINE_NAMES_H
#define PIPEGLASS_APP_PIPELINE_NAMES_H

#include "app/tab.h"
#include "pipeline/store.h"

enum status name_stage(const struct store *s, const char *name, unsigned *out, struct error *e);
enum status name_event(const struct store *s, const char *name, unsigned *out, struct error *e);
enum status name_fate(const char *name, unsigned *out, struct error *e);

/* The cell under the cursor at the current zoom. */
enum status picture_under_cursor(const struct tab *t, struct picture_cell *out, bool *exact,
				 struct error *e);

#endif
