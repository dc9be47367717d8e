#include "config.h"

#include "view/pipeline/pipeview_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "pipeline/queries/detail.h"
#include "pipeline/queries/subject.h"

/* The gutter may take this share of the width; a text narrower than the least is left out. */
enum {
	SHARE_NUMERATOR = 9,
	SHARE_DENOMINATOR = 20,
	TEXT_SHARE = 40, /* per cent of the width that the text alone grows to */
	TEXT_STEP = 8,
	TEXT_LEAST = 6,
	PC_LEAST = 5,
	NUMBER_LEAST = 3
};

const struct gutter_column gutter_columns[GUTTER_COUNT] = {
#define GUTTER_COLUMN(name, text, width, shown, help) {text, width, shown},
    GUTTER_INFO(GUTTER_COLUMN)
#undef GUTTER_COLUMN
};

/* The order in which columns give way in a narrow window, and what they keep at least. */
static const struct {
	enum gutter column;
	int least;
} giving_way[] = {
    {GUTTER_TEXT, TEXT_LEAST},  {GUTTER_PC, PC_LEAST},         {GUTTER_SEQ, NUMBER_LEAST},
    {GUTTER_ROW, NUMBER_LEAST}, {GUTTER_THREAD, NUMBER_LEAST}, {GUTTER_MARK, 1},
};

static int total_of(const int *w)
{
	int total = 0;

	for (int i = 0; i < GUTTER_COUNT; i++)
		if (w[i] > 0)
			total += w[i] + 1;
	return total;
}

static void give_way(int *w, int budget)
{
	for (size_t i = 0; i < sizeof(giving_way) / sizeof(giving_way[0]); i++) {
		int *width = &w[giving_way[i].column];
		int over = total_of(w) - budget;

		if (over <= 0)
			return;
		*width = *width - over >= giving_way[i].least ? *width - over : 0;
	}
}

/* The width the text column starts with, and as many steps more as its texts need. */
static int text_columns(const struct pipeview *v)
{
	int start = v->gutter_width[GUTTER_TEXT], most = v->width * TEXT_SHARE / 100;
	int steps = (v->text_wanted - start + TEXT_STEP - 1) / TEXT_STEP, wanted;

	if (start != gutter_columns[GUTTER_TEXT].width || steps <= 0 || most <= start)
		return start;
	wanted = start + steps * TEXT_STEP;
	return wanted < most ? wanted : most;
}

void gutter_fit(const struct pipeview *v, struct gutter_layout *out)
{
	for (int i = 0; i < GUTTER_COUNT; i++)
		out->w[i] = v->gutter_shown[i] && v->gutter_width[i] > 0 ? v->gutter_width[i] : 0;
	if (out->w[GUTTER_TEXT] > 0)
		out->w[GUTTER_TEXT] = text_columns(v);
	give_way(out->w, v->width * SHARE_NUMERATOR / SHARE_DENOMINATOR);
	out->total = 0;
	for (int i = 0; i < GUTTER_COUNT; i++) {
		out->x[i] = out->total;
		if (out->w[i] > 0)
			out->total += out->w[i] + 1;
	}
}

int pipeview_gutter_width(const struct pipeview *v)
{
	struct gutter_layout l;

	gutter_fit(v, &l);
	return l.total;
}

void pipeview_widen(struct pipeview *v)
{
	int before, grown;

	viewcache_refresh(v);
	before = pipeview_gutter_width(v);
	if (pipeview_is_aggregate(v) || viewcache_detail(v, NULL) != STATUS_OK)
		return;
	for (int line = 0; line < v->lines; line++) {
		struct row_view row = viewcache_row(v, (size_t)line);
		int width;

		if (!row.row)
			continue;
		width =
		    text_width(sbuf_text(&row.detail->text) + row.row->text0, row.row->text_len) +
		    row.row->head.micro_op;
		v->text_wanted = width > v->text_wanted ? width : v->text_wanted;
	}
	grown = pipeview_gutter_width(v) - before;
	if (grown) {
		v->full_columns -= grown;
		pipeview_layout(v, v->width, v->height);
	}
}

static struct rect column_rect(const struct gutter_layout *l, enum gutter column, struct rect area,
			       int y)
{
	return (struct rect){area.x + l->x[column], y, l->w[column], 1};
}

/* Numbers end at the right of their column; one too long keeps its end and says so. */
static void put_number(struct grid *g, struct rect r, const char *digits, struct style style)
{
	int len = (int)strlen(digits);

	if (r.w <= 0)
		return;
	if (len <= r.w) {
		grid_puts(g, r, r.x + r.w - len, r.y, digits, style);
		return;
	}
	grid_puts(g, r, r.x, r.y, digits + (len - r.w), style);
	grid_put(g, r.x, r.y, 0x2026, style);
}

/* What the ruler counts; of cycles made of ticks also how many there are in one. */
static void draw_unit(const struct pipeview *v, struct grid *g, struct rect r, struct style style)
{
	char number[32], text[64];

	snprintf(text, sizeof(text), "%s", axis_unit(&v->axis));
	if (axis_has_cycles(&v->axis)) {
		int len = snprintf(text, sizeof(text), "cycle of %s %ss",
				   num_group(v->axis.step, number), store_unit(v->store));

		if (len > r.w)
			snprintf(text, sizeof(text), "%s", axis_unit(&v->axis));
	}
	put_number(g, r, text, style);
}

void gutter_head(const struct pipeview *v, struct grid *g, struct rect area,
		 const struct palette *p)
{
	struct style style = palette_style(p, ROLE_RULER);
	int lines = pipeview_ruler_lines(v);
	struct gutter_layout l;
	struct rect top;

	gutter_fit(v, &l);
	if (lines == 0 || l.total == 0)
		return;
	top = (struct rect){area.x, area.y, l.total - 1, 1};
	draw_unit(v, g, top, style);
	if (lines < 2)
		return;
	if (v->row_zoom > 0) {
		struct rect r = {area.x, area.y + 1, l.total - 1, 1};
		char rows[32];

		num_group((int64_t)(UINT64_C(1) << v->row_zoom), rows);
		grid_printf(g, r, r.x, r.y, style, "%s rows per line", rows);
		return;
	}
	for (int i = GUTTER_ROW; i < GUTTER_COUNT; i++) {
		struct rect r = column_rect(&l, (enum gutter)i, area, area.y + 1);

		if (i == GUTTER_TEXT)
			grid_puts(g, r, r.x, r.y, gutter_columns[i].head, style);
		else if ((int)strlen(gutter_columns[i].head) <= r.w)
			put_number(g, r, gutter_columns[i].head, style);
	}
}

/* The letter of a mark set in rows [row0, row1), or 0. */
static char mark_in(const struct pipeview *v, uint64_t row0, uint64_t row1)
{
	for (size_t i = 0; v->marks && i < v->marks->count; i++)
		if (v->marks->at[i].at.item >= row0 && v->marks->at[i].at.item < row1)
			return v->marks->at[i].letter;
	return 0;
}

/* A sign is of the text's colour: the cursor gets to the blank behind it over it in few bytes. */
static void draw_mark(const struct pipeview *v, struct grid *g, struct rect r, char mark, int fate,
		      const struct palette *p)
{
	const struct highlight *h = &v->highlight;
	enum role role = ROLE_TEXT;
	uint32_t sign = fate >= 0 ? fate_sign(fate) : ' ';

	if (r.w <= 0)
		return;
	if (mark) {
		sign = (uint8_t)mark;
		role = ROLE_MARK;
	} else if (fate >= 0 && h->kind == HIGHLIGHT_FATE && (int)h->what == fate) {
		role = ROLE_HIGHLIGHT;
	} else if (fate == FATE_UNKNOWN) {
		role = ROLE_UNKNOWN;
	}
	if (sign != ' ' || role == ROLE_HIGHLIGHT)
		grid_put(g, r.x, r.y, sign, palette_style(p, role));
}

/* Restyle the part [from, to) of a column's text; both are byte offsets into ASCII-like text. */
static void mark_match(struct grid *g, struct rect r, int64_t from, int64_t to, struct style style)
{
	for (int64_t i = from < 0 ? 0 : from; i < to && i < r.w; i++) {
		struct cell *c = grid_at(g, r.x + (int)i, r.y);

		if (c)
			c->style = style;
	}
}

/* Matches are those of "0xPC text", the subject of searches and filters. */
static void draw_match(const struct pipeview *v, struct grid *g, struct rect pc, struct rect text,
		       const struct row_view *row, int indent, const struct palette *p)
{
	const struct detail_row *r = row->row;
	struct style style = palette_style(p, ROLE_SEARCH);
	size_t from, to, head = 0;
	char digits[32];

	if (!subject_match(v->search, row->detail, r, &from, &to))
		return;
	if (r->has_pc) {
		int64_t shift;

		head = (size_t)snprintf(digits, sizeof(digits), "0x%" PRIx64 " ", r->pc);
		/* the pc is right-aligned, without its 0x */
		shift = (int64_t)pc.w - ((int64_t)head - 3) - 2;
		mark_match(g, pc, (int64_t)from + shift,
			   (to < head - 1 ? (int64_t)to : (int64_t)head - 1) + shift, style);
	}
	mark_match(g, text, (int64_t)(from > head ? from - head : 0) + indent,
		   to > head ? (int64_t)(to - head) + indent : 0, style);
}

static void draw_text(struct grid *g, struct rect r, const struct row_view *row, int indent,
		      struct style style)
{
	const char *text = sbuf_text(&row->detail->text) + row->row->text0;
	struct rect inner = {r.x + indent, r.y, r.w - indent, 1};
	int used;

	if (inner.w <= 0)
		return;
	used = grid_text(g, inner, inner.x, inner.y, text, row->row->text_len, style);
	/* a wide character that does not fit leaves a column */
	if (text_width(text, row->row->text_len) > inner.w)
		grid_put(g, inner.x + (used < inner.w ? used : inner.w - 1), inner.y, 0x2026,
			 style);
}

/* In the colour of its cells where these have the thread's. */
static enum role thread_role(const struct pipeview *v, const struct detail_row *r)
{
	if (v->colour_by != COLOUR_BY_THREAD)
		return ROLE_SEQ;
	return (enum role)(ROLE_STAGE_0 + (r->head.thread - 1) % PALETTE_STAGES);
}

void gutter_lane(const struct pipeview *v, struct grid *g, struct rect area, int y, unsigned lane,
		 const struct palette *p)
{
	struct gutter_layout l;
	struct rect r;

	gutter_fit(v, &l);
	r = (struct rect){area.x, area.y + pipeview_ruler_lines(v) + y, l.total - 1, 1};
	if (l.w[GUTTER_TEXT] > 0) {
		r.x = area.x + l.x[GUTTER_TEXT];
		r.w = l.w[GUTTER_TEXT];
	}
	grid_printf(g, r, r.x, r.y, palette_style(p, ROLE_DIM), "lane %s",
		    store_lane(v->store, lane));
}

void gutter_row(const struct pipeview *v, struct grid *g, struct rect area, int line,
		const struct row_view *row, const struct palette *p)
{
	const struct detail_row *r = row->row;
	int y = area.y + pipeview_ruler_lines(v) + line, indent = r->head.micro_op ? 1 : 0;
	bool failed = fate_failed(r->head.fate);
	enum role plain = failed                         ? ROLE_SQUASHED
			  : r->head.fate == FATE_UNKNOWN ? ROLE_UNKNOWN
							 : ROLE_TEXT;
	struct rect at[GUTTER_COUNT];
	struct gutter_layout l;
	char buf[32];

	gutter_fit(v, &l);
	for (int i = 0; i < GUTTER_COUNT; i++)
		at[i] = column_rect(&l, (enum gutter)i, area, y);
	draw_mark(v, g, at[GUTTER_MARK], mark_in(v, r->head.row, r->head.row + 1), r->head.fate, p);
	snprintf(buf, sizeof(buf), "%" PRIu64, r->head.row);
	put_number(g, at[GUTTER_ROW], buf, palette_style(p, ROLE_SEQ));
	if (!detail_is_unread(r)) {
		snprintf(buf, sizeof(buf), "%" PRIu64, r->id);
		put_number(g, at[GUTTER_SEQ], buf, palette_style(p, ROLE_SEQ));
	}
	if (r->head.thread) {
		snprintf(buf, sizeof(buf), "%" PRId64, store_thread(v->store, r->head.thread));
		put_number(g, at[GUTTER_THREAD], buf, palette_style(p, thread_role(v, r)));
	}
	if (r->has_pc) {
		snprintf(buf, sizeof(buf), "%" PRIx64, r->pc);
		put_number(g, at[GUTTER_PC], buf, palette_style(p, failed ? plain : ROLE_PC));
	}
	draw_text(g, at[GUTTER_TEXT], row, indent, palette_style(p, plain));
	if (v->search)
		draw_match(v, g, at[GUTTER_PC], at[GUTTER_TEXT], row, indent, p);
}

void gutter_rows(const struct pipeview *v, struct grid *g, struct rect area, int line,
		 unsigned fates, const struct palette *p)
{
	uint64_t count = pipeview_count(v);
	uint64_t first = v->top + ((uint64_t)line << v->row_zoom);
	uint64_t last = first + (UINT64_C(1) << v->row_zoom) - 1;
	int y = area.y + pipeview_ruler_lines(v) + line, x;
	struct gutter_layout l;
	struct rect r;
	char a[32], b[32];

	if (last >= count)
		last = count - 1;
	gutter_fit(v, &l);
	draw_mark(v, g, column_rect(&l, GUTTER_MARK, area, y),
		  mark_in(v, pipeview_row(v, first), pipeview_row(v, last) + 1),
		  fate_to_show(&v->cache->totals, fates), p);
	x = l.w[GUTTER_MARK] > 0 ? l.w[GUTTER_MARK] + 1 : 0;
	r = (struct rect){area.x + x, y, l.total - 1 - x, 1};
	num_group((int64_t)pipeview_row(v, first), a);
	num_group((int64_t)pipeview_row(v, last), b);
	if ((int)(strlen(a) + strlen(b)) + 5 <= r.w)
		grid_printf(g, r, r.x, r.y, palette_style(p, ROLE_SEQ), "%s .. %s", a, b);
	else
		put_number(g, r, a, palette_style(p, ROLE_SEQ));
}

/*
 * A blank is sent in fewer bytes than a sign, and the first column is reached in fewer than the
 * next: the sign's own cell where there is none, else the blank behind it.
 */
void gutter_cursor(const struct gutter_layout *l, struct grid *g, int x, int y,
		   const struct palette *p)
{
	const struct style text = palette_style(p, ROLE_TEXT);
	struct cell *c = grid_at(g, x, y);
	bool blank = c && c->cp == ' ' && c->style.fg == text.fg && c->style.bg == text.bg &&
		     c->style.attrs == text.attrs;

	if (!blank)
		c = grid_at(g, x + l->w[GUTTER_MARK], y);
	if (c)
		c->style = palette_style(p, ROLE_CURSOR_ROW);
}
