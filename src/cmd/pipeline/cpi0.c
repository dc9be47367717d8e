#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/cpi0_files.h"
#include "analysis/pipeline/cpi0_report.h"
#include "analysis/pipeline/cpi0_simulate.h"
#include "analysis/pipeline/cpi0_trace.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "cmd/cmd.h"
#include "cmd/pipeline/open.h"

/* What was asked for: a machine, and for each input a run on it. */
struct cpi0_answer {
	struct machine machine;
	struct cpi0_mapping mapping;
	struct cpi0_run *runs;
	struct cpi0_diagnosis *diagnoses; /* of each */
	size_t count;
};

/* ---- what has no order of its own, or only a pattern's ------------------------------------- */

static enum status simulate_order(struct cpi0_run *run, const struct machine *m,
				  const queue_vec *order, bool own, struct error *e)
{
	struct cpi0_ratio cpi;
	bool exact;
	enum status status;

	if (!order->count)
		return STATUS_OK;
	status = cpi0_simulate(&cpi, &exact, m, &run->d->c, order, e);
	if (!status)
		cpi0_diagnosis_simulated(run->d, cpi0_real(cpi),
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
		status = cpi0_diagnose(run->d, m, &mix, -1, e);
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
				   "%s: no committed instruction to diagnose", run->input);
	if (!status)
		status = cpi0_diagnose(run->d, m, &t->mix, cpi0_drift(t, m), e);
	free(t);
	if (!status)
		status = cpi0_trace_simulate(&simulated, s, &map, r, m, &run->d->c, NULL, e);
	if (!status)
		cpi0_diagnosis_simulated(run->d, simulated, CPI0_ORDER_RUN);
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
	if (!o->files.count && (o->from || o->to))
		return error_set(e, STATUS_USAGE, "cpi0: --from and --to need a trace");
	return STATUS_OK;
}

/* Of several runs each is an object as it is of one. */
static enum status put_json(const struct cpi0_answer *a, struct output *out, struct error *e)
{
	struct json *w = &out->json;
	enum status status = STATUS_OK;

	if (a->count > 1) {
		json_object(w);
		json_key(w, "machine");
		json_string(w, a->machine.name);
		json_key(w, "runs");
		json_array(w);
	}
	for (size_t i = 0; !status && i < a->count; i++) {
		struct cpi0_report r;

		cpi0_report_make(&r, &a->machine, &a->runs[i], 1);
		json_object(w);
		status = output_json_sections(out, cpi0_sections, &r, e);
		json_object_end(w);
		cpi0_report_free(&r);
	}
	if (a->count > 1) {
		json_array_end(w);
		json_object_end(w);
	}
	sbuf_putc(&out->text, '\n');
	return status;
}

/* Paths as they were given, so that they can be found. */
static void put_inputs(const struct cpi0_report *r, struct output *out)
{
	if (!r->doubts.count)
		sbuf_puts(&out->text, "\nno assumption is known to be violated\n");
	sbuf_puts(&out->text, "\ninputs\n");
	for (size_t i = 0; i < r->count; i++) {
		sbuf_printf(&out->text, "%3zu  ", i + 1);
		text_sanitise(&out->text, r->runs[i].input, strlen(r->runs[i].input));
		sbuf_putc(&out->text, '\n');
	}
}

static enum status put_text(const struct cpi0_answer *a, const struct cmd_options *o,
			    struct output *out, struct error *e)
{
	struct output_table how = {.limit = UINT64_MAX, .columns = o->wide ? 0 : OUTPUT_COLUMNS};
	const struct section *sections = a->count > 1 ? cpi0_run_sections : cpi0_sections;
	struct cpi0_report r;
	enum status status;

	cpi0_report_make(&r, &a->machine, a->runs, a->count);
	status = output_sections(out, sections, &r, &how, e);
	if (a->count > 1)
		put_inputs(&r, out);
	else if (r.negative)
		sbuf_printf(&out->text, "\nnegative: %s\n", r.negative);
	cpi0_report_free(&r);
	return status;
}

static enum status diagnose_all(struct cpi0_answer *a, const struct cmd_options *o,
				struct output *out, struct error *e)
{
	enum status status = STATUS_OK;

	a->runs = xcalloc(a->count + 1, sizeof(*a->runs));
	a->diagnoses = xcalloc(a->count + 1, sizeof(*a->diagnoses));
	for (size_t i = 0; !status && i < a->count; i++) {
		a->runs[i].d = &a->diagnoses[i];
		status = diagnose(a, i, o, out, e);
	}
	return status;
}

/* ---- `--machine list` -------------------------------------------------------------------- */

static void machine_text(const struct machine *m, struct sbuf *out)
{
	sbuf_printf(out, "%-20s %8g %9d ", m->name,
		    (double)m->dispatch.num / (double)m->dispatch.den, m->in_flight);
	for (int q = 0; q < m->queue_count; q++)
		sbuf_printf(out, "%s%s %g", q ? ", " : " ", m->queues[q].name, machine_rate(m, q));
	sbuf_putc(out, '\n');
}

static void machine_json(const struct machine *m, struct json *w)
{
	json_object(w);
	json_key(w, "name");
	json_string(w, m->name);
	json_key(w, "mu");
	json_real(w, (double)m->dispatch.num / (double)m->dispatch.den);
	json_key(w, "in_flight");
	json_int(w, m->in_flight);
	json_key(w, "queues");
	json_array(w);
	for (int q = 0; q < m->queue_count; q++) {
		json_object(w);
		json_key(w, "name");
		json_string(w, m->queues[q].name);
		json_key(w, "capacity");
		json_int(w, m->queues[q].capacity);
		json_key(w, "rate");
		json_real(w, machine_rate(m, q));
		json_object_end(w);
	}
	json_array_end(w);
	json_object_end(w);
}

static enum status put_machines(const struct cmd_options *o, struct output *out, struct error *e)
{
	struct json *w = &out->json;
	enum status status = STATUS_OK;
	struct sbuf name = {0};
	struct machine m;

	if (o->json) {
		json_object(w);
		json_key(w, "machines");
		json_array(w);
	} else {
		sbuf_printf(&out->text, "%-20s %8s %9s  %s\n", "machine", "dispatch", "in-flight",
			    "queues, and the most each can issue per cycle");
	}
	for (size_t i = 0; !status && cpi0_machine_shipped(i, &name); i++) {
		status = cpi0_machine_open(&m, sbuf_text(&name), e);
		if (!status && o->json)
			machine_json(&m, w);
		else if (!status)
			machine_text(&m, &out->text);
	}
	sbuf_free(&name);
	if (o->json) {
		json_array_end(w);
		json_object_end(w);
		sbuf_putc(&out->text, '\n');
	}
	return status;
}

/* ---- the command ------------------------------------------------------------------------- */

enum status cmd_cpi0(const struct cmd_options *o, struct output *out, struct error *e)
{
	struct cpi0_answer a = {.count = o->cpi0.inputs.count + o->files.count};
	enum status status;

	if (strcmp(o->cpi0.machine, "list") == 0)
		return put_machines(o, out, e);
	status = check_options(o, e);
	if (!status)
		status = cpi0_machine_open(&a.machine, o->cpi0.machine, e);
	if (!status)
		status =
		    cpi0_mapping_open(&a.mapping, o->cpi0.mapping ? o->cpi0.mapping : "perf", e);
	if (!status)
		status = diagnose_all(&a, o, out, e);
	if (!status)
		status = o->json ? put_json(&a, out, e) : put_text(&a, o, out, e);
	free(a.runs);
	free(a.diagnoses);
	return status;
}
