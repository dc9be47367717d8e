#include "config.h"

#include "view/pane.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "view/abbreviate.h"
#include "view/pane_wrap.h"
#include "view/table.h"

enum { SPANS_MAX = 16, MEASURED_LINES = 200, ABOUT_LEAST = 6 };

#define HEADING SIZE_MAX

enum { BORDER_H = 0x2500, BORDER_V = 0x2502, ELLIPSIS = 0x2026 };

static void add_span(struct pane_line *l, enum role role, size_t from)
{
	if (l->span_count == SPANS_MAX || l->text.len > UINT16_MAX || l->text.len == from)
		return;
	l->spans[l->span_count].from = (uint16_t)from;
	l->spans[l->span_count].to = (uint16_t)l->text.len;
	l->spans[l->span_count].role = (uint8_t)role;
	l->spans[l->span_count].bar = false;
	l->span_count++;
}

void pane_line_add(struct pane_line *l, enum role role, const char *fmt, ...)
{
	size_t from = l->text.len;
	va_list ap;

	va_start(ap, fmt);
	sbuf_vprintf(&l->text, fmt, ap);
	va_end(ap);
	add_span(l, role, from);
}

void pane_line_bytes(struct pane_line *l, enum role role, const char *p, size_t len)
{
	size_t from = l->text.len;

	sbuf_add(&l->text, p, len);
	add_span(l, role, from);
}

enum status pane_sort(struct pane *p, const char *column, int dir, struct error *e)
{
	if (!p->ops->sort)
		return error_set(e, STATUS_NOT_FOUND, "this pane cannot be sorted");
	return p->ops->sort(p, column, dir, e);
}

void pane_free(struct pane *p)
{
	if (!p)
		return;
	regex_free(p->search);
	free(p->sort);
	p->search = NULL;
	p->sort = NULL;
	if (p->ops->free)
		p->ops->free(p);
	else
		free(p);
}

/* Line i, or the heading. */
static void get_line(const struct pane *p, size_t i, struct pane_line *l)
{
	sbuf_clear(&l->text);
	l->span_count = 0;
	l->indent = 0;
	l->cut = false;
	if (i == HEADING)
		p->ops->heading(p, l);
	else
		p->ops->line(p, i, l);
}

/* Rows that line i takes in columns of width. */
static size_t rows_of(const struct pane *p, size_t i, int width, struct pane_line *l)
{
	if (p->ops->table || width <= 0)
		return 1;
	get_line(p, i, l);
	return (size_t)pane_wrap_count(l, width);
}

/* The first of the lines before `end` that fit in so many rows together. */
static size_t first_fitting(const struct pane *p, size_t end, size_t rows, struct pane_line *l)
{
	size_t used = 0;

	while (end > 0) {
		used += rows_of(p, end - 1, p->columns, l);
		if (used > rows)
			break;
		end--;
	}
	return end;
}

/* The first line shown so that the cursor's is visible in height rows. */
static size_t top_for(const struct pane *p, size_t count, int height)
{
	size_t rows = height > 0 ? (size_t)height : 1, top = p->top, first, last;
	size_t cursor = p->cursor < count ? p->cursor : count ? count - 1 : 0;
	struct pane_line l = {0};

	first = first_fitting(p, count ? cursor + 1 : 0, rows, &l);
	last = first_fitting(p, count, rows, &l);
	sbuf_free(&l.text);
	if (top > cursor)
		top = cursor;
	if (top < first)
		top = first < cursor ? first : cursor;
	return top > last ? last : top;
}

void pane_move(struct pane *p, int64_t lines, int height)
{
	size_t count = p->ops->count(p);
	uint64_t n = lines < 0 ? -(uint64_t)lines : (uint64_t)lines;

	if (count == 0) {
		p->cursor = p->top = 0;
		return;
	}
	if (p->cursor >= count)
		p->cursor = count - 1;
	if (lines < 0)
		p->cursor -= n < p->cursor ? (size_t)n : p->cursor;
	else
		p->cursor += n < count - 1 - p->cursor ? (size_t)n : count - 1 - p->cursor;
	p->top = top_for(p, count, height);
}

/* The cursor keeps its distance from the top; at the ends it goes on to the end. */
static void turn_down(struct pane *p, int rows, int height)
{
	size_t top = p->top, below = p->cursor - top, next;

	if (!pane_line_at(p, 1 + rows, &next)) {
		pane_move(p, INT32_MAX, height);
		return;
	}
	p->top = next > top ? next : top + 1;
	p->cursor = p->top + below;
	pane_move(p, 0, height);
	if (p->top == top)
		pane_move(p, INT32_MAX, height);
}

static void turn_up(struct pane *p, int rows, int height)
{
	size_t top = p->top, below = p->cursor - top;

	if (!top) {
		pane_move(p, -INT32_MAX, height);
		return;
	}
	/* as many lines as fit above the one that is at the top now */
	p->cursor = top - 1;
	p->top = 0;
	pane_move(p, 0, rows);
	p->cursor = p->top + below;
	pane_move(p, 0, height);
}

void pane_page(struct pane *p, int dir, int parts, int64_t times, int height)
{
	int rows = height / parts - (parts == 1 && height > 2);
	size_t before;

	do {
		before = p->cursor;
		(dir < 0 ? turn_up : turn_down)(p, rows > 0 ? rows : 1, height);
	} while (--times > 0 && p->cursor != before);
}

bool pane_scroll(struct pane *p, int columns)
{
	const struct table *sheet = p->ops->sheet ? p->ops->sheet(p) : NULL;

	if (!sheet)
		return false;
	p->shift = table_scrolled(sheet, p->shift, columns);
	return true;
}

bool pane_find(struct pane *p, int dir)
{
	size_t count = p->ops->count(p), at = p->cursor;
	struct pane_line l = {0};
	bool found = false;

	for (size_t n = 0; p->search && n < count && !found; n++) {
		at = dir < 0 ? (at == 0 ? count : at) - 1 : (at + 1) % count;
		get_line(p, at, &l);
		found = regex_match(p->search, sbuf_text(&l.text), l.text.len, NULL, NULL);
	}
	if (found)
		p->cursor = at;
	sbuf_free(&l.text);
	return found;
}

int pane_wanted_width(const struct pane *p, int max)
{
	const struct table *sheet = p->ops->sheet ? p->ops->sheet(p) : NULL;
	size_t count = p->ops->count(p);
	struct pane_line l = {0};
	int widest = sheet ? table_wanted(sheet) : p->ops->width;

	if (widest == 0)
		for (size_t i = 0; i < count && i < MEASURED_LINES; i++) {
			int w;

			get_line(p, i, &l);
			w = text_width(sbuf_text(&l.text), l.text.len);
			if (w > widest)
				widest = w;
		}
	sbuf_free(&l.text);
	widest += 4; /* border and a blank on each side */
	return widest < max ? widest : max;
}

int pane_wanted_height(const struct pane *p, int width, int max)
{
	size_t count = p->ops->count(p), rows = 0;
	struct pane_line l = {0};

	rows += (p->ops->heading != NULL) + (p->about != NULL);
	for (size_t i = 0; i < count && rows + 2 < (size_t)(max > 2 ? max : 2); i++)
		rows += rows_of(p, i, width > 4 ? width - 4 : 1, &l);
	sbuf_free(&l.text);
	return rows + 2 < (size_t)max ? (int)rows + 2 : max;
}

/* Sides that touch the edge of the screen need no border, and cost nothing when scrolled. */
struct frame {
	struct rect inner;
	bool left, right, bottom;
};

static struct frame frame_of(const struct grid *g, struct rect area)
{
	struct frame f = {
	    .left = area.x > 0,
	    .right = area.x + area.w < g->w,
	    .bottom = area.y + area.h < g->h && area.h > 2,
	};

	f.inner = (struct rect){area.x + (f.left ? 2 : 0), area.y + 1,
				area.w - (f.left ? 2 : 0) - (f.right ? 2 : 0),
				area.h - 1 - (f.bottom ? 1 : 0)};
	return f;
}

/*
 * Bright where the keys go; behind it, dim, how they go elsewhere. Without room for both, the counter
 * goes before a letter of the title does.
 */
static void draw_title(const struct pane *p, struct grid *g, struct rect top, const char *counter,
		       const struct palette *pal)
{
	struct style style = palette_style(pal, p->focused ? ROLE_PANE_TITLE : ROLE_DIM);
	int key = p->next_key ? text_width(p->next_key, strlen(p->next_key)) + 3 : 0;
	struct sbuf title = {0}, fitted = {0};

	top.w -= 1;
	if (key && top.w > 3 * key) {
		grid_printf(g, top, top.x + top.w - key, top.y, palette_style(pal, ROLE_DIM),
			    " %s ", p->next_key);
		top.w -= key + 1;
	}
	p->ops->title(p, &title);
	if (text_width(sbuf_text(&title), title.len) + (int)strlen(counter) <= top.w - 3)
		sbuf_puts(&title, counter);
	text_fit(&fitted, sbuf_text(&title), title.len, top.w - 3, false);
	grid_printf(g, top, top.x + 2, top.y, style, " %s ", sbuf_text(&fitted));
	sbuf_free(&title);
	sbuf_free(&fitted);
}

static void draw_frame(const struct pane *p, struct grid *g, struct rect area,
		       const struct frame *f, bool all_visible, const struct palette *pal)
{
	struct style style = palette_style(pal, ROLE_BORDER);
	struct rect top = {area.x, area.y, area.w, 1};
	size_t count = p->ops->count(p);
	char counter[48] = "";

	grid_fill(g, area, ' ', palette_style(pal, ROLE_PANE));
	if (!all_visible)
		snprintf(counter, sizeof(counter), "  %zu/%zu", p->cursor + 1, count);
	grid_fill(g, top, BORDER_H, style);
	if (f->bottom)
		grid_fill(g, (struct rect){area.x, area.y + area.h - 1, area.w, 1}, BORDER_H,
			  style);
	if (f->left)
		grid_fill(g, (struct rect){area.x, area.y, 1, area.h}, BORDER_V, style);
	if (f->right)
		grid_fill(g, (struct rect){area.x + area.w - 1, area.y, 1, area.h}, BORDER_V,
			  style);
	draw_title(p, g, top, counter, pal);
}

/* Draw the bytes [from, to) of the line as far as they are in the row; the columns used. */
static int draw_span(struct grid *g, struct rect clip, int x, const struct pane_line *l,
		     const struct wrap_row *r, size_t from, size_t to, struct style style)
{
	if (from < r->from)
		from = r->from;
	if (to > r->to)
		to = r->to;
	if (from >= to)
		return 0;
	return grid_text(g, clip, x, clip.y, l->text.text + from, to - from, style);
}

static int draw_text(struct grid *g, struct rect clip, const struct pane_line *l,
		     const struct wrap_row *r, bool selected, const struct palette *pal)
{
	struct style plain = palette_style(pal, selected ? ROLE_PANE_CURSOR : ROLE_PANE);
	size_t at = 0;
	int x = clip.x + r->indent;

	for (int i = 0; i < l->span_count; i++) {
		enum role role = (enum role)l->spans[i].role;
		const bool bar = l->spans[i].bar;
		struct style style = selected && !bar ? plain : palette_style(pal, role);

		if (role == ROLE_PANE && !bar)
			style = plain;
		x += draw_span(g, clip, x, l, r, at, l->spans[i].from, plain);
		x += draw_span(g, clip, x, l, r, l->spans[i].from, l->spans[i].to, style);
		at = l->spans[i].to;
	}
	x += draw_span(g, clip, x, l, r, at, l->text.len, plain);
	if (r->cut && clip.w > 0)
		grid_put(g, clip.x + clip.w - 1, clip.y, ELLIPSIS, plain);
	return x;
}

/* Columns from the left of the row to byte `to` of the line. */
static int columns_to(const struct pane_line *l, const struct wrap_row *r, size_t to)
{
	return r->indent +
	       text_width(l->text.text + r->from, (to > r->from ? to : r->from) - r->from);
}

static void draw_row(const struct pane *p, struct grid *g, struct rect clip,
		     const struct pane_line *l, const struct wrap_row *r, bool selected,
		     const struct palette *pal)
{
	int end = draw_text(g, clip, l, r, selected, pal);
	size_t from, to;

	if (selected && end == clip.x)
		grid_put(g, clip.x, clip.y, ' ', palette_style(pal, ROLE_PANE_CURSOR));
	if (p->search && l->text.len > 0 &&
	    regex_match(p->search, l->text.text, l->text.len, &from, &to) && from < r->to)
		draw_span(g, clip, clip.x + columns_to(l, r, from), l, r, from, to,
			  palette_style(pal, ROLE_SEARCH));
}

/* Draw line i from the top of clip on; returns the rows it took. */
static int draw_line(const struct pane *p, struct grid *g, struct rect clip, size_t i,
		     struct pane_line *l, const struct palette *pal)
{
	struct wrap_row r = {0};
	int y = 0;

	get_line(p, i, l);
	if (p->ops->table) {
		r = (struct wrap_row){.to = l->text.len};
		r.cut = text_width(sbuf_text(&l->text), l->text.len) > clip.w;
		draw_row(p, g, (struct rect){clip.x, clip.y, clip.w, 1}, l, &r, i == p->cursor,
			 pal);
		return 1;
	}
	while (y < clip.h && pane_wrap_next(l, clip.w, &r)) {
		draw_row(p, g, (struct rect){clip.x, clip.y + y, clip.w, 1}, l, &r, i == p->cursor,
			 pal);
		y++;
	}
	return y;
}

int pane_draw(struct pane *p, struct grid *g, struct rect area, const struct palette *pal)
{
	struct frame f = frame_of(g, area);
	struct rect rest, about;
	struct pane_line l = {0};
	size_t count;
	int height;

	/* the lines of some panes follow the width, and so does how many there are */
	p->columns = f.inner.w;
	count = p->ops->count(p);
	if (p->cursor >= count)
		p->cursor = count ? count - 1 : 0;
	p->about_shown = p->about && f.inner.h > ABOUT_LEAST;
	about = (struct rect){f.inner.x, f.inner.y, f.inner.w, p->about_shown};
	f.inner.y += about.h;
	f.inner.h -= about.h;
	rest = f.inner;
	if (p->ops->heading && rest.h > 1) {
		rest.y++;
		rest.h--;
	}
	height = rest.h > 0 ? rest.h : 0;
	p->top = top_for(p, count, height);
	draw_frame(p, g, area, &f, first_fitting(p, count, (size_t)height, &l) == 0, pal);
	if (p->about_shown)
		grid_text(g, about, about.x, about.y, p->about, strlen(p->about),
			  palette_style(pal, ROLE_DIM));
	if (rest.y > f.inner.y)
		draw_line(p, g, f.inner, HEADING, &l, pal);
	for (size_t i = p->top; i < count && rest.h > 0; i++) {
		int rows = draw_line(p, g, rest, i, &l, pal);

		rest.y += rows;
		rest.h -= rows;
	}
	sbuf_free(&l.text);
	return height;
}

bool pane_line_at(const struct pane *p, int y, size_t *line)
{
	int first = 1 + (p->ops->heading != NULL) + p->about_shown;
	size_t count = p->ops->count(p), at = (size_t)first;
	struct pane_line l = {0};
	bool found = false;

	for (*line = p->top; y >= first && *line < count && !found; *line += !found) {
		at += rows_of(p, *line, p->columns, &l);
		found = (size_t)y < at;
	}
	sbuf_free(&l.text);
	return found;
}
