/* src/source: zstd files that are garbled, or none at all. */
#include "config.h"

#include "source_data.h"

#ifdef HAVE_ZSTD

#include "source_packed.h"
#include "zstd_data.h"

/* A block that cannot be decoded costs no text before it, however the windows fall. */
TEST(text_before_damage_is_kept)
{
	struct data text = data_text(131072 * 5, 6), packed = {0};
	size_t ends[4]; /* of the packed blocks, found by cutting where the text grows */
	uint64_t rng = 4;
	zstd_frame(&packed, text.bytes, text.len, 3, true, 0);
	size_t at = 4 + 2; /* magic, descriptor, window */
	for (size_t i = 0; i < 4; i++) {
		const unsigned char *b = packed.bytes + at;
		size_t head = b[0] | (size_t)b[1] << 8 | (size_t)b[2] << 16;
		assert_int_equal(head >> 1 & 3, 2); /* compressed */
		at += 3 + (head >> 3);
		ends[i] = at;
	}
	for (size_t i = 0; i < 4; i++) {
		for (int how = 0; how < 2; how++) {
			unsigned char *b = packed.bytes + ends[i], old[3];
			memcpy(old, b, 3);
			if (how)
				b[0] |= 6; /* a reserved kind of block */
			else
				b[1] = b[2] = 0xff; /* one far too long */
			data_file("a", packed.bytes, packed.len);
			memcpy(b, old, 3);
			for (size_t want = 3000; want < 2000000; want = want * 5 + 100000) {
				struct source *s = data_source(data_path("a"));
				uint64_t size = data_pass(s, 0, want, &rng, text);
				assert_true(size > 0 && size % 131072 == 0);
				assert_int_equal(size, (i + 1) * 131072);
				assert_non_null(strstr(source_damage(s), "zstd data damaged"));
				source_close(s);
			}
		}
	}
	data_free(&packed);
	data_free(&text);
}

TEST(wrong_checksums_are_noted)
{
	struct data text = data_text(400000, 6), packed = {0};
	zstd_frame(&packed, text.bytes, 250000, 3, true, 0);
	packed.bytes[packed.len - 2] ^= 1;
	size_t end = packed.len;
	zstd_frame(&packed, text.bytes + 250000, 150000, 3, true, 0);
	char expected[80];
	snprintf(expected, sizeof(expected),
		 "zstd checksum wrong in the frame that ends at byte %zu", end);
	uint64_t rng = 4;
	for (size_t want = 1000; want < 1000000; want *= 3) {
		struct source *s = data_source(data_file("a", packed.bytes, packed.len));
		assert_int_equal(data_pass(s, 0, want, &rng, text), text.len);
		assert_non_null(source_damage(s));
		assert_non_null(strstr(source_damage(s), expected));
		data_ranges(s, 10, 70000, &rng, text, text.len);
		source_close(s);
	}
	data_free(&packed);
	data_free(&text);
}

/* Random bytes where a frame should be. */
TEST(noise_is_survived)
{
	uint64_t rng = 77;
	unsigned char bytes[3000];
	for (int round = 0; round < 1500; round++) {
		size_t len = 4 + (size_t)(data_random(&rng) % (sizeof(bytes) - 4));
		for (size_t i = 0; i < len; i++)
			bytes[i] = (unsigned char)(data_random(&rng) >> 20);
		zstd_put_le(bytes, round % 4 ? 0xfd2fb528 : SKIPPABLE + round % 16u);
		if (round % 2)
			bytes[4] &= 0x24; /* a plain header, so that blocks are reached */
		struct source *s;
		struct error e;
		if (source_open(&s, data_file("a", bytes, len), &e) != STATUS_OK) {
			assert_int_equal(e.code, STATUS_INPUT);
			continue;
		}
		struct data seen = packed_text(s);
		data_ranges(s, 5, 100000, &rng, seen, seen.len);
		assert_non_null(source_damage(s));
		source_close(s);
		data_free(&seen);
	}
}

FIXTURES(data_make_dir, data_remove_dir)

#else

int main(void)
{
	return 77; /* skipped: built without libzstd; test_source has what is left */
}

#endif
