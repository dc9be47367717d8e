/*
 * A leaf: the rows born in some consecutive ticks (about 128 of them), packed into some 25
 * bits a row. Rows of a leaf are decoded together, in order: about 10 ns a row.
 *
 * Each field is coded in the width that suits this leaf: counts with a three-class prefix
 * code whose two short widths are chosen from the leaf's own histogram, sets and small
 * numbers over only the members that occur.
 */
#ifndef PIPEGLASS_PIPELINE_INDEX_LEAF_H
#define PIPEGLASS_PIPELINE_INDEX_LEAF_H

#include "pipeline/store.h"

/* A row while its leaf is being collected. */
struct raw_row {
	int64_t birth;
	uint64_t life;   /* ticks; LIFE_OPEN while alive or when its end is in the late table */
	uint32_t code;
	uint32_t parent; /* rows back to the parent; 0: none */
	uint16_t events;
	uint8_t fate;
	uint8_t dominant;
	uint8_t micro_op;
	uint16_t thread;
};

#define LIFE_OPEN UINT64_MAX

/* What only rows have that the text tells whole. */
struct whole_row {
	uint64_t offset; /* where its text begins */
	uint64_t tail;   /* see struct row; no more than its life, 0 of one that is open */
};

/*
 * Append the packed form of n rows, the first born at or after tick, to out. code_map
 * translates their codes, unless it is NULL. whole: of each row, for formats whose rows do not
 * follow each other in the text; else NULL.
 */
void leaf_encode(struct sbuf *out, const struct raw_row *rows, size_t n, int64_t tick,
		 const uint32_t *code_map, const struct whole_row *whole);

/*
 * Unpack n rows into out. end is TICK_NONE for LIFE_OPEN. row numbers count from row0. False
 * (and rows that make no sense but no fault) when the bytes are not what leaf_encode made.
 */
bool leaf_decode(const void *bytes, size_t len, size_t n, int64_t tick, uint64_t row0,
		 struct row *out);

#endif
