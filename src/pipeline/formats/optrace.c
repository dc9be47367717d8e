#include "config.h"

#include "pipeline/formats/optrace.h"

#include <stdlib.h>
#include <string.h>

#include "pipeline/formats/scan.h"

const char *const optrace_problems[OPTRACE_PROBLEMS] = {
#define OPTRACE_PROBLEM_TEXT(problem, text) text,
    OPTRACE_PROBLEM_INFO(OPTRACE_PROBLEM_TEXT)
#undef OPTRACE_PROBLEM_TEXT
};

static const char header[] = "optrace";

enum {
	OPERANDS_FIRST = 16,
	PC_DIGITS = 16,
	ADDRESS_ROOM = 2 + PC_DIGITS,
	NAME_SHORT = 16, /* bytes of a name that is remembered */
	RECENT_BITS = 13,
	RECENT_WAYS = 2
};

/* Bytes that end a name. */
enum { IS_NAME, IS_BLANK, IS_COMMA, IS_NUL };

static const uint8_t kinds[256] = {
    [' '] = IS_BLANK, ['\t'] = IS_BLANK, [','] = IS_COMMA, ['\0'] = IS_NUL};

static unsigned kind_of(char c)
{
	return kinds[(unsigned char)c];
}

struct line {
	const char *start, *p, *end; /* without the newline */
	struct optrace_op *op;
};

bool optrace_init(struct optrace *o)
{
	*o = (struct optrace){.names = intern_new()};
	o->recent = calloc((size_t)RECENT_WAYS << RECENT_BITS, sizeof(*o->recent));
	if (o->names && o->recent && vec_reserve(&o->operands, OPERANDS_FIRST))
		return true;
	optrace_free(o);
	return false;
}

void optrace_free(struct optrace *o)
{
	intern_free(o->names);
	free(o->recent);
	vec_free(&o->operands);
	o->names = NULL;
	o->recent = NULL;
}

/* True if the line can still be an instruction. The first problem counts, a fatal one more. */
static bool note(struct optrace_op *op, enum optrace_problem problem)
{
	if (op->problem == OPTRACE_NONE || (op->problem < OPTRACE_PC && problem >= OPTRACE_PC))
		op->problem = problem;
	return problem < OPTRACE_PC;
}

/* To the next column; false: there is none. */
static bool next_column(struct line *l)
{
	while (l->p < l->end && kind_of(*l->p) == IS_BLANK)
		l->p++;
	return l->p < l->end && *l->p != '#';
}

/* ---- operands ------------------------------------------------------------------------------ */

/* The name's bytes as two words, the rest NUL. */
static void load_name(uint64_t word[2], const char *name, size_t len)
{
	char bytes[NAME_SHORT] = {0};

	memcpy(bytes, name, len);
	word[0] = scan_load8(bytes);
	word[1] = scan_load8(bytes + 8);
}

/* Of `m:ADDRESS`, its one spelling: no 0x, no zeros before, small letters. 0: it is none. */
static size_t address_name(char out[ADDRESS_ROOM], const char *name, size_t len)
{
	const char *p = name + 2, *end = name + len;
	size_t n = 2;

	if (len < 3 || memcmp(name, "m:", 2) != 0)
		return 0;
	if (end - p > 2 && p[0] == '0' && (p[1] | 32) == 'x')
		p += 2;
	while (end - p > 1 && *p == '0')
		p++;
	if (end - p > ADDRESS_ROOM - 2)
		return 0;
	memcpy(out, "m:", 2);
	for (; p < end; p++) {
		if (scan_hex_digit(*p) > 15)
			return 0;
		out[n++] = (char)(*p | 32);
	}
	return n;
}

/* The number of a name; -1: no memory. */
static int64_t intern_operand(struct optrace *o, const char *name, size_t len)
{
	char address[ADDRESS_ROOM];
	size_t n = address_name(address, name, len);

	return n ? intern_add(o->names, address, n) : intern_add(o->names, name, len);
}

/* Where a short name is if it is remembered: one of the ways. The product is good in its upper bits. */
static struct recent_name *recent_at(const struct optrace *o, const uint64_t word[2])
{
	uint64_t mix = word[0] * UINT64_C(0x9e3779b97f4a7c15) + word[1] * UINT64_C(0xc2b2ae3d27d4eb4f);

	return &o->recent[(mix >> (64 - RECENT_BITS)) * RECENT_WAYS];
}

/*
 * The number of a name. Those seen lately are found without hashing the name with a key: whoever
 * makes names that share a place in that table gets the speed of the other.
 */
static int64_t operand_of(struct optrace *o, const char *name, size_t len)
{
	struct recent_name *recent;
	uint64_t word[2];
	int64_t id;

	if (len > NAME_SHORT)
		return intern_operand(o, name, len);
	load_name(word, name, len);
	recent = recent_at(o, word);
	for (int way = 0; way < RECENT_WAYS; way++)
		if (recent[way].word[0] == word[0] && recent[way].word[1] == word[1])
			return recent[way].operand;
	id = intern_operand(o, name, len);
	if (id >= 0) /* any way is as good */
		recent[o->line % RECENT_WAYS] =
		    (struct recent_name){{word[0], word[1]}, (uint32_t)id};
	return id;
}

/* The end of the name that begins here. */
static const char *skip_name(const struct line *l)
{
	const char *p = l->p;

	while (p < l->end && kind_of(*p) == IS_NAME)
		p++;
	return p;
}

/* Takes a name; 1: a comma and another one follow, 0: that was all, -1: no memory, or NUL. */
static int lex_operand(struct optrace *o, struct line *l, bool alone)
{
	const char *name = l->p;
	size_t len;
	int64_t id;
	bool more;

	l->p = skip_name(l);
	len = (size_t)(l->p - name);
	more = l->p < l->end && *l->p == ',';
	l->p += more;
	if (l->p < l->end && *l->p == '\0') {
		note(l->op, OPTRACE_NUL);
		return -1;
	}
	if (len == 0 || (len == 1 && *name == '-')) {
		if (len == 0 || more || !alone)
			note(l->op, OPTRACE_NAME_EMPTY);
		return more;
	}
	if (len > OPTRACE_NAME_MOST) {
		note(l->op, OPTRACE_NAME_LONG);
		return more;
	}
	id = operand_of(o, name, len);
	return id >= 0 && vec_push(&o->operands, (uint32_t)id) ? more : -1;
}

/* A column of operands goes to the end of o->operands. False: see lex_operand(). */
static bool lex_operands(struct optrace *o, struct line *l, size_t *count)
{
	size_t first = o->operands.count;
	int more = lex_operand(o, l, true);

	while (more > 0)
		more = lex_operand(o, l, false);
	*count = o->operands.count - first;
	return more == 0;
}

/* ---- the other columns --------------------------------------------------------------------- */

static uint32_t place_of(const struct line *l)
{
	return (uint32_t)(l->p - l->start);
}

/* Digits that do not fit are zeros before the others. */
static void place_pc(struct line *l, const char *after)
{
	size_t len;

	if (after - l->p > 2 && (l->p[1] | 32) == 'x')
		l->p += 2;
	len = (size_t)(after - l->p);
	l->op->place.pc_len = len < PC_DIGITS ? (uint32_t)len : PC_DIGITS;
	l->p = after;
	l->op->place.pc = place_of(l) - l->op->place.pc_len;
}

static bool lex_pc(struct line *l)
{
	const char *p = l->p, *after;
	bool overflow = false;

	after = scan_hex_field(p, l->end, &l->op->pc, &overflow);
	if (!after || overflow || (after < l->end && kind_of(*after) != IS_BLANK))
		return note(l->op, l->end > p && memchr(p, 0, (size_t)(l->end - p)) ? OPTRACE_NUL
										    : OPTRACE_PC);
	place_pc(l, after);
	return true;
}

static void lex_ahead(struct line *l)
{
	uint64_t ahead = 0;
	bool overflow = false;
	const char *after = scan_dec_field(l->p, l->end, &ahead, &overflow);

	if (!after)
		return;
	l->p = after;
	if (overflow || ahead > INT64_MAX)
		note(l->op, OPTRACE_FLAG);
	else if (ahead == 0)
		note(l->op, OPTRACE_AHEAD);
	else
		l->op->ahead = (int64_t)ahead;
}

static bool lex_flags(struct line *l)
{
	bool none = *l->p == '-';

	l->p += none;
	while (l->p < l->end && kind_of(*l->p) != IS_BLANK) {
		char c = *l->p++;

		if (c == '\0')
			return note(l->op, OPTRACE_NUL);
		if (c == 't' && !none && !l->op->taken) {
			l->op->taken = true;
			lex_ahead(l);
		} else if (c == 's' && !none && !l->op->self) {
			l->op->self = true;
		} else {
			note(l->op, OPTRACE_FLAG);
		}
	}
	return true;
}

/* ---- lines --------------------------------------------------------------------------------- */

/* `optrace 1`, and nothing else but blanks or a comment. */
static bool is_header(struct line l)
{
	size_t len = sizeof(header) - 1;

	if ((size_t)(l.end - l.p) <= len || memcmp(l.p, header, len) != 0)
		return false;
	l.p += len;
	if (kind_of(*l.p) != IS_BLANK || !next_column(&l) || *l.p++ != '1')
		return false;
	return l.p == l.end || (kind_of(*l.p) == IS_BLANK && !next_column(&l));
}

/* The columns behind the address. */
static bool lex_columns(struct optrace *o, struct line *l)
{
	struct optrace_op *op = l->op;

	if (!next_column(l))
		return note(op, OPTRACE_COLUMN);
	op->place.flags = place_of(l);
	if (!lex_flags(l))
		return false;
	if (!next_column(l))
		return note(op, OPTRACE_COLUMN);
	op->place.operands = place_of(l);
	if (!lex_operands(o, l, &op->source_count))
		return false;
	if (!next_column(l))
		return note(op, OPTRACE_COLUMN);
	if (!lex_operands(o, l, &op->sink_count))
		return false;
	op->place.operands_end = place_of(l);
	op->place.end = (uint32_t)(l->end - l->start);
	if (next_column(l))
		note(op, OPTRACE_EXTRA);
	op->sources = o->operands.data;
	op->sinks = o->operands.data + op->source_count;
	return true;
}

/* The next line of the text; false: no whole one is left. */
static bool take_line(struct optrace *o, const char *text, size_t len, bool final, struct line *l)
{
	const char *newline;

	if (o->pos >= len)
		return false;
	l->start = l->p = text + o->pos;
	newline = memchr(l->p, '\n', len - o->pos);
	if (!newline && !final)
		return false;
	l->end = newline ? newline : text + len;
	l->op->at = o->pos;
	l->op->line = ++o->line;
	o->pos = (size_t)(l->end - text) + (newline != NULL);
	if (l->end > l->p && l->end[-1] == '\r')
		l->end--;
	return true;
}

static enum optrace_found found(struct optrace *o, struct line *l)
{
	if (lex_columns(o, l))
		return OPTRACE_OP;
	return l->op->problem < OPTRACE_PC ? OPTRACE_NOMEM : OPTRACE_BAD;
}

enum optrace_found optrace_next(struct optrace *o, const char *text, size_t len, bool final,
				struct optrace_op *out)
{
	struct line l = {.op = out};

	for (;;) {
		*out = (struct optrace_op){.problem = OPTRACE_NONE};
		o->operands.count = 0;
		if (!take_line(o, text, len, final, &l))
			return OPTRACE_END;
		if (out->line == 1 && is_header(l))
			continue;
		if (out->line == 1) {
			note(out, OPTRACE_HEADER);
			return OPTRACE_BAD;
		}
		if (!next_column(&l))
			continue;
		return lex_pc(&l) ? found(o, &l) : OPTRACE_BAD;
	}
}

int optrace_detect(const char *text, size_t len)
{
	const char *newline = len ? memchr(text, '\n', len) : NULL;
	struct line l = {.p = text, .end = newline ? newline : text + len};

	if (l.end > l.p && l.end[-1] == '\r')
		l.end--;
	return len && is_header(l) ? 100 : 0;
}
