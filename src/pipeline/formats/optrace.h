/*
 * The optrace: executed instructions as plain text, written by hand or by an instrumented run.
 *
 *     optrace 1
 *     # PC FLAGS SOURCES SINKS, between blanks or tabs
 *     400080 -   r1,r2     r3
 *     400084 -   r3,m:7f10 cc
 *     400088 t12 cc        -
 *
 * PC is hexadecimal, with or without 0x. FLAGS are `-` or letters: `t` a taken branch, `tN` one
 * whose target is N instructions ahead (from 1 on), `s` a branch that computes its own condition. SOURCES
 * and SINKS are `-` or names between commas: registers, `cc`, `m:ADDRESS`; equal names are the
 * same operand, of any bytes but blanks, commas and NUL. ADDRESS is hexadecimal as PC is: m:10,
 * m:0x10 and m:0010 are one operand; behind `m:` what is no number of 64 bits is part of a name. A `#` that begins a column begins a
 * comment. Lines need nothing from before them but the numbers of names. One pass over the text;
 * an operand whose name was seen a moment ago costs no more than reading it.
 */
#ifndef PIPEGLASS_PIPELINE_FORMATS_OPTRACE_H
#define PIPEGLASS_PIPELINE_FORMATS_OPTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/vec.h"

enum { OPTRACE_NAME_MOST = 255 };

/* problem, what to say; from PC on the line is no instruction */
#define OPTRACE_PROBLEM_INFO(_)                                                                    \
	_(NONE, "")                                                                                \
	_(NAME_EMPTY, "operand without a name: skipped")                                       \
	_(NAME_LONG, "operand name longer than 255 bytes: skipped")                           \
	_(FLAG, "unknown flag: ignored (known: t, tN and s)")                                   \
	_(EXTRA, "more than four columns: the rest is ignored")                                    \
	_(AHEAD, "`t0`: a branch to itself does not go ahead; read as `t`")                       \
	_(PC, "the address is not a hexadecimal number: line skipped")                                           \
	_(COLUMN, "missing column: a line needs PC FLAGS SOURCES SINKS, `-` for none; skipped")          \
	_(NUL, "line with a NUL byte: skipped")                                                                       \
	_(HEADER, "the first line is not `optrace 1`")

enum optrace_problem {
#define OPTRACE_PROBLEM_ENUM(problem, text) OPTRACE_##problem,
	OPTRACE_PROBLEM_INFO(OPTRACE_PROBLEM_ENUM)
#undef OPTRACE_PROBLEM_ENUM
	    OPTRACE_PROBLEMS
};

extern const char *const optrace_problems[OPTRACE_PROBLEMS];

struct optrace_op {
	enum optrace_problem
	    problem; /* the first of the line; one that leaves it none before others */
	bool taken, self;
	uint64_t pc;
	int64_t ahead;     /* of `tN`; 0: not told */
	uint64_t line;     /* from 1 */
	size_t at;         /* of the line, in the text */
	uint32_t *sources; /* numbers of names; good until the next line */
	size_t source_count;
	uint32_t *sinks;
	size_t sink_count;
	struct {
		uint32_t pc, pc_len;           /* its hexadecimal digits, 16 at most */
		uint32_t flags, operands;      /* the columns: FLAGS, SOURCES SINKS */
		uint32_t operands_end;
		uint32_t end;                  /* of the line */
	} place; /* in the line; of an instruction */
};

enum optrace_found {
	OPTRACE_OP,  /* an instruction, perhaps with a problem that leaves it one */
	OPTRACE_BAD, /* a line that is none */
	OPTRACE_END, /* no more whole lines */
	OPTRACE_NOMEM
};

struct recent_name {
	uint64_t word[2]; /* the name, padded with NUL */
	uint32_t operand;
};

struct optrace {
	size_t pos;    /* the next line's place in the text */
	uint64_t line; /* lines before it */
	struct intern *names;
	/* private */
	VEC(uint32_t) operands;
	struct recent_name *recent; /* by a hash of the name */
};

bool optrace_init(struct optrace *o);
void optrace_free(struct optrace *o);

/*
 * The next instruction, or line that should be one, of text[0..len) from o->pos on. final: a last
 * line without newline is whole.
 */
enum optrace_found optrace_next(struct optrace *o, const char *text, size_t len, bool final,
				struct optrace_op *out);

/* Does the text begin with `optrace 1`? 0 (no) .. 100 (certain). */
int optrace_detect(const char *text, size_t len);

#endif
