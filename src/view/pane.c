#include "config.h"

#include "view/pane.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { SPANS_MAX = 16, MEASURED_LINES = 200 };

enum { BORDER_H = 0x2500, BORDER_V = 0x2502 };

void pane_line_add(struct pane_line *l, enum role role, const char *fmt, ...)
{
	size_t from = l->text.len;
	va_list ap;

	va_start(ap, fmt);
	sbuf_vprintf(&l->text, fmt, ap);
	va_end(ap);
	if (l->span_count == SPANS_MAX || l->text.len > UINT16_MAX || l->text.len == from)
		return;
	l->spans[l->span_count].from = (uint16_t)from;
	l->spans[l->span_count].to = (uint16_t)l->text.len;
	l->spans[l->span_count].role = (uint8_t)role;
	l->span_count++;
}

void pane_free(struct pane *p)
{
	if (!p)
		return;
	regex_free(p->search);
	p->search = NULL;
	if (p->ops->free)
		p->ops->free(p);
	else
		free(p);
}

/* The first line shown so that the cursor is visible in height lines. */
static size_t top_for(const struct pane *p, size_t count, int height)
{
	size_t lines = height > 0 ? (size_t)height : 1, top = p->top;

	if (count <= lines)
		return 0;
	if (p->cursor < top)
		top = p->cursor;
	if (p->cursor - top >= lines)
		top = p->cursor - lines + 1;
	return top > count - lines ? count - lines : top;
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

static void get_line(const struct pane *p, size_t i, struct pane_line *l)
{
	sbuf_clear(&l->text);
	l->span_count = 0;
	p->ops->line(p, i, l);
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
	size_t count = p->ops->count(p);
	struct pane_line l = {0};
	int widest = p->ops->width;

	if (p->ops->width == 0)
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

static void draw_frame(const struct pane *p, struct grid *g, struct rect area,
		       const struct frame *f, const struct palette *pal)
{
	struct style style = palette_style(pal, ROLE_BORDER);
	struct rect top = {area.x, area.y, area.w, 1};
	size_t count = p->ops->count(p);
	struct sbuf title = {0};

	p->ops->title(p, &title);
	if (count > (size_t)(f->inner.h > 0 ? f->inner.h : 0))
		sbuf_printf(&title, "  %zu/%zu", p->cursor + 1, count);
	grid_fill(g, area, ' ', palette_style(pal, ROLE_PANE));
	grid_fill(g, top, BORDER_H, style);
	if (f->bottom)
		grid_fill(g, (struct rect){area.x, area.y + area.h - 1, area.w, 1}, BORDER_H,
			  style);
	if (f->left)
		grid_fill(g, (struct rect){area.x, area.y, 1, area.h}, BORDER_V, style);
	if (f->right)
		grid_fill(g, (struct rect){area.x + area.w - 1, area.y, 1, area.h}, BORDER_V,
			  style);
	top.w -= 1;
	grid_printf(g, top, area.x + 2, area.y, style, " %s ", sbuf_text(&title));
	sbuf_free(&title);
}

/* Draw one stretch; returns the columns used. */
static int draw_span(struct grid *g, struct rect clip, int x, const struct pane_line *l,
		     size_t from, size_t to, struct style style)
{
	if (to > l->text.len)
		to = l->text.len;
	if (from >= to)
		return 0;
	return grid_text(g, clip, x, clip.y, l->text.text + from, to - from, style);
}

static int draw_text(struct grid *g, struct rect clip, const struct pane_line *l, bool selected,
		     const struct palette *pal)
{
	struct style plain = palette_style(pal, selected ? ROLE_PANE_CURSOR : ROLE_PANE);
	size_t at = 0;
	int x = clip.x;

	for (int i = 0; i < l->span_count; i++) {
		enum role role = (enum role)l->spans[i].role;
		struct style style = selected ? plain : palette_style(pal, role);

		if (role == ROLE_PANE)
			style = plain;
		x += draw_span(g, clip, x, l, at, l->spans[i].from, plain);
		x += draw_span(g, clip, x, l, l->spans[i].from, l->spans[i].to, style);
		at = l->spans[i].to;
	}
	return x + draw_span(g, clip, x, l, at, l->text.len, plain);
}

static void draw_line(const struct pane *p, struct grid *g, struct rect clip, size_t i,
		      struct pane_line *l, const struct palette *pal)
{
	bool selected = i == p->cursor;
	size_t from, to;
	int end;

	get_line(p, i, l);
	end = draw_text(g, clip, l, selected, pal);
	if (selected && end == clip.x)
		grid_put(g, clip.x, clip.y, ' ', palette_style(pal, ROLE_PANE_CURSOR));
	if (p->search && l->text.len > 0 &&
	    regex_match(p->search, l->text.text, l->text.len, &from, &to))
		draw_span(g, clip, clip.x + text_width(l->text.text, from), l, from, to,
			  palette_style(pal, ROLE_SEARCH));
}

int pane_draw(const struct pane *p, struct grid *g, struct rect area, const struct palette *pal)
{
	struct frame f = frame_of(g, area);
	size_t count = p->ops->count(p), top = top_for(p, count, f.inner.h);
	struct pane_line l = {0};

	draw_frame(p, g, area, &f, pal);
	for (int y = 0; y < f.inner.h && top + (size_t)y < count; y++)
		draw_line(p, g, (struct rect){f.inner.x, f.inner.y + y, f.inner.w, 1},
			  top + (size_t)y, &l, pal);
	sbuf_free(&l.text);
	return f.inner.h > 0 ? f.inner.h : 0;
}
