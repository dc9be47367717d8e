#include "config.h"

#include "pipeline/queries/detail_private.h"

#include <stdlib.h>
#include <string.h>

/* A stay in commit has no length, whenever the removal comes. */
void detail_close_stay(const struct rereading *r, struct found_stay *f, int64_t tick)
{
	bool commit = store_stage(r->s, f->stay.stage)->role == ROLE_COMMIT;

	f->stay.end = commit ? f->stay.start : tick;
	f->open = false;
}

/* Stays by row, in order; those still open end with their row. d->stays is not NULL then. */
static bool gather_stays(struct rereading *r, uint32_t *place)
{
	struct detail *d = r->d;
	uint32_t at = 0;

	if (r->found.count >= d->stay_cap) {
		struct stay *stays = realloc(d->stays, (r->found.count + 1) * sizeof(*stays));

		if (!stays)
			return false;
		d->stays = stays;
		d->stay_cap = r->found.count + 1;
	}
	for (size_t i = 0; i < d->count; i++) {
		d->rows[i].stay0 = at;
		at += d->rows[i].stays;
		d->rows[i].stays = 0;
	}
	for (size_t i = 0; i < r->found.count; i++) {
		struct found_stay *f = &r->found.data[i];
		struct detail_row *row = &d->rows[f->row];

		if (f->open && d->clipped && r->tick < row->head.end)
			detail_close_stay(r, f, r->tick);
		else if (f->open)
			detail_close_stay(r, f, row->head.end);
		place[i] = row->stay0 + row->stays++;
		d->stays[place[i]] = f->stay;
	}
	d->stay_count = r->found.count;
	return true;
}

/* Backslash and n stand for a newline in labels; a row's text is one line: there for a blank. */
static void add_label(struct sbuf *out, const char *p, size_t len, bool one_line)
{
	const char *end = p + len, *from = p;

	while ((p = memchr(p, '\\', (size_t)(end - p)))) {
		bool newline = p + 1 < end && p[1] == 'n', tab = p + 1 < end && p[1] == 't';

		p++;
		if (!newline && !tab)
			continue;
		sbuf_add(out, from, (size_t)(p - 1 - from));
		sbuf_putc(out, !newline ? '\t' : one_line ? ' ' : '\n');
		from = ++p;
	}
	sbuf_add(out, from, (size_t)(end - from));
}

/* The number of a text: two of each row, its own and its detail, then one of each stay. */
static size_t text_of(const struct rereading *r, const struct found_text *t, const uint32_t *place)
{
	return t->kind == LABEL_STAGE ? r->d->count * 2 + place[t->stay]
				      : (size_t)t->row * 2 + (t->kind == LABEL_DETAIL);
}

/*
 * Pieces of the same text chained in their order; first: of each text. From the last piece on, as
 * each comes before those that were chained already.
 */
static void chain_pieces(struct rereading *r, const uint32_t *place, uint32_t *first)
{
	for (size_t i = r->texts.count; i-- > 0;) {
		struct found_text *t = &r->texts.data[i];
		uint32_t *head = &first[text_of(r, t, place)];

		t->next = *head;
		*head = (uint32_t)i;
	}
}

/* Labels of one kind follow each other. */
static void join_pieces(struct rereading *r, uint32_t i, uint32_t *at, uint32_t *len)
{
	struct sbuf *out = &r->d->text;

	*at = (uint32_t)out->len;
	while (i != NOWHERE) {
		const struct found_text *t = &r->texts.data[i];
		const char *words = r->words.text + t->at;

		if (out->len > *at && t->between)
			sbuf_putc(out, t->between);
		if (r->s->reader->births_needed)
			add_label(out, words, t->len, t->kind == LABEL_TEXT);
		else
			sbuf_add(out, words, t->len);
		i = t->next;
	}
	*len = (uint32_t)(out->len - *at);
}

/*
 * Each text is written once, however the labels of rows and stays alternate: O(text), where moving
 * a text to the end whenever it grows would copy it for each of its labels.
 */
static bool gather_texts(struct rereading *r, const uint32_t *place)
{
	struct detail *d = r->d;
	size_t texts = d->count * 2 + d->stay_count;
	uint32_t *first = malloc((texts + 1) * sizeof(*first));

	if (!first)
		return false;
	for (size_t i = 0; i < texts; i++)
		first[i] = NOWHERE;
	if (!r->words.failed)
		chain_pieces(r, place, first);
	for (size_t i = 0; i < d->count; i++) {
		struct detail_row *row = &d->rows[i];

		join_pieces(r, first[i * 2], &row->text0, &row->text_len);
		join_pieces(r, first[i * 2 + 1], &row->note0, &row->note_len);
		while (row->note_len && d->text.text[row->note0 + row->note_len - 1] == '\n')
			row->note_len--;
	}
	for (size_t i = 0; i < d->stay_count; i++)
		join_pieces(r, first[d->count * 2 + i], &d->stays[i].note0, &d->stays[i].note_len);
	free(first);
	return !d->text.failed && !r->words.failed;
}

enum { NEAR_ROWS = 64 };

/* Most producers stand near their consumers; farther ones are the index's to find. */
static uint64_t row_of_id(const struct detail *d, uint64_t id, size_t from)
{
	for (size_t i = from + 1; i-- > 0 && d->rows[i].id >= id && from - i < NEAR_ROWS;)
		if (d->rows[i].id == id)
			return d->rows[i].head.row;
	return ROW_NONE;
}

static bool gather_links(struct rereading *r)
{
	struct detail *d = r->d;
	struct link *links = realloc(d->links, (r->links.count + 1) * sizeof(*links));
	uint32_t at = 0;

	if (!links)
		return false;
	d->links = links;
	d->link_count = r->links.count;
	for (size_t i = 0; i < d->count; i++) {
		d->rows[i].link0 = at;
		at += d->rows[i].links;
		d->rows[i].links = 0;
	}
	for (size_t i = 0; i < r->links.count; i++) {
		struct detail_row *row = &d->rows[r->links.data[i].row];
		struct link *link = &links[row->link0 + row->links++];

		*link = r->links.data[i].link;
		if (!r->s->reader->lex_rows)
			link->row = row_of_id(d, link->id, r->links.data[i].row);
	}
	return true;
}

bool detail_gather(struct rereading *r)
{
	uint32_t *place = malloc((r->found.count + 1) * sizeof(*place));
	bool ok = place && gather_stays(r, place) && gather_links(r) && gather_texts(r, place);

	free(place);
	return ok;
}
