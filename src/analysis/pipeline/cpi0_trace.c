#include "config.h"

#include "analysis/pipeline/cpi0_trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/cpi0_simulate.h"

/* ---- one walk for all -------------------------------------------------------------------- */

typedef void instruction_fn(void *arg, const struct executed *x, class_set classes);

struct walking {
	struct executed_counts counts;
	uint64_t nops; /* told so far */
	const struct range *range;
	bool by_row;
	instruction_fn *fn;
	program_fn *rows;
	void *arg;
};

/* Rows that live in its ticks are left out: somebody has selected some. */
static bool is_of_rows(const struct store *s, const struct range *r)
{
	struct range ticks = {.row1 = UINT64_MAX, .tick0 = r->tick0, .tick1 = r->tick1};
	uint64_t first, last, next = store_row_born_at(s, r->tick1);

	range_rows(s, &ticks, &first, &last);
	return r->row0 > first || r->row1 < (last < next ? last : next);
}

/* Rows that tell of what was committed in r: the instruction of a micro-op may have left before. */
static struct range rows_of(const struct store *s, const struct range *r)
{
	struct range rows = {.tick0 = INT64_MIN, .tick1 = TICK_NONE};
	struct row row;

	range_rows(s, r, &rows.row0, &rows.row1);
	if (store_row(s, rows.row0, &row) && row.micro_op && row.parent < rows.row0 &&
	    row.parent >= r->row0)
		rows.row0 = row.parent;
	return rows;
}

static bool is_in(const struct walking *w, int64_t end)
{
	return w->by_row || (end >= w->range->tick0 && end < w->range->tick1);
}

/* A nop that decode consumed is counted before it is told. */
static bool pass_on(void *arg, const struct executed *x)
{
	struct walking *w = arg;

	if (w->counts.nops == w->nops && is_in(w, x->end))
		w->fn(w->arg, x, cpi0_fold(x->read ? x->classes : 0));
	w->nops = w->counts.nops;
	return true;
}

static bool pass_row(void *arg, const struct row *row)
{
	struct walking *w = arg;

	return !is_in(w, row_commit_tick(row)) || w->rows(w->arg, row);
}

/* rows: NULL, or told of each row with the same argument. */
static enum status walk(struct store *s, const struct codemap *map, const struct range *r,
			const atomic_bool *stop, instruction_fn *fn, program_fn *rows, void *arg,
			struct executed_counts *counts, struct error *e)
{
	struct walking w = {
	    .range = r, .by_row = is_of_rows(s, r), .fn = fn, .rows = rows, .arg = arg};
	const struct executed_options options = {
	    .plain = true, .rows = rows ? pass_row : NULL, .rows_arg = &w};
	struct range all = w.by_row ? *r : rows_of(s, r);
	enum status status =
	    executed_walk(s, map, &all, &options, stop, pass_on, &w, &w.counts, e);

	if (counts)
		*counts = w.counts;
	return status;
}

/* ---- the mix ----------------------------------------------------------------------------- */

/* The bits of events that the trace has noted at all; 0: it tells nothing about them. */
struct missing {
	unsigned miss, wrong;
	bool micro_ops; /* memory micro-ops have the misses of data, and their parents may too */
	struct cpi0_share data, fetch;
	uint64_t mispredicted;
};

struct mixing {
	struct cpi0_trace *out;
	const struct codemap *map;
	uint64_t first, rows;
	struct missing missing;
};

static void count_instruction(void *arg, const struct executed *x, class_set classes)
{
	struct mixing *g = arg;
	uint64_t row = x->whole, at = row > g->first ? row - g->first : 0, window;

	window = at < g->rows ? (uint64_t)((double)at / (double)g->rows * CPI0_WINDOWS)
			      : CPI0_WINDOWS - 1;
	cpi0_mix_add(&g->out->mix, classes);
	cpi0_mix_add(&g->out->windows[window], classes);
}

static bool count_row(void *arg, const struct row *row)
{
	struct mixing *of = arg;
	struct missing *g = &of->missing;
	const struct code_insn *c = codemap_at(of->map, row->code);
	bool memory =
	    row->micro_op || (c && (c->insn.class == OP_LOAD || c->insn.class == OP_STORE));
	struct cpi0_share *share = memory ? &g->data : &g->fetch;

	if (row->fate != FATE_COMMITTED)
		return true;
	g->mispredicted += (row->events & g->wrong) != 0;
	if (memory && row->micro_op != g->micro_ops)
		return true;
	share->failed += (row->events & g->miss) != 0;
	share->tries++;
	return true;
}

static unsigned event_bit(const struct store *s, const struct totals *totals, const char *name)
{
	for (size_t i = 0; i < store_event_count(s); i++)
		if (strcmp(store_event(s, i)->name, name) == 0 && totals->event_counts[i])
			return 1u << i;
	return 0;
}

static struct missing missing_of(const struct store *s)
{
	struct totals totals;

	store_totals(s, &totals);
	return (struct missing){.miss = event_bit(s, &totals, "cache-miss"),
				.wrong = event_bit(s, &totals, "mispredict-detected"),
				.micro_ops = totals.micro_ops > 0};
}

static void note_misses(struct cpi0_mix *mix, const struct missing *g)
{
	if (g->wrong)
		mix->prediction = (struct cpi0_share){g->mispredicted, cpi0_mix_branches(mix)};
	if (g->miss) {
		mix->data_cache = g->data;
		mix->fetch_cache = g->fetch;
	}
}

/* By the instructions of the mix: a row that its micro-ops have replaced is one, too. */
static void measure(struct cpi0_trace *out, const struct store *s, const struct range *r)
{
	struct cpi0_mix *mix = &out->mix;

	out->cpi = -1;
	if (r->tick1 <= r->tick0 || !mix->total || is_of_rows(s, r))
		return;
	mix->committed = mix->total;
	mix->cycles = (uint64_t)((r->tick1 - 1 - r->tick0) / store_ticks_per_cycle(s)) + 1;
	out->cpi = (double)mix->cycles / (double)mix->committed;
}

enum status cpi0_trace_mix(struct cpi0_trace *out, struct store *s, const struct codemap *map,
			   const struct range *r, const atomic_bool *stop, struct error *e)
{
	struct mixing g = {.out = out, .map = map, .missing = missing_of(s)};
	bool misses = g.missing.miss || g.missing.wrong;
	enum status status;
	uint64_t last;

	memset(out, 0, sizeof(*out));
	out->mix = cpi0_mix_none();
	range_rows(s, r, &g.first, &last);
	g.rows = last - g.first;
	status = walk(s, map, r, stop, count_instruction, misses ? count_row : NULL, &g,
		      &out->counts, e);
	if (status)
		return status;
	out->mix.nameless = out->counts.nameless;
	measure(out, s, r);
	note_misses(&out->mix, &g.missing);
	return STATUS_OK;
}

double cpi0_drift(const struct cpi0_trace *t, const struct machine *m)
{
	struct cpi0_mix early = cpi0_mix_none();
	double most = 0;

	for (int w = 0; w < CPI0_WINDOWS - CPI0_WINDOWS / 4; w++) {
		early.total += t->windows[w].total;
		for (int c = 0; c < OP_CLASS_COUNT; c++)
			early.classes[c] += t->windows[w].classes[c];
	}
	for (int q = 0; early.total && q < m->queue_count; q++) {
		double p = (double)cpi0_mix_queue(&t->mix, m, q) / (double)t->mix.total;
		double before = (double)cpi0_mix_queue(&early, m, q) / (double)early.total;

		if (p >= 0.05)
			most = fmax(most, fabs(before - p) / p);
	}
	return most;
}

/* ---- in their own order ------------------------------------------------------------------ */

struct simulating {
	struct cpi0_sim *sim;
	const struct machine *machine;
	uint64_t instructions;
};

static void simulate_instruction(void *arg, const struct executed *x, class_set classes)
{
	struct simulating *g = arg;
	int8_t queues[OP_CLASS_COUNT];

	(void)x;
	g->instructions++;
	cpi0_sim_add(g->sim, queues, cpi0_places(queues, g->machine, classes));
}

enum status cpi0_trace_simulate(double *cpi, struct store *s, const struct codemap *map,
				const struct range *r, const struct machine *m,
				const struct cpi0 *c, const atomic_bool *stop, struct error *e)
{
	struct simulating g = {.sim = cpi0_sim_new(m, c), .machine = m};
	enum status status;

	if (!g.sim)
		return error_set(e, STATUS_NOMEM, "out of memory");
	status = walk(s, map, r, stop, simulate_instruction, NULL, &g, NULL, e);
	if (!status && g.instructions)
		*cpi = (double)cpi0_sim_end(g.sim) / (double)g.instructions;
	cpi0_sim_free(g.sim);
	return status;
}

/* ---- along the range --------------------------------------------------------------------- */

struct binning {
	struct cpi0_mix *bins;
	int64_t *ends; /* the first tick behind each bin, ascending */
	size_t count, at;
};

static void bin_instruction(void *arg, const struct executed *x, class_set classes)
{
	struct binning *g = arg;

	while (g->at && x->end < g->ends[g->at - 1]) /* threads interleave */
		g->at--;
	while (g->at + 1 < g->count && x->end >= g->ends[g->at])
		g->at++;
	cpi0_mix_add(&g->bins[g->at], classes);
}

static void diagnose_bin(struct cpi0_point *out, const struct cpi0_mix *mix,
			 const struct machine *m)
{
	struct cpi0 c;

	*out = (struct cpi0_point){.instructions = mix->total, .cpi = NAN};
	if (cpi0_model(&c, m, mix, NULL))
		return;
	out->cpi = cpi0_real(c.cpi);
	out->limiting = c.limiting;
}

enum status cpi0_series(struct cpi0_point *out, size_t n, struct store *s,
			const struct codemap *map, const struct range *r, const struct machine *m,
			const atomic_bool *stop, struct error *e)
{
	struct binning g = {
	    .count = n, .bins = calloc(n, sizeof(*g.bins)), .ends = calloc(n, sizeof(*g.ends))};
	double width = ((double)r->tick1 - (double)r->tick0) / (double)n;
	enum status status = STATUS_OK;

	if (!g.bins || !g.ends)
		status = error_set(e, STATUS_NOMEM, "out of memory");
	for (size_t i = 0; !status && i < n; i++)
		g.ends[i] = (int64_t)ceil((double)r->tick0 + (double)(i + 1) * width);
	if (!status)
		status = walk(s, map, r, stop, bin_instruction, NULL, &g, NULL, e);
	for (size_t i = 0; !status && i < n; i++)
		diagnose_bin(&out[i], &g.bins[i], m);
	free(g.bins);
	free(g.ends);
	return status;
}
