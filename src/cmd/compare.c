#include "config.h"

#include "analysis/compare.h"

#include <inttypes.h>
#include <string.h>

#include "base/num.h"
#include "cmd/cmd.h"
#include "cmd/open.h"

enum { LINES = 6 }; /* of each list, so that all of it is one screen */

/* The two traces, as options of commands that take one. */
struct sides {
	struct cmd_options options[ALIGN_SIDES];
	struct store *store[ALIGN_SIDES];
	struct totals totals[ALIGN_SIDES];
	struct progress progress[ALIGN_SIDES];
};

static enum status open_sides(struct sides *x, const struct cmd_options *o, struct output *out,
			      struct error *e)
{
	enum status status = STATUS_OK;

	for (size_t s = 0; s < ALIGN_SIDES && !status; s++) {
		x->options[s] = *o;
		x->options[s].files.data = o->files.data + s;
		x->options[s].files.count = 1;
		status = open_trace(&x->store[s], &x->options[s], out, e);
		if (status) {
			x->store[s] = NULL; /* given back */
			break;
		}
		store_totals(x->store[s], &x->totals[s]);
		store_progress(x->store[s], &x->progress[s]);
	}
	return status;
}

static void close_sides(struct sides *x)
{
	for (int s = 0; s < ALIGN_SIDES; s++)
		if (x->store[s])
			store_close(x->store[s]);
}

static void json_count(struct json *w, const char *key, uint64_t count)
{
	json_key(w, key);
	json_uint(w, count);
}

/* What info says of it, in short. */
static void json_side(struct json *w, const struct sides *x, int side)
{
	const struct progress *p = &x->progress[side];
	const struct totals *t = &x->totals[side];

	json_object(w);
	json_key(w, "file");
	json_string(w, x->options[side].files.data[0]);
	json_key(w, "format");
	json_string(w, store_format(x->store[side])->name);
	json_key(w, "unit");
	json_string(w, store_unit(x->store[side]));
	json_key(w, "first");
	p->first <= p->last ? json_int(w, p->first) : json_null(w);
	json_key(w, "last");
	p->first <= p->last ? json_int(w, p->last) : json_null(w);
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

static enum status put_json(struct output *out, const struct sides *x, const struct compare *r,
			    struct error *e)
{
	struct json *w = &out->json;
	enum status status;

	json_object(w);
	json_key(w, "a");
	json_side(w, x, ALIGN_A);
	json_key(w, "b");
	json_side(w, x, ALIGN_B);
	json_key(w, "by");
	json_string(w, align_by_names[r->al->by]);
	json_key(w, "key");
	json_string(w, align_key_names[r->al->key]);
	json_count(w, "matched", r->matched);
	json_difference(w, &r->first);
	json_key(w, "cycles_a");
	json_int(w, r->cycles[ALIGN_A]);
	json_key(w, "cycles_b");
	json_int(w, r->cycles[ALIGN_B]);
	status = output_json_section(out, &compare_stages, r, e);
	if (!status)
		status = output_json_section(out, &compare_pcs, r, e);
	json_object_end(w);
	sbuf_putc(&out->text, '\n');
	return status;
}

static void text_file(struct output *out, const struct sides *x, int side)
{
	const char *name = x->options[side].files.data[0];

	sbuf_puts(&out->text, side == ALIGN_A ? "A " : "B ");
	output_cell(out, name, strlen(name), OUTPUT_COLUMNS - 2, false);
	sbuf_putc(&out->text, '\n');
}

static void text_change(struct output *out, const char *what, int64_t a, int64_t b)
{
	sbuf_printf(&out->text, "%-14s %12" PRId64 " %12" PRId64 " %+12" PRId64, what, a, b, b - a);
	if (a > 0)
		sbuf_printf(&out->text, " %+8.1f %%", 100.0 * ((double)b - (double)a) / (double)a);
	sbuf_putc(&out->text, '\n');
}

static void text_row(struct sbuf *out, const char *side, uint64_t row)
{
	if (row != ROW_NONE)
		sbuf_printf(out, " %s row %" PRIu64, side, row);
}

static void text_difference(struct sbuf *out, const struct difference *d)
{
	sbuf_puts(out, "first difference");
	if (d->kinds == 0)
		sbuf_puts(out, ": none");
	text_row(out, "A", d->row[ALIGN_A]);
	text_row(out, "B", d->row[ALIGN_B]);
	for (int k = 0, n = 0; k < DIFFERENCE_COUNT; k++)
		if (d->kinds >> k & 1)
			sbuf_printf(out, "%s%s", n++ ? ", " : ": ", difference_names[k]);
	sbuf_putc(out, '\n');
}

static void text_summary(struct output *out, const struct sides *x, const struct compare *r)
{
	text_file(out, x, ALIGN_A);
	text_file(out, x, ALIGN_B);
	sbuf_printf(&out->text, "%-14s %12s %12s %12s\n", "", "A", "B", "B - A");
	text_change(out, "cycles", r->cycles[ALIGN_A], r->cycles[ALIGN_B]);
	text_change(out, "instructions", (int64_t)r->steps[ALIGN_A], (int64_t)r->steps[ALIGN_B]);
	text_change(out, "committed rows", (int64_t)r->rows[ALIGN_A], (int64_t)r->rows[ALIGN_B]);
	sbuf_printf(&out->text, "matched %" PRIu64 " committed rows by %s, %s%s\n", r->matched,
		    align_by_names[r->al->by], align_key_names[r->al->key],
		    r->al->diff.clipped ? " (a lower bound: too many stretches)" : "");
	text_difference(&out->text, &r->first);
}

static enum status put_text(struct output *out, const struct sides *x, const struct compare *r,
			    const struct cmd_options *o, struct error *e)
{
	const struct section *lists[] = {o->wide ? &compare_lost_wide : &compare_lost,
					 o->wide ? &compare_gained_wide : &compare_gained};
	int columns = o->wide ? 0 : OUTPUT_COLUMNS;
	struct output_table all = {.limit = UINT64_MAX, .columns = columns};
	struct output_table some = {.limit = o->limit != UINT64_MAX ? o->limit : LINES,
				    .columns = columns};
	enum status status;

	text_summary(out, x, r);
	status = output_table(out, &compare_parts, r, &all, e);
	for (size_t i = 0; !status && i < sizeof(lists) / sizeof(lists[0]); i++)
		if (lists[i]->rows(r))
			status = output_table(out, lists[i], r, &some, e);
	return status;
}

static enum status compare_sides(const struct sides *x, const struct cmd_options *o,
				 struct output *out, struct error *e)
{
	struct align_options options = {.by = o->by, .row = {o->pair.a, o->pair.b}};
	struct compare_range range = {o->from, o->to != TICK_UNSET ? o->to : TICK_NONE};
	bool whole = o->from == TICK_UNSET && o->to == TICK_UNSET;
	struct align al;
	struct compare r;
	enum status status;

	if (o->pair.a != ROW_NONE)
		options.by = ALIGN_BY_PAIR;
	status = align_new(&al, x->store[ALIGN_A], x->store[ALIGN_B], &options, NULL, e);
	if (status)
		return status;
	status = compare_new(&r, &al, whole ? NULL : &range, NULL, e);
	if (!status) {
		if (o->json)
			status = put_json(out, x, &r, e);
		else if (o->csv)
			status = output_csv(out, &compare_pcs, &r, o->limit, e);
		else
			status = put_text(out, x, &r, o, e);
		compare_free(&r);
	}
	align_free(&al);
	return status;
}

enum status cmd_compare(const struct cmd_options *o, struct output *out, struct error *e)
{
	struct sides x = {.store = {NULL, NULL}};
	int64_t from, to;
	enum status status;

	if (o->files.count != ALIGN_SIDES)
		return error_set(e, STATUS_USAGE, "compare: two files, please: A and B");
	status = open_sides(&x, o, out, e);
	if (!status)
		status = open_range(x.store[ALIGN_A], o, &from, &to, e);
	if (!status)
		status = compare_sides(&x, o, out, e);
	for (int s = 0; s < ALIGN_SIDES && !status; s++)
		open_note_warnings(x.store[s], &x.options[s], out);
	close_sides(&x);
	return status;
}
