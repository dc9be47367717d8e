#include "config.h"

#include "analysis/pipeline/reduce_run.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/reduce_operands.h"
#include "analysis/pipeline/reduce_simulate.h"
#include "base/intern.h"

/* Arcs of the longest execution section and beyond cost nothing: who is farther is forgotten. */
enum { KNOWN = REDUCE_LENGTH_MOST, RECENT_BITS = 12 };

struct known {
	uint64_t row;
	uint32_t code;
};

/* One thread: a program of its own. */
struct program_state {
	struct reduce_run *all;
	struct reduce *reduce;
	struct simulation *simulation; /* NULL: none is asked for */
	struct slack *slack;           /* likewise */
	struct operands operands;
	struct resolvers resolvers;
	VEC(int64_t) from; /* instructions that links name */
	int64_t node;
	struct stack_clock clock;
	uint64_t chain;
	struct known known[KNOWN]; /* by number, the last ones */
};

struct reduce_run {
	const struct run_options *options;
	struct intern *pairs;
	VEC(struct arc_charge) charges; /* by pair */
	uint32_t recent[1 << RECENT_BITS]; /* pairs met lately, by a hash of them */
	VEC(struct program_state *) programs; /* by thread; NULL: not met yet */
	bool failed;
};

/* ---- charges ----------------------------------------------------------------------------- */

static const struct known *known_at(const struct program_state *p, int64_t node)
{
	return node >= 0 && p->node - node < KNOWN ? &p->known[node % KNOWN] : NULL;
}

static uint64_t row_at(const struct program_state *p, int64_t node)
{
	const struct known *k = known_at(p, node);

	return k ? k->row : RUN_ROW_NONE;
}

/* What the arc adds to what its chain has lost: nothing for those beyond the pipeline. */
static int64_t cost_of(struct program_state *p, const struct reduce_arc *arc)
{
	const struct run_options *o = p->all->options;
	struct shape shape = shapes_get(&reduce_result(p->reduce)->shapes, arc->shape);
	int64_t cost[STACK_LANES] = {o->at.execute - (int64_t)shape.distance -
				     shape_flush(&shape, o->at.setup, o->shorts)};
	int64_t before;

	if (arc->place == 0 || arc->chain != p->chain)
		stack_clock_restart(&p->clock);
	p->chain = arc->chain;
	before = p->clock.lost[0];
	if (!stack_clock_step(&p->clock, (uint64_t)arc->resolver, (uint64_t)arc->dependent, cost))
		p->all->failed = true;
	return p->clock.lost[0] - before;
}

static int32_t add_pair(struct reduce_run *t, uint32_t resolver, uint32_t dependent)
{
	const uint32_t key[] = {resolver, dependent};
	int32_t id = intern_add(t->pairs, (const char *)key, sizeof(key));

	if (id >= 0 && (size_t)id == t->charges.count &&
	    !vec_push(&t->charges,
		      ((struct arc_charge){.resolver = resolver, .dependent = dependent})))
		return -1;
	return id;
}

/* Those met lately are found without hashing them with a key. */
static struct arc_charge *charge_of(struct reduce_run *t, uint32_t resolver, uint32_t dependent)
{
	uint64_t hash = ((uint64_t)resolver << 32 | dependent) * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t *recent = &t->recent[hash >> (64 - RECENT_BITS)];
	int32_t id = (int32_t)*recent;

	if (*recent >= t->charges.count || t->charges.data[id].resolver != resolver ||
	    t->charges.data[id].dependent != dependent)
		id = add_pair(t, resolver, dependent);
	if (id < 0)
		return NULL;
	*recent = (uint32_t)id;
	return &t->charges.data[id];
}

static void charge(struct program_state *p, const struct reduce_arc *arc, int64_t cycles)
{
	const struct known *from = known_at(p, arc->resolver), *to = known_at(p, arc->dependent);
	struct arc_charge *c;

	if (cycles <= 0 || !from || !to)
		return;
	c = charge_of(p->all, from->code, to->code);
	if (!c) {
		p->all->failed = true;
		return;
	}
	c->count++;
	c->cycles += cycles;
	if (cycles > c->most) {
		c->most = cycles;
		c->row = to->row;
		c->from = from->row;
	}
}

static void tell_arc(struct program_state *p, const struct reduce_arc *arc, int64_t cycles)
{
	const struct run_options *o = p->all->options;
	struct row_arc told = {
	    .row = row_at(p, arc->dependent),
	    .from = row_at(p, arc->resolver),
	    .fate = arc->fate,
	    .distance = (uint32_t)(arc->dependent - arc->resolver),
	    .by_row = RUN_ROW_NONE,
	    .by_from = RUN_ROW_NONE,
	    .cycles = cycles,
	};

	if (arc->fate == ARC_KEPT) {
		told.branches =
		    shapes_get(&reduce_result(p->reduce)->shapes, arc->shape).branches;
	} else {
		told.by_row = row_at(p, arc->by_dependent);
		told.by_from = row_at(p, arc->by_resolver);
	}
	o->arc(o->arg, &told);
}

static void take_arc(void *arg, const struct reduce_arc *arc)
{
	struct program_state *p = arg;
	int64_t cycles = 0;

	if (arc->fate == ARC_KEPT && p->all->options->at.execute > 0) {
		cycles = cost_of(p, arc);
		charge(p, arc, cycles);
	}
	if (p->all->options->arc)
		tell_arc(p, arc, cycles);
}

static int by_cost(const void *a, const void *b)
{
	const struct arc_charge *x = a, *y = b;

	if (x->cycles != y->cycles)
		return x->cycles < y->cycles ? 1 : -1;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* ---- the programs ------------------------------------------------------------------------ */

static void program_free(struct program_state *p)
{
	struct reduction none;

	if (!p)
		return;
	if (p->reduce && !reduce_end(p->reduce, &none, NULL))
		reduction_free(&none);
	simulation_free(p->simulation);
	slack_free(p->slack);
	operands_free(&p->operands);
	resolvers_free(&p->resolvers);
	vec_free(&p->from);
	stack_clock_free(&p->clock);
	free(p);
}

static struct program_state *program_new(struct reduce_run *t)
{
	const struct run_options *o = t->options;
	struct program_state *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->all = t;
	p->reduce = reduce_new(&(struct reduce_options){
	    .cap = o->cap,
	    .r3plus = o->r3plus,
	    .shorts = o->shorts,
	    .arc = o->arc || o->at.execute > 0 ? take_arc : NULL,
	    .kept_only = !o->arc,
	    .arg = p,
	});
	if (!p->reduce ||
	    (o->simulate_count &&
	     simulation_new(&p->simulation, o->simulate, o->simulate_count, o->shorts, NULL)) ||
	    (o->setup_count &&
	     slack_new(&p->slack, o->setups, o->setup_count, o->longest, NULL))) {
		program_free(p);
		return NULL;
	}
	return p;
}

static struct program_state *program_of(struct reduce_run *t, uint16_t thread)
{
	while (t->programs.count <= thread)
		if (!vec_push(&t->programs, NULL))
			return NULL;
	if (!t->programs.data[thread])
		t->programs.data[thread] = program_new(t);
	return t->programs.data[thread];
}

/* ---- instructions -------------------------------------------------------------------------- */

/* Rows ascend with the numbers, but for micro-ops that are instructions: look from the end. */
static bool named_resolvers(struct program_state *p, const struct run_step *step)
{
	int64_t oldest = p->node < KNOWN ? 0 : p->node - KNOWN + 1;

	p->from.count = 0;
	for (size_t i = 0; i < step->from_count; i++) {
		int64_t node = p->node - 1;

		p->resolvers.ahead += step->from[i] >= step->row;

		while (node >= oldest && p->known[node % KNOWN].row != step->from[i])
			node--;
		if (node >= oldest && !vec_push(&p->from, node))
			return false;
	}
	return resolvers_set(&p->resolvers, p->node, p->from.data, p->from.count);
}

static bool resolve(struct program_state *p, const struct run_step *step)
{
	if (step->from)
		return named_resolvers(p, step);
	return operands_resolve(&p->operands, p->node, step->sources, step->source_count,
				step->sinks, step->sink_count, &p->resolvers);
}

/* Take out the arcs that options.without names. */
static void leave_out(struct program_state *p, uint32_t code)
{
	const struct run_options *o = p->all->options;
	size_t n = 0;

	if (!o->without || code != o->without_dependent)
		return;
	for (size_t i = 0; i < p->resolvers.list.count; i++) {
		const struct known *k = known_at(p, p->resolvers.list.data[i]);

		if (!k || k->code != o->without_resolver)
			p->resolvers.list.data[n++] = p->resolvers.list.data[i];
	}
	p->resolvers.list.count = n;
}

static bool step_program(struct program_state *p, const struct run_step *step)
{
	struct reduce_step one;

	if (!resolve(p, step))
		return false;
	p->known[p->node % KNOWN] = (struct known){step->row, step->code};
	leave_out(p, step->code);
	one = (struct reduce_step){
	    .resolvers = p->resolvers.list.data,
	    .count = p->resolvers.list.count,
	    .taken = step->taken,
	    .self = step->self,
	    .ahead = step->ahead,
	};
	if (p->simulation)
		simulation_add(p->simulation, &one);
	if (p->slack && !slack_add(p->slack, &one, step->execute))
		return false;
	p->node++;
	return reduce_add(p->reduce, &one);
}

bool run_add(struct reduce_run *run, const struct run_step *step)
{
	struct program_state *p = run->failed ? NULL : program_of(run, step->program);

	if (!p || !step_program(p, step))
		run->failed = true;
	return !run->failed;
}

/* ---- the end ------------------------------------------------------------------------------- */

static void add_simulated(const struct program_state *p, int64_t *sums, int64_t *one)
{
	simulation_cycles(p->simulation, one);
	for (size_t i = 0; i < p->all->options->simulate_count; i++)
		sums[i] += one[i];
}

static void add_slack(const struct program_state *p, struct slack_result *sum)
{
	struct slack_result one;

	slack_result_of(p->slack, &one);
	sum->instructions += one.instructions;
	sum->targets += one.targets;
	sum->self_resolving += one.self_resolving;
	sum->arcs += one.arcs;
	sum->positive += one.positive;
	sum->kept += one.kept;
	for (size_t i = 0; i < p->all->options->setup_count; i++) {
		sum->cycles[i] += one.cycles[i];
		sum->kept_cycles[i] += one.kept_cycles[i];
	}
}

static enum status add_program(struct program_state *p, struct reduction *sum, struct error *e)
{
	struct reduction one;
	enum status status = reduce_end(p->reduce, &one, e);

	p->reduce = NULL;
	if (status)
		return status;
	one.sources = p->resolvers.sources;
	one.cold = p->resolvers.cold;
	one.ahead = p->resolvers.ahead;
	status = reduction_merge(sum, &one, 1, e);
	reduction_free(&one);
	return status;
}

static enum status add_up(struct reduce_run *run, struct run_result *out, struct error *e)
{
	size_t points = run->options->simulate_count;
	int64_t *one = calloc(points + 1, sizeof(*one));
	enum status status = STATUS_OK;

	out->simulated = calloc(points + 1, sizeof(*out->simulated));
	if (!one || !out->simulated || !reduction_init(&out->reduction))
		status = error_set(e, STATUS_NOMEM, "out of memory");
	for (size_t i = 0; !status && i < run->programs.count; i++) {
		struct program_state *p = run->programs.data[i];

		if (!p)
			continue;
		if (p->simulation)
			add_simulated(p, out->simulated, one);
		if (p->slack)
			add_slack(p, &out->slack);
		status = add_program(p, &out->reduction, e);
	}
	free(one);
	return status;
}

enum status run_new(struct reduce_run **out, const struct run_options *options, struct error *e)
{
	struct reduce_run *run = calloc(1, sizeof(*run));
	struct simulation *trial = NULL;
	struct slack *slack = NULL;
	enum status status = STATUS_OK;

	*out = NULL;
	if (run)
		run->pairs = intern_new();
	if (!run || !run->pairs)
		status = error_set(e, STATUS_NOMEM, "out of memory");
	/* what is wrong with the pipelines is to be said before all the work */
	if (!status && options->simulate_count)
		status = simulation_new(&trial, options->simulate, options->simulate_count,
					options->shorts, e);
	simulation_free(trial);
	if (!status && options->setup_count)
		status = slack_new(&slack, options->setups, options->setup_count, options->longest,
				   e);
	slack_free(slack);
	if (status) {
		run_free(run);
		return status;
	}
	run->options = options;
	*out = run;
	return STATUS_OK;
}

enum status run_end(struct reduce_run *run, struct run_result *out, struct error *e)
{
	enum status status;

	memset(out, 0, sizeof(*out));
	status = run->failed ? error_set(e, STATUS_NOMEM, "out of memory") : add_up(run, out, e);
	if (run->failed && !status) /* the last arcs come out at the end */
		status = error_set(e, STATUS_NOMEM, "out of memory");
	if (!status && run->charges.count) {
		out->charges = run->charges.data;
		out->charge_count = run->charges.count;
		run->charges.data = NULL;
		qsort(out->charges, out->charge_count, sizeof(out->charges[0]), by_cost);
	}
	run_free(run);
	if (status)
		run_result_free(out);
	return status;
}

void run_free(struct reduce_run *run)
{
	if (!run)
		return;
	for (size_t i = 0; i < run->programs.count; i++)
		program_free(run->programs.data[i]);
	vec_free(&run->programs);
	vec_free(&run->charges);
	intern_free(run->pairs);
	free(run);
}

void run_result_free(struct run_result *r)
{
	reduction_free(&r->reduction);
	free(r->charges);
	free(r->simulated);
	memset(r, 0, sizeof(*r));
}
