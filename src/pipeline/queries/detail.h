/*
 * What a struct detail_row says besides its fields. O(1).
 */
#ifndef PIPEGLASS_PIPELINE_QUERIES_DETAIL_H
#define PIPEGLASS_PIPELINE_QUERIES_DETAIL_H

#include <inttypes.h>
#include <stdio.h>

#include "pipeline/store.h"

/*
 * None of its text was read: the file was cut or rewritten under the index, or it lies beyond what
 * was to be read. Only the head is known then; id, pc, texts and stays are not.
 */
static inline bool detail_is_unread(const struct detail_row *d)
{
	return d->head.fate != FATE_UNKNOWN && !d->line && !d->stays && !d->has_pc && !d->text_len &&
	       !d->note_len;
}

/* The file's number of the row in digits, or what stands for one that is not known. */
static inline const char *detail_id(const struct detail_row *d, const char *unknown, char buf[24])
{
	if (detail_is_unread(d))
		return unknown;
	snprintf(buf, 24, "%" PRIu64, d->id);
	return buf;
}

#endif
