#include "config.h"

#include "analysis/pipeline/align_steps.h"

#include <inttypes.h>

#include "analysis/pipeline/align_keys.h"

/* Steps [first, first + count) of both, as a diff would. */
static enum status match(struct align *al, const uint64_t first[ALIGN_SIDES],
			 const uint64_t count[ALIGN_SIDES], const atomic_bool *stop,
			 struct error *e)
{
	struct diff_side d[ALIGN_SIDES];

	for (int s = 0; s < ALIGN_SIDES; s++) {
		const struct align_side *side = &al->side[s];

		d[s] = (struct diff_side){side->keys + first[s], count[s]};
		if (first[s] + count[s] > side->keyed)
			d[s].count = first[s] < side->keyed ? side->keyed - first[s] : 0;
		al->diff.bounded = al->diff.bounded || d[s].count < count[s];
	}
	return diff_match(&al->diff, &d[ALIGN_A], first[ALIGN_A], &d[ALIGN_B], first[ALIGN_B], stop,
			  e);
}

static enum status by_commit(struct align *al, const atomic_bool *stop, struct error *e)
{
	const uint64_t count[ALIGN_SIDES] = {path_count(al->side[ALIGN_A].path),
					     path_count(al->side[ALIGN_B].path)};

	return match(al, (uint64_t[]){0, 0}, count, stop, e);
}

/* Steps that follow each other and were born at the same time: a cycle's, as a rule. */
struct births {
	struct align *al;
	const atomic_bool *stop;
	struct path_cursor at[ALIGN_SIDES];
	uint64_t first[ALIGN_SIDES], count[ALIGN_SIDES];
	int64_t time[ALIGN_SIDES];
};

static bool stopped(const struct births *b)
{
	return b->stop && *b->stop;
}

/* Those behind the ones that are held; none behind the last. */
static void next_group(struct births *b, int side)
{
	const struct path_step *x;

	b->first[side] += b->count[side];
	b->count[side] = 0;
	while (!stopped(b) && (x = path_at(&b->at[side], b->first[side] + b->count[side]))) {
		int64_t time = align_time(b->al, side, x->start);

		if (b->count[side] && time != b->time[side])
			break;
		b->time[side] = time;
		b->count[side]++;
	}
}

static enum status match_groups(struct births *b, struct error *e)
{
	enum status status = STATUS_OK;

	next_group(b, ALIGN_A);
	next_group(b, ALIGN_B);
	while (!status && b->count[ALIGN_A] && b->count[ALIGN_B] && !stopped(b)) {
		int64_t a = b->time[ALIGN_A], other = b->time[ALIGN_B];

		if (a == other)
			status = match(b->al, b->first, b->count, b->stop, e);
		if (a <= other)
			next_group(b, ALIGN_A);
		if (other <= a)
			next_group(b, ALIGN_B);
	}
	return !status && stopped(b) ? error_set(e, STATUS_INTERRUPTED, "interrupted") : status;
}

static enum status by_birth(struct align *al, const atomic_bool *stop, struct error *e)
{
	struct births b = {.al = al, .stop = stop};
	enum status status;
	bool ok = true;

	for (int s = 0; s < ALIGN_SIDES; s++)
		ok = ok && path_cursor_new(&b.at[s], al->side[s].path);
	status = ok ? match_groups(&b, e) : error_no_memory(e);
	for (int s = 0; s < ALIGN_SIDES; s++)
		path_cursor_free(&b.at[s]);
	return status;
}

static enum status by_pair(struct align *al, const uint64_t row[ALIGN_SIDES], struct error *e)
{
	uint64_t at[ALIGN_SIDES], front, back[ALIGN_SIDES];

	for (int s = 0; s < ALIGN_SIDES; s++) {
		at[s] = path_index(al->side[s].path, row[s]);
		if (at[s] == UINT64_MAX)
			return error_set(e, STATUS_USAGE,
					 "row %" PRIu64 " of %c does not exist or did not commit",
					 row[s], s == ALIGN_A ? 'A' : 'B');
		back[s] = path_count(al->side[s].path) - at[s];
	}
	front = at[ALIGN_A] < at[ALIGN_B] ? at[ALIGN_A] : at[ALIGN_B];
	if (!diff_add(&al->diff, at[ALIGN_A] - front, at[ALIGN_B] - front,
		      front + (back[ALIGN_A] < back[ALIGN_B] ? back[ALIGN_A] : back[ALIGN_B])))
		return error_no_memory(e);
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
