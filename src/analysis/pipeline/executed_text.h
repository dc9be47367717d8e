/*
 * The program that ran, of an optrace: its text says itself what each instruction reads and
 * writes, whether it is a taken branch, and where that leads.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_EXECUTED_TEXT_H
#define PIPEGLASS_ANALYSIS_PIPELINE_EXECUTED_TEXT_H

#include <stdatomic.h>

#include "analysis/pipeline/executed.h"

/* Is the store one of an optrace? */
bool executed_is_text(const struct store *s);

/* As executed_walk(). Links and parts there are none. O(text); memory O(distinct names). */
enum status executed_text_walk(struct store *s, const struct range *r, const atomic_bool *stop,
			       executed_fn *fn, void *arg, struct executed_counts *counts,
			       struct error *e);

#endif
