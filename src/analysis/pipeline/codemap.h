/*
 * The static instructions of a trace, read: what each is, how long it is, what comes next.
 *
 * Which instruction set the text is of is put to the vote once, of a sample.
 * A text is read when it is first asked for, so that a window of a trace costs what ran there; and
 * so only one thread at a time may ask. The length of an instruction is nowhere told; it is learned
 * from the distance to the next address that the trace knows, so that sets with instructions of
 * several lengths need no table. Memory and time O(distinct code * log), once; each question O(1)
 * or O(log distinct code).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_CODEMAP_H
#define PIPEGLASS_ANALYSIS_PIPELINE_CODEMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "isa/isa.h"
#include "pipeline/store.h"

struct code_insn {
	uint64_t pc;
	bool has_pc;
	bool known, read;  /* insn was looked at; and is whole */
	uint8_t size;      /* bytes; 0: not known */
	struct isa_insn insn;
};

struct codemap {
	const struct store *store; /* must outlive it */
	enum isa isa;
	uint8_t length; /* bytes of every instruction; 0: they differ */
	struct code_insn *codes; /* as many as the store had, by its numbers: codemap_at() */
	size_t count;
	uint64_t *pcs; /* distinct, ascending */
	size_t pc_count;
};

/* What the store knows now. isa ISA_UNKNOWN: put to the vote. Fails for want of memory only. */
enum status codemap_new(struct codemap *out, const struct store *s, enum isa isa, struct error *e);
/* Once more if the store has met more code since; m zeroed: for the first time. */
enum status codemap_renew(struct codemap *m, const struct store *s, struct error *e);
void codemap_free(struct codemap *m);

/* Reads the text of a code of the map; see codemap_at(). */
void codemap_read(const struct codemap *m, uint32_t code);

/* NULL: the trace does not tell (CODE_NONE, or a code newer than the map). */
static inline const struct code_insn *codemap_at(const struct codemap *m, uint32_t code)
{
	if (code >= m->count)
		return NULL;
	if (!m->codes[code].known)
		codemap_read(m, code);
	return &m->codes[code];
}

/* Whether whoever executes c and then goes on at pc has just gone on. */
bool codemap_goes_on(const struct code_insn *c, uint64_t pc);

/*
 * How many instructions `to` lies ahead of `from`; 0: not ahead, farther than a kilobyte, or parts
 * between that no row has come through.
 */
uint32_t codemap_ahead(const struct codemap *m, uint64_t from, uint64_t to);

#endif
