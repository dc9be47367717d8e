#include "config.h"

#include "analysis/pipeline/executed_text.h"

#include "pipeline/formats/optrace.h"

enum { ROWS = 1024, WANT = 1 << 20, WANT_MOST = 1 << 28 };

/* The rows of the index and the lines of the text, side by side. */
struct reading {
	struct store *store;
	const struct range *range;
	const atomic_bool *stop;
	executed_fn *fn;
	void *arg;
	struct executed_counts *counts;
	struct optrace lexer;
	uint64_t first, last; /* rows that are not taken yet; of those the held ones */
	struct row rows[ROWS];
	size_t held, next;
	bool enough, no_memory;
};

bool executed_is_text(const struct store *s)
{
	return store_format(s)->recall != NULL;
}

/* NULL: that was the last one. */
static const struct row *next_row(struct reading *g)
{
	if (g->next == g->held && g->first < g->last) {
		uint64_t left = g->last - g->first;

		g->held = store_rows(g->store, g->first, left < ROWS ? (size_t)left : ROWS, g->rows);
		g->first += g->held;
		g->next = 0;
	}
	return g->next < g->held ? &g->rows[g->next++] : NULL;
}

static bool take(struct reading *g, const struct optrace_op *op)
{
	const struct row *row = next_row(g);
	struct executed x;

	if (!row)
		return false;
	if (!range_has(g->range, row))
		return true;
	x = (struct executed){.row = row->row,
			      .whole = row->row,
			      .end = row_commit_tick(row),
			      .code = row->code,
			      .ahead = op->ahead <= UINT32_MAX ? (uint32_t)op->ahead : 0,
			      .thread = row->thread,
			      .taken = op->taken,
			      .read = true,
			      .insn = {.base = ISA_REG_NONE, .self_resolving = op->self},
			      .sources = op->sources,
			      .source_count = op->source_count,
			      .sinks = op->sinks,
			      .sink_count = op->sink_count};
	g->counts->instructions++;
	return g->fn(g->arg, &x);
}

/* The whole lines of a window; bytes of them. */
static size_t take_lines(struct reading *g, const struct window *w, bool final)
{
	enum optrace_found found;
	struct optrace_op op;

	g->lexer.pos = 0;
	while (!g->enough) {
		found = optrace_next(&g->lexer, w->text, w->len, final, &op);
		g->no_memory = found == OPTRACE_NOMEM;
		if (found == OPTRACE_END || g->no_memory)
			break;
		g->enough = found == OPTRACE_OP && !take(g, &op);
	}
	return g->lexer.pos;
}

static enum status take_text(struct reading *g, uint64_t from, struct error *e)
{
	struct source *source = store_source(g->store);
	enum status status = STATUS_OK;
	size_t want = WANT, used = 0;
	bool final = false;

	for (; !final && !g->enough && !g->no_memory; from += used) {
		struct window w;

		status = source_map(source, from, want, &w, e);
		if (status)
			break;
		final = w.len < want || want == WANT_MOST;
		used = take_lines(g, &w, final);
		want = used ? WANT : want * 2;
		source_release(source, &w);
		if (g->stop && *g->stop)
			return error_set(e, STATUS_INTERRUPTED, "interrupted");
	}
	return status;
}

/* Where the line of a row is. */
static enum status find_row(struct store *s, uint64_t row, uint64_t *offset, struct error *e)
{
	struct detail d = {.limit = 1};
	enum status status = store_detail(s, row, 1, &d, e);

	*offset = d.count ? d.rows[0].offset : 0;
	detail_free(&d);
	return status;
}

static enum status walk(struct reading *g, struct error *e)
{
	uint64_t from;
	enum status status;

	if (!optrace_init(&g->lexer))
		return error_set(e, STATUS_NOMEM, "out of memory");
	g->lexer.line = 1; /* the header is not among them */
	status = find_row(g->store, g->first, &from, e);
	if (!status)
		status = take_text(g, from, e);
	optrace_free(&g->lexer);
	return g->no_memory ? error_set(e, STATUS_NOMEM, "out of memory") : status;
}

enum status executed_text_walk(struct store *s, const struct range *r, const atomic_bool *stop,
			       executed_fn *fn, void *arg, struct executed_counts *counts,
			       struct error *e)
{
	struct reading g = {
	    .store = s, .range = r, .stop = stop, .fn = fn, .arg = arg, .counts = counts};

	range_rows(s, r, &g.first, &g.last);
	return g.first < g.last ? walk(&g, e) : STATUS_OK;
}
