#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "app/state.h"
#include "base/num.h"
#include "base/text.h"
#include "view/pane_wrap.h"

enum { LONG_SHARE = 3 }; /* of the rows, for a message */

/* What is true of the trace as a whole, at the right: progress, damage, change. */
static void trace_state(const struct app *a, struct sbuf *out)
{
	static const char *const states[] = {
	    [LIVE_OVER] = "reading",
	    [LIVE_READING] = "reading",
	    [LIVE_FOLLOWING] = "following",
	    [LIVE_PAUSED] = "paused",
	};
	const struct tab *t = a->tab;
	uint64_t warnings = t->trace->kind->warning_count(t->trace);
	enum live live = tab_live(t);
	struct progress p;
	char number[32];

	trace_progress(t->trace, &p);
	if (t->change != SOURCE_SAME) {
		sbuf_printf(out, "  %s: ",
			    t->change == SOURCE_GROWN       ? "grown"
			    : t->change == SOURCE_TRUNCATED ? "cut"
							    : "replaced");
		app_key_of(a, "reload", out);
		sbuf_puts(out, " reloads");
	}
	if (p.guessed)
		sbuf_printf(out, "  %s guessed", p.guessed);
	if (warnings)
		sbuf_printf(out, "  %s warning%s", num_group((int64_t)warnings, number),
			    warnings == 1 ? "" : "s");
	tail_title(a, out);
	if (p.complete && !p.cancelled) {
		/* of a started program that has just been said */
		if (source_is_pipe(t->trace->source) && (!a->child || t != a->child_tab))
			sbuf_puts(out, "  ended");
		return;
	}
	sbuf_printf(out, "  %s", p.cancelled ? "stopped" : states[live]);
	/* nobody knows how much will come out of what is live */
	if (p.bytes_total && live == LIVE_OVER && !source_is_pipe(t->trace->source))
		sbuf_printf(out, " %s%d %%", p.cancelled ? "at " : "", tab_percent(&p));
}

/* What both names begin with gives way before what tells them apart. */
static void add_name(const struct sbuf *name, const struct sbuf *other, int columns,
		     struct sbuf *out)
{
	const char *text = sbuf_text(name);
	size_t at = 0;
	uint32_t cp;

	while (at < name->len &&
	       text_width(text + at, name->len - at) + (at > 0) > columns) {
		size_t n = text_decode(text + at, name->len - at, &cp);

		if (at + n > other->len || memcmp(text + at, sbuf_text(other) + at, n) != 0)
			break;
		at += n;
	}
	sbuf_puts(out, at ? "\342\200\246" : "");
	text_cut(out, text + at, columns - (at > 0));
}

/* The end of a path: its name, with the folders that it takes to tell it from another path. */
static void put_end(const char *path, const char *other, struct sbuf *out)
{
	const char *p = path + strlen(path), *q = other + strlen(other);

	while (p > path && q > other && p[-1] == q[-1]) {
		p--;
		q--;
	}
	p -= p > path && q == other; /* before a folder that the other has not */
	while (p > path && p[-1] != '/')
		p--;
	text_sanitise(out, p, strlen(p));
}

/* "A old.trc  B new.trc", the one with the focus in brackets; names are cut, letters are not. */
static void joined_names(const struct joined *j, const struct tab *focus, int room,
			 struct sbuf *out)
{
	enum { BESIDE = 8 }; /* columns of letters, brackets and blanks */
	struct sbuf names[JOINED_SIDES] = {{0}};

	for (int s = 0; s < JOINED_SIDES; s++)
		put_end(j->side[s]->path, j->side[!s]->path, &names[s]);
	for (int s = 0; s < JOINED_SIDES; s++) {
		const struct sbuf *other = &names[!s];
		int half = (room - BESIDE) / 2;
		int rest = room - BESIDE - text_width(sbuf_text(other), other->len);
		bool has = j->side[s] == focus;

		sbuf_printf(out, "%s%s%c%s ", s ? "  " : "", has ? "[" : "", joined_letter(s),
			    has ? "]" : "");
		add_name(&names[s], other, rest > half ? rest : half, out);
	}
	for (int s = 0; s < JOINED_SIDES; s++)
		sbuf_free(&names[s]);
}

static void trace_name(const struct app *a, int room, struct sbuf *out)
{
	const struct joined *j = joined_shown(a);

	if (a->tab_count > (j ? JOINED_SIDES : 1))
		sbuf_printf(out, "[%d/%d] ", app_tab_index(a) + 1, a->tab_count);
	if (j)
		joined_names(j, a->tab, room - (int)out->len, out);
	else
		sbuf_puts(out, sbuf_text(&a->tab->name));
}

/* Behind the name, when all else has room. */
static void trace_format(const struct app *a, int room, struct sbuf *out)
{
	const char *format = a->tab->trace->format.name;

	if (text_width(sbuf_text(out), out->len) + 2 + (int)strlen(format) <= room)
		sbuf_printf(out, "  %s", format);
}

void title_draw(struct app *a, struct grid *g)
{
	struct rect area = a->layout.title;
	struct style style =
	    palette_style(&a->palette, panes_focused(a) ? ROLE_TITLE_IDLE : ROLE_TITLE);
	struct sbuf name = {0}, state = {0}, place = {0};
	struct rect left = area;
	int state_width, width, room;

	if (area.h <= 0)
		return;
	grid_fill(g, area, ' ', style);
	if (!a->tab) {
		grid_puts(g, area, area.x, area.y, PACKAGE_STRING, style);
		return;
	}
	trace_state(a, &state);
	state_width = text_width(sbuf_text(&state), state.len);
	if (state_width > area.w / 2)
		state_width = 0;
	/* the place is more important than all of the name */
	room = area.w - state_width < 40 ? area.w / 3 : (area.w - state_width) / 2;
	trace_name(a, room, &name);
	width = text_width(sbuf_text(&name), name.len);
	a->tab->view->kind->status(a->tab->view, area.w - state_width - 2 - (width < room ? width : room),
				    &place);
	if (joined_shown(a)) { /* two names: they get all that the place leaves */
		room = area.w - state_width - 2 - text_width(sbuf_text(&place), place.len);
		sbuf_clear(&name);
		trace_name(a, room, &name);
		width = text_width(sbuf_text(&name), name.len);
	}
	trace_format(a, area.w - state_width - 2 - text_width(sbuf_text(&place), place.len), &name);
	left.w = width < room ? area.w - state_width : room;
	left.w = grid_text(g, left, area.x, area.y, sbuf_text(&name), name.len, style);
	grid_text(g, area, area.x + left.w + 2, area.y, sbuf_text(&place), place.len, style);
	if (state_width)
		grid_text(g, area, area.x + area.w - state_width, area.y, state.text, state.len,
			  style);
	sbuf_free(&name);
	sbuf_free(&state);
	sbuf_free(&place);
}

void view_narrowed(const char *what, const struct regex *re, int columns, struct sbuf *out)
{
	if (!re)
		return;
	sbuf_printf(out, "  %s: /", what);
	text_cut(out, regex_pattern(re), columns ? columns : 1);
	sbuf_putc(out, '/');
}

/* What narrows the view, with patterns of at most so many columns; 0: without them. */
static void filters(const struct app *a, int columns, struct sbuf *out)
{
	const struct view *v = a->tab->view;

	if (v->kind->narrowed)
		v->kind->narrowed(v, columns, out);
	else if (v->kind->filter)
		view_narrowed("components", a->tab->components, columns, out);
}

/* The same in at most so many columns; nothing when there is no way. */
static void note(const struct app *a, int room, struct sbuf *out)
{
	sbuf_clear(out);
	if (!a->tab)
		return;
	filters(a, room > 0 ? room : 0, out);
	for (int columns = room; text_width(sbuf_text(out), out->len) > room; columns--) {
		sbuf_clear(out);
		if (columns < 0)
			return;
		filters(a, columns, out);
	}
}

/* Keys that wait for more, and work that goes on. */
static void pending(const struct app *a, struct sbuf *out)
{
	jobs_say(a, out);
	if (a->count < 0 && !a->pending.count)
		return;
	sbuf_puts(out, "  ");
	if (a->count >= 0)
		sbuf_printf(out, "%" PRId64, a->count);
	keymap_spell(&a->pending, out);
}

/* What the user has to know now; ROLE_STATUS: nothing. */
static enum role urgent_text(struct app *a, struct sbuf *out)
{
	sbuf_add(out, a->message.text, a->message.len);
	return !a->message.len ? ROLE_STATUS : a->message_error ? ROLE_ERROR : ROLE_MESSAGE;
}

static int width_of(const struct sbuf *s)
{
	return text_width(sbuf_text(s), s->len);
}

/* "selected: 1.5 us from 3 us on" */
static void tell_selection(const struct view *v, struct sbuf *out)
{
	int64_t from, to;

	axis_selected(v->axis, &from, &to);
	sbuf_puts(out, "selected: ");
	axis_tell_length(v->axis, tick_sub(to, from), out);
	sbuf_puts(out, " from ");
	axis_tell(v->axis, from, out);
	sbuf_puts(out, " on");
}

static void describe(struct app *a, int width, struct sbuf *out)
{
	struct sbuf cell = {0};

	joined_describe(a, out);
	if (a->tab && a->tab->view->axis->selecting && resources_select_time(a))
		tell_selection(a->tab->view, &cell);
	else if (resources_have_keys(a))
		resources_hint(a, &cell);
	else if (a->tab)
		a->tab->view->kind->describe(a, a->tab->view, width - width_of(out), &cell);
	sbuf_puts(out, out->len && cell.len ? "  " : "");
	text_cut(out, sbuf_text(&cell), width - width_of(out));
	sbuf_free(&cell);
}

/*
 * A message has the line to itself but for the keys that wait for more; the note of what
 * narrows the view takes what is left. Without a message they share the line.
 */
static enum role share_line(struct app *a, int width, struct sbuf *left, struct sbuf *right)
{
	enum role role = urgent_text(a, left);
	struct sbuf keys = {0};
	int room;

	pending(a, &keys);
	room = width - width_of(&keys);
	if (role == ROLE_STATUS) {
		note(a, room / 2, right);
		describe(a, room - width_of(right), left);
	}
	note(a, room - width_of(left), right);
	sbuf_add(right, sbuf_text(&keys), keys.len);
	sbuf_free(&keys);
	return role;
}

/* What to do about an error is told at a message's end, or a number: all is shown, over the rows. */
static bool draw_long_message(struct app *a, struct grid *g, struct rect area)
{
	enum role role = a->message_error ? ROLE_ERROR : ROLE_MESSAGE;
	struct style style = palette_style(&a->palette, role);
	struct pane_line line = {0};
	struct wrap_row r = {0};
	int rows, most = a->layout.h / LONG_SHARE;

	if (a->pending.count || width_of(&a->message) <= area.w || most < 2)
		return false;
	pane_line_add(&line, role, "%s", sbuf_text(&a->message));
	rows = pane_wrap_count(&line, area.w);
	rows = rows < most ? rows : most;
	area.y -= rows - 1;
	area.h = rows;
	grid_fill(g, area, ' ', palette_style(&a->palette, ROLE_STATUS));
	for (int y = 0; y < rows && pane_wrap_next(&line, area.w, &r); y++)
		grid_text(g, area, area.x + r.indent, area.y + y, line.text.text + r.from,
			  r.to - r.from, style);
	sbuf_free(&line.text);
	return true;
}

void status_draw(struct app *a, struct grid *g)
{
	struct rect area = a->layout.status;
	struct style style = palette_style(&a->palette, ROLE_STATUS);
	struct sbuf left = {0}, right = {0};
	struct rect rest = area;
	enum role role;
	int width;

	if (area.h <= 0)
		return;
	if (a->prompt.open) {
		prompt_draw(a, g, area);
		return;
	}
	if (draw_long_message(a, g, area))
		return;
	grid_fill(g, area, ' ', style);
	role = share_line(a, area.w, &left, &right);
	width = width_of(&right);
	rest.w = width < area.w ? area.w - width : 0;
	if (role != ROLE_STATUS && width_of(&left) > rest.w) {
		sbuf_clear(&left);
		text_cut(&left, sbuf_text(&a->message), rest.w);
	}
	grid_text(g, rest, area.x, area.y, sbuf_text(&left), left.len,
		  palette_style(&a->palette, role));
	if (width <= area.w)
		grid_text(g, area, area.x + area.w - width, area.y, sbuf_text(&right), right.len,
			  style);
	sbuf_free(&left);
	sbuf_free(&right);
}
