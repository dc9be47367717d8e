/*
 * Records as gem5 prints them: seven lines in their order, nothing between.
 */
#include "config.h"

#include "pipeline/formats/o3pipeview.h"

/* Operation classes that some tracers print behind the text (gem5's names). */
static const char *const classes[] = {"No_OpClass", "Int",    "Float",        "Simd",  "Mem",
				      "IprAccess",  "Vector", "InstPrefetch", "Matrix"};

bool o3_trim_text(const char *line, struct text_row *row)
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

#define LINE(word) O3_TAG word ":"

/* Behind `O3PipeView:WORD:`; NULL: it is not. */
#define BEHIND(p, word)                                                                            \
	(memcmp(p, LINE(word), sizeof(LINE(word)) - 1) == 0 ? (p) + sizeof(LINE(word)) - 1 : NULL)

/*
 * What the ticks of a record have in common with its fetch's: how many digits they have, and which
 * stand before the last eight.
 */
struct tick_shape {
	unsigned digits;
	uint64_t head, head_mask; /* the bytes of those before */
	uint64_t high, low_mask;  /* their value; where the others are in the last eight bytes */
};

static struct tick_shape shape_of(const char *p, unsigned digits, uint64_t tick)
{
	unsigned head = digits > 8 ? digits - 8 : 0, low = digits - head;

	return (struct tick_shape){.digits = digits,
				   .head = scan_load8(p),
				   .head_mask = (UINT64_C(1) << 8 * head) - 1,
				   .high = tick - tick % 100000000,
				   .low_mask = ~UINT64_C(0) << 8 * (8 - low)};
}

/* A tick that is not 0, and what ends it -> behind that, or NULL. */
static inline const char *tick_field(const char *p, const struct tick_shape *s, char ends,
				     int64_t *out)
{
	uint64_t low = (scan_load8(p + s->digits - 8) ^ SCAN_ZEROS) & s->low_mask, tick = 0;
	uint64_t other = ((scan_load8(p) ^ s->head) & s->head_mask) | scan_no_digits(low);

	if (__builtin_expect(!other && p[s->digits] == ends, 1)) {
		*out = (int64_t)(s->high + scan_combine(low));
		return p + s->digits + 1;
	}
	p = scan_dec(p, &tick);
	*out = (int64_t)tick;
	return p && *p == ends && tick != 0 ? p + 1 : NULL;
}

/* Is the byte among the eight at p? */
static inline bool has_byte(const char *p, char c)
{
	uint64_t x = scan_load8(p) ^ (unsigned char)c * 0x0101010101010101u;

	return ((x - 0x0101010101010101u) & ~x & 0x8080808080808080u) != 0;
}

/* Can an operation class stand behind the text? It needs a colon in its last word. */
static inline bool may_have_class(const char *p, const char *end)
{
	if (end - p >= 8 && !has_byte(end - 8, ':') && has_byte(end - 8, ' '))
		return false;
	while (end > p && scan_is_name(end[-1]) && end[-1] != ':')
		end--;
	return end > p && end[-1] == ':';
}

/* The fetch line -> the next one, or NULL. */
static inline const char *fetch_line(const char *p, const char *end, struct text_row *r,
				     struct tick_shape *shape)
{
	const char *q = BEHIND(p, "fetch"), *digits = q, *nl;
	uint64_t tick, part;

	q = q ? scan_dec(q, &tick) : NULL;
	if (!q || tick == 0 || q[0] != ':' || q[1] != '0' || q[2] != 'x')
		return NULL; /* a stage at tick 0 is one that never was */
	*shape = shape_of(digits, (unsigned)(q - digits), tick);
	r->start = (int64_t)tick;
	q += 3;
	r->pc = (uint32_t)(q - p);
	r->pc_len = scan_hex_count(q);
	q += r->pc_len;
	if (*q != ':' || r->pc_len == 0)
		return NULL;
	q = scan_dec(q + 1, &part);
	if (!q || *q != ':' || part > UINT32_MAX)
		return NULL;
	r->part = (uint32_t)part;
	q = scan_dec(q + 1, &r->id);
	if (!q || *q != ':' || (r->id == 0 && part > 0))
		return NULL;
	nl = scan_newline(++q, end);
	if (!nl || nl - p > LEX_LONG_LINE || nl[-1] == '\r')
		return NULL;
	end = nl;
	while (end > q && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	while (q < end && (*q == ' ' || *q == '\t'))
		q++;
	r->text = (uint32_t)(q - p);
	r->text_len = (uint32_t)(end - q);
	return may_have_class(q, end) && o3_trim_text(p, r) ? NULL : nl + 1;
}

/* The stages of a record so far, in the order of the lines. */
struct stages {
	unsigned n;
	bool mixed;               /* one has a tick before that of the line above it */
	uint8_t which[ROW_STAYS]; /* enum o3_stage */
};

static inline void add_stage(const struct row_lexer *lx, struct text_row *r, struct stages *s,
			     unsigned stage, int64_t tick)
{
	struct text_stay *stay = &r->stay[s->n];

	s->mixed |= tick < stay[-1].start;
	stay[-1].end = tick;
	*stay = (struct text_stay){
	    .start = tick, .end = tick, .stage = lx->stage[stage], .loose = stage == O3_STORE};
	s->which[s->n++] = (uint8_t)stage;
}

/* The other lines of the record -> behind them, or NULL. A stage that never was has tick 0. */
static inline const char *stage_lines(const struct row_lexer *lx, const char *p,
				      const struct tick_shape *shape, struct text_row *r,
				      struct stages *s)
{
	int64_t tick;

#define TICK(number, ends)                                                                         \
	if (!p)                                                                                    \
		return NULL;                                                                       \
	if (p[0] == '0' && p[1] == ends) {                                                         \
		p += 2;                                                                            \
	} else {                                                                                   \
		p = tick_field(p, shape, ends, &tick);                                             \
		if (!p)                                                                            \
			return NULL;                                                               \
		add_stage(lx, r, s, number, tick);                                                 \
	}
	p = BEHIND(p, "decode");
	TICK(O3_DECODE, '\n')
	p = BEHIND(p, "rename");
	TICK(O3_RENAME, '\n')
	p = BEHIND(p, "dispatch");
	TICK(O3_DISPATCH, '\n')
	p = BEHIND(p, "issue");
	TICK(O3_ISSUE, '\n')
	p = BEHIND(p, "complete");
	TICK(O3_COMPLETE, '\n')
	p = BEHIND(p, "retire");
	r->fate = p && p[0] == '0' && p[1] == ':' ? END_FLUSHED : END_RETIRED;
	TICK(O3_RETIRE, ':')
	p = memcmp(p, "store:", 6) == 0 ? p + 6 : NULL;
	TICK(O3_STORE, '\n')
#undef TICK
	return p;
}

/* A replay's issue is later than its complete. False: a tick lies before the fetch. */
static bool put_in_order(struct text_row *r, const struct stages *s)
{
	for (unsigned k = 1; k < s->n; k++) {
		struct text_stay stay = r->stay[k];
		unsigned i = k;

		if (stay.start < r->start)
			return false;
		for (; r->stay[i - 1].start > stay.start; i--)
			r->stay[i] = r->stay[i - 1];
		r->stay[i] = stay;
	}
	row_close(r);
	return true;
}

const char *o3_fast_record(struct row_lexer *lx, const char *text, const char *p, const char *end,
			   struct text_row *r)
{
	const char *start = p;
	struct tick_shape shape;
	struct stages s = {.n = 1};

	if (end - p < 1024 || !(p = fetch_line(p, end - 512, r, &shape)) || end - p < 512)
		return NULL;
	r->stay[0] =
	    (struct text_stay){.start = r->start, .end = r->start, .stage = lx->stage[O3_FETCH]};
	s.which[0] = O3_FETCH;
	p = stage_lines(lx, p, &shape, r, &s);
	if (!p)
		return NULL;
	r->stays = (uint8_t)s.n;
	r->end = r->stay[s.n - 1].start;
	if (s.mixed && !put_in_order(r, &s))
		return NULL;
	r->off = lx->off + (uint64_t)(start - text);
	r->len = (uint32_t)(p - start);
	r->words = NULL;
	r->note_len = 0;
	r->thread = 0;
	r->has_thread = r->extra = false;
	r->cpu = CPU_NONE;
	if (!lx->reread)
		for (unsigned k = 0; k < s.n; k++)
			lx->entries[s.which[k]]++;
	if (lx->any_told && !lx->reread) {
		uint64_t pc = 0;
		bool overflow = false;

		scan_hex_field(start + r->pc, start + r->pc + r->pc_len, &pc, &overflow);
		o3_recall(lx, r, pc);
	}
	return p;
}
