#include "config.h"

#include "analysis/pipeline/align_steps.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analysis/pipeline/align_keys.h"
#include "analysis/lcs.h"

enum {
	READ_STEPS = 4096,
	CELLS = 1 << 18 /* pairs of steps among which a longest common subsequence is looked for */
};

/* Some steps of a side as the diff reads them. */
struct reading {
	const struct align_side *side;
	uint64_t first, count;
	struct path_step *steps;
};

static size_t read_keys(void *arg, uint64_t first, size_t n, uint32_t *out)
{
	const struct reading *r = arg;
	size_t done = 0;

	while (done < n) {
		size_t want = n - done < READ_STEPS ? n - done : READ_STEPS;
		size_t got = path_read(r->side->path, r->first + first + done, want, r->steps);

		if (got == 0)
			break;
		for (size_t i = 0; i < got; i++)
			out[done + i] =
			    align_key_of(r->side, r->first + first + done + i, r->steps[i].code);
		done += got;
	}
	return done;
}

static enum status diff_steps(struct diff *out, struct reading r[ALIGN_SIDES],
			      const atomic_bool *stop, struct error *e)
{
	struct diff_side d[ALIGN_SIDES];
	enum status status = STATUS_OK;

	for (int s = 0; s < ALIGN_SIDES; s++) {
		r[s].steps = malloc(sizeof(*r[s].steps) * READ_STEPS);
		d[s] = (struct diff_side){r[s].count, read_keys, &r[s]};
	}
	if (!r[ALIGN_A].steps || !r[ALIGN_B].steps)
		status = align_no_memory(e);
	else
		status = diff_new(out, &d[ALIGN_A], &d[ALIGN_B], stop, e);
	for (int s = 0; s < ALIGN_SIDES; s++)
		free(r[s].steps);
	return status;
}

static enum status by_commit(struct align *al, const atomic_bool *stop, struct error *e)
{
	struct reading r[ALIGN_SIDES];

	for (int s = 0; s < ALIGN_SIDES; s++)
		r[s] =
		    (struct reading){.side = &al->side[s], .count = path_count(al->side[s].path)};
	return diff_steps(&al->diff, r, stop, e);
}

/* Steps that follow each other and were born at the same time: a cycle's, as a rule. */
struct group {
	struct path_cursor at;
	uint64_t first, count;
	int64_t time;
	VEC(uint32_t) keys; /* of CELLS of them, at most */
};

struct births {
	struct align *al;
	const atomic_bool *stop;
	struct group group[ALIGN_SIDES];
	struct lcs lcs;
};

static bool stopped(const struct births *b)
{
	return b->stop && *b->stop;
}

/* The group behind the one that is held; it is empty behind the last. False: no memory. */
static bool next_group(struct births *b, int side)
{
	struct group *g = &b->group[side];
	const struct path_step *x;

	g->first += g->count;
	g->count = 0;
	vec_clear(&g->keys);
	while (!stopped(b) && (x = path_at(&g->at, g->first + g->count))) {
		int64_t time = align_time(b->al, side, x->start);

		if (g->count && time != g->time)
			break;
		if (g->count < CELLS &&
		    !vec_push(&g->keys,
			      align_key_of(&b->al->side[side], g->first + g->count, x->code)))
			return false;
		g->time = time;
		g->count++;
	}
	return true;
}

/* One more run; when there are too many already it is left out. False: no memory. */
static bool add(struct diff *d, uint64_t i, uint64_t j, uint64_t length)
{
	return diff_add(d, i, j, length) || d->runs.count >= DIFF_RUNS;
}

/* Groups whose product is CELLS at most. */
static bool match_exactly(struct births *b)
{
	const struct group *x = &b->group[ALIGN_A], *y = &b->group[ALIGN_B];
	bool ok = lcs_find(&b->lcs, x->keys.data, x->count, y->keys.data, y->count);

	for (size_t k = 0; ok && k < b->lcs.runs.count; k++) {
		const struct run *r = &b->lcs.runs.data[k];

		ok = add(&b->al->diff, x->first + r->a, y->first + r->b, r->length);
	}
	return ok;
}

/* Any others, as a diff would. */
static enum status match_many(struct births *b, struct error *e)
{
	struct reading r[ALIGN_SIDES];
	enum status status;
	struct diff found;
	bool ok = true;

	for (int s = 0; s < ALIGN_SIDES; s++)
		r[s] = (struct reading){.side = &b->al->side[s],
					.first = b->group[s].first,
					.count = b->group[s].count};
	status = diff_steps(&found, r, b->stop, e);
	if (status)
		return status;
	for (size_t k = 0; k < found.runs.count && ok; k++)
		ok = add(&b->al->diff, r[ALIGN_A].first + found.runs.data[k].a,
			 r[ALIGN_B].first + found.runs.data[k].b, found.runs.data[k].length);
	diff_free(&found);
	return ok ? STATUS_OK : align_no_memory(e);
}

static enum status match_groups(struct births *b, struct error *e)
{
	const struct group *x = &b->group[ALIGN_A], *y = &b->group[ALIGN_B];
	enum status status = STATUS_OK;
	bool ok = next_group(b, ALIGN_A) && next_group(b, ALIGN_B);

	while (ok && !status && x->count && y->count && !stopped(b)) {
		bool next_x = x->time <= y->time, next_y = y->time <= x->time;

		if (next_x && next_y && x->count > CELLS / y->count)
			status = match_many(b, e);
		else if (next_x && next_y)
			ok = match_exactly(b);
		ok = ok && (!next_x || next_group(b, ALIGN_A));
		ok = ok && (!next_y || next_group(b, ALIGN_B));
	}
	if (stopped(b))
		return error_set(e, STATUS_INTERRUPTED, "interrupted");
	return ok ? status : align_no_memory(e);
}

static enum status by_birth(struct align *al, const atomic_bool *stop, struct error *e)
{
	struct births b = {.al = al, .stop = stop};
	enum status status;
	bool ok = true;

	for (int s = 0; s < ALIGN_SIDES; s++)
		ok = ok && path_cursor_new(&b.group[s].at, al->side[s].path);
	status = ok ? match_groups(&b, e) : align_no_memory(e);
	for (int s = 0; s < ALIGN_SIDES; s++) {
		path_cursor_free(&b.group[s].at);
		vec_free(&b.group[s].keys);
	}
	lcs_free(&b.lcs);
	return status;
}

static enum status by_pair(struct align *al, const uint64_t row[ALIGN_SIDES], struct error *e)
{
	uint64_t at[ALIGN_SIDES], front, back[ALIGN_SIDES];

	for (int s = 0; s < ALIGN_SIDES; s++) {
		at[s] = path_index(al->side[s].path, row[s]);
		if (at[s] == UINT64_MAX)
			return error_set(e, STATUS_USAGE,
					 "row %" PRIu64 " of %c is not there or did not commit",
					 row[s], s == ALIGN_A ? 'A' : 'B');
		back[s] = path_count(al->side[s].path) - at[s];
	}
	front = at[ALIGN_A] < at[ALIGN_B] ? at[ALIGN_A] : at[ALIGN_B];
	if (!diff_add(&al->diff, at[ALIGN_A] - front, at[ALIGN_B] - front,
		      front + (back[ALIGN_A] < back[ALIGN_B] ? back[ALIGN_A] : back[ALIGN_B])))
		return align_no_memory(e);
	return STATUS_OK;
}

enum status align_steps(struct align *al, const struct align_options *options,
			const atomic_bool *stop, struct error *e)
{
	switch (options->by) {
	case ALIGN_BY_CYCLE:
	case ALIGN_BY_START:
		return by_birth(al, stop, e);
	case ALIGN_BY_PAIR:
		return by_pair(al, options->row, e);
	case ALIGN_BY_COMMIT:
	case ALIGN_BY_COUNT:
		break;
	}
	return by_commit(al, stop, e);
}
