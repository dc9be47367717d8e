/*
 * The instructions alive: id -> what is known of each so far.
 *
 * Ids of a trace are dense, so an open-addressing table indexed by the low bits of the id is
 * a ring without collisions; ids that are not dense still work. O(1); memory follows the
 * number alive, not the ids.
 */
#ifndef PIPEGLASS_PIPELINE_INDEX_LIVE_H
#define PIPEGLASS_PIPELINE_INDEX_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	LIVE_USED = 1,
	LIVE_FETCHED = 2,   /* has been in a fetch stage: no micro-op */
	LIVE_COMMITTED = 4, /* has entered a commit stage */
	LIVE_MICRO = 8,
	LIVE_UNBORN = 16, /* no birth record */
	LIVE_REVIVED = 32 /* was taken for lost for a while */
};

enum { LIVE_PAST = 2, LIVE_ROOMY = 1 << 12, LIVE_NOWHERE = 0xff, LIVE_SOONER = (1 << 23) - 1 };

/* 48 bytes: there may be a million of them, and they are looked at in every line. */
struct live {
	uint64_t id;
	uint64_t row;     /* the owner's number for it */
	int64_t since;    /* entered its stage */
	int64_t ended;    /* when the stage before ended */
	int32_t sooner : 24; /* and so much sooner the one before that: at most LIVE_SOONER */
	uint8_t flags;
	uint32_t longest; /* ticks in the stage it was longest in, so far */
	uint16_t events;
	uint16_t lanes; /* set of lanes but the first that it has been in */
	uint8_t stage, dominant;
	uint8_t past[LIVE_PAST]; /* the stages before; LIVE_NOWHERE: none, or forgotten */
};

struct live_table {
	struct live *slots;
	size_t cap, count; /* cap is a power of two */
	size_t displaced;  /* entries not in the slot their id asks for; none when ids are dense */
};

/* Dense ids are neighbours; ids that differ high up are strewn, differently in each process. */
extern uint64_t live_secret;

static inline size_t live_home(const struct live_table *t, uint64_t id)
{
	return (size_t)(id + (id >> 24) * live_secret) & (t->cap - 1);
}

bool live_init(struct live_table *t);
void live_free(struct live_table *t);
void live_clear(struct live_table *t); /* a crowd's memory is given back */
bool live_grow(struct live_table *t);
void live_close_gap(struct live_table *t, size_t hole);

static inline struct live *live_find(const struct live_table *t, uint64_t id)
{
	size_t i = live_home(t, id);

	if (t->slots[i].flags && t->slots[i].id == id)
		return &t->slots[i];
	/* where nobody is displaced, a full neighbourhood need not be searched */
	if (t->displaced == 0)
		return NULL;
	for (; t->slots[i].flags; i = (i + 1) & (t->cap - 1))
		if (t->slots[i].id == id)
			return &t->slots[i];
	return NULL;
}

/*
 * Where nobody is displaced a table three quarters full is as quick as an empty one. Where some
 * are, room is what keeps the others apart, and a small table has much.
 */
static inline bool live_is_full(const struct live_table *t)
{
	if (t->displaced)
		return t->count * 4 >= t->cap || (t->cap < LIVE_ROOMY && t->count * 32 >= t->cap);
	return t->count * 4 >= t->cap * 3;
}

/* A new entry for an id that is not there, its flags LIVE_USED; NULL: no memory. */
static inline struct live *live_add(struct live_table *t, uint64_t id)
{
	struct live *l;
	size_t i;

	if (live_is_full(t) && !live_grow(t))
		return NULL;
	i = live_home(t, id);
	if (t->slots[i].flags) {
		do
			i = (i + 1) & (t->cap - 1);
		while (t->slots[i].flags);
		t->displaced++;
	}
	l = &t->slots[i];
	t->count++;
	l->id = id;
	l->flags = LIVE_USED;
	l->since = 0;
	l->longest = 0;
	l->events = l->lanes = 0;
	l->stage = l->dominant = LIVE_NOWHERE;
	memset(l->past, LIVE_NOWHERE, sizeof(l->past));
	return l;
}

/* Its next stage, or none, begins now. What ended too long ago is forgotten. */
static inline void live_begin(struct live *l, unsigned stage, int64_t now)
{
	if (l->stage != LIVE_NOWHERE) {
		uint64_t since = (uint64_t)now - (uint64_t)l->ended;

		l->past[1] = since <= LIVE_SOONER ? l->past[0] : LIVE_NOWHERE;
		l->sooner = (int32_t)(since & LIVE_SOONER);
		l->past[0] = l->stage;
		l->ended = now;
	}
	l->stage = (uint8_t)stage;
	l->since = now;
}

/*
 * A stage that the next ones seemed to have ended goes on beside them until now: from when on that
 * was not known. False: it is none of the last ones.
 */
static inline bool live_stretch(struct live *l, unsigned stage, int64_t now, int64_t *from)
{
	if (l->past[0] == stage) {
		*from = l->ended;
		if (now - l->ended <= LIVE_SOONER - l->sooner)
			l->sooner += (int32_t)(now - l->ended);
		else
			l->past[1] = LIVE_NOWHERE;
		l->ended = now;
		return true;
	}
	if (l->past[1] != stage)
		return false;
	*from = l->ended - l->sooner;
	if (now - l->ended <= LIVE_SOONER)
		l->sooner = (int32_t)(l->ended - now);
	else
		l->past[1] = LIVE_NOWHERE;
	return true;
}

static inline void live_remove(struct live_table *t, struct live *l)
{
	t->count--;
	if (t->displaced)
		live_close_gap(t, (size_t)(l - t->slots));
	else
		l->flags = 0;
}

#endif
