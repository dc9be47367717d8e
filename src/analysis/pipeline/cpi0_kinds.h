/*
 * What kind of queue one is, by the classes that it takes: the word for it that does not need the
 * machine's own name.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_CPI0_KINDS_H
#define PIPEGLASS_ANALYSIS_PIPELINE_CPI0_KINDS_H

#include "analysis/pipeline/machine.h"

#define CPI0_CLASS(class) ((class_set)1 << OP_##class)
#define CPI0_MEMORY       (CPI0_CLASS(LOAD) | CPI0_CLASS(STORE))
#define CPI0_FLOATS                                                                                \
	(CPI0_CLASS(FP_ADD) | CPI0_CLASS(FP_MUL) | CPI0_CLASS(FP_DIV) | CPI0_CLASS(FP_OTHER))
#define CPI0_FLOWS    (CPI0_CLASS(BRANCH) | CPI0_CLASS(JUMP) | CPI0_CLASS(CALL) | CPI0_CLASS(RETURN))
#define CPI0_INTEGERS (CPI0_CLASS(INT_ALU) | CPI0_CLASS(INT_MUL) | CPI0_CLASS(INT_DIV))
#define CPI0_ODDS                                                                                  \
	(CPI0_CLASS(NOP) | CPI0_CLASS(SYSTEM) | CPI0_CLASS(OTHER) | CPI0_CLASS(PART) |             \
	 CPI0_CLASS(UNKNOWN))

/* id, word, takes nothing else; the first that fits */
#define CPI0_KINDS_INFO(_)                                                                         \
	_(LOAD, "load", CPI0_CLASS(LOAD))                                                          \
	_(STORE, "store", CPI0_CLASS(STORE))                                                       \
	_(MEMORY, "memory", CPI0_MEMORY)                                                           \
	_(FLOAT, "floating-point", CPI0_FLOATS)                                                    \
	_(BRANCH, "branch", CPI0_FLOWS)                                                            \
	_(INTEGER, "integer", CPI0_INTEGERS | CPI0_FLOWS | CPI0_ODDS)

enum cpi0_kind {
#define CPI0_KIND_ENUM(id, word, classes) CPI0_KIND_##id,
	CPI0_KINDS_INFO(CPI0_KIND_ENUM)
#undef CPI0_KIND_ENUM
	    CPI0_KIND_MIXED, /* it takes instructions of several kinds */
	CPI0_KINDS
};

enum cpi0_kind cpi0_kind_of(const struct machine_queue *q);
extern const char *const cpi0_kind_words[CPI0_KINDS]; /* MIXED: NULL */

#endif
