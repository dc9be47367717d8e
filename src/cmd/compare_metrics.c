#include "config.h"

#include <string.h>

#include "analysis/metrics.h"
#include "cmd/compare.h"

enum { LINES = 20 }; /* of the table, where no number is asked for: what is different most */

static enum status put_json(struct output *out, const struct metric_pairs *m,
			    struct trace *const sides[COMPARE_SIDES], const struct cmd_options *o,
			    struct error *e)
{
	struct json *w = &out->json;
	enum status status;

	json_object(w);
	for (int s = 0; s < COMPARE_SIDES; s++) {
		json_key(w, s == METRIC_A ? "a" : "b");
		json_object(w);
		compare_json_side(w, o->files.data[s], sides[s]);
		json_object_end(w);
	}
	status = output_json_section(out, &metric_pair_section, m, o->limit, e);
	json_object_end(w);
	sbuf_putc(&out->text, '\n');
	return status;
}

static void text_summary(struct output *out, const struct metric_pairs *m,
			 const struct cmd_options *o)
{
	for (int s = 0; s < COMPARE_SIDES; s++) {
		const char *name = o->files.data[s];

		sbuf_printf(&out->text, "%c ", s == METRIC_A ? 'A' : 'B');
		output_cell(out, name, strlen(name), OUTPUT_COLUMNS - 2, false);
		sbuf_putc(&out->text, '\n');
	}
	metric_pairs_sum_up(m, &out->text);
	sbuf_putc(&out->text, '\n');
}

static enum status put_text(struct output *out, const struct metric_pairs *m,
			    const struct cmd_options *o, struct error *e)
{
	const struct output_table how = {.limit = o->limit != UINT64_MAX ? o->limit : LINES,
					 .columns = o->wide ? 0 : OUTPUT_COLUMNS};

	text_summary(out, m, o);
	return m->pairs.count ? output_table(out, &metric_pair_section, m, &how, e) : STATUS_OK;
}

enum status compare_metrics(struct trace *const sides[COMPARE_SIDES], const struct cmd_options *o,
			    struct output *out, struct error *e)
{
	struct metric_pairs m;
	enum status status;

	if (o->from != TICK_UNSET || o->to != TICK_UNSET || o->pair.given ||
	    o->by != ALIGN_BY_COMMIT)
		return error_set(e, STATUS_USAGE,
				 "compare: --from, --to, --by and --pair need instructions");
	if (!metric_pairs_make(&m, sides))
		status = error_set(e, STATUS_NOMEM, "not enough memory to compare the traces");
	else if (o->json)
		status = put_json(out, &m, sides, o, e);
	else if (o->csv)
		status = output_csv(out, &metric_pair_section, &m, o->limit, e);
	else
		status = put_text(out, &m, o, e);
	metric_pairs_free(&m);
	return status;
}
