/*
 * A frame of the block view: cells of lines, bars of caches, labels and headings.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "view/abbreviate.h"
#include "view/memory/blocks.h"
#include "view/ruler.h"

enum {
	COST_ROOM = 5,
	LABEL_LEAST = 8, /* columns that hold some of a name and a cost */
	FEW = 3,         /* holders at most that are told by + */
	HOT = 256,       /* events of a cell, from which on it is as hot as can be */
	SHORT = 4,       /* columns of a number where there is no room for more */
	WORD_LEAST = 7   /* columns of a bar that says which word loaded it */
};

/* One level, while it is drawn. */
struct scene {
	struct blocks *b;
	const struct memory_index *x;
	const struct palette *p;
	struct grid *g;
	enum memory_level level;
	struct blocks_part *part;
	const struct split_part *lines;
	struct rect area, time; /* of the view; its cells */
	struct block_column *columns;
};

/* The two greys of several holders are left out. */
static enum role cache_role(uint32_t cache)
{
	const uint32_t slot = cache % (PALETTE_STAGES - 2);

	return (enum role)(ROLE_STAGE_0 + (slot ? slot + 1 : 0));
}

/* ---- cells ---- */

/*
 * With an object selected, what others loaded is a thin line. What comes and goes within a cell is
 * not to look like what stays there.
 */
static struct cell occupancy(const struct scene *s, const struct block_column *c)
{
	const bool one = c->holders == 1, few = c->holders <= FEW;
	const struct memory_focus *f = &s->b->focus;
	const uint32_t class = s->part->rows.of.data[c->row].class;
	struct cell cell = {.cp = (uint32_t)(!one	   ? few ? '+' : '#'
					     : f->by_class ? memory_class_letter(class)
							   : memory_glyph(c->cache))};
	enum role role = f->by_class ? memory_class_role(class)
			 : one	     ? cache_role(c->cache)
				     : ROLE_STAGE_0 + (few ? BLOCKS_FEW : BLOCKS_MANY);

	if (f->selected.chosen[MEMORY_BY_OBJECT] && !c->selected) {
		cell.cp = 0x2500;
		role = ROLE_DIM;
	}
	cell.style = palette_style(s->p, c->loads ? role : palette_stay(role));
	if (c->loads > 1)
		cell.style.attrs |= ATTR_BOLD | ATTR_UNDERLINE;
	return cell;
}

/* How many events, and of which cause most were: one is told by a sign, the other by a colour. */
static struct cell events(const struct scene *s, const struct block_column *c)
{
	unsigned cause = 0, step = 0;

	for (unsigned k = 1; k < MEMORY_CAUSE_COUNT; k++)
		cause = c->causes[k] > c->causes[cause] ? k : cause;
	while (blocks_ramp[step + 1] && c->events >> (step + 1))
		step++;
	if (s->b->look.face == FACE_CAUSES)
		return (struct cell){
		    (uint32_t)(c->causes[cause] ? *memory_cause_names[cause] : '.'),
		    palette_style(s->p, heat_role(c->events, HOT))};
	return (struct cell){
	    (uint32_t)blocks_ramp[step],
	    palette_style(s->p, c->causes[cause] ? ROLE_METRIC_0 + cause : ROLE_TEXT)};
}

/* What does not belong to the selection is dim. */
static void draw_cells(const struct scene *s, const struct blocks_line *line, int y, bool dim)
{
	const bool held = s->b->look.face == FACE_OCCUPANCY;

	blocks_columns(s->b, s->x, line, s->level, s->columns);
	for (int i = 0; i < s->time.w; i++) {
		const struct block_column *c = &s->columns[i];
		const struct cell cell = held ? occupancy(s, c) : events(s, c);

		s->part->sampled |= c->sampled;
		if (held ? c->holders : c->events)
			grid_put(s->g, s->time.x + i, y, cell.cp,
				 dim ? palette_style(s->p, ROLE_DIM) : cell.style);
	}
}

/* ---- bars of one cache ---- */

/* "W[0]====)": what loaded it, private or shared, how it ended; up to the trace's last column. */
static void draw_bar(const struct scene *s, const struct memory_stay *stay, int y, int64_t *done)
{
	static const char ends[] = {
	    [MEMORY_RESIDENT] = '|', [MEMORY_REPLACED] = ']', [MEMORY_INVALIDATED] = ')'};
	const struct axis *a = &s->b->axis;
	const int64_t last = tick_clamp(stay->end - 1, stay->start, a->last);
	const int64_t x0 = axis_column_of(a, stay->start);
	const int64_t wide = a->zoom < 0 && stay->end > stay->start ? INT64_C(1) << -a->zoom : 1;
	const int64_t x1 = axis_column_of(a, last) + wide - 1;
	const int64_t change = stay->change == MEMORY_NONE
				   ? INT64_MAX
				   : axis_column_of(a, tick_add(stay->start, stay->change));
	const struct memory_cell *by = memory_access(s->x, stay->cell);
	char word[24] = "";

	if (stay->cell != MEMORY_NONE)
		snprintf(word, x1 - x0 + 1 < WORD_LEAST ? 2 : sizeof(word), "%c[%" PRIu64 "]",
			 stay->private ? 'W' : 'R',
			 (s->x->words[by->word].address - s->x->blocks[stay->block].address) /
			     WORD_BYTES);
	for (int64_t c = x0 > 0 ? x0 : 0; c <= x1 && c < s->time.w; *done = c++) {
		const char glyph = c == *done		     ? '*' /* several end and begin here */
				   : c == x1 && x1 > x0	     ? ends[stay->ending]
				   : c - x0 < (int64_t)strlen(word) ? word[c - x0]
				   : stay->private != (c >= change) ? '='
								    : '-';

		grid_put(s->g, s->time.x + (int)c, y, (uint32_t)glyph,
			 palette_style(s->p, ROLE_METRIC_0 + stay->cause));
	}
}

/* Where more end and begin than there are columns for, their number. */
static void draw_bars(const struct scene *s, const struct blocks_line *line, int y)
{
	const struct axis *a = &s->b->axis;
	int64_t done = -1;
	uint32_t i, end;

	memory_stays(s->x, s->part->rows.of.data[line->first].number, line->cache, a->left,
		     axis_right(a), &i, &end);
	if (end - i > (uint32_t)s->time.w)
		draw_cells(s, line, y, false);
	else
		for (; i < end; i++)
			if (blocks_passes(s->b, s->x->ordered[i].ending))
				draw_bar(s, &s->x->ordered[i], y, &done);
}

/* ---- labels ---- */

/* The dearest word of the dearest block, or its object; nothing vanishes: "228 others, 21 %". */
static void name_line(const struct scene *s, const struct blocks_line *line, int room,
		      struct sbuf *out)
{
	const struct memory_rows *rows = &s->part->rows;
	const struct memory_row *most = &rows->of.data[line->dearest];
	const uint32_t word = line->count ? s->x->blocks[most->number].word : MEMORY_NONE;
	const uint32_t object = word == MEMORY_NONE ? word : s->x->words[word].object;

	if (!line->count)
		sbuf_printf(out, "%zu others, %.0f %%", rows->of.count - rows->lines,
			    100 * memory_share(rows->others, rows->worth));
	else if (word == MEMORY_NONE)
		sbuf_printf(out, "0x%" PRIx64, most->address);
	else
		memory_put_word(s->b->trace, word, out);
	if ((int)out->len > room && object != MEMORY_NONE) {
		sbuf_clear(out);
		memory_put_object(s->b->trace, object, out);
	}
	if (line->count > 1)
		sbuf_printf(out, " +%" PRIu32, line->count - 1);
}

static void draw_label(const struct scene *s, const struct blocks_line *line, struct rect r,
		       enum role role)
{
	const int room = r.w - COST_ROOM - 1;
	const uint64_t worth = line->count ? line->worth : s->part->rows.others;
	struct style style = palette_style(s->p, role);
	struct sbuf name = {0}, fit = {0};
	char n[32];

	if (r.w < LABEL_LEAST)
		return;
	if (line->related)
		style.attrs |= ATTR_BOLD;
	name_line(s, line, room, &name);
	abbreviate_path(&fit, sbuf_text(&name), name.len, room);
	grid_fill(s->g, r, ' ', style);
	grid_text(s->g, r, r.x, r.y, sbuf_text(&fit), fit.len, style);
	grid_right(s->g, r, r.x + r.w, r.y, num_short((double)worth, COST_ROOM, n), style);
	sbuf_free(&name);
	sbuf_free(&fit);
}

static void draw_line(const struct scene *s, int64_t number, int y)
{
	const struct blocks_line line = blocks_line(s->b, s->level, number);
	const bool here = blocks_level(s->b) == s->level && s->lines->line == number;
	const bool dim = !line.count || (s->part->rows.selects && !line.related && !line.unfolded);
	const enum role role = here ? ROLE_CURSOR_ROW : dim ? ROLE_DIM : ROLE_TEXT;
	const struct rect r = {s->area.x, y, s->b->axis.gutter - 1, 1};

	if (line.unfolded) {
		draw_bars(s, &line, y);
		grid_printf(s->g, r, r.x, y, palette_style(s->p, role), "  %c L%d[%" PRIu32 "]",
			    memory_glyph(line.cache), s->level + 1, line.cache);
		return;
	}
	if (line.count)
		draw_cells(s, &line, y, dim);
	draw_label(s, &line, r, role);
}

/* ---- headings ---- */

/* What cells mean. */
static const struct {
	const char *name, *legend;
} faces[FACE_COUNT] = {
    [FACE_OCCUPANCY] = {"occupancy", "+ 2-3 caches, # more"},
    [FACE_TEMPERATURE] = {"temperature", ". 1, : 2 to @ 256 events"},
    [FACE_CAUSES] = {"causes", "cold, replaced, true, false, inclusion"}};

/* What narrows it, then how stays of caches that are shown ended, then what cells mean. */
static void put_heading(const struct scene *s, struct sbuf *out)
{
	const struct blocks *b = s->b;
	const struct blocks_look *look = &b->look;
	const struct memory_rows *rows = &s->part->rows;
	char caches[MEMORY_GLYPHS + 1] = "", n[32], m[32];
	int64_t taken = 0, replaced = 0;

	for (uint32_t c = 0, len = 0; c < s->x->caches[s->level] && c < MEMORY_GLYPHS; c++)
		if (blocks_shows_cache(b, c)) {
			caches[len++] = memory_glyph(c);
			taken += s->x->ended[s->level][c][MEMORY_INVALIDATED];
			replaced += s->x->ended[s->level][c][MEMORY_REPLACED];
		}
	sbuf_printf(out, "L%d %s, %zu/%zu blocks by %s", s->level + 1,
		    faces[look->face].name, rows->lines, rows->all,
		    row_order_names[look->order]);
	if (b->focus.without[0])
		sbuf_printf(out, "  hidden: %s", b->focus.without);
	if (look->ends != ENDS_ALL)
		sbuf_printf(out, "  %s alone",
			    look->ends == ENDS_COHERENCE ? "coherence" : "replacement");
	if (b->hidden)
		sbuf_printf(out, "  caches %s", caches);
	memory_rows_put_related(rows, &b->focus, out);
	if (s->part->sampled && look->face != FACE_OCCUPANCY)
		sbuf_puts(out, "  estimated");
	if (rows->of.count == rows->all) /* of all blocks */
		sbuf_printf(out, "  %s taken, %s replaced", num_short((double)taken, SHORT, n),
			    num_short((double)replaced, SHORT, m));
	sbuf_printf(out, "  %s ",
		    b->focus.by_class && look->face == FACE_OCCUPANCY ? "letters: classes"
								      : faces[look->face].legend);
}

static void draw_heading(const struct scene *s)
{
	const struct rect line = {s->area.x, s->time.y - 1, s->area.w, 1};
	const struct style border = palette_style(s->p, ROLE_BORDER);
	struct sbuf text = {0}, fit = {0};

	put_heading(s, &text);
	text_cut(&fit, sbuf_text(&text), line.w);
	grid_fill(s->g, line, 0x2500, border);
	grid_text(s->g, line, line.x, line.y, sbuf_text(&fit), fit.len, border);
	sbuf_free(&text);
	sbuf_free(&fit);
}

static void draw_part(const struct scene *s)
{
	const int64_t x = axis_column_of(&s->b->axis, s->b->axis.tick);
	const int64_t top = s->lines->top, y = s->lines->line - top, left = s->lines->count - top;
	const struct rect used = {s->time.x, s->time.y, s->time.w,
				  left < s->time.h ? (int)left : s->time.h};

	s->part->sampled = false;
	ruler_untraced(&s->b->axis, s->b->trace, s->g, used, s->p);
	for (int i = 0; i < s->time.h && top + i < s->lines->count; i++)
		draw_line(s, top + i, s->time.y + i);
	draw_heading(s);
	if (s->level == blocks_level(s->b) && x >= 0 && x < s->time.w && y < s->time.h)
		grid_spot(s->g, s->time.x + (int)x, s->time.y + (int)y,
			  palette_style(s->p, ROLE_CURSOR));
}

void blocks_draw(struct blocks *b, const struct marks *marks, struct grid *g, struct rect area,
		 const struct palette *p)
{
	const struct axis *a = &b->axis;
	const struct rect time = {area.x + a->gutter, area.y, a->columns, area.h};
	const struct rect ruler = {time.x, time.y, time.w, ruler_lines(area.h)};
	struct scene s = {.b = b, .p = p, .g = g, .area = area};

	s.columns = xcalloc((size_t)a->columns + 1, sizeof(*s.columns));
	s.x = memory_lock(b->trace);
	ruler_draw(a, g, ruler, p);
	ruler_marks(a, g, ruler, marks, p);
	for (int i = 0; i < MEMORY_LEVELS && time.w > 0; i++) {
		if (!b->split.both && b->split.in != i)
			continue;
		s.level = (enum memory_level)i;
		s.part = &b->part[i];
		s.lines = &b->split.part[i];
		s.time = (struct rect){time.x, area.y + s.lines->y, time.w, s.lines->h};
		draw_part(&s);
	}
	memory_unlock(b->trace);
	ruler_selection(a, g, time, p);
	free(s.columns);
}
