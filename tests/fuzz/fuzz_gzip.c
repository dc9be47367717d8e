/*
 * Hostile gzip data and hostile saved access points; fuzz_zstd.c is this again for zstd.
 *
 * Input: two bytes, the length n of the saved points, then n bytes of them (their checksum is
 * put right here, or nothing would get past it), then the file. Whatever the first pass gives,
 * random access must give too, as long as the points are the source's own.
 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "fuzz.h"
#include "source/source.h"

#ifndef TEXT_MOST
#define TEXT_MOST (4 << 20)
#endif

static char text[TEXT_MOST];

static size_t first_pass(struct source *s)
{
	struct window w;
	struct error e;
	size_t len = 0;
	while (len < TEXT_MOST && source_next(s, len, 100000, &w, &e) == STATUS_OK && w.len) {
		if (w.off != len)
			abort();
		size_t part = w.len < TEXT_MOST - len ? w.len : TEXT_MOST - len;
		memcpy(text + len, w.text, part);
		len += part;
		source_release(s, &w);
	}
	return len;
}

static void compare(struct source *s, size_t known)
{
	for (size_t off = 0; off < known; off = off * 3 + 1) {
		struct window w;
		struct error e;
		if (source_map(s, off, 70000, &w, &e) != STATUS_OK || w.len == 0)
			abort();
		size_t part = w.len < known - off ? w.len : known - off;
		if (memcmp(w.text, text + off, part) != 0)
			abort();
		source_release(s, &w);
	}
}

/* Nothing is true about the text then, but nothing may break either. */
static void with_points(struct source *s, const uint8_t *bytes, size_t len)
{
	uint8_t *saved = malloc(len + 1);
	if (!saved)
		return;
	memcpy(saved, bytes, len);
	if (len >= 4) {
		unsigned long crc = crc32(0, saved, (uInt)len - 4);
		for (size_t i = 0; i < 4; i++)
			saved[len - 4 + i] = (uint8_t)(crc >> (8 * i));
	}
	source_load_points(s, saved, len);
	free(saved);
	uint64_t size = source_size(s, NULL);
	for (uint64_t part = 0; part < 8; part++) {
		struct window w;
		struct error e;
		source_map(s, size / 8 * part, 3000, &w, &e);
		source_release(s, &w);
		source_next(s, size / 8 * part, 3000, &w, &e);
		source_release(s, &w);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	if (len < 2)
		return 0;
	size_t points = bytes[0] | (size_t)bytes[1] << 8;
	if (points > len - 2)
		points = len - 2;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	size_t rest = len - 2 - points;
	char path[32];
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	struct source *s;
	struct error e;
	if (fd >= 0 && write(fd, bytes + 2 + points, rest) == (ssize_t)rest &&
	    source_open(&s, path, &e) == STATUS_OK) {
		compare(s, first_pass(s));
		struct sbuf saved = {0};
		bool
		    final; /* of longer text than was read it may not be: that cannot be taken up */
		source_size(s, &final);
		source_save_points(s, &saved);
		if (source_load_points(s, saved.text, saved.len) != STATUS_OK && final)
			abort();
		sbuf_free(&saved);
		if (points)
			with_points(s, bytes + 2, points);
		source_close(s);
	}
	if (fd >= 0)
		close(fd);
	return 0;
}
