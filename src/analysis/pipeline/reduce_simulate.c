#include "config.h"

#include "analysis/pipeline/reduce_simulate.h"

#include <stdlib.h>
#include <string.h>

/*
 * A row holds, for every pipeline, the cycles lost up to an instruction: t[i] - i, less what was
 * moved to the totals. Instructions that nothing delays share the row of the one before. Rows are
 * ordered by execution section, longest first, so that a dependency concerns the first of a row.
 *
 * Numbers stay far below 2^31: SETTLE_EVERY instructions lose at most 3 * REDUCE_LENGTH_MOST each.
 */
enum { BLOCK = 8, SETTLE_EVERY = 8192, CELLS_MOST = 1 << 26 };

#define ROW_SELF UINT32_MAX

typedef int32_t lane;
typedef void wait_function(lane *row, const lane *before, const lane *from, const lane *execute,
			   size_t lanes, lane distance);

struct lane_of {
	int32_t execute, setup;
	size_t point;
};

struct simulation {
	size_t points, width; /* width: whole blocks */
	struct lane_of *lanes;
	int64_t *totals;
	lane *execute, *flush; /* of each lane: execute, setup - 1 */
	size_t *concerned;     /* by distance: lanes with a longer execution section, in blocks */
	int64_t longest;
	wait_function *wait;
	lane *rows; /* a ring of row_count */
	uint32_t row_count, row;
	uint32_t *row_of; /* a ring of row_count instructions; ROW_SELF: resolved itself */
	int64_t node;
	bool shorts, target;
	int64_t ahead;
};

static int compare_lanes(const void *a, const void *b)
{
	const struct lane_of *x = a, *y = b;

	return (x->execute < y->execute) - (x->execute > y->execute);
}

static enum status take_points(struct simulation *s, const struct pipeline *points, struct error *e)
{
	for (size_t i = 0; i < s->points; i++) {
		const struct pipeline *p = &points[i];

		if (p->execute < 1 || p->execute > REDUCE_LENGTH_MOST || p->setup < 1 ||
		    p->setup > REDUCE_LENGTH_MOST)
			return error_set(e, STATUS_USAGE, "N_E and N_S must be 1 to %d",
					 REDUCE_LENGTH_MOST);
		s->lanes[i] = (struct lane_of){(int32_t)p->execute, (int32_t)p->setup, i};
		if (p->execute > s->longest)
			s->longest = p->execute;
	}
	if (s->points)
		qsort(s->lanes, s->points, sizeof(*s->lanes), compare_lanes);
	return STATUS_OK;
}

static bool make_lanes(struct simulation *s)
{
	s->execute = calloc(s->width, sizeof(lane));
	s->flush = calloc(s->width, sizeof(lane));
	s->totals = calloc(s->width, sizeof(*s->totals));
	s->concerned = calloc((size_t)s->longest + 1, sizeof(*s->concerned));
	if (!s->execute || !s->flush || !s->totals || !s->concerned)
		return false;
	for (size_t i = 0; i < s->points; i++) {
		s->execute[i] = s->lanes[i].execute;
		s->flush[i] = s->lanes[i].setup - 1;
		for (int32_t d = 0; d < s->lanes[i].execute; d++)
			s->concerned[d] = (i + BLOCK) / BLOCK * BLOCK;
	}
	return true;
}

static enum status make_rows(struct simulation *s, struct error *e)
{
	s->row_count = 2;
	while (s->row_count <= s->longest + 1)
		s->row_count *= 2;
	if (s->row_count > CELLS_MOST / s->width)
		return error_set(e, STATUS_USAGE, "too many pipelines of that length to simulate");
	s->rows = calloc(s->row_count * s->width, sizeof(lane));
	s->row_of = calloc(s->row_count, sizeof(*s->row_of));
	return s->rows && s->row_of ? STATUS_OK : error_set(e, STATUS_NOMEM, "no memory");
}

static lane *row_at(const struct simulation *s, uint32_t row)
{
	return s->rows + (size_t)row * s->width;
}

/* The row of this instruction; what is in it is up to the caller. */
static lane *new_row(struct simulation *s)
{
	s->row = (s->row + 1) & (s->row_count - 1);
	return row_at(s, s->row);
}

/*
 * t[i] >= t[r] + execute: what was lost up to r, and what the distance does not cover. Most of
 * the time goes here; AVX2 takes a block at once. row and before may be the same.
 */
static inline __attribute__((always_inline)) void wait_in(lane *row, const lane *before,
							  const lane *restrict from,
							  const lane *restrict execute,
							  size_t lanes, lane distance)
{
	for (size_t first = 0; first < lanes; first += BLOCK) {
		lane now[BLOCK];

		for (size_t i = 0; i < BLOCK; i++) {
			lane lost = from[first + i] + execute[first + i] - distance;

			now[i] = before[first + i] > lost ? before[first + i] : lost;
		}
		memcpy(row + first, now, sizeof(now));
	}
}

static void wait_anywhere(lane *row, const lane *before, const lane *from, const lane *execute,
			  size_t lanes, lane distance)
{
	wait_in(row, before, from, execute, lanes, distance);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static void wait_avx2(lane *row, const lane *before,
						      const lane *from, const lane *execute,
						      size_t lanes, lane distance)
{
	wait_in(row, before, from, execute, lanes, distance);
}
#endif

static wait_function *choose_wait(void)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2"))
		return wait_avx2;
#endif
	return wait_anywhere;
}

void simulation_free(struct simulation *s)
{
	if (!s)
		return;
	free(s->lanes);
	free(s->totals);
	free(s->execute);
	free(s->flush);
	free(s->concerned);
	free(s->rows);
	free(s->row_of);
	free(s);
}

enum status simulation_new(struct simulation **out, const struct pipeline *points, size_t n,
			   bool shorts, struct error *e)
{
	struct simulation *s = calloc(1, sizeof(*s));
	enum status status;

	*out = NULL;
	if (!s)
		return error_set(e, STATUS_NOMEM, "no memory");
	s->points = n;
	s->shorts = shorts;
	s->wait = choose_wait();
	s->width = n ? (n + BLOCK - 1) / BLOCK * BLOCK : BLOCK;
	s->lanes = calloc(n + 1, sizeof(*s->lanes));
	status = s->lanes ? take_points(s, points, e) : error_set(e, STATUS_NOMEM, "no memory");
	if (!status && !make_lanes(s))
		status = error_set(e, STATUS_NOMEM, "no memory");
	if (!status)
		status = make_rows(s, e);
	if (status)
		simulation_free(s);
	else
		*out = s;
	return status;
}

static void flush(const struct simulation *s, lane *restrict row, const lane *restrict before)
{
	bool is_short = s->shorts && s->ahead > 0 && s->ahead <= REDUCE_LENGTH_MOST;
	const lane most = is_short ? (lane)s->ahead - 1 : REDUCE_LENGTH_MOST;
	const lane *restrict full = s->flush;

	for (size_t first = 0; first < s->width; first += BLOCK)
		for (size_t i = first; i < first + BLOCK; i++)
			row[i] = before[i] + (full[i] < most ? full[i] : most);
}

static void resolve_self(const struct simulation *s, lane *row, const lane *before)
{
	for (size_t i = 0; i < s->width; i++)
		row[i] = before[i] + s->execute[i];
}

/* The rows of one distance: what concerns only the first lanes leaves the others as they were. */
static void wait_for(const struct simulation *s, lane *row, const lane *before, uint32_t from,
		     int64_t distance)
{
	size_t lanes = s->concerned[distance];

	s->wait(row, before, row_at(s, from), s->execute, lanes, (lane)distance);
	if (row != before)
		memcpy(row + lanes, before + lanes, (s->width - lanes) * sizeof(lane));
}

/* Move what all rows have in common to the totals. */
static void settle(struct simulation *s)
{
	const lane *now = row_at(s, s->row);

	for (size_t i = 0; i < s->width; i++) {
		lane base = now[i];

		s->totals[i] += base;
		for (uint32_t row = 0; row < s->row_count; row++)
			row_at(s, row)[i] -= base;
	}
}

void simulation_add(struct simulation *s, const struct reduce_step *step)
{
	uint32_t slot = (uint32_t)s->node & (s->row_count - 1);
	const lane *before = row_at(s, s->row);
	lane *row = NULL;

	if (s->target) {
		row = new_row(s);
		flush(s, row, before);
	}
	for (size_t i = 0; i < step->count; i++) {
		int64_t distance = s->node - step->resolvers[i];
		uint32_t from;

		if (distance >= s->longest)
			continue;
		from = s->row_of[(uint32_t)step->resolvers[i] & (s->row_count - 1)];
		if (from == ROW_SELF)
			continue; /* nothing gets past it before its result is there */
		if (row) {
			wait_for(s, row, row, from, distance);
		} else {
			row = new_row(s);
			wait_for(s, row, before, from, distance);
		}
	}
	if (step->self && row)
		resolve_self(s, row, row);
	else if (step->self)
		resolve_self(s, new_row(s), before);
	s->row_of[slot] = step->self ? ROW_SELF : s->row;
	s->target = step->taken;
	s->ahead = step->ahead;
	if (++s->node % SETTLE_EVERY == 0)
		settle(s);
}

void simulation_cycles(const struct simulation *s, int64_t *out)
{
	for (size_t i = 0; i < s->points; i++)
		out[s->lanes[i].point] = s->node + s->totals[i] + row_at(s, s->row)[i];
}
