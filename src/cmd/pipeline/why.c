#include "config.h"

#include "cmd/answers.h"
#include "cmd/cmd.h"
#include "cmd/compare.h"
#include "cmd/pipeline/open.h"

const struct app_word cmd_why_causes[] = {
#define CAUSE(id, key, letter, gone, bound, what) {.name = key, .help = what},
    WHY_CAUSE_INFO(CAUSE)
#undef CAUSE
    {"stage:NAME", .help = "waits in a stage between fetch and dispatch, in traces whose stages "
			   "have names of their own"},
    {.name = NULL},
};

enum status open_name_file(const char *file, enum status status, struct error *e)
{
	struct error why = *e;

	return status == STATUS_INPUT ? error_set(e, status, "%s: %.300s", file, why.text) : status;
}

/* Of two runs each note says which it is of. */
static void put_notes(const struct why *w, const char *of, struct output *out)
{
	if (w->note_count)
		sbuf_putc(&out->text, '\n');
	for (size_t i = 0; i < w->note_count; i++) {
		sbuf_puts(&out->text, of);
		output_words(out, w->notes[i].text, 2);
	}
}

static enum status put_text(const struct why_compare *c, const struct cmd_options *o,
			    struct output *out, struct error *e)
{
	const bool two = c->of[ALIGN_B];
	enum status status;

	if (two)
		why_pair_tell(c, out);
	status = answers_put_tables(out, two ? why_two_sections : why_sections, c, o, e);
	put_notes(c->of[ALIGN_A], two ? "A: " : "", out);
	if (two)
		put_notes(c->of[ALIGN_B], "B: ", out);
	return status;
}

static enum status put_why(struct store *s, const struct cmd_options *o, struct output *out,
			   struct error *e)
{
	const bool whole = !o->from && !o->to;
	struct range range = range_all(s);
	const struct why_question q = {
	    .range = whole ? NULL : &range, .asked = o->asked.data, .asked_count = o->asked.count,
	    .stages = o->stages};
	struct why_compare c = {.of = {NULL}};
	enum status status = STATUS_OK;
	struct why *w = &c.own[ALIGN_A];

	if (!whole)
		status = open_range(trace_of_store(s), o, &range.tick0, &range.tick1, e);
	if (status)
		return status;
	status = why_new(w, s, &q, e);
	if (status)
		return open_name_file(o->files.data[0], status, e);
	status = why_compare_new(&c, w, NULL, "", e);
	if (o->json && c.pcs.count > o->limit)
		c.pcs.count = (size_t)o->limit;
	if (!status)
		status = o->json ? output_json_result(out, why_sections, &c, e)
				 : put_text(&c, o, out, e);
	why_compare_free(&c);
	return status;
}

/* ---- two runs ------------------------------------------------------------------------------ */

enum status why_pair_new(struct why_compare *c, struct store *const stores[ALIGN_SIDES],
			 const struct cmd_options *o, struct error *e)
{
	enum status status = STATUS_OK;

	for (int s = 0; !status && s < ALIGN_SIDES; s++) {
		status = why_new(&c->own[s], stores[s], &(struct why_question){.range = NULL}, e);
		open_name_file(o->files.data[s], status, e);
	}
	return status ? status : why_compare_new(c, &c->own[ALIGN_A], &c->own[ALIGN_B], "", e);
}

void why_pair_tell(const struct why_compare *c, struct output *out)
{
	struct sbuf words = {0};

	why_compare_tell(c, &words);
	output_words(out, sbuf_text(&words), 2);
	sbuf_free(&words);
}

static enum status put_pair_json(const struct why_compare *c, const struct cmd_options *o,
				 struct output *out, struct error *e)
{
	struct json *w = &out->json;
	enum status status;

	json_object(w);
	for (int s = 0; s < ALIGN_SIDES; s++) {
		json_key(w, s == ALIGN_A ? "a" : "b");
		json_object(w);
		compare_json_side(w, o->files.data[s], trace_of_store(c->of[s]->store));
		output_json_fields(out, why_sections[WHY_SECTION_RUN].fields,
				   &(struct why_compare){.of = {c->of[s]}}, 0);
		json_object_end(w);
	}
	status = output_json_sections(out, why_two_sections, c, e);
	json_object_end(w);
	sbuf_putc(&out->text, '\n');
	return status;
}

static enum status put_pair(struct trace *const sides[COMPARE_SIDES], const struct cmd_options *o,
			    struct output *out, struct error *e)
{
	struct store *const stores[] = {store_of_trace(sides[ALIGN_A]),
					store_of_trace(sides[ALIGN_B])};
	struct why_compare c = {.of = {NULL}};
	enum status status;

	if (!stores[ALIGN_A])
		return error_set(e, STATUS_INPUT,
				 "%s: why needs a trace of instructions; this is: %s",
				 o->files.data[0], sides[ALIGN_A]->format.title);
	status = why_pair_new(&c, stores, o, e);
	if (o->json && c.pcs.count > o->limit)
		c.pcs.count = (size_t)o->limit;
	if (!status)
		status = (o->json ? put_pair_json : put_text)(&c, o, out, e);
	why_compare_free(&c);
	return status;
}

enum status cmd_why(const struct cmd_options *o, struct output *out, struct error *e)
{
	struct store *store;
	enum status status;

	if (o->files.count == COMPARE_SIDES && (o->from || o->to || o->asked.count || o->stages))
		return error_set(e, STATUS_USAGE,
				 "why: --from, --to, --stages, --without and --set are for one file");
	if (o->files.count == COMPARE_SIDES)
		return compare_files(o, put_pair, out, e);
	status = open_store(&store, o, out, e);
	if (status)
		return status;
	status = put_why(store, o, out, e);
	open_note_warnings(trace_of_store(store), o, out);
	store_close(store);
	return status;
}
