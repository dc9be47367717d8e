/*
 * Tests of the packings that are read as streams, for whoever says which it is, before including
 * this: PACK_KIND, PACK_NAME, PACK_MAGIC (its length), PACK_TAIL (which begins like it), and
 *
 *	pack_member(to, text, len, level, checked): append one with a checksum or a weaker one
 *	pack_between(to, len): append what may stand between members, some len bytes of it
 */
#ifndef PIPEGLASS_TESTS_SOURCE_STREAM_H
#define PIPEGLASS_TESTS_SOURCE_STREAM_H

#include <sys/resource.h>

#include "source_packed.h"
#include "source_threads.h"

enum { LARGE = 9 << 20 };

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
	assert_int_equal(data_pass(s, text.len - 5345678, 1 << 20, &rng, text), text.len);
	data_ranges(s, 300, 3000, &rng, text, text.len);
	assert_null(source_damage(s));
	source_close(s);
}

TEST(random_access_agrees)
{
	struct data text = data_text(LARGE, 2), packed = {0};
	pack_member(&packed, text.bytes, text.len, 1, true);
	random_access(text, packed);
	/* short members, a long one in the middle, and a long one at the end */
	static const size_t parts[] = {1 << 20, 2 << 20, 700000, 3500000, 100};
	packed.len = 0;
	size_t at = 0;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		pack_member(&packed, text.bytes + at, parts[i], 1, true);
		at += parts[i];
	}
	pack_member(&packed, text.bytes + at, text.len - at, 1, false);
	random_access(text, packed);
	data_free(&packed);
	data_free(&text);
}

TEST(members_are_joined)
{
	struct data text = data_text(8 << 20, 3), packed = {0};
	uint64_t rng = 21;
	size_t at = 0;
	while (at < text.len) {
		size_t len = packed_part(text, at, &rng);
		if (rng % 3 == 0)
			pack_between(&packed, (uint32_t)(data_random(&rng) % 300000));
		pack_member(&packed, text.bytes + at, len, 1, rng % 2);
		at += len;
	}
	packed_has_tail(&packed, text, PACK_NAME, PACK_TAIL, &rng);
	data_free(&packed);
	data_free(&text);
}

TEST(points_come_back)
{
	struct data text = data_text(1 << 20, 8), packed = {0};
	pack_member(&packed, text.bytes, 1 << 18, 1, true);
	pack_member(&packed, text.bytes + (1 << 18), 2 << 18, 1, true);
	pack_member(&packed, text.bytes + (3 << 18), 1 << 18, 1, true);
	data_add(&packed, "tail", 4);
	uint64_t rng = 12;
	struct sbuf saved = {0};
	packed_points(packed, text, "the rest is not " PACK_NAME, &rng, &saved);
	assert_true(saved.len > 80 && saved.len < 500);
	for (int round = 0; round < 60; round++)
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
	pack_member(&packed, text.bytes, text.len, 1, true);
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
	pack_member(&packed, text.bytes, 1 << 20, 1, true);
	size_t first = packed.len;
	pack_member(&packed, text.bytes + (1 << 20), text.len - (1 << 20), 1, true);
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
	struct data text = data_text(7 << 20, 9), packed = {0};
	struct rlimit before, limit;
	struct sbuf saved = {0};
	uint64_t rng = 6;
	pack_member(&packed, text.bytes, text.len, 1, true);
	const char *path = data_file("a", packed.bytes, packed.len);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 2500000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	struct source *s = data_source(path);
	assert_int_equal(data_pass(s, 0, 1 << 20, &rng, text), 2500000);
	data_ranges(s, 30, 5000, &rng, text, 2500000);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_non_null(source_damage(s));
	assert_non_null(strstr(source_damage(s), "no room to keep the text beyond byte 2500000"));
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

TEST(cuts_end_the_text)
{
	struct data text = data_text(200000, 4), packed = {0};
	pack_member(&packed, text.bytes, 150000, 1, true);
	size_t first = packed.len;
	pack_member(&packed, text.bytes + 150000, 50000, 1, false);
	uint64_t rng = 2, longest = 0;
	for (size_t cut = PACK_MAGIC; cut <= packed.len; /* less is plain, for all one can see */
	     cut += cut < 30 || cut + 200 > packed.len || (cut + 200 > first && cut < first + 30)
			? 1
			: 197) {
		uint64_t size =
		    packed_cut(packed, cut, cut == first || cut == packed.len, text, &rng);
		assert_true(size || cut < 60000);
		assert_true(size >= longest);
		longest = size;
	}
	assert_int_equal(longest, text.len);
	data_free(&packed);
	data_free(&text);
}

TEST(damage_is_survived)
{
	struct data text = data_text(200000, 5), packed = {0};
	pack_member(&packed, text.bytes, 150000, 1, true);
	pack_member(&packed, text.bytes + 150000, 50000, 1, true);
	assert_true(packed_garbled(packed, 4) > GARBLED / 2); /* the rest did not open */
	data_free(&packed);
	data_free(&text);
}

/* A file that grows is told so, and opened again has it all. */
TEST(growth_is_told)
{
	struct data text = data_text(1 << 20, 7), packed = {0};
	uint64_t rng = 3;
	struct error e;
	pack_member(&packed, text.bytes, text.len, 1, true);
	struct source *s = data_source(data_file("a", packed.bytes, packed.len / 2));
	assert_int_equal(source_follow(s, true, &e), STATUS_UNSUPPORTED);
	assert_non_null(
	    strstr(e.text, "a: is packed with " PACK_NAME ": only a plain file can be followed"));
	uint64_t size = data_pass(s, 0, 1 << 20, &rng, text);
	assert_in_range(size, 1, text.len - 1);
	assert_non_null(strstr(source_damage(s), PACK_NAME " data cut at byte"));
	data_put(data_path("a"), O_APPEND, packed.bytes + packed.len / 2,
		 packed.len - packed.len / 2);
	assert_int_equal(source_check(s), SOURCE_GROWN);
	data_ranges(s, 10, 70000, &rng, text, size);
	source_close(s);
	s = data_source(data_path("a"));
	assert_int_equal(data_pass(s, 0, 1 << 20, &rng, text), text.len);
	assert_null(source_damage(s));
	source_close(s);
	data_free(&packed);
	data_free(&text);
}

TEST(text_comes_through_pipes)
{
	struct data text = data_text(3 << 20, 2), packed = {0};
	pack_member(&packed, text.bytes, text.len / 2, 3, true);
	pack_between(&packed, 4);
	pack_member(&packed, text.bytes + text.len / 2, text.len - text.len / 2, 3, false);
	uint64_t rng = 5;
	for (size_t step = 1; step < 100000; step = step * 300 + 7) {
		int fds[2];
		assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
		struct writer w = {fds[1], packed, step, 0};
		if (step == 1) /* dribbled, and cut */
			w.bytes.len = 100000;
		pthread_t thread;
		pthread_create(&thread, NULL, write_all, &w);
		struct source *s;
		struct error e;
		assert_int_equal(source_open_fd(&s, fds[0], "child", &e), STATUS_OK);
		assert_int_equal(source_kind(s), PACK_KIND);
		assert_true(source_is_pipe(s));
		uint64_t size = data_pass(s, 0, 1 << 20, &rng, text);
		pthread_join(thread, NULL);
		assert_int_equal(size == text.len, step != 1);
		assert_int_equal(source_damage(s) != NULL, step == 1);
		data_ranges(s, 100, 5000, &rng, text, size);
		source_close(s);
	}
	data_free(&packed);
	data_free(&text);
}

/* Looks while the pass runs, and closing while text is on its way to the file. */
TEST(threads_map_at_once)
{
	struct data text = data_text(7 << 20, 6), packed = {0};
	pack_member(&packed, text.bytes, text.len, 1, true);
	struct source *s = data_source(data_file("a", packed.bytes, packed.len));
	looks_agree(s, text, 400, false);
	source_close(s);
	s = data_source(data_path("a"));
	uint64_t rng = 11;
	assert_int_equal(data_pass(s, 0, 4 << 20, &rng, text), text.len);
	source_close(s);
	data_free(&packed);
	data_free(&text);
}

#endif
