/* src/source: gzip files, whole, damaged, growing, and their access points. */
#include "config.h"

#include "source_packed.h"

#include <pthread.h>

#include "source/points.h"

enum { LARGE = 13 << 20 };

TEST(all_headers_and_levels)
{
	static const size_t sizes[] = {1, 1000, 65535, 65536, 65537, 300000};
	unsigned char extra[300] = {1, 2, 3}, name[] = "trace.trc", comment[] = "made by a test";
	gz_header headers[] = {
	    {0},
	    {.name = name, .hcrc = 1},
	    {.comment = comment},
	    {.extra = extra,
	     .extra_len = sizeof(extra),
	     .name = name,
	     .comment = comment,
	     .hcrc = 1},
	};
	struct data text = data_text(300000, 1);
	uint64_t rng = 3;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (int level = 0; level <= 9; level += 3) {
			struct data gz = {0}, part = {text.bytes, sizes[i]};
			data_gzip(&gz, part.bytes, part.len, level, &headers[level / 3]);
			packed_reads(gz, part, SOURCE_GZIP, &rng);
			data_free(&gz);
		}
	}
	data_free(&text);
}

TEST(empty_text_is_empty)
{
	struct data gz = {0};
	data_gzip(&gz, "", 0, 6, NULL);
	data_gzip(&gz, "", 0, 6, NULL);
	data_refused(data_file("a", gz.bytes, gz.len), "a: empty");
	data_refused(data_file("a", gz.bytes, 12), "gzip data cut at byte 12");
	data_refused(data_file("a", "\x1f\x8b\x08\xff      ", 10), "not a gzip header");
	data_free(&gz);
}

/* Ranges while the first pass goes on, then after it, then forwards and backwards. */
TEST(random_access_agrees)
{
	struct data text = data_text(LARGE, 2), gz = {0};
	data_gzip(&gz, text.bytes, text.len, 6, NULL);
	struct source *s = data_source(data_file("a", gz.bytes, gz.len));
	uint64_t rng = 9, from = 0, known;
	struct window w;
	struct error e;
	do {
		assert_int_equal(source_next(s, from, 1 << 20, &w, &e), STATUS_OK);
		from = w.off + w.len;
		source_release(s, &w);
		known = source_size(s, NULL);
		assert_int_equal(known, from);
		data_ranges(s, 5, 50000, &rng, text, known);
	} while (from < text.len);
	packed_walks(s, text, &rng);
	source_close(s);
	data_free(&gz);
	data_free(&text);
}

TEST(members_are_joined)
{
	struct data text = data_text(8 << 20, 3), gz = {0};
	uint64_t rng = 21;
	size_t at = 0;
	while (at < text.len) {
		size_t len = packed_part(text, at, &rng);
		data_gzip(&gz, text.bytes + at, len, 1 + (int)(rng % 6), NULL);
		at += len;
	}
	static const unsigned char zeros[5000];
	data_add(&gz, zeros, sizeof(zeros));
	packed_has_tail(&gz, text, "gzip", "\x1f\x8bnot a member", &rng);
	data_free(&gz);
	data_free(&text);
}

TEST(cuts_end_the_text)
{
	struct data text = data_text(200000, 4), gz = {0};
	data_gzip(&gz, text.bytes, 120000, 6, NULL);
	size_t first = gz.len;
	data_gzip(&gz, text.bytes + 120000, 80000, 9, NULL);
	uint64_t rng = 2, longest = 0;
	for (size_t cut = 3; cut <= gz.len;
	     cut += cut < 30 || cut + 100 > gz.len || cut + 30 > first ? 1 : 97) {
		if (cut > first + 30 && cut + 100 < gz.len)
			cut += 97;
		uint64_t size = packed_cut(gz, cut, cut == first || cut == gz.len, text, &rng);
		assert_true(size || cut < 4000);
		assert_true(size >= longest);
		longest = size;
	}
	assert_int_equal(longest, text.len);
	data_free(&gz);
	data_free(&text);
}

TEST(damage_is_survived)
{
	struct data text = data_text(200000, 5), gz = {0};
	data_gzip(&gz, text.bytes, 150000, 6, NULL);
	data_gzip(&gz, text.bytes + 150000, 50000, 1, NULL);
	/* not all: some header bytes mean nothing */
	assert_true(packed_garbled(gz, 10) > GARBLED * 5 / 6);
	data_free(&gz);
	data_free(&text);
}

TEST(wrong_checksums_are_noted)
{
	struct data text = data_text(400000, 6), gz = {0};
	data_gzip(&gz, text.bytes, 250000, 6, NULL);
	gz.bytes[gz.len - 6] ^= 1;
	size_t end = gz.len;
	data_gzip(&gz, text.bytes + 250000, 150000, 6, NULL);
	struct source *s = data_source(data_file("a", gz.bytes, gz.len));
	uint64_t rng = 4;
	assert_int_equal(data_pass(s, 0, 50000, &rng, text), text.len);
	char expected[80];
	snprintf(expected, sizeof(expected),
		 "gzip checksum wrong in the member that ends at byte %zu", end);
	assert_non_null(source_damage(s));
	assert_non_null(strstr(source_damage(s), expected));
	source_close(s);
	data_free(&gz);
	data_free(&text);
}

TEST(growth_goes_on)
{
	struct data text = data_text(9 << 20, 7), gz = {0};
	data_gzip(&gz, text.bytes, 6 << 20, 6, NULL);
	data_gzip(&gz, text.bytes + (6 << 20), 3 << 20, 6, NULL);
	struct source *s = data_source(data_file("a", gz.bytes, 77777));
	packed_grows(s, gz, 77777, text);

	/* and shrinks: what is cached may still be had, the rest is refused */
	assert_int_equal(truncate(data_path("a"), 2000), 0);
	assert_int_equal(source_check(s), SOURCE_TRUNCATED);
	unsigned lost = 0;
	for (uint64_t off = 0; off < text.len; off += 1 << 20) {
		struct window w;
		struct error e;
		enum status status = source_map(s, off, 1000, &w, &e);
		assert_true(status == STATUS_OK || status == STATUS_IO);
		lost += status == STATUS_IO;
		assert_memory_equal(w.text, text.bytes + off, w.len);
		source_release(s, &w);
	}
	assert_true(lost > 0);
	source_close(s);
	data_free(&gz);
	data_free(&text);
}

TEST(points_come_back)
{
	struct data text = data_text(LARGE, 8), gz = {0};
	data_gzip(&gz, text.bytes, text.len, 6, NULL);
	data_add(&gz, "tail", 4);
	uint64_t rng = 12;
	struct sbuf saved = {0};
	packed_points(gz, text, "the rest is not gzip", &rng, &saved);
	assert_true(saved.len > 3 * 100 && saved.len < 3 * 33000);
	for (int round = 0; round < 100; round++)
		packed_garble_points(round, &rng, &saved);
	sbuf_free(&saved);
	data_free(&gz);
	data_free(&text);
}

/* Text that cannot be compressed: what the points keep is bounded all the same. */
TEST(points_are_bounded)
{
	enum { MANY = 700 };
	struct points p;
	static unsigned char dict[UNZIP_REACH];
	uint64_t rng = 1;
	points_init(&p);
	for (size_t i = 0; i < sizeof(dict); i++)
		dict[i] = (unsigned char)(data_random(&rng) >> 32);
	for (uint64_t i = 1; i < MANY; i++) {
		struct unzip_place place = {.in = i << 21, .out = i * POINTS_SPACING};
		points_add(&p, &place, dict, sizeof(dict));
		assert_true(p.bytes <= POINTS_BUDGET);
	}
	assert_true(p.spacing > POINTS_SPACING && p.spacing <= 32u * (uint64_t)POINTS_SPACING);
	assert_true(p.list.count > 100);
	uint64_t last = MANY * (uint64_t)POINTS_SPACING;
	for (uint64_t off = 0; off < last; off += POINTS_SPACING / 2) {
		uint64_t before = points_before(&p, off);
		assert_true(before <= off && off - before < 2 * p.spacing);
	}
	points_free(&p);
}

enum { HELD = 5 };

struct holder {
	struct source *s;
	struct data text;
	struct window windows[HELD];
	unsigned wrong;
};

static void *compare_and_release(void *arg)
{
	struct holder *h = arg;
	for (int i = 0; i < HELD; i++) {
		struct window *w = &h->windows[i];
		h->wrong += memcmp(w->text, h->text.bytes + w->off, w->len) != 0;
		struct window again;
		struct error e;
		h->wrong += source_map(h->s, w->off + 77, 5000, &again, &e) != STATUS_OK;
		h->wrong += memcmp(again.text, h->text.bytes + again.off, again.len) != 0;
		source_release(h->s, w);
		source_release(h->s, &again);
	}
	return NULL;
}

TEST(windows_may_change_threads)
{
	struct data text = data_text(LARGE / 2, 9), gz = {0};
	data_gzip(&gz, text.bytes, text.len, 6, NULL);
	struct source *s = data_source(data_file("a", gz.bytes, gz.len));
	struct holder holders[2] = {{.s = s, .text = text}, {.s = s, .text = text}};
	pthread_t threads[2];
	uint64_t from = 0, rng = 14;
	for (int turn = 0; from < text.len; turn++) {
		struct holder *h = &holders[turn % 2];
		if (turn >= 2)
			pthread_join(threads[turn % 2], NULL);
		for (int i = 0; i < HELD; i++) {
			struct error e;
			assert_int_equal(source_next(s, from, 300000, &h->windows[i], &e),
					 STATUS_OK);
			uint64_t end = h->windows[i].off + h->windows[i].len;
			from = end < text.len ? end - 100 : end;
		}
		pthread_create(&threads[turn % 2], NULL, compare_and_release, h);
		data_ranges(s, 2, 3000, &rng, text, source_size(s, NULL));
	}
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(holders[i].wrong, 0);
	}
	source_close(s);
	data_free(&gz);
	data_free(&text);
}

FIXTURES(data_make_dir, data_remove_dir)
