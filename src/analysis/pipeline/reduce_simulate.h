/*
 * The machine itself, for many pipelines at once: the check on the formula.
 *
 * Instruction i enters the execution section in cycle
 *
 *     t[i] = max(t[i-1] + (i is a target ? setup : 1), t[r] + execute for all r it depends on)
 *
 * and, when it computes its own condition, that holds up what follows by `execute` more. Nothing of
 * the reductions is used: every dependency is looked at. Cost: O(points / vector length) for each
 * dependency shorter than the longest execution section; memory O(longest * points).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_SIMULATE_H
#define PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_SIMULATE_H

#include "analysis/pipeline/reduce.h"
#include "analysis/pipeline/reduce_evaluate.h"

struct simulation;

/* Lengths from 1 to REDUCE_LENGTH_MOST. STATUS_USAGE: out of range, or too many of them. */
enum status simulation_new(struct simulation **out, const struct pipeline *points, size_t n,
			   bool shorts, struct error *e);
void simulation_free(struct simulation *s);
void simulation_add(struct simulation *s, const struct reduce_step *step);
/* Cycles so far, one for each point in the order they were given. */
void simulation_cycles(const struct simulation *s, int64_t *out);

#endif
