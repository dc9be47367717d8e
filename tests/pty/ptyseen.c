#include "config.h"

#include "ptyscript_private.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

struct sought {
	const char *text;
	int row; /* -1: any */
	bool gone;
};

static bool is_seen(struct ptyrun *p, void *data)
{
	const struct sought *t = data;
	struct sbuf text = {0};
	bool found;

	if (t->row < 0)
		emulator_text(&p->emulator, &text);
	else
		emulator_row(&p->emulator, t->row, &text);
	found = strstr(sbuf_text(&text), t->text) != NULL;
	sbuf_free(&text);
	return found != t->gone;
}

static bool seek(struct script *s, struct sought t)
{
	return ptyrun_wait(&s->run, is_seen, &t) || wrong(s, "not seen");
}

bool script_expect(struct script *s)
{
	return seek(s, (struct sought){s->words[1], -1, false});
}

bool script_expect_gone(struct script *s)
{
	return seek(s, (struct sought){s->words[1], -1, true});
}

bool script_expect_row(struct script *s)
{
	int row = number(s, 1);

	return seek(s,
		    (struct sought){s->words[2], row < 0 ? s->run.emulator.h + row : row, false});
}

/* cell X Y CHARACTER FG BG ATTRS */
bool script_expect_cell(struct script *s)
{
	struct cell c = emulator_cell(&s->run.emulator, number(s, 1), number(s, 2));
	uint32_t cp;

	text_decode(s->words[3], strlen(s->words[3]), &cp);
	if (c.cp != cp || (s->count > 4 && c.style.fg != number(s, 4)) ||
	    (s->count > 5 && c.style.bg != number(s, 5)) ||
	    (s->count > 6 && c.style.attrs != number(s, 6))) {
		sbuf_printf(s->why, "the cell is U+%04X, %d on %d, attributes %d", c.cp, c.style.fg,
			    c.style.bg, c.style.attrs);
		return false;
	}
	return true;
}

bool script_no_colors(struct script *s)
{
	for (int y = 0; y < s->run.emulator.h; y++)
		for (int x = 0; x < s->run.emulator.w; x++) {
			struct cell c = emulator_cell(&s->run.emulator, x, y);

			if (c.style.fg != -1 || c.style.bg != -1)
				return wrong(s, "a cell has a colour");
		}
	return true;
}

bool script_only_ascii(struct script *s)
{
	for (int y = 0; y < s->run.emulator.h; y++)
		for (int x = 0; x < s->run.emulator.w; x++)
			if (emulator_cell(&s->run.emulator, x, y).cp >= 0x80)
				return wrong(s, "a cell is not ASCII");
	return true;
}

static void add_quoted(struct sbuf *out, const char *word)
{
	sbuf_puts(out, " '");
	for (; *word; word++)
		if (*word == '\'')
			sbuf_puts(out, "'\\''");
		else
			sbuf_putc(out, *word);
	sbuf_putc(out, '\'');
}

/* What `pipeglass screen ARGS` prints for our size, fed into a terminal of its own. */
static bool headless(struct script *s, struct emulator *m)
{
	struct sbuf command = {0};
	FILE *f;
	int c, pending = 0;

	add_quoted(&command, getenv("PIPEGLASS"));
	sbuf_printf(&command, " screen --format ansi -g %dx%d", m->w, m->h);
	for (int i = 1; i < s->count; i++)
		add_quoted(&command, s->words[i]);
	f = popen(sbuf_text(&command), "r");
	sbuf_free(&command);
	while (f && (c = getc(f)) != EOF) {
		char byte = (char)c;

		/* a line end begins a line only when there is one: the last one must not scroll */
		if (pending)
			emulator_feed(m, "\r\n", 2);
		pending = c == '\n';
		if (!pending)
			emulator_feed(m, &byte, 1);
	}
	return f && pclose(f) == 0;
}

/* The cell under the terminal's cursor, as the block shows it. */
static bool is_under_block(const struct emulator *m, struct cell shown, struct cell wanted, int x,
			   int y)
{
	int at_x, at_y;

	emulator_cursor(m, &at_x, &at_y);
	shown.style = (struct style){-1, -1, ATTR_REVERSE};
	return m->cursor_visible && m->cursor_block && x == at_x && y == at_y &&
	       emulator_looks_same(shown, wanted);
}

/* The first cell that differs; false: none does. */
static bool first_difference(const struct emulator *a, const struct emulator *b, int *x, int *y)
{
	for (*y = 0; *y < a->h; ++*y)
		for (*x = 0; *x < a->w; ++*x) {
			struct cell shown = emulator_cell(a, *x, *y);
			struct cell wanted = emulator_cell(b, *x, *y);

			if (!emulator_looks_same(shown, wanted) &&
			    !is_under_block(a, shown, wanted, *x, *y))
				return true;
		}
	return false;
}

static bool is_same(struct ptyrun *p, void *data)
{
	int x, y;

	return !first_difference(&p->emulator, data, &x, &y);
}

static void tell_difference(struct script *s, const struct emulator *m)
{
	const struct emulator *ours = &s->run.emulator;
	struct cell a, b;
	int x, y;

	if (!first_difference(ours, m, &x, &y))
		return;
	a = emulator_cell(ours, x, y);
	b = emulator_cell(m, x, y);
	sbuf_printf(
	    s->why,
	    "cell %d,%d is U+%04X (%d on %d, %u), the headless renderer's U+%04X (%d on %d, "
	    "%u), whose screen is:\n",
	    x, y, a.cp, a.style.fg, a.style.bg, a.style.attrs, b.cp, b.style.fg, b.style.bg,
	    b.style.attrs);
	emulator_text(m, s->why);
}

bool script_same_as(struct script *s)
{
	struct emulator m;
	bool same;

	emulator_init(&m, s->run.emulator.w, s->run.emulator.h);
	same = headless(s, &m) || wrong(s, "pipeglass screen failed");
	if (same && !ptyrun_wait(&s->run, is_same, &m)) {
		tell_difference(s, &m);
		same = false;
	}
	emulator_free(&m);
	return same;
}
