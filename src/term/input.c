#include "config.h"

#include "term/input.h"

#include <string.h>

#include "base/text.h"

enum { ESC = 0x1b, DEL = 0x7f, PARAMETERS = 16, LONGEST_CSI = 64, LONGEST_STRING = 2048 };

/* CSI x and SS3 x */
static const struct {
	char final;
	uint32_t code;
	uint8_t mods;
} finals[] = {
    {'A', K_UP, 0},   {'B', K_DOWN, 0}, {'C', K_RIGHT, 0},       {'D', K_LEFT, 0},
    {'H', K_HOME, 0}, {'F', K_END, 0},  {'P', K_F1, 0},          {'Q', K_F2, 0},
    {'R', K_F3, 0},   {'S', K_F4, 0},   {'Z', K_TAB, MOD_SHIFT},
};

/* CSI n ~ */
static const struct {
	int number;
	uint32_t code;
} numbers[] = {
    {1, K_HOME},      {2, K_INSERT}, {3, K_DELETE}, {4, K_END},  {5, K_PAGE_UP},
    {6, K_PAGE_DOWN}, {7, K_HOME},   {8, K_END},    {11, K_F1},  {12, K_F2},
    {13, K_F3},       {14, K_F4},    {15, K_F5},    {17, K_F6},  {18, K_F7},
    {19, K_F8},       {20, K_F9},    {21, K_F10},   {23, K_F11}, {24, K_F12},
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* One control sequence: ECMA-48 5.4 */
struct csi {
	char leader; /* < = > ? or 0 */
	char intermediate;
	char final;
	int parameters[PARAMETERS];
	int count;
};

void input_init(struct input *in, unsigned char erase)
{
	memset(in, 0, sizeof(*in));
	in->erase = erase;
}

unsigned char *input_room(struct input *in, size_t *room)
{
	*room = sizeof(in->bytes) - in->len;
	return in->bytes + in->len;
}

void input_fed(struct input *in, size_t len)
{
	in->len += len;
}

bool input_waiting(const struct input *in)
{
	return in->len > 0;
}

static void set_key(struct input_event *ev, uint32_t code, uint8_t mods)
{
	ev->kind = INPUT_KEY;
	ev->key = (struct key){.code = code, .mods = mods};
}

/* xterm: 1 + the sum of 1 Shift, 2 Alt, 4 Ctrl, 8 Meta */
static uint8_t modifiers(int parameter)
{
	unsigned bits = parameter > 1 ? (unsigned)parameter - 1 : 0;

	return (uint8_t)((bits & 1 ? MOD_SHIFT : 0) | (bits & 10 ? MOD_ALT : 0) |
			 (bits & 4 ? MOD_CTRL : 0));
}

static void set_control(const struct input *in, unsigned char c, struct input_event *ev)
{
	if (c == DEL || (c == in->erase && c != 0 && c != '\t' && c != '\r'))
		set_key(ev, K_BACKSPACE, 0);
	else if (c == '\t')
		set_key(ev, K_TAB, 0);
	else if (c == '\r' || c == '\n')
		set_key(ev, K_ENTER, 0);
	else if (c == 0)
		set_key(ev, K_SPACE, MOD_CTRL);
	else if (c <= 26)
		set_key(ev, (uint32_t)(c + 'a' - 1), MOD_CTRL);
	else if (c == ESC)
		set_key(ev, K_ESCAPE, 0);
	else
		set_key(ev, (uint32_t)(c + '@'), MOD_CTRL);
}

/* Could p[0..n) be the beginning of a longer UTF-8 sequence? */
static bool utf8_unfinished(const unsigned char *p, size_t n)
{
	size_t length = p[0] >= 0xf0 && p[0] <= 0xf4 ? 4 : p[0] >= 0xe0 ? 3 : 2;

	if (p[0] < 0xc2 || p[0] > 0xf4 || n >= length)
		return false;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return false;
	return true;
}

/* A character or a control byte. */
static size_t parse_plain(const struct input *in, const unsigned char *p, size_t n, bool final,
			  struct input_event *ev)
{
	uint32_t cp;
	size_t used;

	if (p[0] < 0x20 || p[0] == DEL) {
		set_control(in, p[0], ev);
		return 1;
	}
	if (p[0] < 0x80) {
		set_key(ev, p[0], 0);
		return 1;
	}
	if (!final && utf8_unfinished(p, n))
		return 0;
	used = text_decode((const char *)p, n, &cp);
	/* what is no character, and C1 controls, are not keys */
	if (cp != TEXT_REPLACEMENT && cp >= 0xa0)
		set_key(ev, cp, 0);
	return used;
}

static void mouse_button(struct input_event *ev, int bits, int x, int y, bool release)
{
	struct mouse *m = &ev->mouse;

	if (bits & 32 || x < 1 || y < 1) /* motion is never asked for */
		return;
	*m = (struct mouse){.x = x - 1, .y = y - 1};
	m->mods = (uint8_t)((bits & 4 ? MOD_SHIFT : 0) | (bits & 8 ? MOD_ALT : 0) |
			    (bits & 16 ? MOD_CTRL : 0));
	if (bits & 64) {
		/* sideways wheels are buttons 6 and 7 */
		m->kind = bits & 1 ? MOUSE_WHEEL_DOWN : MOUSE_WHEEL_UP;
		m->button = 4 + (bits & 3);
		if (bits & 2)
			m->kind = MOUSE_PRESS;
		if (release)
			return;
	} else {
		m->kind = release ? MOUSE_RELEASE : MOUSE_PRESS;
		m->button = 1 + (bits & 3);
	}
	ev->kind = INPUT_MOUSE;
}

static void csi_numbered(struct input *in, const struct csi *s, struct input_event *ev)
{
	int number = s->parameters[0];
	uint8_t mods = modifiers(s->parameters[1]);

	if (number == 200)
		in->pasting = true;
	/* rxvt ends in $ for Shift, ^ for Ctrl, @ for both */
	mods |= (s->final == '$' || s->final == '@' ? MOD_SHIFT : 0) |
		(s->final == '^' || s->final == '@' ? MOD_CTRL : 0);
	for (size_t i = 0; i < COUNT(numbers); i++)
		if (numbers[i].number == number)
			set_key(ev, numbers[i].code, mods);
}

/* rxvt: a small letter is an arrow with a modifier. */
static void set_final(struct input_event *ev, char final, uint8_t mods, uint8_t mods_small)
{
	if (final >= 'a' && final <= 'd') {
		final = (char)(final - 'a' + 'A');
		mods |= mods_small;
	}
	for (size_t i = 0; i < COUNT(finals); i++)
		if (finals[i].final == final)
			set_key(ev, finals[i].code, mods | finals[i].mods);
}

static void csi_event(struct input *in, const struct csi *s, struct input_event *ev)
{
	const int *p = s->parameters;

	if (s->leader == '<' && (s->final == 'M' || s->final == 'm')) {
		mouse_button(ev, p[0], p[1], p[2], s->final == 'm');
	} else if (s->leader || s->intermediate) {
		return; /* an answer to somebody else's question */
	} else if (strchr("~$^@", s->final)) {
		csi_numbered(in, s, ev);
	} else {
		set_final(ev, s->final, modifiers(p[1]), MOD_SHIFT);
	}
}

static void csi_digit(struct csi *s, unsigned char c)
{
	int *value = &s->parameters[s->count ? s->count - 1 : 0];

	if (!s->count)
		s->count = 1;
	if (c >= '0' && c <= '9') {
		if (*value < 1000000)
			*value = *value * 10 + (c - '0');
	} else if (s->count < PARAMETERS) {
		/* ':' parts a parameter's own parts; nothing here has any */
		s->count++;
	}
}

/* ESC [ M and three bytes: X10 mouse, what a terminal without SGR reports sends */
static size_t parse_x10(const unsigned char *p, size_t n, struct input_event *ev)
{
	if (n < 6)
		return 0;
	if (p[3] >= 32)
		mouse_button(ev, (p[3] - 32) & ~3, p[4] - 32, p[5] - 32, ((p[3] - 32) & 3) == 3);
	if (ev->kind == INPUT_MOUSE && ev->mouse.kind == MOUSE_PRESS)
		ev->mouse.button = 1 + ((p[3] - 32) & 3);
	return 6;
}

/*
 * From ESC [ on. 0: not finished. Anything that cannot be in a control sequence ends it; what
 * was read so far is dropped.
 */
static size_t parse_csi(struct input *in, const unsigned char *p, size_t n, struct input_event *ev)
{
	struct csi s = {0};
	size_t i = 2;

	if (n > 2 && p[2] == 'M')
		return parse_x10(p, n, ev);
	if (n > 2 && p[2] == '[') { /* the Linux console's F1 to F5 */
		if (n > 3 && p[3] >= 'A' && p[3] <= 'E')
			set_key(ev, (uint32_t)(K_F1 + (p[3] - 'A')), 0);
		return n > 3 ? 4 : 0;
	}
	if (n > 2 && p[2] >= '<' && p[2] <= '?')
		s.leader = (char)p[i++];
	for (; i < n && i < LONGEST_CSI; i++) {
		unsigned char c = p[i];

		if ((c >= '0' && c <= ';')) {
			csi_digit(&s, c);
		} else if (c >= 0x20 && c <= 0x2f && (c != '$' || s.leader)) {
			s.intermediate = (char)c;
		} else if ((c >= 0x40 && c <= 0x7e) || c == '$') {
			s.final = (char)c;
			csi_event(in, &s, ev);
			return i + 1;
		} else {
			return i;
		}
	}
	return i < LONGEST_CSI ? 0 : i;
}

/* OSC, DCS, APC: up to ST or BEL. Only terminals send them, as answers. */
static size_t parse_control_string(const unsigned char *p, size_t n)
{
	for (size_t i = 2; i < n; i++) {
		if (p[i] == '\a')
			return i + 1;
		if (p[i] == ESC && i + 1 < n)
			return p[i + 1] == '\\' ? i + 2 : i;
	}
	return n > LONGEST_STRING ? n : 0;
}

static size_t parse_sequence(struct input *in, const unsigned char *p, size_t n,
			     struct input_event *ev)
{
	switch (p[1]) {
	case '[':
		return parse_csi(in, p, n, ev);
	case 'O':
		if (n > 2)
			set_final(ev, (char)p[2], 0, MOD_CTRL);
		return n > 2 ? 3 : 0;
	case ']':
	case 'P':
	case '_':
		return parse_control_string(p, n);
	default:
		return 0;
	}
}

/* ESC before a character or a sequence is Alt. */
static size_t parse_alt(struct input *in, const unsigned char *p, size_t n, bool final,
			struct input_event *ev)
{
	size_t used;

	if (p[1] != ESC) {
		used = parse_plain(in, p + 1, n - 1, final, ev);
	} else if (n > 2 && (p[2] == '[' || p[2] == 'O')) {
		used = parse_sequence(in, p + 1, n - 1, ev);
		if (!used && final)
			set_key(ev, K_ESCAPE, 0);
	} else if (final || n > 2) {
		/* two presses of Escape */
		set_key(ev, K_ESCAPE, 0);
		return 1;
	} else {
		return 0;
	}
	if (used && ev->kind == INPUT_KEY)
		ev->key.mods |= MOD_ALT;
	return used ? used + 1 : final;
}

static bool opens_sequence(unsigned char c)
{
	return strchr("[O]P_", c) && c != 0;
}

static size_t parse_escape(struct input *in, const unsigned char *p, size_t n, bool final,
			   struct input_event *ev)
{
	size_t used;

	if (n == 1) {
		if (final)
			set_key(ev, K_ESCAPE, 0);
		return final;
	}
	if (!opens_sequence(p[1]))
		return parse_alt(in, p, n, final, ev);
	used = parse_sequence(in, p, n, ev);
	if (!used && final)
		return parse_alt(in, p, n, final, ev); /* Alt and the character, then whatever */
	return used;
}

/* Inside a paste only its end is a sequence; text comes as keys, line ends as blanks. */
static size_t parse_pasted(struct input *in, const unsigned char *p, size_t n, bool final,
			   struct input_event *ev)
{
	static const char end[] = "\033[201~";
	size_t len = sizeof(end) - 1, used;

	if (p[0] == ESC) {
		if (memcmp(p, end, n < len ? n : len) == 0 && n < len && !final)
			return 0;
		in->pasting = !(n >= len && memcmp(p, end, len) == 0);
		return in->pasting ? 1 : len;
	}
	if (p[0] == 3) { /* ^C: the way out of a paste whose end got lost */
		in->pasting = false;
		return 1;
	}
	if (p[0] == '\t' || p[0] == '\n' || p[0] == '\r') {
		set_key(ev, ' ', 0);
		used = 1;
	} else if (p[0] < 0x20 || p[0] == DEL) {
		return 1;
	} else {
		used = parse_plain(in, p, n, final, ev);
	}
	ev->pasted = true;
	return used;
}

bool input_next(struct input *in, bool final, struct input_event *ev)
{
	size_t at = 0, used;

	do {
		memset(ev, 0, sizeof(*ev));
		if (at == in->len)
			break;
		if (in->pasting)
			used = parse_pasted(in, in->bytes + at, in->len - at, final, ev);
		else if (in->bytes[at] == ESC)
			used = parse_escape(in, in->bytes + at, in->len - at, final, ev);
		else
			used = parse_plain(in, in->bytes + at, in->len - at, final, ev);
		at += used;
	} while (used && ev->kind == INPUT_NOTHING);
	memmove(in->bytes, in->bytes + at, in->len - at);
	in->len -= at;
	return ev->kind != INPUT_NOTHING;
}
