/*
 * The text of a Chiron trace (formats/chiron.md): a letter and numbers a line.
 *
 * What the numbers mean is told by the first lines (opening.c), so none is taken until there are
 * enough of them, or no more come for now. Then one thread reads lines, another one takes them.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/thread.h"
#include "memory/memory_private.h"

enum {
	TELLING = 1 << 19,     /* bytes of lines that tell what numbers mean, */
	TELLING_SOME = 1 << 9, /* or at least some of it */
	SURE_LINES = 8,        /* of a text without a header */
	HEADER = 4,            /* lines of it */
	BATCH = 4096,          /* lines that are taken together */
	/* numbers behind a letter: at least, and those that are looked at */
	COMPLETION = 4,
	EVENT = 5,
	EVICTION = 6,
	NUMBERS = 7
};

/* What has happened: how many numbers say it. */
static const uint8_t least_numbers[256] = {
    ['R'] = COMPLETION, ['W'] = COMPLETION, ['r'] = COMPLETION, ['w'] = COMPLETION,
    ['g'] = EVENT,      ['h'] = EVENT,      ['p'] = EVENT,      ['e'] = EVENT,
    ['f'] = EVENT,      ['a'] = EVICTION,   ['b'] = EVICTION};

/* What becomes of lines, one after another; less than fill it: they are the last of a window. */
struct batch {
	uint32_t count;
	struct memory_record records[BATCH];
};

struct chiron {
	struct memory *m;
	unsigned radix;        /* 0: the first lines are not there yet */
	bool failed;           /* no memory */
	uint64_t lines;        /* so far */
	struct batch *batches; /* two: while one is filled, the other is taken */
	unsigned filled;
	bool threaded, has_taker;  /* by a thread of its own, if it could be started */
	pthread_barrier_t swapped; /* both threads are done with theirs */
};

/*
 * ---- a line, which ends in a newline ----
 *
 * Or is zeros: a file may be cut while it is read. Nothing else is looked at without its end in
 * sight.
 */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static const char *behind_lines(const char *text, size_t len)
{
	const char *last = len ? memrchr(text, '\n', len) : NULL;

	return last ? last + 1 : text;
}

static const char *skip_blanks(const char *p)
{
	while (is_blank(*p))
		p++;
	return p;
}

static const char *skip_word(const char *p)
{
	while (*p && !is_blank(*p) && *p != '\n')
		p++;
	return p;
}

/* From radix on it is none. */
static inline unsigned digit_of(char c, unsigned radix)
{
	const unsigned digit = (uint8_t)(c - '0'), letter = (uint8_t)((c | ' ') - 'a');

	if (radix <= 10 || digit < 10)
		return digit;
	return letter < 6 ? 10 + letter : radix;
}

/* Behind the number at p; p: there is none, or none of 64 bits. */
static inline const char *take_number(const char *p, unsigned radix, uint64_t *out)
{
	const char *start;
	uint64_t value = 0;

	if (radix == 16 && *p == '0' && (p[1] == 'x' || p[1] == 'X'))
		p += 2;
	for (start = p; digit_of(*p, radix) < radix; p++)
		value = value * radix + digit_of(*p, radix);
	*out = value;
	return p - start > 16 && value != strtoull(start, NULL, (int)radix) ? start : p;
}

/*
 * Numbers up to the end of the line; those beyond `most` are not looked at. How many there are; -1:
 * other text. *at: behind them.
 */
static inline int take_numbers_of(const char **at, unsigned radix, uint64_t *out, int most)
{
	const char *p = *at;
	int n = 0;

	for (p = skip_blanks(p); n < most && *p != '\n'; n++, p = skip_blanks(*at)) {
		*at = take_number(p, radix, &out[n]);
		if (*at == p || !(is_blank(**at) || **at == '\n'))
			return -1;
	}
	return n;
}

static int take_numbers(const char **at, unsigned radix, uint64_t *out, int most)
{
	return radix == 8 ? take_numbers_of(at, 8, out, most)
			  : take_numbers_of(at, radix, out, most);
}

/* What follows returns why a line is no record; NULL: it is one. */

/* c name addr size cpu; d with or without name and size */
static const char *lex_object(const char *p, unsigned radix, struct memory_record *r)
{
	const char *at = p;
	uint64_t v[NUMBERS];
	int count = r->letter == 'd' ? take_numbers(&at, radix, v, NUMBERS) : -1;

	if (count != 2 && count != 3) {
		r->name = skip_blanks(p);
		at = skip_word(r->name);
		r->name_len = (uint32_t)(at - r->name);
		count = take_numbers(&at, radix, v, NUMBERS);
	}
	if (count < (r->letter == 'c' ? 2 : 1))
		return "an object without a place";
	r->address = v[0];
	r->size = r->letter == 'c' ? v[1] : 0;
	return NULL;
}

/* addr cpu source cycles */
static const char *set_completion(const uint64_t *v, struct memory_record *r)
{
	r->letter = r->letter == 'r' || r->letter == 'R' ? 'R' : 'W';
	r->level = MEMORY_L1;
	r->source = v[2];
	r->cycles = v[3] < MEMORY_CYCLES_MOST ? (uint32_t)v[3] : MEMORY_CYCLES_MOST;
	return NULL;
}

/* addr cpu level source time, then for some one more */
static const char *set_event(const uint64_t *v, int count, struct memory_record *r)
{
	if (v[2] != 1 && v[2] != 2)
		return "a level that is neither 1 nor 2";
	if (v[4] >= (uint64_t)MEMORY_TICK_MOST)
		return "a time that is too large";
	r->level = v[2] == 1 ? MEMORY_L1 : MEMORY_L2;
	r->source = v[3];
	r->tick = (int64_t)v[4];
	r->has_mask = count > EVENT && r->letter != 'a' && r->letter != 'b';
	r->victim = count > EVENT ? v[EVENT] : 0; /* or the mask */
	return NULL;
}

static const char *lex_access(const char **at, unsigned radix, int least, struct memory_record *r)
{
	uint64_t v[NUMBERS];
	const int count = take_numbers(at, radix, v, NUMBERS);

	if (least == COMPLETION && count == 2) {
		r->letter = MEMORY_NOTHING; /* it begins */
		return NULL;
	}
	if (least == COMPLETION && count == 3) {
		r->note = MEMORY_NOTE_AMBIGUOUS;
		return "a read or write of three numbers, which may begin or end";
	}
	if (count < least)
		return "too few numbers, or something else among them";
	if (v[1] >= MEMORY_CPUS_MOST)
		return "a CPU beyond 4095";
	r->address = v[0];
	r->cpu = (uint16_t)v[1];
	return least == COMPLETION ? set_completion(v, r) : set_event(v, count, r);
}

static const char *lex(const char **at, unsigned radix, struct memory_record *r)
{
	const int least = least_numbers[(uint8_t) * *at];

	r->letter = *(*at)++;
	if (!is_blank(**at))
		return "not a letter and numbers";
	if (least)
		return lex_access(at, radix, least, r);
	switch (r->letter) {
	case 'c':
	case 'd':
		return lex_object(*at, radix, r);
	case 'i':
		if (take_numbers(at, 10, &r->address, 1) != 1)
			r->address = 0;
		return NULL;
	case 'm':
		r->letter = MEMORY_NOTHING;
		return NULL;
	default:
		r->note = MEMORY_NOTE_UNKNOWN;
		return "a record of a letter that the format has not";
	}
}

const char *chiron_line(const char *p, const char *end, unsigned radix, struct memory_record *r)
{
	const char *why;

	p = skip_blanks(p);
	r->letter = MEMORY_NOTHING;
	r->note = MEMORY_NOTE_WRONG;
	why = *p == '\n' || *p == '#' || p + 1 >= end ? NULL : lex(&p, radix, r);
	if (why) {
		r->letter = MEMORY_LEFT_OUT;
		r->why = why;
	}
	while (p < end && *p++ != '\n')
		;
	return p;
}

/* ---- detection ---- */

static int detect(const char *text, size_t len)
{
	const char *end = behind_lines(text, len);
	struct memory_record r;
	int headers = 0, records = 0;

	while (text < end && headers < HEADER && records < SURE_LINES) {
		text = chiron_line(text, end, 16, &r);
		if (r.letter == MEMORY_LEFT_OUT)
			return 0;
		headers += r.letter == 'i' && r.address;
		records += r.letter != 'i' && r.letter != MEMORY_NOTHING;
	}
	return headers == HEADER ? 90 : records ? 40 : 0;
}

const struct trace_format chiron_format = {
    .name = "chiron",
    .title = "Chiron memory trace: loads and losses of cache blocks, cycles waited",
    .unit = "cycle",
    .detect = detect,
};

/* ---- records that are taken ---- */

static void take_record(struct memory *m, struct memory_record *r)
{
	m->lines.line = r->number;
	m->lines.offset = r->offset;
	switch (r->letter) {
	case 'c':
		memory_create(m, r);
		break;
	case 'd':
		memory_delete(m, r);
		break;
	case MEMORY_LEFT_OUT:
		memory_note(m, r->note, MEMORY_NONE, r->why);
		break;
	default:
		memory_caches_take(m, r);
	}
}

static void take_batch(struct memory *m, struct batch *b)
{
	for (uint32_t i = 0; i < b->count && !m->lines.failed; i++)
		take_record(m, &b->records[i]);
	b->count = 0;
}

static void *run_taker(void *of)
{
	struct chiron *c = of;
	bool full = true;

	for (unsigned i = 0; full; i ^= 1) {
		pthread_barrier_wait(&c->swapped);
		full = c->batches[i].count == BATCH;
		take_batch(c->m, &c->batches[i]);
	}
	return NULL;
}

/* The batch that is filled is to be taken; then another one is. */
static void give(struct chiron *c)
{
	if (c->has_taker)
		pthread_barrier_wait(&c->swapped);
	else
		take_batch(c->m, &c->batches[c->filled]);
	c->filled ^= 1;
}

/* ---- lines ---- */

/* torn: what they are that are no records; NULL: each is told. */
static void read_lines(struct chiron *c, const char *p, const char *end, uint64_t offset,
		       const char *torn)
{
	for (const char *text = p; p < end && !c->failed;) {
		struct batch *b = &c->batches[c->filled];
		struct memory_record *r = &b->records[b->count];

		r->offset = offset + (size_t)(p - text);
		r->number = ++c->lines;
		p = chiron_line(p, end, c->radix, r);
		if (r->letter == MEMORY_NOTHING || r->letter == 'i')
			continue;
		if (r->letter == MEMORY_LEFT_OUT)
			r->why = torn ? torn : r->why;
		else if (r->letter != 'c' && r->letter != 'd')
			c->failed |= !memory_number(c->m, r);
		if (!c->failed && ++b->count == BATCH)
			give(c);
	}
}

/* last: what is behind the last newline is a line, too. How much they are. */
static size_t read_window(struct chiron *c, const struct window *w, bool last)
{
	struct lines *l = &c->m->lines;
	const char *end = behind_lines(w->text, w->len);
	const size_t len = (size_t)(end - w->text), rest = last ? w->len - len : 0;
	struct sbuf torn = {0};
	pthread_t taker;

	c->filled = 0;
	pthread_barrier_init(&c->swapped, NULL, 2);
	c->failed |= !memory_expect(c->m, w->len);
	c->has_taker = c->threaded && thread_start(&taker, run_taker, c) == 0;
	read_lines(c, w->text, end, w->off, NULL);
	sbuf_add(&torn, end, rest);
	sbuf_putc(&torn, '\n');
	c->failed |= torn.failed;
	if (rest && !c->failed)
		read_lines(c, torn.text, torn.text + torn.len, w->off + len,
			   "the last line is cut off");
	give(c);
	if (c->has_taker)
		pthread_join(taker, NULL);
	pthread_barrier_destroy(&c->swapped);
	l->failed |= c->failed;
	l->line = c->lines;
	sbuf_free(&torn);
	return len + rest;
}

/* How much of a window was taken. last: nothing follows it. */
static void take_window(struct chiron *c, const struct window *w, bool last, size_t *done)
{
	const size_t telling = w->len < TELLING ? w->len : TELLING;
	struct memory *m = c->m;

	if (!c->radix) {
		memory_open_text(m, w->text, behind_lines(w->text, telling));
		if (!m->lines.failed)
			memory_caches_begin(m);
		c->radix = m->index.radix;
		c->batches = calloc(2, sizeof(*c->batches));
		m->lines.failed |= !c->batches;
	}
	if (!m->lines.failed)
		*done = read_window(c, w, last);
	memory_refresh(m);
}

/* ---- the text ---- */

/*
 * Before it is waited for more text, what there was is published, when that is due. Of the first
 * text there has to be enough; for who looks on while no more comes, some.
 */
static bool take(struct lines *l, const struct window *w, bool last, size_t *done)
{
	struct memory *m = memory_of(&l->trace);
	const struct source *source = l->trace.source;
	const uint64_t seen = w->off + w->len;
	const bool paused =
	    m->watched && source_is_live(source) && source_size(source, NULL) == seen;

	lines_rest(l, seen);
	if (!m->text->radix && !last && w->len < (paused ? TELLING_SOME : TELLING))
		return true;
	pthread_rwlock_wrlock(&l->lock);
	take_window(m->text, w, last, done);
	pthread_rwlock_unlock(&l->lock);
	return !l->failed && memory_publish_in_time(m);
}

void chiron_read_text(struct memory *m, const char *text, size_t len)
{
	struct chiron c = {.m = m};
	size_t done;

	take_window(&c, &(struct window){.text = text, .len = len}, true, &done);
	free(c.batches);
}

enum status chiron_read(struct lines *l, struct error *e)
{
	struct chiron c = {.m = memory_of(&l->trace), .threaded = true};
	enum status status;
	size_t done;

	c.m->text = &c;
	status = lines_take(l, take, e);
	if (!c.radix) /* there was no text */
		take(l, &(struct window){.text = ""}, true, &done);
	free(c.batches);
	return status;
}
