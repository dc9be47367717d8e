#include "config.h"

#include "analysis/pipeline/reduced.h"

#include <stdlib.h>

enum { POINTS = REDUCED_GRID * REDUCED_GRID };

static void note_row(void *arg, const struct shown_arc *arc)
{
	_Atomic uint64_t *row = arg;

	atomic_store_explicit(row, arc->row, memory_order_relaxed);
}

static enum status evaluate_grid(struct reduced *r, const atomic_bool *stop, struct error *e)
{
	struct pipeline points[POINTS];

	for (int i = 0; i < POINTS; i++)
		points[i] = (struct pipeline){i / REDUCED_GRID + 1, i % REDUCED_GRID + 1};
	return reduce_evaluate_until(&r->trace.reduction, points, POINTS, false, stop, r->grid,
				     e);
}

static enum status design(struct reduced *r, const struct reduce_look *look,
			  const atomic_bool *stop, struct error *e)
{
	const struct depth_options options = {.es = look->es, .gamma = look->gamma, .stop = stop};

	r->es = look->es;
	r->gamma = look->gamma;
	return depth_design(&r->depth, &r->trace.reduction, &options, e);
}

enum status reduced_design(struct reduced *r, const struct reduce_look *look, struct error *e)
{
	if (fraction_same(&r->es, &look->es) && fraction_same(&r->gamma, &look->gamma))
		return STATUS_OK;
	return design(r, look, NULL, e);
}

enum status reduced_new(struct reduced **out, struct store *s, const struct range *rows,
			const struct reduce_look *look, _Atomic uint64_t *row,
			const atomic_bool *stop, struct error *e)
{
	const struct reduce_trace_options options = {
	    .at = look->at,
	    .simulate = &look->at,
	    .simulate_count = 1,
	    .executed.links = look->links,
	    .arc = row ? note_row : NULL,
	    .arg = row,
	};
	struct reduced *r = calloc(1, sizeof(*r));
	enum status status;

	*out = NULL;
	if (!r)
		return error_set(e, STATUS_NOMEM, "out of memory");
	r->at = look->at;
	status = reduce_trace(&r->trace, s, rows, &options, stop, e);
	if (!status && r->trace.counts.instructions == 0)
		status = error_set(e, STATUS_INPUT, "no committed instruction there is to reduce");
	if (!status)
		status = evaluate_grid(r, stop, e);
	if (!status)
		status = design(r, look, stop, e);
	if (status) {
		reduced_free(r);
		return status;
	}
	*out = r;
	return STATUS_OK;
}

void reduced_free(struct reduced *r)
{
	if (!r)
		return;
	reduced_trace_free(&r->trace);
	free(r);
}

enum status reduced_at(const struct reduced *r, const struct pipeline *at,
		       struct reduce_cycles *out, struct error *e)
{
	if (at->execute <= REDUCED_GRID && at->setup <= REDUCED_GRID) {
		*out = r->grid[(at->execute - 1) * REDUCED_GRID + at->setup - 1];
		return STATUS_OK;
	}
	return reduce_evaluate(&r->trace.reduction, at, 1, false, out, e);
}
