/*
 * The SimpleScalar / GPV pipetrace and its relatives (formats: stock 3.0, GPV's ARM port,
 * M5's suffixes, HydraScalar's extra words).
 *
 * Two lexers give the same records: pipetrace_lex() knows the exact shapes that the two great
 * emitters print and falls back, line by line, on pipetrace_lex_slow(), which knows the rest.
 * Record kinds are told by prefix AND blank AND digit, because a simulator's and a program's
 * own output may be in the same stream.
 */
#include "config.h"

#include "pipeline/formats/pipetrace.h"

#include "pipeline/formats/scan.h"

#include <limits.h>

static const struct trace_config pipetrace_names = {
    .stages =
	{
	    {"IF", 'F', ROLE_FETCH, 0, "fetch: in the fetch queue, waiting to be decoded"},
	    {"DA", 'D', ROLE_DECODE, 1, "dispatch: decoded and allocated, waiting for operands"},
	    {"EX", 'X', ROLE_EXECUTE, 2, "issue: executing"},
	    {"WB", 'W', ROLE_WRITEBACK, 3, "writeback: done, waiting to commit"},
	    {"CT", 'C', ROLE_COMMIT, 4, "commit"},
	},
    .stage_count = 5,
    .events =
	{
	    {"cache-miss", 0x001, '*', 0, true, true, "cache miss"},
	    {"tlb-miss", 0x002, '!', 1, true, true, "TLB miss"},
	    {"mispredict", 0x004, '/', 2, true, false, "predicted next pc is wrong (at decode)"},
	    {"mispredict-detected", 0x008, '\\', 3, true, false, "misprediction resolved: recovery"},
	    {"agen", 0x010, '+', 4, false, false, "address generation half of a load or store"},
	},
    .event_count = 5,
};

static void pipetrace_config(struct trace_config *out)
{
	*out = pipetrace_names;
}

/* ---- one line, carefully ---------------------------------------------------------------- */

struct line {
	struct lexer *lx;
	const char *text, *p, *end; /* the text as a whole; this line without its end */
	struct record *out;
	size_t n;
};

static void emit(struct line *l, enum record_kind kind, const char *at, unsigned stage, uint64_t id)
{
	struct record *r = &l->out[l->n++];

	r->id = id;
	r->at = (uint32_t)(at - l->text);
	r->line = (uint32_t)l->lx->line;
	r->kind = (uint8_t)kind;
	r->stage = (uint8_t)stage;
	r->events = 0;
	r->enter.lane = 0;
}

static void emit_note(struct line *l, enum note note)
{
	emit(l, REC_NOTE, l->p, note, 1);
}

static bool emit_bad(struct line *l, enum bad bad)
{
	emit(l, REC_BAD, l->p, bad, 0);
	return true;
}

/* Raw event bits -> set of event kinds. */
static uint16_t event_kinds(struct lexer *lx, uint32_t raw, bool *full)
{
	uint16_t kinds = 0;

	if (raw & ~lx->view.known_masks) {
		if (lx->may_name)
			*full |= !names_events(lx->names, raw);
		else
			lx->stumbled = true;
		names_refresh(lx->names, &lx->view);
	}
	for (size_t i = 0; i < lx->view.events; i++)
		if (raw & lx->view.event_mask[i])
			kinds |= (uint16_t)(1u << i);
	return kinds;
}

/*
 * Latency and colour mean something only beside a miss bit: elsewhere they are left over
 * from an earlier load (formats/pipetrace.md 5.3).
 */
void pipetrace_latency(struct lexer *lx, struct record *r, uint32_t raw, uint64_t latency,
		       uint32_t colour)
{
	uint32_t misses = raw & lx->view.lasting_masks;
	bool full = false;

	if (!misses) {
		r->enter.latency = -1;
		r->enter.colour = 0;
		return;
	}
	colour &= misses;
	if (!colour)
		colour = misses;
	colour &= -colour;
	r->enter.latency = latency > INT32_MAX ? INT32_MAX : (int32_t)latency;
	r->enter.colour = event_kinds(lx, colour, &full);
}

static const char *blank(const char *p, const char *end)
{
	return p && p < end && *p == ' ' ? p + 1 : NULL;
}

static bool is_name_byte(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.' || c == '-';
}

/* HydraScalar's " tNN". */
static bool is_thread(const char *p, const char *end)
{
	return end - p > 2 && p[0] == ' ' && p[1] == 't' && p[2] >= '0' && p[2] <= '9';
}

enum { LINE_PROBE = 4096 }; /* a cycle line is shorter */

/* Behind the number p of a cycle line: nothing, HydraScalar's tab or M5's suffix. */
static bool ends_tick(const char *p, const char *end)
{
	return p && (p == end || *p == '\t' || pipetrace_suffix(p, end) == p);
}

/*
 * `@ N`. A number only (emitters print nothing behind it but for HydraScalar's tab), so that
 * "@ 5 o'clock" of some program is not taken for one.
 */
static bool line_tick(struct line *l, const char *p, const char *end)
{
	bool overflow = false;
	uint64_t tick;

	p = scan_dec_field(p, end, &tick, &overflow);
	if (!ends_tick(p, end))
		return false;
	if (overflow || tick >= INT64_MAX)
		return emit_bad(l, BAD_OVERFLOW);
	emit(l, REC_TICK, l->p, 0, tick);
	return true;
}

/* The thread whose digits are at p -> the newest record, a birth; none when there are no digits. */
static void birth_thread(struct line *l, const char *p, const char *end)
{
	struct lexer *lx = l->lx;
	bool overflow = false;
	uint64_t thread;
	int number = -1;

	if (!scan_dec_field(p, end, &thread, &overflow))
		return;
	if (!overflow && thread <= INT64_MAX)
		number = names_view_thread(lx->names, &lx->view, (int64_t)thread, lx->may_name);
	if (number > 0)
		l->out[l->n - 1].events = (uint16_t)number;
	else if (number == 0)
		lx->stumbled = true;
	else
		emit_bad(l, BAD_THREAD);
}

/*
 * `+ SEQ 0xPC 0xADDR TEXT`. HydraScalar puts `tNN` before the address. A text longer than
 * LEX_LONG_LINE is clipped by the caller.
 */
static bool line_birth(struct line *l, const char *p, const char *end)
{
	bool overflow = false;
	const char *pc, *q, *thread = NULL, *suffix;
	uint64_t id, value;
	struct record *r;

	q = blank(scan_dec_field(p, end, &id, &overflow), end);
	if (!q)
		return false;
	if (end - q < 3 || q[0] != '0' || q[1] != 'x')
		return false;
	pc = q + 2;
	q = scan_hex_field(q, end, &value, &overflow);
	if (!q || q - pc > 64)
		return emit_bad(l, BAD_MALFORMED);
	if (overflow)
		return emit_bad(l, BAD_OVERFLOW);
	emit(l, REC_BIRTH, l->p, 0, id);
	r = &l->out[l->n - 1];
	r->birth.pc = (uint16_t)(pc - l->p);
	r->birth.pc_len = (uint16_t)(q - pc);
	p = q;
	if (is_thread(p, end))
		for (thread = p += 2; p < end && *p >= '0' && *p <= '9';)
			p++;
	if (end - p > 3 && memcmp(p, " 0x", 3) == 0) {
		bool wide = false;

		q = scan_hex_field(p + 1, end, &value, &wide);
		p = q ? q : p;
	}
	if (p < end && *p == ' ')
		p++;
	suffix = pipetrace_suffix(p, end);
	r->birth.text = (uint32_t)(p - l->p);
	r->birth.text_len = (uint32_t)(suffix - p);
	if (suffix < end)
		thread = suffix + PIPETRACE_THREAD;
	if (thread)
		birth_thread(l, thread, end);
	return true;
}

/* `* SEQ ST 0xEVENTS [LATENCY 0xCOLOUR]`, anything behind that ignored. */
static bool line_enter(struct line *l, const char *p, const char *end)
{
	struct lexer *lx = l->lx;
	bool overflow = false, full = false;
	uint64_t id, raw, latency = 0, colour = 0;
	const char *name, *q;
	struct record *r;
	struct lexer_name stage;

	name = blank(scan_dec_field(p, end, &id, &overflow), end);
	if (!name)
		return false;
	for (q = name; q < end && is_name_byte(*q);)
		q++;
	if (q == name || q - name > 15)
		return emit_bad(l, BAD_MALFORMED);
	p = blank(q, end);
	if (p && end - p > 1 && p[0] == 't' && p[1] >= '0' && p[1] <= '9') {
		while (p < end && *p != ' ')
			p++;
		p = blank(p, end);
	}
	if (!p || end - p < 3 || p[0] != '0' || p[1] != 'x')
		return emit_bad(l, BAD_MALFORMED);
	p = scan_hex_field(p, end, &raw, &overflow);
	if (!p || (p < end && *p != ' ' && *p != '\t'))
		return emit_bad(l, BAD_MALFORMED);
	if (overflow || raw > UINT32_MAX)
		return emit_bad(l, BAD_OVERFLOW);
	stage = lexer_name(lx, NAMES_STAGES, name, (size_t)(q - name), true);
	if (stage.id < 0)
		return emit_bad(l, BAD_STAGE);
	if (stage.fresh) {
		emit_bad(l, BAD_REST_STAGE);
		emit_note(l, NOTE_REST_STAGES);
	}
	emit(l, REC_ENTER, l->p, (unsigned)stage.id, id);
	r = &l->out[l->n - 1];
	r->events = event_kinds(lx, (uint32_t)raw, &full);
	r->enter.latency = -1;
	r->enter.colour = 0;
	q = p = blank(p, end);
	if (q && (q = scan_dec_field(q, end, &latency, &overflow)) && (q = blank(q, end)) &&
	    scan_hex_field(q, end, &colour, &overflow))
		pipetrace_latency(lx, r, (uint32_t)raw, overflow ? INT32_MAX : latency, (uint32_t)colour);
	else if (p)
		emit_note(l, NOTE_EXTRA_FIELDS);
	/* where it means something, a latency that does not fit is told as the most that does */
	if (r->enter.latency >= 0 && (overflow || latency > INT32_MAX))
		emit_bad(l, BAD_OVERFLOW);
	if (full)
		emit_bad(l, BAD_EVENT);
	return true;
}

/* `- SEQ`, M5's or HydraScalar's thread behind it. */
static bool line_end(struct line *l, const char *p, const char *end)
{
	bool overflow = false;
	uint64_t id;

	p = scan_dec_field(p, end, &id, &overflow);
	if (!p || (p < end && pipetrace_suffix(p, end) != p && !is_thread(p, end)))
		return false;
	if (overflow)
		return emit_bad(l, BAD_OVERFLOW);
	emit(l, REC_END, l->p, 0, id);
	return true;
}

static int metric_number(struct lexer *lx, const char *p, size_t len)
{
	int id = -1;

	if (len >= sizeof(lx->names->metrics[0]))
		len = sizeof(lx->names->metrics[0]) - 1;
	for (size_t i = 0; i < lx->view.metrics; i++)
		if (lx->view.metric_len[i] == len && memcmp(lx->view.metric_name[i], p, len) == 0)
			return (int)i;
	if (lx->may_name)
		id = names_metric(lx->names, p, len);
	else
		lx->stumbled = true;
	names_refresh(lx->names, &lx->view);
	return id;
}

/* `<name>value`; names that begin with NT are not for viewers. */
static bool line_statistic(struct line *l, const char *p, const char *end)
{
	const char *name = p, *q;
	struct record *r;
	double value;
	int metric;

	if (end - p == 11 && memcmp(p, "END VISUAL>", 11) == 0) {
		emit_note(l, NOTE_END_MARK);
		return true;
	}
	while (p < end && scan_is_name(*p))
		p++;
	q = p;
	if (q == name || p == end || *p != '>')
		return false;
	if (q - name >= 2 && name[0] == 'N' && name[1] == 'T') {
		emit_note(l, NOTE_UNTRACED);
		return true;
	}
	p++;
	if (p == end)
		return emit_bad(l, BAD_MALFORMED);
	if (!scan_real(p, end, &value)) {
		emit_note(l, NOTE_TEXT_VALUE);
		return true;
	}
	metric = metric_number(l->lx, name, (size_t)(q - name));
	if (metric < 0)
		return emit_bad(l, BAD_METRIC);
	emit(l, REC_SAMPLE, l->p, (unsigned)metric, 0);
	r = &l->out[l->n - 1];
	r->value = value;
	return true;
}

/* prefix, blank and digit wanted behind it, what lexes the rest; false: not such a record */
static const struct {
	char prefix;
	bool blank_digit;
	bool (*lex)(struct line *l, const char *p, const char *end);
} line_kinds[] = {
    {'*', true, line_enter}, {'+', true, line_birth},       {'-', true, line_end},
    {'@', true, line_tick},  {'<', false, line_statistic},
};

/* True when p[0..end) is a record; it has then been emitted. */
static bool lex_record(struct line *l, const char *p, const char *end)
{
	if (p >= end)
		return false;
	for (size_t i = 0; i < sizeof(line_kinds) / sizeof(line_kinds[0]); i++) {
		if (*p != line_kinds[i].prefix)
			continue;
		if (!line_kinds[i].blank_digit)
			return line_kinds[i].lex(l, p + 1, end);
		return end - p > 2 && p[1] == ' ' && p[2] >= '0' && p[2] <= '9' &&
		       line_kinds[i].lex(l, p + 2, end);
	}
	return false;
}

/*
 * Output of the simulated program without a newline of its own has a record glued behind it:
 * take the first place from which the rest of the line is a whole record.
 */
static bool lex_glued(struct line *l)
{
	const char *begin = l->p, *end = l->end;
	size_t before = l->n;

	if (end - begin > 4096)
		begin = end - 4096;
	for (const char *p = begin + 1; p < end - 2; p++) {
		if (*p != '@' && *p != '+' && *p != '*' && *p != '-' && *p != '<')
			continue;
		l->p = p;
		if (lex_record(l, p, end) && l->out[before].kind != REC_BAD)
			return true;
		l->n = before;
	}
	return false;
}

static void lex_line(struct line *l)
{
	const char *start = l->p;
	bool long_line = l->end - l->p > LEX_LONG_LINE;

	if (l->end > l->p && l->end[-1] == '\r') {
		l->end--;
		emit_note(l, NOTE_CRLF);
	}
	if (l->p == l->end)
		return; /* blank: separates records */
	if (lex_record(l, l->p, l->end)) {
		if (long_line)
			emit_bad(l, BAD_LONG);
		if (memchr(start, '\0', (size_t)(l->end - start))) {
			l->p = start;
			emit_bad(l, BAD_NUL);
		}
		return;
	}
	if (memchr(l->p, '\0', (size_t)(l->end - l->p))) {
		emit_bad(l, BAD_NUL);
		return;
	}
	if (lex_glued(l)) {
		l->p = start;
		emit_note(l, NOTE_FOREIGN);
		return;
	}
	l->p = start;
	if (long_line)
		emit_bad(l, BAD_LONG);
	else
		emit_note(l, NOTE_FOREIGN);
}

/*
 * A last line without newline was cut there: `- 345` may have been `- 3456`, so nothing of it
 * is believed but the end mark.
 */
static void lex_cut_line(struct line *l)
{
	if (l->end - l->p == 12 && memcmp(l->p, "<END VISUAL>", 12) == 0)
		emit_note(l, NOTE_END_MARK);
	else
		emit_bad(l, BAD_CUT);
}

bool pipetrace_line(struct lexer *lx, const char *text, size_t len, bool final, struct record *out,
		    size_t *n)
{
	const char *start = text + lx->pos;
	const char *nl = memchr(start, '\n', len - lx->pos);
	struct line l = {lx, text, start, nl ? nl : text + len, out, *n};

	if (!nl && !final)
		return false;
	if (nl)
		lex_line(&l);
	else
		lex_cut_line(&l);
	lx->line++;
	lx->pos = nl ? (size_t)(nl + 1 - text) : len;
	*n = l.n;
	return true;
}

size_t pipetrace_lex_slow(struct lexer *lx, const char *text, size_t len, bool final,
			  struct record *out, size_t max)
{
	size_t n = 0;

	while (lx->pos < len && n + LINE_RECORDS <= max)
		if (!pipetrace_line(lx, text, len, final, out, &n))
			break;
	return n;
}

/* ---- is this a pipetrace? --------------------------------------------------------------- */

/*
 * Cycle lines and stage entries decide; a program's output in front or between is normal, so
 * lines that are neither only lower the score.
 */
static int pipetrace_detect(const char *text, size_t len)
{
	struct trace_config config;
	struct names names;
	struct lexer lx;
	struct record out[64];
	size_t n, kinds[REC_BAD + 1] = {0}, foreign = 0;

	pipetrace_config(&config);
	names_init(&names, &config);
	lexer_begin(&lx, &names, true);
	while ((n = pipetrace_lex(&lx, text, len, true, out, 64)) > 0)
		for (size_t i = 0; i < n; i++) {
			kinds[out[i].kind]++;
			if (out[i].kind == REC_NOTE && out[i].stage == NOTE_FOREIGN)
				foreign++;
		}
	names_free(&names);
	if (kinds[REC_ENTER] + kinds[REC_TICK] == 0)
		return 0;
	if (kinds[REC_TICK] == 0 && kinds[REC_BIRTH] == 0)
		return 0;
	return foreign > kinds[REC_ENTER] + kinds[REC_TICK] ? 40 : 90;
}

/* A cycle line with its newline: just those that line_tick() takes. */
static bool pipetrace_cut(const char *p, const char *end, int64_t *tick)
{
	const char *nl = memchr(p, '\n', end - p < LINE_PROBE ? (size_t)(end - p) : LINE_PROBE);
	bool overflow = false;
	uint64_t value;

	if (!nl || nl - p < 3 || p[0] != '@' || p[1] != ' ')
		return false;
	if (nl[-1] == '\r')
		nl--;
	p = scan_dec_field(p + 2, nl, &value, &overflow);
	if (!ends_tick(p, nl) || overflow || value >= INT64_MAX)
		return false;
	*tick = (int64_t)value;
	return true;
}

const struct reader pipetrace_reader = {
    .name = "pipetrace",
    .title = "SimpleScalar / GPV pipetrace",
    .unit = "cycle",
    .detect = pipetrace_detect,
    .config = pipetrace_config,
    .lex = pipetrace_lex,
    .cut = pipetrace_cut,
};
