/*
 * The text of a Chiron trace (formats/chiron.md): a letter and numbers a line.
 *
 * What the numbers mean is not said by the text: their radix, whether an invalidation names the CPU
 * that lost the block or the one that took it, whether level 2 names CPUs or caches, and whether a
 * load has the time at which the wait for it began or ended. The first lines tell, so none is taken
 * until there are enough of them, or no more come for now.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"
#include "memory/memory_private.h"

enum {
	TELLING = 1 << 19,    /* bytes of lines that tell what numbers mean */
	NUMBERS = 7,          /* of a record at most */
	HEADER = 4,           /* lines of it */
	SURE_LINES = 8,       /* of a text without a header */
	BLOCK_MOST = 1 << 12, /* bytes */
	VOTERS = 32,
	BATCH = 512, /* lines that are taken together; so many of them wait at most: */
	BATCHES = 8,
	DECIMAL = 10
};

#define GEOMETRY_TEXT "32,128,8,2"
static const uint32_t usual_geometry[HEADER] = {32, 128, 8, 2};

/* Digits of all radices: their value and one more. */
static const uint8_t digits[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16};

/* What the first lines say of the others: how many are for it, less those that are against. */
struct votes {
	uint32_t losers[VOTERS], level2[VOTERS]; /* since the last completion */
	unsigned loser_count, level2_count;
	struct {
		int64_t load, tick; /* of the last load, and of the last one that completed */
		uint32_t cycles;    /* of that */
	} waits[VOTERS]; /* by CPU */
	int64_t by_taker, cache_ids, at_end;
	bool cpus; /* a number at level 2 that no cache has */
};

/* UNUSED: that one missed, or began. */
enum lexed { NOTHING, HEADER_LINE, RECORD, UNUSED, AMBIGUOUS, UNKNOWN, WRONG };

/* What becomes of lines, one after another. */
struct batch {
	uint32_t count;
	struct memory_record records[BATCH];
};

struct chiron {
	struct memory *m;
	unsigned radix;
	bool settled, failed; /* failed: no memory */
	uint64_t header[HEADER], header_at[HEADER]; /* numbers, and their lines */
	unsigned header_lines;
	uint64_t lines, ambiguous; /* so far */
	/* One thread reads lines, another one takes them, if it could be started. */
	struct batch *batches;
	pthread_t taker;
	pthread_mutex_t lock; /* of the rest */
	pthread_cond_t changed;
	bool has_taker, ended;
	unsigned given, taken; /* batches so far */
};

/* ---- a line, which ends in a newline ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_blanks(const char *p)
{
	while (is_blank(*p))
		p++;
	return p;
}

static const char *skip_word(const char *p)
{
	while (!is_blank(*p) && *p != '\n')
		p++;
	return p;
}

/* Behind the line that p is in, of a text that ends at `end`. */
static const char *next_line(const char *p, const char *end)
{
	return (*p == '\n' ? p : (const char *)memchr(p, '\n', (size_t)(end - p))) + 1;
}

/* From radix on it is none. */
static inline unsigned digit_of(char c, unsigned radix)
{
	return radix <= DECIMAL ? (uint8_t)(c - '0') : digits[(uint8_t)c] - 1U;
}

/* Beyond 64 bits. */
static bool is_beyond(const char *p, const char *end, unsigned radix)
{
	uint64_t value = 0;

	for (; p < end; p++)
		if (__builtin_mul_overflow(value, radix, &value) ||
		    __builtin_add_overflow(value, digit_of(*p, radix), &value))
			return true;
	return false;
}

/* Behind the number at p; p: there is none. */
static inline const char *take_number(const char *p, unsigned radix, uint64_t *out)
{
	const char *start;
	uint64_t value = 0;

	if (radix == 16 && *p == '0' && (p[1] == 'x' || p[1] == 'X'))
		p += 2;
	for (start = p; digit_of(*p, radix) < radix; p++)
		value = value * radix + digit_of(*p, radix);
	*out = value;
	return p - start > (radix == 8 ? 21 : 16) && is_beyond(start, p, radix) ? start : p;
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
	return radix == 8 ? take_numbers_of(at, 8, out, most) : take_numbers_of(at, radix, out, most);
}

static bool set_cpu(uint64_t value, struct memory_record *r)
{
	r->cpu = (uint16_t)value;
	return value < MEMORY_CPUS_MOST;
}

/* addr cpu level source time, then for some one more */
static const char *set_event(const uint64_t *v, int count, struct memory_record *r)
{
	const bool evicts = r->letter == 'a' || r->letter == 'b';

	if (count < (evicts ? 6 : 5))
		return count < 0 ? "not a number" : "too few numbers in the line";
	if (!set_cpu(v[1], r))
		return "a CPU beyond 4095";
	if (v[2] != 1 && v[2] != 2)
		return "a level that is neither 1 nor 2";
	if (v[4] >= (uint64_t)MEMORY_TICK_MOST)
		return "a time that is too large";
	r->address = v[0];
	r->level = v[2] == 1 ? MEMORY_L1 : MEMORY_L2;
	r->source = v[3];
	r->tick = (int64_t)v[4];
	r->has_mask = !evicts && count > 5;
	r->victim = count > 5 ? v[5] : 0; /* or the mask */
	return NULL;
}

/* addr cpu source cycles */
static const char *set_completion(const uint64_t *v, int count, struct memory_record *r)
{
	if (count < 4)
		return count < 0 ? "not a number" : "too few numbers in the line";
	if (!set_cpu(v[1], r))
		return "a CPU beyond 4095";
	r->letter = r->letter == 'r' || r->letter == 'R' ? 'R' : 'W';
	r->address = v[0];
	r->source = v[2];
	r->cycles = v[3] < MEMORY_CYCLES_MOST ? (uint32_t)v[3] : MEMORY_CYCLES_MOST;
	return NULL;
}

/* c name addr size cpu; d with or without name and size */
static const char *set_object(const char *p, unsigned radix, struct memory_record *r)
{
	const char *at = p;
	uint64_t v[NUMBERS];
	int count = r->letter == 'd' ? take_numbers(&at, radix, v, NUMBERS) : -1;
	const bool named = count != 2 && count != 3;

	r->name = skip_blanks(p);
	at = skip_word(r->name);
	r->name_len = named ? (uint32_t)(at - r->name) : 0;
	if (named)
		count = take_numbers(&at, radix, v, NUMBERS);
	if (count < (r->letter == 'c' ? 2 : 1))
		return "an object without a place";
	r->address = v[0];
	r->size = r->letter == 'c' ? v[1] : 0;
	return NULL;
}

static enum lexed no_record(struct memory_record *r, enum lexed lexed, const char *why)
{
	r->why = why;
	return lexed;
}

/* The line at *at, which begins with a letter. */
static enum lexed lex_record(const char **at, unsigned radix, struct memory_record *r)
{
	const char *why;
	uint64_t v[NUMBERS];
	int count;

	r->letter = *(*at)++;
	switch (r->letter) {
	case 'm':
		return UNUSED;
	case 'c':
	case 'd':
		why = set_object(*at, radix, r);
		break;
	case 'g':
	case 'h':
	case 'p':
	case 'a':
	case 'b':
	case 'e':
	case 'f':
		count = take_numbers(at, radix, v, NUMBERS);
		why = set_event(v, count, r);
		break;
	case 'r':
	case 'w':
	case 'R':
	case 'W':
		count = take_numbers(at, radix, v, NUMBERS);
		if (count == 2 || count == 3)
			return count == 2 ? UNUSED : AMBIGUOUS;
		why = set_completion(v, count, r);
		break;
	default:
		return no_record(r, UNKNOWN, "a record of a letter that the format has not");
	}
	return why ? no_record(r, WRONG, why) : RECORD;
}

/* *at: the line, and then how far it was looked at. r->why: of what is UNKNOWN or WRONG. */
static enum lexed lex(const char **at, unsigned radix, struct memory_record *r)
{
	const char *p = *at = skip_blanks(*at);
	char *end;

	if (*p == '\n' || *p == '#')
		return NOTHING;
	if (!is_blank(p[1]))
		return no_record(r, WRONG, "not a letter and numbers");
	if (*p != 'i')
		return lex_record(at, radix, r);
	p = skip_blanks(p + 1);
	r->address = strtoull(p, &end, DECIMAL);
	return digit_of(*p, DECIMAL) < DECIMAL && (is_blank(*end) || *end == '\n')
		   ? HEADER_LINE
		   : no_record(r, WRONG, "a header without a number");
}

/* ---- detection ---- */

static int detect(const char *text, size_t len)
{
	const char *end = len ? memrchr(text, '\n', len) : NULL;
	struct memory_record r;
	int headers = 0, records = 0;

	for (; end && text <= end && headers < HEADER && records < SURE_LINES;
	     text = next_line(text, end + 1)) {
		enum lexed lexed = lex(&text, 16, &r);

		if (lexed >= AMBIGUOUS)
			return 0;
		headers += lexed == HEADER_LINE;
		records += lexed == RECORD || lexed == UNUSED;
	}
	return headers == HEADER ? 90 : records ? 40 : 0;
}

const struct trace_format chiron_format = {
    .name = "chiron",
    .title = "Chiron memory trace: loads and losses of cache blocks, cycles waited",
    .unit = "cycle",
    .detect = detect,
};

/* ---- what the first lines tell ---- */

/* What the digits of a record are at least of; its name does not count. */
static unsigned radix_of_line(const char *p)
{
	unsigned radix = 8;

	p = skip_blanks(p);
	p = *p == 'c' ? skip_word(skip_blanks(p + 1)) : p + 1;
	for (; *p != '\n'; p++)
		if (*p == 'x' || *p == 'X' || digits[(uint8_t)*p] > DECIMAL)
			return 16;
		else if (digits[(uint8_t)*p] > 8)
			radix = DECIMAL;
	return radix;
}

/* Which CPU the records before were of. */
static void vote_for(struct votes *v, const struct memory *m, uint32_t cpu)
{
	const uint32_t cache = (uint32_t)((uint64_t)cpu * m->index.caches[MEMORY_L2] / m->index.caches[MEMORY_L1]);

	for (unsigned i = 0; i < v->loser_count; i++)
		v->by_taker += v->losers[i] == cpu ? 1 : -1;
	for (unsigned i = 0; i < v->level2_count && cache != cpu; i++)
		v->cache_ids += v->level2[i] == cache ? 1 : v->level2[i] == cpu ? -1 : 0;
	v->loser_count = v->level2_count = 0;
}

/* Waits of a CPU do not overlap: not with the next one if loads begin them, nor the one before. */
static void vote_for_times(struct votes *v, uint32_t cpu, uint32_t cycles)
{
	const int64_t load = v->waits[cpu].load, last = v->waits[cpu].tick;

	v->at_end += last + v->waits[cpu].cycles > load;
	v->at_end -= load - cycles < last;
	v->waits[cpu].tick = load;
	v->waits[cpu].cycles = cycles;
}

static void vote(struct votes *v, const struct memory *m, const struct memory_record *r)
{
	const bool load = r->letter == 'g' || r->letter == 'h' || r->letter == 'p';
	const bool lost = r->letter == 'e' || r->letter == 'f';
	const bool replaced = r->letter == 'a' || r->letter == 'b';
	const bool completion = r->letter == 'R' || r->letter == 'W';

	if (load && r->level == MEMORY_L1 && r->cpu < VOTERS)
		v->waits[r->cpu].load = r->tick;
	if (completion && r->cpu < VOTERS)
		vote_for_times(v, r->cpu, r->cycles);
	if (completion)
		vote_for(v, m, r->cpu);
	else if (lost && r->level == MEMORY_L1 && v->loser_count < VOTERS)
		v->losers[v->loser_count++] = r->cpu;
	else if (load && r->level == MEMORY_L2 && v->level2_count < VOTERS)
		v->level2[v->level2_count++] = r->cpu;
	if ((load || lost || replaced) && r->level == MEMORY_L2)
		v->cpus |= r->cpu >= m->index.caches[MEMORY_L2];
}

/* The first number that cannot be; HEADER: none. */
static int misfit(const uint64_t g[HEADER])
{
	for (int i = 0; i < 2; i++)
		if (g[i] < WORD_BYTES || g[i] > BLOCK_MOST || (g[i] & (g[i] - 1)))
			return i;
	return g[0] > g[1]			     ? 1
	       : !g[2] || g[2] > MEMORY_CPUS_MOST ? 2
	       : !g[3] || g[3] > g[2]	     ? 3
						     : HEADER;
}

bool memory_geometry_fits(const uint64_t g[HEADER])
{
	return misfit(g) == HEADER;
}

static void set_geometry(struct memory *m, const uint64_t *g)
{
	for (int i = 0; i < MEMORY_LEVELS; i++)
		m->index.block_bytes[i] = (uint32_t)g[i];
	m->lines.failed |= !memory_add_caches(m, (uint32_t)g[2], (uint32_t)g[3]);
	if (g[2] % g[3])
		lines_warn(&m->lines, "the header's L1 caches do not share its L2 caches evenly");
}

/* Of the line that cannot be. */
static void warn_of_header(struct chiron *c)
{
	struct lines *l = &c->m->lines;
	const int bad = misfit(c->header);
	struct sbuf text = {0};

	sbuf_printf(&text, "i %" PRIu64 "%s in a header (blocks of powers of two up to 4096, L2 blocks the larger, "
			   "L2 caches the fewer): taken as " GEOMETRY_TEXT "; give --geom",
		    c->header[bad], c->header[bad] == UINT64_MAX ? " or more" : "");
	l->line = c->header_at[bad];
	lines_warn(l, intern_take(c->m->texts, &text));
	l->line = 0; /* none is read yet */
}

/* As the header has it; else as set, or as usual. */
static void find_geometry(struct chiron *c)
{
	struct memory *m = c->m;
	uint64_t g[HEADER];

	if (c->header_lines >= HEADER && memory_geometry_fits(c->header)) {
		set_geometry(m, c->header);
		return;
	}
	for (int i = 0; i < HEADER; i++)
		g[i] = m->settings.geometry[i];
	m->index.guessed = !memory_geometry_fits(g);
	if (m->index.guessed) {
		if (c->header_lines >= HEADER)
			warn_of_header(c);
		else
			lines_warn(&m->lines, "no header, or a part of it: taken as " GEOMETRY_TEXT
				   " (bytes of L1 and L2 blocks, L1 and L2 caches); give --geom");
		for (int i = 0; i < HEADER; i++)
			g[i] = usual_geometry[i];
	}
	set_geometry(m, g);
}

/*
 * The header, which is decimal, and the radix of the rest. Only whole records count for that, so that
 * words in a line of other text are no hexadecimal numbers.
 */
static void find_numbers(struct chiron *c, const char *text, const char *end)
{
	const uint32_t set = c->m->settings.radix;
	uint64_t line = 0;
	struct memory_record r;

	c->radix = set ? set : 8;
	for (const char *at = text; text < end; text = at = next_line(at, end)) {
		const enum lexed lexed = lex(&at, 16, &r);
		const bool counts = !set && lexed == RECORD && r.letter != 'd';
		const unsigned radix = counts ? radix_of_line(text) : 8;

		c->radix = radix > c->radix ? radix : c->radix;
		line++;
		if (lexed != HEADER_LINE || c->header_lines == HEADER)
			continue;
		c->header_at[c->header_lines] = line;
		c->header[c->header_lines++] = r.address;
	}
	c->m->index.radix = c->radix;
}

static void find_conventions(struct chiron *c, const char *text, const char *end)
{
	struct votes v = {.cpus = false};
	struct memory_record r;

	for (; text < end; text = next_line(text, end))
		if (lex(&text, c->radix, &r) == RECORD)
			vote(&v, c->m, &r);
	c->m->index.by_taker = v.by_taker > 0;
	c->m->index.cache_ids = v.cache_ids > 0 && !v.cpus;
	c->m->index.at_end = v.at_end > 0;
}

/* ---- records that are taken, by a thread of their own if there is one ---- */

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
	case MEMORY_TORN:
		memory_note(m, MEMORY_NOTE_TORN, "the last line is cut off");
		break;
	case MEMORY_UNKNOWN:
		memory_note(m, MEMORY_NOTE_UNKNOWN, r->why);
		break;
	case MEMORY_WRONG:
		lines_warn(&m->lines, r->why);
		break;
	default:
		memory_caches_take(m, r);
	}
}

/* Of c nothing is looked at that the other thread writes to for each line. */
static void take_batch(struct chiron *c)
{
	struct batch *b = &c->batches[c->taken % BATCHES];
	struct memory *m = c->m;

	for (uint32_t i = 0; i < b->count && !m->lines.failed; i++)
		take_record(m, &b->records[i]);
	b->count = 0;
}

static void *run_taker(void *of)
{
	struct chiron *c = of;

	pthread_mutex_lock(&c->lock);
	for (;;) {
		while (c->taken == c->given && !c->ended)
			pthread_cond_wait(&c->changed, &c->lock);
		if (c->taken == c->given)
			break;
		pthread_mutex_unlock(&c->lock);
		take_batch(c);
		pthread_mutex_lock(&c->lock);
		c->taken++;
		pthread_cond_signal(&c->changed);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* Lines so far are a batch; then no more than so many wait. */
static void give(struct chiron *c, unsigned most)
{
	if (!c->has_taker) {
		take_batch(c);
		return;
	}
	pthread_mutex_lock(&c->lock);
	c->given++;
	pthread_cond_signal(&c->changed);
	while (c->given - c->taken > most)
		pthread_cond_wait(&c->changed, &c->lock);
	pthread_mutex_unlock(&c->lock);
}

/* Without memory: lines.failed. */
static void begin(struct chiron *c, bool threaded)
{
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->changed, NULL);
	c->batches = calloc(BATCHES, sizeof(*c->batches));
	c->m->lines.failed |= !c->batches;
	c->has_taker = c->batches && threaded && thread_start(&c->taker, run_taker, c) == 0;
}

static void join_taker(struct chiron *c)
{
	pthread_mutex_lock(&c->lock);
	c->ended = true;
	pthread_cond_signal(&c->changed);
	pthread_mutex_unlock(&c->lock);
	if (c->has_taker)
		pthread_join(c->taker, NULL);
	pthread_mutex_destroy(&c->lock);
	pthread_cond_destroy(&c->changed);
	free(c->batches);
}

/* ---- lines ---- */

/* The line at p; whole: it has an end of its own. Returns how far it was looked at. */
static const char *read_line(struct chiron *c, const char *p, uint64_t offset, bool whole)
{
	struct batch *b = &c->batches[c->given % BATCHES];
	struct memory_record *r = &b->records[b->count];
	const enum lexed lexed = lex(&p, c->radix, r);

	c->ambiguous += lexed == AMBIGUOUS;
	r->number = ++c->lines;
	r->offset = offset;
	if (lexed >= UNKNOWN)
		r->letter = !whole ? MEMORY_TORN : lexed == UNKNOWN ? MEMORY_UNKNOWN : MEMORY_WRONG;
	else if (lexed != RECORD)
		return p;
	else if (r->letter != 'c' && r->letter != 'd')
		c->failed |= !memory_number(c->m, r);
	if (++b->count == BATCH)
		give(c, BATCHES - 1);
	return p;
}

/* The last line, which has no end. */
static void read_torn(struct chiron *c, const char *p, size_t len, uint64_t offset)
{
	struct sbuf line = {0};

	sbuf_add(&line, p, len);
	sbuf_putc(&line, '\n');
	c->failed |= line.failed;
	if (!line.failed)
		read_line(c, line.text, offset, false);
	give(c, 0);
	sbuf_free(&line);
}

static const char *behind_lines(const struct window *w)
{
	const char *last = w->len ? memrchr(w->text, '\n', w->len) : NULL;

	return last ? last + 1 : w->text;
}

/* last: what is behind the last newline is a line, too. How much they are. */
static size_t read_lines(struct chiron *c, const struct window *w, bool last)
{
	struct lines *l = &c->m->lines;
	const char *p = w->text, *const end = behind_lines(w);
	const size_t len = (size_t)(end - p), rest = last ? w->len - len : 0;

	while (p < end && !c->failed)
		p = next_line(read_line(c, p, w->off + (size_t)(p - w->text), true), end);
	give(c, 0);
	if (rest && !c->failed)
		read_torn(c, end, rest, w->off + len);
	l->line = c->lines;
	l->notes[MEMORY_NOTE_AMBIGUOUS] = c->ambiguous;
	l->failed |= c->failed;
	return len + rest;
}

/* The first text tells what numbers mean. */
static void settle(struct chiron *c, const struct window *w)
{
	struct memory *m = c->m;
	const char *end = behind_lines(w);

	c->settled = true;
	find_numbers(c, w->text, end);
	find_geometry(c);
	find_conventions(c, w->text, end);
	memory_caches_begin(m);
	m->lines.failed |= !memory_places_begin(m) || !memory_objects_begin(m);
}

/* How much of a window was taken. last: nothing follows it. */
static void take_window(struct chiron *c, const struct window *w, bool last, size_t *done)
{
	if (!c->settled)
		settle(c, w);
	if (!c->m->lines.failed)
		*done = read_lines(c, w, last);
	memory_refresh(c->m);
}

/* ---- the text ---- */

/* Whether there is more of the first text than was seen, or will be soon. */
static bool tells_more(const struct chiron *c, const struct window *w)
{
	const struct source *source = c->m->lines.trace.source;

	lines_rest(&c->m->lines, w->off + w->len);
	return w->len < TELLING &&
	       !(source_is_live(source) && source_size(source, NULL) == w->off + w->len);
}

/* Before it is waited for more text, what there was is published, when that is due. */
static bool take(struct lines *l, const struct window *w, bool last, size_t *done)
{
	struct memory *m = memory_of(&l->trace);

	if (!m->text->settled && !last && tells_more(m->text, w))
		return true;
	pthread_rwlock_wrlock(&l->lock);
	take_window(m->text, w, last, done);
	pthread_rwlock_unlock(&l->lock);
	lines_rest(l, w->off + w->len);
	return memory_publish_in_time(m) && !l->failed;
}

/* There is no more text. */
static void end(struct chiron *c)
{
	if (!c->settled)
		settle(c, &(struct window){.text = ""});
	join_taker(c);
	memory_refresh(c->m);
}

void chiron_read_text(struct memory *m, const char *text, size_t len)
{
	struct chiron c = {.m = m};
	size_t done;

	begin(&c, false);
	take_window(&c, &(struct window){.text = text, .len = len}, true, &done);
	end(&c);
}

enum status chiron_read(struct lines *l, struct error *e)
{
	struct chiron c = {.m = memory_of(&l->trace)};
	enum status status = STATUS_OK;

	c.m->text = &c;
	begin(&c, true);
	if (!l->failed)
		status = lines_take(l, take, e);

	pthread_rwlock_wrlock(&l->lock);
	end(&c);
	pthread_rwlock_unlock(&l->lock);
	if (l->failed && !status)
		status = error_set(e, STATUS_NOMEM, "out of memory");
	return status;
}
