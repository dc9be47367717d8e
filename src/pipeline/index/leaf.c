#include "config.h"

#include "pipeline/index/leaf.h"

#include "trace/bits.h"

enum { A_MAX = 12, B_MORE = 9, ROW_BYTES = 72, SHAPE_BYTES = 24 };

/*
 * Prefix code for counts: 0 + a bits, 10 + b bits, 11 + six bits of length + the value.
 */
struct widths {
	unsigned a, b;
};

struct histogram {
	uint32_t upto[66]; /* upto[l]: values of at most l bits */
	uint64_t long_bits[66]; /* sum of lengths of the values of more than l bits */
};

/* No value is longer than `longest` bits. */
static void histogram_close(struct histogram *h, const uint32_t count[65], unsigned longest)
{
	uint64_t bits = 0;

	h->upto[0] = count[0];
	for (unsigned l = 1; l <= longest; l++)
		h->upto[l] = h->upto[l - 1] + count[l];
	h->upto[longest + 1] = h->upto[longest];
	h->long_bits[longest + 1] = 0;
	for (unsigned l = longest + 1; l-- > 0;) {
		h->long_bits[l] = bits;
		bits += (uint64_t)count[l] * l;
	}
}

static struct widths choose_widths(const uint32_t count[65], unsigned longest)
{
	struct histogram h;
	struct widths best = {0, 1};
	uint64_t best_cost = UINT64_MAX;
	uint32_t all;

	histogram_close(&h, count, longest);
	all = h.upto[longest];
	if (all == 0)
		return best;
	for (unsigned a = 0; a <= A_MAX; a++) {
		unsigned top = longest <= a + 1 ? a + 1 : longest < a + B_MORE ? longest : a + B_MORE;

		for (unsigned b = a + 1; b <= top; b++) {
			uint64_t cost = (uint64_t)h.upto[a] * (1 + a) +
					(uint64_t)(h.upto[b] - h.upto[a]) * (2 + b) +
					(uint64_t)(all - h.upto[b]) * 8 + h.long_bits[b];

			if (cost < best_cost) {
				best_cost = cost;
				best = (struct widths){a, b};
			}
		}
		if (h.upto[a] == all)
			break;
	}
	return best;
}

/* At most 56 bits to be put together. */
struct bits {
	uint64_t value;
	unsigned n;
};

static inline struct bits bits_behind(struct bits a, struct bits b)
{
	return (struct bits){a.value | b.value << a.n, a.n + b.n};
}

static inline bool count_is_short(struct widths k, uint64_t v)
{
	return bit_length(v) <= k.b;
}

/* Which of the two short classes it is cannot be foretold: no branch. */
static inline struct bits short_count(struct widths k, uint64_t v)
{
	unsigned wide = bit_length(v) > k.a;

	return (struct bits){v << (1 + wide) | wide, 1 + wide + (wide ? k.b : k.a)};
}

static void put_long_count(struct bit_writer *w, uint64_t v)
{
	unsigned len = bit_length(v);

	bits_put(w, 3 | (uint64_t)(len - 1) << 2, 8);
	bits_put_wide(w, v, len);
}

/* The count, and behind it what fits into a word beside a short one: 33 bits. */
static inline void put_count_and(struct bit_writer *w, struct widths k, uint64_t v,
				 struct bits more)
{
	if (__builtin_expect(count_is_short(k, v), 1))
		more = bits_behind(short_count(k, v), more);
	else
		put_long_count(w, v);
	bits_put(w, more.value, more.n);
}

static inline void put_count(struct bit_writer *w, struct widths k, uint64_t v)
{
	put_count_and(w, k, v, (struct bits){0, 0});
}

static inline void put_two_counts(struct bit_writer *w, const struct widths k[2],
				  const uint64_t v[2])
{
	if (__builtin_expect(count_is_short(k[1], v[1]), 1)) {
		put_count_and(w, k[0], v[0], short_count(k[1], v[1]));
	} else {
		put_count(w, k[0], v[0]);
		put_long_count(w, v[1]);
	}
}

static inline uint64_t get_count(struct bit_reader *r, struct widths k)
{
	if (!bits_get56(r, 1))
		return bits_get56(r, k.a);
	if (!bits_get56(r, 1))
		return bits_get56(r, k.b);
	return bits_get(r, (unsigned)bits_get56(r, 6) + 1);
}

/* The fields that are counts, in the order of their widths in the leaf's header. */
enum { COUNT_BIRTH, COUNT_LIFE, COUNT_CODE, COUNT_PARENT, COUNT_OFFSET, COUNT_TAIL, COUNTS };

struct leaf_shape {
	struct widths widths[COUNTS];
	uint16_t events;     /* kinds that occur */
	uint8_t fates;       /* fates that occur */
	unsigned dominant;   /* bits */
	unsigned thread;     /* bits; 0: all have the first one's */
	uint16_t first_thread;
	bool micro_ops, whole, tails; /* tails: some row has one */
};

static uint32_t code_of(const struct raw_row *r, const uint32_t *map)
{
	return r->code == CODE_NONE || !map ? r->code : map[r->code];
}

static void counts_of(const struct raw_row *r, int64_t birth, int64_t code_step,
		      const struct whole_row *whole, size_t i, uint64_t v[COUNTS])
{
	v[COUNT_BIRTH] = (uint64_t)(r->birth - birth);
	v[COUNT_LIFE] = r->life + 1; /* LIFE_OPEN becomes 0 */
	v[COUNT_CODE] = zigzag(code_step - 1);
	v[COUNT_PARENT] = r->parent;
	v[COUNT_OFFSET] = v[COUNT_TAIL] = 0;
	if (!whole)
		return;
	v[COUNT_OFFSET] = zigzag((int64_t)(whole[i].offset - (i ? whole[i - 1].offset : 0)));
	v[COUNT_TAIL] = whole[i].tail;
}

static struct leaf_shape shape_of(const struct raw_row *rows, size_t n, int64_t tick,
				  const uint32_t *map, const struct whole_row *whole)
{
	uint32_t count[COUNTS][65] = {{0}};
	struct leaf_shape s = {0};
	int64_t birth = tick;
	int64_t code = 0;
	uint64_t any[COUNTS] = {0};
	uint8_t dominant = 0;
	uint16_t threads = 0, other_threads = 0;

	s.whole = whole != NULL;
	s.first_thread = n ? rows[0].thread : 0;
	for (size_t i = 0; i < n; i++) {
		int64_t next = code_of(&rows[i], map);
		uint64_t v[COUNTS];

		counts_of(&rows[i], birth, next - code, whole, i, v);
		for (int k = 0; k < COUNTS; k++)
			any[k] |= v[k];
		for (int k = 0; k < COUNT_PARENT; k++)
			count[k][bit_length(v[k])]++;
		if (rows[i].micro_op)
			count[COUNT_PARENT][bit_length(v[COUNT_PARENT])]++;
		if (whole) {
			count[COUNT_OFFSET][bit_length(v[COUNT_OFFSET])]++;
			count[COUNT_TAIL][bit_length(v[COUNT_TAIL])]++;
		}
		threads |= rows[i].thread;
		other_threads |= rows[i].thread ^ s.first_thread;
		birth = rows[i].birth;
		code = next;
		s.events |= rows[i].events;
		s.fates |= (uint8_t)(1u << rows[i].fate);
		dominant |= (uint8_t)(rows[i].dominant + 1);
		s.micro_ops |= rows[i].micro_op != 0;
	}
	for (int k = 0; k < COUNTS; k++)
		s.widths[k] = choose_widths(count[k], bit_length(any[k]));
	s.tails = any[COUNT_TAIL] != 0;
	s.dominant = bit_length(dominant);
	s.thread = other_threads ? bit_length(threads) : 0;
	return s;
}

/* Position of each member in a set of fates, and back. */
static void set_ranks(unsigned set, uint8_t rank[8])
{
	uint8_t n = 0;

	for (unsigned i = 0; i < 8; i++) {
		rank[i] = n;
		n += set >> i & 1;
	}
}

static unsigned set_nth(unsigned set, unsigned n)
{
	while (n-- && set)
		set &= set - 1;
	return set ? (unsigned)__builtin_ctz(set) : 0;
}

static uint64_t compress(uint16_t value, uint16_t set)
{
	uint64_t out = 0;

	for (unsigned n = 0; set; set &= (uint16_t)(set - 1), n++)
		out |= (uint64_t)(value >> __builtin_ctz(set) & 1) << n;
	return out;
}

static uint16_t expand(uint64_t value, uint16_t set)
{
	uint16_t out = 0;

	for (; set; set &= (uint16_t)(set - 1), value >>= 1)
		if (value & 1)
			out |= (uint16_t)(set & -set);
	return out;
}

/* The fields of a few bits each, some 28 at most. */
static inline struct bits small_fields(const struct raw_row *r, const struct leaf_shape *s,
				       unsigned event_bits, unsigned fate_bits,
				       const uint8_t fate_rank[8])
{
	struct bits out = {r->events ? compress(r->events, s->events) : 0, event_bits};

	out = bits_behind(out, (struct bits){fate_rank[r->fate & 7], fate_bits});
	out = bits_behind(out, (struct bits){(uint8_t)(r->dominant + 1), s->dominant});
	return s->micro_ops ? bits_behind(out, (struct bits){r->micro_op, 1}) : out;
}

/* Is the count there in a leaf of this shape? */
static bool has_count(const struct leaf_shape *s, int k)
{
	return k == COUNT_OFFSET ? s->whole : k == COUNT_TAIL ? s->tails : true;
}

static void put_shape(struct bit_writer *w, const struct leaf_shape *s)
{
	bits_put(w, s->whole, 1);
	if (s->whole)
		bits_put(w, s->tails, 1);
	for (int k = 0; k < COUNTS; k++) {
		if (!has_count(s, k))
			continue;
		bits_put(w, s->widths[k].a, 4);
		bits_put(w, s->widths[k].b, 5);
	}
	bits_put(w, s->events, 16);
	bits_put(w, s->fates, 8);
	bits_put(w, s->dominant, 4);
	bits_put(w, s->micro_ops, 1);
	bits_put(w, s->thread, 5);
	if (!s->thread)
		bits_put(w, s->first_thread, 16);
}

static struct leaf_shape get_shape(struct bit_reader *r)
{
	struct leaf_shape s = {0};

	s.whole = bits_get56(r, 1) != 0;
	s.tails = s.whole && bits_get56(r, 1) != 0;
	for (int k = 0; k < COUNTS; k++) {
		if (!has_count(&s, k))
			continue;
		s.widths[k].a = (unsigned)bits_get56(r, 4);
		s.widths[k].b = (unsigned)bits_get56(r, 5);
	}
	s.events = (uint16_t)bits_get56(r, 16);
	s.fates = (uint8_t)bits_get56(r, 8);
	s.dominant = (unsigned)bits_get56(r, 4);
	s.micro_ops = bits_get56(r, 1) != 0;
	s.thread = (unsigned)bits_get56(r, 5);
	s.first_thread = s.thread ? 0 : (uint16_t)bits_get56(r, 16);
	return s;
}

void leaf_encode(struct sbuf *out, const struct raw_row *rows, size_t n, int64_t tick,
		 const uint32_t *code_map, const struct whole_row *whole)
{
	struct leaf_shape s = shape_of(rows, n, tick, code_map, whole);
	unsigned event_bits = (unsigned)__builtin_popcount(s.events);
	unsigned fate_bits = bit_length((unsigned)__builtin_popcount(s.fates) - 1u);
	size_t room = n * ROW_BYTES + SHAPE_BYTES;
	int64_t birth = tick, code = 0;
	struct bit_writer w = {0};
	uint8_t fate_rank[8];

	if (n == 0)
		return;
	w.p = (unsigned char *)sbuf_room(out, room);
	if (!w.p)
		return;
	put_shape(&w, &s);
	set_ranks(s.fates, fate_rank);
	for (size_t i = 0; i < n; i++) {
		const struct raw_row *r = &rows[i];
		int64_t next = code_of(r, code_map);
		uint64_t v[COUNTS];

		counts_of(r, birth, next - code, whole, i, v);
		put_two_counts(&w, &s.widths[COUNT_BIRTH], &v[COUNT_BIRTH]);
		put_count_and(&w, s.widths[COUNT_CODE], v[COUNT_CODE],
			      small_fields(r, &s, event_bits, fate_bits, fate_rank));
		if (r->micro_op)
			put_count(&w, s.widths[COUNT_PARENT], v[COUNT_PARENT]);
		if (s.thread)
			bits_put(&w, r->thread, s.thread);
		if (whole)
			put_count(&w, s.widths[COUNT_OFFSET], v[COUNT_OFFSET]);
		if (s.tails)
			put_count(&w, s.widths[COUNT_TAIL], v[COUNT_TAIL]);
		birth = r->birth;
		code = next;
	}
	bits_flush(&w);
	sbuf_take(out, (char *)w.p);
}

bool leaf_decode(const void *bytes, size_t len, size_t n, int64_t tick, uint64_t row0,
		 struct row *out)
{
	struct bit_reader r = {.p = bytes, .len = len};
	struct leaf_shape s;
	unsigned event_bits, fate_bits;
	uint64_t birth = (uint64_t)tick, code = 0, offset = 0;

	if (n == 0)
		return true;
	s = get_shape(&r);
	event_bits = (unsigned)__builtin_popcount(s.events);
	fate_bits = s.fates ? bit_length((unsigned)__builtin_popcount(s.fates) - 1u) : 0;
	for (size_t i = 0; i < n; i++) {
		struct row *o = &out[i];
		uint64_t life, small, parent = 0;

		birth += get_count(&r, s.widths[COUNT_BIRTH]);
		life = get_count(&r, s.widths[COUNT_LIFE]);
		code += 1 + (uint64_t)unzigzag(get_count(&r, s.widths[COUNT_CODE]));
		o->row = row0 + i;
		o->start = (int64_t)birth;
		o->end = life ? (int64_t)(birth + life - 1) : TICK_NONE;
		o->code = (uint32_t)code;
		small = bits_get56(&r, event_bits + fate_bits + s.dominant);
		o->events = s.events ? expand(small, s.events) : 0;
		small >>= event_bits;
		o->fate = (uint8_t)set_nth(s.fates, (unsigned)small & ((1u << fate_bits) - 1));
		o->dominant = (uint8_t)((small >> fate_bits) - 1);
		o->micro_op = s.micro_ops && bits_get56(&r, 1);
		if (o->micro_op)
			parent = get_count(&r, s.widths[COUNT_PARENT]);
		o->parent = parent && parent <= o->row ? o->row - parent : ROW_NONE;
		o->thread = s.thread ? (uint16_t)bits_get56(&r, s.thread) : s.first_thread;
		if (s.whole)
			offset += (uint64_t)unzigzag(get_count(&r, s.widths[COUNT_OFFSET]));
		o->offset = offset;
		o->tail = s.tails ? get_count(&r, s.widths[COUNT_TAIL]) : 0;
		if (o->fate >= FATE_UNKNOWN || o->start < tick || o->end < o->start ||
		    o->tail > (uint64_t)o->end - (uint64_t)o->start) {
			r.over = true; /* damaged: what is given out is at least a row */
			o->start = tick;
			birth = (uint64_t)tick;
			o->fate = FATE_IN_FLIGHT;
			o->end = TICK_NONE;
			o->tail = 0;
		}
		if (o->dominant >= STAGE_MAX)
			o->dominant = STAGE_NONE;
		code = o->code;
	}
	return !r.over;
}
