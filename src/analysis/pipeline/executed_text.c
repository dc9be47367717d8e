#include "config.h"

#include "analysis/pipeline/executed_text.h"

#include "analysis/pipeline/walk.h"
#include "pipeline/formats/optrace.h"
#include "pipeline/formats/record.h"

struct reading {
	const struct range *range;
	const atomic_bool *stop;
	executed_fn *fn;
	void *arg;
	struct executed_counts *counts;
	struct optrace names;
	bool no_memory;
};

bool executed_is_text(const struct store *s)
{
	return store_format(s)->recall != NULL;
}

static bool read_row(void *arg, const struct walk_row *w)
{
	struct reading *g = arg;
	const struct row *row = &w->detail->head;
	struct executed x = {.row = row->row,
			     .whole = row->row,
			     .end = row_commit_tick(row),
			     .code = row->code,
			     .thread = row->thread,
			     /* the end of a longer text is not there */
			     .read = w->detail->text_len < LEX_LONG_LINE,
			     .insn = {.base = ISA_REG_NONE}};
	struct optrace_op op;

	if (g->stop && *g->stop)
		return false;
	if (!range_has(g->range, row))
		return true;
	switch (optrace_columns(&g->names, w->text, w->detail->text_len, &op)) {
	case OPTRACE_OP:
		x.taken = op.taken;
		x.ahead = op.ahead <= UINT32_MAX ? (uint32_t)op.ahead : 0;
		x.insn.self_resolving = op.self;
		x.sources = op.sources;
		x.source_count = op.source_count;
		x.sinks = op.sinks;
		x.sink_count = op.sink_count;
		break;
	case OPTRACE_NOMEM:
		g->no_memory = true;
		return false;
	case OPTRACE_BAD: /* changed since it was indexed */
	case OPTRACE_END:
		x.read = false;
	}
	g->counts->instructions++;
	g->counts->unread += !x.read;
	return g->fn(g->arg, &x);
}

enum status executed_text_walk(struct store *s, const struct range *r, const atomic_bool *stop,
			       executed_fn *fn, void *arg, struct executed_counts *counts,
			       struct error *e)
{
	struct reading g = {
	    .range = r, .stop = stop, .fn = fn, .arg = arg, .counts = counts, .no_memory = false};
	uint64_t first, last;
	enum status status;

	if (!optrace_init(&g.names))
		return error_set(e, STATUS_NOMEM, "out of memory");
	range_rows(s, r, &first, &last);
	status = walk_rows(s, first, last, read_row, &g, e);
	optrace_free(&g.names);
	if (!status && stop && *stop)
		status = error_set(e, STATUS_INTERRUPTED, "interrupted");
	if (!status && g.no_memory)
		status = error_set(e, STATUS_NOMEM, "out of memory");
	return status;
}
