#include "config.h"

#include "cmd/pipeline/cpi0.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/cpi0_simulate.h"
#include "analysis/pipeline/cpi0_trace.h"
#include "base/xalloc.h"
#include "cmd/cmd.h"
#include "cmd/pipeline/open.h"

/* ---- what has no order of its own, or only a pattern's ------------------------------------- */

static enum status simulate_order(struct cpi0_run *run, const struct machine *m,
				  const queue_vec *order, bool own, struct error *e)
{
	struct cpi0_ratio cpi;
	bool exact;
	enum status status;

	if (!order->count)
		return STATUS_OK;
	status = cpi0_simulate(&cpi, &exact, m, &run->d.c, order, e);
	if (!status)
		cpi0_diagnosis_simulated(&run->d, cpi0_real(cpi),
					 own ? CPI0_ORDER_PATTERN : CPI0_ORDER_UNIFORM);
	return status;
}

static enum status diagnose_input(struct cpi0_run *run, const struct cpi0_answer *a,
				  const struct cpi0_input *in, struct error *e)
{
	const struct machine *m = &a->machine;
	bool own = in->kind == CPI0_PATTERN;
	struct cpi0_mix mix = cpi0_mix_none();
	queue_vec order = {0};
	enum status status;

	if (own)
		status = cpi0_pattern_parse(&mix, &order, m, in->text, e);
	else if (in->kind == CPI0_MIX)
		status = cpi0_mix_parse(&mix, m, in->text, e);
	else
		status = cpi0_counts_open(&mix, &a->mapping, in->text, e);
	if (!status && !own && !cpi0_uniform(&order, &mix, m))
		status = error_set(e, STATUS_NOMEM, "out of memory");
	if (!status)
		status = cpi0_diagnose(&run->d, m, &mix, -1, e);
	if (!status)
		status = simulate_order(run, m, &order, own, e);
	vec_free(&order);
	return status;
}

/* ---- traces ------------------------------------------------------------------------------ */

static enum status diagnose_store(struct cpi0_run *run, const struct machine *m, struct store *s,
				  const struct range *r, struct error *e)
{
	struct cpi0_trace *t = xcalloc(1, sizeof(*t));
	struct codemap map;
	double simulated = -1;
	enum status status = codemap_new(&map, s, ISA_UNKNOWN, e);

	if (!status) {
		run->isa = map.isa;
		status = cpi0_trace_mix(t, s, &map, r, NULL, e);
	}
	if (!status && !t->mix.total)
		status = error_set(e, STATUS_INPUT,
				   "%s: no committed instruction there is to diagnose", run->input);
	if (!status)
		status = cpi0_diagnose(&run->d, m, &t->mix, cpi0_drift(t, m), e);
	free(t);
	if (!status)
		status = cpi0_trace_simulate(&simulated, s, &map, r, m, &run->d.c, NULL, e);
	if (!status)
		cpi0_diagnosis_simulated(&run->d, simulated, CPI0_ORDER_RUN);
	codemap_free(&map);
	return status;
}

static enum status diagnose_trace(struct cpi0_run *run, const struct machine *m,
				  const struct cmd_options *o, struct output *out, struct error *e)
{
	struct cmd_options one = *o;
	struct store *s;
	struct range r;
	enum status status;

	one.files.data = &run->input;
	one.files.count = 1;
	run->trace = true;
	status = open_store(&s, &one, out, e);
	if (status)
		return status;
	r = range_all(s);
	status = open_range(trace_of_store(s), &one, &r.tick0, &r.tick1, e);
	if (!status)
		status = diagnose_store(run, m, s, &r, e);
	if (!status)
		open_note_warnings(trace_of_store(s), &one, out);
	store_close(s);
	return status;
}

/* ---- all of them ------------------------------------------------------------------------- */

static enum status diagnose(struct cpi0_answer *a, size_t i, const struct cmd_options *o,
			    struct output *out, struct error *e)
{
	struct cpi0_run *run = &a->runs[i];

	if (i < o->cpi0.inputs.count) {
		run->input = o->cpi0.inputs.data[i].text;
		return diagnose_input(run, a, &o->cpi0.inputs.data[i], e);
	}
	run->input = o->files.data[i - o->cpi0.inputs.count];
	return diagnose_trace(run, &a->machine, o, out, e);
}

static enum status check_options(const struct cmd_options *o, struct error *e)
{
	if (o->cpi0.inputs.count + o->files.count == 0)
		return error_set(e, STATUS_USAGE,
				 "cpi0: which instructions? give --mix, --counts, "
				 "--pattern or a trace");
	if (!o->files.count && (o->from != TICK_UNSET || o->to != TICK_UNSET))
		return error_set(e, STATUS_USAGE, "cpi0: --from and --to are for traces");
	return STATUS_OK;
}

enum status cmd_cpi0(const struct cmd_options *o, struct output *out, struct error *e)
{
	struct cpi0_answer a = {.count = o->cpi0.inputs.count + o->files.count,
				.wide = o->wide};
	enum status status;

	if (strcmp(o->cpi0.machine, "list") == 0)
		return cpi0_machines(o, out, e);
	status = check_options(o, e);
	if (!status)
		status = cpi0_machine_open(&a.machine, o->cpi0.machine, e);
	if (!status)
		status =
		    cpi0_mapping_open(&a.mapping, o->cpi0.mapping ? o->cpi0.mapping : "perf", e);
	a.runs = xcalloc(a.count + 1, sizeof(*a.runs));
	for (size_t i = 0; !status && i < a.count; i++)
		status = diagnose(&a, i, o, out, e);
	if (!status && o->json)
		cpi0_json(&a, out);
	else if (!status)
		cpi0_text(&a, out);
	free(a.runs);
	return status;
}
