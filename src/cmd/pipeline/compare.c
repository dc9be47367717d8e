#include "config.h"

#include "analysis/pipeline/compare_table.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "cmd/cmd.h"
#include "cmd/pipeline/open.h"

enum { LINES = 6, LINES_OF_MANY = 12 }; /* of a list, so that all of it is one screen */

/* The traces, as options of commands that take one. */
struct sides {
	int runs;
	struct cmd_options options[RUNS_MOST];
	struct store *store[RUNS_MOST];
	struct totals totals[RUNS_MOST];
	struct progress progress[RUNS_MOST];
	struct aligned al;
	struct compare costs[RUNS_MOST]; /* [k], k > 0: of A and run k */
	struct compare_table table;
};

static enum status open_sides(struct sides *x, const struct cmd_options *o, struct output *out,
			      struct error *e)
{
	for (; (size_t)x->runs < o->files.count; x->runs++) {
		int run = x->runs;
		enum status status;

		x->options[run] = *o;
		x->options[run].files.data = o->files.data + run;
		x->options[run].files.count = 1;
		status = open_store(&x->store[run], &x->options[run], out, e);
		if (status)
			return status;
		store_totals(x->store[run], &x->totals[run]);
		store_progress(x->store[run], &x->progress[run]);
	}
	return STATUS_OK;
}

static void close_sides(struct sides *x)
{
	compare_table_free(&x->table);
	for (int run = RUN_B; run < x->runs; run++)
		compare_free(&x->costs[run]);
	aligned_free(&x->al);
	for (int run = RUN_A; run < x->runs; run++)
		store_close(x->store[run]);
}

/* What A is charged, and what another run is. */
static const struct compare *costs_of(const struct sides *x, int run, int *side)
{
	*side = run == RUN_A ? ALIGN_A : ALIGN_B;
	return &x->costs[run == RUN_A ? RUN_B : run];
}

static void json_count(struct json *w, const char *key, uint64_t count)
{
	json_key(w, key);
	json_uint(w, count);
}

/* What info says of it, in short. */
static void json_side(struct json *w, const struct sides *x, int run)
{
	const struct progress *p = &x->progress[run];
	const struct totals *t = &x->totals[run];
	char letter[] = {(char)tolower(run_letter(run)), '\0'};

	json_key(w, letter);
	json_object(w);
	json_key(w, "file");
	json_string(w, x->options[run].files.data[0]);
	json_key(w, "format");
	json_string(w, store_format(x->store[run])->name);
	json_key(w, "unit");
	json_string(w, store_unit(x->store[run]));
	json_key(w, "first");
	p->first <= p->last ? json_int(w, p->first) : json_null(w);
	json_key(w, "last");
	p->first <= p->last ? json_int(w, p->last) : json_null(w);
	json_count(w, "instructions", t->instructions);
	json_count(w, "committed", t->fates[FATE_COMMITTED]);
	json_count(w, "squashed", t->fates[FATE_SQUASHED]);
	json_object_end(w);
}

/* "cycles_a"; what is said of a pair has the other's letter, and B's none: "matched", "matched_c".
 */
static void json_key_of(struct json *w, const char *name, int run, bool pair)
{
	char key[40];

	snprintf(key, sizeof(key), pair && run == RUN_B ? "%s" : "%s_%c", name,
		 tolower(run_letter(run)));
	json_key(w, key);
}

static void json_row(struct json *w, int run, uint64_t row)
{
	json_key_of(w, "row", run, false);
	row == ROW_NONE ? json_null(w) : json_uint(w, row);
}

static void json_difference(struct json *w, int run, const struct difference *d)
{
	json_key_of(w, "first_difference", run, true);
	if (d->kinds == 0) {
		json_null(w);
		return;
	}
	json_object(w);
	json_row(w, RUN_A, d->row[ALIGN_A]);
	json_row(w, run, d->row[ALIGN_B]);
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
	struct json *w = &out->json;
	enum status status;

	json_object(w);
	for (int run = RUN_A; run < x->runs; run++)
		json_side(w, x, run);
	json_key(w, "by");
	json_string(w, align_by_names[x->costs[RUN_B].al->by]);
	for (int run = RUN_B; run < x->runs; run++) {
		const struct compare *r = &x->costs[run];

		json_key_of(w, "key", run, true);
		json_string(w, align_key_names[r->al->key]);
		json_key_of(w, "matched", run, true);
		json_uint(w, r->matched);
		json_difference(w, run, &r->first);
	}
	for (int run = RUN_A; run < x->runs; run++) {
		int side;
		const struct compare *r = costs_of(x, run, &side);

		json_key_of(w, "cycles", run, false);
		json_int(w, r->cycles[side]);
		json_key_of(w, "instructions", run, false);
		json_uint(w, r->steps[side]);
	}
	status = output_json_section(out, &x->table.stage_list, &x->table, UINT64_MAX, e);
	if (!status)
		status = output_json_section(out, &x->table.pcs, &x->table, limit, e);
	json_object_end(w);
	sbuf_putc(&out->text, '\n');
	return status;
}

static void text_file(struct output *out, const struct sides *x, int run)
{
	const char *name = x->options[run].files.data[0];

	sbuf_printf(&out->text, "%c ", run_letter(run));
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

/* Of two runs one line each; of more a line for each run. */
static void text_two(struct output *out, const struct compare *r)
{
	sbuf_printf(&out->text, "%-14s %12s %12s %12s\n", "", "A", "B", "B - A");
	text_change(out, "cycles", r->cycles[ALIGN_A], r->cycles[ALIGN_B]);
	text_change(out, "instructions", (int64_t)r->steps[ALIGN_A], (int64_t)r->steps[ALIGN_B]);
	text_change(out, "committed rows", (int64_t)r->rows[ALIGN_A], (int64_t)r->rows[ALIGN_B]);
}

static void text_many(struct output *out, const struct sides *x)
{
	sbuf_printf(&out->text, "  %14s %14s %14s %8s %14s\n", "cycles", "instructions",
		    "committed rows", "IPC", "against A");
	for (int run = RUN_A; run < x->runs; run++) {
		int side;
		const struct compare *r = costs_of(x, run, &side);
		int64_t cycles = r->cycles[side], of_a = r->cycles[ALIGN_A];

		sbuf_printf(&out->text, "%c %14" PRId64 " %14" PRIu64 " %14" PRIu64,
			    run_letter(run), cycles, r->steps[side], r->rows[side]);
		if (cycles > 0)
			sbuf_printf(&out->text, " %8.3f", (double)r->steps[side] / (double)cycles);
		if (cycles > 0 && of_a > 0 && run != RUN_A)
			sbuf_printf(&out->text, " %+12.1f %%",
				    100.0 * ((double)cycles - (double)of_a) / (double)of_a);
		sbuf_putc(&out->text, '\n');
	}
}

static void text_row(struct sbuf *out, int run, uint64_t row)
{
	if (row != ROW_NONE)
		sbuf_printf(out, " %c row %" PRIu64, run_letter(run), row);
}

static void text_pair(struct sbuf *out, const struct sides *x, int run)
{
	const struct compare *r = &x->costs[run];
	const struct difference *d = &r->first;
	const char *clipped = r->al->diff.clipped     ? " (a lower bound: too many stretches)"
			      : align_is_bound(r->al) ? " (a lower bound: too many texts)"
						      : "";

	if (x->runs == RUNS_LEAST)
		sbuf_printf(out, "matched %" PRIu64 " committed rows by %s, %s%s\nfirst difference",
			    r->matched, align_by_names[r->al->by], align_key_names[r->al->key],
			    clipped);
	else
		sbuf_printf(out, "%c matches %" PRIu64 " rows by %s, %s%s; first difference",
			    run_letter(run), r->matched, align_by_names[r->al->by],
			    align_key_names[r->al->key], clipped);
	if (d->kinds == 0)
		sbuf_puts(out, ": none");
	text_row(out, RUN_A, d->row[ALIGN_A]);
	text_row(out, run, d->row[ALIGN_B]);
	for (int k = 0, n = 0; k < DIFFERENCE_COUNT; k++)
		if (d->kinds >> k & 1)
			sbuf_printf(out, "%s%s", n++ ? ", " : ": ", difference_names[k]);
	sbuf_putc(out, '\n');
}

static void text_summary(struct output *out, const struct sides *x)
{
	for (int run = RUN_A; run < x->runs; run++)
		text_file(out, x, run);
	if (x->runs == RUNS_LEAST)
		text_two(out, &x->costs[RUN_B]);
	else
		text_many(out, x);
	for (int run = RUN_B; run < x->runs; run++)
		text_pair(&out->text, x, run);
}

static enum status put_text(struct output *out, struct sides *x, const struct cmd_options *o,
			    struct error *e)
{
	static const enum compare_list of_two[] = {COMPARE_LIST_LOST, COMPARE_LIST_GAINED};
	static const enum compare_list of_many[] = {COMPARE_LIST_CHANGED};
	bool two = x->runs == RUNS_LEAST;
	int columns = o->wide ? 0 : OUTPUT_COLUMNS;
	struct output_table all = {.limit = UINT64_MAX, .columns = columns};
	struct output_table some = {.limit = o->limit != UINT64_MAX ? o->limit
					     : two                  ? LINES
								    : LINES_OF_MANY,
				    .columns = columns};
	enum status status;

	text_summary(out, x);
	status = output_table(out, &x->table.part_list, &x->table, &all, e);
	for (size_t i = 0; !status && i < (two ? 2 : 1); i++) {
		compare_table_list(&x->table, (two ? of_two : of_many)[i]);
		if (x->table.shown)
			status = output_table(out, &x->table.people, &x->table, &some, e);
	}
	return status;
}

static enum status make_costs(struct sides *x, const struct cmd_options *o, struct error *e)
{
	struct compare_range range = {o->from, o->to != TICK_UNSET ? o->to : TICK_NONE};
	bool whole = o->from == TICK_UNSET && o->to == TICK_UNSET;
	const struct compare *with[RUNS_MOST] = {NULL};

	for (int run = RUN_B; run < x->runs; run++) {
		enum status status =
		    compare_new(&x->costs[run], &x->al.with[run], whole ? NULL : &range, NULL, e);

		if (status)
			return status;
		with[run] = &x->costs[run];
	}
	if (!compare_table_new(&x->table, with, x->runs, o->wide))
		return error_set(e, STATUS_NOMEM, "not enough memory to compare the traces");
	return STATUS_OK;
}

/* At the same time nothing may have happened in both. */
static void note_apart(const struct sides *x, struct output *out)
{
	for (int run = RUN_B; run < x->runs; run++) {
		const struct align *al = &x->al.with[run];
		const struct progress *a = &x->progress[RUN_A], *b = &x->progress[run];

		if (al->by != ALIGN_BY_CYCLE || align_pairs(al) || a->first > a->last ||
		    b->first > b->last)
			continue;
		if (align_time(al, ALIGN_A, a->last) < align_time(al, ALIGN_B, b->first) ||
		    align_time(al, ALIGN_B, b->last) < align_time(al, ALIGN_A, a->first))
			output_note(out, NULL,
				    "A and %c have no cycle in common: --by start counts from the "
				    "first one of each",
				    run_letter(run));
	}
}

static enum status compare_sides(struct sides *x, const struct cmd_options *o, struct output *out,
				 struct error *e)
{
	struct aligned_options options = {.by = o->by};
	enum status status;

	if (o->pair.count) {
		options.by = ALIGN_BY_PAIR;
		memcpy(options.row, o->pair.row, sizeof(options.row));
	}
	status = aligned_new(&x->al, x->store, x->runs, &options, NULL, e);
	if (status)
		return status;
	note_apart(x, out);
	status = make_costs(x, o, e);
	if (status)
		return status;
	if (o->json)
		return put_json(out, x, o->limit, e);
	if (o->csv)
		return output_csv(out, &x->table.pcs, &x->table, o->limit, e);
	return put_text(out, x, o, e);
}

enum status cmd_compare(const struct cmd_options *o, struct output *out, struct error *e)
{
	struct sides *x;
	int64_t from, to;
	enum status status;

	if (o->files.count < RUNS_LEAST)
		return error_set(e, STATUS_USAGE,
				 "compare: two files or more, please: A and B, C, ...");
	if (o->pair.count && (size_t)o->pair.count != o->files.count)
		return error_set(e, STATUS_USAGE,
				 "compare: --pair wants a row of each of the %zu "
				 "files",
				 o->files.count);
	x = xcalloc(1, sizeof(*x));
	status = open_sides(x, o, out, e);
	if (!status)
		status = open_range(trace_of_store(x->store[RUN_A]), o, &from, &to, e);
	if (!status)
		status = compare_sides(x, o, out, e);
	for (int run = RUN_A; run < x->runs && !status; run++)
		open_note_warnings(trace_of_store(x->store[run]), &x->options[run], out);
	close_sides(x);
	free(x);
	return status;
}
