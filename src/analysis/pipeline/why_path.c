#include "config.h"

#include "analysis/pipeline/why_path.h"

#include <stdlib.h>

struct looking {
	const struct why *w;
	struct why_path *out;
	uint32_t *pc_of; /* by code: 1 + its place in pcs */
	size_t codes;
};

/* The code of rows without text stands behind the last one. */
static size_t slot_of(const struct looking *g, uint32_t code)
{
	return code < g->codes ? code : g->codes;
}

/* A wait for fetch ends where its row begins; others are seen from their start on. */
static bool look_at(void *arg, const struct why_part *p)
{
	struct looking *g = arg;
	const struct why_columns *c = &g->w->reading.columns;
	const struct why_insn *insn = &c->insns.data[p->owner];
	const bool before = p->time == WHY_F && p->owner == p->index;
	struct why_dearest *d;
	size_t at;

	while (!(insn->flags & WHY_WHOLE))
		insn--;
	at = g->pc_of[slot_of(g, insn->code)];
	if (!at || p->to == p->from)
		return true;
	d = &g->out->dearest[(at - 1) * g->out->causes + p->cause];
	/* of equal ones the first of the run, which comes last */
	if (p->to - p->from >= d->cycles)
		*d = (struct why_dearest){c->row0 + insn->row,
					  why_tick(&g->w->reading, before ? p->to : p->from),
					  p->to - p->from};
	return true;
}

enum status why_path_new(struct why_path *out, const struct why *w, const atomic_bool *stop,
			 struct error *e)
{
	struct looking g = {.w = w, .out = out, .codes = store_code_count(w->store)};
	enum status status;

	*out = (struct why_path){.causes = WHY_CAUSES + w->front_count};
	out->dearest = calloc(w->pcs.count * out->causes + 1, sizeof(*out->dearest));
	g.pc_of = calloc(g.codes + 1, sizeof(*g.pc_of));
	if (!out->dearest || !g.pc_of) {
		free(g.pc_of);
		return error_set(e, STATUS_NOMEM, "out of memory");
	}
	for (size_t i = 0; i < w->pcs.count; i++)
		g.pc_of[slot_of(&g, w->pcs.data[i].code)] = (uint32_t)i + 1;
	status = why_walk(&w->reading.columns, &w->reading.machine, w->span, look_at, &g, stop, e);
	free(g.pc_of);
	return status;
}

void why_path_free(struct why_path *p)
{
	free(p->dearest);
	p->dearest = NULL;
}
