#include "config.h"

#include "analysis/pipeline/why.h"

#include "cmd/cmd.h"
#include "cmd/pipeline/open.h"

static enum status put_text(const struct why *w, const struct cmd_options *o, struct output *out,
			    struct error *e)
{
	const struct output_table how = {.limit = o->limit == UINT64_MAX ? OUTPUT_LINES : o->limit,
					 .columns = OUTPUT_COLUMNS};
	enum status status = output_sections(out, why_sections, w, &how, e);

	if (w->notes.count)
		sbuf_putc(&out->text, '\n');
	for (size_t i = 0; i < w->notes.count; i++)
		output_words(out, w->notes.data[i].text, 2);
	return status;
}

/* What is wrong with a trace, and which one it is. */
static enum status name_file(const struct cmd_options *o, enum status status, struct error *e)
{
	struct error why = *e;

	return status == STATUS_INPUT
		   ? error_set(e, status, "%s: %.300s", o->files.data[0], why.text)
		   : status;
}

static enum status put_why(struct store *s, const struct cmd_options *o, struct output *out,
			   struct error *e)
{
	const bool whole = !o->from && !o->to;
	struct range range = range_all(s);
	enum status status = STATUS_OK;
	struct why w;

	if (!whole)
		status = open_range(trace_of_store(s), o, &range.tick0, &range.tick1, e);
	if (status)
		return status;
	status = why_new(&w, s, whole ? NULL : &range, o->asked.data, o->asked.count, NULL, NULL, e);
	if (status)
		return name_file(o, status, e);
	status = o->json ? output_json_result(out, why_sections, &w, e) : put_text(&w, o, out, e);
	why_free(&w);
	return status;
}

enum status cmd_why(const struct cmd_options *o, struct output *out, struct error *e)
{
	struct store *store;
	enum status status = open_store(&store, o, out, e);

	if (status)
		return status;
	status = put_why(store, o, out, e);
	open_note_warnings(trace_of_store(store), o, out);
	store_close(store);
	return status;
}
