/*
 * llvm-mca's timeline as JSON (`llvm-mca --timeline --json`): for each code region the texts of
 * its instructions and, for each iteration, the cycles in which they were dispatched, ready,
 * issued, executed and retired (LLVM: llvm/tools/llvm-mca/Views/TimelineView.h).
 *
 * Only what is needed is looked at, values of other keys are skipped, however deep; so no library
 * is asked for. Each region is a simulation of its own, which begins at cycle 0: those of one
 * document are laid one behind the other, so that what is counted by the cycle is counted in one
 * of them. A region that has a name, or is one of several, is told of each of its rows, as
 * llvm-mca's own text calls it; with several of them a row's thread is its region's number.
 *
 * A timeline may end before its instructions retire. Of the last region these are in flight; those
 * of a region before end with it, or they would be counted among those of all that follow.
 */
#include "config.h"

#include <inttypes.h>

#include "pipeline/formats/rows.h"
#include "pipeline/formats/scan.h"

/* key in the file, stage, letter, role, help */
#define MCA_STAGES(_)                                                                              \
	_("CycleDispatched", "dispatched", 'D', ROLE_FETCH, "dispatched, waiting for operands")    \
	_("CycleReady", "ready", '=', ROLE_OTHER, "operands ready, waiting for a unit")            \
	_("CycleIssued", "executing", 'E', ROLE_EXECUTE, "issued, executing")                      \
	_("CycleExecuted", "executed", '-', ROLE_WRITEBACK, "executed, waiting to retire")         \
	_("CycleRetired", "retired", 'R', ROLE_COMMIT, "retired")

static const char *const keys[] = {
#define MCA_KEY(key, name, letter, role, help) key,
    MCA_STAGES(MCA_KEY)
#undef MCA_KEY
};

enum { MCA_DISPATCHED, MCA_RETIRED = 4, MCA_KEYS = sizeof(keys) / sizeof(keys[0]) };

static const struct stage_info stages[MCA_KEYS] = {
#define MCA_STAGE(key, name, letter, role, help) {name, letter, role, 0, help},
    MCA_STAGES(MCA_STAGE)
#undef MCA_STAGE
};

static void mca_config(struct trace_config *out)
{
	memset(out, 0, sizeof(*out));
	out->stage_count = MCA_KEYS;
	for (size_t i = 0; i < MCA_KEYS; i++) {
		out->stages[i] = stages[i];
		out->stages[i].colour = (uint8_t)i;
	}
}

/* ---- JSON -------------------------------------------------------------------------------- */

/* Places in the text; a place of len means: not what was expected, or the end. */
struct json_text {
	const char *p;
	size_t len;
};

static size_t blanks(const struct json_text *j, size_t at)
{
	while (at < j->len && (j->p[at] == ' ' || j->p[at] == '\n' || j->p[at] == '\t' ||
			       j->p[at] == '\r' || j->p[at] == ','))
		at++;
	return at;
}

/* Behind the string that begins at `at`. */
static size_t string_end(const struct json_text *j, size_t at)
{
	for (at++; at < j->len && j->p[at] != '"'; at++)
		at += j->p[at] == '\\';
	return at < j->len ? at + 1 : j->len;
}

/* Behind the value that begins at `at`. Not recursive: nesting costs nothing. */
static size_t value_end(const struct json_text *j, size_t at)
{
	uint64_t depth = 0;

	for (; at < j->len; at++) {
		char c = j->p[at];

		if (c == '"') {
			at = string_end(j, at) - 1;
		} else if (c == '{' || c == '[') {
			depth++;
		} else if (c == '}' || c == ']') {
			if (depth == 0)
				return at;
			if (--depth == 0)
				return at + 1;
		} else if (depth == 0 && c == ',') {
			return at;
		}
		if (depth == 0 && c == '"')
			return at + 1;
	}
	return j->len;
}

/*
 * Where the document begins: at the first line that begins as one. What llvm-mca warns of stands
 * before it where both outputs went to one file.
 */
static size_t document(const struct json_text *j)
{
	size_t at = blanks(j, 0);

	while (at < j->len && j->p[at] != '{') {
		const char *nl = memchr(j->p + at, '\n', j->len - at);

		at = nl ? blanks(j, (size_t)(nl - j->p)) : j->len;
	}
	return at;
}

/* Inside an object or array at `at`, the place of the first member; len: it is no such thing. */
static size_t enter(const struct json_text *j, size_t at, char open)
{
	return at < j->len && j->p[at] == open ? blanks(j, at + 1) : j->len;
}

static bool at_string(const struct json_text *j, size_t at)
{
	return at < j->len && j->p[at] == '"';
}

/* Where the value of the key at `at` begins. */
static size_t key_value(const struct json_text *j, size_t at)
{
	at = blanks(j, string_end(j, at));
	return at < j->len && j->p[at] == ':' ? blanks(j, at + 1) : j->len;
}

static bool key_is(const struct json_text *j, size_t at, const char *key)
{
	size_t len = strlen(key);

	return j->len - at > len + 1 && memcmp(j->p + at + 1, key, len) == 0 &&
	       j->p[at + 1 + len] == '"';
}

/* The value of a key of the object at `at`; len: it has none. */
static size_t member(const struct json_text *j, size_t at, const char *key)
{
	for (at = enter(j, at, '{'); at_string(j, at);) {
		size_t value = key_value(j, at);

		if (key_is(j, at, key))
			return value;
		at = blanks(j, value_end(j, value));
	}
	return j->len;
}

/* Behind the last member of the object at `at`: where its brace is, if it is whole. */
static size_t members_end(const struct json_text *j, size_t at)
{
	for (at = enter(j, at, '{'); at_string(j, at);)
		at = blanks(j, value_end(j, key_value(j, at)));
	return at;
}

/* ---- regions ----------------------------------------------------------------------------- */

static unsigned unicode(const char *p, const char *end)
{
	unsigned c = 0;

	for (int i = 0; i < 4; i++)
		c = c << 4 | (p + i < end ? scan_hex_digit(p[i]) & 15 : 0);
	return c;
}

/* What a string says, escapes undone; what is beyond ASCII among them stands as '?'. */
static void add_string(struct sbuf *out, const struct json_text *j, size_t at)
{
	static const char from[] = "nrtbf", to[] = "\n\r\t\b\f";
	const char *end = j->p + string_end(j, at) - 1;

	for (const char *p = j->p + at + 1; p < end; p++) {
		const char *escape;
		char c = *p;

		if (c == '\\' && p + 1 < end) {
			c = *++p;
			escape = memchr(from, c, sizeof(from) - 1);
			if (escape) {
				c = to[escape - from];
			} else if (c == 'u') {
				unsigned u = unicode(p + 1, end);

				c = u < 128 ? (char)u : '?';
				p += end - p > 4 ? 4 : end - p - 1;
			}
		}
		sbuf_add(out, &c, 1);
	}
}

static void read_instructions(struct row_lexer *lx, const struct json_text *j, size_t at)
{
	vec_clear(&lx->document.ends);
	sbuf_clear(&lx->document.words);
	for (at = enter(j, at, '['); at_string(j, at); at = blanks(j, string_end(j, at))) {
		add_string(&lx->document.words, j, at);
		if (!vec_push(&lx->document.ends, lx->document.words.len))
			lx->damaged = true;
	}
	lx->damaged |= lx->document.words.failed;
}

static bool at_region(const struct json_text *j, size_t at)
{
	return at < j->len && j->p[at] == '{';
}

/* "[1] Code Region - name", behind the instructions. Nothing: it has no name and is the only one. */
static void read_title(struct row_lexer *lx, const struct json_text *j, size_t at)
{
	struct sbuf *words = &lx->document.words;
	bool named = at_string(j, at) && string_end(j, at) > at + 2;

	lx->document.title = words->len;
	if (named || lx->document.several)
		sbuf_printf(words, "[%" PRIu64 "] Code Region", lx->document.regions - 1);
	if (named) {
		sbuf_puts(words, " - ");
		add_string(words, j, at);
	}
	lx->damaged |= words->failed;
}

static bool number(const struct json_text *j, size_t at, uint64_t *out)
{
	bool overflow = false;

	return at < j->len && scan_dec_field(j->p + at, j->p + j->len, out, &overflow) != NULL &&
	       !overflow && *out < UINT64_C(1) << 32;
}

/* The cycles of the entry at `at`, by stage; false: it is none. */
static bool read_cycles(const struct json_text *j, size_t at, uint64_t cycle[MCA_KEYS])
{
	unsigned found = 0;

	for (size_t p = enter(j, at, '{'); at_string(j, p);) {
		size_t value = key_value(j, p);

		for (unsigned k = 0; k < MCA_KEYS; k++)
			if (key_is(j, p, keys[k]) && number(j, value, &cycle[k]))
				found |= 1u << k;
		p = blanks(j, value_end(j, value));
	}
	return found == (1u << MCA_KEYS) - 1;
}

/* Behind the last cycle that the entries from `at` on tell of: no entry knows it by itself. */
static int64_t cycles_end(const struct json_text *j, size_t at)
{
	uint64_t end = 0;

	while (at < j->len && j->p[at] == '{') {
		uint64_t cycle[MCA_KEYS];

		if (read_cycles(j, at, cycle))
			for (unsigned k = 0; k < MCA_KEYS; k++)
				end = cycle[k] >= end ? cycle[k] + 1 : end;
		at = blanks(j, value_end(j, at));
	}
	return (int64_t)end;
}

/* Lines before the document. */
static void note_foreign(struct row_lexer *lx, const struct json_text *j, size_t to)
{
	for (size_t at = 0; at < to; at++) {
		const char *nl = memchr(j->p + at, '\n', to - at);
		size_t end = nl ? (size_t)(nl - j->p) : to;

		lx->notes[NOTE_FOREIGN] += blanks(j, at) < end;
		at = end;
	}
}

/* On to the next region that has a timeline; false: there is none. */
static bool next_region(struct row_lexer *lx, const struct json_text *j)
{
	size_t region, info, list;

	if (!lx->document.begun) {
		lx->document.begun = true;
		list = member(j, document(j), "CodeRegions");
		note_foreign(lx, j, document(j));
		lx->document.next = enter(j, list, '[');
		lx->document.several =
		    at_region(j, blanks(j, value_end(j, lx->document.next)));
	}
	while (at_region(j, region = lx->document.next)) {
		lx->document.next = blanks(j, value_end(j, region));
		lx->document.last = !at_region(j, lx->document.next);
		lx->document.regions++;
		lx->document.index = 0;
		info = member(j, member(j, region, "TimelineView"), "TimelineInfo");
		lx->document.entry = enter(j, info, '[');
		lx->document.start = lx->document.end;
		if (lx->document.entry >= j->len)
			continue;
		lx->document.end += cycles_end(j, lx->document.entry);
		read_instructions(lx, j, member(j, region, "Instructions"));
		read_title(lx, j, member(j, region, "Name"));
		return true;
	}
	return false;
}

/* ---- entries ----------------------------------------------------------------------------- */

static void set_text(const struct row_lexer *lx, struct text_row *row)
{
	size_t n = lx->document.ends.count, k = n ? (size_t)(row->id % n) : 0;
	size_t from = k ? lx->document.ends.data[k - 1] : 0;

	row->words = sbuf_text(&lx->document.words);
	row->text = (uint32_t)from;
	row->text_len = n ? (uint32_t)(lx->document.ends.data[k] - from) : 0;
	row->note = (uint32_t)lx->document.title;
	row->note_len = (uint32_t)(lx->document.words.len - lx->document.title);
}

/* The stages of a row whose cycles count from its region's. */
static void enter_stages(struct row_lexer *lx, const uint64_t cycle[MCA_KEYS], struct text_row *row)
{
	const int64_t start = lx->document.start;

	row->start = start + (int64_t)cycle[MCA_DISPATCHED];
	for (unsigned k = 0; k < MCA_KEYS; k++) {
		int64_t tick = start + (int64_t)cycle[k];

		if (tick < row->start || (cycle[k] == 0 && k == MCA_RETIRED))
			continue;
		row_enter(lx, row, k, tick, false);
	}
	row_close(row);
}

/* The entry at `at` -> row; false and a warning: it is none. */
static bool read_entry(struct row_lexer *lx, const struct json_text *j, size_t at,
		       struct text_row *row)
{
	uint64_t cycle[MCA_KEYS];

	*row = (struct text_row){.off = at, .cpu = CPU_NONE, .id = lx->document.index};
	if (!read_cycles(j, at, cycle)) {
		row_lexer_bad(lx, BAD_MALFORMED, lx->line, at, 0);
		return false;
	}
	enter_stages(lx, cycle, row);
	row->fate = END_RETIRED;
	if (cycle[MCA_RETIRED] == 0) { /* the timeline ends before */
		row->fate = END_BY_STAGES;
		row->end = lx->document.last ? INT64_MAX : lx->document.end;
		row->stay[row->stays - 1].end = row->end;
	}
	set_text(lx, row);
	return true;
}

static void count_lines(struct row_lexer *lx, const struct json_text *j, size_t to)
{
	const char *p = j->p + lx->pos, *end = j->p + to;

	for (; p < end && (p = memchr(p, '\n', (size_t)(end - p))); p++)
		lx->line++;
	lx->pos = to;
}

/* Text cut short ends where it was cut. */
static bool next_entry(struct row_lexer *lx, const struct json_text *j, struct text_row *row)
{
	size_t at = lx->document.entry;

	while (at < j->len && j->p[at] == '{') {
		size_t end = value_end(j, at);

		count_lines(lx, j, at);
		lx->document.entry = blanks(j, end);
		lx->records++;
		if (end == j->len && j->p[end - 1] != '}')
			return false;
		if (read_entry(lx, j, at, row)) {
			row->len = (uint32_t)(end - at);
			lx->document.index++;
			return true;
		}
		lx->document.index++;
		at = lx->document.entry;
	}
	return false;
}

/* The document is to be whole and all there is: what is not read is told once, wherever it is. */
static void end_document(struct row_lexer *lx, const struct json_text *j)
{
	size_t at = members_end(j, document(j));
	bool whole = at < j->len && j->p[at] == '}';

	if (whole)
		at = blanks(j, at + 1);
	count_lines(lx, j, at);
	if (!whole || at < j->len)
		row_lexer_bad(lx, whole ? BAD_BEHIND : at < j->len ? BAD_MALFORMED : BAD_CUT,
			      lx->line, at, 0);
	count_lines(lx, j, j->len);
	lx->document.begun = false;
	lx->document.regions = 0;
	lx->document.end = 0;
}

static size_t mca_lex_rows(struct row_lexer *lx, const char *text, size_t len, bool ends,
			   bool final, struct text_row *out, size_t max)
{
	struct json_text j = {text, len};
	size_t n = 0;

	(void)ends;
	if (!final || lx->pos >= len)
		return 0;
	while (n < max && !lx->damaged) {
		if (lx->document.entry && next_entry(lx, &j, &out[n])) {
			out[n].has_thread = lx->document.several;
			out[n].thread = (int64_t)lx->document.regions - 1;
			n++;
			continue;
		}
		lx->document.entry = 0;
		if (n || !next_region(lx, &j)) /* rows given out point at this region's words */
			break;
	}
	if (n == 0)
		end_document(lx, &j);
	return n;
}

/* An entry's lines, up to the brace that closes it. */
static enum row_line mca_row_line(const char *record, const char *line, const char *end,
				  int64_t *tick)
{
	(void)record;
	(void)tick;
	return memchr(line, '}', (size_t)(end - line)) ? ROW_LINE_LAST : ROW_LINE_OWN;
}

/* ---- detection --------------------------------------------------------------------------- */

enum { SCORE_REGIONS = 90, SCORE_TEXT = 15 };

static bool mentions(const char *text, size_t len, const char *words)
{
	return memmem(text, len, words, strlen(words)) != NULL;
}

/* What it prints for people has no rows for us: that is told when it was read. */
static int mca_detect(const char *text, size_t len)
{
	struct json_text j = {text, len};
	if (document(&j) < len && mentions(text, len, "\"CodeRegions\""))
		return SCORE_REGIONS;
	return mentions(text, len, "Iterations: ") && mentions(text, len, "\nDispatch Width: ") &&
		       mentions(text, len, "\nBlock RThroughput: ")
		   ? SCORE_TEXT
		   : 0;
}

const struct reader llvm_mca_reader = {
    .name = "llvm-mca",
    .title = "llvm-mca timeline (JSON)",
    .unit = "cycle",
    .detect = mca_detect,
    .config = mca_config,
    .lex_rows = mca_lex_rows,
    .row_line = mca_row_line,
    .whole = true,
    .empty = "no timeline as JSON in this output of llvm-mca: run it with --timeline and --json",
};
