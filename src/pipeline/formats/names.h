/*
 * The names of one trace: stages, events and statistics, numbered as they turn up.
 *
 * Stages and lanes have a last place: every name that there is no other place for shares it, and
 * nothing is lost but which of them it was. How many they are is counted.
 *
 * Shared by all threads that lex pieces of the trace. A number once given never changes; the
 * tables only grow. Look-up in a names_view is lock-free and costs a compare; adding takes a
 * lock and happens a few dozen times in a trace.
 */
#ifndef PIPEGLASS_PIPELINE_FORMATS_NAMES_H
#define PIPEGLASS_PIPELINE_FORMATS_NAMES_H

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "base/intern.h"
#include "pipeline/formats/reader.h"

enum {
	STAGE_REST = STAGE_MAX - 1, /* the last places */
	LANE_REST = LANE_MAX - 1,
	REST_COLOUR = 15,  /* no other stage of the trace's has it */
	REST_MAX = 1 << 14 /* names told apart in a last place */
};

/*
 * One of several CPUs in a file: its number, and above that a hash of what stands before the number
 * in its name, by which CPUs of one number are told apart.
 */
#define CPU_NONE UINT32_MAX
enum {
	CPU_NUMBER_BITS = 16,
	CPU_SHOWN = 1000, /* CPUs are shown as numbers below that */
	CPU_NAMESAKE = 100 /* a second one of a number as so much more */
};

static inline unsigned cpu_number(uint32_t cpu)
{
	return cpu & ((1u << CPU_NUMBER_BITS) - 1);
}

/* A thread of a CPU among the threads of a trace (names.of_cpus); any other value is just that. */
#define THREAD_OF_CPU (INT64_C(1) << 62)

static inline int64_t thread_of_cpu(uint32_t cpu, int32_t thread)
{
	return THREAD_OF_CPU | (int64_t)cpu << 16 | (thread > 0 ? thread : 0);
}

enum names_table { NAMES_STAGES, NAMES_LANES, NAMES_TABLES };

struct names {
	pthread_mutex_t lock;
	struct trace_config config; /* counts only grow; entries below them never change */
	char metrics[METRIC_MAX][32];
	size_t metric_count;
	char lanes[LANE_MAX][16]; /* lane "0" is number 0, "1" number 1, ... while there is room */
	size_t lane_count;
	bool stage_rest; /* the last stage is not the configuration's: it is shared */
	struct intern *rest[NAMES_TABLES]; /* the names in last places that were counted */
	int64_t *threads; /* number - 1 -> what the file calls it; 0 stands for none */
	size_t thread_count, thread_cap;
	uint16_t *thread_slots; /* their numbers by hash, twice thread_cap of them; 0: free */
	bool of_cpus;           /* threads are of CPUs: see thread_of_cpu() */
	uint32_t cpus[CPU_SHOWN]; /* by the number that each is shown as; CPU_NONE: free */
};

/* A private copy of what a lexer looks at in every line. */
struct names_view {
	size_t stages, events, metrics;
	uint32_t stage_pair[256]; /* of two letters, by names_pair(): letters | number << 16 */
	char stage_name[STAGE_MAX][16];
	uint8_t stage_len[STAGE_MAX];
	uint64_t stage_key[STAGE_MAX]; /* names_key() of the whole name */
	uint8_t stage_slot[256]; /* stage number by names_hash(), or behind; STAGE_NONE: free */
	uint64_t stage_mix;      /* of names_hash(): chosen so that none is behind, if possible */
	size_t lanes;
	uint64_t lane_key[LANE_MAX];
	bool has_rest[NAMES_TABLES]; /* the last place is taken, and for all names to come */
	struct {
		int64_t thread;
		uint16_t number;
	} recent[32]; /* threads asked for, by hash: a cache that a refresh leaves alone; 0: none */
	uint32_t event_mask[EVENT_MAX];
	uint32_t known_masks;    /* all event masks */
	uint32_t lasting_masks;  /* those whose events come with a latency */
	bool plain_events;       /* kind k has mask 1 << k for the low eight bits in use */
	char metric_name[METRIC_MAX][40]; /* room to be read in eights */
	uint8_t metric_len[METRIC_MAX];
};

void names_init(struct names *n, const struct trace_config *config);
void names_free(struct names *n);
void names_refresh(struct names *n, struct names_view *v);

/*
 * The stage's or metric's number, made when new; -1 when the table is full (of stages: of those of
 * a configuration, else the last place is for all names to come). Names longer than the table has
 * room for are clipped.
 */
int names_stage(struct names *n, const char *p, size_t len);
int names_metric(struct names *n, const char *p, size_t len);
/*
 * The lane's number. A decimal name is its own number while that is free, and brings those below
 * it along, so every lane below lane_count has a name and "0" is number 0. Asked for the names of
 * a table in their order, an empty one gives them the same numbers.
 */
int names_lane(struct names *n, const char *p, size_t len);
/*
 * A name that shares its table's last place. Is it one that was not counted yet? add: count it.
 * False also when REST_MAX of them were, or memory is out.
 */
bool names_rest(struct names *n, enum names_table table, const char *p, size_t len, bool add);
/* From 1, in the order asked for; -1 when the table is full or memory is. O(1). */
int names_thread(struct names *n, int64_t thread);
/*
 * What people are shown of a thread: 1000 times the thread plus the CPU, where it is of a CPU. Of
 * CPUs of one number those whose threads are named later are 100 more each. Under the lock. O(1).
 */
int64_t names_shown_thread(const struct names *n, int64_t thread);
/* Is the thread of the CPU, as far as can be told? A bare thread stands for a CPU's number. */
bool names_is_of_cpu(const struct names *n, int64_t thread, uint32_t cpu);
/* The same CPU's? */
bool names_share_cpu(const struct names *n, int64_t a, int64_t b);
/* The number if it has one, else 0. */
int names_known_thread(struct names *n, int64_t thread);
/* Every bit of mask becomes a kind ("bit-0x100"); false when the table is full. */
bool names_events(struct names *n, uint32_t mask);

/* ---- what a lexer asks its view in every line -------------------------------------------- */

/* Where the name of two letters, the first one lowest, stands in stage_pair. */
static inline unsigned names_pair(uint16_t letters)
{
	return (letters * 7u ^ letters >> 5) & 0xff;
}

/* The first eight bytes of a name as a number, zeros behind a shorter one. */
static inline uint64_t names_key(const char *p, size_t len)
{
	uint64_t key = 0;

	memcpy(&key, p, len < 8 ? len : 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	key = __builtin_bswap64(key);
#endif
	return key;
}

static inline uint8_t names_hash(uint64_t mix, uint64_t key, size_t len)
{
	return (uint8_t)((key + len) * mix >> 56);
}

/* The stage's number, or -1 when the view does not have it. One compare, but for collisions. */
static inline int names_view_stage(const struct names *n, const struct names_view *v, uint64_t key,
				   const char *p, size_t len)
{
	uint8_t slot = names_hash(v->stage_mix, key, len);

	for (uint8_t id; (id = v->stage_slot[slot]) != STAGE_NONE; slot++)
		if (v->stage_key[id] == key && v->stage_len[id] == len &&
		    (len <= 8 || memcmp(n->config.stages[id].name + 8, p + 8, len - 8) == 0))
			return id;
	return -1;
}

/* The lane's number, or -1 when the view does not have it. */
static inline int names_view_lane(const struct names *n, const struct names_view *v, uint64_t key,
				  const char *p, size_t len)
{
	for (size_t i = 0; i < v->lanes; i++)
		if (v->lane_key[i] == key &&
		    (len < 8 || (n->lanes[i][len] == '\0' && memcmp(n->lanes[i], p, len) == 0)))
			return (int)i;
	return -1;
}

static inline unsigned names_recent(int64_t thread)
{
	return (unsigned)((uint64_t)thread * UINT64_C(0x9e3779b97f4a7c15) >> 59);
}

/* The thread's number if it was asked for lately, else 0: then names_view_thread() knows. */
static inline unsigned names_recent_thread(const struct names_view *v, int64_t thread)
{
	unsigned slot = names_recent(thread);

	return v->recent[slot].thread == thread ? v->recent[slot].number : 0;
}

/* The thread's number; 0: it has none and must not be given one; -1: names_thread() failed. */
int names_view_thread(struct names *n, struct names_view *v, int64_t thread, bool may_name);

#endif
