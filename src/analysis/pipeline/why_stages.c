#include "config.h"

#include "analysis/pipeline/why_private.h"

#include <stdio.h>
#include <string.h>

/* F, D, X, W, C of SimpleScalar: converters of its traces let wrong paths commit. */
static const char *const known[WHY_TIMES] = {"IF", "DA", "EX", "WB", "CT"};

enum { SAMPLE = 1 << 16, COMMON = 90 /* percent of the rows */ };

/* What a sample tells of a stage. */
struct learned {
	uint64_t rows, inversions, places; /* places: sum of its positions in the rows */
	int64_t last, least;               /* start; stay until the next one */
};

struct learning {
	uint16_t thread; /* 0: all */
	uint64_t rows;
	struct learned of[STAGE_MAX];
};

static bool take_known(struct why_stages *g, const struct store *s)
{
	int found = 0;

	for (size_t i = 0; i < store_stage_count(s); i++)
		for (int t = 0; t < WHY_TIMES; t++)
			if (strcmp(store_stage(s, i)->name, known[t]) == 0) {
				g->of[t] = (int8_t)i;
				found++;
			}
	return found == WHY_TIMES;
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
	return true;
}

/* A row in a hundred may be an odd one: what rules it breaks is counted. */
static bool is_ordered(const struct learned *of)
{
	return of->inversions * 100 <= of->rows;
}

/* Stages that most rows have, by their mean place; how many. And entries of all others. */
static int common_stages(const struct learned *of, uint64_t rows, uint8_t out[STAGE_MAX],
			 uint64_t *others)
{
	int n = 0;

	for (unsigned s = 0; s < STAGE_MAX; s++) {
		int at = n;

		if (!of[s].rows || of[s].rows * 100 < rows * COMMON) {
			*others += of[s].rows;
			continue;
		}
		for (n++; at > 0; at--) {
			const struct learned *before = &of[out[at - 1]];

			if (before->places * of[s].rows <= of[s].places * before->rows)
				break;
			out[at] = out[at - 1];
		}
		out[at] = (uint8_t)s;
	}
	return n;
}

/*
 * Fetch, the first one; what comes before the window and is in order; execution, which is not;
 * commit, which is in order again. Where all are in order the last three execute and commit, if rows
 * execute in no others.
 */
static void take_learned(struct why_stages *g, const struct store *s, const struct learning *l)
{
	uint8_t stages[STAGE_MAX];
	uint64_t others = 0;
	const int n = common_stages(l->of, l->rows, stages, &others);
	int middle = 1, end;

	while (middle < n && is_ordered(&l->of[stages[middle]]))
		middle++;
	for (end = middle; end < n && !is_ordered(&l->of[stages[end]]);)
		end++;
	if (middle == n && n >= WHY_TIMES && others * 2 < l->rows) {
		middle = n - 3;
		end = n - 1;
	}

	/* none where the time before has the same */
	const int at[WHY_TIMES] = {0, middle - 1, middle < end ? middle : end - 1, end - 1, end};

	for (int t = 0; t < WHY_TIMES; t++)
		g->of[t] = at[t] < n && (t == WHY_F || at[t] > at[t - 1]) ? (int8_t)stages[at[t]] : -1;
	g->learned = true;
	for (int i = 0; i + 1 < middle && i < WHY_FRONTS; i++) {
		snprintf(g->names[g->front_count++], sizeof(*g->names), "stage:%s",
			 store_stage(s, stages[i])->name);
		g->front_of[stages[i]] = (uint8_t)g->front_count;
		g->least[i] = l->of[stages[i]].least;
	}
}

/* What stands between fetch and dispatch ends at the one that is dispatch now. */
static enum status take_named(struct why_stages *g, const struct store *s, const char *names,
			      struct error *e)
{
	const char *p = names;
	unsigned front;

	for (int t = 0; t < WHY_TIMES; t++) {
		const size_t len = strcspn(p, ",");
		const bool none = len == 1 && *p == '-';
		size_t i = 0;

		while (i < store_stage_count(s) && (strncmp(store_stage(s, i)->name, p, len) != 0 ||
						    store_stage(s, i)->name[len]))
			i++;
		if (!len || (!none && i == store_stage_count(s)) || (p[len] == ',') != (t < WHY_C))
			return error_set(e, STATUS_USAGE,
					 "'%s': the stages of fetch, dispatch, issue, result and "
					 "commit, as in F,Sc,Is,-,Cm; -: none",
					 names);
		g->of[t] = none ? -1 : (int8_t)i;
		p += len + 1;
	}
	front = g->of[WHY_D] < 0 ? 0 : g->front_of[g->of[WHY_D]];
	for (size_t i = 0; front && i < STAGE_MAX; i++)
		g->front_of[i] = g->front_of[i] < front ? g->front_of[i] : 0;
	g->learned = g->named = true;
	return STATUS_OK;
}

enum status why_stages_new(struct why_stages *out, struct store *s, uint64_t rows,
			   uint16_t thread, const char *named, struct error *e)
{
	struct learning l = {.thread = thread};
	enum status status;

	*out = (struct why_stages){.learned = false};
	if (take_known(out, s) && !(named && *named))
		return STATUS_OK;
	status = walk_rows(s, 0, rows < SAMPLE ? rows : SAMPLE, WALK_STAYS, learn_row, &l, e);
	take_learned(out, s, &l);
	return !status && named && *named ? take_named(out, s, named, e) : status;
}

/* ---- a row --------------------------------------------------------------------------------- */

/* It stays in a front until it enters the next stage. */
uint8_t why_stages_times(const struct why_stages *g, const struct walk_row *row,
			 int64_t ticks[WHY_TIMES])
{
	uint8_t in = 0, front = 0;
	uint64_t seen = 0;
	int64_t since = 0, most = 0;

	for (int t = 0; t < WHY_TIMES; t++)
		ticks[t] = TICK_NONE;
	for (uint32_t i = 0; i < row->detail->stays; i++) {
		const struct stay *stay = &row->stays[i];
		const bool again = seen >> stay->stage & 1;

		if (stay->lane)
			continue;
		seen |= UINT64_C(1) << stay->stage;
		for (int t = again ? WHY_X : WHY_F; t < WHY_TIMES; t++)
			if (stay->stage == g->of[t])
				ticks[t] = stay->start;
		if (again)
			continue;
		if (in && stay->start - since - g->least[in - 1] > most) {
			most = stay->start - since - g->least[in - 1];
			front = in;
		}
		in = g->front_of[stay->stage];
		since = stay->start;
	}
	return front;
}
