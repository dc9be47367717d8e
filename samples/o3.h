/*
 * O3PipeView records, seven lines for an instruction, printed as it goes: what gem5 writes with the
 * debug flag of that name.
 *
 * The model's stages are gem5's as far as it has them: decode, rename and dispatch are one (DA),
 * issue is EX, complete is WB, retire is CT. A load or store is one record: it is complete when its
 * access is, which the model has as an entity of its own. What never got to a stage has tick 0
 * there, what did not retire has it in retire.
 */
#ifndef SAMPLES_O3_H
#define SAMPLES_O3_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
	O3_CYCLE = 500, /* ticks: picoseconds at 2 GHz */
	O3_KEPT = 4096, /* from the oldest in flight to the youngest there are fewer */
	O3_STAGES = 5   /* enum stage */
};

struct o3_record {
	uint32_t seq;
	bool is_access;
	const struct o3_record *access; /* NULL: none */
	uint64_t pc;
	char text[64];
	int64_t tick[O3_STAGES];
};

struct o3 {
	struct o3_record kept[O3_KEPT]; /* by number */
	const struct o3_record *access; /* of the instruction that enters DA next */
	int64_t now;
};

void o3_cycle(struct o3 *o, int64_t cycle);
void o3_birth(struct o3 *o, uint32_t seq, uint64_t pc, const char *text);
void o3_stage(struct o3 *o, uint32_t seq, int stage);
void o3_removal(const struct o3 *o, uint32_t seq, FILE *file);

#endif
