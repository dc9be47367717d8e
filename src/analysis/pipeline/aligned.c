#include "config.h"

#include "analysis/pipeline/aligned.h"

enum status aligned_new(struct aligned *out, struct store *const stores[], int runs,
			const struct aligned_options *options, const atomic_bool *stop,
			struct error *e)
{
	*out = (struct aligned){.runs = RUN_B};
	for (; out->runs < runs; out->runs++) {
		struct align_options pair = {options->by,
					     {options->row[RUN_A], options->row[out->runs]}};
		enum status status = align_new(&out->with[out->runs], stores[RUN_A],
					       stores[out->runs], &pair, stop, e);

		if (status) {
			aligned_free(out);
			return status;
		}
	}
	return STATUS_OK;
}

void aligned_free(struct aligned *al)
{
	for (int run = RUN_B; run < al->runs; run++)
		align_free(&al->with[run]);
	al->runs = 0;
}

const struct align *aligned_of(const struct aligned *al, int run, int *side)
{
	*side = run == RUN_A ? ALIGN_A : ALIGN_B;
	return &al->with[run == RUN_A ? RUN_B : run];
}

const struct align_side *aligned_side(const struct aligned *al, int run)
{
	int side;
	const struct align *pair = aligned_of(al, run, &side);

	return &pair->side[side];
}

/* Between any two. */

uint64_t aligned_match(const struct aligned *al, int run, uint64_t row, int other)
{
	if (run != other && run != RUN_A)
		row = align_match(&al->with[run], ALIGN_B, row);
	if (run == other || other == RUN_A || row == ROW_NONE)
		return row;
	return align_match(&al->with[other], ALIGN_A, row);
}

uint64_t aligned_near(const struct aligned *al, int run, uint64_t row, int other)
{
	if (run != other && run != RUN_A)
		row = align_near(&al->with[run], ALIGN_B, row);
	return run == other || other == RUN_A ? row : align_near(&al->with[other], ALIGN_A, row);
}

void aligned_anchor(const struct aligned *al, int run, uint64_t row, int other, uint64_t *here,
		    uint64_t *there)
{
	uint64_t first[ALIGN_SIDES] = {row, row}, second[ALIGN_SIDES];

	if (run != other && run != RUN_A)
		align_anchor(&al->with[run], ALIGN_B, row, first);
	*here = first[ALIGN_B];
	*there = first[ALIGN_A];
	if (run == other || other == RUN_A)
		return;
	align_anchor(&al->with[other], ALIGN_A, first[ALIGN_A], second);
	*there = second[ALIGN_B];
	if (run == RUN_A)
		*here = second[ALIGN_A];
}

uint64_t aligned_partner(const struct aligned *al, int run, uint64_t row, int other)
{
	const struct path *path = aligned_side(al, run)->path;

	return path_has(path, row) ? aligned_match(al, run, row, other) : ROW_NONE;
}

/* The list. */

static uint64_t rows_of(const struct aligned *al, int run)
{
	return store_row_count(aligned_side(al, run)->store);
}

/* How many rows of another run stand before a row of A, or, behind its last one, at all. */
static uint64_t before(const struct aligned *al, int run, uint64_t row)
{
	if (row >= rows_of(al, RUN_A))
		return rows_of(al, run);
	return align_line_of(&al->with[run], ALIGN_A, row) - row;
}

/* How many of them stand before the group of that row. */
static uint64_t before_group(const struct aligned *al, int run, uint64_t row)
{
	if (!row)
		return 0;
	return before(al, run, row - 1) + (aligned_partner(al, RUN_A, row - 1, run) != ROW_NONE);
}

static uint64_t group_line(const struct aligned *al, uint64_t row)
{
	uint64_t line = row;

	for (int run = RUN_B; run < al->runs; run++)
		line += before_group(al, run, row);
	return line;
}

/* The group of a row of A; behind the last one, that of what stands there. */
static void read_group(const struct aligned *al, uint64_t row, struct aligned_group *out)
{
	bool is_row = row < rows_of(al, RUN_A);

	*out = (struct aligned_group){.row = {is_row ? row : ROW_NONE}, .line = row};
	for (int run = RUN_B; run < al->runs; run++) {
		out->row[run] = is_row ? aligned_partner(al, RUN_A, row, run) : ROW_NONE;
		out->from[run] = before_group(al, run, row);
		out->to[run] = before(al, run, row);
		out->line += out->from[run];
	}
}

/* What stands behind so many lines of the group; false: it has not so many. */
static bool read_line(struct aligned_cursor *c)
{
	const struct aligned_group *g = &c->group;
	uint64_t left = c->in;

	c->matched = false;
	for (c->run = RUN_B; c->run < c->al->runs; c->run++) {
		uint64_t rows = g->to[c->run] - g->from[c->run];

		if (left < rows) {
			c->row = g->from[c->run] + left;
			return true;
		}
		left -= rows;
	}
	c->matched = true;
	for (c->run = RUN_A; c->run < c->al->runs; c->run++) {
		c->row = g->row[c->run];
		if (c->row != ROW_NONE && left-- == 0)
			return true;
	}
	return false;
}

uint64_t aligned_lines(const struct aligned *al)
{
	uint64_t lines = 0;

	for (int run = RUN_A; run < al->runs; run++)
		lines += rows_of(al, run);
	return lines;
}

uint64_t aligned_line_of(const struct aligned *al, int run, uint64_t row)
{
	uint64_t a = run == RUN_A ? row : aligned_partner(al, run, row, RUN_A), line;
	bool matched = a != ROW_NONE;
	struct aligned_group g;

	if (!matched)
		a = align_line_of(&al->with[run], ALIGN_B, row) - row;
	read_group(al, a, &g);
	line = g.line;
	for (int other = RUN_B; other < (matched ? al->runs : run); other++)
		line += g.to[other] - g.from[other];
	if (!matched)
		return line + row - g.from[run];
	for (int other = RUN_A; other < run; other++)
		line += g.row[other] != ROW_NONE;
	return line;
}

bool aligned_seek(const struct aligned *al, uint64_t line, struct aligned_cursor *out)
{
	uint64_t low = 0, high = rows_of(al, RUN_A);

	while (low < high) { /* the last group that begins at the line or before it */
		uint64_t middle = high - (high - low) / 2;

		if (group_line(al, middle) <= line)
			low = middle;
		else
			high = middle - 1;
	}
	*out = (struct aligned_cursor){.al = al};
	read_group(al, low, &out->group);
	out->in = line - out->group.line;
	return read_line(out);
}

bool aligned_step(struct aligned_cursor *c)
{
	uint64_t a = c->group.row[RUN_A];

	c->in++;
	if (read_line(c))
		return true;
	if (a == ROW_NONE)
		return false;
	read_group(c->al, a + 1, &c->group);
	c->in = 0;
	return read_line(c);
}
