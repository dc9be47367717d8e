#include "config.h"

#include "analysis/pipeline/reduce_trace.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/reduce_operands.h"
#include "analysis/pipeline/reduce_simulate.h"
#include "base/intern.h"

/* Arcs of the longest execution section and beyond cost nothing: who is farther is forgotten. */
enum { KNOWN = REDUCE_LENGTH_MOST };

struct known {
	uint64_t row;
	uint32_t code;
};

/* One thread: a program of its own. */
struct program_state {
	struct reducing *all;
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

struct reducing {
	const struct reduce_trace_options *options;
	struct reduced_trace *out;
	struct intern *pairs;
	VEC(struct arc_charge) charges;       /* by pair */
	VEC(struct program_state *) programs; /* by thread; NULL: not met yet */
	enum status status;
	struct error *e;
};

static void fail(struct reducing *g)
{
	if (!g->status)
		g->status = error_set(g->e, STATUS_NOMEM, "out of memory");
}

/* ---- charges ----------------------------------------------------------------------------- */

static const struct known *known_at(const struct program_state *p, int64_t node)
{
	return node >= 0 && p->node - node < KNOWN ? &p->known[node % KNOWN] : NULL;
}

static uint64_t row_at(const struct program_state *p, int64_t node)
{
	const struct known *k = known_at(p, node);

	return k ? k->row : ROW_NONE;
}

/* What the arc adds to what its chain has lost: nothing for those beyond the pipeline. */
static int64_t cost_of(struct program_state *p, const struct reduce_arc *arc)
{
	const struct reduce_trace_options *o = p->all->options;
	struct shape shape = shapes_get(&reduce_result(p->reduce)->shapes, arc->shape);
	int64_t cost[STACK_LANES] = {shape_cost(&shape, &o->at, o->shorts)};
	int64_t before;

	if (arc->place == 0 || arc->chain != p->chain)
		stack_clock_restart(&p->clock);
	p->chain = arc->chain;
	before = p->clock.lost[0];
	if (!stack_clock_step(&p->clock, (uint64_t)arc->resolver, (uint64_t)arc->dependent, cost))
		fail(p->all);
	return p->clock.lost[0] - before;
}

/* NULL: no memory. */
static struct arc_charge *charge_of(struct reducing *g, uint32_t resolver, uint32_t dependent)
{
	const uint32_t key[] = {resolver, dependent};
	int32_t id = intern_add(g->pairs, (const char *)key, sizeof(key));

	if (id < 0 || ((size_t)id == g->charges.count &&
		       !vec_push(&g->charges, ((struct arc_charge){.resolver = resolver,
								   .dependent = dependent}))))
		return NULL;
	return &g->charges.data[id];
}

static void charge(struct program_state *p, const struct reduce_arc *arc, int64_t cycles)
{
	const struct known *from = known_at(p, arc->resolver), *to = known_at(p, arc->dependent);
	struct arc_charge *c;

	if (cycles <= 0 || !from || !to)
		return;
	c = charge_of(p->all, from->code, to->code);
	if (!c) {
		fail(p->all);
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
	static const unsigned removed[] = {[ARC_R1] = 1, [ARC_R2] = 2, [ARC_R3] = 3, [ARC_KEPT] = 0};
	const struct reduce_trace_options *o = p->all->options;
	struct shown_arc told = {
	    .row = row_at(p, arc->dependent),
	    .from = row_at(p, arc->resolver),
	    .removed = removed[arc->fate],
	    .distance = (uint32_t)(arc->dependent - arc->resolver),
	    .by_row = ROW_NONE,
	    .by_from = ROW_NONE,
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
	if (p->all->options->arc && arc->fate != ARC_BEYOND)
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

static int64_t longest_of(const int64_t times[OP_CLASS_COUNT])
{
	int64_t longest = 0;

	for (int i = 0; i < OP_CLASS_COUNT; i++)
		longest = times[i] > longest ? times[i] : longest;
	return longest;
}

static enum status begin_program(struct program_state *p, const struct reduce_trace_options *o,
				 struct error *e)
{
	enum status status = STATUS_OK;

	p->reduce = reduce_new(&(struct reduce_options){
	    .r3plus = o->r3plus,
	    .shorts = o->shorts,
	    .arc = o->arc || o->at.execute > 0 ? take_arc : NULL,
	    .kept_only = !o->arc,
	    .arg = p,
	});
	if (!p->reduce)
		return error_set(e, STATUS_NOMEM, "out of memory");
	if (o->simulate_count)
		status = simulation_new(&p->simulation, o->simulate, o->simulate_count, o->shorts,
					e);
	if (!status && o->times)
		status = slack_new(&p->slack, o->setups, o->setup_count, longest_of(o->times), e);
	return status;
}

/* NULL: g->status says why. */
static struct program_state *program_of(struct reducing *g, uint16_t thread)
{
	struct program_state *p;

	while (g->programs.count <= thread)
		if (!vec_push(&g->programs, NULL)) {
			fail(g);
			return NULL;
		}
	if (g->programs.data[thread])
		return g->programs.data[thread];
	p = g->programs.data[thread] = calloc(1, sizeof(*p));
	if (!p) {
		fail(g);
		return NULL;
	}
	p->all = g;
	g->status = begin_program(p, g->options, g->e);
	return g->status ? NULL : p;
}

/* ---- instructions -------------------------------------------------------------------------- */

/* Rows ascend with the numbers, but for micro-ops that are instructions: look from the end. */
static bool named_resolvers(struct program_state *p, const struct executed *x)
{
	int64_t oldest = p->node < KNOWN ? 0 : p->node - KNOWN + 1;

	p->from.count = 0;
	for (size_t i = 0; i < x->producer_count; i++) {
		int64_t node = p->node - 1;

		p->resolvers.ahead += x->producers[i] >= x->row;
		while (node >= oldest && p->known[node % KNOWN].row != x->producers[i])
			node--;
		if (node >= oldest && !vec_push(&p->from, node))
			return false;
	}
	return resolvers_set(&p->resolvers, p->node, p->from.data, p->from.count);
}

static bool resolve(struct program_state *p, const struct executed *x)
{
	if (p->all->options->executed.links)
		return named_resolvers(p, x);
	return operands_resolve(&p->operands, p->node, x->sources, x->source_count, x->sinks,
				x->sink_count, &p->resolvers);
}

/* Take out the arcs that options.without names. */
static void leave_out(struct program_state *p, uint32_t code)
{
	const struct reduce_trace_options *o = p->all->options;
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

static bool step(struct program_state *p, const struct executed *x)
{
	struct reduce_step one;

	if (!resolve(p, x))
		return false;
	p->known[p->node % KNOWN] = (struct known){x->row, x->code};
	leave_out(p, x->code);
	one = (struct reduce_step){
	    .resolvers = p->resolvers.list.data,
	    .count = p->resolvers.list.count,
	    .taken = x->taken,
	    .self = x->insn.self_resolving,
	    .ahead = x->ahead,
	};
	if (p->simulation)
		simulation_add(p->simulation, &one);
	if (p->slack && !slack_add(p->slack, &one, p->all->options->times[x->insn.class]))
		return false;
	p->node++;
	return reduce_add(p->reduce, &one);
}

static bool take(void *arg, const struct executed *x)
{
	struct reducing *g = arg;
	struct program_state *p = program_of(g, x->thread);

	if (p && !step(p, x))
		fail(g);
	return !g->status;
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

static void add_up(struct reducing *g)
{
	int64_t *one = calloc(g->options->simulate_count + 1, sizeof(*one));

	if (!one)
		fail(g);
	for (size_t i = 0; !g->status && i < g->programs.count; i++) {
		struct program_state *p = g->programs.data[i];
		enum status status;

		if (!p)
			continue;
		if (p->simulation)
			add_simulated(p, g->out->simulated, one);
		if (p->slack)
			add_slack(p, &g->out->slack);
		status = add_program(p, &g->out->reduction, g->e);
		g->status = g->status ? g->status : status; /* the last arcs come out at the end */
	}
	free(one);
}

static void take_charges(struct reducing *g)
{
	if (!g->charges.count)
		return;
	qsort(g->charges.data, g->charges.count, sizeof(*g->charges.data), by_cost);
	g->out->charges = g->charges.data;
	g->out->charge_count = g->charges.count;
	g->charges.data = NULL;
}

static void reducing_free(struct reducing *g)
{
	for (size_t i = 0; i < g->programs.count; i++)
		program_free(g->programs.data[i]);
	vec_free(&g->programs);
	vec_free(&g->charges);
	intern_free(g->pairs);
}

static void walk(struct reducing *g, struct store *s, const struct range *range,
		 const atomic_bool *stop)
{
	struct reduced_trace *out = g->out;
	struct codemap map = {0};
	enum status status = codemap_new(&map, s, g->options->isa, g->e);

	if (!status)
		status = executed_walk(s, &map, range, &g->options->executed, stop, take, g,
				       &out->counts, g->e);
	g->status = g->status ? g->status : status;
	out->isa = map.isa;
	codemap_free(&map);
}

enum status reduce_trace(struct reduced_trace *out, struct store *s, const struct range *range,
			 const struct reduce_trace_options *o, const atomic_bool *stop,
			 struct error *e)
{
	struct reducing g = {.options = o, .out = out, .pairs = intern_new(), .e = e};

	*out = (struct reduced_trace){.links = o->executed.links};
	out->simulated = calloc(o->simulate_count + 1, sizeof(*out->simulated));
	if (!g.pairs || !out->simulated || !reduction_init(&out->reduction))
		fail(&g);
	/* what is wrong with the pipelines is to be said before all the work */
	if (!g.status && program_of(&g, 0))
		walk(&g, s, range, stop);
	if (!g.status)
		add_up(&g);
	if (!g.status)
		take_charges(&g);
	reducing_free(&g);
	out->reduction.unread = out->counts.unread;
	if (g.status)
		reduced_trace_free(out);
	return g.status;
}

void reduced_trace_free(struct reduced_trace *r)
{
	reduction_free(&r->reduction);
	free(r->charges);
	free(r->simulated);
	*r = (struct reduced_trace){.charges = NULL};
}

bool reduced_trace_exact(const struct reduced_trace *r)
{
	return !r->links && !r->counts.unread && !r->counts.loads && !r->counts.redirects &&
	       !r->counts.nameless;
}
