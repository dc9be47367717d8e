/*
 * Random pipetraces for the tests of the store: a small machine that fetches, decodes, issues,
 * writes back and commits at random, and everything that real traces do besides, each oddity
 * a bit of `odd` so that a test can say which one it needs.
 */
#ifndef PIPEGLASS_TESTS_TRACE_GEN_H
#define PIPEGLASS_TESTS_TRACE_GEN_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	ODD_SQUASH = 1 << 0,     /* recoveries, youngest first */
	ODD_STOCK = 1 << 1,      /* [internal ld/st] before the decode of its parent */
	ODD_GPV = 1 << 2,        /* macros dropped at decode, their micro-ops behind; latencies */
	ODD_PARTIAL = 1 << 3,    /* instructions in flight when the trace begins */
	ODD_LOST = 1 << 4,       /* a fetch queue emptied without a record */
	ODD_REVIVED = 1 << 5,    /* ... and heard of again */
	ODD_TWICE = 1 << 6,      /* removed a second time, or entering a stage when dead */
	ODD_STUCK = 1 << 7,      /* rows that never end */
	ODD_GAPS = 1 << 8,       /* ids left out */
	ODD_WRAP = 1 << 9,       /* ids go round at 2^32 */
	ODD_REBORN = 1 << 10,    /* an id born again while alive */
	ODD_BACKWARDS = 1 << 11, /* a cycle number less than the one before, or the same again */
	ODD_QUIET = 1 << 12,     /* stretches of empty cycles, and cycles left out */
	ODD_STATISTICS = 1 << 13,
	ODD_FOREIGN = 1 << 14, /* lines that are no records */
	ODD_DROPPED = 1 << 15, /* no-ops consumed at decode */
	ODD_AGAIN = 1 << 16,   /* an id that died is born again */
	ODD_NAMES = 1 << 17,   /* stages, events and statistics that nobody knows */
	ODD_MIXED = 1 << 18    /* ids left out come later */
};

enum { GEN_LIVE = 512, GEN_DEAD = 64 };

struct gen_row {
	uint64_t id, pc;
	int stage; /* 0 IF .. 4 CT */
	bool micro, macro, stuck;
};

struct gen {
	char *text;
	size_t len, cap;
	uint64_t rng, next_id, tick, first_id;
	unsigned odd, width;
	struct gen_row live[GEN_LIVE]; /* in order of birth */
	size_t count;
	uint64_t dead[GEN_DEAD], lost[GEN_DEAD], left_out[GEN_DEAD];
	size_t dead_count, lost_count, left_count;
};

static inline uint64_t gen_dice(struct gen *g, uint64_t n)
{
	g->rng ^= g->rng << 13;
	g->rng ^= g->rng >> 7;
	g->rng ^= g->rng << 17;
	return n ? g->rng % n : 0;
}

static inline bool gen_odd(struct gen *g, unsigned odd, unsigned one_in)
{
	return (g->odd & odd) && gen_dice(g, one_in) == 0;
}

__attribute__((format(printf, 2, 3))) static inline void gen_put(struct gen *g, const char *fmt,
								 ...)
{
	va_list ap;

	if (g->cap - g->len < 512) {
		g->cap = g->cap ? g->cap * 2 : 1 << 16;
		g->text = realloc(g->text, g->cap);
		if (!g->text)
			abort();
	}
	va_start(ap, fmt);
	g->len += (size_t)vsnprintf(g->text + g->len, g->cap - g->len, fmt, ap);
	va_end(ap);
}

static inline void gen_enter(struct gen *g, uint64_t id, int stage)
{
	static const char *const names[] = {"IF", "DA", "EX", "WB", "CT"};
	static const unsigned bits[][4] = {
	    {1, 3, 2, 1}, {4, 4, 4, 4}, {1, 0x10, 0x11, 3}, {8, 8, 8, 8}, {1, 3, 1, 1}};
	unsigned events = gen_dice(g, 6) ? 0 : bits[stage][gen_dice(g, 4)];

	if (gen_odd(g, ODD_NAMES, 9)) {
		gen_put(g, "* %" PRIu64 " S%u 0x%08x\n", id, (unsigned)gen_dice(g, 26),
			gen_dice(g, 3) ? 0 : 1u << gen_dice(g, 24));
		if (gen_dice(g, 3) == 0)
			gen_put(g, "<m%u>%u\n", (unsigned)gen_dice(g, 80),
				(unsigned)gen_dice(g, 100));
		return;
	}
	if (g->odd & ODD_GPV)
		gen_put(g, "* %" PRIu64 " %s 0x%03x %u 0x%03x\n", id, names[stage], events,
			events ? (unsigned)gen_dice(g, 200) : 0, (unsigned)gen_dice(g, 4));
	else
		gen_put(g, "* %" PRIu64 " %s 0x%08x\n", id, names[stage], events);
}

static inline uint64_t gen_id(struct gen *g)
{
	uint64_t id;

	if (gen_odd(g, ODD_GAPS, 10))
		g->next_id += gen_dice(g, 20);
	if (gen_odd(g, ODD_MIXED, 8) && g->left_count)
		return g->left_out[--g->left_count];
	while (gen_odd(g, ODD_MIXED, 3) && g->left_count < GEN_DEAD)
		g->left_out[g->left_count++] = g->next_id++;
	id = g->next_id++;
	if (g->odd & ODD_WRAP)
		g->next_id &= UINT32_MAX;
	return id;
}

static inline struct gen_row *gen_birth(struct gen *g, uint64_t pc, const char *text)
{
	struct gen_row *r = &g->live[g->count++];

	*r = (struct gen_row){.id = gen_id(g), .pc = pc, .stage = -1};
	if (gen_odd(g, ODD_REBORN, 40) && g->count > 3)
		r->id = g->live[gen_dice(g, g->count - 1)].id;
	if (gen_odd(g, ODD_AGAIN, 30) && g->dead_count)
		r->id = g->dead[gen_dice(g, g->dead_count)];
	for (size_t i = 0; i + 1 < g->count; i++)
		if (g->live[i].id == r->id) {
			memmove(&g->live[i], &g->live[i + 1], (--g->count - i) * sizeof(*r));
			r--;
		}
	gen_put(g, "+ %" PRIu64 " 0x%08" PRIx64 " 0x00000000 %s\n", r->id, pc, text);
	return r;
}

static inline void gen_forget(struct gen *g, size_t i)
{
	g->dead[g->dead_count < GEN_DEAD ? g->dead_count++ : gen_dice(g, GEN_DEAD)] = g->live[i].id;
	memmove(&g->live[i], &g->live[i + 1], (--g->count - i) * sizeof(*g->live));
}

static inline void gen_remove(struct gen *g, size_t i)
{
	gen_put(g, "- %" PRIu64 "\n", g->live[i].id);
	gen_forget(g, i);
}

static inline void gen_move(struct gen *g, size_t i, int stage)
{
	g->live[i].stage = stage;
	gen_enter(g, g->live[i].id, stage);
}

static inline void gen_commit(struct gen *g)
{
	for (size_t i = 0, n = g->width; i < g->count && n; n--) {
		if (g->live[i].stuck) {
			i++;
			continue;
		}
		if (g->live[i].stage != 3)
			break;
		gen_move(g, i, 4);
		if (gen_odd(g, ODD_STUCK, 60)) {
			g->live[i].stuck = true;
			i++;
		} else {
			gen_remove(g, i);
		}
	}
}

static inline void gen_squash(struct gen *g)
{
	size_t keep = gen_dice(g, g->count + 1);

	for (size_t i = g->count; i-- > keep;)
		if (!g->live[i].stuck)
			gen_remove(g, i);
}

static inline void gen_execute(struct gen *g)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->live[i].stage == 2 && !g->live[i].stuck && gen_dice(g, 3) == 0)
			gen_move(g, i, 3);
	for (size_t i = 0; i < g->count; i++)
		if (g->live[i].stage == 1 && !g->live[i].stuck && gen_dice(g, 3) == 0) {
			gen_move(g, i, gen_dice(g, 8) ? 2 : 3);
			if (gen_odd(g, ODD_STUCK, 80))
				g->live[i].stuck = true;
		}
}

/* A macro is consumed, and its flow comes at once or in the cycles after. */
static inline void gen_flow(struct gen *g, uint64_t pc)
{
	for (size_t n = gen_dice(g, 4) + 1; n-- && g->count + 8 < GEN_LIVE;) {
		struct gen_row *r;

		if (gen_dice(g, 6) == 0)
			gen_put(g, "@ %" PRIu64 "\n", ++g->tick);
		r = gen_birth(g, pc, gen_dice(g, 2) ? "agen tmp0,r13,4" : "ldp r4,[tmp0]");
		r->micro = true;
		gen_move(g, (size_t)(r - g->live), 1);
	}
}

static inline void gen_decode(struct gen *g)
{
	size_t n = g->width;

	for (size_t i = 0; i < g->count && n; i++) {
		uint64_t id = g->live[i].id, pc = g->live[i].pc;

		if (g->live[i].stage != 0 || g->live[i].stuck)
			continue;
		if (gen_dice(g, 4) == 0)
			return;
		n--;
		if ((g->odd & ODD_STOCK) && pc / 4 % 5 == 1 && g->count + 8 < GEN_LIVE) {
			struct gen_row *r = gen_birth(g, pc, "[internal ld/st]");

			r->micro = true;
			gen_move(g, (size_t)(r - g->live), 1);
			for (i = 0; i < g->count && g->live[i].id != id;)
				i++;
			if (i == g->count)
				return;
		}
		gen_move(g, i, 1);
		if ((g->odd & ODD_DROPPED) && pc / 4 % 5 == 4) {
			gen_remove(g, i--);
		} else if ((g->odd & ODD_GPV) && pc / 4 % 5 == 1) {
			gen_remove(g, i);
			gen_flow(g, pc);
			return;
		}
	}
}

/* The fetch queue is emptied: no record tells. */
static inline void gen_lose(struct gen *g)
{
	for (size_t i = g->count; i-- > 0;)
		if (g->live[i].stage == 0 && !g->live[i].stuck) {
			if (g->lost_count < GEN_DEAD)
				g->lost[g->lost_count++] = g->live[i].id;
			memmove(&g->live[i], &g->live[i + 1], (--g->count - i) * sizeof(*g->live));
		}
}

static inline void gen_oddities(struct gen *g)
{
	if (gen_odd(g, ODD_TWICE, 4) && g->dead_count)
		gen_put(g, "- %" PRIu64 "\n", g->dead[gen_dice(g, g->dead_count)]);
	if (gen_odd(g, ODD_TWICE, 20) && g->dead_count)
		gen_enter(g, g->dead[gen_dice(g, g->dead_count)], (int)gen_dice(g, 5));
	if (gen_odd(g, ODD_REVIVED, 3) && g->lost_count) {
		uint64_t id = g->lost[--g->lost_count];

		if (gen_dice(g, 2)) {
			gen_put(g, "- %" PRIu64 "\n", id);
		} else {
			gen_enter(g, id, 2);
			if (gen_dice(g, 2))
				gen_put(g, "@ %" PRIu64 "\n", ++g->tick);
			if (gen_dice(g, 3))
				gen_put(g, "- %" PRIu64 "\n", id);
		}
	}
	if (gen_odd(g, ODD_PARTIAL, 10) && g->first_id > 5 && g->tick < 200) {
		uint64_t id = g->first_id - 1 - gen_dice(g, 5);

		if (gen_dice(g, 2))
			gen_enter(g, id, (int)gen_dice(g, 3) + 2);
		else
			gen_put(g, "- %" PRIu64 "\n", id);
	}
	if (gen_odd(g, ODD_STATISTICS, 1))
		gen_put(g, "<NTsim_cycle> %12" PRIu64 "\n<sim_IPC> %12.4f\n", g->tick,
			(double)gen_dice(g, 30000) / 10000);
	if (gen_odd(g, ODD_FOREIGN, 9))
		gen_put(g, "%s", gen_dice(g, 2) ? "hello, world\n" : "Hello 5\n\n");
}

static inline void gen_cycle(struct gen *g)
{
	if (gen_odd(g, ODD_BACKWARDS, 12) && g->tick > 20)
		gen_put(g, "@ %" PRIu64 "\n", g->tick - gen_dice(g, 20));
	if (gen_odd(g, ODD_QUIET, 15))
		g->tick += gen_dice(g, 40);
	g->tick++;
	gen_put(g, "@ %" PRIu64 "\n", g->tick);
	if (gen_odd(g, ODD_QUIET, 3))
		return;
	gen_commit(g);
	gen_execute(g);
	if (gen_odd(g, ODD_SQUASH, 12))
		gen_squash(g);
	gen_decode(g);
	if (gen_odd(g, ODD_BACKWARDS, 3)) /* and the cycle goes on */
		gen_put(g, "@ %" PRIu64 "\n", g->tick - gen_dice(g, 2));
	if (gen_odd(g, ODD_LOST | ODD_REVIVED, 10))
		gen_lose(g);
	gen_oddities(g);
	for (size_t n = gen_dice(g, g->width + 1); n-- && g->count + 80 < GEN_LIVE;) {
		static const char *const texts[] = {"addq r1,r2,r3", "ldq r4,0(r19)", "bne r1,0x8",
						    "mov r1, #4", "nop"};
		uint64_t pc = 0x12000000 + 4 * gen_dice(g, 40);
		struct gen_row *r = gen_birth(g, pc, texts[pc / 4 % 5]);

		gen_move(g, (size_t)(r - g->live), 0);
	}
	while (g->count + 100 > GEN_LIVE) /* stuck ones must not fill the machine */
		gen_remove(g, 0);
}

/* Cycles until there are so many bytes. The text is g->text[0..g->len), whole lines. */
static inline void gen_trace(struct gen *g, uint64_t seed, unsigned odd, size_t bytes)
{
	memset(g, 0, sizeof(*g));
	g->rng = seed * UINT64_C(0x9e3779b97f4a7c15) + 0x1234567;
	g->odd = odd;
	for (int i = 0; i < 10; i++)
		gen_dice(g, 2);
	g->width = (unsigned)gen_dice(g, 4) + 1;
	g->tick = odd & ODD_PARTIAL ? 100 : gen_dice(g, 2);
	g->next_id = odd & ODD_PARTIAL ? 1000 : 0;
	if (odd & ODD_WRAP)
		g->next_id = UINT32_MAX - gen_dice(g, 60) - 1;
	g->first_id = g->next_id;
	while (g->len < bytes)
		gen_cycle(g);
}

static inline void gen_free(struct gen *g)
{
	free(g->text);
	memset(g, 0, sizeof(*g));
}

#endif
