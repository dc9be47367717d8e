#include "config.h"

#include "analysis/pipeline/reduce_optrace.h"

#include <string.h>

#include "base/intern.h"

enum { WANT = 1 << 20, WANT_MOST = 1 << 28, RECENT = 1 << 12 };

struct lexing {
	struct reduced_optrace *out;
	struct reduce_run *run;
	struct optrace lexer;
	struct intern *pcs; /* NULL: nobody asks for them */
	struct {
		uint64_t pc;
		uint32_t code; /* + 1; 0: none yet */
	} recent[RECENT];
	uint64_t row;
};

static bool note_slip(struct lexing *l, const struct optrace_op *op)
{
	struct reduced_optrace *out = l->out;

	if (op->problem == OPTRACE_NONE)
		return true;
	out->slip_count++;
	out->bad_lines += op->problem >= OPTRACE_PC;
	return out->slips.count >= OPTRACE_SLIPS ||
	       vec_push(&out->slips, ((struct optrace_slip){op->line, op->problem}));
}

/* False: no memory. */
static bool code_of(struct lexing *l, uint64_t pc, uint32_t *code)
{
	size_t slot = pc / 4 % RECENT;
	int32_t id;

	*code = 0;
	if (!l->pcs)
		return true;
	if (l->recent[slot].code && l->recent[slot].pc == pc) {
		*code = l->recent[slot].code - 1;
		return true;
	}
	id = intern_add(l->pcs, (const char *)&pc, sizeof(pc));
	if (id < 0)
		return false;
	*code = (uint32_t)id;
	l->recent[slot].pc = pc;
	l->recent[slot].code = *code + 1;
	return (size_t)id < l->out->pcs.count || vec_push(&l->out->pcs, pc);
}

static bool take(struct lexing *l, const struct optrace_op *op)
{
	struct run_step step = {
	    .row = l->row++,
	    .taken = op->taken,
	    .self = op->self,
	    .ahead = op->ahead,
	    .sources = op->sources,
	    .source_count = op->source_count,
	    .sinks = op->sinks,
	    .sink_count = op->sink_count,
	};

	return code_of(l, op->pc, &step.code) && run_add(l->run, &step);
}

/* The whole lines of a window; *used: bytes of them. False: no memory. */
static bool take_lines(struct lexing *l, const struct window *w, bool final, size_t *used)
{
	enum optrace_found found;
	struct optrace_op op;
	bool ok = true;

	l->lexer.pos = 0;
	while (ok) {
		found = optrace_next(&l->lexer, w->text, w->len, final, &op);
		if (found == OPTRACE_END || found == OPTRACE_NOMEM)
			break;
		ok = note_slip(l, &op) && (found == OPTRACE_BAD || take(l, &op));
	}
	*used = l->lexer.pos;
	return ok && found != OPTRACE_NOMEM;
}

/* A window that does not reach beyond the one before ends the text: source_next(). */
static enum status take_text(struct lexing *l, struct source *source, const atomic_bool *stop,
			     struct error *e)
{
	uint64_t from = 0, reached = 0;
	size_t want = WANT;

	for (;;) {
		struct window w;
		bool final, ok;
		size_t used;
		enum status status = source_next(source, from, want, &w, e);

		if (status)
			return status;
		final = w.len == 0 || w.off + w.len <= reached;
		reached = w.off + w.len;
		ok = take_lines(l, &w, final, &used);
		source_release(source, &w);
		if (!ok)
			return error_set(e, STATUS_NOMEM, "out of memory");
		if (stop && *stop)
			return error_set(e, STATUS_INTERRUPTED, "interrupted");
		if (final)
			return STATUS_OK;
		from += used;
		if (!used && want < WANT_MOST)
			want *= 2;
		else if (used)
			want = WANT;
	}
}

static enum status finish(struct lexing *l, struct source *source, struct error *e)
{
	if (l->row > 0)
		return STATUS_OK;
	return error_set(e, STATUS_INPUT, "%s: no instruction in it; a line is: PC FLAGS SOURCES SINKS",
			 source_path(source));
}

enum status reduce_optrace(struct reduced_optrace *out, struct source *source,
			   const struct run_options *o, const atomic_bool *stop,
			   struct error *e)
{
	struct lexing l = {.out = out};
	enum status status;

	memset(out, 0, sizeof(*out));
	status = run_new(&l.run, o, e);
	if (status)
		return status;
	if (o->at.execute > 0 || o->without)
		l.pcs = intern_new();
	if (!optrace_init(&l.lexer) || ((o->at.execute > 0 || o->without) && !l.pcs))
		status = error_set(e, STATUS_NOMEM, "out of memory");
	if (!status)
		status = take_text(&l, source, stop, e);
	if (!status)
		status = finish(&l, source, e);
	optrace_free(&l.lexer);
	intern_free(l.pcs);
	if (status)
		run_free(l.run);
	else
		status = run_end(l.run, &out->run, e);
	if (status)
		reduced_optrace_free(out);
	return status;
}

void reduced_optrace_free(struct reduced_optrace *r)
{
	run_result_free(&r->run);
	vec_free(&r->pcs);
	vec_free(&r->slips);
	memset(r, 0, sizeof(*r));
}
