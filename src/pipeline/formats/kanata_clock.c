/*
 * Kanata's cycle lines: `C=<TAB>N` sets the clock, `C<TAB>N` lets it go on. One function says what
 * a line means to it; the lexer asks it line by line, kanata_clock() for all lines of a stretch
 * that begin with a C.
 */
#include "config.h"

#include "pipeline/formats/kanata.h"

enum { LINE_PROBE = 4096 }; /* a cycle line is shorter */

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && kanata_is_blank(*p))
		p++;
	return p;
}

/* An integer with a sign or without; what stands behind it or NULL. */
static const char *scan_signed(const char *p, const char *end, struct cycle_line *c)
{
	bool negative = p < end && *p == '-', overflow = false;
	uint64_t value;

	if (p < end && (*p == '-' || *p == '+'))
		p++;
	p = scan_dec_field(p, end, &value, &overflow);
	if (overflow || value >= KANATA_TICK_END)
		c->kind = CYCLE_OVERFLOW;
	else
		c->value = negative ? -(int64_t)value : (int64_t)value;
	return p;
}

struct cycle_line kanata_cycle(const char *line, const char *end)
{
	struct cycle_line c = {CYCLE_NONE, false, 1}, none = {CYCLE_NONE, false, 0};
	const char *p = line + 1, *q;
	bool set;

	if (line == end || *line != 'C')
		return none;
	set = p < end && *p == '=';
	for (p += set; p < end && *p == ' ';)
		p++;
	/* "C=10" is one; "C is for cookie" is not */
	if (p < end && !kanata_is_blank(*p) &&
	    (!set || !(scan_hex_digit(*p) < 10 || *p == '-' || *p == '+')))
		return none;
	c.kind = set ? CYCLE_SET : CYCLE_STEP;
	p = skip_blanks(p, end);
	if (memchr(line, '\0', (size_t)(end - line))) {
		c.kind = CYCLE_NUL;
	} else if (p == end) {
		c.kind = set ? CYCLE_MALFORMED : CYCLE_STEP;
	} else {
		q = scan_signed(p, end, &c);
		if (!q || (q < end && !kanata_is_blank(*q)))
			c.kind = CYCLE_MALFORMED;
		else
			c.extra = skip_blanks(q, end) < end;
	}
	return c;
}

int64_t kanata_advance(int64_t tick, const struct cycle_line *c)
{
	if (c->kind == CYCLE_SET)
		return c->value > tick || tick == 0 ? c->value : tick;
	if (c->kind != CYCLE_STEP || c->value < 0)
		return tick;
	return tick < KANATA_TICK_END - 1 - c->value ? tick + c->value : KANATA_TICK_END - 1;
}

/* The clock behind the line p, which begins with C; none: the line has no end. */
static int64_t clock_line(const char *p, const char *end, int64_t tick)
{
	struct cycle_line c = {CYCLE_STEP, false, 0};
	const char *nl;

	if (end - p > 10 && p[1] == '\t') {
		uint64_t digits = scan_load8(p + 2);
		unsigned n = scan_digit_count(digits);

		if (n > 0 && p[2 + n] == '\n') {
			c.value = scan_digits(digits, n);
			return kanata_advance(tick, &c);
		}
	}
	nl = memchr(p, '\n', (size_t)(end - p));
	if (!nl)
		return tick;
	c = kanata_cycle(p, nl);
	return kanata_advance(tick, &c);
}

int64_t kanata_clock(const char *text, size_t len, int64_t tick)
{
	const char *p = text, *end = text + len;

	if (len && *p == 'C')
		tick = clock_line(p, end, tick);
	while (p < end && (p = memchr(p, '\n', (size_t)(end - p))) && ++p < end)
		if (*p == 'C')
			tick = clock_line(p, end, tick);
	return tick;
}

bool kanata_cut(const char *p, const char *end, int64_t *tick)
{
	struct cycle_line c;
	const char *nl;

	if (p == end || *p != 'C')
		return false;
	nl = memchr(p, '\n', end - p < LINE_PROBE ? (size_t)(end - p) : LINE_PROBE);
	if (!nl)
		return false;
	c = kanata_cycle(p, nl);
	if (c.kind == CYCLE_SET)
		*tick = c.value;
	return c.kind == CYCLE_STEP || c.kind == CYCLE_SET;
}
