/*
 * What limits a run of instructions: the causes of why.h that save most, as hints. O(why).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_HINTS_H
#define PIPEGLASS_ANALYSIS_PIPELINE_HINTS_H

#include "analysis/answer.h"

extern const struct answer pipeline_hints_answer;

#endif
