#include "config.h"

#include <math.h>
#include <string.h>

#include "analysis/metrics.h"
#include "cmd/compare.h"
#include "cmd/open.h"

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

/* The end of B at the same time since its start as the end of A, or at the same share of it. */
static int64_t end_of_b(const struct interval all[COMPARE_SIDES], int64_t a, bool fraction)
{
	const double since = (double)a - (double)all[METRIC_A].from;
	const double share = since / (double)interval_ticks(&all[METRIC_A]);

	return tick_add(all[METRIC_B].from,
			(int64_t)round(fraction ? share * (double)interval_ticks(&all[METRIC_B]) : since));
}

/* Of each side: all of it, or what is asked of A and what of B goes with it. */
static enum status ranges(struct trace *const sides[COMPARE_SIDES], const struct cmd_options *o,
			  struct interval over[COMPARE_SIDES], struct error *e)
{
	struct interval all[COMPARE_SIDES];
	int64_t from, to;
	enum status status;

	for (int s = 0; s < COMPARE_SIDES; s++)
		all[s] = over[s] = interval_of(sides[s], INT64_MIN, INT64_MAX);
	if (!o->from && !o->to)
		return STATUS_OK;
	status = open_range(sides[METRIC_A], o, &from, &to, e);
	over[METRIC_A] = interval_of(sides[METRIC_A], from, to);
	over[METRIC_B] = interval_of(sides[METRIC_B],
				     end_of_b(all, over[METRIC_A].from, o->by_metrics == BY_FRACTION),
				     end_of_b(all, over[METRIC_A].to, o->by_metrics == BY_FRACTION));
	return status;
}

enum status compare_metrics(struct trace *const sides[COMPARE_SIDES], const struct cmd_options *o,
			    struct output *out, struct error *e)
{
	const bool part = o->from || o->to || o->by_metrics;
	struct interval over[COMPARE_SIDES];
	struct metric_pairs m;
	enum status status;

	if (o->pair.given || o->by != ALIGN_BY_COMMIT || (part && !sides[0]->kind->means))
		return error_set(e, STATUS_USAGE,
				 "compare: --from, --to, --by and --pair need instructions");
	status = ranges(sides, o, over, e);
	if (status)
		return status;
	if (!metric_pairs_make(&m, sides, over))
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
