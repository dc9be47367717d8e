/*
 * What the tests of packed files share, whatever packs them: every file is "a", every text is
 * compared byte by byte with what went in.
 */
#ifndef PIPEGLASS_TESTS_SOURCE_PACKED_H
#define PIPEGLASS_TESTS_SOURCE_PACKED_H

#include "source_data.h"

/* A sound file of that text, from any side. */
static inline void packed_reads(struct data packed, struct data text, enum source_kind kind,
				uint64_t *rng)
{
	struct source *s = data_source(data_file("a", packed.bytes, packed.len));
	assert_int_equal(source_kind(s), kind);
	assert_int_equal(data_pass(s, 0, 5000, rng, text), text.len);
	/* the most that may be asked for is memory that the sanitizers mark, for each file anew */
	assert_int_equal(data_pass(s, 0, text.len == 1 ? SIZE_MAX : 1 << 20, rng, text), text.len);
	data_ranges(s, 20, 100000, rng, text, text.len);
	bool final;
	assert_int_equal(source_size(s, &final), text.len);
	assert_true(final);
	assert_null(source_damage(s));
	uint64_t done, total;
	source_progress(s, &done, &total);
	assert_int_equal(done, packed.len);
	assert_int_equal(total, packed.len);
	source_close(s);
}

/* Ranges after a pass, then forwards and backwards. */
static inline void packed_walks(struct source *s, struct data text, uint64_t *rng)
{
	struct window w;
	struct error e;
	data_ranges(s, 200, 3000, rng, text, text.len);
	data_ranges(s, 10, 6 << 20, rng, text, text.len);
	for (uint64_t off = 0; off + 300001 < text.len; off += 300001) {
		assert_int_equal(source_map(s, off, 300001, &w, &e), STATUS_OK);
		assert_memory_equal(w.text, text.bytes + off, 300001);
		source_release(s, &w);
	}
	for (size_t off = text.len; off > 400001; off -= 400001) {
		assert_int_equal(source_map(s, off - 400001, 400001, &w, &e), STATUS_OK);
		assert_memory_equal(w.text, text.bytes + off - 400001, 400001);
		source_release(s, &w);
	}
}

/* Members of random lengths that make up the text: their number is the caller's to count. */
static inline size_t packed_part(struct data text, size_t at, uint64_t *rng)
{
	size_t len = (size_t)(data_random(rng) % (data_random(rng) % 8 ? 70000 : 6000000));
	return len > text.len - at ? text.len - at : len;
}

/* The same file is read whole, then with something behind it that is no member. */
static inline void packed_has_tail(struct data *packed, struct data text, const char *name,
				   const char *tail, uint64_t *rng)
{
	struct source *s = data_source(data_file("a", packed->bytes, packed->len));
	assert_int_equal(data_pass(s, 0, 1 << 20, rng, text), text.len);
	assert_null(source_damage(s));
	data_ranges(s, 300, 30000, rng, text, text.len);
	source_close(s);

	char expected[64];
	snprintf(expected, sizeof(expected), "%s data ends at byte %zu:", name, packed->len);
	data_add(packed, tail, strlen(tail));
	s = data_source(data_file("a", packed->bytes, packed->len));
	assert_int_equal(data_pass(s, 0, 1 << 20, rng, text), text.len);
	assert_non_null(source_damage(s));
	assert_non_null(strstr(source_damage(s), expected));
	data_ranges(s, 100, 30000, rng, text, text.len);
	source_close(s);
}

/* The size of the text of a file cut there, which it says unless it is sound; 0: refused. */
static inline uint64_t packed_cut(struct data packed, size_t cut, bool sound, struct data text,
				  uint64_t *rng)
{
	struct source *s;
	struct error e;
	data_file("a", packed.bytes, cut);
	if (source_open(&s, data_path("a"), &e) != STATUS_OK) {
		assert_int_equal(e.code, STATUS_INPUT);
		return 0;
	}
	uint64_t size = data_pass(s, 0, 1 + data_random(rng) % 100000, rng, text);
	bool final;
	assert_int_equal(source_size(s, &final), size);
	assert_true(final);
	assert_int_equal(!source_damage(s), sound);
	data_ranges(s, 10, 70000, rng, text, size);
	source_close(s);
	return size;
}

/* The text of source s as a first pass gives it. */
static inline struct data packed_text(struct source *s)
{
	struct data seen = {0};
	struct window w;
	struct error e;
	do {
		assert_int_equal(source_next(s, seen.len, 30000, &w, &e), STATUS_OK);
		data_add(&seen, w.text, w.len);
		assert_true(seen.len < 100u << 20);
		source_release(s, &w);
	} while (seen.len != w.off);
	return seen;
}

enum { GARBLED = ROUNDS(300) };

/*
 * One byte from `first` on is another, GARBLED times: what the pass gave, however wrong, random
 * access gives as well. Returns how often damage was told; other files did not open.
 */
static inline unsigned packed_garbled(struct data packed, size_t first)
{
	uint64_t rng = 33;
	unsigned noted = 0;
	for (int round = 0; round < GARBLED; round++) {
		struct source *s;
		struct error e;
		size_t at = first + (size_t)(data_random(&rng) % (packed.len - first));
		unsigned char old = packed.bytes[at];
		packed.bytes[at] ^= (unsigned char)(1 + data_random(&rng) % 255);
		data_file("a", packed.bytes, packed.len);
		packed.bytes[at] = old;
		if (source_open(&s, data_path("a"), &e) != STATUS_OK)
			continue;
		struct data seen = packed_text(s);
		noted += source_damage(s) != NULL;
		data_ranges(s, 5, 100000, &rng, seen, seen.len);
		source_close(s);
		data_free(&seen);
	}
	return noted;
}

/* A file of `step` bytes grows by as many at a time until it is whole, under s. */
static inline void packed_grows(struct source *s, struct data packed, size_t step, struct data text)
{
	uint64_t rng = 8, size = 0;
	for (size_t there = step;;) {
		size = data_pass(s, size - (size > 50 ? 50 : 0), 1 << 20, &rng, text);
		assert_int_equal(!source_damage(s), there == packed.len);
		bool final;
		assert_int_equal(source_size(s, &final), size);
		assert_true(final);
		data_ranges(s, 10, 70000, &rng, text, size);
		if (there == packed.len)
			break;
		size_t more = packed.len - there < step ? packed.len - there : step;
		data_put(data_path("a"), O_APPEND, packed.bytes + there, more);
		there += more;
		assert_int_equal(source_check(s), SOURCE_GROWN);
		source_size(s, &final);
		assert_false(final);
	}
	assert_int_equal(size, text.len);
}

/* A file with a tail, its points saved after a pass, and opened anew with them. */
static inline void packed_points(struct data packed, struct data text, const char *damage,
				 uint64_t *rng, struct sbuf *saved)
{
	struct source *s = data_source(data_file("a", packed.bytes, packed.len));
	assert_int_equal(data_pass(s, 0, 1 << 20, rng, text), text.len);
	source_save_points(s, saved);
	source_close(s);

	s = data_source(data_path("a"));
	assert_int_equal(source_load_points(s, saved->text, saved->len), STATUS_OK);
	bool final;
	assert_int_equal(source_size(s, &final), text.len);
	assert_true(final);
	assert_non_null(strstr(source_damage(s), damage));
	data_ranges(s, 1, 9000, rng, text, text.len); /* without a pass */
	data_ranges(s, 100, 9000, rng, text, text.len);
	assert_int_equal(data_pass(s, text.len / 3, 1 << 20, rng, text), text.len);
	assert_int_equal(data_pass(s, 0, 1 << 20, rng, text), text.len);
	struct sbuf again = {0};
	source_save_points(s, &again);
	assert_int_equal(again.len, saved->len);
	assert_memory_equal(again.text, saved->text, saved->len);
	source_close(s);
	sbuf_free(&again);
}

static inline void packed_reseal(struct sbuf *saved)
{
	unsigned long crc = crc32(0, (unsigned char *)saved->text, (uInt)saved->len - 4);
	for (size_t i = 0; i < 4; i++)
		saved->text[saved->len - 4 + i] = (char)(unsigned char)(crc >> (8 * i));
}

/* Changed bytes, mostly under a right checksum: refused, or harmless. Opens file "a". */
static inline void packed_garble_points(int round, uint64_t *rng, const struct sbuf *saved)
{
	struct sbuf bad = {0};
	sbuf_add(&bad, saved->text, round % 3 ? saved->len : data_random(rng) % saved->len);
	size_t near = round % 2 ? 200 : saved->len;
	for (unsigned i = 0; bad.len > 8 && i < 1 + round % 4u; i++)
		bad.text[data_random(rng) % (near < bad.len ? near : bad.len)] ^=
		    (char)(1 + data_random(rng) % 255);
	struct source *s = data_source(data_path("a"));
	if (round % 5 && bad.len >= 4)
		packed_reseal(&bad);
	else
		assert_int_equal(source_load_points(s, bad.text, bad.len), STATUS_INPUT);
	if (source_load_points(s, bad.text, bad.len) == STATUS_OK) {
		struct window w;
		struct error e;
		uint64_t size = source_size(s, NULL);
		for (int i = 0; i < 3 && size; i++) {
			source_map(s, data_random(rng) % size, 5000, &w, &e);
			source_release(s, &w);
		}
		source_next(s, data_random(rng) % (size + 1), 5000, &w, &e);
		source_release(s, &w);
	}
	source_close(s);
	sbuf_free(&bad);
}

#endif
