/*
 * The shapes that the two great emitters print, some seven nanoseconds a line. Whatever is not
 * quite one of them goes, line by line, to the careful lexer, which decides.
 *
 * Where lines end is found first, for some hundred of them: no line then waits for the one before.
 */
#include "config.h"

#include "pipeline/formats/pipetrace.h"

#include "pipeline/formats/scan.h"

/*
 * Lines searched for at once, and in how many bytes: what is found and not used is searched again.
 */
enum { LINES_MOST = LEX_BATCH, WINDOW = LINES_MOST * 64 };

/* What is rarer keeps out of the registers of what is not. */
#define NOT_INLINE __attribute__((noinline))

/* Three bytes "xyz" of hexadecimal digits -> value; more than 0xfff when they are none. */
static inline unsigned hex3(const char *p)
{
	return scan_hex_value(p[0]) << 8 | scan_hex_value(p[1]) << 4 | scan_hex_value(p[2]);
}

/* The n bytes at p against those of text: 0 when they are the same. */
static inline uint64_t differ(const char *p, const char *text, unsigned n)
{
	return (scan_load8(p) ^ scan_load8(text)) << (64 - 8 * n);
}

/* Event bits of a fast shape -> kinds; false: not for the fast path. */
static inline bool fast_events(const struct lexer *lx, unsigned raw, struct record *r)
{
	r->events = (uint16_t)raw;
	return !(raw & ~lx->view.known_masks) && (raw == 0 || lx->view.plain_events) && raw <= 255;
}

static inline bool fast_stage(const struct lexer *lx, uint16_t letters, struct record *r)
{
	uint32_t pair = lx->view.stage_pair[names_pair(letters)];

	r->stage = (uint8_t)(pair >> 16);
	return (uint16_t)pair == letters;
}

/* `* ID ST 0x%08x`, whose length tells that of the id. */
static inline bool fast_entry_stock(struct lexer *lx, const char *line, const char *nl,
				    struct record *r)
{
	const char *p = nl - 14;
	uint64_t head = scan_load8(p) ^ scan_load8(" \0\0 0x00"), raw;

	if ((head & ~UINT64_C(0xffff00)) || !fast_stage(lx, (uint16_t)(head >> 8), r) ||
	    !scan_dec_exact(line + 2, (size_t)(p - line - 2), &r->id))
		return false;
	r->events = 0;
	raw = scan_load8(p + 6) ^ scan_load8("00000000");
	return raw == 0 || (raw << 24 == 0 && fast_events(lx, hex3(p + 11), r));
}

/* `* ID ST 0x%03x L 0x%03x`, the latency of one digit. */
static inline bool fast_entry_gpv(struct lexer *lx, const char *line, const char *nl,
				  struct record *r)
{
	const char *p = nl - 17;
	uint64_t head = scan_load8(p) ^ scan_load8(" \0\0 0x\0\0");
	uint64_t tail = scan_load8(p + 9) ^ scan_load8(" 0 0x\0\0\0");
	unsigned raw = hex3(p + 6), latency = tail >> 8 & 0xff, colour = hex3(p + 14);

	if ((head << 16 & ~UINT64_C(0xffff000000)) || (tail << 24 & ~UINT64_C(0xff00000000)) ||
	    latency > 9 || colour > 0xfff || !fast_stage(lx, (uint16_t)(head >> 8), r) ||
	    !scan_dec_exact(line + 2, (size_t)(p - line - 2), &r->id) || !fast_events(lx, raw, r))
		return false;
	if (raw & lx->view.lasting_masks)
		pipetrace_latency(lx, r, raw, latency, colour);
	return true;
}

/* GPV's with any latency and M5's ` ST 0x%04x LATENCY 0x%04x  [T0, CP#1]`. */
static NOT_INLINE bool fast_entry_latency(struct lexer *lx, const char *line, const char *nl,
					  struct record *r)
{
	const char *p = scan_dec(line + 2, &r->id);
	unsigned wide, raw, colour;
	uint64_t latency;

	if (!p)
		return false;
	wide = p[9] != ' ';
	if (p[0] != ' ' || !fast_stage(lx, (uint16_t)(scan_load8(p) >> 8), r) ||
	    differ(p + 3, " 0x0    ", 3 + wide) || p[9 + wide] != ' ')
		return false;
	raw = hex3(p + 6 + wide);
	if (!fast_events(lx, raw, r))
		return false;
	p = scan_dec(p + 10 + wide, &latency);
	if (!p || latency > INT32_MAX || differ(p, " 0x0    ", 3 + wide))
		return false;
	colour = hex3(p + 3 + wide);
	if (colour > 0xfff)
		return false;
	if (raw & lx->view.lasting_masks)
		pipetrace_latency(lx, r, raw, latency, colour);
	p += 6 + wide;
	return p == nl || (wide && pipetrace_suffix(p, nl) == p);
}

static inline bool fast_entry(struct lexer *lx, const char *line, const char *nl, struct record *r)
{
	bool plain;

	if (nl - line < 17) /* of a stock entry with an id of one digit */
		return false;
	r->kind = REC_ENTER;
	r->enter.latency = -1;
	r->enter.colour = 0;
	r->enter.lane = 0;
	plain = nl[-6] == ' ' ? fast_entry_gpv(lx, line, nl, r) : fast_entry_stock(lx, line, nl, r);
	return plain || fast_entry_latency(lx, line, nl, r);
}

/* `- ID` and `@ N` */
static inline bool fast_number(const char *line, const char *nl, enum record_kind kind,
			       struct record *r)
{
	const char *p;

	r->kind = (uint8_t)kind;
	r->stage = 0;
	r->events = 0;
	if (scan_dec_exact(line + 2, (size_t)(nl - line - 2), &r->id))
		return true;
	p = scan_dec(line + 2, &r->id);
	return p && pipetrace_suffix(p, nl) == p;
}

/* The thread that M5's suffix at p tells of, if there is one; false: not known by number yet. */
static inline bool fast_thread(const struct lexer *lx, const char *p, const char *nl,
			       struct record *r)
{
	uint64_t thread;

	r->events = 0;
	if (p == nl)
		return true;
	if (!scan_dec(p + PIPETRACE_THREAD, &thread))
		return false;
	r->events = (uint16_t)names_recent_thread(&lx->view, (int64_t)thread);
	return r->events != 0;
}

/* `+ ID 0xPC 0xADDRESS TEXT` */
static inline bool fast_birth(const struct lexer *lx, const char *line, const char *nl,
			      struct record *r)
{
	const char *p = scan_dec(line + 2, &r->id), *pc, *end;
	unsigned digits;

	if (!p || differ(p, " 0x     ", 3) || nl[-1] == '\r')
		return false;
	pc = p += 3;
	digits = scan_hex_count(p);
	p += digits;
	if (digits == 0 || digits > 15 || differ(p, " 0x     ", 3))
		return false;
	p += 3;
	if (differ(p, "00000000", 8) == 0) {
		p += 8;
	} else {
		if (*p == ' ')
			return false;
		while (scan_hex_digit(*p) < 16 && p - pc < 40)
			p++;
	}
	if (*p != ' ')
		return false;
	p++;
	end = pipetrace_suffix(p, nl);
	r->kind = REC_BIRTH;
	r->stage = 0;
	r->birth.pc = (uint16_t)(pc - line);
	r->birth.pc_len = (uint16_t)digits;
	r->birth.text = (uint32_t)(p - line);
	r->birth.text_len = (uint32_t)(end - p);
	return fast_thread(lx, end, nl, r);
}

/* "   0.3571" -> value, exactly as strtod rounds it; false: let the careful path look. */
static inline bool fast_real(const char *p, const char *nl, double *out)
{
	static const double scale[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
	uint64_t whole, part = 0;
	unsigned digits = 0;

	for (int i = 0; *p == ' ' && i < 40; i++)
		p++;
	p = scan_dec(p, &whole);
	if (!p || whole > 1000000000u)
		return false;
	if (*p == '.') {
		const char *q = scan_dec(p + 1, &part);

		if (!q || q - p > 7)
			return false;
		digits = (unsigned)(q - p - 1);
		p = q;
	}
	*out = ((double)whole * scale[digits] + (double)part) / scale[digits];
	return p == nl;
}

static bool fast_untraced(const char *line, const char *nl, struct record *r)
{
	const char *p = scan_name(line + 1);

	if (*p != '>' || p + 1 == nl || nl[-1] == '\r')
		return false;
	r->id = 1;
	r->kind = REC_NOTE;
	r->stage = NOTE_UNTRACED;
	return true;
}

/* `<NAME>VALUE` */
static NOT_INLINE bool fast_statistic(struct lexer *lx, const char *line, const char *nl,
				      struct record *r)
{
	r->events = 0;
	if (line[1] == 'N' && line[2] == 'T')
		return fast_untraced(line, nl, r);
	for (size_t i = 0; i < lx->view.metrics; i++) {
		unsigned m = (unsigned)((lx->metric_hint + i) % lx->view.metrics);
		unsigned len = lx->view.metric_len[m];

		if (line[len + 1] != '>' || !scan_same(line + 1, lx->view.metric_name[m], len))
			continue;
		lx->metric_hint = m + 1;
		r->kind = REC_SAMPLE;
		r->stage = (uint8_t)m;
		return fast_real(line + len + 2, nl, &r->value);
	}
	return false;
}

static inline bool fast_line(struct lexer *lx, const char *line, const char *nl, struct record *r)
{
	switch (scan_load2(line)) {
	case '*' | ' ' << 8:
		return fast_entry(lx, line, nl, r);
	case '-' | ' ' << 8:
		return fast_number(line, nl, REC_END, r);
	case '+' | ' ' << 8:
		return fast_birth(lx, line, nl, r);
	case '@' | ' ' << 8:
		return fast_number(line, nl, REC_TICK, r);
	}
	return line[0] == '<' && fast_statistic(lx, line, nl, r);
}

/* Those of the lines that end at ends[0..lines) in front of one for the careful path. */
static size_t fast_lines(struct lexer *lx, const char *text, const uint32_t *ends, size_t lines,
			 struct record *out)
{
	const char *line = text + lx->pos;
	uint32_t number = (uint32_t)lx->line;
	struct record *r = out, *stop = out + lines;

	for (; r < stop; r++) {
		const char *nl = text + *ends++;

		if (!fast_line(lx, line, nl, r))
			break;
		r->at = (uint32_t)(line - text);
		r->line = number++;
		line = nl + 1;
	}
	lx->pos = (size_t)(line - text);
	lx->line += (uint64_t)(r - out);
	return (size_t)(r - out);
}

size_t pipetrace_lex(struct lexer *lx, const char *text, size_t len, bool final, struct record *out,
		     size_t max)
{
	const size_t safe = len > SCAN_SLACK ? len - SCAN_SLACK : 0;
	uint32_t ends[LINES_MOST + SCAN_BLOCK];
	size_t n = 0, lines = 0, i = 0;

	while (lx->pos < len && n + LINE_RECORDS <= max) {
		const size_t most = max - n - LINE_RECORDS + 1;
		size_t done;

		if (i == lines) {
			size_t to = lx->pos + WINDOW < safe ? lx->pos + WINDOW : safe;

			lines = scan_lines(text, lx->pos, to, ends, LINES_MOST);
			i = 0;
		}
		done = fast_lines(lx, text, ends + i, lines - i < most ? lines - i : most, out + n);
		n += done;
		i += done;
		if (done == most || (done && i == lines))
			continue;
		if (!pipetrace_line(lx, text, len, final, out, &n))
			break;
		i += i < lines;
	}
	return n;
}
