#include "config.h"

#include "analysis/pipeline/why_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/codemap.h"
#include "analysis/pipeline/program.h"

/*
 * Program order: a micro-op stands behind its parent. The second half of a load or store is one
 * that its parent alone describes; others are instructions of their own. Who made an operand is
 * told by the links of the trace, where it has them, else by operands as the reduction reads them,
 * registers only. A misprediction is a mark, or a run of squashed rows. One thread is read.
 */

enum {
	ROWS_KNOWN = 1 << 14, /* rows that links can name: producers are not farther back */
	HALVES = 8,           /* of an instruction, at most */
	LINES = 4096,         /* of wrong paths, that are waited for; one may push out another */
	LINE = 32,            /* bytes */
	OP_LENGTH = 24        /* of the name of an operation, at most */
};

#define ADDRESS "latency(address)" /* of the first half of a load or store */

/* A row, on its way into program order. */
struct waiting {
	struct row head; /* first */
	int64_t times[WHY_TIMES]; /* TICK_NONE: it has no such time */
	unsigned flags; /* WHY_FETCHED, WHY_ISSUED, and its marks */
	uint8_t front, links;
	bool unfinished; /* its issue or result is not there, but those of others are */
	uint32_t rows[WHY_PRODUCERS]; /* links: to these */
};

struct reader_state {
	struct why_reading *out;
	struct why_columns *c; /* out->columns */
	struct codemap map;
	struct why_ring holders[WHY_PLACES];
	struct why_slot slots[WHY_SLOTS];
	/* Of whole cycles the first one, and the one that a cut trace ends in: who left there is not
	 * known. */
	int64_t from, until;
	uint64_t rows; /* of the trace */
	const atomic_bool *stop;
	unsigned misses, mispredicted, misfetched; /* events */
	uint8_t *ops; /* by code, those without one behind them; WHY_OP_ADDRESS: not looked at */
	struct program_order order;
	bool wrong;             /* squashed rows came behind the last instruction */
	uint32_t last;          /* the code of that, or of a dropped one behind it */
	uint32_t astray;        /* the code of the last squashed row, */
	struct {
		uint64_t line; /* where one missed */
		size_t loan;   /* 1 + its number; 0: none */
	} pending[LINES];
	uint32_t writers[ISA_REG_COUNT]; /* 1 + who wrote it last */
	uint32_t known[ROWS_KNOWN];      /* by row: 1 + the last such instruction */
	bool no_memory;
};

/* Of a text that is not there: one that could not be read. */
static const struct code_insn *insn_of(const struct reader_state *g, uint32_t code)
{
	static const struct code_insn none = {.insn.unread = UNREAD_EMPTY};
	const struct code_insn *c = codemap_at(&g->map, code);

	return c ? c : &none;
}

/* ---- operations ---------------------------------------------------------------------------- */

/* That of "ldq r1,0(r19)" goes by the name of its parameter: "latency(ldq)". */
static uint8_t op_of(struct reader_state *g, uint32_t code)
{
	uint8_t *op = &g->ops[code < g->map.count ? code : g->map.count];
	char name[OP_LENGTH + sizeof("latency()")];
	const char *text;
	size_t len, n = 0;
	uint64_t pc;
	bool has_pc;
	int32_t id;

	if (*op != WHY_OP_ADDRESS)
		return *op;
	*op = WHY_OPS;
	if (!store_code(g->map.store, code, &pc, &has_pc, &text, &len))
		return *op;
	while (n < len && n < OP_LENGTH && text[n] != ' ' && text[n] != '\t')
		n++;
	n = (size_t)snprintf(name, sizeof(name), "latency(%.*s)", (int)n, text);
	id = intern_count(g->out->ops) < WHY_OPS ? intern_add(g->out->ops, name, n)
						 : intern_find(g->out->ops, name, n);
	return *op = (uint8_t)(id < 0 ? WHY_OPS : id);
}

/* ---- sizes --------------------------------------------------------------------------------- */

static inline void most(int64_t *of, int64_t value)
{
	if (value > *of)
		*of = value;
}

/* One more enters: before it the size-th latest of the others has left, or more fit in. */
static void enter(const struct why_ring *r, int64_t now, int64_t *size)
{
	most(size, 1);
	while (*size <= WHY_SIZE_MOST && r->left[(r->first + r->size - *size) % r->size].at > now)
		++*size;
}

/*
 * A row in program order, squashed and in flight ones too. What was not dispatched waited nowhere:
 * where it was squashed is not told well enough.
 */
static void measure(struct reader_state *g, unsigned flags, const struct waiting *w)
{
	int64_t *number = g->out->machine.number;
	const int64_t *times = w->times;

	for (int p = 0; p < WHY_PLACES; p++) {
		const struct why_rule_info *info = &why_rules[p];

		if ((info->left == WHY_D && times[WHY_D] == TICK_NONE) ||
		    (info->waits == WHY_C && w->head.fate != FATE_COMMITTED))
			continue;
		if (flags & info->takers && times[info->waits] >= g->from &&
		    times[info->waits] < g->until)
			enter(&g->holders[p], times[info->waits], &number[p]);
		if (flags & info->leavers)
			why_ring_put(&g->holders[p], times[info->left] + info->turn, 0);
	}
	if (flags & WHY_ISSUED && times[WHY_X] >= g->from) {
		const struct why_slot *slot =
		    why_slots_take(g->slots, times[WHY_X], flags & WHY_MEMORY);

		most(&number[WHY_RULE_ISSUE_WIDTH], slot->all);
		most(&number[WHY_RULE_MEMORY_WIDTH], slot->memory);
	}
}

/* ---- producers ----------------------------------------------------------------------------- */

/* 1 + one of the instruction that comes next; 0: nobody. */
static void add_producer(struct reader_state *g, struct why_insn *n, uint32_t who)
{
	const uint32_t back = (uint32_t)g->c->insns.count + 1 - who;

	if (!who || back >= WHY_REACH || back == 0 || n->producers == WHY_PRODUCERS)
		return;
	for (unsigned i = 0; i < n->producers; i++)
		if (g->c->producers.data[n->producer + i] == back)
			return;
	if (vec_push(&g->c->producers, (uint16_t)back))
		n->producers++;
	else
		g->no_memory = true;
}

/*
 * The first half of a store makes the address from its base, the second one waits for it and for
 * the data. All others need all operands to begin.
 */
static void find_operands(struct reader_state *g, struct why_insn *n, const struct isa_insn *insn,
			  size_t k, size_t count)
{
	const uint32_t next = (uint32_t)g->c->insns.count + 1;
	const size_t data = count > 1 && insn->writes_memory;

	if (k > 0)
		add_producer(g, n, next - (uint32_t)k);
	for (unsigned r = 0; (r = isa_regs_next(&insn->sources, r)) < ISA_REG_COUNT; r++)
		if (k == (r == insn->base ? 0 : data))
			add_producer(g, n, g->writers[r]);
	for (unsigned r = 0; (r = isa_regs_next(&insn->sinks, r)) < ISA_REG_COUNT; r++)
		if (k == count - 1)
			g->writers[r] = next;
}

static void find_links(struct reader_state *g, struct why_insn *n, const struct waiting *w)
{
	for (unsigned i = 0; i < w->links; i++) {
		const uint32_t row = w->rows[i], who = g->known[row % ROWS_KNOWN];

		if (who && g->c->insns.data[who - 1].row == row)
			add_producer(g, n, who);
	}
}

/* ---- lines that wrong paths brought in ----------------------------------------------------- */

/* One was missed before the next instruction. */
static void miss_line(struct reader_state *g, uint64_t line, bool marked)
{
	const struct why_loan loan = {(uint32_t)g->c->insns.count, WHY_NOBODY, marked};

	g->no_memory |= !vec_push(&g->c->loans, loan);
	g->pending[line % LINES].line = line;
	g->pending[line % LINES].loan = g->c->loans.count;
}

/*
 * The next instruction is fetched. Without mispredictions it would have missed where a wrong path
 * did before it: which missed the line behind its last row, or behind the branch, where the miss
 * that the first of the right path shows was under way.
 */
static void fetch_line(struct reader_state *g, const struct code_insn *c, bool missed, bool behind)
{
	const struct code_insn *before = insn_of(g, g->wrong ? g->astray : g->last);
	const uint64_t line = c->pc / LINE;
	size_t *loan = &g->pending[line % LINES].loan;

	if (missed && behind && before->has_pc)
		miss_line(g, (before->pc + (before->size ? before->size : 4)) / LINE, false);
	if (!c->has_pc || !*loan || g->pending[line % LINES].line != line)
		return;
	if (!missed)
		g->c->loans.data[*loan - 1].who = (uint32_t)g->c->insns.count;
	*loan = 0;
}

/* ---- instructions -------------------------------------------------------------------------- */

/* Those that did not come stand with the time before; without issue it was done when ready. */
static void fill(int64_t times[WHY_TIMES], int64_t fetched)
{
	if (times[WHY_F] == TICK_NONE)
		times[WHY_F] = fetched < times[WHY_D] ? fetched : times[WHY_D];
	if (times[WHY_D] == TICK_NONE)
		times[WHY_D] = times[WHY_F];
	if (times[WHY_X] == TICK_NONE)
		times[WHY_X] = times[times[WHY_W] == TICK_NONE ? WHY_D : WHY_W];
	if (times[WHY_W] == TICK_NONE)
		times[WHY_W] = times[WHY_X];
}

static bool is_sound(const struct reader_state *g, const struct waiting *w)
{
	for (int t = WHY_D; t < WHY_TIMES; t++)
		if (w->times[t] < w->times[t - 1])
			return false;
	return w->times[WHY_F] >= g->from && w->times[WHY_C] <= UINT32_MAX &&
	       w->head.row <= UINT32_MAX;
}

/*
 * Of the k-th of `count` halves of an instruction that reads so. A machine may have a queue for
 * floating point alone.
 */
static unsigned flags_of(const struct waiting *w, const struct code_insn *c, size_t k, size_t count)
{
	const bool access = count > 1 || c->insn.reads_memory || c->insn.writes_memory;
	const bool issues = w->flags & WHY_ISSUED || w->head.fate != FATE_COMMITTED;
	const bool floats = c->insn.class >= OP_FP_ADD && c->insn.class <= OP_FP_OTHER;
	unsigned flags = w->flags | (c->read ? 0 : WHY_UNREAD);

	if (k == 0) {
		flags |= WHY_WHOLE | (access ? WHY_ACCESS : 0);
		flags |= c->insn.writes_memory ? WHY_ADDRESS : 0;
		flags |= issues ? WHY_QUEUED | (floats ? WHY_FLOAT : 0) : 0;
	}
	if (k == count - 1) {
		flags |= WHY_LAST | (access ? WHY_MEMORY : 0);
		flags |= issues && c->insn.reads_memory ? WHY_LOAD : 0;
	}
	return flags;
}

/* Whether it does not stand behind the instruction before it in memory. */
static bool is_behind_taken(struct reader_state *g, uint32_t code)
{
	const struct code_insn *a = insn_of(g, g->last), *b = insn_of(g, code);

	return a->has_pc && b->has_pc && a->pc != b->pc && !codemap_goes_on(a, b->pc);
}

static void add_insn(struct reader_state *g, const struct waiting *first, size_t k, size_t count)
{
	const struct waiting *w = &first[k];
	const struct code_insn *c = insn_of(g, first->head.code);
	const size_t index = g->c->insns.count;
	struct why_insn n = {.row = (uint32_t)w->head.row,
			     .code = w->head.code,
			     .producer = (uint32_t)g->c->producers.count,
			     .flags = flags_of(w, c, k, count) & 0x1ffff,
			     .front = w->front & 0xf,
			     .op = w->unfinished          ? WHY_OPS
				   : count > 1 && k == 0 ? WHY_OP_ADDRESS
							 : op_of(g, first->head.code)};
	struct why_insn *before = index ? &g->c->insns.data[why_whole(g->c, index - 1)] : NULL;

	for (int t = 0; t < WHY_TIMES; t++)
		n.times[t] = (uint32_t)w->times[n.flags & WHY_LAST || t != WHY_C ? t : WHY_W];
	/* squashed rows say what was mispredicted where no mark does */
	if (before && k == 0 && g->wrong && !g->out->marks)
		before->flags |= WHY_MISPREDICTED;
	if (before && k == 0 && n.flags & WHY_FETCHED && is_behind_taken(g, w->head.code))
		n.flags |= WHY_BEHIND_TAKEN;
	if (n.flags & WHY_FETCHED)
		fetch_line(g, c, n.flags & WHY_FETCH_MISS,
			   before && before->flags & (WHY_MISPREDICTED | WHY_MISFETCHED));
	g->last = first->head.code;
	if (g->out->links)
		find_links(g, &n, w);
	else
		find_operands(g, &n, &c->insn, k, count);
	g->known[n.row % ROWS_KNOWN] = (uint32_t)index + 1;
	g->no_memory |= !vec_push(&g->c->insns, n);
	measure(g, n.flags, w);
	g->out->seen |= n.flags;
	g->out->unread += k == 0 && !g->out->links && n.flags & WHY_UNREAD;
}

/* One that committed, with its halves, if the times of all can be. */
static void take_halves(struct reader_state *g, struct waiting *w, size_t count)
{
	int64_t fetched = g->c->insns.count ? vec_last(&g->c->insns).times[WHY_F] : 0;
	bool sound = true;

	for (size_t k = 0; k < count; k++) {
		fill(w[k].times, fetched);
		sound = sound && is_sound(g, &w[k]);
		fetched = w[k].times[WHY_F];
	}
	for (size_t k = 0; sound && k < count && !g->no_memory; k++)
		add_insn(g, w, k, count);
	g->out->left_out += sound ? 0 : count;
	g->wrong = g->wrong && !sound;
}

/* ---- rows in program order ----------------------------------------------------------------- */

/* What the text of a micro-op says is nothing of its own. */
static bool is_part(struct reader_state *g, const struct waiting *w)
{
	const struct isa_insn *insn = &insn_of(g, w->head.code)->insn;

	return w->head.micro_op && (insn->class == OP_PART || insn->unread == UNREAD_EMPTY);
}

/* Rows that are no nodes take places until they are gone. */
static void take_other(struct reader_state *g, struct waiting *w, const struct code_insn *c,
		       size_t k, size_t count)
{
	if (w->head.fate == FATE_SQUASHED || w->head.fate == FATE_LOST) {
		g->wrong = true;
		g->astray = w->head.code;
		if (w->flags & WHY_FETCH_MISS && c->has_pc)
			miss_line(g, c->pc / LINE, true);
	}
	for (int t = WHY_F; t < WHY_C; t++)
		if (w->times[t] == TICK_NONE && t != WHY_D)
			w->times[t] = w->times[WHY_C];
	measure(g, w->times[WHY_D] == TICK_NONE ? w->flags : flags_of(w, c, k, count), w);
}

/* What decode consumed has been fetched: its first micro-op stands for that, if there is one. */
static void take_dropped(struct reader_state *g, struct waiting *w, struct waiting *end)
{
	struct waiting *next = w + 1;

	w->times[WHY_D] = TICK_NONE;
	if (next == end || next->head.parent != w->head.row || next->times[WHY_F] != TICK_NONE) {
		g->last = w->head.code;
		return;
	}
	next->times[WHY_F] = w->times[WHY_F];
	next->flags |= w->flags & (WHY_FETCHED | WHY_FETCH_MISS);
	w->flags = 0;
}

/* On a wrong path, though its simulator commits it: other micro-ops of its instruction are not. */
static bool is_cut(const struct waiting *w, const struct waiting *end)
{
	const uint64_t parent = w->head.parent;

	while (w->head.micro_op && ++w < end && w->head.parent == parent)
		if (w->head.fate == FATE_SQUASHED)
			return true;
	return false;
}

/* The first one of those that wait, and its halves; how many. */
static size_t take(void *arg, void *things, size_t waiting)
{
	struct reader_state *g = arg;
	struct waiting *w = things, *end = w + waiting;
	size_t count = 1;

	if (w->head.fate == FATE_COMMITTED && is_cut(w, end))
		w->head.fate = FATE_SQUASHED;
	if (w->head.fate == FATE_DROPPED)
		take_dropped(g, w, end);
	while (w + count < end && count < HALVES && w[count].head.parent == w->head.row &&
	       w[count].head.fate == w->head.fate && is_part(g, &w[count]))
		count++;
	if (w->head.fate == FATE_COMMITTED)
		take_halves(g, w, count);
	else
		for (size_t k = 0; k < count; k++)
			take_other(g, w + k, insn_of(g, w->head.code), k, count);
	return count;
}

/* ---- rows of the trace --------------------------------------------------------------------- */

static int64_t cycle_of(const struct reader_state *g, int64_t tick)
{
	return tick == TICK_NONE ? tick : (tick - g->out->clock.first) / g->out->clock.ticks;
}

static unsigned marks_of(const struct reader_state *g, const struct walk_row *row)
{
	unsigned flags = 0;

	if (row->detail->head.events & g->mispredicted)
		flags |= WHY_MISPREDICTED;
	else if (row->detail->head.events & g->misfetched)
		flags |= WHY_MISFETCHED;
	for (uint32_t i = 0; i < row->detail->stays; i++)
		if (row->stays[i].events & g->misses)
			flags |= row->stays[i].stage == g->out->stages.of[WHY_F] ? WHY_FETCH_MISS
										 : WHY_MISS;
	return flags;
}

static void take_links(struct waiting *w, const struct walk_row *row)
{
	for (uint32_t i = 0; i < row->detail->links && w->links < WHY_PRODUCERS; i++)
		if (row->links[i].row < w->head.row)
			w->rows[w->links++] = (uint32_t)row->links[i].row;
}

/*
 * Formats without micro-ops have second halves as rows without text that begin at dispatch: each
 * belongs to the oldest load or store dispatched in its cycle that has none yet.
 */
static void find_parent(struct reader_state *g, struct waiting *w)
{
	const struct waiting *row = (const void *)g->order.waiting, *end = row + g->order.count;

	if (w->head.micro_op || w->flags & WHY_FETCHED || w->times[WHY_D] == TICK_NONE ||
	    insn_of(g, w->head.code)->insn.unread != UNREAD_EMPTY)
		return;
	for (; row < end && !w->head.micro_op; row++) {
		const struct isa_insn *insn = &insn_of(g, row->head.code)->insn;

		w->head.micro_op = row->times[WHY_D] == w->times[WHY_D] && !row->head.micro_op &&
				   (insn->reads_memory || insn->writes_memory) &&
				   (row + 1 == end || row[1].head.parent != row->head.row) &&
				   row->head.row + PROGRAM_WINDOW > w->head.row;
		if (w->head.micro_op)
			w->head.parent = row->head.row;
	}
}

static bool put_row(void *arg, const struct walk_row *row)
{
	struct reader_state *g = arg;
	struct waiting w = {.head = row->detail->head};
	const struct row *head = &w.head;

	if (g->out->thread && head->thread != g->out->thread) {
		g->out->others += head->fate == FATE_COMMITTED;
		return true;
	}
	w.front = why_stages_times(&g->out->stages, row, w.times);
	if (g->out->stages.of[WHY_F] < 0)
		w.times[WHY_F] = head->start;
	for (int t = 0; t < WHY_TIMES; t++) {
		g->out->times |= (w.times[t] != TICK_NONE) << t;
		w.times[t] = cycle_of(g, w.times[t]);
	}
	w.unfinished = (w.times[WHY_W] == TICK_NONE && g->out->stages.of[WHY_W] >= 0) ||
		       (w.times[WHY_X] == TICK_NONE && g->out->stages.of[WHY_X] >= 0);
	w.flags = marks_of(g, row) | (w.times[WHY_F] == TICK_NONE ? 0 : WHY_FETCHED) |
		  (w.times[WHY_X] == TICK_NONE ? 0 : WHY_ISSUED);
	/* converters retire wrong paths too: they never came to the commit stage */
	if (!g->out->stages.learned && w.times[WHY_C] == TICK_NONE && head->fate == FATE_COMMITTED)
		w.head.fate = FATE_SQUASHED;
	/* where the trace is cut a row may have come to commit without its end */
	if (w.times[WHY_C] == TICK_NONE ||
	    (head->fate != FATE_COMMITTED && head->fate != FATE_IN_FLIGHT))
		w.times[WHY_C] = cycle_of(g, row_commit_tick(head));
	if (g->out->links)
		take_links(&w, row);
	find_parent(g, &w);
	program_put(&g->order, &w);
	if (g->out->percent) /* to read takes half of the time */
		*g->out->percent = (int)(50 * head->row / g->rows);
	return !g->no_memory && !(g->stop && *g->stop);
}

/* ---- a trace ------------------------------------------------------------------------------- */

static void find_events(struct reader_state *g, const struct store *s)
{
	for (size_t i = 0; i < store_event_count(s); i++) {
		const char *name = store_event(s, i)->name;

		if (strstr(name, "-miss"))
			g->misses |= 1u << i;
		else if (strcmp(name, "mispredict-detected") == 0)
			g->mispredicted |= 1u << i;
		else if (strcmp(name, "mispredict") == 0)
			g->misfetched |= 1u << i;
	}
	g->out->marks = g->mispredicted != 0;
}

/* That of the first row that committed; 0: there is one only. */
static uint16_t thread_of(const struct store *s, uint64_t rows)
{
	struct row row;

	for (uint64_t i = 0; store_thread_count(s) > 1 && i < rows; i++)
		if (store_row(s, i, &row) && row.fate == FATE_COMMITTED)
			return row.thread;
	return 0;
}

static enum status begin(struct reader_state *g, struct store *s, struct error *e)
{
	struct why_reading *out = g->out;
	enum status status;
	struct totals totals;
	struct progress p;

	out->thread = thread_of(s, g->rows);
	status = why_stages_new(&out->stages, s, g->rows, out->thread, out->named, e);
	if (!status)
		status = codemap_new(&g->map, s, ISA_UNKNOWN, e);
	if (status)
		return status;
	find_events(g, s);
	out->clock = range_clock(s);
	out->links = store_link_count(s) > 0 && !store_link_count_is_bound(s);
	out->ops = intern_new();
	g->ops = calloc(g->map.count + 1, sizeof(*g->ops));
	for (int k = 0; k < WHY_PLACES; k++)
		g->no_memory |= !why_ring_new(&g->holders[k], WHY_SIZE_MOST);
	if (g->no_memory || !out->ops || !g->ops ||
	    intern_add(out->ops, ADDRESS, strlen(ADDRESS)) != WHY_OP_ADDRESS ||
	    !program_order_new(&g->order, sizeof(struct waiting), take, g))
		return error_no_memory(e);
	store_totals(s, &totals);
	store_progress(s, &p);
	g->from = totals.fates[FATE_UNKNOWN] > 0;
	g->until = totals.fates[FATE_IN_FLIGHT] ? cycle_of(g, p.last) : INT64_MAX;
	return STATUS_OK;
}

enum status why_read(struct why_reading *out, struct store *s, const atomic_bool *stop,
		     struct error *e)
{
	struct reader_state *g = calloc(1, sizeof(*g));
	enum status status;

	if (!g)
		return error_no_memory(e);
	g->out = out;
	g->c = &out->columns;
	g->rows = store_row_count(s);
	g->stop = stop;
	status = begin(g, s, e);
	if (!status)
		status = walk_rows(s, 0, g->rows, out->links ? WALK_LINKS : WALK_STAYS, put_row, g,
				   e);
	if (!status)
		program_end(&g->order);
	if (!status)
		status = status_of_work(!g->no_memory, stop, e);
	if (!status)
		status = why_settle(out, stop, e);
	vec_free(&out->columns.loans);
	for (int k = 0; k < WHY_PLACES; k++)
		free(g->holders[k].left);
	codemap_free(&g->map);
	free(g->order.waiting);
	free(g->ops);
	free(g);
	return status;
}

void why_reading_free(struct why_reading *r)
{
	vec_free(&r->columns.insns);
	vec_free(&r->columns.producers);
	intern_free(r->ops);
	r->ops = NULL;
}
