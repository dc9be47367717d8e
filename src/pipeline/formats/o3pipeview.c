/*
 * gem5's O3PipeView: seven lines an instruction, printed when it is destroyed. Also what RTL
 * tracers made of it: a tag before the lines, a number that says whose line it is, lines left out
 * or added (formats/kanata-o3pipeview.md 2.7).
 */
#include "config.h"

#include "pipeline/formats/o3pipeview.h"

#include <stdlib.h>

static const struct trace_config o3_names = {
    .stages =
	{
#define O3_STAGE(name, word, letter, role, colour, help) {word, letter, role, colour, help},
	    O3_STAGES(O3_STAGE)
#undef O3_STAGE
	},
    .stage_count = O3_STAGE_COUNT,
};

static void o3_config(struct trace_config *out)
{
	*out = o3_names;
}

static const struct {
	const char *text;
	size_t len;
} words[O3_STAGE_COUNT] = {
#define O3_WORD(name, word, letter, role, colour, help) {word, sizeof(word) - 1},
    O3_STAGES(O3_WORD)
#undef O3_WORD
};

/* O3_STAGE_COUNT: it is none of the format's. */
static int stage_of(const char *w, size_t len)
{
	for (int i = 0; i < O3_STAGE_COUNT; i++)
		if (words[i].len == len && memcmp(words[i].text, w, len) == 0)
			return i;
	return O3_STAGE_COUNT;
}

static const char load_word[] = "load";

/* ---- fields ------------------------------------------------------------------------------ */

struct line {
	struct row_lexer *lx;
	const char *text, *start, *p, *end; /* p: behind the tag and what was read */
	bool no_nul; /* is in it */
};

static uint64_t line_at(const struct line *l)
{
	return (uint64_t)(l->start - l->text);
}

static void bad(const struct line *l, enum bad what, int64_t tick)
{
	row_lexer_bad(l->lx, what, l->lx->line, l->lx->off + line_at(l), tick);
}

static void skip_blanks(struct line *l)
{
	while (l->p < l->end && (*l->p == ' ' || *l->p == '\t'))
		l->p++;
}

/* The word up to the next colon. */
static bool word(struct line *l, const char **w, size_t *len)
{
	skip_blanks(l);
	*w = l->p;
	while (l->p < l->end && *l->p != ':') /* words are short */
		l->p++;
	*len = (size_t)(l->p - *w);
	l->p += l->p < l->end;
	while (*len && (*w)[*len - 1] == ' ')
		--*len;
	return *len > 0;
}

/* A decimal field and the colon or end behind it. A warning when it is none. */
static bool number(struct line *l, uint64_t *out, int64_t tick)
{
	bool overflow = false;
	const char *p;

	skip_blanks(l);
	p = scan_dec_field(l->p, l->end, out, &overflow);
	while (p && p < l->end && (*p == ' ' || *p == '\t'))
		p++;
	if (!p || overflow || (p < l->end && *p != ':')) {
		bad(l, overflow ? BAD_OVERFLOW : BAD_MALFORMED, tick);
		return false;
	}
	l->p = p < l->end ? p + 1 : p;
	return true;
}

static bool hex(struct line *l, uint32_t *at, uint32_t *len)
{
	skip_blanks(l);
	if (l->end - l->p > 1 && l->p[0] == '0' && (l->p[1] | 32) == 'x')
		l->p += 2;
	*at = (uint32_t)(l->p - l->start);
	while (l->p < l->end && scan_hex_digit(*l->p) < 16)
		l->p++;
	*len = (uint32_t)(l->p - l->start) - *at;
	skip_blanks(l);
	if (*len == 0 || *len > 16 || (l->p < l->end && *l->p != ':')) {
		bad(l, BAD_MALFORMED, 0);
		return false;
	}
	l->p += l->p < l->end;
	return true;
}

/* ---- open records ------------------------------------------------------------------------ */

static struct row_open *nth(struct row_lexer *lx, size_t i)
{
	return &lx->ring[(lx->first + i) % ROWS_OPEN];
}

/* The record that a line belongs to; NULL: none is open. */
static struct row_open *open_record(struct row_lexer *lx, const struct o3_prefix *prefix)
{
	if (!prefix->numbered)
		return lx->open.used ? &lx->open : NULL;
	for (size_t i = lx->count; i-- > 0;)
		if (nth(lx, i)->tag == prefix->number)
			return nth(lx, i);
	return NULL;
}

enum text_end { TEXT_GOES_ON, TEXT_PIECE_ENDS, TEXT_ENDS };

/* It will not get more lines: it has all, or a younger one has retired, or the oldest must go. */
static bool is_settled(const struct row_lexer *lx, const struct row_open *o)
{
	return o->ended || (lx->any_retired && o->tag < lx->newest) || lx->count == ROWS_OPEN;
}

/* The next record that will get no more lines. */
static bool take_open(struct row_lexer *lx, enum text_end end, struct text_row *out)
{
	struct row_open *o;

	if (lx->open.used && (lx->open.ended || end != TEXT_GOES_ON)) {
		o3_finish(lx, &lx->open, end == TEXT_ENDS);
		*out = lx->open.row;
		return true;
	}
	if (lx->count == 0)
		return false;
	o = nth(lx, 0);
	if (end != TEXT_ENDS && !is_settled(lx, o))
		return false;
	o3_finish(lx, o, !is_settled(lx, o));
	*out = o->row;
	lx->first = (lx->first + 1) % ROWS_OPEN;
	lx->count--;
	return true;
}

/* ---- lines ------------------------------------------------------------------------------- */

/* Operation classes that some tracers print behind the text (gem5's names). */
static const char *const classes[] = {"No_OpClass", "Int",    "Float",        "Simd",  "Mem",
				      "IprAccess",  "Vector", "InstPrefetch", "Matrix"};

/* fetch:TICK:PC:MICRO:SEQ:TEXT; an operation class behind the text is left out: true then. */
static bool trim_text(const char *line, struct text_row *row)
{
	const char *p = line + row->text, *end = p + row->text_len, *colon;

	while (end > p && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	row->text = (uint32_t)(p - line);
	row->text_len = (uint32_t)(end - p);
	colon = end > p && end[-1] != ' ' ? memrchr(p, ':', (size_t)(end - p)) : NULL;
	if (!colon)
		return false;
	for (const char *q = colon + 1; q < end; q++)
		if (!scan_is_name(*q))
			return false;
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		size_t len = strlen(classes[i]);

		if ((size_t)(end - colon - 1) > len && memcmp(colon + 1, classes[i], len) == 0) {
			row->text_len = (uint32_t)(colon - p);
			return true;
		}
	}
	return false;
}

static void on_fetch(struct line *l, const struct o3_prefix *prefix)
{
	struct row_lexer *lx = l->lx;
	struct row_open *o = prefix->numbered ? nth(lx, lx->count) : &lx->open;
	struct text_row *r = &o->row;
	uint64_t tick, part;
	bool overflow = false;

	/* all but the stays, which are counted */
	memset(o, 0, offsetof(struct row_open, row.stay));
	memset(o->tick, 0, sizeof(*o) - offsetof(struct row_open, tick));
	o->tagged = prefix->numbered;
	o->tag = prefix->number;
	o->line = lx->line;
	if (!number(l, &tick, 0) || !hex(l, &r->pc, &r->pc_len) ||
	    !number(l, &part, (int64_t)tick) || !number(l, &r->id, (int64_t)tick))
		return;
	scan_hex_field(l->start + r->pc, l->start + r->pc + r->pc_len, &o->pc, &overflow);
	if (r->id == 0 &&
	    part > 0) { /* gem5's numbers begin at 1: these two are the other way round */
		r->id = part;
		part = 0;
	}
	r->start = (int64_t)tick;
	r->part = part < UINT32_MAX ? (uint32_t)part : UINT32_MAX;
	r->off = lx->off + line_at(l);
	r->cpu = CPU_NONE;
	if (l->end - l->start > LEX_LONG_LINE) {
		bad(l, BAD_LONG, r->start);
		l->end = l->start + LEX_LONG_LINE;
	}
	r->text = (uint32_t)(l->p - l->start);
	r->text_len = (uint32_t)(l->end > l->p ? l->end - l->p : 0);
	if (trim_text(l->start, r))
		lx->notes[NOTE_EXTRA_FIELDS]++;
	if (tick >= (uint64_t)O3_TICK_END) {
		bad(l, BAD_OVERFLOW, 0);
		return;
	}
	o->used = true;
	lx->count += prefix->numbered;
}

/* The stage gets its name when a trace has it. False: there is no room for one more. */
static bool knows_loads(struct row_lexer *lx)
{
	int stage = lx->stage[O3_LOAD];

	if (stage == STAGE_NONE)
		stage = names_stage(lx->names, load_word, sizeof(load_word) - 1);
	lx->stage[O3_LOAD] = stage < 0 ? STAGE_NONE : (uint8_t)stage;
	return stage >= 0;
}

/* It is one or the other. */
static void put_memory(struct row_open *o, int stage, uint64_t tick)
{
	o->tick[O3_STORE] = o->tick[O3_LOAD] = 0;
	o->tick[stage] = (int64_t)tick;
}

/* `retire:TICK:store:TICK2`, or load; what else may stand there is not known to mean anything. */
static void on_retire(struct line *l, struct row_open *o)
{
	const char *w;
	size_t len;
	uint64_t tick, memory;

	o->ended = true;
	if (!number(l, &tick, o->row.start))
		return;
	o->tick[O3_RETIRE] = (int64_t)tick;
	if (o->tagged && tick && (!l->lx->any_retired || o->tag > l->lx->newest)) {
		l->lx->any_retired = true;
		l->lx->newest = o->tag;
	}
	if (!word(l, &w, &len))
		return;
	if (stage_of(w, len) == O3_STORE) {
		if (l->p < l->end && number(l, &memory, o->row.start))
			put_memory(o, O3_STORE, memory);
	} else if (len == sizeof(load_word) - 1 && memcmp(w, load_word, len) == 0 &&
		   knows_loads(l->lx)) {
		if (l->p < l->end && number(l, &memory, o->row.start))
			put_memory(o, O3_LOAD, memory);
	} else {
		l->lx->notes[NOTE_EXTRA_FIELDS]++;
	}
}

static void on_stage(struct line *l, struct row_open *o, const char *w, size_t len)
{
	int stage = stage_of(w, len);
	uint64_t tick;

	if (stage < O3_STAGE_COUNT) {
		if (stage == O3_RETIRE)
			on_retire(l, o);
		else if (number(l, &tick, o->row.start))
			o->tick[stage] = (int64_t)tick;
		return;
	}
	if (len == 6 && memcmp(w, "thread", 6) == 0) {
		/* thread:TICK:TID */
		if (number(l, &tick, o->row.start) && number(l, &tick, o->row.start)) {
			o->row.has_thread = true;
			o->row.thread = (int64_t)tick;
		}
		return;
	}
	o->row.extra = true;
	l->lx->notes[NOTE_EXTRA_LINES]++;
}

static void on_record(struct line *l, const struct o3_prefix *prefix)
{
	struct row_lexer *lx = l->lx;
	struct row_open *o;
	const char *w;
	size_t len;

	lx->records++;
	l->p = prefix->tag + O3_TAG_LEN;
	if (!l->no_nul && memchr(l->start, '\0', (size_t)(l->end - l->start)))
		bad(l, BAD_NUL, 0);
	if (!word(l, &w, &len)) {
		bad(l, BAD_MALFORMED, 0);
		return;
	}
	if (stage_of(w, len) == O3_FETCH) {
		on_fetch(l, prefix);
		return;
	}
	o = open_record(lx, prefix);
	if (!o) {
		if (stage_of(w, len) < O3_STAGE_COUNT)
			bad(l, BAD_ORPHAN, 0);
		else
			lx->notes[NOTE_EXTRA_LINES]++;
		return;
	}
	on_stage(l, o, w, len);
	o->row.len = (uint32_t)(lx->off + (uint64_t)(l->end - l->text) - o->row.off);
}

static bool o3_is_extra(const char *line, const char *end)
{
	static const char thread[] = "thread";
	struct o3_prefix prefix = o3_find_tag(line, end);
	struct line l = {.start = line, .p = prefix.tag, .end = end};
	const char *w;
	size_t len;

	if (!prefix.tag)
		return false;
	l.p += O3_TAG_LEN;
	return word(&l, &w, &len) && stage_of(w, len) == O3_STAGE_COUNT &&
	       !(len == sizeof(thread) - 1 && memcmp(w, thread, len) == 0);
}

/* Whose line it is, by its number where it has one; a retire line is a record's last. */
static enum row_line o3_row_line(const char *record, const char *line, const char *end,
				 int64_t *tick)
{
	const char *stop = end - record > O3_RECOGNISED ? record + O3_RECOGNISED : end, *w;
	struct o3_prefix mine = o3_find_tag(record, stop), its = o3_find_tag(line, end);
	struct row_lexer quiet = {.reread = true};
	struct line l = {.lx = &quiet, .text = line, .start = line, .p = its.tag, .end = end};
	uint64_t at;
	size_t len;

	if (!its.tag || its.numbered != mine.numbered ||
	    (mine.numbered && its.number != mine.number))
		return ROW_LINE_OTHER;
	l.p += O3_TAG_LEN;
	if (!word(&l, &w, &len))
		return ROW_LINE_OTHER;
	if (line != record && stage_of(w, len) == O3_FETCH)
		return ROW_LINE_BEHIND;
	if (stage_of(w, len) < O3_STAGE_COUNT && number(&l, &at, 0) && at && at < (uint64_t)O3_TICK_END)
		*tick = (int64_t)at;
	return stage_of(w, len) == O3_RETIRE ? ROW_LINE_LAST : ROW_LINE_OWN;
}

static void on_other(struct line *l)
{
	struct row_told told;

	if (l->lx->reread)
		return;
	l->lx->notes[NOTE_FOREIGN] += l->end > l->start;
	l->lx->notes[NOTE_REGISTER_READS] += o3_reads(l->start, l->end);
	if (o3_debug_line(l->start, l->end, &told)) {
		told.off = l->lx->off + line_at(l);
		o3_remember(l->lx, &told);
	}
}

/* ---- text -------------------------------------------------------------------------------- */

/* The ring is made when a file needs it. False: this lexer cannot go on. */
static bool may_open(struct row_lexer *lx, const struct o3_prefix *prefix)
{
	if (!prefix->numbered)
		return true;
	if (!lx->carry) {
		lx->interleaved = true;
		return false;
	}
	if (!lx->ring && !(lx->ring = calloc(ROWS_OPEN, sizeof(*lx->ring))))
		lx->damaged = true;
	return lx->ring != NULL;
}

/* A fetch line of no number ends the record before it: that is taken out first. */
static bool ends_open(const struct row_lexer *lx, const struct o3_prefix *prefix, const char *end)
{
	static const char fetch[] = "fetch:";
	const char *p = prefix->tag + O3_TAG_LEN;

	return lx->open.used && !prefix->numbered && end - p >= (ptrdiff_t)sizeof(fetch) - 1 &&
	       memcmp(p, fetch, sizeof(fetch) - 1) == 0;
}

enum { LINE_AHEAD = 128 }; /* so much behind a line's start is looked at as a whole */
enum step { STEP_LINE, STEP_ROW, STEP_END };

/* One line: STEP_ROW when it was left where it is because a row is whole first. */
static enum step step(struct row_lexer *lx, const char *text, size_t len, bool final,
		      struct text_row *out)
{
	const char *start = text + lx->pos;
	const char *nl = NULL;
	struct line l = {.lx = lx, .text = text, .start = start};
	struct o3_prefix prefix;

	if (len - lx->pos > LINE_AHEAD)
		nl = scan_newline(start, text + len);
	l.no_nul = nl != NULL;
	if (!nl)
		nl = memchr(start, '\n', len - lx->pos);

	if (!nl && !final)
		return STEP_END;
	l.end = nl ? nl : text + len;
	prefix = o3_find_tag(start, l.end);
	if (prefix.tag) {
		if (!may_open(lx, &prefix))
			return STEP_END;
		if (ends_open(lx, &prefix, l.end)) {
			o3_finish(lx, &lx->open, false);
			*out = lx->open.row;
			return STEP_ROW;
		}
	}
	if (l.end > start && l.end[-1] == '\r') {
		l.end--;
		lx->notes[NOTE_CRLF]++;
	}
	if (!prefix.tag)
		on_other(&l);
	else if (nl)
		on_record(&l, &prefix);
	else
		bad(&l, BAD_CUT, lx->open.used ? lx->open.row.start : 0);
	lx->line++;
	lx->pos = nl ? (size_t)(nl + 1 - text) : len;
	return STEP_LINE;
}

/* The next row from lx->pos on; false: there is none, the text is used up. */
static bool next_row(struct row_lexer *lx, const char *text, size_t len, enum text_end end,
		     struct text_row *out)
{
	while (!lx->interleaved && !lx->damaged) {
		if (take_open(lx, lx->pos < len ? TEXT_GOES_ON : end, out))
			return true;
		if (lx->pos >= len)
			return false;
		switch (step(lx, text, len, end != TEXT_GOES_ON, out)) {
		case STEP_ROW:
			return true;
		case STEP_LINE:
			break;
		case STEP_END:
			return false;
		}
	}
	return false;
}

static size_t o3_lex_rows(struct row_lexer *lx, const char *text, size_t len, bool ends, bool final,
			  struct text_row *out, size_t max)
{
	enum text_end end = final ? TEXT_ENDS : ends ? TEXT_PIECE_ENDS : TEXT_GOES_ON;
	size_t n = 0;

	while (n < max && next_row(lx, text, len, end, &out[n]))
		n++;
	return n;
}

/* ---- cutting and detection --------------------------------------------------------------- */

static bool is_fetch(const char *line, const char *end)
{
	struct o3_prefix prefix = o3_find_tag(line, end);
	const char *p = prefix.tag ? prefix.tag + O3_TAG_LEN : NULL;

	while (p && p < end && *p == ' ')
		p++;
	return p && end - p >= 6 && memcmp(p, "fetch:", 6) == 0;
}

static size_t o3_last_record(const char *text, size_t len)
{
	for (size_t left = len; left > 1;) {
		const char *nl = memrchr(text, '\n', left - 1), *end;

		if (!nl)
			return 0;
		end = text + left;
		if (is_fetch(nl + 1, end))
			return (size_t)(nl + 1 - text);
		left = (size_t)(nl - text) + 1;
	}
	return 0;
}

/* Where "O3PipeView:fetch" begins that ends with this h, blanks allowed between; NULL: it is none. */
static const char *fetch_tag(const char *text, const char *h)
{
	const char *p = h - 4;

	if (h - text < O3_TAG_LEN + 4 || memcmp(p, "fetch", 5) != 0)
		return NULL;
	while (p - text > O3_TAG_LEN && p[-1] == ' ')
		p--;
	return memcmp(p - O3_TAG_LEN, O3_TAG, O3_TAG_LEN) == 0 ? p - O3_TAG_LEN : NULL;
}

/* By a letter of it that is rare in the rest: that is twice as quick as looking for the word. */
static void o3_starts(const char *text, size_t len, size_t most, struct row_starts *io)
{
	const char *end = text + len;
	uint64_t tick;
	bool overflow = false;

	for (const char *p = text; (p = memchr(p, 'h', (size_t)(end - p)));) {
		const char *tag = fetch_tag(text, p++);

		if (!tag || p == end || *p++ != ':')
			continue;
		if (tag >= text + most)
			break;
		while (p < end && *p == ' ')
			p++;
		if (!scan_dec_field(p, end, &tick, &overflow) || tick >= (uint64_t)O3_TICK_END)
			continue;
		io->rows++;
		if ((int64_t)tick < io->earliest)
			io->earliest = (int64_t)tick;
		if ((int64_t)tick > io->latest)
			io->latest = (int64_t)tick;
	}
}

enum { SCORE_RECORDS = 95, SCORE_DEBUG = 15, DEBUG_LINES = 8 };

/* "  78500: system.cpu.fetch: ", as gem5 begins its debug lines */
static bool is_debug(const char *p, const char *end)
{
	static const char *const names[] = {"system.", "global:"};
	const char *digits;

	while (p < end && *p == ' ')
		p++;
	for (digits = p; p < end && *p >= '0' && *p <= '9';)
		p++;
	if (p == digits || end - p < 9 || p[0] != ':' || p[1] != ' ')
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (memcmp(p + 2, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* Records may begin far behind; debug output of gem5 without any is told so when it was read. */
static int o3_detect(const char *text, size_t len)
{
	const char *end = text + len, *nl;
	int debug = 0;

	for (const char *p = text; p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		if (!nl)
			break;
		if (o3_find_tag(p, nl).tag)
			return SCORE_RECORDS;
		debug += is_debug(p, nl);
	}
	return debug >= DEBUG_LINES ? SCORE_DEBUG : 0;
}

const struct reader o3pipeview_reader = {
    .name = "o3pipeview",
    .title = "gem5 O3PipeView (also of BOOM, NaxRiscv, Sniper and others)",
    .unit = "tick",
    .detect = o3_detect,
    .config = o3_config,
    .lex_rows = o3_lex_rows,
    .last_record = o3_last_record,
    .starts = o3_starts,
    .row_line = o3_row_line,
    .is_extra = o3_is_extra,
    .told = o3_debug_line,
    .renames = o3_renames,
    .empty = "no O3PipeView lines in this file: the debug flag O3PipeView was not on "
	     "(gem5 --debug-flags=O3PipeView)",
};
