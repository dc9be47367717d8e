#include "config.h"

#include "analysis/pipeline/why_path.h"

#include <stdio.h>

#include "base/bisect.h"
#include "base/num.h"

struct making {
	struct why_path *out;
	const struct why_reading *reading;
	bool nomem;
};

/* Told latest first. What took no cycles and stays in its row led nowhere. */
static bool add_step(void *arg, const struct why_part *part)
{
	struct making *m = arg;
	const struct why_insn *insn = &m->reading->columns.insns.data[part->index];
	const struct why_path_step step = {.to = why_tick(m->reading, part->to),
					   .row = insn->row,
					   .cause = (uint8_t)part->cause,
					   .time = (uint8_t)part->time};
	struct why_path *p = m->out;

	if (p->steps.count && p->from == vec_last(&p->steps).to &&
	    vec_last(&p->steps).row == step.row)
		p->steps.count--;
	p->from = why_tick(m->reading, part->from);
	m->nomem = !vec_push(&p->steps, step);
	return !m->nomem;
}

enum status why_path_new(struct why_path *out, const struct why *w, const atomic_bool *stop,
			 struct error *e)
{
	struct making m = {.out = out, .reading = &w->reading};
	const struct why_columns *c = &w->reading.columns;
	enum status status;

	*out = (struct why_path){.row0 = c->row0};
	for (unsigned i = 0; i < WHY_CAUSES + w->front_count; i++)
		snprintf(out->causes[i], sizeof(out->causes[i]), "%s", why_cause_name(w, i));
	status = why_walk(c, &w->reading.machine, w->span, add_step, &m, stop, e);
	if (!status && m.nomem)
		return error_set(e, STATUS_NOMEM, "out of memory");
	if (!status && !out->steps.count)
		return error_set(e, STATUS_NOT_FOUND, "no instruction committed: no critical path");
	for (size_t a = 0, b = out->steps.count; a + 1 < b; a++) {
		const struct why_path_step last = out->steps.data[--b];

		out->steps.data[b] = out->steps.data[a];
		out->steps.data[a] = last;
	}
	return status;
}

void why_path_free(struct why_path *p)
{
	vec_free(&p->steps);
}

size_t why_path_at(const struct why_path *p, int64_t tick)
{
	size_t lo = 0, hi = p->steps.count;

	bisect(lo, hi, i, p->steps.data[i].to <= tick);
	return lo;
}

void why_path_tell(const struct why_path *p, size_t i, const char *length, struct sbuf *out)
{
	const struct why_path_step *steps = p->steps.data;
	char number[32];
	size_t k = i;

	sbuf_printf(out, "%s, %s until its %s", p->causes[steps[i].cause], length,
		    why_time_names[steps[i].time]);
	while (k > 0 && steps[k - 1].row == steps[k].row)
		k--;
	if (k == 0)
		return;
	sbuf_printf(out, "; waited for row %s",
		    num_group((int64_t)why_path_row(p, k - 1), number));
	if (k != i)
		sbuf_printf(out, " (%s)", p->causes[steps[k].cause]);
}
