#include "config.h"

#include "pipeline/formats/optrace_fast.h"

#include <stdlib.h>
#include <string.h>

#include "pipeline/formats/scan.h"

#if defined(__SSE2__) && defined(__x86_64__)

enum {
	BLOCK = 32,
	LINE_MOST = 2 * BLOCK,                   /* with its end; a bit each */
	BEHIND = LINE_MOST + OPTRACE_NAME_SHORT, /* bytes that may be read from a line's start */
	OPERANDS_MOST = LINE_MOST / 2,
	SEEN_BITS = 11,
	SEEN_WAYS = 2,
	SEEN_OPERANDS = 8
};

/*
 * A line that was read before: most instructions stand there again with the same operands, or with
 * the same but for the address of one.
 */
struct seen_line {
	char head[BLOCK];     /* up to an address and with its `m:`, if there is one */
	char tail[16];        /* from behind it */
	uint32_t head_counts; /* a bit for each byte that is the line's; 0: none yet */
	uint32_t tail_counts;
	uint32_t address, which;          /* bytes before its `m:`; 0: there is none. Its index */
	uint32_t operands[SEEN_OPERANDS]; /* of op */
	struct optrace_op op;             /* as if that operand had no name */
};

/* Where what is in a line, a bit for each byte. */
struct marks {
	uint64_t low, blank, comma; /* low: blanks and all below */
};

struct columns {
	unsigned flags, sources, sinks; /* each begins behind a blank */
	unsigned end;                   /* of the line, its newline or \r */
};

static uint64_t bits_of(__m128i low, __m128i high)
{
	return (uint64_t)(unsigned)_mm_movemask_epi8(low) |
	       (uint64_t)(unsigned)_mm_movemask_epi8(high) << 16;
}

static void mark_block(const char *p, unsigned shift, struct marks *m)
{
	const __m128i blank = _mm_set1_epi8(' '), comma = _mm_set1_epi8(',');
	const __m128i a = _mm_loadu_si128((const __m128i *)(const void *)p);
	const __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(p + 16));

	m->low |= bits_of(_mm_cmpeq_epi8(_mm_min_epu8(a, blank), a),
			  _mm_cmpeq_epi8(_mm_min_epu8(b, blank), b))
		  << shift;
	m->blank |= bits_of(_mm_cmpeq_epi8(a, blank), _mm_cmpeq_epi8(b, blank)) << shift;
	m->comma |= bits_of(_mm_cmpeq_epi8(a, comma), _mm_cmpeq_epi8(b, comma)) << shift;
}

/* The lowest bit's place, anything of none; it is taken out. */
static unsigned take_bit(uint64_t *bits)
{
	unsigned at = (unsigned)__builtin_ctzll(*bits | UINT64_C(1) << 63);

	*bits &= *bits - 1;
	return at;
}

/* Three blanks in the line, and nothing else that is not seen. */
static bool find_columns(const char *p, struct columns *c, uint64_t *commas)
{
	struct marks m = {0, 0, 0};
	uint64_t blanks;

	mark_block(p, 0, &m);
	if (m.low == m.blank)
		mark_block(p + BLOCK, BLOCK, &m);
	if (m.low == m.blank)
		return false;
	c->end = (unsigned)__builtin_ctzll(m.low ^ m.blank);
	if (p[c->end] != '\n' && (p[c->end] != '\r' || p[c->end + 1] != '\n'))
		return false;
	*commas = m.comma;
	blanks = m.blank & ((UINT64_C(1) << c->end) - 1);
	c->flags = take_bit(&blanks) + 1;
	c->sources = take_bit(&blanks) + 1;
	if (!blanks)
		return false;
	c->sinks = take_bit(&blanks) + 1;
	return blanks == 0;
}

static bool take_pc(const char *p, unsigned digits, struct optrace_op *op)
{
	if (digits == 0 || digits > 16 || scan_hex_count(p) != digits)
		return false;
	op->pc = scan_hex_digits(p, digits);
	return true;
}

static bool take_flags(const char *p, unsigned len, struct optrace_op *op)
{
	uint64_t ahead = 0;

	op->taken = p[0] == 't';
	op->self = p[0] == 's';
	op->ahead = 0;
	if (len == 1)
		return op->taken || op->self || p[0] == '-';
	if (!op->taken || !scan_dec_exact(p + 1, len - 1, &ahead) || ahead == 0)
		return false;
	op->ahead = (int64_t)ahead;
	return true;
}

static int64_t take_name(struct optrace *o, const char *name, size_t len)
{
	static const uint8_t keep[2 * OPTRACE_NAME_SHORT] = {
	    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
	__m128i mask =
	    _mm_loadu_si128((const __m128i *)(const void *)(keep + OPTRACE_NAME_SHORT - len));
	__m128i v = _mm_and_si128(_mm_loadu_si128((const __m128i *)(const void *)name), mask);
	struct recent_name *recent =
	    optrace_recent(o, (uint64_t)_mm_cvtsi128_si64(v),
			   (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(v, v)));

	for (int way = 0; way < OPTRACE_RECENT_WAYS; way++) {
		__m128i then = _mm_loadu_si128((const __m128i *)(const void *)recent[way].word);

		if (_mm_movemask_epi8(_mm_cmpeq_epi8(then, v)) == 0xffff)
			return recent[way].operand;
	}
	return optrace_operand(o, name, len, recent);
}

/* The names between commas of the column [from, to). */
static bool take_operands(struct optrace *o, const char *p, unsigned from, unsigned to,
			  uint64_t commas)
{
	uint32_t *out = o->operands.data + o->operands.count;

	if (p[from] == '-' && to == from + 1)
		return true;
	if (p[from] == '#')
		return false;
	commas &= (UINT64_C(1) << to) - (UINT64_C(1) << from);
	commas |= UINT64_C(1) << to;
	while (commas) {
		unsigned end = take_bit(&commas), len = end - from;
		int64_t id;

		if (len - 1 >= OPTRACE_NAME_SHORT || (len == 1 && p[from] == '-'))
			return false;
		id = take_name(o, p + from, len);
		if (id < 0)
			return false;
		*out++ = (uint32_t)id;
		from = end + 1;
	}
	o->operands.count = (size_t)(out - o->operands.data);
	return true;
}

static bool take_columns(struct optrace *o, const char *p, const struct columns *c, uint64_t commas,
			 struct optrace_op *out)
{
	o->operands.count = 0;
	if (!take_pc(p, c->flags - 1, out) ||
	    !take_flags(p + c->flags, c->sources - 1 - c->flags, out) ||
	    !vec_reserve(&o->operands, OPERANDS_MOST) ||
	    !take_operands(o, p, c->sources, c->sinks - 1, commas))
		return false;
	out->source_count = o->operands.count;
	if (!take_operands(o, p, c->sinks, c->end, commas))
		return false;
	out->sink_count = o->operands.count - out->source_count;
	out->sources = o->operands.data;
	out->sinks = o->operands.data + out->source_count;
	out->problem = OPTRACE_NONE;
	out->place.pc = 0;
	out->place.pc_len = c->flags - 1;
	out->place.flags = c->flags;
	out->place.operands = c->sources;
	out->place.operands_end = out->place.end = c->end;
	return true;
}

/* ---- lines seen before --------------------------------------------------------------------- */

bool optrace_fast_init(struct optrace *o)
{
	o->seen = calloc((size_t)SEEN_WAYS << SEEN_BITS, sizeof(*o->seen));
	return o->seen != NULL;
}

void optrace_fast_free(struct optrace *o)
{
	free(o->seen);
	o->seen = NULL;
}

/* The lines that begin like this one: SEEN_WAYS of them. */
static struct seen_line *seen_at(const struct optrace *o, const char *p)
{
	return &o->seen[(optrace_mix(scan_load8(p), scan_load8(p + 8)) >> (64 - SEEN_BITS)) *
			SEEN_WAYS];
}

static uint32_t first_bits(size_t n)
{
	return (uint32_t)((UINT64_C(1) << n) - 1);
}

/* A mark for each of sixteen bytes that is the same. */
static __m128i compare(const char *p, const char *q)
{
	return _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)p),
			      _mm_loadu_si128((const __m128i *)(const void *)q));
}

/* The operand of this line in the place of the one that was there; false: the rest differs. */
static bool take_address(struct optrace *o, struct seen_line *s, const char *p,
			 struct optrace_op *out)
{
	const char *name = p + s->address;
	struct marks m = {0, 0, 0};
	uint64_t ends;
	unsigned len, same;
	int64_t id;

	mark_block(name, 0, &m);
	ends = m.low | m.comma;
	len = take_bit(&ends);
	if (len > OPTRACE_NAME_SHORT)
		return false;
	same = (unsigned)_mm_movemask_epi8(compare(name + len, s->tail));
	if ((same & s->tail_counts) != s->tail_counts)
		return false;
	id = take_name(o, name, len);
	if (id < 0)
		return false;
	s->operands[s->which] = (uint32_t)id;
	*out = s->op;
	out->place.end += len;
	out->place.operands_end += len;
	return true;
}

static bool take_seen(struct optrace *o, struct seen_line *s, const char *p, struct optrace_op *out)
{
	uint64_t same = bits_of(compare(p, s->head), compare(p + 16, s->head + 16));

	if (!s->head_counts || (same & s->head_counts) != s->head_counts)
		return false;
	if (s->address)
		return take_address(o, s, p, out);
	*out = s->op;
	return true;
}

/* Where the one operand is that is an address, and which it is; 0: there is none, or several. */
static uint32_t find_address(const char *p, const struct optrace_op *op, uint32_t *which)
{
	uint32_t found = 0, index = 0;

	*which = 0;
	for (uint32_t i = op->place.operands; i < op->place.end; i++) {
		if (p[i] == ',')
			index++;
		if (p[i] == ' ')
			index = (uint32_t)op->source_count;
		if (p[i] != 'm' || p[i + 1] != ':' || (p[i - 1] != ' ' && p[i - 1] != ','))
			continue;
		if (found)
			return 0;
		found = i;
		*which = index;
	}
	return found;
}

static size_t name_length(const char *name)
{
	size_t len = 0;

	while (name[len] != ',' && (unsigned char)name[len] > ' ')
		len++;
	return len;
}

static void remember(struct seen_line *s, const char *p, const struct optrace_op *op)
{
	size_t count = op->source_count + op->sink_count, line, head, tail, name;
	uint32_t which, address = find_address(p, op, &which);

	line = op->place.end + 1 + (p[op->place.end] == '\r');
	name = address ? name_length(p + address) : 0;
	head = address ? address + 2 : line;
	tail = address ? line - address - name : 0;
	if (count > SEEN_OPERANDS || head > sizeof(s->head) || tail > sizeof(s->tail))
		return;
	memcpy(s->head, p, sizeof(s->head));
	memcpy(s->tail, p + address + name, sizeof(s->tail));
	s->head_counts = first_bits(head);
	s->tail_counts = first_bits(tail);
	s->address = address;
	s->which = which;
	for (size_t i = 0; i < count; i++)
		s->operands[i] = op->sources[i];
	s->op = *op;
	s->op.sources = s->operands;
	s->op.sinks = s->operands + op->source_count;
	s->op.place.end -= (uint32_t)name;
	s->op.place.operands_end -= (uint32_t)name;
}

bool optrace_fast(struct optrace *o, const char *text, size_t len, struct optrace_op *out)
{
	const char *p = text + o->pos;
	struct seen_line *seen;
	struct columns c;
	uint64_t commas;

	if (o->pos >= len || len - o->pos < BEHIND)
		return false;
	seen = seen_at(o, p);
	if (!take_seen(o, &seen[0], p, out) && !take_seen(o, &seen[1], p, out)) {
		if (!find_columns(p, &c, &commas) || !take_columns(o, p, &c, commas, out))
			return false;
		remember(&seen[o->line % SEEN_WAYS], p, out);
	}
	out->at = o->pos;
	out->line = ++o->line;
	o->pos += out->place.end + 1;
	o->pos += text[o->pos - 1] == '\r';
	return true;
}

#else

bool optrace_fast_init(struct optrace *o)
{
	(void)o;
	return true;
}

void optrace_fast_free(struct optrace *o)
{
	(void)o;
}

bool optrace_fast(struct optrace *o, const char *text, size_t len, struct optrace_op *out)
{
	(void)o;
	(void)text;
	(void)len;
	(void)out;
	return false;
}

#endif
