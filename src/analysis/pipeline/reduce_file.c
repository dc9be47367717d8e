#include "config.h"

#include "analysis/pipeline/reduce_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char header[] = "pipeglass reduction 1";

/* The first arc of a stack, which an `arc` line has to count as well. */
struct oldest {
	size_t line;
	int32_t shape;
	uint64_t count;
};

struct parser {
	struct reduction *r;
	const char *p, *end; /* of the line */
	size_t line;
	VEC(uint64_t) numbers;
	enum reduce_stage stage;
	unsigned given;               /* set of keywords that may be given once */
	uint64_t stack;               /* how often the open stack occurred; 0: none is open */
	uint64_t resolver, dependent; /* of its last arc */
	VEC(uint32_t) lengths;
	VEC(struct oldest) oldest; /* of each stack */
	struct error *e;
};

static enum status wrong(const struct parser *s, const char *what)
{
	return error_set(s->e, STATUS_INPUT, "%zu: %s", s->line, what);
}

static enum status no_memory(const struct parser *s)
{
	return error_set(s->e, STATUS_NOMEM, "no memory");
}

static enum status done(const struct parser *s, bool fine)
{
	return fine ? STATUS_OK : no_memory(s);
}

/* ---- keywords ------------------------------------------------------------------------------ */

#define REDUCE_COUNT_TAKE(field, key, help)                                                        \
	static enum status take_##field(struct parser *s)                                          \
	{                                                                                          \
		s->r->field = s->numbers.data[0];                                                  \
		return STATUS_OK;                                                                  \
	}
REDUCE_COUNT_INFO(REDUCE_COUNT_TAKE)
#undef REDUCE_COUNT_TAKE

static enum status take_cap(struct parser *s)
{
	s->r->cap = s->numbers.data[0];
	if (s->r->cap < 1 || s->r->cap > REDUCE_CAP)
		return wrong(s, "the cap is not within 1 and 1048576");
	return STATUS_OK;
}

static enum status take_r3plus(struct parser *s)
{
	s->r->r3plus = true;
	return STATUS_OK;
}

static enum status take_shorts(struct parser *s)
{
	s->r->shorts = true;
	return STATUS_OK;
}

static enum status take_arcs(struct parser *s)
{
	if (s->r->arcs[s->stage] != REDUCE_UNKNOWN)
		return wrong(s, "given twice");
	s->r->arcs[s->stage] = s->numbers.data[0];
	return STATUS_OK;
}

/* LENGTH or DISTANCE, and how often. */
static enum status take_entry(struct parser *s, struct reduce_tally *tally, uint64_t most)
{
	uint64_t key = s->numbers.data[0];
	size_t before = tally->entries.count;

	if (key < 1 || key > most)
		return wrong(s, "a length or distance that cannot be");
	if (s->numbers.data[1] == 0)
		return STATUS_OK;
	if (!tally_add(tally, key, s->numbers.data[1]))
		return no_memory(s);
	return tally->entries.count == before ? wrong(s, "given twice") : STATUS_OK;
}

static enum status take_chains(struct parser *s)
{
	if (s->stage == REDUCE_RAW)
		return wrong(s, "there are no chains before Reduction 1");
	return take_entry(s, &s->r->chains[s->stage], REDUCE_COUNT_MOST);
}

static enum status take_raw(struct parser *s)
{
	return take_entry(s, &s->r->raw, REDUCE_CAP);
}

static enum status take_branch(struct parser *s)
{
	return take_entry(s, &s->r->branches, REDUCE_LENGTH_MOST);
}

/* The shape that numbers tell, lengths of short branches from `first` on. */
static enum status take_shape(struct parser *s, uint64_t distance, uint64_t branches, size_t first,
			      int32_t *out)
{
	s->lengths.count = 0;
	if (distance < 1 || distance >= REDUCE_CAP || branches > distance)
		return wrong(s,
			     "the distance must be from 1 to 1048575, and not below the branches");
	if (s->numbers.count - first > branches)
		return wrong(s, "more short branches than branches");
	for (size_t i = first; i < s->numbers.count; i++) {
		if (s->numbers.data[i] < (i > first ? s->numbers.data[i - 1] : 1) ||
		    s->numbers.data[i] > REDUCE_LENGTH_MOST)
			return wrong(s, "lengths of short branches ascend, from 1 to 4096");
		if (!vec_push(&s->lengths, (uint32_t)s->numbers.data[i]))
			return no_memory(s);
	}
	*out = shapes_add(&s->r->shapes, (uint32_t)distance, (uint32_t)branches, s->lengths.data,
			  s->lengths.count);
	return done(s, *out >= 0);
}

static enum status take_arc(struct parser *s)
{
	const uint64_t *n = s->numbers.data;
	int32_t shape;
	enum status status = take_shape(s, n[0], n[1], 3, &shape);

	if (status)
		return status;
	if (s->r->shapes.counts.data[shape])
		return wrong(s, "given twice");
	s->r->shapes.counts.data[shape] = n[2];
	return STATUS_OK;
}

static enum status close_stack(struct parser *s)
{
	uint64_t count = s->stack;

	s->stack = 0;
	if (count == 0)
		return STATUS_OK;
	if (s->r->stacks.arcs < 2)
		return wrong(s, "the stack before has less than two arcs");
	return done(s, stacks_close(&s->r->stacks, count));
}

static enum status take_stack(struct parser *s)
{
	s->stack = s->numbers.data[0];
	return s->stack ? STATUS_OK : wrong(s, "a stack that never occurred");
}

static enum status take_at(struct parser *s)
{
	const uint64_t *n = s->numbers.data;
	bool first = s->r->stacks.arcs == 0;
	int32_t shape;
	enum status status;

	if (!s->stack)
		return wrong(s, "an arc of a stack, but no `stack` before it");
	if (first ? n[0] != 0 : n[0] <= s->resolver || n[0] + n[1] <= s->dependent)
		return wrong(s, "resolvers begin with 0; they and the dependents ascend");
	if (!first && n[0] >= s->dependent)
		return wrong(s, "the arcs before are a stack of their own");
	status = take_shape(s, n[1], n[2], 3, &shape);
	if (status)
		return status;
	if (first && !vec_push(&s->oldest, ((struct oldest){s->line, shape, s->stack})))
		return no_memory(s);
	s->resolver = n[0];
	s->dependent = n[0] + n[1];
	return done(s, stacks_push(&s->r->stacks, n[0], shape));
}

static const struct keyword {
	const char *key;
	enum status (*take)(struct parser *s);
	uint8_t least; /* numbers behind it */
	bool stage;    /* the name of a stage before them */
	bool list;     /* and any more */
	bool many;     /* may be given more than once */
} keywords[] = {
#define REDUCE_COUNT_KEYWORD(field, key, help) {key, take_##field, 1, false, false, false},
    REDUCE_COUNT_INFO(REDUCE_COUNT_KEYWORD)
#undef REDUCE_COUNT_KEYWORD
	{"cap", take_cap, 1, false, false, false},
    {"r3plus", take_r3plus, 0, false, false, false},
    {"shorts", take_shorts, 0, false, false, false},
    {"arcs", take_arcs, 1, true, false, true},
    {"chains", take_chains, 2, true, false, true},
    {"raw", take_raw, 2, false, false, true},
    {"branch", take_branch, 2, false, false, true},
    {"arc", take_arc, 3, false, true, true},
    {"stack", take_stack, 1, false, false, true},
    {"at", take_at, 3, false, true, true},
};

enum { KEYWORDS = sizeof(keywords) / sizeof(keywords[0]) };

/* ---- lines --------------------------------------------------------------------------------- */

static bool ends_word(char c)
{
	return c == ' ' || c == '\t' || c == '#';
}

/* The next word of the line, empty at its end or a comment. */
static size_t next_word(struct parser *s, const char **word)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t'))
		s->p++;
	*word = s->p;
	while (s->p < s->end && !ends_word(*s->p))
		s->p++;
	return (size_t)(s->p - *word);
}

static bool same_word(const char *word, size_t len, const char *key)
{
	return strlen(key) == len && memcmp(word, key, len) == 0;
}

/* Decimal digits alone, not above REDUCE_RAW_MOST. */
static bool parse_number(const char *word, size_t len, uint64_t *out)
{
	*out = 0;
	for (size_t i = 0; i < len; i++) {
		if (word[i] < '0' || word[i] > '9')
			return false;
		*out = *out * 10 + (uint64_t)(word[i] - '0');
		if (*out > REDUCE_RAW_MOST)
			return false;
	}
	return len > 0;
}

static enum status take_numbers(struct parser *s, const struct keyword *k)
{
	const char *word;
	uint64_t number;
	size_t len;

	s->numbers.count = 0;
	while ((len = next_word(s, &word))) {
		if (!parse_number(word, len, &number))
			return wrong(s, "not a whole number from 0 to 2^42");
		if (!vec_push(&s->numbers, number))
			return no_memory(s);
	}
	if (s->numbers.count < k->least)
		return wrong(s, "a number is missing");
	if (s->numbers.count > k->least && !k->list)
		return wrong(s, "too many numbers");
	return STATUS_OK;
}

static bool take_stage(struct parser *s)
{
	const char *word;
	size_t len = next_word(s, &word);

	for (int i = 0; i < REDUCE_STAGES; i++)
		if (same_word(word, len, reduce_stage_keys[i])) {
			s->stage = (enum reduce_stage)i;
			return true;
		}
	return false;
}

static enum status take_keyword(struct parser *s, const struct keyword *k)
{
	unsigned bit = 1U << (k - keywords);
	enum status status;

	if (!k->many && s->given & bit)
		return wrong(s, "given twice");
	s->given |= bit;
	if (k->stage && !take_stage(s))
		return wrong(s, "not a stage: raw, r1, r2 or r3");
	status = take_numbers(s, k);
	if (!status && k->take != take_at)
		status = close_stack(s);
	return status ? status : k->take(s);
}

static enum status take_line(struct parser *s)
{
	const char *word;
	size_t len = next_word(s, &word);

	if (len == 0)
		return STATUS_OK;
	for (size_t i = 0; i < KEYWORDS; i++)
		if (same_word(word, len, keywords[i].key))
			return take_keyword(s, &keywords[i]);
	return wrong(s, "unknown keyword");
}

/* ---- reading ------------------------------------------------------------------------------- */

static size_t line_length(const char *text, size_t len)
{
	const char *newline = len ? memchr(text, '\n', len) : NULL;

	return newline ? (size_t)(newline - text) : len;
}

static bool is_header(const char *text, size_t len)
{
	while (len && (text[len - 1] == '\r' || text[len - 1] == ' '))
		len--;
	return same_word(text, len, header);
}

bool reduction_detect(const char *text, size_t len)
{
	return is_header(text, line_length(text, len));
}

static enum status take_text(struct parser *s, const char *text, size_t len)
{
	enum status status = STATUS_OK;

	for (size_t at = 0; at < len && !status;) {
		size_t n = line_length(text + at, len - at);

		s->line++;
		s->p = text + at;
		s->end = s->p + n;
		if (n && s->end[-1] == '\r')
			s->end--;
		if (s->line > 1)
			status = take_line(s);
		else if (!is_header(text, n))
			status = wrong(s, "the first line is not `pipeglass reduction 1`");
		at += n + 1;
	}
	if (!status && s->line == 0)
		status = error_set(s->e, STATUS_INPUT, "empty");
	return status ? status : close_stack(s);
}

/* Counts are below 2^42, and so is what the stacks before have used of one. */
static enum status check_oldest(struct parser *s)
{
	const struct shapes *shapes = &s->r->shapes;
	uint64_t *used = calloc(shapes_count(shapes) + 1, sizeof(*used));
	enum status status = used ? STATUS_OK : no_memory(s);

	for (size_t i = 0; !status && i < s->oldest.count; i++) {
		const struct oldest *o = &s->oldest.data[i];

		used[o->shape] += o->count;
		s->line = o->line;
		if (used[o->shape] > shapes->counts.data[o->shape])
			status = wrong(s, "no `arc` line counts the stack's oldest arc so often");
	}
	free(used);
	return status;
}

static enum status check_whole(const struct parser *s)
{
	const struct reduction *r = s->r;

	if (!(s->given & 1)) /* the first keyword */
		return error_set(s->e, STATUS_INPUT, "`instructions` is missing");
	if (!r->shorts)
		for (size_t i = 0; i < shapes_count(&r->shapes); i++)
			if (shapes_get(&r->shapes, (int32_t)i).shorts)
				return error_set(s->e, STATUS_INPUT,
						 "lengths of short branches, but no `shorts`");
	return reduction_check(r, s->e);
}

enum status reduction_read(struct reduction *out, const char *text, size_t len, struct error *e)
{
	struct parser s = {.r = out, .e = e};
	enum status status;

	if (!reduction_init(out))
		return error_set(e, STATUS_NOMEM, "no memory");
	for (int i = 0; i < REDUCE_STAGES; i++)
		out->arcs[i] = REDUCE_UNKNOWN;
	status = take_text(&s, text, len);
	if (!status)
		status = check_whole(&s);
	if (!status)
		status = check_oldest(&s);
	vec_free(&s.numbers);
	vec_free(&s.lengths);
	vec_free(&s.oldest);
	if (status)
		reduction_free(out);
	return status;
}

/* ---- writing ------------------------------------------------------------------------------- */

static void write_tally(struct sbuf *out, const char *key, const char *stage,
			const struct reduce_tally *t)
{
	for (size_t i = 0; i < t->entries.count; i++)
		sbuf_printf(out, "%s%s%s %" PRIu64 " %" PRIu64 "\n", key, stage ? " " : "",
			    stage ? stage : "", t->entries.data[i].key, t->entries.data[i].count);
}

static void write_lengths(const struct reduction *r, struct sbuf *out, const struct shape *shape)
{
	for (uint32_t k = 0; r->shorts && k < shape->shorts; k++)
		sbuf_printf(out, " %" PRIu32, shape_length(shape, k));
	sbuf_putc(out, '\n');
}

static void write_head(const struct reduction *r, struct sbuf *out)
{
	sbuf_printf(out, "%s\n", header);
#define REDUCE_COUNT_WRITE(field, key, help) sbuf_printf(out, "%s %" PRIu64 "\n", key, r->field);
	REDUCE_COUNT_INFO(REDUCE_COUNT_WRITE)
#undef REDUCE_COUNT_WRITE
	sbuf_printf(out, "cap %" PRIu64 "\n%s%s", r->cap, r->r3plus ? "r3plus\n" : "",
		    r->shorts ? "shorts\n" : "");
	for (int i = 0; i < REDUCE_STAGES; i++)
		if (r->arcs[i] != REDUCE_UNKNOWN)
			sbuf_printf(out, "arcs %s %" PRIu64 "\n", reduce_stage_keys[i], r->arcs[i]);
	for (int i = 0; i < REDUCE_STAGES; i++)
		write_tally(out, "chains", reduce_stage_keys[i], &r->chains[i]);
	write_tally(out, "raw", NULL, &r->raw);
	write_tally(out, "branch", NULL, &r->branches);
}

struct writer {
	const struct reduction *r;
	struct sbuf *out;
};

static bool write_at(void *arg, const struct stack_arc *arc)
{
	const struct writer *w = arg;
	struct shape shape = shapes_get(&w->r->shapes, arc->shape);

	sbuf_printf(w->out, "at %" PRIu64 " %" PRIu32 " %" PRIu32, arc->resolver, shape.distance,
		    shape.branches);
	write_lengths(w->r, w->out, &shape);
	return !w->out->failed;
}

bool reduction_write(const struct reduction *r, struct sbuf *out)
{
	struct writer w = {r, out};
	struct shape_list shapes;

	write_head(r, out);
	if (!reduction_shapes(r, r->shorts, &shapes))
		return false;
	for (size_t i = 0; i < shapes.items.count; i++) {
		const struct shape_count *item = &shapes.items.data[i];

		sbuf_printf(out, "arc %" PRIu32 " %" PRIu32 " %" PRIu64, item->shape.distance,
			    item->shape.branches, item->count);
		write_lengths(r, out, &item->shape);
	}
	vec_free(&shapes.items);
	for (size_t i = 0; i < r->stacks.list.count; i++) {
		sbuf_printf(out, "stack %" PRIu64 "\n", r->stacks.list.data[i].count);
		stacks_visit(&r->stacks, &r->stacks.list.data[i], write_at, &w);
	}
	return !out->failed;
}
