/*
 * A store in memory for the tests of the rooms below it: traces made by hand, entry by
 * entry, or by a small out-of-order pipeline. Answers by looking at everything: O(rows).
 */
#ifndef TESTS_UNIT_FAKE_STORE_H
#define TESTS_UNIT_FAKE_STORE_H

#include "pipeline/store.h"

enum { STAGE_IF, STAGE_DA, STAGE_EX, STAGE_WB, STAGE_CT, FAKE_STAGES };
enum { EVENT_CACHE, EVENT_TLB, EVENT_MISPREDICT, EVENT_DETECTED, EVENT_AGEN, FAKE_EVENTS };

struct store *fake_new(void);
void fake_free(struct store *s);

/* Rows are born in order; a stay ends at the row's next record. */
uint64_t fake_birth(struct store *s, int64_t tick, uint64_t id, uint64_t pc, const char *text);
void fake_enter(struct store *s, uint64_t row, int64_t tick, unsigned stage, unsigned events,
		int32_t latency, unsigned colour);
void fake_end(struct store *s, uint64_t row, int64_t tick, enum fate fate);
void fake_parent(struct store *s, uint64_t row, uint64_t parent);
/* The row is an instance of the static instruction whose first instance is row `first`. */
void fake_code(struct store *s, uint64_t row, uint64_t first);
void fake_unknown(struct store *s, uint64_t row); /* its birth is not in the trace */
void fake_ticks(struct store *s, int64_t first, int64_t last);
void fake_sample(struct store *s, int64_t tick, double value); /* of metric 0, "sim_num_insn" */
/* A stay in another lane than the pipeline's own; lanes up to it are there then. */
void fake_lane(struct store *s, uint64_t row, unsigned lane, int64_t start, int64_t end,
	       unsigned stage);
void fake_thread(struct store *s, uint64_t row, uint16_t thread); /* from 1, called 100 + it */
void fake_link(struct store *s, uint64_t consumer, uint64_t producer, int64_t tick, uint8_t type);
void fake_clock(struct store *s, int64_t ticks_per_cycle); /* the unit is the tick then */
void fake_warning(struct store *s, uint64_t line, uint64_t row, const char *text);

/* n rows through a four-wide machine with misses, mispredictions and micro-ops. */
struct store *fake_pipeline(uint64_t n, unsigned seed);

/* To see what a frame costs. */
extern int fake_detail_calls, fake_picture_calls, fake_consumer_calls;

#endif
