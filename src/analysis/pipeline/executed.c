#include "config.h"

#include "analysis/pipeline/executed.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/executed_text.h"
#include "analysis/pipeline/program.h"
#include "analysis/pipeline/walk.h"
#include "base/vec.h"

enum { NOPS_MAX = 64 }; /* in a row; more were no program */

/* Squashed are looked at for the instructions that their micro-ops tell about. */
enum { FATES = FATE_BIT(FATE_COMMITTED) | FATE_BIT(FATE_DROPPED) | FATE_BIT(FATE_SQUASHED) };

typedef VEC(uint64_t) rows_vec;
typedef VEC(struct executed) nops_vec;

/* An instruction that is not told yet. */
struct unit {
	bool open;
	bool dropped;   /* consumed at decode */
	bool cut;       /* a micro-op of it was squashed: it was on a wrong path */
	bool committed; /* it, or a micro-op of it */
	struct executed x;
	rows_vec producers;
};

/*
 * A thread: what is being put together, the nops behind it, what waits for its successor. The two
 * units change places when the group is whole; they are too large to be copied for each row.
 */
struct stream {
	struct unit units[2];
	unsigned group; /* which of them; the other one is the last */
	nops_vec nops;
};

static struct unit *group_of(struct stream *t)
{
	return &t->units[t->group];
}

static struct unit *last_of(struct stream *t)
{
	return &t->units[!t->group];
}

struct executing {
	struct store *store;
	const struct codemap *map;
	const struct range *range;
	const struct executed_options *options;
	const atomic_bool *stop;
	executed_fn *fn;
	void *arg;
	struct executed_counts *counts;
	struct stream *streams;
	size_t stream_count;
	uint32_t sources[ISA_REG_COUNT], sinks[ISA_REG_COUNT]; /* of the one being told */
	bool enough, no_memory;
};

static uint64_t pc_of(const struct executing *g, const struct executed *x)
{
	const struct code_insn *c = codemap_at(g->map, x->code);

	return c ? c->pc : 0;
}

/* ---- what comes out ---------------------------------------------------------------------- */

static size_t register_list(const struct isa_regs *set, uint32_t out[ISA_REG_COUNT])
{
	size_t n = 0;

	for (unsigned r = 0; (r = isa_regs_next(set, r)) < ISA_REG_COUNT; r++)
		out[n++] = r;
	return n;
}

static void tell(struct executing *g, struct executed *x)
{
	if (g->enough)
		return;
	if (!g->options->plain) {
		x->sources = g->sources;
		x->source_count = register_list(&x->insn.sources, g->sources);
		x->sinks = g->sinks;
		x->sink_count = register_list(&x->insn.sinks, g->sinks);
	}
	g->counts->instructions++;
	g->counts->unread += !x->read && !g->options->links;
	g->counts->loads += x->insn.reads_memory;
	g->enough = !g->fn(g->arg, x);
}

static bool always_leaves(const struct executed *x)
{
	return x->read && !x->insn.predicated && x->insn.flow != FLOW_NEXT &&
	       x->insn.flow != FLOW_CONDITIONAL;
}

static bool goes_on(const struct executing *g, const struct executed *x, uint64_t pc)
{
	const struct code_insn *c = codemap_at(g->map, x->code);

	return !c || !c->has_pc || codemap_goes_on(c, pc);
}

/* Now that it is known where the program went after x. */
static void settle(struct executing *g, struct executed *x, const struct executed *next)
{
	x->taken = always_leaves(x) ||
		   (x->whole != next->whole && !goes_on(g, x, pc_of(g, next)));
	if (x->taken) {
		x->ahead = codemap_ahead(g->map, pc_of(g, x), pc_of(g, next));
		g->counts->redirects += x->read && x->insn.flow == FLOW_NEXT;
	}
	tell(g, x);
}

/* Nops from i on lead to next without a gap, and the instruction before leads to them. */
static bool joins(const struct executing *g, struct stream *t, size_t i)
{
	const struct unit *last = last_of(t);

	return !last->open || last->x.insn.flow != FLOW_NEXT ||
	       goes_on(g, &last->x, pc_of(g, &t->nops.data[i]));
}

/* Which of the nops stand before next: the first of them, or their count. */
static size_t first_nop(const struct executing *g, struct stream *t, const struct executed *next)
{
	size_t first = t->nops.count;
	uint64_t pc;

	if (!first)
		return 0;
	pc = pc_of(g, next);
	if (last_of(t)->open && goes_on(g, &last_of(t)->x, pc))
		return first;
	for (size_t i = t->nops.count; i-- > 0 && goes_on(g, &t->nops.data[i], pc);) {
		pc = pc_of(g, &t->nops.data[i]);
		if (joins(g, t, i))
			first = i;
	}
	return first;
}

static void close_last(struct executing *g, struct stream *t, const struct executed *next)
{
	struct unit *last = last_of(t);

	if (last->open) {
		last->x.producers = last->producers.data;
		last->x.producer_count = last->producers.count;
		settle(g, &last->x, next);
	}
	last->open = false;
}

static void arrive(struct executing *g, struct stream *t)
{
	struct executed *x = &group_of(t)->x;

	for (size_t i = first_nop(g, t, x); i < t->nops.count; i++) {
		close_last(g, t, &t->nops.data[i]);
		g->counts->nops++;
		settle(g, &t->nops.data[i], i + 1 < t->nops.count ? &t->nops.data[i + 1] : x);
	}
	vec_clear(&t->nops);
	close_last(g, t, x);
	t->group = !t->group;
}

static void keep_nop(struct executing *g, struct stream *t, const struct executed *x)
{
	if (t->nops.count == NOPS_MAX)
		memmove(t->nops.data, t->nops.data + 1, --t->nops.count * sizeof(t->nops.data[0]));
	g->no_memory = !vec_push(&t->nops, *x) || g->no_memory;
}

static void close_group(struct executing *g, struct stream *t)
{
	struct unit *u = group_of(t);

	if (!u->open)
		return;
	if (!u->cut && u->committed) {
		arrive(g, t);
		return;
	}
	if (u->cut)
		g->counts->orphans += u->x.parts;
	else
		keep_nop(g, t, &u->x);
	u->open = false;
}

/* ---- what comes in ----------------------------------------------------------------------- */

/* c: what it is; NULL: not told. */
static void open_group(struct stream *t, const struct row *row, const struct code_insn *c)
{
	struct unit *u = group_of(t);

	vec_clear(&u->producers);
	u->open = true;
	u->dropped = row->fate == FATE_DROPPED;
	u->cut = false;
	u->committed = row->fate == FATE_COMMITTED;
	u->x = (struct executed){
	    .row = row->row,
	    .whole = row->micro_op && row->parent != ROW_NONE ? row->parent : row->row,
	    .end = row_commit_tick(row),
	    .code = row->code,
	    .thread = row->thread,
	    .read = c && c->read,
	    .insn = c ? c->insn : (struct isa_insn){.base = ISA_REG_NONE},
	    .classes = c && c->read ? (class_set)1 << c->insn.class : 0,
	};
}

/* What a micro-op needs that another one of the same instruction has made is no operand. */
static void merge(struct isa_insn *whole, const struct isa_insn *part)
{
	for (size_t i = 0; i < ISA_REG_COUNT / 64; i++) {
		whole->sources.bits[i] |= part->sources.bits[i] & ~whole->sinks.bits[i];
		whole->sinks.bits[i] |= part->sinks.bits[i];
	}
	whole->reads_memory |= part->reads_memory;
	whole->writes_memory |= part->writes_memory;
	whole->self_resolving |= part->self_resolving;
	if (part->flow != FLOW_NEXT)
		whole->flow = part->flow;
	if (part->class == OP_LOAD || part->class == OP_STORE || whole->class == OP_INT_ALU)
		whole->class = part->class;
}

/* A macro-instruction that was consumed at decode says all there is to say, if it was read. */
static void join_group(struct stream *t, const struct row *row, const struct code_insn *c)
{
	struct unit *u = group_of(t);

	if (row->fate == FATE_COMMITTED && u->dropped && row_commit_tick(row) > u->x.end)
		u->x.end = row_commit_tick(row); /* what was committed itself says when */
	u->committed |= row->fate == FATE_COMMITTED;
	u->cut |= row->fate == FATE_SQUASHED;
	u->x.parts += row->fate == FATE_COMMITTED;
	if ((u->dropped && u->x.read) || (c && c->insn.class == OP_PART))
		return;
	if (!c || !c->read || (!u->x.read && !u->dropped)) {
		u->x.read = false;
		return;
	}
	u->x.read = true;
	u->x.classes |= (class_set)1 << c->insn.class;
	merge(&u->x.insn, &c->insn);
}

static bool is_part(const struct executing *g, const struct row *row)
{
	return row->micro_op && row->parent != ROW_NONE && row->parent != row->row &&
	       !g->options->parts;
}

/* Of a format that does not say whose it is; what it is part of says all there is to say. */
static bool is_lone_part(const struct executing *g, const struct code_insn *c)
{
	return !g->options->parts && c && c->insn.class == OP_PART;
}

/* Neither address nor text is known: with links it has a place in the program all the same. */
static bool is_nameless(const struct executing *g, const struct code_insn *c)
{
	return !g->options->links && (!c || (!c->has_pc && c->insn.unread == UNREAD_EMPTY));
}

static struct stream *stream_of(struct executing *g, uint16_t thread)
{
	if (thread >= g->stream_count) {
		size_t count = (size_t)thread + 1;
		struct stream *more = realloc(g->streams, count * sizeof(*more));

		if (!more) {
			g->no_memory = true;
			return NULL;
		}
		memset(more + g->stream_count, 0, (count - g->stream_count) * sizeof(*more));
		g->streams = more;
		g->stream_count = count;
	}
	return &g->streams[thread];
}

static struct stream *put(struct executing *g, const struct row *row)
{
	const struct code_insn *c = codemap_at(g->map, row->code);
	struct stream *t = stream_of(g, row->thread);

	if (!t || !range_has(g->range, row))
		return NULL;
	if (g->options->rows)
		g->options->rows(g->options->rows_arg, row);
	if (!is_part(g, row)) {
		if (row->fate == FATE_SQUASHED || is_lone_part(g, c))
			return NULL;
		if (is_nameless(g, c)) {
			g->counts->nameless++;
			return NULL;
		}
		close_group(g, t);
		open_group(t, row, c);
	} else if (group_of(t)->open && group_of(t)->x.row == row->parent) {
		join_group(t, row, c);
	} else {
		g->counts->orphans += row->fate == FATE_COMMITTED;
		return NULL;
	}
	return t;
}

static bool goes_further(const struct executing *g)
{
	return !g->enough && !g->no_memory;
}

static bool put_row(void *arg, const struct row *row)
{
	struct executing *g = arg;

	put(g, row);
	return goes_further(g);
}

/* Links say nothing, or not all, of what it waited for. */
static bool is_untold(const struct executing *g, const struct detail_row *row)
{
	return row->far > 0 || row->left > 0 ||
	       (!row->renamed && store_link_count_is_bound(g->store));
}

static bool put_linked(void *arg, const struct walk_row *w)
{
	struct executing *g = arg;
	const struct row *row = &w->detail->head;
	struct stream *t;

	if (!(FATES & FATE_BIT(row->fate)))
		return !(g->stop && *g->stop);
	t = put(g, row);
	g->counts->unread += t && is_untold(g, w->detail);
	for (uint32_t i = 0; t && i < w->detail->links; i++)
		if (w->links[i].row != ROW_NONE && !vec_push(&group_of(t)->producers, w->links[i].row))
			g->no_memory = true;
	return goes_further(g) && !(g->stop && *g->stop);
}

/* The last one has no successor: if it always leaves, it did. */
static void finish(struct executing *g)
{
	for (size_t i = 0; i < g->stream_count; i++) {
		struct stream *t = &g->streams[i];
		struct unit *last;

		close_group(g, t);
		last = last_of(t);
		if (last->open) {
			last->x.taken = always_leaves(&last->x);
			last->x.producers = last->producers.data;
			last->x.producer_count = last->producers.count;
			tell(g, &last->x);
		}
		vec_free(&t->units[0].producers);
		vec_free(&t->units[1].producers);
		vec_free(&t->nops);
	}
	free(g->streams);
}

enum status executed_walk(struct store *s, const struct codemap *m, const struct range *r,
			  const struct executed_options *o, const atomic_bool *stop,
			  executed_fn *fn, void *arg, struct executed_counts *counts,
			  struct error *e)
{
	struct executing g = {.store = s,
			      .map = m,
			      .range = r,
			      .options = o,
			      .stop = stop,
			      .fn = fn,
			      .arg = arg,
			      .counts = counts};
	uint64_t first, last;
	enum status status;

	*counts = (struct executed_counts){0};
	if (executed_is_text(s))
		return executed_text_walk(s, r, stop, fn, arg, counts, e);
	range_rows(s, r, &first, &last);
	if (o->links)
		status = walk_rows(s, first, last, WALK_LINKS, put_linked, &g, e);
	else
		status = program_walk(s, first, last, FATES, stop, put_row, &g, e);
	if (!status && stop && *stop)
		status = error_set(e, STATUS_INTERRUPTED, "interrupted");
	finish(&g);
	if (!status && g.no_memory)
		status = error_set(e, STATUS_NOMEM, "out of memory");
	return status;
}
