/*
 * Static instructions: each distinct (pc, disassembly) once.
 *
 * Rows hold a number; tables by pc, mixes and regex filters then cost the distinct code, not
 * the trace. Texts are kept (clipped at CODE_TEXT bytes) as long as they fit CODE_BYTES in
 * all; after that new ones get CODE_NONE and their text is read from the source each time, so
 * a trace whose every text is unique costs bounded memory. O(length) a look-up.
 */
#ifndef PIPEGLASS_PIPELINE_INDEX_CODES_H
#define PIPEGLASS_PIPELINE_INDEX_CODES_H

#include "pipeline/store.h"

enum { CODE_TEXT = STORE_CODE_TEXT, CODE_BYTES = 12 << 20 };

struct code {
	uint64_t hash, pc;
	uint32_t at;      /* of pc digits, then text, in codes.text */
	uint32_t next[2]; /* the codes that last came behind it, + 1; 0: none yet */
	uint16_t pc_len, text_len;
};

struct codes {
	struct code *entries;
	size_t count, cap;
	uint32_t *slots; /* index + 1; power of two */
	size_t slot_count;
	char *text;
	size_t text_len, text_cap;
	uint32_t last; /* of codes_next() */
};

/* Room for all there can ever be, so that texts handed out never move. Untouched it costs nothing. */
bool codes_reserve(struct codes *c);
void codes_free(struct codes *c);
void codes_clear(struct codes *c); /* keeps the memory */
uint64_t codes_hash(const char *pc, size_t pc_len, const char *text, size_t text_len);
/* CODE_NONE: no room. Lengths beyond the limits are clipped before hashing by the caller. */
uint32_t codes_add(struct codes *c, uint64_t hash, const char *pc, size_t pc_len, const char *text,
		   size_t text_len);
/*
 * codes_add() for a stream of instructions: what came behind the one before the last two times is
 * compared first, and 97 of 100 need no hash (a branch goes two ways, a micro-op stands between).
 */
uint32_t codes_next(struct codes *c, const char *pc, size_t pc_len, const char *text,
		    size_t text_len);
/* Is the code just that? For who keeps a guess of their own. */
bool codes_is(const struct codes *c, uint32_t code, const char *pc, size_t pc_len, const char *text,
	      size_t text_len);
/*
 * The code (in c) of code's text followed by that of more, which is one of `from`'s; either may be
 * CODE_NONE. between: what stands between two that are not empty; 0: nothing. For instructions
 * whose text comes in parts.
 */
uint32_t codes_join(struct codes *c, uint32_t code, const struct codes *from, uint32_t more,
		    char between);
uint64_t codes_pc(const struct codes *c, uint32_t code, bool *has_pc);
const char *codes_text(const struct codes *c, uint32_t code, size_t *len);
bool codes_load(struct codes *c, const void *bytes, size_t len); /* validates everything */
void codes_save(const struct codes *c, struct sbuf *out);

#endif
