#include "config.h"

#include "analysis/stalls.h"

#include <inttypes.h>

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
static enum status stalls_text(struct output *out, const struct stalls *r, uint64_t limit,
			       struct error *e)
{
	enum status status = STATUS_OK;

	for (const struct section *s = stall_sections; !status && s->key; s++)
		status = output_table(out, s, r, s[1].key ? UINT64_MAX : limit, e);
	if (!status && stall_unattributed.rows(r))
		status = output_table(out, &stall_unattributed, r, limit, e);
	return status;
}

enum status cmd_stalls(const struct cmd_options *o, struct output *out, struct error *e)
{
	struct store *store;
	struct stalls r;
	enum status status = open_trace(&store, o, out, e);

	if (status)
		return status;
	status = stalls_new(&r, store, NULL, e);
	if (!status) {
		status = o->json ? stalls_json(out, &r, e) : stalls_text(out, &r, o->limit, e);
		stalls_free(&r);
	}
	open_note_warnings(store, o, out);
	store_close(store);
	return status;
}
