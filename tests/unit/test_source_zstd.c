/* src/source: sound zstd files, of many frames and of one. */
#include "config.h"

#include "source_data.h"

#ifdef HAVE_ZSTD

#include <sys/resource.h>

#include "source_packed.h"
#include "source_threads.h"
#include "zstd_data.h"

enum { LARGE = 22 << 20 };

TEST(all_levels_and_sizes)
{
	static const size_t sizes[] = {1, 1000, 131071, 131072, 131073, 300000};
	static const int levels[] = {-5, 1, 3, 19};
	struct data text = data_text(300000, 1);
	uint64_t rng = 3;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (int k = 0; k < 8; k++) {
			struct data packed = {0}, part = {text.bytes, sizes[i]};
			if (k % 3 == 0)
				zstd_skippable(&packed, (unsigned)k, 5);
			zstd_frame(&packed, part.bytes, part.len, levels[k / 2], k % 2, 0);
			packed_reads(packed, part, SOURCE_ZSTD, &rng);
			data_free(&packed);
		}
	}
	data_free(&text);
}

TEST(opening_refuses)
{
	struct data text = data_text(1000, 2), packed = {0};
	zstd_frame(&packed, "", 0, 3, true, 0);
	zstd_skippable(&packed, 1, 100);
	zstd_frame(&packed, "", 0, 3, false, 0);
	data_refused(data_file("a", packed.bytes, packed.len), "a: empty");
	data_refused(data_file("a", packed.bytes, 7), "zstd data cut at byte 7");
	data_refused(data_file("a", "\x5f\x2a\x4d\x18\x02\0\0\0xxnone", 14),
		"zstd data damaged at byte 11 (not a zstd frame)");
	data_refused(data_file("a", "\x5f\x2a\x4d\x18\xff\xff\xff\xff", 8), "zstd data cut at byte 8");
	/* a header that names dictionary 7, and one that says 256 MiB */
	data_refused(data_file("a", "\x28\xb5\x2f\xfd\x01\x40\x07\x19\0\0abc", 13),
		"zstd frame at byte 0 needs a dictionary: use zstd -dc -D DICT FILE | pipeglass -");
	data_refused(data_file("a", "\x28\xb5\x2f\xfd\0\x90\x19\0\0abc", 12),
		     "zstd frame at byte 0 needs more than 128 MiB of memory");
	packed.len = 0;
	zstd_frame(&packed, text.bytes, text.len, 3, true, 24);
	source_close(data_source(data_file("a", packed.bytes, packed.len)));
	data_free(&packed);
	data_free(&text);
}

static void random_access(const struct data text, const struct data packed)
{
	struct source *s = data_source(data_file("a", packed.bytes, packed.len));
	uint64_t rng = 9, from = 0;
	struct window w;
	struct error e;
	do {
		assert_int_equal(source_next(s, from, 1 << 20, &w, &e), STATUS_OK);
		from = w.off + w.len;
		source_release(s, &w);
		assert_true(source_size(s, NULL) >= from);
		data_ranges(s, 5, 50000, &rng, text, from);
		/* what was read last is what is drawn first */
		uint64_t tail = from > 3000 ? from - 3000 : 0;
		assert_int_equal(source_map(s, tail, 3000, &w, &e), STATUS_OK);
		assert_int_equal(w.len, from - tail);
		assert_memory_equal(w.text, text.bytes + tail, w.len);
		source_release(s, &w);
	} while (from < text.len);
	packed_walks(s, text, &rng);
	/* and a second pass, over what was kept */
	assert_int_equal(data_pass(s, 0, 1 << 20, &rng, text), text.len);
	assert_int_equal(data_pass(s, text.len - 12345678, 1 << 20, &rng, text), text.len);
	data_ranges(s, 300, 3000, &rng, text, text.len);
	assert_null(source_damage(s));
	source_close(s);
}

TEST(random_access_agrees)
{
	struct data text = data_text(LARGE, 2), packed = {0};
	zstd_frame(&packed, text.bytes, text.len, 1, true, 0);
	random_access(text, packed);
	/* short frames, a long one in the middle, and a long one at the end */
	static const size_t parts[] = {1 << 20, 5 << 20, 700000, 9500000, 100};
	packed.len = 0;
	size_t at = 0;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		zstd_frame(&packed, text.bytes + at, parts[i], 1, true, 0);
		at += parts[i];
	}
	zstd_frame(&packed, text.bytes + at, text.len - at, 1, false, 0);
	random_access(text, packed);
	data_free(&packed);
	data_free(&text);
}

TEST(frames_are_joined)
{
	struct data text = data_text(12 << 20, 3), packed = {0};
	uint64_t rng = 21;
	size_t at = 0;
	while (at < text.len) {
		size_t len = packed_part(text, at, &rng);
		if (rng % 3 == 0)
			zstd_skippable(&packed, (unsigned)(rng >> 8) % 16,
				      (uint32_t)(data_random(&rng) % 300000));
		zstd_frame(&packed, text.bytes + at, len, 1, rng % 2, 0);
		at += len;
	}
	packed_has_tail(&packed, text, "zstd", "\x28\xb5\x2fnot a frame", &rng);
	data_free(&packed);
	data_free(&text);
}

/* What costs next to nothing to write must cost little to read. */
TEST(tiny_frames_are_passed)
{
	struct data packed = {malloc(1 << 20), 1 << 20}, text = data_text(1000, 3);
	assert_non_null(packed.bytes);
	for (size_t at = 0; at < packed.len; at += 8) {
		zstd_put_le(packed.bytes + at, SKIPPABLE + (uint32_t)(at / 8 % 16));
		zstd_put_le(packed.bytes + at + 4, 0);
	}
	zstd_frame(&packed, text.bytes, text.len, 3, true, 0);
	struct source *s = data_source(data_file("a", packed.bytes, packed.len));
	uint64_t rng = 1;
	assert_int_equal(data_pass(s, 0, 100, &rng, text), text.len);
	assert_null(source_damage(s));
	source_close(s);
	data_free(&packed);
	data_free(&text);
}

TEST(points_come_back)
{
	struct data text = data_text(LARGE, 8), packed = {0};
	zstd_frame(&packed, text.bytes, 5 << 20, 1, true, 0);
	zstd_frame(&packed, text.bytes + (5 << 20), 12 << 20, 1, true, 0);
	zstd_frame(&packed, text.bytes + (17 << 20), LARGE - (17 << 20), 1, true, 0);
	data_add(&packed, "tail", 4);
	uint64_t rng = 12;
	struct sbuf saved = {0};
	packed_points(packed, text, "what follows is not zstd", &rng, &saved);
	assert_true(saved.len > 80 && saved.len < 500);
	for (int round = 0; round < 200; round++)
		packed_garble_points(round, &rng, &saved);
	sbuf_free(&saved);
	data_free(&packed);
	data_free(&text);
}

/* Opened anew, with what a pass found saved: text is waited for until it is unpacked. */
static struct source *reopen(struct data packed, struct data text)
{
	struct sbuf saved = {0};
	uint64_t rng = 5;
	bool final;
	struct source *s = data_source(data_file("a", packed.bytes, packed.len));
	assert_int_equal(data_pass(s, 0, 1 << 20, &rng, text), text.len);
	source_save_points(s, &saved);
	source_close(s);
	s = data_source(data_path("a"));
	assert_int_equal(source_load_points(s, saved.text, saved.len), STATUS_OK);
	assert_int_equal(source_size(s, &final), text.len);
	assert_true(final);
	sbuf_free(&saved);
	return s;
}

TEST(looks_wait_for_text)
{
	struct data text = data_text(LARGE, 10), packed = {0};
	struct window w;
	struct error e;
	zstd_frame(&packed, text.bytes, text.len, 1, true, 0);
	struct source *s = reopen(packed, text);
	assert_int_equal(source_map(s, text.len - 5000, 9000, &w, &e), STATUS_OK);
	assert_int_equal(w.len, 5000);
	assert_memory_equal(w.text, text.bytes + text.len - 5000, w.len);
	source_release(s, &w);
	/* what is unpacked is there, whatever becomes of the file */
	assert_int_equal(truncate(data_path("a"), 0), 0);
	looks_agree(s, text, 50, true);
	assert_null(source_damage(s));
	source_close(s);
	s = reopen(packed, text);
	source_close(s); /* under the thread that unpacks */
	data_free(&packed);
	data_free(&text);
}

/* A file that lost its end since: what is known of it is not there, and nobody waits for it. */
TEST(lost_text_is_told)
{
	struct data text = data_text(LARGE, 12), packed = {0};
	struct sbuf saved = {0};
	struct window w;
	struct error e;
	uint64_t rng = 5;
	zstd_frame(&packed, text.bytes, 1 << 20, 1, true, 0);
	size_t first = packed.len;
	zstd_frame(&packed, text.bytes + (1 << 20), text.len - (1 << 20), 1, true, 0);
	struct source *s = data_source(data_file("a", packed.bytes, packed.len));
	assert_int_equal(data_pass(s, 0, 1 << 20, &rng, text), text.len);
	source_save_points(s, &saved);
	source_close(s);
	memset(packed.bytes + first, 0, packed.len - first);
	s = data_source(data_file("a", packed.bytes, packed.len));
	assert_int_equal(source_load_points(s, saved.text, saved.len), STATUS_OK);
	assert_int_equal(source_map(s, text.len - 5000, 5000, &w, &e), STATUS_IO);
	assert_non_null(strstr(e.text, "changed on disk"));
	assert_int_equal(source_map(s, 5000, 5000, &w, &e), STATUS_OK);
	assert_memory_equal(w.text, text.bytes + 5000, 5000);
	source_release(s, &w);
	source_close(s);
	sbuf_free(&saved);
	data_free(&packed);
	data_free(&text);
}

/* Without room the text ends there, and one line tells; the next run may have room. */
TEST(full_disks_are_told)
{
	struct data text = data_text(14 << 20, 9), packed = {0};
	struct rlimit before, limit;
	struct sbuf saved = {0};
	uint64_t rng = 6;
	zstd_frame(&packed, text.bytes, text.len, 1, true, 0);
	const char *path = data_file("a", packed.bytes, packed.len);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 5000000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	struct source *s = data_source(path);
	assert_int_equal(data_pass(s, 0, 1 << 20, &rng, text), 5000000);
	data_ranges(s, 30, 5000, &rng, text, 5000000);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_non_null(source_damage(s));
	assert_non_null(strstr(source_damage(s), "no room to keep the text beyond byte 5000000"));
	assert_non_null(strstr(source_damage(s), "set TMPDIR"));
	source_save_points(s, &saved);
	source_close(s);
	s = data_source(data_path("a"));
	assert_int_equal(source_load_points(s, saved.text, saved.len), STATUS_INPUT);
	assert_int_equal(data_pass(s, 0, 1 << 20, &rng, text), text.len);
	assert_null(source_damage(s));
	source_close(s);
	sbuf_free(&saved);
	data_free(&packed);
	data_free(&text);
}

FIXTURES(data_make_dir, data_remove_dir)

#else

int main(void)
{
	return 77; /* skipped: built without libzstd; test_source has what is left */
}

#endif
