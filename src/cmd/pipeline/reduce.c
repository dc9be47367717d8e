#include "config.h"

#include "cmd/pipeline/reduce.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/pipeline/executed_text.h"
#include "analysis/pipeline/reduce_file.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "cmd/cmd.h"
#include "cmd/newfile.h"
#include "cmd/pipeline/open.h"
#include "pipeline/formats/optrace.h"

enum { LOOK_BYTES = 64 << 10, SAVE_BYTES = 64 << 20, POINTS_MOST = 1 << 16, LENGTHS = 12 };
enum { GRID_ROWS = 40 };
enum { TRIED_MOST = 1 << 20 }; /* instructions: each try is the whole trace once more */

/* One of the files: FILE or FILE=WEIGHT. */
struct input {
	const struct cmd_options *all;
	struct cmd_options options; /* with this one file */
	char *path;
	uint64_t weight;
	struct output *out;
};

/* ---- the pipelines ----------------------------------------------------------------------- */

static int64_t length_at(const lengths_vec *list, size_t i)
{
	return list->count ? list->data[i] : (int64_t)i + 1;
}

static enum status make_points(struct reduce_answer *a, const struct cmd_options *o,
			       struct error *e)
{
	size_t execute = o->ne.count ? o->ne.count : LENGTHS;
	size_t setup = o->ns.count ? o->ns.count : LENGTHS;
	int64_t fixed = setup_segments(setup_latency(&o->setup.parts), 1);

	if (o->setup.given && o->ns.count)
		return error_set(e, STATUS_USAGE, "reduce: give --ns or --ns-from, not both");
	if (o->setup.given)
		setup = 1;
	if (execute > POINTS_MOST / setup)
		return error_set(e, STATUS_USAGE,
				 "reduce: more than %d pipelines: shorten --ne or --ns",
				 POINTS_MOST);
	a->report.point_count = execute * setup;
	a->points = xcalloc(a->report.point_count, sizeof(*a->points));
	a->cycles = xcalloc(a->report.point_count, sizeof(*a->cycles));
	for (size_t i = 0; i < execute; i++)
		for (size_t k = 0; k < setup; k++)
			a->points[i * setup + k] = (struct pipeline){
			    length_at(&o->ne, i), o->setup.given ? fixed : length_at(&o->ns, k)};
	a->report.at.at = a->points[a->report.point_count - 1];
	for (size_t k = 0; k < setup && k < SLACK_SETUPS; k++)
		a->setups[a->report.setup_count++] = a->points[k].setup;
	return STATUS_OK;
}

/* ---- one file ---------------------------------------------------------------------------- */

/* Adds a reduction, and what its simulation counted (NULL: nobody did). */
static enum status add(struct reduce_answer *a, const struct input *in, const struct reduction *r,
		       const int64_t *simulated, struct error *e)
{
	enum status status = reduction_merge(&a->reduction, r, in->weight, e);

	if (!simulated) {
		free(a->simulated);
		a->simulated = NULL;
	}
	for (size_t i = 0; !status && a->simulated && i < a->report.point_count; i++) {
		int64_t cycles; /* fits: the merge has looked at the weight */

		cycles = simulated[i] * (int64_t)in->weight;
		a->simulated[i] += cycles;
	}
	return status;
}

static void set_format(struct reduce_answer *a, const char *format)
{
	a->report.format =
	    !a->report.format || strcmp(a->report.format, format) == 0 ? format : "several";
}

static enum status add_save_file(struct reduce_answer *a, const struct input *in,
				 const struct window *w, struct error *e)
{
	struct reduction r;
	struct error why;
	enum status status;

	if (w->len >= SAVE_BYTES)
		return error_set(e, STATUS_INPUT, "%s: the save file is larger than 64 MiB", in->path);
	status = reduction_read(&r, w->text, w->len, &why);
	if (status) /* "LINE: what", or what is wrong with all of it */
		return error_set(e, status, "%s:%s%s", in->path,
				 why.text[0] >= '0' && why.text[0] <= '9' ? "" : " ", why.text);
	set_format(a, "reduction");
	a->report.estimate = a->report.estimate || r.unread > 0;
	status = add(a, in, &r, NULL, e);
	reduction_free(&r);
	return status;
}

static void add_counts(struct executed_counts *sum, const struct executed_counts *c)
{
	sum->instructions += c->instructions;
	sum->unread += c->unread;
	sum->loads += c->loads;
	sum->redirects += c->redirects;
	sum->nops += c->nops;
	sum->orphans += c->orphans;
	sum->nameless += c->nameless;
}

/* ---- the dearest dependencies ------------------------------------------------------------ */

static int64_t cycles_at(const struct reduced_trace *r, const struct pipeline *at, bool shorts)
{
	struct reduce_cycles c;

	return reduce_evaluate(&r->reduction, at, 1, shorts, &c, NULL) ? -1 : c.cycles;
}

struct trace_input {
	const struct input *in;
	struct store *store;
	struct range range;
	struct reduce_trace_options options;
};

/* The trace again, without one of its dependencies. */
static void try_dearest(struct reduce_answer *a, const struct trace_input *t,
			const struct reduced_trace *r)
{
	const struct pipeline *at = &a->report.at.at;
	int64_t cycles = cycles_at(r, at, t->options.shorts);

	if (r->reduction.instructions > TRIED_MOST)
		return;
	for (size_t i = 0; i < a->dearest.count && i < DEAREST_TRIED; i++) {
		struct dearest *d = &a->dearest.data[i];
		struct reduce_trace_options o = t->options;
		struct reduced_trace without;

		o.simulate_count = 0;
		o.times = NULL;
		o.at = (struct pipeline){0, 0};
		o.without = true;
		o.without_resolver = d->charge.resolver;
		o.without_dependent = d->charge.dependent;
		if (reduce_trace(&without, t->store, &t->range, &o, NULL, NULL))
			break;
		d->saved = cycles - cycles_at(&without, at, o.shorts);
		reduced_trace_free(&without);
	}
}

/* Lines of an optrace that are no instructions: not known where not all of them were kept. */
static void add_bad_lines(struct reduce_answer *a, const struct store *s)
{
	const size_t all = executed_is_text(s) ? store_warning_count(s) : 0;
	uint64_t *bad = &a->report.bad_lines;
	struct warning w;

	for (size_t i = 0; i < all && *bad != REDUCE_UNKNOWN; i++) {
		if (!store_warning(s, i, &w))
			*bad = REDUCE_UNKNOWN;
		for (int problem = OPTRACE_PC; problem < OPTRACE_PROBLEMS; problem++)
			*bad += *bad != REDUCE_UNKNOWN && strcmp(w.text, optrace_problems[problem]) == 0;
	}
}

static enum status no_instructions(const struct input *in, struct error *e)
{
	return error_set(e, STATUS_INPUT, "%s: no committed instruction to reduce", in->path);
}

static enum status reduce_store(struct reduce_answer *a, struct trace_input *t, struct error *e)
{
	const struct input *in = t->in;
	struct reduced_trace r;
	enum status status = open_range(trace_of_store(t->store), &in->options, &t->range.tick0, &t->range.tick1,
					e);

	if (!status && t->range.tick0 >= t->range.tick1)
		status = no_instructions(in, e);
	if (!status)
		status = reduce_trace(&r, t->store, &t->range, &t->options, NULL, e);
	if (status)
		return status;
	set_format(a, store_format(t->store)->name);
	add_counts(&a->report.counts, &r.counts);
	a->report.isa = r.isa;
	a->report.links = r.links;
	a->report.estimate = a->report.estimate || !reduced_trace_exact(&r);
	a->report.slack = r.slack;
	add_bad_lines(a, t->store);
	status = r.counts.instructions ? add(a, in, &r.reduction, r.simulated, e)
				       : no_instructions(in, e);
	if (!status && in->all->files.count == 1) {
		dearest_of_store(&a->dearest, &r, t->store, DEAREST_SHOWN);
		try_dearest(a, t, &r);
	}
	reduced_trace_free(&r);
	return status;
}

/* Times are by class of instruction, which only disassembly tells. */
static void take_times(const struct reduce_answer *a, const struct cmd_options *o,
		       struct reduce_trace_options *options)
{
	if (!o->times.given || o->files.count > 1)
		return;
	options->times = o->times.of;
	options->setups = a->setups;
	options->setup_count = a->report.setup_count;
}

/* Options that only a trace with disassembly can follow are not to be passed over in silence. */
static enum status refuse_options(const struct input *in, const char *what, struct error *e)
{
	const struct {
		bool given;
		const char *name;
	} refused[] = {
	    {in->all->links, "links"},
	    {in->all->micro_ops, "micro-ops"},
	    {in->all->times.given, "times"},
	};

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (refused[i].given)
			return error_set(e, STATUS_USAGE,
					 "%s: --%s is for pipeline traces, not for %s", in->path,
					 refused[i].name, what);
	return STATUS_OK;
}

static enum status add_store(struct reduce_answer *a, struct trace_input *t, struct error *e)
{
	const struct input *in = t->in;
	const struct cmd_options *o = in->all;
	enum status status =
	    executed_is_text(t->store) ? refuse_options(in, "an optrace", e) : STATUS_OK;

	t->range = range_all(t->store);
	t->options = (struct reduce_trace_options){
	    .r3plus = o->r3plus,
	    .shorts = o->shorts,
	    .at = o->files.count == 1 ? a->report.at.at : (struct pipeline){0, 0},
	    .simulate = a->points,
	    .simulate_count = a->report.point_count,
	    .executed = {.parts = o->micro_ops, .links = o->links},
	};
	take_times(a, o, &t->options);
	if (!status && o->links && store_link_count(t->store) == 0)
		status = error_set(e, STATUS_USAGE, "%s: --links: the trace has no links", in->path);
	return status ? status : reduce_store(a, t, e);
}

/* Takes source over. */
static enum status add_trace(struct reduce_answer *a, struct input *in, struct source *source,
			     struct error *e)
{
	struct trace_input t = {.in = in};
	enum status status = open_store_source(&t.store, source, &in->options, in->out, e);

	if (status)
		return status;
	status = add_store(a, &t, e);
	if (!status)
		open_note_warnings(trace_of_store(t.store), &in->options, in->out);
	store_close(t.store);
	return status;
}

/* ---- all of them ------------------------------------------------------------------------- */

static enum status take_save_file(struct reduce_answer *a, const struct input *in,
				  struct source *source, struct error *e)
{
	struct window w;
	enum status status = refuse_options(in, "a save file", e);

	if (!status && (in->all->from || in->all->to))
		status =
		    error_set(e, STATUS_USAGE,
			      "%s: --from and --to are for traces, not for save files", in->path);
	if (!status)
		status = source_next(source, 0, SAVE_BYTES, &w, e);
	if (status)
		return status;
	status = add_save_file(a, in, &w, e);
	source_release(source, &w);
	return status;
}

/* What the first bytes say it is decides. Takes source over. */
static enum status add_source(struct reduce_answer *a, struct input *in, struct source *source,
			      struct error *e)
{
	struct window w;
	bool save = false;
	enum status status = source_next(source, 0, LOOK_BYTES, &w, e);

	if (!status) {
		save = !in->all->store.as && reduction_detect(w.text, w.len);
		source_release(source, &w);
	}
	if (!status && !save)
		return add_trace(a, in, source, e);
	if (!status)
		status = take_save_file(a, in, source, e);
	source_close(source);
	return status;
}

/* FILE=WEIGHT, unless there is a file of just that name. */
static enum status split_weight(struct input *in, const char *word, struct error *e)
{
	const char *equals = strrchr(word, '=');
	struct stat st;

	in->weight = 1;
	in->path = xstrdup(word);
	if (!equals || equals == word || stat(word, &st) == 0)
		return STATUS_OK;
	if (!num_parse_u64(equals + 1, &in->weight) || in->weight < 1)
		return error_set(e, STATUS_USAGE, "%s: a weight must be a number of at least 1", word);
	in->path[equals - word] = '\0';
	return STATUS_OK;
}

static enum status add_file(struct reduce_answer *a, const struct cmd_options *o, const char *word,
			    struct output *out, struct error *e)
{
	struct input in = {.all = o, .options = *o, .out = out};
	struct source *source;
	enum status status = split_weight(&in, word, e);
	const char *path = in.path;

	in.options.files.data = &path;
	in.options.files.count = 1;
	if (!status)
		status = source_open(&source, in.path, e);
	if (!status)
		status = add_source(a, &in, source, e);
	free(in.path);
	return status;
}

static enum status report(struct reduce_answer *a, struct error *e)
{
	a->report.r = &a->reduction;
	a->report.points = a->cycles;
	a->report.simulated = a->simulated;
	a->report.at = a->cycles[a->report.point_count - 1];
	a->report.dearest = &a->dearest;
	a->report.setups = a->setups;
	return reduce_report_make(&a->report, e);
}

enum status reduce_answer_new(struct reduce_answer *a, const struct cmd_options *o,
			      struct output *out, struct error *e)
{
	enum status status;

	memset(a, 0, sizeof(*a));
	if (!reduction_init(&a->reduction))
		return error_set(e, STATUS_NOMEM, "out of memory");
	status = make_points(a, o, e);
	a->simulated = xcalloc(a->report.point_count + 1, sizeof(*a->simulated));
	for (size_t i = 0; !status && i < o->files.count; i++)
		status = add_file(a, o, o->files.data[i], out, e);
	if (!status)
		status = reduce_evaluate(&a->reduction, a->points, a->report.point_count, o->shorts,
					 a->cycles, e);
	return status ? status : report(a, e);
}

void reduce_answer_free(struct reduce_answer *a)
{
	reduce_report_free(&a->report);
	reduction_free(&a->reduction);
	free(a->points);
	free(a->cycles);
	free(a->simulated);
	dearest_free(&a->dearest);
}

/* ---- the command ------------------------------------------------------------------------- */

static enum status save(const struct reduce_answer *a, const struct cmd_options *o, struct error *e)
{
	struct sbuf text = {0};
	struct newfile file;
	enum status status = newfile_open(&file, o->save, "reduce: --save", o, e);

	if (status)
		return status;
	if (!reduction_write(&a->reduction, &text))
		status = error_set(e, STATUS_NOMEM, "out of memory");
	else if (fwrite(sbuf_text(&text), 1, text.len, file.stream) != text.len)
		status = error_set(e, STATUS_IO, "%s: cannot be written", o->save);
	sbuf_free(&text);
	return newfile_close(&file, o, status, e);
}

/* ---- what is written --------------------------------------------------------------------- */

struct stack_writer {
	struct output *out;
	const struct reduction *r;
	enum status status;
	struct error *e;
};

static bool put_stack_arc(void *arg, const struct stack_arc *arc)
{
	struct stack_writer *s = arg;
	struct json *w = &s->out->json;
	struct shape shape = shapes_get(&s->r->shapes, arc->shape);

	json_array(w);
	json_uint(w, arc->resolver);
	json_uint(w, arc->resolver + shape.distance);
	json_uint(w, shape.distance);
	json_uint(w, shape.branches);
	json_array_end(w);
	s->status = output_drain(s->out, s->e);
	return s->status == STATUS_OK;
}

static enum status put_stacks(struct output *out, const struct reduction *r, struct error *e)
{
	struct stack_writer s = {out, r, STATUS_OK, e};
	struct json *w = &out->json;

	json_key(w, "stacks");
	json_array(w);
	for (size_t i = 0; !s.status && i < r->stacks.list.count; i++) {
		const struct stack *stack = &r->stacks.list.data[i];

		json_object(w);
		json_key(w, "count");
		json_uint(w, stack->count);
		json_key(w, "arcs");
		json_array(w);
		if (!stacks_visit(&r->stacks, stack, put_stack_arc, &s) && !s.status)
			s.status = error_set(e, STATUS_NOMEM, "out of memory");
		json_array_end(w);
		json_object_end(w);
	}
	json_array_end(w);
	return s.status;
}

static enum status put_json(const struct reduce_answer *a, struct output *out, struct error *e)
{
	enum status status;

	json_object(&out->json);
	status = output_json_sections(out, reduce_sections, &a->report, e);
	if (!status)
		status = put_stacks(out, &a->reduction, e);
	json_object_end(&out->json);
	sbuf_putc(&out->text, '\n');
	return status;
}

void reduce_put_files(const struct cmd_options *o, struct output *out)
{
	for (size_t i = 0; i < o->files.count; i++)
		sbuf_printf(&out->text, "%s%s", i ? " + " : "", o->files.data[i]);
	sbuf_putc(&out->text, '\n');
}

static enum status put_text(const struct reduce_answer *a, const struct cmd_options *o,
			    struct output *out, struct error *e)
{
	struct output_table how = {.limit = GRID_ROWS};

	reduce_put_files(o, out);
	return output_sections(out, reduce_sections, &a->report, &how, e);
}

enum status cmd_reduce(const struct cmd_options *o, struct output *out, struct error *e)
{
	struct reduce_answer a;
	enum status status = reduce_answer_new(&a, o, out, e);

	if (!status && o->save)
		status = save(&a, o, e);
	if (!status)
		status = o->json ? put_json(&a, out, e) : put_text(&a, o, out, e);
	reduce_answer_free(&a);
	return status;
}
