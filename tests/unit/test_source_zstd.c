/* src/source: zstd files, sound ones and streams that go on. */
#include "config.h"

#include "source_data.h"

#ifdef HAVE_ZSTD

#include "zstd_data.h"

#define PACK_KIND SOURCE_ZSTD
#define PACK_NAME "zstd"
#define PACK_MAGIC 4
#define PACK_TAIL "\x28\xb5\x2fnot a frame"

static void pack_member(struct data *to, const void *text, size_t len, int level, bool checked)
{
	zstd_frame(to, text, len, level, checked, 0);
}

static void pack_between(struct data *to, uint32_t len)
{
	zstd_skippable(to, len % 16, len);
}

#include "source_stream.h"

TEST(all_levels_and_sizes)
{
	static const size_t sizes[] = {1, 1000, 131071, 131072, 131073, 300000};
	static const int levels[] = {-5, 1, 3, 12};
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

FIXTURES(data_make_dir, data_remove_dir)

#else

int main(void)
{
	return 77; /* skipped: built without libzstd; test_source has what is left */
}

#endif
