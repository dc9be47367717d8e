/*
 * The static instructions of a trace, read: what each is, how long it is, what comes next.
 *
 * Which instruction set the text is of is put to the vote once. The length of an instruction is
 * nowhere told; it is learned from the distance to the next address that the trace knows, so that
 * sets with instructions of several lengths need no table. Memory and time
 * O(distinct code * log), once; each question O(1) or O(log distinct code).
 */
#ifndef PIPEGLASS_ANALYSIS_CODEMAP_H
#define PIPEGLASS_ANALYSIS_CODEMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "isa/isa.h"
#include "store/store.h"

struct code_insn {
	uint64_t pc;
	bool has_pc, read; /* read: insn is, whole */
	uint8_t size;      /* bytes; 0: not known */
	struct isa_insn insn;
};

struct codemap {
	enum isa isa;
	uint8_t length; /* bytes of every instruction; 0: they differ */
	struct code_insn *codes; /* as many as the store has, by its numbers */
	size_t count;
	uint64_t *pcs; /* distinct, ascending */
	size_t pc_count;
};

/* What the store knows now. isa ISA_UNKNOWN: put to the vote. Fails for want of memory only. */
enum status codemap_new(struct codemap *out, const struct store *s, enum isa isa, struct error *e);
void codemap_free(struct codemap *m);

/* NULL: the trace does not tell (CODE_NONE, or a code newer than the map). */
const struct code_insn *codemap_at(const struct codemap *m, uint32_t code);

/* Whether whoever executes c and then goes on at pc has just gone on. */
bool codemap_goes_on(const struct code_insn *c, uint64_t pc);

/*
 * How many instructions `to` lies ahead of `from`; 0: not ahead, farther than a kilobyte, or parts
 * between that no row has come through.
 */
uint32_t codemap_ahead(const struct codemap *m, uint64_t from, uint64_t to);

#endif
