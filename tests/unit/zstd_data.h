/*
 * zstd data with chosen properties, for the tests of src/source/.
 */
#ifndef PIPEGLASS_TESTS_ZSTD_DATA_H
#define PIPEGLASS_TESTS_ZSTD_DATA_H

#include <zstd.h>

#include "source_data.h"

enum { SKIPPABLE = 0x184d2a50 };

static inline void zstd_put_le(unsigned char *to, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		to[i] = (unsigned char)(value >> (8 * i));
}

/* Append one frame; window 0: as the level has it. */
static inline void zstd_frame(struct data *to, const void *text, size_t len, int level,
			      bool checked, int window)
{
	size_t bound = ZSTD_compressBound(len);
	char *packed = malloc(bound);
	ZSTD_CCtx *z = ZSTD_createCCtx();
	assert_non_null(packed);
	assert_non_null(z);
	ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, checked);
	ZSTD_CCtx_setParameter(z, ZSTD_c_windowLog, window);
	/* streamed, as by the zstd program, so that no frame is a single segment */
	ZSTD_inBuffer in = {text, len, 0};
	ZSTD_outBuffer out = {packed, bound, 0};
	assert_false(ZSTD_isError(ZSTD_compressStream2(z, &out, &in, ZSTD_e_continue)));
	assert_int_equal(ZSTD_compressStream2(z, &out, &in, ZSTD_e_end), 0);
	data_add(to, packed, out.pos);
	ZSTD_freeCCtx(z);
	free(packed);
}

static inline void zstd_skippable(struct data *to, unsigned kind, uint32_t len)
{
	unsigned char head[8];
	zstd_put_le(head, SKIPPABLE + kind);
	zstd_put_le(head + 4, len);
	data_add(to, head, sizeof(head));
	unsigned char *bytes = calloc(len + 1, 1);
	assert_non_null(bytes);
	data_add(to, bytes, len);
	free(bytes);
}

#endif
