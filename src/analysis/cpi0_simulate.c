#include "config.h"

#include "analysis/cpi0_simulate.h"

#include <stdlib.h>
#include <string.h>

enum { PERIODS_MOST = 1 << 22, /* instructions until a state must have come back */ NONE = -1 };

/* Dispatched and not retired; those of a queue are chained in their order. */
struct entry {
	int next;
	int8_t queue;
	bool waits;    /* in its queue */
	uint64_t done; /* then: the cycle from which it can retire */
};

/* So many in `den` cycles; credit: what is due of the next one. */
struct pace {
	uint64_t num, den, credit;
};

struct sim_queue {
	struct pace pace;
	uint64_t waiting, capacity, latency;
	int first, last; /* entries that wait */
};

struct cpi0_sim {
	bool queued;
	int queue_count;
	struct sim_queue queues[MACHINE_QUEUES];
	struct pace dispatch;
	uint64_t retire, slots; /* a cycle; left in this cycle */
	uint64_t now, in_flight, limit;
	struct entry *entries; /* ring of `limit`, unless queued */
	int head;
};

static uint64_t next_whole(struct pace *p)
{
	uint64_t whole;

	p->credit += p->num;
	whole = p->credit / p->den;
	p->credit %= p->den;
	return whole;
}

static struct pace pace_of(uint64_t num, uint64_t den)
{
	return (struct pace){num, den, 0};
}

struct cpi0_sim *cpi0_sim_new(const struct machine *m, const struct cpi0 *c)
{
	struct cpi0_sim *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->queued = m->queued;
	s->queue_count = m->queue_count;
	s->dispatch = pace_of((uint64_t)m->dispatch.num, (uint64_t)m->dispatch.den);
	s->retire = (uint64_t)((m->dispatch.num + m->dispatch.den - 1) / m->dispatch.den);
	s->limit = (uint64_t)m->in_flight;
	for (int q = 0; q < m->queue_count; q++)
		s->queues[q] = (struct sim_queue){.pace = pace_of((uint64_t)c->queues[q].rate.num,
								  (uint64_t)c->queues[q].rate.den),
						  .capacity = (uint64_t)m->queues[q].capacity,
						  .latency = (uint64_t)m->queues[q].latency,
						  .first = NONE,
						  .last = NONE};
	s->entries = calloc(s->limit, sizeof(*s->entries));
	if (!s->entries) {
		cpi0_sim_free(s);
		return NULL;
	}
	return s;
}

void cpi0_sim_free(struct cpi0_sim *s)
{
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
		struct entry *x = &s->entries[q->first];

		x->waits = false;
		x->done = s->now + q->latency - 1;
		q->first = x->next;
	}
}

static void retire(struct cpi0_sim *s)
{
	for (uint64_t n = 0; n < s->retire && s->in_flight; n++) {
		const struct entry *x = &s->entries[s->head];

		if (x->waits || x->done > s->now)
			break;
		s->head = (s->head + 1) % (int)s->limit;
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
	if (s->queued && queue == MACHINE_NO_QUEUE)
		return true;
	return s->in_flight < s->limit &&
	       (queue == MACHINE_NO_QUEUE || s->queues[queue].waiting < s->queues[queue].capacity);
}

static void put(struct cpi0_sim *s, int queue)
{
	int at = (int)(((uint64_t)s->head + s->in_flight) % s->limit);
	struct sim_queue *q = queue == MACHINE_NO_QUEUE ? NULL : &s->queues[queue];

	if (q || !s->queued)
		s->in_flight++;
	if (!s->queued)
		s->entries[at] = (struct entry){NONE, (int8_t)queue, q != NULL, s->now};
	if (!q)
		return;
	if (!s->queued && q->waiting)
		s->entries[q->last].next = at;
	if (!q->waiting)
		q->first = at;
	q->last = at;
	q->waiting++;
}

void cpi0_sim_add(struct cpi0_sim *s, int queue)
{
	while (!s->slots || !has_room(s, queue))
		next_cycle(s);
	s->slots--;
	put(s, queue);
}

uint64_t cpi0_sim_end(struct cpi0_sim *s)
{
	while (s->in_flight)
		next_cycle(s);
	return s->now ? s->now : 1;
}

/* ---- patterns ---------------------------------------------------------------------------- */

typedef VEC(uint64_t) state_vec;

/* All that decides what happens next. */
static bool note_state(const struct cpi0_sim *s, state_vec *out)
{
	vec_clear(out);
	if (!vec_reserve(out, 4 + 2 * MACHINE_QUEUES + s->limit))
		return false;
	out->data[out->count++] = s->slots;
	out->data[out->count++] = s->dispatch.credit;
	out->data[out->count++] = s->in_flight;
	for (int q = 0; q < s->queue_count; q++) {
		out->data[out->count++] = s->queues[q].waiting;
		out->data[out->count++] = s->queues[q].pace.credit;
	}
	for (uint64_t i = 0; !s->queued && i < s->in_flight; i++) {
		const struct entry *x = &s->entries[((uint64_t)s->head + i) % s->limit];
		uint64_t left = x->waits           ? MACHINE_MOST + 1
				: x->done > s->now ? x->done - s->now
						   : 0;

		out->data[out->count++] = left * (MACHINE_QUEUES + 1) + (uint64_t)(x->queue + 1);
	}
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
			cpi0_sim_add(s, pattern->data[i]);
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
	return memory ? STATUS_OK : error_set(e, STATUS_NOMEM, "out of memory");
}
