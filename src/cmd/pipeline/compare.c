#include "config.h"

#include "analysis/pipeline/compare_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "cmd/compare.h"
#include "cmd/pipeline/open.h"

_Static_assert((int)ALIGN_SIDES == (int)COMPARE_SIDES, "two sides");

enum { LINES = 6 }; /* of a list, so that all of it is one screen */

struct sides {
	const struct cmd_options *options;
	struct store *store[ALIGN_SIDES];
	struct totals totals[ALIGN_SIDES];
	struct progress progress[ALIGN_SIDES];
	struct align al;
	struct compare costs;
	struct compare_table table;
	struct why_compare why; /* of NULL: it is not known, or of a range */
};

static void take_sides(struct sides *x, struct trace *const traces[COMPARE_SIDES],
		       const struct cmd_options *o)
{
	x->options = o;
	for (int s = 0; s < ALIGN_SIDES; s++) {
		x->store[s] = store_of_trace(traces[s]);
		store_totals(x->store[s], &x->totals[s]);
		store_progress(x->store[s], &x->progress[s]);
	}
}

static void free_sides(struct sides *x)
{
	why_compare_free(&x->why);
	compare_table_free(&x->table);
	compare_free(&x->costs);
	align_free(&x->al);
}

static void json_count(struct json *w, const char *key, uint64_t count)
{
	json_key(w, key);
	json_uint(w, count);
}

/* What info says of it, in short. */
static void json_side(struct json *w, const struct sides *x, int side)
{
	const struct totals *t = &x->totals[side];

	json_key(w, side == ALIGN_A ? "a" : "b");
	json_object(w);
	compare_json_side(w, x->options->files.data[side], trace_of_store(x->store[side]));
	json_count(w, "instructions", t->instructions);
	json_count(w, "committed", t->fates[FATE_COMMITTED]);
	json_count(w, "squashed", t->fates[FATE_SQUASHED]);
	json_object_end(w);
}

static void json_row(struct json *w, const char *key, uint64_t row)
{
	json_key(w, key);
	row == ROW_NONE ? json_null(w) : json_uint(w, row);
}

static void json_difference(struct json *w, const struct difference *d)
{
	json_key(w, "first_difference");
	if (d->kinds == 0) {
		json_null(w);
		return;
	}
	json_object(w);
	json_row(w, "row_a", d->row[ALIGN_A]);
	json_row(w, "row_b", d->row[ALIGN_B]);
	json_key(w, "kinds");
	json_array(w);
	for (int k = 0; k < DIFFERENCE_COUNT; k++)
		if (d->kinds >> k & 1)
			json_string(w, difference_names[k]);
	json_array_end(w);
	json_object_end(w);
}

static enum status put_json(struct output *out, const struct sides *x, uint64_t limit,
			    struct error *e)
{
	const struct compare *r = &x->costs;
	struct json *w = &out->json;
	enum status status;

	json_object(w);
	for (int s = 0; s < ALIGN_SIDES; s++)
		json_side(w, x, s);
	json_key(w, "by");
	json_string(w, align_by_names[r->al->by]);
	json_key(w, "key");
	json_string(w, align_key_names[r->al->key]);
	json_count(w, "matched", r->matched);
	json_key(w, "matched_is_bound");
	json_bool(w, align_is_bound(r->al));
	json_key(w, "matched_is_estimate");
	json_bool(w, r->al->guessed);
	json_difference(w, &r->first);
	json_key(w, "cycles_a");
	json_int(w, r->cycles[ALIGN_A]);
	json_count(w, "instructions_a", r->steps[ALIGN_A]);
	json_key(w, "cycles_b");
	json_int(w, r->cycles[ALIGN_B]);
	json_count(w, "instructions_b", r->steps[ALIGN_B]);
	status = output_json_section(out, &x->table.stages, &x->table, UINT64_MAX, e);
	if (!status)
		status = output_json_section(out, &x->table.pcs, &x->table, limit, e);
	if (!status && x->why.of[ALIGN_A])
		status = output_json_section(out, why_two_sections, &x->why, UINT64_MAX, e);
	json_object_end(w);
	sbuf_putc(&out->text, '\n');
	return status;
}

static void text_file(struct output *out, const struct sides *x, int side)
{
	const char *name = x->options->files.data[side];

	sbuf_printf(&out->text, "%c ", align_letter(side));
	output_cell(out, name, strlen(name), OUTPUT_COLUMNS - 2, false);
	sbuf_putc(&out->text, '\n');
}

static void text_change(struct output *out, const char *what, int64_t a, int64_t b)
{
	char of_a[32], of_b[32], change[32], signed_change[33];

	snprintf(signed_change, sizeof(signed_change), "%s%s", b < a ? "" : "+",
		 num_group(b - a, change));
	sbuf_printf(&out->text, "%-14s %14s %14s %14s", what, num_group(a, of_a),
		    num_group(b, of_b), signed_change);
	if (a > 0)
		sbuf_printf(&out->text, " %+8.1f %%", 100.0 * ((double)b - (double)a) / (double)a);
	sbuf_putc(&out->text, '\n');
}

static void text_matched(struct sbuf *out, const struct compare *r)
{
	const struct difference *d = &r->first;
	char number[32];

	sbuf_printf(out, "matched %s committed rows by %s, %s%s\nfirst difference",
		    num_group((int64_t)r->matched, number), align_by_names[r->al->by],
		    align_key_names[r->al->key], align_caveat(r->al));
	if (d->kinds == 0)
		sbuf_puts(out, ": none");
	for (int s = 0; s < ALIGN_SIDES; s++)
		if (d->row[s] != ROW_NONE)
			sbuf_printf(out, " %c row %s", align_letter(s),
				    num_group((int64_t)d->row[s], number));
	for (int k = 0, n = 0; k < DIFFERENCE_COUNT; k++)
		if (d->kinds >> k & 1)
			sbuf_printf(out, "%s%s", n++ ? ", " : ": ", difference_names[k]);
	sbuf_putc(out, '\n');
}

static void text_summary(struct output *out, const struct sides *x)
{
	const struct compare *r = &x->costs;

	for (int s = 0; s < ALIGN_SIDES; s++)
		text_file(out, x, s);
	sbuf_printf(&out->text, "%-14s %14s %14s %14s\n", "", "A", "B", "B - A");
	text_change(out, "cycles", r->cycles[ALIGN_A], r->cycles[ALIGN_B]);
	text_change(out, "instructions", (int64_t)r->steps[ALIGN_A], (int64_t)r->steps[ALIGN_B]);
	text_change(out, "committed rows", (int64_t)r->rows[ALIGN_A], (int64_t)r->rows[ALIGN_B]);
	text_matched(&out->text, r);
}

/* What causes make of the difference. */
static enum status put_why(struct output *out, const struct sides *x,
			   const struct output_table *how, struct error *e)
{
	if (!x->why.of[ALIGN_A])
		return STATUS_OK;
	sbuf_putc(&out->text, '\n');
	why_pair_tell(&x->why, out);
	return output_table(out, why_two_sections, &x->why, how, e);
}

static enum status put_text(struct output *out, struct sides *x, const struct cmd_options *o,
			    struct error *e)
{
	static const enum compare_list lists[] = {COMPARE_LIST_LOST, COMPARE_LIST_GAINED};
	int columns = o->wide ? 0 : OUTPUT_COLUMNS;
	struct output_table all = {.limit = UINT64_MAX, .columns = columns};
	struct output_table some = {.limit = o->limit != UINT64_MAX ? o->limit : LINES,
				    .columns = columns};
	enum status status;

	text_summary(out, x);
	compare_table_hide_zero(&x->table);
	status = output_table(out, &x->table.part_list, &x->table, &all, e);
	if (!status)
		status = put_why(out, x, &all, e);
	for (size_t i = 0; !status && i < sizeof(lists) / sizeof(lists[0]); i++) {
		compare_table_list(&x->table, lists[i]);
		if (x->table.shown)
			status = output_table(out, &x->table.people, &x->table, &some, e);
	}
	return status;
}

/* They may have no instruction in common, or none at the same time. */
static void note_apart(const struct sides *x, struct output *out)
{
	const struct progress *a = &x->progress[ALIGN_A], *b = &x->progress[ALIGN_B];
	const struct align *al = &x->al;

	if (align_is_apart(al))
		output_note(out, NULL, ALIGN_APART);
	if (al->by != ALIGN_BY_CYCLE || align_pairs(al) || a->first > a->last || b->first > b->last)
		return;
	if (align_time(al, ALIGN_A, a->last) < align_time(al, ALIGN_B, b->first) ||
	    align_time(al, ALIGN_B, b->last) < align_time(al, ALIGN_A, a->first))
		output_note(out, NULL,
			    "A and B have no cycle in common: --by start counts from the "
			    "first cycle of each");
}

/* range: NULL is all. */
static enum status compare_sides(struct sides *x, const struct align_ticks *range,
				 const struct cmd_options *o, struct output *out, struct error *e)
{
	struct align_options options = {.by = o->pair.given ? ALIGN_BY_PAIR : o->by};
	enum status status;

	memcpy(options.row, o->pair.row, sizeof(options.row));
	status = align_new(&x->al, x->store[ALIGN_A], x->store[ALIGN_B], &options, NULL, e);
	if (status)
		return status;
	note_apart(x, out);
	status = compare_new(&x->costs, &x->al, range, NULL, e);
	if (status)
		return status;
	if (!compare_table_new(&x->table, &x->costs, o->wide))
		return error_set(e, STATUS_NOMEM, "not enough memory to compare the traces");
	if (!range && !o->csv)
		status = why_pair_new(&x->why, x->store, o, e);
	if (status && status != STATUS_INPUT) /* a format may have no run to explain */
		return status;
	if (o->json)
		return put_json(out, x, o->limit, e);
	if (o->csv)
		return output_csv(out, &x->table.pcs, &x->table, o->limit, e);
	return put_text(out, x, o, e);
}

enum status compare_items(struct trace *const sides[COMPARE_SIDES], const struct cmd_options *o,
			  struct output *out, struct error *e)
{
	struct sides x = {0};
	struct align_ticks range;
	enum status status = open_range(sides[ALIGN_A], o, &range.from, &range.to, e);

	if (status)
		return status;
	if (!o->from)
		range.from = INT64_MIN;
	if (!o->to)
		range.to = TICK_NONE;
	take_sides(&x, sides, o);
	status = compare_sides(&x, o->from || o->to ? &range : NULL, o, out, e);
	free_sides(&x);
	return status;
}
