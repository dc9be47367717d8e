#include "config.h"

#include "analysis/pipeline/cpi0_simulate.h"

#include <stdlib.h>
#include <string.h>

enum { PERIODS_MOST = 1 << 22 /* instructions until a state must have come back */ };

/* Dispatched and not retired. */
struct entry {
	uint32_t waits; /* places that it has to leave yet */
	uint64_t done;  /* without any: the cycle from which it can retire */
};

/* `whole` a cycle, and `num` more in `den` cycles; credit: what is due of the next one. */
struct pace {
	uint64_t whole, num, den, credit;
};

struct sim_queue {
	struct pace pace;
	uint64_t waiting, capacity, latency;
	int *entries; /* that wait, in their order: a ring of `capacity`, unless queued */
	uint64_t first;
};

struct cpi0_sim {
	bool queued;
	int queue_count;
	struct sim_queue queues[MACHINE_QUEUES];
	struct pace dispatch;
	uint64_t retire, slots; /* a cycle; left in this cycle */
	uint64_t now, in_flight, limit;
	struct entry *entries; /* ring of `limit`, unless queued */
	uint64_t head;
};

static uint64_t next_whole(struct pace *p)
{
	p->credit += p->num;
	if (p->credit < p->den)
		return p->whole;
	p->credit -= p->den;
	return p->whole + 1;
}

/* Of more than 64 bits are only terms of rates that many units make. */
static struct pace pace_of(struct cpi0_ratio r)
{
	return (struct pace){(uint64_t)(r.num / r.den), (uint64_t)(r.num % r.den), (uint64_t)r.den, 0};
}

static bool reserve(struct cpi0_sim *s)
{
	bool all = (s->entries = calloc(s->limit, sizeof(*s->entries))) != NULL;

	for (int q = 0; q < s->queue_count; q++) {
		struct sim_queue *x = &s->queues[q];

		x->entries = calloc(x->capacity, sizeof(*x->entries));
		all = all && x->entries;
	}
	return all;
}

struct cpi0_sim *cpi0_sim_new(const struct machine *m, const struct cpi0 *c)
{
	struct cpi0_sim *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->queued = m->queued;
	s->queue_count = m->queue_count;
	s->dispatch = pace_of((struct cpi0_ratio){(cpi0_wide)m->dispatch.num,
						  (cpi0_wide)m->dispatch.den});
	s->retire = (uint64_t)((m->dispatch.num + m->dispatch.den - 1) / m->dispatch.den);
	s->limit = (uint64_t)m->in_flight;
	for (int q = 0; q < m->queue_count; q++)
		s->queues[q] = (struct sim_queue){.pace = pace_of(c->queues[q].rate),
						  .capacity = (uint64_t)m->queues[q].capacity,
						  .latency = (uint64_t)m->queues[q].latency};
	if (!s->queued && !reserve(s)) {
		cpi0_sim_free(s);
		return NULL;
	}
	return s;
}

void cpi0_sim_free(struct cpi0_sim *s)
{
	for (int q = 0; s && q < s->queue_count; q++)
		free(s->queues[q].entries);
	if (s)
		free(s->entries);
	free(s);
}

/* ---- a cycle ----------------------------------------------------------------------------- */

static void let_go(struct cpi0_sim *s, struct sim_queue *q)
{
	uint64_t n = next_whole(&q->pace);

	n = n < q->waiting ? n : q->waiting;
	q->waiting -= n;
	if (s->queued) {
		s->in_flight -= n;
		return;
	}
	for (; n; n--) {
		struct entry *x = &s->entries[q->entries[q->first]];
		uint64_t done = s->now + q->latency - 1;

		x->waits--;
		x->done = done > x->done ? done : x->done;
		q->first = (q->first + 1) % q->capacity;
	}
}

static void retire(struct cpi0_sim *s)
{
	for (uint64_t n = 0; n < s->retire && s->in_flight; n++) {
		const struct entry *x = &s->entries[s->head];

		if (x->waits || x->done > s->now)
			break;
		s->head = (s->head + 1) % s->limit;
		s->in_flight--;
	}
}

static void next_cycle(struct cpi0_sim *s)
{
	s->now++;
	for (int q = 0; q < s->queue_count; q++)
		let_go(s, &s->queues[q]);
	if (!s->queued)
		retire(s);
	s->slots = next_whole(&s->dispatch);
}

/* ---- instructions ------------------------------------------------------------------------ */

static bool has_room(const struct cpi0_sim *s, int queue)
{
	return s->queues[queue].waiting < s->queues[queue].capacity &&
	       (!s->queued || s->in_flight < s->limit);
}

/* The first of its places, if any, and one of a reorder buffer. */
static bool can_begin(const struct cpi0_sim *s, const int8_t *queues, int count)
{
	return s->slots && (s->queued || s->in_flight < s->limit) &&
	       (!count || has_room(s, queues[0]));
}

static void put(struct cpi0_sim *s, int queue, int at)
{
	struct sim_queue *q = &s->queues[queue];

	if (s->queued)
		s->in_flight++;
	else
		q->entries[(q->first + q->waiting) % q->capacity] = at;
	q->waiting++;
}

void cpi0_sim_add(struct cpi0_sim *s, const int8_t *queues, int count)
{
	int at = 0;

	while (!can_begin(s, queues, count))
		next_cycle(s);
	s->slots--;
	if (!s->queued) {
		at = (int)((s->head + s->in_flight++) % s->limit);
		s->entries[at] = (struct entry){(uint32_t)count, s->now};
	}
	for (int i = 0; i < count; i++) {
		while (!has_room(s, queues[i]))
			next_cycle(s);
		put(s, queues[i], at);
	}
}

uint64_t cpi0_sim_end(struct cpi0_sim *s)
{
	while (s->in_flight)
		next_cycle(s);
	return s->now ? s->now : 1;
}

/* ---- patterns ---------------------------------------------------------------------------- */

typedef VEC(uint64_t) state_vec;

/* Which of those in flight wait there. */
static void note_waiting(const struct cpi0_sim *s, const struct sim_queue *q, state_vec *out)
{
	for (uint64_t i = 0; i < q->waiting; i++) {
		uint64_t at = (uint64_t)q->entries[(q->first + i) % q->capacity];

		out->data[out->count++] = (at + s->limit - s->head) % s->limit;
	}
}

/* All that decides what happens next. */
static bool note_state(const struct cpi0_sim *s, state_vec *out)
{
	vec_clear(out);
	if (!vec_reserve(out, 4 + 2 * MACHINE_QUEUES + s->limit * (1 + MACHINE_QUEUES)))
		return false;
	out->data[out->count++] = s->slots;
	out->data[out->count++] = s->dispatch.credit;
	out->data[out->count++] = s->in_flight;
	for (int q = 0; q < s->queue_count; q++) {
		out->data[out->count++] = s->queues[q].waiting;
		out->data[out->count++] = s->queues[q].pace.credit;
	}
	for (uint64_t i = 0; !s->queued && i < s->in_flight; i++) {
		const struct entry *x = &s->entries[(s->head + i) % s->limit];

		out->data[out->count++] = x->waits           ? MACHINE_MOST + x->waits
					  : x->done > s->now ? x->done - s->now
							     : 0;
	}
	for (int q = 0; !s->queued && q < s->queue_count; q++)
		note_waiting(s, &s->queues[q], out);
	return true;
}

static bool is_same(const state_vec *a, const state_vec *b)
{
	return a->count == b->count && memcmp(a->data, b->data, a->count * sizeof(a->data[0])) == 0;
}

/* Brent's way to a cycle: the state kept is that after 1, 2, 4, 8... periods. */
static bool find_period(struct cpi0_sim *s, const queue_vec *pattern, struct cpi0_ratio *cpi,
			bool *exact)
{
	uint64_t most = PERIODS_MOST / pattern->count + 2, kept = 0, kept_at = 0;
	state_vec old = {0}, now = {0};
	bool memory = true;

	*exact = false;
	for (uint64_t period = 1; memory && !*exact && period <= most; period++) {
		for (size_t i = 0; i < pattern->count; i++)
			cpi0_sim_add(s, &pattern->data[i], pattern->data[i] != MACHINE_NO_QUEUE);
		memory = note_state(s, &now);
		*exact = memory && kept && is_same(&old, &now);
		if (kept)
			*cpi = (struct cpi0_ratio){s->now - kept_at,
						   (cpi0_wide)(period - kept) * pattern->count};
		if (!*exact && (period & (period - 1)) == 0 && period * 2 <= most) {
			state_vec spare = old;

			old = now;
			now = spare;
			kept = period;
			kept_at = s->now;
		}
	}
	vec_free(&old);
	vec_free(&now);
	return memory;
}

enum status cpi0_simulate(struct cpi0_ratio *cpi, bool *exact, const struct machine *m,
			  const struct cpi0 *c, const queue_vec *pattern, struct error *e)
{
	struct cpi0_sim *s = cpi0_sim_new(m, c);
	bool memory = s && find_period(s, pattern, cpi, exact);

	cpi0_sim_free(s);
	if (memory && !*exact && cpi0_compare(*cpi, c->cpi) < 0)
		*cpi = c->cpi;
	return memory ? STATUS_OK : error_set(e, STATUS_NOMEM, "out of memory");
}
