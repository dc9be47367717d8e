#include "config.h"

#include "store/detail_private.h"

#include <stdlib.h>

/* A stay in commit has no length, whenever the removal comes. */
void detail_close_stay(const struct rereading *r, struct found_stay *f, int64_t tick)
{
	bool commit = store_stage(r->s, f->stay.stage)->role == ROLE_COMMIT;

	f->stay.end = commit ? f->stay.start : tick;
	f->open = false;
}

/* Stays by row, in order; those still open end with their row. */
static bool gather_stays(struct rereading *r, uint32_t *place)
{
	struct detail *d = r->d;
	uint32_t at = 0;

	if (r->found.count > d->stay_cap) {
		struct stay *stays = realloc(d->stays, r->found.count * sizeof(*stays));

		if (!stays)
			return false;
		d->stays = stays;
		d->stay_cap = r->found.count;
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

/* Backslash and n stand for a newline in labels. */
static void add_label(struct sbuf *out, const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (p[i] == '\\' && i + 1 < len && (p[i + 1] == 'n' || p[i + 1] == 't')) {
			sbuf_add(out, p[i + 1] == 'n' ? "\n" : "\t", 1);
			i++;
		} else {
			sbuf_add(out, p + i, 1);
		}
}

struct text_place {
	uint32_t *at, *len;
};

static struct text_place place_of(struct rereading *r, const struct found_text *t,
				  const uint32_t *place)
{
	struct detail_row *row = &r->d->rows[t->row];
	struct stay *stay;

	switch (t->kind) {
	case LABEL_TEXT:
		return (struct text_place){&row->text0, &row->text_len};
	case LABEL_DETAIL:
		return (struct text_place){&row->note0, &row->note_len};
	default:
		stay = &r->d->stays[place[t->stay]];
		return (struct text_place){&stay->note0, &stay->note_len};
	}
}

/*
 * Labels of one kind follow each other, those of stages on lines of their own. Each text is
 * moved to the end of detail.text when it grows and is not there already; most have one part.
 */
static void gather_texts(struct rereading *r, const uint32_t *place)
{
	struct sbuf *out = &r->d->text;

	for (size_t i = 0; i < r->texts.count; i++) {
		const struct found_text *t = &r->texts.data[i];
		struct text_place p = place_of(r, t, place);
		size_t before;

		if (*p.len && *p.at + *p.len != out->len) {
			before = out->len;
			if (!sbuf_room(out, *p.len))
				break;
			sbuf_add(out, out->text + *p.at, *p.len);
			*p.at = (uint32_t)before;
		} else if (*p.len == 0) {
			*p.at = (uint32_t)out->len;
		}
		if (*p.len && t->own_line)
			sbuf_add(out, "\n", 1);
		if (r->s->reader->births_needed)
			add_label(out, r->words.text + t->at, t->len);
		else
			sbuf_add(out, r->words.text + t->at, t->len);
		*p.len = (uint32_t)(out->len - *p.at);
	}
	for (size_t i = 0; i < r->d->count; i++) {
		struct detail_row *row = &r->d->rows[i];

		while (row->note_len && out->text[row->note0 + row->note_len - 1] == '\n')
			row->note_len--;
	}
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
		link->row = row_of_id(d, link->id, r->links.data[i].row);
	}
	return true;
}

bool detail_gather(struct rereading *r)
{
	uint32_t *place = malloc((r->found.count + 1) * sizeof(*place));
	bool ok = place && gather_stays(r, place) && gather_links(r);

	if (ok)
		gather_texts(r, place);
	free(place);
	return ok && !r->d->text.failed && !r->words.failed;
}
