/*
 * The shapes that the two great emitters print, sixteen nanoseconds a line. Whatever is not quite
 * one of them goes, line by line, to the careful lexer, which decides.
 */
#include "config.h"

#include "reader/pipetrace.h"

#include "reader/scan.h"

/* memcmp() of a fixed length, in one or two loads. */
static inline bool same(const char *p, const char *q, size_t len)
{
	return memcmp(p, q, len) == 0;
}

/* Three bytes "xyz" of hexadecimal digits -> value; more than 0xfff when they are none. */
static inline unsigned hex3(const char *p)
{
	return scan_hex_value(p[0]) << 8 | scan_hex_value(p[1]) << 4 | scan_hex_value(p[2]);
}

/* `- SEQ` or `@ N` behind its number. */
static inline const char *fast_end_of_line(const char *p)
{
	if (!p)
		return NULL;
	if (*p == '\n')
		return p + 1;
	/* M5: "  [T0, CP#123]" */
	if (p[0] == ' ' && p[1] == ' ' && p[2] == '[' && p[3] == 'T') {
		const char *nl = scan_newline(p, p + 40);

		return nl && nl - p < 40 && pipetrace_suffix(p, nl) == p ? nl + 1 : NULL;
	}
	return NULL;
}

/* Event bits of a fast shape -> kinds; false: not for the fast path. */
static inline bool fast_events(const struct lexer *lx, unsigned raw, struct record *r)
{
	if (raw & ~lx->view.known_masks || (raw && !lx->view.plain_events) || raw > 255)
		return false;
	r->events = (uint16_t)raw;
	return true;
}

/*
 * The rest of a stage entry behind "* SEQ": ` ST 0x%08x` (stock) or ` ST 0x%0Nx LATENCY 0x%0Nx`
 * (GPV: N = 3; M5: 4, with a suffix). NULL: some other shape.
 */
static inline const char *fast_enter(struct lexer *lx, const char *p, struct record *r)
{
	static const char zeros[] = " 0x00000";
	unsigned stage, raw, colour, wide;
	uint64_t latency;

	if (p[0] != ' ')
		return NULL;
	stage = lx->view.stage_hash[((unsigned char)p[1] * 7u + (unsigned char)p[2] * 31u) & 0xff];
	if (stage == STAGE_NONE || lx->view.stage_name[stage][0] != p[1] ||
	    lx->view.stage_name[stage][1] != p[2])
		return NULL;
	r->kind = REC_ENTER;
	r->stage = (uint8_t)stage;
	r->enter.latency = -1;
	r->enter.colour = 0;
	p += 3;
	if (same(p, zeros, 8) && p[11] == '\n') {
		raw = hex3(p + 8);
		return fast_events(lx, raw, r) ? p + 12 : NULL;
	}
	wide = p[6] != ' '; /* M5 prints four digits */
	if (p[0] != ' ' || p[1] != '0' || p[2] != 'x' || p[6 + wide] != ' ' ||
	    (wide && p[3] != '0'))
		return NULL;
	raw = hex3(p + 3 + wide);
	if (!fast_events(lx, raw, r))
		return NULL;
	p = scan_dec(p + 7 + wide, &latency);
	if (!p || p[0] != ' ' || p[1] != '0' || p[2] != 'x')
		return NULL;
	colour = hex3(p + 3 + wide);
	if (colour > 0xfff || (wide && p[3] != '0'))
		return NULL;
	if (raw & lx->view.lasting_masks)
		pipetrace_latency(lx, r, raw, latency, colour);
	return fast_end_of_line(p + 6 + wide);
}

/* The rest of a birth behind "+ SEQ". at: the line's start. */
static inline const char *fast_birth(const char *line, const char *p, const char *end,
				     struct record *r)
{
	const char *pc, *nl;

	if (p[0] != ' ' || p[1] != '0' || p[2] != 'x')
		return NULL;
	pc = p += 3;
	while (scan_hex_digit(*p) < 16 && p - pc < 16)
		p++;
	if (p == pc || p[0] != ' ' || p[1] != '0' || p[2] != 'x')
		return NULL;
	r->birth.pc = (uint16_t)(pc - line);
	r->birth.pc_len = (uint16_t)(p - pc);
	p += 3;
	if (same(p, "00000000", 8) && p[8] == ' ') {
		p += 8;
	} else {
		if (*p == ' ')
			return NULL;
		while (scan_hex_digit(*p) < 16 && p - pc < 40)
			p++;
	}
	if (p[0] != ' ')
		return NULL;
	p++;
	nl = scan_newline(p, end);
	if (!nl || nl[-1] == '\r' || nl - line > LEX_LONG_LINE)
		return NULL;
	r->kind = REC_BIRTH;
	r->birth.text = (uint32_t)(p - line);
	r->birth.text_len = (uint32_t)(pipetrace_suffix(p, nl) - p);
	return nl + 1;
}

/* "   0.3571\n" -> value, exactly as strtod rounds it; NULL: let the careful path look. */
static inline const char *fast_real(const char *p, double *out)
{
	static const double scale[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
	uint64_t whole, part = 0;
	unsigned digits = 0;

	for (int i = 0; *p == ' ' && i < 40; i++)
		p++;
	p = scan_dec(p, &whole);
	if (!p || whole > 1000000000u)
		return NULL;
	if (*p == '.') {
		const char *q = scan_dec(p + 1, &part);

		if (!q || q - p > 7)
			return NULL;
		digits = (unsigned)(q - p - 1);
		p = q;
	}
	if (*p != '\n')
		return NULL;
	*out = ((double)whole * scale[digits] + (double)part) / scale[digits];
	return p + 1;
}

static const char *fast_untraced(const char *line, const char *end, struct record *r)
{
	const char *p = scan_name(line + 1), *nl;

	if (*p != '>' || p[1] == '\n')
		return NULL;
	nl = scan_newline(p, end);
	if (!nl || nl[-1] == '\r' || nl - line > LEX_LONG_LINE)
		return NULL;
	r->id = 1;
	r->kind = REC_NOTE;
	r->stage = NOTE_UNTRACED;
	return nl + 1;
}

static const char *fast_statistic(struct lexer *lx, const char *line, const char *end,
				  struct record *r)
{
	if (line[1] == 'N' && line[2] == 'T')
		return fast_untraced(line, end, r);
	for (size_t i = 0; i < lx->view.metrics; i++) {
		unsigned m = (unsigned)((lx->metric_hint + i) % lx->view.metrics);
		unsigned len = lx->view.metric_len[m];

		if (line[len + 1] != '>' || !scan_same(line + 1, lx->view.metric_name[m], len))
			continue;
		lx->metric_hint = m + 1;
		r->kind = REC_SAMPLE;
		r->stage = (uint8_t)m;
		return fast_real(line + len + 2, &r->value);
	}
	return NULL;
}

static inline const char *fast_line(struct lexer *lx, const char *line, const char *end,
				    struct record *r)
{
	const char *p;

	r->stage = 0;
	r->events = 0;
	if (line[1] != ' ')
		return line[0] == '<' ? fast_statistic(lx, line, end, r) : NULL;
	p = scan_dec(line + 2, &r->id);
	if (!p)
		return NULL;
	switch (line[0]) {
	case '*':
		return fast_enter(lx, p, r);
	case '-':
		r->kind = REC_END;
		return fast_end_of_line(p);
	case '+':
		return fast_birth(line, p, end, r);
	case '@':
		r->kind = REC_TICK;
		return fast_end_of_line(p);
	}
	return NULL;
}

size_t pipetrace_lex(struct lexer *lx, const char *text, size_t len, bool final, struct record *out,
		     size_t max)
{
	const char *end = text + len;
	const char *safe = len > SCAN_SLACK ? end - SCAN_SLACK : text;
	size_t n = 0;

	while (lx->pos < len && n + LINE_RECORDS <= max) {
		const char *p = text + lx->pos, *next;
		uint32_t line = (uint32_t)lx->line;
		struct record *r = out + n, *stop = out + max - LINE_RECORDS;

		while (p < safe && r <= stop && (next = fast_line(lx, p, end, r))) {
			r->at = (uint32_t)(p - text);
			r->line = line++;
			p = next;
			r++;
		}
		lx->line += line - (uint32_t)lx->line;
		lx->pos = (size_t)(p - text);
		n = (size_t)(r - out);
		if (n + LINE_RECORDS > max || lx->pos >= len)
			break;
		if (!pipetrace_line(lx, text, len, final, out, &n))
			break;
	}
	return n;
}
