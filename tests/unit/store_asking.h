/*
 * Every question that can be put to a store, put once, and the answers as one number: so two
 * stores that should know the same can be compared, and one made of nonsense is shaken as a
 * whole. However many rows a store claims, only some of them are asked for.
 */
#ifndef PIPEGLASS_TESTS_STORE_ASKING_H
#define PIPEGLASS_TESTS_STORE_ASKING_H

#include <stdlib.h>
#include <string.h>

#include "pipeline/store.h"

enum { ASKED_ROWS = 1500, ASKED_LINES = 9, ASKED_COLUMNS = 13, ASKED_LINKS = 8 };

struct asking {
	struct store *s;
	uint64_t told; /* hash of the answers so far */
	uint64_t rows;
	int64_t first, last;
};

static inline void told(struct asking *a, const void *p, size_t len)
{
	const unsigned char *b = p;

	for (size_t i = 0; i < len; i++)
		a->told = (a->told ^ b[i]) * UINT64_C(0x100000001b3);
}

static inline void told_number(struct asking *a, uint64_t v)
{
	told(a, &v, sizeof(v));
}

static inline void ask_row(struct asking *a, const struct row *r)
{
	const char *text;
	uint64_t pc;
	bool has_pc;
	size_t len;

	told_number(a, r->row);
	told_number(a, (uint64_t)r->start);
	told_number(a, (uint64_t)r->end);
	told_number(a, r->parent);
	told_number(a, (uint64_t)r->events << 32 | (unsigned)r->fate << 16 |
			   (unsigned)r->dominant << 8 | r->micro_op);
	if (store_code(a->s, r->code, &pc, &has_pc, &text, &len)) {
		told_number(a, pc);
		told(a, text, len);
	}
}

static inline void ask_rows(struct asking *a, uint64_t first)
{
	struct row *rows = malloc(ASKED_ROWS * sizeof(*rows));
	size_t n = rows ? store_rows(a->s, first, ASKED_ROWS, rows) : 0;

	told_number(a, n);
	for (size_t i = 0; i < n; i++)
		ask_row(a, &rows[i]);
	free(rows);
}

static inline void told_link(struct asking *a, const struct link *l)
{
	told_number(a, l->id);
	told_number(a, l->row);
	told_number(a, (uint64_t)l->tick);
	told_number(a, l->type);
}

/* Both ends' rows are among those of the store; looked up for a few. */
static inline void ask_links(struct asking *a, const struct detail *d)
{
	struct link found[ASKED_LINKS];
	struct error e;
	size_t n;

	for (size_t i = 0; i < d->count; i++) {
		const struct detail_row *r = &d->rows[i];

		told_number(a, r->far);
		for (uint32_t k = 0; k < r->links; k++)
			told_link(a, &d->links[r->link0 + k]);
		for (uint32_t k = 0; k < r->links && i < ASKED_LINKS; k++)
			told_number(a, store_link_row(a->s, &d->links[r->link0 + k], r->head.row));
		if (i >= ASKED_LINKS ||
		    store_consumers(a->s, r->head.row, found, ASKED_LINKS, &n, &e) != STATUS_OK)
			continue;
		for (size_t k = 0; k < n; k++) {
			told_link(a, &found[k]);
			if (found[k].row != ROW_NONE && found[k].row >= store_row_count(a->s))
				abort();
		}
	}
}

static inline void ask_details(struct asking *a, uint64_t first)
{
	struct detail d = {0};
	struct error e;

	if (store_detail(a->s, first, ASKED_ROWS, &d, &e) == STATUS_OK)
		for (size_t i = 0; i < d.count; i++) {
			told_number(a, d.rows[i].id);
			told_number(a, d.rows[i].offset);
			told_number(a, d.rows[i].line);
			told(a, sbuf_text(&d.text) + d.rows[i].text0, d.rows[i].text_len);
			for (uint32_t k = 0; k < d.rows[i].stays; k++) {
				const struct stay *s = &d.stays[d.rows[i].stay0 + k];

				told_number(a, (uint64_t)s->start);
				told_number(a, (uint64_t)s->end);
				told_number(a, s->stage | (uint64_t)s->events << 16);
			}
		}
	ask_links(a, &d);
	detail_free(&d);
}

static inline bool told_line(void *arg, uint64_t offset, int64_t tick, const char *line, size_t len)
{
	told_number(arg, offset);
	told_number(arg, (uint64_t)tick);
	told(arg, line, len);
	return true;
}

static inline void ask_picture(struct asking *a, const struct filter *f, uint64_t row, int row_zoom,
			       int tick_zoom)
{
	struct picture_cell cells[ASKED_LINES * ASKED_COLUMNS];
	struct picture_request q = {.filter = f,
				    .row0 = row >> row_zoom << row_zoom,
				    .tick0 = a->first,
				    .row_zoom = row_zoom,
				    .tick_zoom = tick_zoom,
				    .lines = ASKED_LINES,
				    .columns = ASKED_COLUMNS};
	struct error e;
	bool exact;

	if (store_picture(a->s, &q, cells, &exact, &e) != STATUS_OK)
		return;
	for (int i = 0; i < ASKED_LINES * ASKED_COLUMNS; i++) {
		told_number(a, cells[i].stages);
		told_number(a, cells[i].events);
		told_number(a, cells[i].stage | (uint64_t)cells[i].fates << 8);
	}
}

static inline void ask_pictures(struct asking *a, const struct filter *f)
{
	uint64_t n = f ? filter_count(f) : a->rows, ticks = (uint64_t)a->last - (uint64_t)a->first;
	int row_fit = 0, tick_fit = 0;

	while (row_fit < 50 && (uint64_t)ASKED_LINES << row_fit < n)
		row_fit++;
	while (tick_fit < 50 && (uint64_t)ASKED_COLUMNS << tick_fit <= ticks)
		tick_fit++;
	ask_picture(a, f, 0, row_fit, tick_fit);
	ask_picture(a, f, 0, row_fit / 2, tick_fit / 2);
	ask_picture(a, f, n / 2, 0, 0);
	ask_picture(a, f, n ? n - 1 : 0, row_fit > 2 ? row_fit - 2 : 0, tick_fit);
}

static inline void ask_curves(struct asking *a)
{
	struct error e;
	double v[17];

	for (int kind = 0; kind < SERIES_COUNT; kind++)
		for (int whole = 0; whole < 2; whole++) {
			struct series q = {(enum series_kind)kind, 7, 0};
			bool exact = whole;

			if (kind == SERIES_STATISTIC && store_metric_count(a->s) == 0)
				continue;
			memset(v, 0, sizeof(v));
			if (store_series(a->s, &q, a->first, a->last, 17, v, &exact, &e) ==
			    STATUS_OK)
				told(a, v, sizeof(v));
		}
}

static inline void ask_finds(struct asking *a, const struct filter *f)
{
	for (int dir = -1; dir < 2; dir += 2) {
		uint64_t from = dir < 0 ? ROW_NONE : 0;
		int64_t x = 0, y = 0;

		told_number(a, store_find_event(a->s, 0, from, dir, f));
		told_number(a, store_find_event(a->s, EVENT_MAX - 1, a->rows / 2, dir, f));
		told_number(a, store_find_fate(a->s, FATE_LOST, from, dir, f));
		told_number(a, store_find_fate(a->s, FATE_UNKNOWN, a->rows / 2, dir, f));
		told_number(a, store_find_life(a->s, 40, from, dir, f));
		if (store_find_gap(a->s, 5, dir > 0 ? a->first : a->last, dir, &x, &y)) {
			told_number(a, (uint64_t)x);
			told_number(a, (uint64_t)y);
		}
	}
	told_number(a, store_find_id(a->s, 17, 0));
	told_number(a, store_find_id(a->s, UINT64_MAX, a->rows / 2));
}

static inline void ask_names(struct asking *a)
{
	struct metric_info m;
	struct warning w;
	struct totals t;
	uint64_t count;

	for (size_t i = 0; i < store_stage_count(a->s); i++)
		told(a, store_stage(a->s, i)->name, strlen(store_stage(a->s, i)->name));
	for (size_t i = 0; i < store_event_count(a->s); i++)
		told_number(a, store_event(a->s, i)->mask);
	for (size_t i = 0; i < store_metric_count(a->s); i++)
		if (store_metric(a->s, i, &m)) {
			told(a, m.name, strlen(m.name));
			told_number(a, m.samples);
		}
	for (size_t i = 0; i < store_note_count(a->s); i++) {
		store_note(a->s, i, &count);
		told_number(a, count);
	}
	told_number(a, store_warning_count(a->s));
	for (size_t i = 0; i < TRACE_WARNINGS && store_warning(a->s, i, &w); i++) {
		told_number(a, w.line);
		told_number(a, w.item);
		told(a, w.text, strlen(w.text));
	}
	store_totals(a->s, &t);
	told(a, &t, sizeof(t));
}

static inline void ask_filtered(struct asking *a)
{
	struct filter_spec spec = {.fates = 1u << FATE_COMMITTED | 1u << FATE_UNKNOWN};
	struct regex *r = NULL;
	struct filter *f = NULL;

	if (regex_new(&r, "q|e", NULL) != STATUS_OK)
		return;
	for (int text = 0; text < 2; text++) {
		spec.text = text ? r : NULL;
		if (filter_new(&f, a->s, &spec, NULL, NULL) != STATUS_OK)
			continue;
		told_number(a, filter_count(f));
		told_number(a, filter_row(f, filter_count(f) / 2));
		told_number(a, filter_rank(f, a->rows / 2));
		ask_pictures(a, f);
		ask_finds(a, f);
		filter_free(f);
	}
	regex_free(r);
}

/* The whole of it; a number that is the same for stores that know the same. */
static inline uint64_t ask_everything(struct store *s)
{
	struct asking a = {.s = s, .told = UINT64_C(0xcbf29ce484222325)};
	uint64_t from, to;
	struct progress p;
	struct error e;

	store_progress(s, &p);
	a.rows = store_row_count(s);
	a.first = p.first;
	a.last = p.last < p.first ? p.first : p.last;
	told_number(&a, a.rows);
	told_number(&a, (uint64_t)a.first);
	told_number(&a, (uint64_t)a.last);
	ask_names(&a);
	ask_rows(&a, 0);
	ask_rows(&a, a.rows > ASKED_ROWS ? a.rows - ASKED_ROWS + 7 : a.rows / 2);
	ask_details(&a, 0);
	ask_details(&a, a.rows - a.rows / 3);
	for (uint64_t row = 0; row < a.rows && row < 40; row += 13)
		store_row_lines(s, row, told_line, &a, &e);
	store_rows_alive(s, a.first + (a.last - a.first) / 2, a.last, &from, &to);
	told_number(&a, from);
	told_number(&a, to);
	told_number(&a, store_row_born_at(s, a.first + (a.last - a.first) / 2));
	ask_pictures(&a, NULL);
	ask_curves(&a);
	ask_finds(&a, NULL);
	ask_filtered(&a);
	return a.told;
}

#endif
