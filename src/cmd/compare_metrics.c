#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics.h"
#include "base/num.h"
#include "cmd/compare.h"
#include "cmd/open.h"

/* What is compared, and how. */
struct comparing {
	struct trace *const *sides;
	const struct cmd_options *o;
	struct interval over[COMPARE_SIDES];
	struct metric_pairs m;
	const struct answer *pairing; /* NULL: the kind has none */
	void *paired;
};

/* What its kind pairs, by section. */
typedef enum status put_fn(struct output *out, const struct section *s, const void *result,
			   const struct cmd_options *o, struct error *e);

static enum status put_paired(struct output *out, const struct comparing *c, put_fn *put,
			      struct error *e)
{
	enum status status = STATUS_OK;

	for (const struct section *s = c->pairing ? c->pairing->sections : NULL;
	     !status && s && s->key; s++)
		if (c->o->json ? !s->derived : !s->hidden)
			status = put(out, s, c->paired, c->o, e);
	return status;
}

static enum status put_json_section(struct output *out, const struct section *s,
				    const void *result, const struct cmd_options *o, struct error *e)
{
	return output_json_section(out, s, result, o->limit, e);
}

static enum status put_table(struct output *out, const struct section *s, const void *result,
			     const struct cmd_options *o, struct error *e)
{
	const struct output_table how = {.limit = o->limit != UINT64_MAX ? o->limit : OUTPUT_LINES,
					 .columns = o->wide ? 0 : OUTPUT_COLUMNS};

	return s->rows(result) ? output_table(out, s, result, &how, e) : STATUS_OK;
}

static enum status put_json(struct output *out, const struct comparing *c, struct error *e)
{
	struct json *w = &out->json;
	enum status status;

	json_object(w);
	for (int s = 0; s < COMPARE_SIDES; s++) {
		json_key(w, s == METRIC_A ? "a" : "b");
		json_object(w);
		compare_json_side(w, c->o->files.data[s], c->sides[s]);
		json_object_end(w);
	}
	status = put_json_section(out, &metric_pair_section, &c->m, c->o, e);
	if (!status)
		status = put_paired(out, c, put_json_section, e);
	json_object_end(w);
	sbuf_putc(&out->text, '\n');
	return status;
}

/* With how long each took, where ticks are of time or cycles. */
static void text_summary(struct output *out, const struct comparing *c)
{
	for (int s = 0; s < COMPARE_SIDES; s++) {
		const char *name = c->o->files.data[s], *unit = c->sides[s]->format.unit;
		const int64_t ticks = (int64_t)interval_ticks(&c->over[s]);
		char time[40] = "", number[32];

		if (!num_time(ticks, unit, time) && strcmp(unit, "cycle") == 0)
			snprintf(time, sizeof(time), "%s cycles", num_group(ticks, number));
		sbuf_printf(&out->text, "%c ", s == METRIC_A ? 'A' : 'B');
		output_cell(out, name, strlen(name), OUTPUT_COLUMNS - 4 - (int)strlen(time), false);
		sbuf_printf(&out->text, "%s%s\n", *time ? "  " : "", time);
	}
	metric_pairs_sum_up(&c->m, &out->text);
	sbuf_puts(&out->text, c->sides[0]->kind->means
				  ? "\nsorted by B - A as a share of A's total of the metric\n"
				  : "\n");
}

static enum status put_text(struct output *out, const struct comparing *c, struct error *e)
{
	enum status status;

	text_summary(out, c);
	status = put_paired(out, c, put_table, e);
	return status ? status : put_table(out, &metric_pair_section, &c->m, c->o, e);
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

/* What the kind of both is paired by. */
static enum status pair_up(struct comparing *c, struct error *e)
{
	const struct question q = {.beside = c->sides[METRIC_B]};
	const struct answer *const *p = pairings;

	while (*p && (*p)->kind != c->sides[0]->kind)
		p++;
	c->pairing = *p;
	if (!c->pairing)
		return STATUS_OK;
	c->paired = calloc(1, c->pairing->size);
	return c->paired ? c->pairing->make(c->paired, c->sides[METRIC_A], &q, e)
			 : error_set(e, STATUS_NOMEM, "out of memory");
}

enum status compare_metrics(struct trace *const sides[COMPARE_SIDES], const struct cmd_options *o,
			    struct output *out, struct error *e)
{
	const bool part = o->from || o->to || o->by_metrics;
	struct comparing c = {.sides = sides, .o = o};
	enum status status;

	if (o->pair.given || o->by != ALIGN_BY_COMMIT || (part && !sides[0]->kind->means))
		return error_set(e, STATUS_USAGE,
				 "compare: --from, --to, --by and --pair need instructions");
	status = ranges(sides, o, c.over, e);
	if (status)
		return status;
	if (!metric_pairs_make(&c.m, sides, c.over, !o->json && !o->csv))
		status = error_set(e, STATUS_NOMEM, "not enough memory to compare the traces");
	else if (!o->csv && !part) /* of all of both */
		status = pair_up(&c, e);
	if (!status)
		status = o->csv ? output_csv(out, &metric_pair_section, &c.m, o->limit, e)
			 : o->json ? put_json(out, &c, e)
				   : put_text(out, &c, e);
	metric_pairs_free(&c.m);
	if (c.paired)
		c.pairing->free(c.paired);
	return status;
}
