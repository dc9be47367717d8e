#include "config.h"

#include "analysis/pipeline/stalls.h"

#include <inttypes.h>

#include "analysis/pipeline/stalls_table.h"
#include "cmd/cmd.h"
#include "cmd/pipeline/open.h"

/* What the three forms are made of. */
struct answer {
	const struct cmd_options *o;
	struct output *out;
	const struct stalls *r;
};

static enum status make_table(const struct answer *a, enum stall_by by, struct stall_table *t,
			      struct error *e)
{
	enum status status = stall_table_new(t, a->r, by, e);

	if (status || !a->o->sort || by != a->o->stall_by)
		return status;
	status = stall_table_sort(t, a->o->sort, e);
	if (status)
		stall_table_free(t);
	return status;
}

static enum status json_list(const struct answer *a, enum stall_by by, struct error *e)
{
	struct stall_table t;
	enum status status = make_table(a, by, &t, e);

	if (status)
		return status;
	if (by != STALL_BY_NAMELESS) {
		status = output_json_section(a->out, &t.whole, &t, a->o->limit, e);
	} else if (t.count) {
		json_key(&a->out->json, t.whole.key);
		json_object(&a->out->json);
		output_json_fields(a->out, t.whole.fields, &t, 0);
		json_object_end(&a->out->json);
	}
	stall_table_free(&t);
	return status;
}

static enum status stalls_json(const struct answer *a, struct error *e)
{
	struct json *json = &a->out->json;
	enum status status;

	json_object(json);
	status = output_json_sections(a->out, stall_sections, a->r, e);
	for (int by = 0; !status && by < STALL_BY_COUNT; by++)
		if (a->r->places || (by != STALL_BY_FUNCTION && by != STALL_BY_LINE))
			status = json_list(a, (enum stall_by)by, e);
	json_object_end(json);
	sbuf_putc(&a->out->text, '\n');
	return status;
}

/* The limit is one of the last and long list, in JSON of those of instructions and places. */
static enum status stalls_text(const struct answer *a, struct error *e)
{
	struct output_table how = {.limit = UINT64_MAX, .columns = a->o->wide ? 0 : OUTPUT_COLUMNS};
	struct stall_table t;
	enum status status = make_table(a, a->o->stall_by, &t, e);

	if (status)
		return status;
	stall_table_fold(&t, a->o->limit);
	how.sorted = a->o->sort;
	for (const struct section *s = stall_sections; !status && s->key; s++)
		status = output_table(a->out, s, a->r, &how, e);
	if (!status)
		status = output_table(a->out, &t.section, &t, &how, e);
	stall_table_free(&t);
	return status;
}

/* A CSV is one table. */
static enum status stalls_csv(const struct answer *a, struct error *e)
{
	struct stall_table t;
	enum status status = make_table(a, a->o->stall_by, &t, e);

	if (status)
		return status;
	status = output_csv(a->out, &t.whole, &t, a->o->limit, e);
	stall_table_free(&t);
	return status;
}

static enum status locate(struct stalls *r, struct binary *b, const struct cmd_options *o,
			  struct output *out, struct error *e)
{
	uint64_t from, to;
	size_t found = 0;
	enum status status = stalls_locate(r, b, &found, e);

	if (status || found)
		return status;
	binary_span(b, &from, &to);
	output_note(out, o->binary,
		    "no pc of the trace is in its functions or lines (0x%" PRIx64 " to 0x%" PRIx64
		    "): is it the simulated program, with symbols? --load-address sets where it "
		    "was loaded",
		    from, to);
	return STATUS_OK;
}

static enum status put_stalls(struct store *s, struct binary *b, const struct cmd_options *o,
			      struct output *out, struct error *e)
{
	bool whole = !o->from && !o->to;
	struct range range = range_all(s);
	struct stalls r;
	struct answer answer = {o, out, &r};
	enum status status = STATUS_OK;

	if (!whole)
		status = open_range(trace_of_store(s), o, &range.tick0, &range.tick1, e);
	if (!status)
		status = stalls_new(&r, s, whole ? NULL : &range, NULL, e);
	if (status)
		return status;
	if (b)
		status = locate(&r, b, o, out, e);
	if (!status)
		status = (o->json ? stalls_json : o->csv ? stalls_csv : stalls_text)(&answer, e);
	stalls_free(&r);
	return status;
}

static enum status check(const struct cmd_options *o, struct error *e)
{
	if (!o->binary && (o->stall_by == STALL_BY_FUNCTION || o->stall_by == STALL_BY_LINE))
		return error_set(e, STATUS_USAGE,
				 "--by %s needs the simulated program: --binary FILE",
				 stall_by_names[o->stall_by]);
	if (!o->binary && o->load_address.given)
		return error_set(e, STATUS_USAGE, "--load-address needs --binary");
	return STATUS_OK;
}

enum status cmd_stalls(const struct cmd_options *o, struct output *out, struct error *e)
{
	const uint64_t *address = o->load_address.given ? &o->load_address.value : NULL;
	struct binary *binary = NULL;
	struct store *store;
	enum status status = check(o, e);

	if (!status && o->binary)
		status = binary_open(&binary, o->binary, address, e);
	if (!status)
		status = open_store(&store, o, out, e);
	if (!status) {
		status = put_stalls(store, binary, o, out, e);
		open_note_warnings(trace_of_store(store), o, out);
		store_close(store);
	}
	binary_close(binary);
	return status;
}
