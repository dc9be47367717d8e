#include "config.h"

#include "analysis/pipeline/stalls.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/stalls_head.h"
#include "analysis/pipeline/walk.h"

struct charge {
	struct stalls *r;
	const struct range *range;
	bool counting; /* the totals too: the index has none of a range */
	const atomic_bool *stop;
	int64_t trace_end;
	unsigned misses; /* events */
	uint64_t first;  /* row; from it on, which rows missed when they were fetched: */
	uint64_t *missed; /* a bit each */
};

#define EMPTY_NAME(name, text) text,
const char *const stall_empty_names[STALL_EMPTY_COUNT] = {STALL_EMPTY_INFO(EMPTY_NAME)};
#undef EMPTY_NAME

static struct stall_cost *cost_of(struct stalls *r, uint32_t code)
{
	return code < r->cost_count ? &r->costs[code] : &r->unattributed;
}

/* The first of equals stays: what comes from several walks has its lower row number. */
static void note(struct stall_row *best, struct stall_row r)
{
	if (r.row != ROW_NONE && (best->row == ROW_NONE || r.cycles > best->cycles ||
				  (r.cycles == best->cycles && r.row < best->row)))
		*best = r;
}

static void charge_stay(struct stall_cost *c, const struct charge *charge,
			const struct walk_row *row, const struct stay *stay)
{
	const struct stalls *r = charge->r;
	int64_t end = walk_stay_end(row, stay, charge->trace_end);
	int64_t cycles = range_cycles(charge->range, &r->clock, stay->start, end);
	unsigned events = range_starts(charge->range, stay->start) ? stay->events : 0;

	if (stay->stage < r->stages) {
		range_add(&c->cycles[stay->stage], cycles);
		range_add(&c->total, cycles);
		note(&c->longest[1 + stay->stage],
		     (struct stall_row){row->detail->head.row, cycles});
	}
	for (; events; events &= events - 1) {
		unsigned event = (unsigned)__builtin_ctz(events);

		if (event < r->events)
			c->events[event]++;
	}
}

static void charge_life(struct stall_cost *c, const struct charge *charge, const struct row *head)
{
	int64_t end = head->end == TICK_NONE ? charge->trace_end : head->end;

	note(c->longest, (struct stall_row){head->row, range_cycles(charge->range, &charge->r->clock,
								    head->start, end)});
}

static bool charge_row(void *arg, const struct walk_row *row)
{
	struct charge *charge = arg;
	const struct row *head = &row->detail->head;
	struct stall_cost *c = cost_of(charge->r, head->code);
	uint64_t at = head->row - charge->first;

	if (row->detail->stays && row->stays->events & charge->misses)
		charge->missed[at / 64] |= UINT64_C(1) << at % 64;
	if (!range_has(charge->range, head))
		return true;
	if (charge->counting)
		range_count(charge->range, row, charge->trace_end, &charge->r->totals);
	charge_life(c, charge, head);
	c->count++;
	c->squashed += head->fate == FATE_SQUASHED;
	for (uint32_t i = 0; i < row->detail->stays; i++)
		charge_stay(c, charge, row, &row->stays[i]);
	return !(charge->stop && *charge->stop);
}

/* A micro-op is not fetched: its parent is. */
static bool missed(const struct charge *charge, const struct row *row)
{
	uint64_t fetched = row->micro_op && row->parent < row->row ? row->parent : row->row;
	uint64_t at = fetched - charge->first;

	return fetched >= charge->first && charge->missed[at / 64] >> at % 64 & 1;
}

static void charge_head(void *arg, const struct head *head)
{
	struct charge *charge = arg;
	const struct row *row = head->row;
	struct stall_cost *c = cost_of(charge->r, row->code);
	enum stall_empty why = missed(charge, row) ? STALL_EMPTY_FETCH
			       : head->refill      ? STALL_EMPTY_SQUASH
						   : STALL_EMPTY_OTHER;
	int64_t cycles = head->empty;

	range_add(&c->head, head->held);
	range_add(&charge->r->held, head->held);
	range_add(&c->empty[why], head->empty);
	range_add(&charge->r->empty[why], head->empty);
	range_add(&cycles, head->held);
	note(&c->worst, (struct stall_row){row->row, cycles});
}

struct stall_cost stall_cost_zero(const struct stalls *r, uint32_t code, int64_t *cells,
				  struct stall_row *longest)
{
	for (size_t i = 0; i <= r->stages; i++)
		longest[i].row = ROW_NONE;
	return (struct stall_cost){
	    .code = code,
	    .cycles = cells,
	    .events = (uint64_t *)(cells + r->stages),
	    .worst.row = ROW_NONE,
	    .longest = longest,
	};
}

void stall_cost_add(const struct stalls *r, struct stall_cost *a, const struct stall_cost *b)
{
	a->count += b->count;
	a->squashed += b->squashed;
	range_add(&a->total, b->total);
	range_add(&a->head, b->head);
	for (size_t i = 0; i < STALL_EMPTY_COUNT; i++)
		range_add(&a->empty[i], b->empty[i]);
	for (size_t i = 0; i < r->stages; i++)
		range_add(&a->cycles[i], b->cycles[i]);
	for (size_t i = 0; i < r->events; i++)
		a->events[i] += b->events[i];
	note(&a->worst, b->worst);
	for (size_t i = 0; i <= r->stages; i++)
		note(&a->longest[i], b->longest[i]);
}

/* One allocation for all counters; each cost gets its own stretch of it. */
static bool make_costs(struct stalls *r)
{
	size_t width = r->stages + r->events, n = store_code_count(r->store);

	r->costs = calloc(n + 1, sizeof(*r->costs));
	r->cells = calloc(n + 1, (width ? width : 1) * sizeof(*r->cells));
	r->longest = calloc(n + 1, (1 + r->stages) * sizeof(*r->longest));
	if (!r->costs || !r->cells || !r->longest)
		return false;
	r->cost_count = n;
	for (size_t i = 0; i < n; i++)
		r->costs[i] = stall_cost_zero(r, (uint32_t)i, r->cells + i * width,
					      r->longest + i * (1 + r->stages));
	r->unattributed = stall_cost_zero(r, CODE_NONE, r->cells + n * width,
					  r->longest + n * (1 + r->stages));
	return true;
}

/* The index has sums of ticks, which need not be whole cycles: those of the rows are. */
static void count_cycles(struct stalls *r)
{
	const int64_t n = r->clock.ticks;

	if (n <= 1)
		return;
	for (size_t i = 0; i < r->stages; i++) {
		r->totals.stage_ticks[i] = r->unattributed.cycles[i];
		for (size_t k = 0; k < r->cost_count; k++)
			range_add(&r->totals.stage_ticks[i], r->costs[k].cycles[i]);
	}
	for (size_t i = 0; i < r->events; i++)
		if (r->totals.event_latency[i] > 0)
			r->totals.event_latency[i] /= n;
}

/* Of a range that the limit cut, the run is what the rows that were read tell of. */
static void count_run(struct charge *charge, const struct progress *p, uint64_t last)
{
	struct stalls *r = charge->r;
	int64_t end = charge->trace_end, named = r->held;
	struct row row;

	if (r->clipped && store_row(r->store, last, &row))
		end = row.start;
	r->run = p->last < p->first ? 0 : range_cycles(charge->range, &r->clock, p->first, end);
	for (size_t i = 0; i < STALL_EMPTY_ENDS; i++)
		range_add(&named, r->empty[i]);
	if (r->clipped && r->run < named)
		r->run = named;
	r->empty[STALL_EMPTY_ENDS] = r->run > named ? r->run - named : 0;
}

static enum status charge_rows(struct charge *charge, struct error *e)
{
	struct stalls *r = charge->r;
	uint64_t last;
	struct progress p;
	enum status status;

	store_progress(r->store, &p);
	charge->trace_end = p.last < INT64_MAX ? p.last + 1 : p.last;
	r->clipped = range_rows(r->store, charge->range, &charge->first, &last);
	for (size_t i = 0; i < r->events; i++)
		if (strstr(store_event(r->store, i)->name, "-miss"))
			charge->misses |= 1u << i;
	charge->missed = calloc((last - charge->first) / 64 + 1, sizeof(*charge->missed));
	if (!charge->missed)
		return error_set(e, STATUS_NOMEM, "out of memory");
	status = walk_rows(r->store, charge->first, last, WALK_STAYS, charge_row, charge, e);
	if (!status && charge->stop && *charge->stop)
		status = error_set(e, STATUS_INTERRUPTED, "interrupted");
	if (!status)
		status = head_walk(r->store, charge->range, charge->first, last, charge->stop,
				   charge_head, charge, e);
	free(charge->missed);
	if (status)
		return status;
	count_run(charge, &p, last);
	count_cycles(r);
	return STATUS_OK;
}

enum status stalls_new(struct stalls *out, struct store *s, const struct range *range,
		       const atomic_bool *stop, struct error *e)
{
	struct range all = range_all(s);
	struct charge charge = {
	    .r = out, .range = range ? range : &all, .counting = range != NULL, .stop = stop};
	enum status status;

	*out = (struct stalls){.store = s,
			       .clock = range_clock(s),
			       .stages = store_stage_count(s),
			       .events = store_event_count(s),
			       .totals = range_zero()};
	if (!range)
		store_totals(s, &out->totals);
	if (make_costs(out))
		status = charge_rows(&charge, e);
	else
		status = error_set(e, STATUS_NOMEM, "not enough memory for %zu static instructions",
				   store_code_count(s));
	if (status)
		stalls_free(out);
	return status;
}

void stalls_free(struct stalls *r)
{
	free(r->costs);
	free(r->cells);
	free(r->longest);
	free(r->places);
	*r = (struct stalls){0};
}

/* Names from the binary. */

struct located {
	uint64_t pc;
	uint32_t code;
};

static int by_pc(const void *a, const void *b)
{
	const struct located *x = a, *y = b;

	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static size_t list_pcs(const struct stalls *r, struct located *out)
{
	size_t n = 0;

	for (uint32_t i = 0; i < r->cost_count; i++) {
		const char *text;
		bool has_pc;
		uint64_t pc;
		size_t len;

		if (r->costs[i].count && store_code(r->store, i, &pc, &has_pc, &text, &len) &&
		    has_pc)
			out[n++] = (struct located){pc, i};
	}
	qsort(out, n, sizeof(*out), by_pc);
	return n;
}

enum status stalls_locate(struct stalls *r, struct binary *b, size_t *found, struct error *e)
{
	size_t most = r->cost_count + 1, hits = 0;
	struct located *codes = calloc(most, sizeof(*codes));
	uint64_t *pcs = calloc(most, sizeof(*pcs));
	struct code_place *places = calloc(most, sizeof(*places));
	struct code_place *of_code = calloc(most, sizeof(*of_code));
	const bool enough = codes && pcs && places && of_code;
	size_t n;

	if (enough) {
		n = list_pcs(r, codes);
		for (size_t i = 0; i < n; i++)
			pcs[i] = codes[i].pc;
		binary_locate(b, pcs, n, places);
		for (size_t i = 0; i < n; i++) {
			of_code[codes[i].code] = places[i];
			hits += places[i].function || places[i].file;
		}
	}
	free(codes);
	free(pcs);
	free(places);
	if (!enough) {
		free(of_code);
		return error_set(e, STATUS_NOMEM, "out of memory");
	}
	free(r->places);
	r->places = of_code;
	if (found)
		*found = hits;
	return STATUS_OK;
}
