/*
 * Whole rows of one piece of text, packed and sorted: what one worker makes for the row feed.
 *
 * A row takes some 110 bytes; rows are in program order: by the tick they start at, then by CPU
 * and the file's own number. Cost: O(n log n) compares, few where the text is nearly in order.
 */
#ifndef PIPEGLASS_PIPELINE_INDEX_ROWRUN_H
#define PIPEGLASS_PIPELINE_INDEX_ROWRUN_H

#include "pipeline/formats/rows.h"
#include "pipeline/index/codes.h"
#include "pipeline/index/leaf.h"
#include "pipeline/index/period.h"
#include "source/source.h"

enum { RUN_THREADS = 1024, PACKED_WIDE = 0x80, PACKED_BEHIND = 0x40, RUN_GUESS_BITS = 14 };

/* A row, followed by its stages (a byte each, padded to eights) and their starts and ends. */
struct packed_row {
	int64_t start;
	uint64_t id, offset;
	uint64_t life;     /* ticks; LIFE_OPEN: in flight */
	uint32_t code, pc; /* code: of its run; pc: its low half */
	uint16_t thread;   /* of its run, from 1; 0: none */
	uint16_t cpu, part;
	uint8_t fate;  /* enum fate */
	uint8_t stays; /* how many; PACKED_WIDE: their ticks take 64 bits; PACKED_BEHIND: the last one
			  lies behind the commit */
};

struct row_key {
	int64_t start;
	uint64_t id;
	uint32_t at; /* in run.words */
	uint16_t cpu; /* its place among CPUs */
};

struct row_run {
	struct row_lexer lexer;
	const struct reader *reader;
	struct source *source;
	struct codes codes;
	/* by pc: the code last seen there. The order of rows tells less */
	uint32_t guess[1 << RUN_GUESS_BITS];
	uint32_t *code_map; /* of this run -> of the trace */
	size_t mapped;
	VEC(uint64_t) words; /* packed rows, in the order of the text */
	VEC(struct row_key) keys, spare;
	VEC(int64_t) threads;                 /* in the order of the text */
	uint16_t thread_map[RUN_THREADS + 1]; /* -> of the trace; made by the feed */
	struct period period;
	int64_t start_max;
	uint64_t order; /* of the piece */
	bool failed;
};

struct row_run *row_run_new(const struct reader *reader, struct names *names,
			    struct source *source);
void row_run_free(struct row_run *r);
void row_run_clear(struct row_run *r); /* keeps the memory, for the next piece */

/*
 * Read w->text[skip..len) (what stands before skip is context). With carry set in the lexer it
 * must be the next piece. ends, final: as lex_rows has them. After it r->lexer.interleaved
 * tells that only a lexer that carries can read this.
 */
void row_run_read(struct row_run *r, struct row_lexer *lexer, const struct window *w, size_t skip,
		  size_t len, bool final);
/* Numbers of the trace for the codes of the run: under the index's write lock. */
void row_run_map_codes(struct row_run *r, struct codes *codes);
void row_run_sort(struct row_run *r);

static inline uint32_t row_run_code(const struct row_run *r, const struct packed_row *p)
{
	return p->code == CODE_NONE ? CODE_NONE : r->code_map[p->code];
}

static inline bool row_key_less(const struct row_key *a, const struct row_key *b)
{
	if (a->start != b->start)
		return a->start < b->start;
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu;
	return a->id < b->id;
}

static inline size_t packed_stays(const struct packed_row *p)
{
	return p->stays & (PACKED_BEHIND - 1);
}

/* In words. */
static inline size_t packed_size(const struct packed_row *p)
{
	size_t n = packed_stays(p);

	return sizeof(*p) / 8 + (n + 7) / 8 + (p->stays & PACKED_WIDE ? 2 * n : n);
}

static inline const uint8_t *packed_stages(const struct packed_row *p)
{
	return (const uint8_t *)(p + 1);
}

/* The k-th of its n stays, as ticks from the row's start; wide: PACKED_WIDE is set. */
static inline void packed_stay_at(const struct packed_row *p, size_t n, bool wide, size_t k,
				  uint64_t *from, uint64_t *to)
{
	const uint8_t *at = packed_stages(p) + (n + 7) / 8 * 8;

	if (wide) {
		memcpy(from, at + 16 * k, 8);
		memcpy(to, at + 16 * k + 8, 8);
	} else {
		uint32_t pair[2];

		memcpy(pair, at + 8 * k, 8);
		*from = pair[0];
		*to = pair[1];
	}
}

#endif
