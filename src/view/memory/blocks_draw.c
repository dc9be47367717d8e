/*
 * A frame of the block view: cells of lines, bars of caches, labels and headings; what signs mean.
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
#include "view/memory/lists.h"
#include "view/pane_list.h"
#include "view/ruler.h"

enum {
	COST_ROOM = 5,
	LABEL_LEAST = 8, /* columns that hold some of a name and a cost */
	FEW = 3,         /* holders at most that are told by + */
	MANY_ROLE = 15,  /* a stage's colour that is no cache's */
	FEW_ROLE = 1,
	HOT = 256,       /* events of a cell, from which on it is as hot as can be */
	WORD_LEAST = 7   /* columns of a bar that says which word loaded it */
};

/* Twice as many events, or more, each. */
static const char ramp[] = ".:-=+*#%@";

/* By cause: a letter, and the colour of a curve. */
static const char cause_letters[] = "crtfi";
static const enum role cause_roles[MEMORY_CAUSE_COUNT] = {
    [MEMORY_COLD] = ROLE_METRIC_0,	    [MEMORY_REPLACEMENT] = ROLE_METRIC_0 + 1,
    [MEMORY_TRUE] = ROLE_METRIC_0 + 2,	    [MEMORY_FALSE] = ROLE_METRIC_0 + 4,
    [MEMORY_INCLUSION] = ROLE_METRIC_0 + 3,
};

/* One level, while it is drawn. */
struct scene {
	struct blocks *b;
	const struct memory_index *x;
	const struct palette *p;
	struct grid *g;
	enum memory_level level;
	struct rect time, label; /* its cells */
	struct block_column *columns;
};

/* The two greys of several holders are left out. */
static enum role cache_role(uint32_t cache)
{
	const uint32_t slot = cache % (PALETTE_STAGES - 2);

	return (enum role)(ROLE_STAGE_0 + (slot ? slot + 1 : 0));
}

/* ---- cells ---- */

static const struct memory_row *rows(const struct scene *s)
{
	return s->b->part[s->level].rows.of.data;
}

/*
 * With an object selected, what others loaded is a thin line. What comes and goes within a cell is
 * not to look like what stays there.
 */
static void occupancy(const struct scene *s, const struct block_column *c, uint32_t *glyph,
		      struct style *style)
{
	const bool one = c->holders == 1, few = c->holders <= FEW;
	const struct memory_focus *f = &s->b->focus;
	enum role role = one   ? cache_role(c->cache)
			 : few ? ROLE_STAGE_0 + FEW_ROLE
			       : ROLE_STAGE_0 + MANY_ROLE;

	if (!c->holders)
		return;
	*glyph = one ? (uint32_t)memory_glyph(c->cache) : few ? '+' : '#';
	if (f->by_class) {
		const uint32_t class =
			memory_row_class(s->x, memory_by_block(s->level), &rows(s)[c->row]);

		role = memory_class_role(class);
		*glyph = one ? (uint32_t)memory_class_letter(class) : *glyph;
	}
	if (f->selected.chosen[MEMORY_BY_OBJECT] && !c->selected) {
		*glyph = s->g->ascii ? '-' : 0x2500;
		role = ROLE_DIM;
	}
	*style = palette_style(s->p, c->loads ? role : palette_stay(role));
	if (c->loads > 1)
		style->attrs |= ATTR_BOLD | ATTR_UNDERLINE;
}

static int most_frequent(const struct block_column *c)
{
	int most = 0;

	for (int k = 1; k < MEMORY_CAUSE_COUNT; k++)
		most = c->causes[k] > c->causes[most] ? k : most;
	return c->causes[most] ? most : -1;
}

static void temperature(const struct scene *s, const struct block_column *c, uint32_t *glyph,
			struct style *style)
{
	const int cause = most_frequent(c);
	int step = 0;

	if (!c->events)
		return;
	while (ramp[step + 1] && c->events >> (step + 1))
		step++;
	*glyph = (uint32_t)ramp[step];
	*style = palette_style(s->p, cause < 0 ? ROLE_TEXT : cause_roles[cause]);
}

static void causes(const struct scene *s, const struct block_column *c, uint32_t *glyph,
		   struct style *style)
{
	const int cause = most_frequent(c);

	if (!c->events)
		return;
	*glyph = cause < 0 ? '.' : (uint32_t)cause_letters[cause];
	*style = palette_style(s->p, heat_role(c->events, HOT));
}

static void (*const faces[FACE_COUNT])(const struct scene *, const struct block_column *,
					      uint32_t *, struct style *) = {
    [FACE_OCCUPANCY] = occupancy, [FACE_TEMPERATURE] = temperature, [FACE_CAUSES] = causes};

/* What does not belong to the selection is dim. */
static void draw_cells(const struct scene *s, const struct blocks_line *line, int y, bool dim)
{
	struct blocks_part *part = &s->b->part[s->level];

	blocks_columns(s->b, s->x, line, s->level, s->columns);
	for (int i = 0; i < s->time.w; i++) {
		uint32_t glyph = ' ';
		struct style style = {-1, -1, 0};

		part->sampled = part->sampled || s->columns[i].sampled;

		faces[s->b->face](s, &s->columns[i], &glyph, &style);
		if (dim && glyph != ' ')
			style = palette_style(s->p, ROLE_DIM);
		if (glyph != ' ')
			grid_put(s->g, s->time.x + i, y, glyph, style);
	}
}

/* ---- bars of one cache ---- */

/* "W[0]====)": what loaded it, private or shared, how it ended. */
static void draw_bar(const struct scene *s, const struct memory_stay *stay, int y, int *done)
{
	static const char ends[] = {
	    [MEMORY_RESIDENT] = '|', [MEMORY_REPLACED] = ']', [MEMORY_INVALIDATED] = ')'};
	const struct axis *a = &s->b->axis;
	const struct style style = palette_style(s->p, cause_roles[stay->cause]);
	int64_t x0, x1, change = a->columns;
	char word[24] = "";
	int len = 0;

	blocks_span(a, stay->start, stay->end, &x0, &x1);
	if (stay->change != MEMORY_NONE)
		change = axis_column_of(a, tick_add(stay->start, stay->change));
	if (stay->word != MEMORY_NONE && x1 - x0 + 1 >= WORD_LEAST)
		len = snprintf(word, sizeof(word), "%c[%" PRIu64 "]", stay->private ? 'W' : 'R',
			       (s->x->words[stay->word].address -
				s->x->blocks[stay->block].address) / WORD_BYTES);
	for (int64_t c = x0 > 0 ? x0 : 0; c <= x1 && c < s->time.w; c++) {
		const bool private = stay->private != (c >= change);
		uint32_t glyph = private ? '=' : '-';

		if (c - x0 < len)
			glyph = (uint32_t)word[c - x0];
		else if (c == x0 && stay->word != MEMORY_NONE)
			glyph = stay->private ? 'W' : 'R';
		if (c == x1 && x1 > x0)
			glyph = (uint32_t)ends[stay->ending];
		if (c == *done)
			glyph = '*'; /* several end and begin here */
		grid_put(s->g, s->time.x + (int)c, y, glyph, style);
		*done = (int)c;
	}
}

/* Where more end and begin than there are columns for, their number. */
static void draw_bars(const struct scene *s, const struct blocks_line *line, int y)
{
	const struct axis *a = &s->b->axis;
	int done = -1;
	uint32_t i, end;

	memory_stays(s->x, rows(s)[line->first].number, line->cache,
		     a->left, axis_right(a), &i, &end);
	if (end - i > (uint32_t)s->time.w) {
		draw_cells(s, line, y, false);
		return;
	}
	for (; i < end; i++) {
		const struct memory_stay *stay = &s->x->stays[s->x->by_block[i]];

		if (blocks_passes(s->b, stay->ending))
			draw_bar(s, stay, y, &done);
	}
}

/* ---- labels ---- */

/*
 * The dearest word of the dearest block, or its object, if that does not fit; &: there are others.
 * Returns what all blocks of the line cost.
 */
static uint64_t name_line(const struct scene *s, const struct blocks_line *line, int room,
			  struct sbuf *out)
{
	const struct memory_row *most = blocks_dearest(s->b, s->level, line);
	uint64_t cost = 0;

	for (uint32_t i = 0; i < line->count; i++)
		cost += rows(s)[line->first + i].cycles;
	if (most->word == MEMORY_NONE)
		sbuf_printf(out, "0x%" PRIx64, most->address);
	else
		memory_put_word(s->b->trace, most->word, out);
	if ((int)out->len > room && most->word != MEMORY_NONE &&
	    s->x->words[most->word].object != MEMORY_NONE) {
		sbuf_clear(out);
		memory_put_object(s->b->trace, s->x->words[most->word].object, out);
	}
	sbuf_puts(out, most->mixed ? " &" : "");
	if (line->count > 1)
		sbuf_printf(out, " +%" PRIu32, line->count - 1);
	return cost;
}

static bool is_dim(const struct scene *s, const struct blocks_line *line)
{
	if (!focus_selects(&s->b->focus))
		return false;
	for (uint32_t i = 0; i < line->count; i++)
		if (rows(s)[line->first + i].related)
			return false;
	return true;
}

static void draw_label(const struct scene *s, const struct blocks_line *line, int y, bool here)
{
	const struct rect r = {s->label.x, y, s->label.w, 1};
	const bool dim = is_dim(s, line);
	const int room = r.w - COST_ROOM - 1;
	struct style style = palette_style(s->p, here  ? ROLE_CURSOR_ROW
						 : dim ? ROLE_DIM
						       : ROLE_TEXT);
	struct sbuf name = {0}, fit = {0};
	uint64_t cost;
	char n[32];

	if (r.w < LABEL_LEAST)
		return;
	if (focus_selects(&s->b->focus) && !dim)
		style.attrs |= ATTR_BOLD;
	cost = name_line(s, line, room, &name);
	abbreviate_path(&fit, sbuf_text(&name), name.len, room);
	grid_fill(s->g, r, ' ', style);
	grid_text(s->g, r, r.x, y, sbuf_text(&fit), fit.len, style);
	grid_printf(s->g, r, r.x + r.w - COST_ROOM, y, style, "%*s", COST_ROOM,
		    num_short((double)cost, COST_ROOM, n));
	sbuf_free(&name);
	sbuf_free(&fit);
}

/* Nothing vanishes silently. */
static void draw_others(const struct scene *s, int y, bool here)
{
	const struct rect r = {s->label.x, y, s->time.x + s->time.w - s->label.x, 1};
	struct sbuf text = {0};

	sbuf_puts(&text, "others: ");
	memory_put_others(&s->b->part[s->level].rows, &text);
	grid_puts(s->g, r, r.x, y, sbuf_text(&text),
		  palette_style(s->p, here ? ROLE_CURSOR_ROW : ROLE_DIM));
	sbuf_free(&text);
}

static void draw_line(const struct scene *s, uint32_t number, int y)
{
	const struct blocks_line line = blocks_line(s->b, s->level, number);
	const bool here = s->b->level == s->level && s->b->line == number;
	const struct rect r = {s->label.x, y, s->label.w, 1};

	switch (line.kind) {
	case LINE_BLOCKS:
		draw_cells(s, &line, y, is_dim(s, &line));
		draw_label(s, &line, y, here);
		break;
	case LINE_CACHE:
		draw_bars(s, &line, y);
		grid_printf(s->g, r, r.x, y, palette_style(s->p, here ? ROLE_CURSOR_ROW : ROLE_TEXT),
			    "  %c %s[%" PRIu32 "]", memory_glyph(line.cache),
			    s->level == MEMORY_L1 ? "L1" : "L2", line.cache);
		break;
	case LINE_OTHERS:
		draw_others(s, y, here);
		break;
	case LINE_NONE:
		break;
	}
}

/* ---- headings ---- */

/* What cells mean, as far as there is room behind the numbers. */
static const char *const legends[FACE_COUNT] = {
    [FACE_OCCUPANCY] = "+ 2 or 3 caches, # more",
    [FACE_TEMPERATURE] = ". 1 event, : 2, - 4, ... @ 256",
    [FACE_CAUSES] = "c cold, r replacement, t true, f false, i inclusion"};

/* What narrows it comes first, what explains it last; signs of endings are those of bars. */
static void put_heading(const struct scene *s, int room, struct sbuf *out)
{
	const struct blocks *b = s->b;
	const struct blocks_part *part = &b->part[s->level];
	char n[32], m[32], caches[MEMORY_GLYPHS + 1] = "";

	num_group((int64_t)part->taken, n);
	num_group((int64_t)part->replaced, m);
	for (uint32_t c = 0, len = 0; c < s->x->caches[s->level] && c < MEMORY_GLYPHS; c++)
		if (blocks_shows_cache(b, c))
			caches[len++] = memory_glyph(c);
	sbuf_printf(out, "L%d %s, %zu/%zu blocks by %s", s->level + 1,
		    blocks_choices[CHOICE_FACE].names[b->face], part->rows.lines, part->rows.all,
		    blocks_choices[CHOICE_ORDER].names[b->order]);
	if (b->ends != ENDS_ALL)
		memory_add_part(out, room, "%s alone", blocks_choices[CHOICE_ENDS].names[b->ends]);
	if (b->hidden)
		memory_add_part(out, room, "caches %s", caches);
	if (part->sampled && b->face != FACE_OCCUPANCY)
		memory_add_part(out, room, "estimated from %d stays a cell", BLOCKS_LOOKED_AT);
	if (!memory_add_part(out, room, "%s coherence, %s replacement", n, m))
		memory_add_part(out, room, "%s ) %s ]", n, m);
	memory_add_part(out, room, "%s",
		 b->focus.by_class && b->face == FACE_OCCUPANCY ? "letters: classes"
								: legends[b->face]);
}

static void draw_heading(const struct scene *s)
{
	const struct rect line = {s->label.x, s->time.y - 1,
				  s->time.x + s->time.w - s->label.x, 1};
	const struct style border = palette_style(s->p, ROLE_BORDER);
	struct sbuf text = {0}, fit = {0};

	put_heading(s, line.w, &text);
	text_cut(&fit, sbuf_text(&text), line.w);
	grid_fill(s->g, line, s->g->ascii ? '-' : 0x2500, border);
	grid_text(s->g, line, line.x, line.y, sbuf_text(&fit), fit.len, border);
	grid_put(s->g, line.x + text_width(sbuf_text(&fit), fit.len), line.y, ' ', border);
	sbuf_free(&text);
	sbuf_free(&fit);
}

static void draw_cursor(const struct scene *s)
{
	const int64_t x = axis_column_of(&s->b->axis, s->b->axis.tick);
	const struct blocks_part *part = &s->b->part[s->level];
	const int y = s->time.y + (int)(s->b->line - part->top);

	if (s->level == s->b->level && x >= 0 && x < s->time.w && y < s->time.y + s->time.h)
		grid_spot(s->g, s->time.x + (int)x, y, palette_style(s->p, ROLE_CURSOR));
}

static void draw_part(const struct scene *s)
{
	struct blocks_part *part = &s->b->part[s->level];

	part->sampled = false;
	for (int i = 0; i < part->h; i++)
		draw_line(s, part->top + (uint32_t)i, s->time.y + i);
	draw_heading(s);
	draw_cursor(s);
}

enum status blocks_draw(struct blocks *b, struct grid *g, struct rect area, const struct palette *p,
			struct error *e)
{
	const struct axis *a = &b->axis;
	const struct rect time = {area.x + a->gutter, area.y, a->columns, area.h};
	struct scene s = {.b = b, .p = p, .g = g};

	(void)e;
	s.columns = xcalloc((size_t)a->columns + 1, sizeof(*s.columns));
	s.x = memory_lock(b->trace);
	ruler_draw(a, g, (struct rect){time.x, time.y, time.w, ruler_lines(area.h)}, p);
	for (int i = 0; i < MEMORY_LEVELS && time.w > 0; i++) {
		const struct blocks_part *part = &b->part[i];

		if (!blocks_both(b) && (int)b->level != i)
			continue;
		s.level = (enum memory_level)i;
		s.time = (struct rect){time.x, area.y + part->y, time.w, part->h};
		s.label = (struct rect){area.x, s.time.y, a->gutter > 0 ? a->gutter - 1 : 0, part->h};
		draw_part(&s);
	}
	memory_unlock(b->trace);
	ruler_selection(a, g, time, p);
	free(s.columns);
	return STATUS_OK;
}

/* ---- the legend ---- */

static const struct memory_sign notation[] = {
    {NULL, ROLE_DIM, "Occupancy: who has the block"},
    {"0-9 a-z", ROLE_STAGE_0, "one cache"},
    {"+", ROLE_STAGE_0 + FEW_ROLE, "two or three caches"},
    {"#", ROLE_STAGE_0 + MANY_ROLE, "more caches"},
    {"underline", ROLE_TEXT, "loaded twice or more"},
    {"---", ROLE_DIM, "another object's"},
    {NULL, ROLE_DIM, "Temperature: loads and losses"},
    {ramp, ROLE_TEXT, "1, 2, 4 to 256"},
    {NULL, ROLE_DIM, "A block unfolded"},
    {"R, W[2]", ROLE_TEXT, "read, word 2 written"},
    {"- =", ROLE_TEXT, "shared, private"},
    {") ] |", ROLE_TEXT, "taken, replaced, kept"},
    {"*", ROLE_TEXT, "one ends, one begins"},
    {NULL, ROLE_DIM, "Causes of loads"},
};

/* Of causes and classes, which have a letter. */
static void add_letter(struct list_pane *list, char letter, enum role role, const char *text)
{
	memory_add_signs(list, &(struct memory_sign){(const char[]){letter, 0}, role, text}, 1);
}

/* Signs of blocks, then those of causes. */
static void add_signs(struct list_pane *list, const struct memory_index *x)
{
	memory_add_signs(list, notation, sizeof(notation) / sizeof(notation[0]));
	for (int k = 0; k < MEMORY_CAUSE_COUNT; k++)
		add_letter(list, cause_letters[k], cause_roles[k],
			   k == MEMORY_FALSE && !x->masks ? "false (upper bound)"
							  : memory_cause_names[k]);
}

struct pane *blocks_legend_pane(const struct blocks *b, bool lists)
{
	struct list_pane *list = list_pane_new(NULL);
	const struct memory_index *x = memory_lock(b->trace);
	struct sbuf name = {0};

	snprintf(list->title, sizeof(list->title), "Legend");
	if (lists)
		ranking_add_signs(list);
	else
		add_signs(list, x);
	list_pane_heading(list, "Classes of objects");
	for (uint32_t i = 0; i < x->class_count; i++, sbuf_clear(&name)) {
		memory_put(b->trace, x, NULL, MEMORY_BY_CLASS, i, &name);
		add_letter(list, memory_class_letter(i), memory_class_role(i), sbuf_text(&name));
	}
	memory_unlock(b->trace);
	sbuf_free(&name);
	return &list->pane;
}
