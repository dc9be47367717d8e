#include "config.h"

#include "emulator.h"

#include <string.h>

#include "base/text.h"

enum { TAIL_BYTES = 64 };

static int on_property(VTermProp property, VTermValue *value, void *user)
{
	struct emulator *m = user;

	if (property == VTERM_PROP_ALTSCREEN)
		m->alternate = value->boolean;
	else if (property == VTERM_PROP_CURSORVISIBLE)
		m->cursor_visible = value->boolean;
	else if (property == VTERM_PROP_CURSORSHAPE)
		m->cursor_block = value->number == VTERM_PROP_CURSORSHAPE_BLOCK;
	else if (property == VTERM_PROP_MOUSE)
		m->mouse = value->number;
	return 1;
}

static int on_bell(void *user)
{
	((struct emulator *)user)->bells++;
	return 1;
}

static const VTermScreenCallbacks callbacks = {.settermprop = on_property, .bell = on_bell};

void emulator_init(struct emulator *m, int w, int h)
{
	memset(m, 0, sizeof(*m));
	m->vt = vterm_new(h, w);
	m->w = w;
	m->h = h;
	m->cursor_visible = true;
	vterm_set_utf8(m->vt, 1);
	m->screen = vterm_obtain_screen(m->vt);
	vterm_screen_set_callbacks(m->screen, &callbacks, m);
	vterm_screen_enable_altscreen(m->screen, 1);
	vterm_screen_reset(m->screen, 1);
}

void emulator_free(struct emulator *m)
{
	vterm_free(m->vt);
	sbuf_free(&m->answers);
	sbuf_free(&m->clipboard);
	sbuf_free(&m->tail);
}

void emulator_resize(struct emulator *m, int w, int h)
{
	m->w = w;
	m->h = h;
	vterm_set_size(m->vt, h, w);
}

static int count(const struct sbuf *s, size_t old, const char *what)
{
	int found = 0;

	/* what ends in the bytes that were there before was counted then */
	for (const char *p = sbuf_text(s); (p = strstr(p, what)); p++)
		found += (size_t)(p - s->text) + strlen(what) > old;
	return found;
}

static void note_clipboard(struct emulator *m)
{
	const char *start = strstr(sbuf_text(&m->tail), "\033]52;c;");
	const char *end = start ? strchr(start, '\a') : NULL;

	if (!end)
		return;
	start += strlen("\033]52;c;");
	sbuf_clear(&m->clipboard);
	sbuf_add(&m->clipboard, start, (size_t)(end - start));
}

/* What libvterm does not know. */
static void look_at_stream(struct emulator *m, const char *bytes, size_t len)
{
	size_t old = m->tail.len;

	for (size_t i = 0; i < len; i++)
		sbuf_putc(&m->tail, bytes[i] ? bytes[i] : ' ');
	m->holds += count(&m->tail, old, "\033[?2026h");
	m->shows += count(&m->tail, old, "\033[?2026l");
	note_clipboard(m);
	if (m->tail.len > TAIL_BYTES) {
		memmove(m->tail.text, m->tail.text + m->tail.len - TAIL_BYTES, TAIL_BYTES + 1);
		m->tail.len = TAIL_BYTES;
	}
}

/* A control sequence with one number at most. */
struct counted {
	const char *at;
	size_t len;
	int n; /* 0: none */
	char final;
};

/* The next "insert N characters". */
static bool find_counted(const char *p, const char *end, struct counted *c)
{
	for (; p + 2 < end; p++) {
		const char *q = p + 2;

		if (p[0] != '\033' || p[1] != '[')
			continue;
		for (c->n = 0; q < end && *q >= '0' && *q <= '9' && c->n < 10000; q++)
			c->n = c->n * 10 + *q - '0';
		c->at = p;
		c->len = (size_t)(q - p) + 1;
		c->final = q < end ? *q : '\0';
		if (c->final == '@' && c->n > 0)
			return true;
	}
	return false;
}

/*
 * tmux up to 3.3a leaves old cells where more is inserted than is moved to the right; here the
 * whole line stays as it was, so that whoever relies on it is found out.
 */
static void feed_like_others(struct emulator *m, const char *bytes, size_t len)
{
	const char *p = bytes, *end = bytes + len;
	struct counted c;
	int x, y;

	while (find_counted(p, end, &c)) {
		vterm_input_write(m->vt, p, (size_t)(c.at - p));
		emulator_cursor(m, &x, &y);
		if (2 * c.n <= m->w - x)
			vterm_input_write(m->vt, c.at, c.len);
		p = c.at + c.len;
	}
	vterm_input_write(m->vt, p, (size_t)(end - p));
}

void emulator_feed(struct emulator *m, const char *bytes, size_t len)
{
	char answer[256];
	size_t n;

	feed_like_others(m, bytes, len);
	look_at_stream(m, bytes, len);
	while ((n = vterm_output_read(m->vt, answer, sizeof(answer))) > 0)
		sbuf_add(&m->answers, answer, n);
}

static int16_t color_of(const VTermColor *c, bool is_default)
{
	return is_default || !VTERM_COLOR_IS_INDEXED(c) ? -1 : c->indexed.idx;
}

struct cell emulator_cell(const struct emulator *m, int x, int y)
{
	VTermScreenCell c;
	VTermPos at = {.row = y, .col = x};
	struct cell out = {.cp = ' ', .style = {.fg = -1, .bg = -1}};

	if (!vterm_screen_get_cell(m->screen, at, &c))
		return out;
	if (c.chars[0] == (uint32_t)-1)
		out.cp = 0;
	else if (c.chars[0])
		out.cp = c.chars[0];
	out.style.fg = color_of(&c.fg, VTERM_COLOR_IS_DEFAULT_FG(&c.fg));
	out.style.bg = color_of(&c.bg, VTERM_COLOR_IS_DEFAULT_BG(&c.bg));
	out.style.attrs =
	    (uint8_t)((c.attrs.bold ? ATTR_BOLD : 0) | (c.attrs.underline ? ATTR_UNDERLINE : 0) |
		      (c.attrs.reverse ? ATTR_REVERSE : 0) | (c.attrs.blink ? ATTR_BLINK : 0));
	return out;
}

void emulator_row(const struct emulator *m, int y, struct sbuf *out)
{
	size_t end = out->len;

	for (int x = 0; x < m->w; x++) {
		uint32_t cp = emulator_cell(m, x, y).cp;
		char utf8[4];

		if (cp)
			sbuf_add(out, utf8, text_encode(cp, utf8));
		if (cp && cp != ' ')
			end = out->len;
	}
	if (out->text) {
		out->len = end;
		out->text[end] = '\0';
	}
}

void emulator_text(const struct emulator *m, struct sbuf *out)
{
	for (int y = 0; y < m->h; y++) {
		emulator_row(m, y, out);
		sbuf_putc(out, '\n');
	}
}

void emulator_cursor(const struct emulator *m, int *x, int *y)
{
	VTermPos at;

	vterm_state_get_cursorpos(vterm_obtain_state(m->vt), &at);
	*x = at.col;
	*y = at.row;
}

bool emulator_looks_same(struct cell a, struct cell b)
{
	uint8_t blank_shows = ATTR_UNDERLINE | ATTR_REVERSE;

	a.style.attrs &= (uint8_t)~ATTR_DIM;
	b.style.attrs &= (uint8_t)~ATTR_DIM;
	if (a.cp == 0 && b.cp == 0)
		return true; /* libvterm keeps no look there */
	if (a.cp != b.cp || a.style.bg != b.style.bg)
		return false;
	if (a.cp == ' ' && !((a.style.attrs | b.style.attrs) & blank_shows))
		return true;
	return a.style.fg == b.style.fg && a.style.attrs == b.style.attrs;
}
