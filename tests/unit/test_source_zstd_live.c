/* src/source: zstd data that comes bit by bit, and threads that look at it meanwhile. */
#include "config.h"

#include "source_data.h"

#ifdef HAVE_ZSTD

#include "source_packed.h"
#include "source_threads.h"
#include "zstd_data.h"

/* A file that grows is told so, and opened again has it all. */
TEST(growth_is_told)
{
	struct data text = data_text(1 << 20, 7), packed = {0};
	uint64_t rng = 3;
	struct error e;
	zstd_frame(&packed, text.bytes, text.len, 1, true, 0);
	struct source *s = data_source(data_file("a", packed.bytes, packed.len / 2));
	assert_int_equal(source_follow(s, true, &e), STATUS_UNSUPPORTED);
	assert_non_null(
	    strstr(e.text, "a: is packed with zstd: only a plain file can be followed"));
	uint64_t size = data_pass(s, 0, 1 << 20, &rng, text);
	assert_in_range(size, 1, text.len - 1);
	assert_non_null(strstr(source_damage(s), "zstd data cut at byte"));
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

TEST(zstd_comes_through_pipes)
{
	struct data text = data_text(3 << 20, 2), packed = {0};
	zstd_skippable(&packed, 3, 4);
	zstd_frame(&packed, text.bytes, text.len / 2, 3, true, 0);
	zstd_frame(&packed, text.bytes + text.len / 2, text.len - text.len / 2, 3, false, 0);
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
		assert_int_equal(source_kind(s), SOURCE_ZSTD);
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

/* A zstd writer that flushes is followed as it goes. */
TEST(flushed_zstd_is_live)
{
	struct data text = data_text(100000, 3);
	char packed[70000];
	int fds[2];
	ZSTD_CCtx *z = ZSTD_createCCtx();
	assert_non_null(z);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	struct source *s = NULL;
	struct error e;
	struct window w;
	for (size_t at = 0; at < text.len; at += 10000) {
		ZSTD_inBuffer in = {text.bytes + at, 10000, 0};
		ZSTD_outBuffer out = {packed, sizeof(packed), 0};
		bool last = at + 10000 == text.len;
		ZSTD_EndDirective how = last ? ZSTD_e_end : ZSTD_e_flush;
		assert_int_equal(ZSTD_compressStream2(z, &out, &in, how), 0);
		assert_int_equal(write(fds[1], packed, out.pos), out.pos);
		if (!s)
			assert_int_equal(source_open_fd(&s, fds[0], "child", &e), STATUS_OK);
		for (uint64_t from = at; from < at + 10000;) {
			assert_int_equal(source_next(s, from, 1 << 20, &w, &e), STATUS_OK);
			assert_true(w.len > 0 && from + w.len <= at + 10000);
			assert_memory_equal(w.text, text.bytes + from, w.len);
			from += w.len;
			source_release(s, &w);
		}
		assert_null(source_damage(s));
	}
	close(fds[1]);
	assert_int_equal(source_next(s, text.len, 100, &w, &e), STATUS_OK);
	assert_int_equal(w.len, 0);
	assert_null(source_damage(s));
	source_close(s);
	ZSTD_freeCCtx(z);
	data_free(&text);
}

/* Looks while the pass runs, and closing while text is on its way to the file. */
TEST(threads_map_at_once)
{
	struct data text = data_text(14 << 20, 6), packed = {0};
	zstd_frame(&packed, text.bytes, text.len, 1, true, 0);
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

FIXTURES(data_make_dir, data_remove_dir)

#else

int main(void)
{
	return 77; /* skipped: built without libzstd; test_source has what is left */
}

#endif
