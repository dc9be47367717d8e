/*
 * Who wrote the registers that instructions read, in formats whose text has lines that tell of
 * register renaming (reader->renames).
 *
 * A stretch of text is read once, in order: of each CPU and thread it is known whose lines are
 * being read, and of each of their physical registers who wrote it last. One that was squashed
 * gives its register back, and whoever is named next has taken it anew: the last writer is the
 * right one. What is told does not depend on where the stretch begins, if that is RENAMES_BEFORE
 * before the first line asked for: a writer farther back than ROWS_RENAMED_BEFORE is not known
 * even when the stretch has it. About 1 GB/s; memory: the registers written in the stretch.
 */
#ifndef PIPEGLASS_PIPELINE_QUERIES_RENAMES_H
#define PIPEGLASS_PIPELINE_QUERIES_RENAMES_H

#include "pipeline/formats/rows.h"
#include "pipeline/store_private.h"

/* What is read before the first line asked for. */
enum { RENAMES_BEFORE = ROWS_RENAMED_BEFORE + ROWS_CONTEXT };

/* A register is read; or, with begins, the lines about the reader do only begin. */
struct register_read {
	uint64_t reader, writer; /* the file's own numbers */
	uint64_t off, written;   /* the lines that tell of it */
	uint64_t reg;            /* a physical register among those of a CPU */
	int64_t tick;            /* of the reading; -1: the line does not say */
	uint32_t cpu;
	bool begins;
	bool known; /* the writer is */
};

typedef void register_read_fn(void *arg, const struct register_read *read);

/* All reads told of in [from, to) of the text, in its order. Nothing is told: STATUS_OK. */
enum status renames_in(struct store *s, uint64_t from, uint64_t to, register_read_fn *fn, void *arg,
		       struct error *e);

/* Are there lines that tell of them? Takes the read lock. */
bool renames_are_told(const struct store *s);

#endif
