/*
 * What the tests of src/source/ share: files in a folder of their own, text that compresses
 * like a trace, gzip data with chosen properties, and passes that compare every byte.
 */
#ifndef PIPEGLASS_TESTS_SOURCE_DATA_H
#define PIPEGLASS_TESTS_SOURCE_DATA_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "source/source.h"
#include "testing.h"

static char data_dir[64];

struct data {
	unsigned char *bytes;
	size_t len;
};

static inline uint64_t data_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static inline void data_open_dir(void)
{
	snprintf(data_dir, sizeof(data_dir), "/tmp/test_source-XXXXXX");
	assert_non_null(mkdtemp(data_dir));
}

/* A path of its own in data_dir; the last few stay valid. */
static inline const char *data_path(const char *name)
{
	static char paths[4][128];
	static unsigned next;
	char *path = paths[next++ % 4];
	snprintf(path, sizeof(paths[0]), "%s/%s", data_dir, name);
	return path;
}

static inline int data_remove_dir(void **state)
{
	(void)state;
	static const char *const names[] = {"a", "b", "fifo", "link"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(data_path(names[i]));
	return rmdir(data_dir);
}

static inline int data_make_dir(void **state)
{
	(void)state;
	data_open_dir();
	return 0;
}

static inline void data_put(const char *path, int flags, const void *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | flags, 0600);
	assert_true(fd >= 0);
	for (size_t put = 0; put < len;) {
		ssize_t n = write(fd, (const char *)bytes + put, len - put);
		assert_true(n > 0);
		put += (size_t)n;
	}
	close(fd);
}

static inline const char *data_file(const char *name, const void *bytes, size_t len)
{
	const char *path = data_path(name);
	data_put(path, O_TRUNC, bytes, len);
	return path;
}

/* Lines that repeat about as much as those of a pipetrace. */
static inline struct data data_text(size_t len, uint64_t seed)
{
	struct data d = {malloc(len + 128), 0};
	assert_non_null(d.bytes);
	uint64_t rng = seed * 2 + 1, cycle = 0;
	for (int i = 0; i < 8; i++)
		data_random(&rng);
	while (d.len < len) {
		uint64_t r = data_random(&rng);
		if (r % 4 == 0)
			cycle++;
		d.len += (size_t)snprintf((char *)d.bytes + d.len, 128,
					  r % 4 ? "* %llu %s 0x%08llx\n" : "@ %llu %s %llx\n",
					  (unsigned long long)(cycle + r % 64),
					  r & 64 ? "DA" : "EX", (unsigned long long)(r % 8192));
	}
	d.len = len;
	return d;
}

static inline void data_free(struct data *d)
{
	free(d->bytes);
	*d = (struct data){0};
}

static inline void data_add(struct data *to, const void *bytes, size_t len)
{
	if (!len)
		return;
	to->bytes = realloc(to->bytes, to->len + len);
	assert_non_null(to->bytes);
	memcpy(to->bytes + to->len, bytes, len);
	to->len += len;
}

/* Append one gzip member; header may be NULL. */
static inline void data_gzip(struct data *to, const void *text, size_t len, int level,
			     gz_header *header)
{
	z_stream z = {0};
	assert_int_equal(deflateInit2(&z, level, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
	if (header)
		deflateSetHeader(&z, header);
	size_t bound = deflateBound(&z, len) + 1024;
	unsigned char *packed = malloc(bound);
	unsigned char *copy = malloc(len + 1);
	assert_non_null(packed);
	assert_non_null(copy);
	memcpy(copy, text, len);
	z.next_in = copy;
	z.avail_in = (uInt)len;
	z.next_out = packed;
	z.avail_out = (uInt)bound;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	data_add(to, packed, z.total_out);
	deflateEnd(&z);
	free(packed);
	free(copy);
}

static inline struct source *data_source(const char *path)
{
	struct source *s = NULL;
	struct error e = {.text = ""};
	if (source_open(&s, path, &e) != STATUS_OK)
		fail_msg("%s", e.text);
	return s;
}

static inline void data_refused(const char *path, const char *what)
{
	struct source *s;
	struct error e = {.text = ""};
	assert_int_equal(source_open(&s, path, &e), STATUS_INPUT);
	assert_null(s);
	assert_int_equal(e.code, STATUS_INPUT);
	if (!strstr(e.text, what))
		fail_msg("\"%s\" does not say \"%s\"", e.text, what);
	assert_null(strchr(e.text, '\n'));
}

/*
 * The whole first pass from `from`, cutting each window at a random place as a parser of
 * lines would; every byte is compared. Returns the length of the text.
 */
static inline uint64_t data_pass(struct source *s, uint64_t from, size_t want, uint64_t *rng,
				 struct data expected)
{
	uint64_t last_end = from;
	for (;;) {
		struct window w;
		struct error e;
		assert_int_equal(source_next(s, from, want, &w, &e), STATUS_OK);
		assert_int_equal(w.off, from);
		if (w.len == 0)
			return from;
		uint64_t end = w.off + w.len;
		assert_true(end <= expected.len);
		assert_memory_equal(w.text, expected.bytes + w.off, w.len);
		assert_true(end >= last_end);
		bool at_end = end == last_end;
		last_end = end;
		from = at_end ? end : end - data_random(rng) % (w.len < 200 ? w.len : 200);
		source_release(s, &w);
	}
}

/* Random ranges of the first `known` bytes. */
static inline void data_ranges(struct source *s, unsigned times, size_t longest, uint64_t *rng,
			       struct data expected, uint64_t known)
{
	for (unsigned i = 0; known && i < times; i++) {
		struct window w;
		struct error e;
		uint64_t off = data_random(rng) % known;
		size_t len = (size_t)(data_random(rng) % longest) + 1;
		size_t there = known - off < len ? (size_t)(known - off) : len;
		assert_int_equal(source_map(s, off, len, &w, &e), STATUS_OK);
		assert_int_equal(w.off, off);
		assert_int_equal(w.len, there);
		assert_memory_equal(w.text, expected.bytes + off, w.len);
		source_release(s, &w);
	}
}

#endif
