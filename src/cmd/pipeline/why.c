#include "config.h"

#include "analysis/pipeline/why.h"

#include "cmd/cmd.h"
#include "cmd/pipeline/open.h"

static enum status put(const struct why *w, const struct cmd_options *o, struct output *out,
		       struct error *e)
{
	struct output_table how = {.limit = o->limit == UINT64_MAX ? OUTPUT_LINES : o->limit,
				   .columns = OUTPUT_COLUMNS};

	if (o->json)
		return output_json_result(out, why_sections, w, e);
	return output_sections(out, why_sections, w, &how, e);
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
	if (!status)
		status = why_new(&w, s, whole ? NULL : &range, o->asked.data, o->asked.count, NULL, e);
	if (status)
		return status;
	status = put(&w, o, out, e);
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
