#include "config.h"

#include "analysis/pipeline/reduce_simulate.h"

#include <stdlib.h>
#include <string.h>

/*
 * A row holds, for every pipeline, the cycles lost up to an instruction: t[i] - i, less what was
 * moved to the totals. Numbers stay far below 2^31: SETTLE_EVERY instructions lose at most
 * 3 * REDUCE_LENGTH_MOST each. Small numbers, as most of the time goes to their comparisons.
 */
enum { SETTLE_EVERY = 8192, CELLS_MOST = 1 << 26 };

typedef int32_t lane;

struct simulation {
	size_t points;
	lane *execute, *flush; /* of each pipeline: execute, setup - 1 */
	int64_t *totals;
	int64_t longest;
	size_t row_count;
	lane *rows; /* a ring of row_count */
	bool *self; /* of each row: nothing gets past it before its result is there */
	lane *now;  /* of the last instruction, with what it waited for itself */
	int64_t node, ahead;
	bool shorts, target;
};

static enum status take_points(struct simulation *s, const struct pipeline *points, struct error *e)
{
	for (size_t i = 0; i < s->points; i++) {
		const struct pipeline *p = &points[i];

		if (p->execute < 1 || p->execute > REDUCE_LENGTH_MOST || p->setup < 1 ||
		    p->setup > REDUCE_LENGTH_MOST)
			return error_set(e, STATUS_USAGE, "N_E and N_S must be 1 to %d",
					 REDUCE_LENGTH_MOST);
		s->execute[i] = (lane)p->execute;
		s->flush[i] = (lane)p->setup - 1;
		if (p->execute > s->longest)
			s->longest = p->execute;
	}
	return STATUS_OK;
}

static enum status make_rows(struct simulation *s, struct error *e)
{
	s->row_count = (size_t)s->longest + 1;
	if (s->row_count > CELLS_MOST / (s->points + 1))
		return error_set(e, STATUS_USAGE, "too many pipelines of that length to simulate");
	s->rows = calloc(s->row_count * (s->points + 1), sizeof(lane));
	s->self = calloc(s->row_count, sizeof(*s->self));
	return s->rows && s->self ? STATUS_OK : error_set(e, STATUS_NOMEM, "no memory");
}

void simulation_free(struct simulation *s)
{
	if (!s)
		return;
	free(s->execute);
	free(s->flush);
	free(s->totals);
	free(s->rows);
	free(s->self);
	free(s->now);
	free(s);
}

enum status simulation_new(struct simulation **out, const struct pipeline *points, size_t n,
			   bool shorts, struct error *e)
{
	struct simulation *s = calloc(1, sizeof(*s));
	enum status status = STATUS_OK;

	*out = NULL;
	if (!s)
		return error_set(e, STATUS_NOMEM, "no memory");
	s->points = n;
	s->shorts = shorts;
	s->execute = calloc(n + 1, sizeof(lane));
	s->flush = calloc(n + 1, sizeof(lane));
	s->totals = calloc(n + 1, sizeof(*s->totals));
	s->now = calloc(n + 1, sizeof(lane));
	if (!s->execute || !s->flush || !s->totals || !s->now)
		status = error_set(e, STATUS_NOMEM, "no memory");
	if (!status)
		status = take_points(s, points, e);
	if (!status)
		status = make_rows(s, e);
	if (status)
		simulation_free(s);
	else
		*out = s;
	return status;
}

static lane *row_at(const struct simulation *s, int64_t node)
{
	return s->rows + (size_t)node % s->row_count * s->points;
}

static void flush(struct simulation *s)
{
	bool is_short = s->shorts && s->ahead > 0 && s->ahead <= REDUCE_LENGTH_MOST;
	const lane most = is_short ? (lane)s->ahead - 1 : REDUCE_LENGTH_MOST;
	const lane *restrict full = s->flush;
	lane *restrict now = s->now;

	for (size_t i = 0; i < s->points; i++)
		now[i] += full[i] < most ? full[i] : most;
}

/* t[i] >= t[r] + execute: what was lost up to r, and what the distance does not cover. */
static void wait_for(struct simulation *s, int64_t resolver)
{
	const lane distance = (lane)(s->node - resolver);
	const lane *restrict from = row_at(s, resolver), *restrict execute = s->execute;
	lane *restrict now = s->now;

	for (size_t i = 0; i < s->points; i++) {
		lane lost = from[i] + execute[i] - distance;

		now[i] = now[i] > lost ? now[i] : lost;
	}
}

static void resolve_self(struct simulation *s)
{
	for (size_t i = 0; i < s->points; i++)
		s->now[i] += s->execute[i];
}

/* Move what all rows have in common to the totals. */
static void settle(struct simulation *s)
{
	for (size_t i = 0; i < s->points; i++) {
		lane base = s->now[i];

		s->totals[i] += base;
		s->now[i] = 0;
		for (size_t row = 0; row < s->row_count; row++)
			s->rows[row * s->points + i] -= base;
	}
}

void simulation_add(struct simulation *s, const struct reduce_step *step)
{
	if (s->target)
		flush(s);
	for (size_t i = 0; i < step->count; i++) {
		int64_t resolver = step->resolvers[i];

		if (s->node - resolver < s->longest && !s->self[(size_t)resolver % s->row_count])
			wait_for(s, resolver);
	}
	memcpy(row_at(s, s->node), s->now, s->points * sizeof(lane));
	s->self[(size_t)s->node % s->row_count] = step->self;
	if (step->self)
		resolve_self(s);
	s->target = step->taken;
	s->ahead = step->ahead;
	if (++s->node % SETTLE_EVERY == 0)
		settle(s);
}

void simulation_cycles(const struct simulation *s, int64_t *out)
{
	for (size_t i = 0; i < s->points; i++)
		out[i] = s->node + s->totals[i] + s->now[i];
}
