/*
 * What the parts of the Kanata reader share: the careful lexer (kanata.c), which knows every form,
 * the fast one (kanata_fast.c), which knows the shapes that emitters print, the cycle lines
 * (kanata_clock.c) and the header (kanata_header.c). Format: formats/kanata-o3pipeview.md 1.
 */
#ifndef PIPEGLASS_PIPELINE_FORMATS_KANATA_H
#define PIPEGLASS_PIPELINE_FORMATS_KANATA_H

#include <stddef.h>

#include "pipeline/formats/record.h"
#include "pipeline/formats/scan.h"

enum { KANATA_RECORDS = 8 }; /* a line makes at most so many */

/* ---- cycle lines --------------------------------------------------------------------------- */

/* Ticks are below it and above its negative, so that differences of two fit an int64_t. */
#define KANATA_TICK_END (INT64_C(1) << 62)

enum cycle_kind { CYCLE_NONE, CYCLE_STEP, CYCLE_SET, CYCLE_MALFORMED, CYCLE_OVERFLOW, CYCLE_NUL };

/* What a line says about the clock: all parts of the reader have it from here. */
struct cycle_line {
	enum cycle_kind kind; /* CYCLE_NONE: it is no cycle line; from CYCLE_MALFORMED: a bad one */
	bool extra;           /* there are more fields */
	int64_t value;        /* ticks to go on, or the tick */
};

/* line[0..end) without its newline. O(line). */
struct cycle_line kanata_cycle(const char *line, const char *end);

/*
 * The tick after the line. The clock goes forward only, but to begin with it may be set before 0,
 * where it starts; it stops at the last tick there is.
 */
int64_t kanata_advance(int64_t tick, const struct cycle_line *c);

int64_t kanata_clock(const char *text, size_t len, int64_t tick);
bool kanata_cut(const char *p, const char *end, int64_t *tick);

/* ---- header -------------------------------------------------------------------------------- */

/* HEADER_ODD: not the word, a tab and a version, blanks behind them aside. */
enum kanata_header { HEADER_NONE, HEADER_PLAIN, HEADER_OTHER_VERSION, HEADER_ODD };

/* Is line[0..end) `Kanata<TAB>0004` or one of its relatives? O(line). */
enum kanata_header kanata_header(const char *line, const char *end);
/* Is there none of a log's lines in text[0..end): no header, no command, no cycle line? O(text). */
bool kanata_precedes(const char *text, const char *end);
/* Is line[0..end), which is not empty, one of the format's commands but the cycle's? */
bool kanata_is_command(const char *line, const char *end);
/* As reader.beginning. */
int kanata_beginning(const char *text, size_t len, uint32_t *line, uint32_t *at);
int kanata_detect(const char *text, size_t len);

/* ---- lines --------------------------------------------------------------------------------- */

static inline bool kanata_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/*
 * line[0..end) -> its end without the blanks there, and without escaped newlines but in details,
 * where they stand between one label and the next.
 */
static inline const char *kanata_trim_label(enum label_kind kind, const char *p, const char *end)
{
	for (;;) {
		if (end > p && kanata_is_blank(end[-1]))
			end--;
		else if (kind != LABEL_DETAIL && end - p > 1 && end[-1] == 'n' && end[-2] == '\\')
			end -= 2;
		else
			return end;
	}
}

/* Behind the hexadecimal digits that p[0..end) begins with; *sure: a decimal one is among them. */
static inline const char *kanata_hex(const char *p, const char *end, bool slack, bool *sure)
{
	if (slack) { /* what stands at end is no digit; of eight it does not matter what they are */
		unsigned n = scan_hex_count(p);
		uint64_t decimal = ~scan_load8(p) & 0x4040404040404040u;

		*sure |= n >= 8 || (decimal & ((UINT64_C(1) << 8 * n) - 1)) != 0;
		return p + n;
	}
	for (; p < end && scan_hex_digit(*p) < 16; p++)
		*sure |= *p <= '9';
	return p;
}

/*
 * Where the pc and the text of the label p[0..end) of the line stand. Hexadecimal digits before a
 * colon are a pc when they look like one: "add: r1" has none. slack: SCAN_SLACK bytes
 * behind end may be read.
 */
static inline void kanata_label(struct record *r, enum label_kind kind, const char *line,
				const char *p, const char *end, bool slack)
{
	const char *pc = p, *q;
	bool sure = false;

	end = kanata_trim_label(kind, p, end);
	r->birth.pc = r->birth.pc_len = 0;
	if (kind == LABEL_TEXT && p < end) {
		if (end - p > 2 && p[0] == '0' && (p[1] | 32) == 'x') {
			sure = true;
			pc += 2;
		}
		q = kanata_hex(pc, end, slack, &sure);
		if (q > pc && q < end && *q == ':' && q - pc <= 16 && q - line <= UINT16_MAX &&
		    (sure || q - pc >= 8)) {
			r->birth.pc = (uint16_t)(pc - line);
			r->birth.pc_len = (uint16_t)(q - pc);
			for (p = q + 1; p < end && kanata_is_blank(*p);)
				p++;
		}
	}
	r->birth.text = (uint32_t)(p - line);
	r->birth.text_len = (uint32_t)(end - p);
}

/*
 * Lex one line, carefully, behind out[*n]; false: there is no whole one (see pipetrace_lex()).
 * O(line).
 */
bool kanata_line(struct lexer *lx, const char *text, size_t len, bool final, struct record *out,
		 size_t *n);

/* As pipetrace_lex() and its careful form. */
size_t kanata_lex(struct lexer *lx, const char *text, size_t len, bool final, struct record *out,
		  size_t max);
size_t kanata_lex_slow(struct lexer *lx, const char *text, size_t len, bool final,
		       struct record *out, size_t max);

#endif
