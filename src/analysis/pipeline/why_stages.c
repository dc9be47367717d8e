#include "config.h"

#include "analysis/pipeline/why_private.h"

#include <string.h>

/* F, D, X, W, C */
static const char *const known[][WHY_TIMES] = {
    {"IF", "DA", "EX", "WB", "CT"},
    {"fetch", "dispatch", "issue", "complete", "retire"},
};

enum { SAMPLE = 1 << 16, COMMON = 90 /* percent of the rows */ };

/* What a sample tells of a stage. */
struct learned {
	uint64_t rows, inversions, places; /* places: sum of its positions in the rows */
	int64_t last, least;               /* start; stay until the next one */
};

struct learning {
	uint16_t thread;        /* 0: all */
	uint64_t rows, entered; /* entered: stages, of all rows */
	struct learned of[STAGE_MAX];
};

static int find(const struct store *s, const char *name)
{
	for (size_t i = 0; i < store_stage_count(s); i++)
		if (strcmp(store_stage(s, i)->name, name) == 0)
			return (int)i;
	return -1;
}

static bool take_known(struct why_stages *g, const struct store *s)
{
	for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++) {
		bool all = true;

		for (int t = 0; t < WHY_TIMES; t++) {
			g->of[t] = (int8_t)find(s, known[k][t]);
			all = all && g->of[t] >= 0;
		}
		if (all)
			return true;
	}
	return false;
}

/* ---- learned ------------------------------------------------------------------------------- */

static bool learn_row(void *arg, const struct walk_row *row)
{
	struct learning *l = arg;
	struct learned *before = NULL;
	uint64_t seen = 0, place = 0;

	if (row->detail->head.fate != FATE_COMMITTED || row->detail->head.micro_op ||
	    (l->thread && row->detail->head.thread != l->thread))
		return true;
	l->rows++;
	for (uint32_t i = 0; i < row->detail->stays; i++) {
		const struct stay *stay = &row->stays[i];
		struct learned *of = &l->of[stay->stage];

		if (stay->lane || seen >> stay->stage & 1)
			continue;
		seen |= UINT64_C(1) << stay->stage;
		if (before && (before->rows == 1 || stay->start - before->last < before->least))
			before->least = stay->start - before->last;
		before = of;
		of->inversions += of->rows && stay->start < of->last;
		of->last = stay->start;
		of->rows++;
		of->places += place++;
	}
	l->entered += place;
	return true;
}

static double mean_place(const struct learned *l)
{
	return l->rows ? (double)l->places / (double)l->rows : 0;
}

/* Stages that most rows have, in the order of the pipeline; how many. */
static size_t common_stages(const struct learning *l, uint8_t out[STAGE_MAX])
{
	size_t n = 0;

	for (unsigned s = 0; s < STAGE_MAX; s++) {
		size_t at = n;

		if (l->of[s].rows * 100 < l->rows * COMMON || !l->of[s].rows)
			continue;
		for (; at > 0; at--) {
			if (mean_place(&l->of[out[at - 1]]) <= mean_place(&l->of[s]))
				break;
			out[at] = out[at - 1];
		}
		out[at] = (uint8_t)s;
		n++;
	}
	return n;
}

/* A row in a hundred may be an odd one: what rules it breaks is counted. */
static bool is_ordered(const struct learned *l)
{
	return l->inversions * 100 <= l->rows;
}

/* Where all are in order the last three execute and commit, if rows execute in no others. */
static size_t middle_of(const struct learning *l, const uint8_t *stages, size_t n)
{
	uint64_t common = 0;
	size_t middle = 0;

	while (middle < n && is_ordered(&l->of[stages[middle]]))
		middle++;
	for (size_t i = 0; i < n; i++)
		common += l->of[stages[i]].rows;
	if (middle == n && n >= WHY_TIMES && (l->entered - common) * 2 < l->rows)
		return n - 3;
	return middle;
}

/*
 * Fetch, what comes before the window and is in order; execution, which is not; commit, which is in
 * order again.
 */
static void take_learned(struct why_stages *g, const struct learning *l)
{
	uint8_t stages[STAGE_MAX];
	const size_t n = common_stages(l, stages), middle = middle_of(l, stages, n);
	size_t end = middle;

	g->learned = true;
	while (end < n && !is_ordered(&l->of[stages[end]]))
		end++;
	if (end == middle && middle + 3 == n)
		end = n - 1;
	if (n > 0)
		g->of[WHY_F] = (int8_t)stages[0];
	if (middle > 1)
		g->of[WHY_D] = (int8_t)stages[middle - 1];
	if (middle < end)
		g->of[WHY_X] = (int8_t)stages[middle];
	if (end - middle > 1)
		g->of[WHY_W] = (int8_t)stages[end - 1];
	if (end < n)
		g->of[WHY_C] = (int8_t)stages[end];
	for (size_t i = 0; i + 1 < middle && i < WHY_FRONTS; i++) {
		g->fronts[g->front_count++] = stages[i];
		g->front_of[stages[i]] = (uint8_t)g->front_count;
		g->least[i] = l->of[stages[i]].least;
	}
}

enum status why_stages_new(struct why_stages *out, struct store *s, uint64_t first, uint64_t last,
			   uint16_t thread, struct error *e)
{
	struct learning l = {.thread = thread};
	enum status status = STATUS_OK;

	*out = (struct why_stages){0};
	if (!take_known(out, s)) {
		memset(out->of, -1, sizeof(out->of));
		last = last - first > SAMPLE ? first + SAMPLE : last;
		status = walk_rows(s, first, last, WALK_STAYS, learn_row, &l, e);
		take_learned(out, &l);
	}
	return status;
}

/* ---- a row --------------------------------------------------------------------------------- */

/* 1 + the front that the row was in for longest beyond its least, each until the next; 0: none. */
static unsigned longest_front(const struct why_stages *g, const struct walk_row *row)
{
	unsigned in = 0, longest = 0;
	uint64_t seen = 0;
	int64_t since = 0, most = 0;

	for (uint32_t i = 0; i < row->detail->stays; i++) {
		const struct stay *stay = &row->stays[i];

		if (stay->lane || seen >> stay->stage & 1)
			continue;
		seen |= UINT64_C(1) << stay->stage;
		if (in && stay->start - since - g->least[in - 1] > most) {
			most = stay->start - since - g->least[in - 1];
			longest = in;
		}
		in = g->front_of[stay->stage];
		since = stay->start;
	}
	return longest;
}

unsigned why_stages_times(const struct why_stages *g, const struct walk_row *row,
			  int64_t ticks[WHY_TIMES], uint8_t *front)
{
	unsigned have = 0;

	for (uint32_t i = 0; i < row->detail->stays; i++)
		for (int t = 0; t < WHY_TIMES; t++) {
			if (row->stays[i].lane || row->stays[i].stage != g->of[t] ||
			    (have >> t & 1 && t <= WHY_D))
				continue;
			ticks[t] = row->stays[i].start;
			have |= 1u << t;
		}
	*front = (uint8_t)(g->front_count ? longest_front(g, row) : 0);
	return have;
}
