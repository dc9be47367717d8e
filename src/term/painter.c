#include "config.h"

#include "term/painter.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"

enum {
	GAP_BYTES = 4,   /* right cells of fewer between two wrong ones are written again */
	ERASE_CELLS = 6, /* fewer blanks are written */
	LONG_FRAME = 96, /* bytes; a few more at its end are not felt, in a cursor step they are */
	STYLES = 64
};

/* Cells of one style side by side. */
struct run {
	int y, begin, end;
	int rank; /* place of its style in the order of painting */
	struct style style;
	bool blank; /* all of it; any style with this background will do */
	bool tail;  /* blanks up to the edge */
};

struct painter {
	struct pen pen;
	packed_cell *work; /* what is shown while a frame is tried */
	struct run *runs;
	int count, room;
	int cursor_x, cursor_y; /* where a frame leaves the terminal's cursor; x -1: anywhere */
	struct sbuf tried, best;
	bool failed; /* no memory for one of them */
};

struct painter *painter_new(const struct pen_terminal *t)
{
	struct painter *p = xcalloc(1, sizeof(*p));

	p->pen.terminal = t;
	return p;
}

void painter_free(struct painter *p)
{
	if (!p)
		return;
	free(p->work);
	free(p->runs);
	sbuf_free(&p->tried);
	sbuf_free(&p->best);
	free(p);
}

static void blank_out(packed_cell *cells, size_t count)
{
	for (size_t i = 0; i < count; i++)
		cells[i] = packed_blank();
}

void painter_blank(struct painter *p, packed_cell *shown, int w, int h)
{
	p->pen.w = w;
	p->pen.h = h;
	p->pen.x = p->pen.y = -1;
	p->pen.styled = false;
	p->work = xreallocarray(p->work, (size_t)w * (size_t)h, sizeof(*p->work));
	blank_out(shown, (size_t)w * (size_t)h);
}

packed_cell painter_cell(const struct pen_terminal *t, uint32_t cp, struct style s)
{
	const uint8_t on_blanks = ATTR_UNDERLINE | ATTR_REVERSE;
	struct cell c = {.cp = cp, .style = s};

	if (!t->color)
		c.style.fg = c.style.bg = -1;
	c.style.attrs &= (uint8_t)t->attrs;
	if (c.style.fg >= 0 || c.style.bg >= 0)
		c.style.attrs &= (uint8_t)~t->colorless;
	if (cp == ' ' && !(c.style.attrs & on_blanks)) {
		c.style.fg = -1;
		c.style.attrs = 0;
	}
	return packed_from(&c);
}

/* ---- runs ---- */

static struct style style_of(packed_cell c)
{
	return packed_to(c).style;
}

/* As painter_cell() makes them. */
static bool is_blank(packed_cell c)
{
	return packed_cp(c) == ' ' && !style_of(c).attrs;
}

/* May the cell be written with the run? A run of blanks takes the style of what follows them. */
static bool joins(struct run *r, packed_cell c)
{
	struct style s = style_of(c);

	if (packed_cp(c) == 0)
		return true;
	if (is_blank(c))
		return s.bg == r->style.bg && !(r->style.attrs & (ATTR_UNDERLINE | ATTR_REVERSE));
	if (!r->blank)
		return style_same(s, r->style);
	return s.bg == r->style.bg && !(s.attrs & (ATTR_UNDERLINE | ATTR_REVERSE));
}

static bool erasable(const struct painter *p, const packed_cell *row, int x)
{
	packed_cell blank = packed_blank();

	if (!p->pen.terminal->erases_cells || x + ERASE_CELLS > p->pen.w)
		return false;
	for (int i = 0; i < ERASE_CELLS; i++)
		if (row[x + i] != blank)
			return false;
	return true;
}

static struct run *add_run(struct painter *p, int y, int begin, packed_cell c)
{
	struct run *r;

	if (p->count == p->room) {
		p->room = p->room ? 2 * p->room : 256;
		p->runs = xreallocarray(p->runs, (size_t)p->room, sizeof(*p->runs));
	}
	r = &p->runs[p->count++];
	*r = (struct run){
	    .y = y, .begin = begin, .end = begin + 1, .style = style_of(c), .blank = is_blank(c)};
	return r;
}

/* From its first cell on, up to `tail`. */
static void extend_run(struct painter *p, struct run *r, const packed_cell *from,
		       const packed_cell *to, int tail)
{
	bool erase = r->blank && erasable(p, to, r->begin);
	packed_cell blank = packed_blank();
	char utf8[4];
	int gap = 0;

	for (int x = r->end; x < tail && gap < GAP_BYTES && joins(r, to[x]); x++) {
		bool ends = erase ? to[x] != blank : erasable(p, to, x);

		if (ends)
			return;
		bool right = from[x] == to[x] && packed_cp(to[x]);

		if (right && (is_blank(to[x]) || !r->blank)) {
			gap += (int)text_encode(packed_cp(to[x]), utf8);
			continue;
		}
		if (right)
			return; /* its style need not be that of what follows */
		if (!is_blank(to[x]) && r->blank) {
			r->style = style_of(to[x]);
			r->blank = false;
		}
		r->end = x + 1;
		gap = 0;
	}
}

static void add_tail(struct painter *p, int y, int x, const packed_cell *from,
		     const packed_cell *to)
{
	int end = p->pen.w;
	struct run *r = add_run(p, y, x, to[x]);

	while (from[end - 1] == to[end - 1])
		end--;
	r->end = end;
	r->tail = end - x > 3;
}

static void add_row(struct painter *p, int y, const packed_cell *from, const packed_cell *to)
{
	int tail = p->pen.w;
	packed_cell blank = packed_blank();

	while (tail > 0 && to[tail - 1] == blank)
		tail--;
	for (int x = 0; x < p->pen.w; x++) {
		if (from[x] == to[x])
			continue;
		if (x >= tail) {
			add_tail(p, y, x, from, to);
			return;
		}
		add_run(p, y, x, to[x]);
		extend_run(p, &p->runs[p->count - 1], from, to, tail);
		x = p->runs[p->count - 1].end - 1;
	}
}

/* ---- painting ---- */

static int by_place(const void *a, const void *b)
{
	const struct run *r = a, *s = b;

	return r->y != s->y ? r->y - s->y : r->begin - s->begin;
}

static int by_style(const void *a, const void *b)
{
	const struct run *r = a, *s = b;

	return r->rank != s->rank ? r->rank - s->rank : by_place(a, b);
}

static int rank_of(struct style styles[STYLES], int *count, struct style s)
{
	int i = 0;

	while (i < *count && !style_same(styles[i], s))
		i++;
	if (i == *count && i < STYLES)
		styles[(*count)++] = s;
	return i;
}

/* The style that the terminal has first, then as they come. */
static void sort_by_style(struct painter *p, const struct pen *pen)
{
	struct style styles[STYLES];
	int count = 0;

	if (pen->styled)
		rank_of(styles, &count, pen->style);
	for (int i = 0; i < p->count; i++)
		p->runs[i].rank = rank_of(styles, &count, p->runs[i].style);
	qsort(p->runs, (size_t)p->count, sizeof(*p->runs), by_style);
}

static void paint_run(struct pen *pen, const struct run *r, const packed_cell *to)
{
	const packed_cell *row = to + (size_t)r->y * (size_t)pen->w;
	int count = r->end - r->begin;
	bool fits = r->blank && pen_leaves_blanks(pen, r->style.bg);
	bool erase = r->tail || (r->blank && r->style.bg < 0 && pen->terminal->erases_cells &&
				 count >= ERASE_CELLS);

	if (!fits || (erase && pen->style.attrs))
		pen_style(pen, r->style);
	pen_move(pen, r->begin, r->y);
	if (r->tail)
		pen_erase_tail(pen);
	else if (erase)
		pen_erase(pen, count);
	else
		pen_cells(pen, row + r->begin, count);
}

static void paint_cursor(const struct painter *p, struct pen *pen)
{
	if (p->cursor_x >= 0)
		pen_move(pen, p->cursor_x, p->cursor_y);
}

static void paint_runs(const struct painter *p, struct pen *pen, const packed_cell *to)
{
	for (int i = 0; i < p->count; i++)
		paint_run(pen, &p->runs[i], to);
	paint_cursor(p, pen);
}

/* What half a wide character that was written over looks like, each terminal says by itself. */
static void clear_wide_rows(struct painter *p, struct pen *pen, const packed_cell *to)
{
	int w = p->pen.w;

	for (int y = 0; y < p->pen.h; y++) {
		packed_cell *from = p->work + (size_t)y * (size_t)w;
		const packed_cell *row = to + (size_t)y * (size_t)w;

		if (memcmp(from, row, (size_t)w * sizeof(*row)) == 0 || !packed_has_wide(from, 0, w))
			continue;
		pen_style(pen, STYLE_PLAIN);
		pen_move(pen, 0, y);
		pen_erase_tail(pen);
		blank_out(from, (size_t)w);
	}
}

/* ---- moving ---- */

/* The rows that took part: [*top, *bottom), origins included. */
static bool moved_region(const struct painter *p, const packed_cell *to, int rows, int *top,
			 int *bottom)
{
	size_t w = (size_t)p->pen.w;
	int first = -1, last = -1;

	for (int y = 0; y < p->pen.h; y++) {
		if (!motion_took_row(p->work, to + (size_t)y * w, p->pen.w, p->pen.h, y, rows))
			continue;
		first = first < 0 ? y : first;
		last = y;
	}
	*top = rows < 0 ? first + rows : first;
	*bottom = (rows > 0 ? last + rows : last) + 1;
	return first >= 0 && *bottom - *top > abs(rows);
}

static void move_rows(struct painter *p, struct pen *pen, const packed_cell *to, int rows)
{
	size_t w = (size_t)p->pen.w, count;
	packed_cell *region;
	int top, bottom;

	if (!moved_region(p, to, rows, &top, &bottom))
		return;
	pen_style(pen, STYLE_PLAIN);
	pen_scroll(pen, top, bottom, rows);
	region = p->work + (size_t)top * w;
	count = (size_t)(bottom - top - abs(rows)) * w;
	if (rows > 0) {
		memmove(region, region + (size_t)rows * w, count * sizeof(*region));
		blank_out(region + count, (size_t)rows * w);
	} else {
		memmove(region + (size_t)-rows * w, region, count * sizeof(*region));
		blank_out(region, (size_t)-rows * w);
	}
}

/* The same on our picture of the row. */
static void insert_or_delete(struct painter *p, struct pen *pen, bool insert, int n, int x, int y)
{
	packed_cell *row = p->work + (size_t)y * (size_t)p->pen.w;
	size_t kept = (size_t)(p->pen.w - x - n);

	pen_move(pen, x, y);
	if (insert) {
		pen_insert(pen, n);
		memmove(row + x + n, row + x, kept * sizeof(*row));
		blank_out(row + x, (size_t)n);
	} else {
		pen_delete(pen, n);
		memmove(row + x, row + x + n, kept * sizeof(*row));
		blank_out(row + p->pen.w - n, (size_t)n);
	}
}

/*
 * Deletions in one pass, then insertions: what stands to the right of a shifted stretch must
 * not fall off the edge, and in a pass the cursor mostly goes straight down.
 */
static void shift_pass(struct painter *p, struct pen *pen, const struct row_shift *shifts,
		       bool insert)
{

	for (int y = 0; y < p->pen.h; y++) {
		const struct row_shift *r = &shifts[y];
		int n = abs(r->cols), at;
		bool at_begin = insert == (r->cols < 0);

		/* the other half of a shift up to the edge happens by itself */
		if (!n || (!at_begin && r->end == p->pen.w))
			continue;
		at = at_begin ? r->begin : r->end - n;
		/* tmux up to 3.3a leaves old cells where more is inserted than moved */
		if (insert && 2 * n > p->pen.w - at)
			continue;
		pen_style(pen, STYLE_PLAIN);
		insert_or_delete(p, pen, insert, n, at, y);
	}
}

static void move_columns(struct painter *p, struct pen *pen, const packed_cell *to, int cols)
{
	struct row_shift *shifts = xcalloc((size_t)p->pen.h, sizeof(*shifts)), above = {0, 0, 0};

	for (int y = 0; y < p->pen.h; y++) {
		size_t at = (size_t)y * (size_t)p->pen.w;

		if (motion_shift(p->work + at, to + at, p->pen.w, cols, &above, &shifts[y]))
			above = shifts[y];
		else
			shifts[y].cols = 0;
	}
	shift_pass(p, pen, shifts, false);
	shift_pass(p, pen, shifts, true);
	free(shifts);
}

/* ---- a frame ---- */

/* Keep what was tried if it is shorter than the best so far. */
static void judge(struct painter *p, const struct pen *pen, struct pen *best)
{
	/* what memory was missing for is short, too */
	p->failed = p->failed || p->tried.failed;
	if (best->out && p->best.len <= p->tried.len)
		return;
	sbuf_clear(&p->best);
	sbuf_add(&p->best, p->tried.text, p->tried.len);
	p->failed = p->failed || p->best.failed;
	*best = *pen;
	best->out = &p->best;
}

static void try_motion(struct painter *p, const packed_cell *shown, const packed_cell *to,
		       struct motion m, struct pen *best)
{
	size_t w = (size_t)p->pen.w, cells = w * (size_t)p->pen.h, moved;
	struct pen pen = p->pen, start;

	sbuf_clear(&p->tried);
	pen.out = &p->tried;
	memcpy(p->work, shown, cells * sizeof(*shown));
	if (m.rows)
		move_rows(p, &pen, to, m.rows);
	if (m.cols)
		move_columns(p, &pen, to, m.cols);
	clear_wide_rows(p, &pen, to);
	p->count = 0;
	for (int y = 0; y < p->pen.h; y++)
		add_row(p, y, p->work + (size_t)y * w, to + (size_t)y * w);
	moved = p->tried.len;
	start = pen;
	paint_runs(p, &pen, to);
	judge(p, &pen, best);
	/* the same by colours */
	p->tried.len = moved;
	pen = start;
	sort_by_style(p, &pen);
	paint_runs(p, &pen, to);
	judge(p, &pen, best);
}

/* Without what the terminal cannot do. */
static struct motion possible_motion(const struct painter *p, const packed_cell *shown,
				     const packed_cell *next)
{
	struct motion m = motion_find(shown, next, p->pen.w, p->pen.h);

	if (!p->pen.terminal->moves_rows)
		m.rows = 0;
	if (!p->pen.terminal->moves_cells)
		m.cols = 0;
	return m;
}

static void paint(struct painter *p, packed_cell *shown, const packed_cell *next)
{
	struct motion m = possible_motion(p, shown, next), still = {0, 0};
	struct pen best = {.out = NULL};

	try_motion(p, shown, next, still, &best);
	if (m.rows || m.cols)
		try_motion(p, shown, next, m, &best);
	if (m.rows && m.cols) {
		try_motion(p, shown, next, (struct motion){m.rows, 0}, &best);
		try_motion(p, shown, next, (struct motion){0, m.cols}, &best);
	}
	p->pen = best;
	if (p->best.len > LONG_FRAME)
		pen_style(&p->pen, STYLE_PLAIN);
	p->failed = p->failed || p->best.failed;
}

void painter_paint(struct painter *p, packed_cell *shown, const packed_cell *next, int x, int y,
		   struct sbuf *out)
{
	size_t bytes = (size_t)p->pen.w * (size_t)p->pen.h * sizeof(*shown);

	p->cursor_x = x;
	p->cursor_y = y;
	if (memcmp(shown, next, bytes) != 0) {
		paint(p, shown, next);
		sbuf_add(out, p->best.text, p->best.len);
		memcpy(shown, next, bytes);
	} else if (x >= 0) {
		p->pen.out = out;
		pen_move(&p->pen, x, y);
	}
	out->failed = out->failed || p->failed;
	p->failed = false;
}
