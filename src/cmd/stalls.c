#include "config.h"

#include "analysis/stalls.h"

#include "cmd/cmd.h"
#include "cmd/open.h"

static enum status stalls_json(struct output *out, const struct stalls *r, struct error *e)
{
	enum status status = STATUS_OK;

	json_object(&out->json);
	for (const struct section *s = stall_sections; !status && s->key; s++)
		status = output_json_section(out, s, r, e);
	if (stall_unattributed.rows(r)) {
		json_key(&out->json, stall_unattributed.key);
		json_object(&out->json);
		output_json_fields(out, stall_unattributed.fields, r, 0);
		json_object_end(&out->json);
	}
	json_object_end(&out->json);
	sbuf_putc(&out->text, '\n');
	return status;
}

/* The limit is one of the last and long list, that of static instructions. */
static enum status stalls_text(struct output *out, const struct stalls *r,
			       const struct cmd_options *o, struct error *e)
{
	struct output_table all = {.limit = UINT64_MAX, .columns = o->wide ? 0 : OUTPUT_COLUMNS};
	struct output_table some = {.limit = o->limit, .columns = all.columns};
	enum status status = STATUS_OK;

	for (const struct section *s = stall_sections; !status && s->key; s++)
		status = output_table(out, s, r, s[1].key ? &all : &some, e);
	if (!status && stall_unattributed.rows(r))
		status = output_table(out, &stall_unattributed, r, &all, e);
	return status;
}

/* A CSV is one table: that of static instructions. */
static enum status stalls_csv(struct output *out, const struct stalls *r, uint64_t limit,
			      struct error *e)
{
	const struct section *codes = stall_sections;

	while (codes[1].key)
		codes++;
	return output_csv(out, codes, r, limit, e);
}

static enum status put_stalls(struct store *s, const struct cmd_options *o, struct output *out,
			      struct error *e)
{
	bool whole = o->from == TICK_UNSET && o->to == TICK_UNSET;
	struct range range = range_all(s);
	struct stalls r;
	enum status status = STATUS_OK;

	if (!whole)
		status = open_range(s, o, &range.tick0, &range.tick1, e);
	if (!status)
		status = stalls_new(&r, s, whole ? NULL : &range, NULL, e);
	if (status)
		return status;
	if (o->json)
		status = stalls_json(out, &r, e);
	else if (o->csv)
		status = stalls_csv(out, &r, o->limit, e);
	else
		status = stalls_text(out, &r, o, e);
	stalls_free(&r);
	return status;
}

enum status cmd_stalls(const struct cmd_options *o, struct output *out, struct error *e)
{
	struct store *store;
	enum status status = open_trace(&store, o, out, e);

	if (status)
		return status;
	status = put_stalls(store, o, out, e);
	open_note_warnings(store, o, out);
	store_close(store);
	return status;
}
