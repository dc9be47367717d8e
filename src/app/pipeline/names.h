/*
 * Stages, events, fates and lanes by what people type: a whole name, or a beginning that only one
 * has.
 */
#ifndef PIPEGLASS_APP_PIPELINE_NAMES_H
#define PIPEGLASS_APP_PIPELINE_NAMES_H

#include "pipeline/store.h"

/* The first lane is the pipeline itself, and none that could be named. */
enum named { NAMED_STAGE, NAMED_EVENT, NAMED_FATE, NAMED_LANE };

/* Names in the order of their numbers; NULL beyond the last. */
const char *name_at(const struct store *s, enum named kind, size_t i);
/* STATUS_USAGE: none, or several; *e lists those there are. */
enum status name_find(const struct store *s, enum named kind, const char *name, unsigned *out,
		      struct error *e);

#endif
