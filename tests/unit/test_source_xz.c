/* src/source: xz files, sound, damaged, and coming bit by bit. */
#include "config.h"

#include "source_data.h"

#ifdef HAVE_LZMA

#include <lzma.h>

static void xz_stream(struct data *to, const void *text, size_t len, uint32_t level, lzma_check check)
{
	lzma_stream z = LZMA_STREAM_INIT;
	size_t bound = lzma_stream_buffer_bound(len);
	unsigned char *packed = malloc(bound);
	assert_non_null(packed);
	assert_int_equal(lzma_easy_encoder(&z, level, check), LZMA_OK);
	z.next_in = text;
	z.avail_in = len;
	z.next_out = packed;
	z.avail_out = bound;
	assert_int_equal(lzma_code(&z, LZMA_FINISH), LZMA_STREAM_END);
	data_add(to, packed, (size_t)z.total_out);
	lzma_end(&z);
	free(packed);
}

#define PACK_KIND SOURCE_XZ
#define PACK_NAME "xz"
#define PACK_MAGIC 6
#define PACK_TAIL "\xfd\x37zX, not a stream"

static void pack_member(struct data *to, const void *text, size_t len, int level, bool checked)
{
	xz_stream(to, text, len, level > 0 ? (uint32_t)level - 1 : 0,
		  checked ? LZMA_CHECK_CRC64 : LZMA_CHECK_CRC32);
}

/* Padding is in fours. */
static void pack_between(struct data *to, uint32_t len)
{
	unsigned char *bytes = calloc(len + 4, 1);
	assert_non_null(bytes);
	data_add(to, bytes, len - len % 4 + 4);
	free(bytes);
}

#include "source_stream.h"

TEST(all_levels_and_sizes)
{
	static const size_t sizes[] = {1, 1000, 300000};
	static const lzma_check checks[] = {LZMA_CHECK_NONE, LZMA_CHECK_CRC32, LZMA_CHECK_SHA256};
	struct data text = data_text(300000, 1);
	uint64_t rng = 3;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (uint32_t k = 0; k < 3; k++) {
			struct data packed = {0}, part = {text.bytes, sizes[i]};
			xz_stream(&packed, "", 0, 0, checks[k]);
			xz_stream(&packed, part.bytes, part.len, k * 4, checks[k]);
			packed_reads(packed, part, SOURCE_XZ, &rng);
			data_free(&packed);
		}
	}
	data_free(&text);
}

/* A stream that needs a dictionary of so much. */
static void xz_dictionary(struct data *to, const char *text, uint32_t size)
{
	lzma_options_lzma options;
	lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, NULL}};
	unsigned char packed[1000];
	size_t len = 0;
	lzma_lzma_preset(&options, 0);
	options.dict_size = size;
	assert_int_equal(lzma_stream_buffer_encode(filters, LZMA_CHECK_CRC32, NULL,
						   (const unsigned char *)text, strlen(text),
						   packed, &len, sizeof(packed)),
			 LZMA_OK);
	data_add(to, packed, len);
}

TEST(opening_refuses)
{
	struct data packed = {0};
	xz_stream(&packed, "", 0, 0, LZMA_CHECK_CRC32);
	pack_between(&packed, 20);
	xz_stream(&packed, "", 0, 0, LZMA_CHECK_CRC32);
	data_refused(data_file("a", packed.bytes, packed.len), "a: empty");
	data_refused(data_file("a", packed.bytes, 7), "xz data cut at byte 7");
	data_refused(data_file("a", "\xfd\x37zXZ\0\1\1\1\1\1\1", 12), "xz data damaged at byte 12 (");
	packed.len = 0;
	xz_dictionary(&packed, "100 lines", 96 << 20);
	source_close(data_source(data_file("a", packed.bytes, packed.len)));
	packed.len = 0;
	xz_dictionary(&packed, "100 lines", 256 << 20);
	data_refused(data_file("a", packed.bytes, packed.len),
		     "xz stream at byte 0 needs more than 128 MiB of memory: use xz -dc FILE");
	data_free(&packed);
}

/* Text is kept up to what is damaged, a wrong checksum too, however the windows fall. */
TEST(text_before_damage_is_kept)
{
	struct data text = data_text(400000, 6), packed = {0};
	uint64_t rng = 4;
	xz_stream(&packed, text.bytes, 250000, 0, LZMA_CHECK_CRC32);
	/* behind the block: its check, an index of a few bytes, and the footer of 12 */
	size_t check = packed.len - 12 - 12 - 2;
	xz_stream(&packed, text.bytes + 250000, 150000, 0, LZMA_CHECK_CRC32);
	packed.bytes[check] ^= 1;
	for (size_t want = 1000; want < 1000000; want *= 3) {
		struct source *s = data_source(data_file("a", packed.bytes, packed.len));
		assert_int_equal(data_pass(s, 0, want, &rng, text), 250000);
		assert_non_null(strstr(source_damage(s), "(wrong data or checksum): the text ends there"));
		data_ranges(s, 10, 70000, &rng, text, 250000);
		source_close(s);
	}
	data_free(&packed);
	data_free(&text);
}

FIXTURES(data_make_dir, data_remove_dir)

#else

int main(void)
{
	return 77; /* skipped: built without liblzma; test_source has what is left */
}

#endif
