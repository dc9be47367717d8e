#include "config.h"

#include "analysis/pipeline/differ_runs.h"

/*
 * A run that differs nowhere is not read to its end while another one differs near by: all are
 * read up to the same step of A, then all up to one that is farther.
 */
enum { REACH = 4096, FARTHER = 8 };

/* Where looking goes on between A and another run. */
struct looking {
	int side;
	uint64_t row;
};

struct search {
	const struct aligned *al;
	struct differ *differ;
	int dir;
	unsigned kinds;
	bool has_line;
	uint64_t line; /* of the place to start from */
	struct looking from[RUNS_MOST];
};

static const struct path *path_of_a(const struct search *s)
{
	return aligned_side(s->al, RUN_A)->path;
}

/*
 * The row itself, if it is matched; else the matched one before the gap that it is in (dir < 0:
 * behind it), for what is looked for in the gap may stand on the far side of it. ROW_NONE: there is
 * none, all is to be looked at.
 */
static uint64_t out_of_gap(const struct align *al, int side, uint64_t row, int dir)
{
	const struct path *path = al->side[side].path;
	uint64_t pair, index[ALIGN_SIDES];
	bool matched = align_pair_of(al, side, path_rank(path, row), &pair);

	if (matched && path_has(path, row))
		return row;
	pair -= dir > 0; /* before the first one: none */
	return align_pair(al, pair, index) ? path_row(path, index[side]) : ROW_NONE;
}

static void start(struct search *s, int run, uint64_t row)
{
	uint64_t a = run == RUN_A ? row : aligned_partner(s->al, run, row, RUN_A);

	s->has_line = true;
	/* rows that match are one place, which is A's */
	s->line = a != ROW_NONE && s->dir < 0 ? aligned_line_of(s->al, RUN_A, a)
					      : aligned_line_of(s->al, run, row);
	if (a == ROW_NONE) { /* the row of A that it stands before, or the one before that */
		a = align_line_of(&s->al->with[run], ALIGN_B, row) - row;
		if (s->dir > 0)
			a = a ? a - 1 : ROW_NONE;
		else if (a == store_row_count(aligned_side(s->al, RUN_A)->store))
			a = ROW_NONE;
	}
	for (int k = RUN_B; k < s->al->runs; k++) {
		struct looking *from = &s->from[k];

		*from = k == run ? (struct looking){ALIGN_B, row} : (struct looking){ALIGN_A, a};
		if (from->row != ROW_NONE)
			from->row = out_of_gap(&s->al->with[k], from->side, from->row, s->dir);
	}
}

static uint64_t line_of(const struct search *s, int k, const struct difference *d)
{
	int side = difference_side(d);

	return aligned_line_of(s->al, side == ALIGN_A ? RUN_A : k, d->row[side]);
}

/* The next one of a run; *line: where it stands. */
static enum status look(struct search *s, int k, struct difference *out, uint64_t *line,
			struct error *e)
{
	struct looking *from = &s->from[k];

	for (;;) {
		enum status status =
		    differ_next(&s->differ[k], from->side, from->row, s->dir, s->kinds, out, e);

		if (status || !out->kinds)
			return status;
		*line = line_of(s, k, out);
		if (!s->has_line || (s->dir > 0 ? *line > s->line : *line < s->line))
			return STATUS_OK;
		*from = (struct looking){out->side, out->row[out->side]};
	}
}

/* Of all runs, up to the bound that is set; those at the nearest place are kept. */
static enum status look_at_all(struct search *s, struct difference out[], int *other,
			       struct error *e)
{
	uint64_t line[RUNS_MOST] = {0}, nearest = 0;

	*other = RUN_A;
	for (int k = RUN_B; k < s->al->runs; k++) {
		enum status status = look(s, k, &out[k], &line[k], e);

		if (status)
			return status;
		if (!out[k].kinds ||
		    (*other != RUN_A && (s->dir > 0 ? line[k] >= nearest : line[k] <= nearest)))
			continue;
		*other = k;
		nearest = line[k];
	}
	for (int k = RUN_B; k < s->al->runs; k++)
		if (line[k] != nearest)
			out[k].kinds = 0;
	return STATUS_OK;
}

/* How far all are read; false: to the end. */
static bool set_bound(struct search *s, uint64_t begin, uint64_t reach)
{
	uint64_t count = path_count(path_of_a(s));
	bool bounded =
	    s->al->runs > RUNS_LEAST && (s->dir > 0 ? reach < count - begin : reach < begin);

	for (int k = RUN_B; k < s->al->runs; k++) {
		s->differ[k].bounded = bounded;
		s->differ[k].until = s->dir > 0 ? begin + reach : begin - reach;
	}
	return bounded;
}

/* On from the step that was the last one looked at. */
static void go_on(struct search *s)
{
	for (int k = RUN_B; k < s->al->runs; k++)
		s->from[k] = (struct looking){ALIGN_A, path_row(path_of_a(s), s->differ[k].until)};
}

enum status differ_runs_next(const struct aligned *al, struct differ differ[], int run,
			     uint64_t row, int dir, unsigned kinds, struct difference out[],
			     int *other, struct error *e)
{
	struct search s = {.al = al, .differ = differ, .dir = dir, .kinds = kinds};
	enum status status = STATUS_OK;
	uint64_t begin;
	bool more = true;

	*other = RUN_A;
	for (int k = RUN_B; k < al->runs; k++)
		s.from[k] = (struct looking){ALIGN_A, ROW_NONE};
	if (row != ROW_NONE)
		start(&s, run, row);
	begin = dir > 0 ? 0 : path_count(path_of_a(&s));
	if (row != ROW_NONE)
		begin = path_rank(path_of_a(&s), aligned_near(al, run, row, RUN_A));
	for (uint64_t reach = REACH; more; reach *= FARTHER) {
		more = set_bound(&s, begin, reach);
		status = look_at_all(&s, out, other, e);
		if (status || *other != RUN_A)
			break;
		if (more)
			go_on(&s);
	}
	for (int k = RUN_B; k < al->runs; k++)
		differ[k].bounded = false;
	return status;
}
