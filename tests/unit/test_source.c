/* src/source: opening, plain files, and what changes under them. */
#include "config.h"

#include "source_threads.h"

#include <utime.h>

TEST(opening_refuses)
{
	data_refused(data_path("a"), "a: No such file or directory");
	data_refused(data_dir, "is a directory: give the file itself");
	data_refused(data_file("a", "", 0), "a: empty");
	data_refused("/dev/null", "/dev/null: empty");
	data_refused(data_file("a", "BZh91AY", 7),
		"a: bzip2 is not supported: bzip2 -dc FILE | pipeglass -");
#ifndef HAVE_LZMA
	data_refused(data_file("a", "\xfd\x37zXZ\0\0", 7),
		"a: xz (liblzma was missing when pipeglass was built) is not supported: xz -dc "
		"FILE | pipeglass -");
#endif
#ifndef HAVE_ZSTD
	data_refused(data_file("a", "\x28\xb5\x2f\xfd....", 8),
		"a: zstd (libzstd was missing when pipeglass was built) is not supported: zstd -dc "
		"FILE | pipeglass -");
#endif
	if (geteuid() != 0) {
		chmod(data_path("a"), 0);
		data_refused(data_path("a"), "a: Permission denied");
	}
	char path[3000];
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	for (size_t i = 0; i < sizeof(path) - 1; i += 100)
		path[i] = '/';
	data_refused(path, ": No such file or directory");
}

TEST(opening_refuses_terminals)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY);
	if (fd < 0)
		skip();
	assert_int_equal(grantpt(fd), 0);
	assert_int_equal(unlockpt(fd), 0);
	data_refused(ptsname(fd), "is a terminal: pipe a trace into it");
	close(fd);
}

TEST(passes_meet_boundaries)
{
	static const size_t sizes[] = {1,     2,     4095,  4096,   4097,
				       65535, 65536, 65537, 196625, 1048577};
	static const size_t wants[] = {0, 1, 100, 4096, 65536, 1 << 20, 8 << 20, SIZE_MAX};
	struct data text = data_text(1048577, 1);
	uint64_t rng = 7;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct data part = {text.bytes, sizes[i]};
		struct source *s = data_source(data_file("a", part.bytes, part.len));
		bool final;
		assert_int_equal(source_size(s, &final), part.len);
		assert_true(final);
		assert_int_equal(source_kind(s), SOURCE_PLAIN);
		for (size_t k = sizes[i] > 5000 ? 3 : 0; k < sizeof(wants) / sizeof(wants[0]); k++)
			assert_int_equal(data_pass(s, 0, wants[k], &rng, part), part.len);
		data_ranges(s, 200, 10000, &rng, part, part.len);
		uint64_t done, total;
		source_progress(s, &done, &total);
		assert_int_equal(done, part.len);
		assert_int_equal(total, part.len);
		assert_null(source_damage(s));
		source_close(s);
	}
	data_free(&text);
}

/* Whoever asks again from the same place sees more each time, so no line is too long. */
TEST(long_lines_end)
{
	struct data text = data_text(1 << 20, 8), gz = {0};
	data_gzip(&gz, text.bytes, text.len, 6, NULL);
	data_file("a", text.bytes, text.len);
	data_file("b", gz.bytes, gz.len);
	for (int packed = 0; packed < 2; packed++) {
		struct source *s = data_source(data_path(packed ? "b" : "a"));
		struct window w;
		struct error e;
		size_t len = 0, rest = text.len - 100;
		for (size_t want = 65000; len < rest; want++) {
			assert_int_equal(source_next(s, 100, want, &w, &e), STATUS_OK);
			assert_memory_equal(w.text, text.bytes + 100, w.len);
			assert_true(w.len >= (rest - len < 65000 ? rest : len + 65000));
			len = w.len;
			source_release(s, &w);
		}
		assert_int_equal(len, rest);
		source_close(s);
	}
	data_free(&gz);
	data_free(&text);
}

TEST(maps_are_clipped)
{
	struct source *s = data_source(data_file("a", "0123456789", 10));
	struct window w;
	struct error e;
	static const struct clip {
		uint64_t off;
		size_t len, expected;
	} clips[] = {{0, 10, 10}, {0, SIZE_MAX, 10},  {9, 5, 1},         {10, 1, 0},
		     {3, 0, 0},   {UINT64_MAX, 1, 0}, {1 << 20, 1000, 0}};
	for (size_t i = 0; i < sizeof(clips) / sizeof(clips[0]); i++) {
		assert_int_equal(source_map(s, clips[i].off, clips[i].len, &w, &e), STATUS_OK);
		assert_int_equal(w.len, clips[i].expected);
		source_release(s, &w);
	}
	assert_int_equal(source_next(s, 77, 5, &w, &e), STATUS_OK);
	assert_int_equal(w.len, 0);
	source_interrupt(s);
	assert_int_equal(source_next(s, 0, 5, &w, &e), STATUS_INTERRUPTED);
	assert_int_equal(source_next(s, 0, 5, &w, &e), STATUS_OK);
	source_release(s, &w);
	source_close(s);
}

TEST(links_are_followed)
{
	const char *path = data_file("a", "text", 4);
	assert_int_equal(symlink(path, data_path("link")), 0);
	struct source *s = data_source(data_path("link"));
	assert_string_equal(source_path(s), data_path("link"));
	assert_int_equal(source_check(s), SOURCE_SAME);
	unlink(data_path("link"));
	assert_int_equal(symlink(data_file("b", "other", 5), data_path("link")), 0);
	assert_int_equal(source_check(s), SOURCE_REPLACED);
	source_close(s);
}

TEST(identity_tells_apart)
{
	struct data text = data_text(300000, 2);
	struct source_id a, b;
	struct source *s = data_source(data_file("a", text.bytes, text.len));
	source_identity(s, &a);
	assert_int_equal(a.size, text.len);
	source_close(s);
	s = data_source(data_path("a"));
	source_identity(s, &b);
	source_close(s);
	assert_int_equal(a.ino, b.ino);
	assert_int_equal(a.mtime_ns, b.mtime_ns);
	assert_int_equal(a.edge_hash, b.edge_hash);
	static const size_t spots[] = {0, 65535, 300000 - 65536, 299999};
	for (size_t i = 0; i < sizeof(spots) / sizeof(spots[0]); i++) {
		text.bytes[spots[i]] ^= 1;
		s = data_source(data_file("a", text.bytes, text.len));
		source_identity(s, &b);
		source_close(s);
		assert_true(a.edge_hash != b.edge_hash);
		text.bytes[spots[i]] ^= 1;
	}
	data_free(&text);
}

TEST(changes_are_told)
{
	struct data text = data_text(500000, 3);
	uint64_t rng = 5;
	struct data part = {text.bytes, 200000};
	struct source *s = data_source(data_file("a", part.bytes, part.len));
	assert_int_equal(source_check(s), SOURCE_SAME);
	assert_int_equal(data_pass(s, 0, 65536, &rng, part), part.len);

	data_put(data_path("a"), O_APPEND, text.bytes + 200000, 300000);
	assert_int_equal(source_size(s, NULL), part.len);
	assert_int_equal(source_check(s), SOURCE_GROWN);
	assert_int_equal(source_size(s, NULL), text.len);
	assert_int_equal(data_pass(s, part.len - 10, 65536, &rng, text), text.len);
	assert_int_equal(source_check(s), SOURCE_SAME);

	struct utimbuf times = {.actime = 1, .modtime = 1000000};
	assert_int_equal(utime(data_path("a"), &times), 0);
	assert_int_equal(source_check(s), SOURCE_SAME);

	assert_int_equal(truncate(data_path("a"), 1000), 0);
	assert_int_equal(source_check(s), SOURCE_TRUNCATED);
	assert_int_equal(source_size(s, NULL), 1000);
	assert_int_equal(source_check(s), SOURCE_SAME);
	assert_int_equal(data_pass(s, 0, 65536, &rng, text), 1000);

	unlink(data_path("a"));
	assert_int_equal(source_check(s), SOURCE_SAME);
	data_file("b", text.bytes, text.len);
	assert_int_equal(rename(data_path("b"), data_path("a")), 0);
	assert_int_equal(source_check(s), SOURCE_REPLACED);
	assert_int_equal(source_check(s), SOURCE_REPLACED);
	source_close(s);

	s = data_source(data_path("a"));
	text.bytes[17] ^= 1;
	text.bytes[18] ^= 1;
	data_put(data_path("a"), 0, text.bytes, text.len);
	assert_int_equal(utime(data_path("a"), &times), 0);
	assert_int_equal(source_check(s), SOURCE_REPLACED);
	source_close(s);
	data_free(&text);
}

TEST(threads_map_at_once)
{
	struct data text = data_text(3000000, 6);
	struct source *s = data_source(data_file("a", text.bytes, text.len));
	looks_agree(s, text, 3000, true);
	source_close(s);
	data_free(&text);
}

FIXTURES(data_make_dir, data_remove_dir)
