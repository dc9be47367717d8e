/* src/source: zstd files, of many frames and of one, whole, damaged, growing, and piped. */
#include "config.h"

#include "source_data.h"

#include <pthread.h>

#ifdef HAVE_ZSTD

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <zstd.h>

enum { LARGE = 22 << 20, SKIPPABLE = 0x184d2a50 };

static void put_le(unsigned char *to, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		to[i] = (unsigned char)(value >> (8 * i));
}

/* Append one frame; window 0: as the level has it. */
static void add_frame(struct data *to, const void *text, size_t len, int level, bool checked,
		      int window)
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

static void add_skippable(struct data *to, unsigned kind, uint32_t len)
{
	unsigned char head[8];
	put_le(head, SKIPPABLE + kind);
	put_le(head + 4, len);
	data_add(to, head, sizeof(head));
	unsigned char *bytes = calloc(len + 1, 1);
	assert_non_null(bytes);
	data_add(to, bytes, len);
	free(bytes);
}

static void all_levels_and_sizes(void **state)
{
	(void)state;
	static const size_t sizes[] = {1, 1000, 131071, 131072, 131073, 300000};
	static const int levels[] = {-5, 1, 3, 19};
	struct data text = data_text(300000, 1);
	uint64_t rng = 3;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (int k = 0; k < 8; k++) {
			struct data packed = {0}, part = {text.bytes, sizes[i]};
			if (k % 3 == 0)
				add_skippable(&packed, (unsigned)k, 5);
			add_frame(&packed, part.bytes, part.len, levels[k / 2], k % 2, 0);
			struct source *s = data_source(data_file("a", packed.bytes, packed.len));
			assert_int_equal(source_kind(s), SOURCE_ZSTD);
			assert_int_equal(data_pass(s, 0, 5000, &rng, part), part.len);
			assert_int_equal(data_pass(s, 0, SIZE_MAX, &rng, part), part.len);
			data_ranges(s, 20, 100000, &rng, part, part.len);
			bool final;
			assert_int_equal(source_size(s, &final), part.len);
			assert_true(final);
			assert_null(source_damage(s));
			uint64_t done, total;
			source_progress(s, &done, &total);
			assert_int_equal(done, packed.len);
			assert_int_equal(total, packed.len);
			source_close(s);
			data_free(&packed);
		}
	}
	data_free(&text);
}

static void refused(const void *bytes, size_t len, const char *what)
{
	struct source *s;
	struct error e = {.text = ""};
	assert_int_equal(source_open(&s, data_file("a", bytes, len), &e), STATUS_INPUT);
	assert_null(s);
	if (!strstr(e.text, what))
		fail_msg("\"%s\" does not say \"%s\"", e.text, what);
	assert_null(strchr(e.text, '\n'));
}

static void opening_refuses(void **state)
{
	(void)state;
	struct data text = data_text(1000, 2), packed = {0};
	add_frame(&packed, "", 0, 3, true, 0);
	add_skippable(&packed, 1, 100);
	add_frame(&packed, "", 0, 3, false, 0);
	refused(packed.bytes, packed.len, "a: empty");
	refused(packed.bytes, 7, "zstd data cut at byte 7");
	refused("\x5f\x2a\x4d\x18\x02\0\0\0xxnone", 14,
		"zstd data damaged at byte 11 (not a zstd frame)");
	refused("\x5f\x2a\x4d\x18\xff\xff\xff\xff", 8, "zstd data cut at byte 8");
	/* a header that names dictionary 7, and one that says 16 MiB */
	refused("\x28\xb5\x2f\xfd\x01\x40\x07\x19\0\0abc", 13,
		"zstd frame at byte 0 needs a dictionary: use zstd -dc -D DICT FILE | pipeglass -");
	packed.len = 0;
	add_frame(&packed, text.bytes, text.len, 3, true, 24);
	refused(packed.bytes, packed.len, "zstd frame at byte 0 needs more than 8 MiB of memory");
	packed.len = 0;
	add_frame(&packed, text.bytes, text.len, 3, true, 23);
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
		assert_int_equal(source_size(s, NULL), from);
		data_ranges(s, 5, 50000, &rng, text, from);
		/* what was read last is what is drawn first */
		uint64_t tail = from > 3000 ? from - 3000 : 0;
		assert_int_equal(source_map(s, tail, 3000, &w, &e), STATUS_OK);
		assert_int_equal(w.len, from - tail);
		assert_memory_equal(w.text, text.bytes + tail, w.len);
		source_release(s, &w);
	} while (from < text.len);
	data_ranges(s, 700, 3000, &rng, text, text.len);
	data_ranges(s, 10, 6 << 20, &rng, text, text.len);
	for (size_t off = text.len; off > 400001; off -= 400001) {
		assert_int_equal(source_map(s, off - 400001, 400001, &w, &e), STATUS_OK);
		assert_memory_equal(w.text, text.bytes + off - 400001, 400001);
		source_release(s, &w);
	}
	/* and a second pass, over what was kept */
	assert_int_equal(data_pass(s, 0, 1 << 20, &rng, text), text.len);
	assert_int_equal(data_pass(s, text.len - 12345678, 1 << 20, &rng, text), text.len);
	data_ranges(s, 300, 3000, &rng, text, text.len);
	assert_null(source_damage(s));
	source_close(s);
}

static void random_access_agrees(void **state)
{
	(void)state;
	struct data text = data_text(LARGE, 2), packed = {0};
	add_frame(&packed, text.bytes, text.len, 1, true, 0);
	random_access(text, packed);
	/* short frames, a long one in the middle, and a long one at the end */
	static const size_t parts[] = {1 << 20, 5 << 20, 700000, 9500000, 100};
	packed.len = 0;
	size_t at = 0;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		add_frame(&packed, text.bytes + at, parts[i], 1, true, 0);
		at += parts[i];
	}
	add_frame(&packed, text.bytes + at, text.len - at, 1, false, 0);
	random_access(text, packed);
	data_free(&packed);
	data_free(&text);
}

static void frames_are_joined(void **state)
{
	(void)state;
	struct data text = data_text(12 << 20, 3), packed = {0};
	uint64_t rng = 21;
	size_t at = 0;
	while (at < text.len) {
		size_t len =
		    (size_t)(data_random(&rng) % (data_random(&rng) % 8 ? 70000 : 6000000));
		if (len > text.len - at)
			len = text.len - at;
		if (rng % 3 == 0)
			add_skippable(&packed, (unsigned)(rng >> 8) % 16,
				      (uint32_t)(data_random(&rng) % 300000));
		add_frame(&packed, text.bytes + at, len, 1, rng % 2, 0);
		at += len;
	}
	struct source *s = data_source(data_file("a", packed.bytes, packed.len));
	assert_int_equal(data_pass(s, 0, 1 << 20, &rng, text), text.len);
	assert_null(source_damage(s));
	data_ranges(s, 300, 30000, &rng, text, text.len);
	source_close(s);

	char expected[64];
	snprintf(expected, sizeof(expected), "zstd data ends at byte %zu:", packed.len);
	data_add(&packed, "\x28\xb5\x2fnot a frame", 14);
	s = data_source(data_file("a", packed.bytes, packed.len));
	assert_int_equal(data_pass(s, 0, 1 << 20, &rng, text), text.len);
	assert_non_null(source_damage(s));
	assert_non_null(strstr(source_damage(s), expected));
	data_ranges(s, 100, 30000, &rng, text, text.len);
	source_close(s);
	data_free(&packed);
	data_free(&text);
}

/* What costs next to nothing to write must cost little to read. */
static void tiny_frames_are_passed(void **state)
{
	(void)state;
	struct data packed = {malloc(1 << 20), 1 << 20}, text = data_text(1000, 3);
	assert_non_null(packed.bytes);
	for (size_t at = 0; at < packed.len; at += 8) {
		put_le(packed.bytes + at, SKIPPABLE + (uint32_t)(at / 8 % 16));
		put_le(packed.bytes + at + 4, 0);
	}
	add_frame(&packed, text.bytes, text.len, 3, true, 0);
	struct source *s = data_source(data_file("a", packed.bytes, packed.len));
	uint64_t rng = 1;
	assert_int_equal(data_pass(s, 0, 100, &rng, text), text.len);
	assert_null(source_damage(s));
	source_close(s);
	data_free(&packed);
	data_free(&text);
}

static void cuts_end_the_text(void **state)
{
	(void)state;
	struct data text = data_text(400000, 4), packed = {0};
	add_frame(&packed, text.bytes, 300000, 3, true, 0);
	size_t first = packed.len;
	add_frame(&packed, text.bytes + 300000, 100000, 3, false, 0);
	uint64_t rng = 2, longest = 0;
	for (size_t cut = 1; cut <= packed.len;
	     cut += cut < 30 || cut + 400 > packed.len || (cut + 400 > first && cut < first + 30)
			? 1
			: 397) {
		struct source *s;
		struct error e;
		data_file("a", packed.bytes, cut);
		if (source_open(&s, data_path("a"), &e) != STATUS_OK) {
			assert_int_equal(e.code, STATUS_INPUT);
			assert_true(cut < 60000);
			continue;
		}
		if (cut < 4) { /* plain, for all one can see */
			source_close(s);
			continue;
		}
		uint64_t size = data_pass(s, 0, 1 + data_random(&rng) % 100000, &rng, text);
		assert_true(size >= longest);
		longest = size;
		bool final;
		assert_int_equal(source_size(s, &final), size);
		assert_true(final);
		assert_int_equal(!source_damage(s), cut == first || cut == packed.len);
		data_ranges(s, 10, 70000, &rng, text, size);
		source_close(s);
	}
	assert_int_equal(longest, text.len);
	data_free(&packed);
	data_free(&text);
}

/* The text of source s as a first pass gives it. */
static struct data all_text(struct source *s)
{
	struct data seen = {0};
	struct window w;
	struct error e;
	do {
		assert_int_equal(source_next(s, seen.len, 30000, &w, &e), STATUS_OK);
		data_add(&seen, w.text, w.len);
		assert_true(seen.len < 100u << 20);
		source_release(s, &w);
	} while (seen.len != w.off);
	return seen;
}

/* What the pass gave, however wrong, random access gives as well. */
static void damage_is_survived(void **state)
{
	(void)state;
	struct data text = data_text(400000, 5), packed = {0};
	add_frame(&packed, text.bytes, 250000, 3, true, 0);
	add_frame(&packed, text.bytes + 250000, 150000, 1, true, 0);
	uint64_t rng = 33;
	unsigned noted = 0;
	for (int round = 0; round < 600; round++) {
		struct source *s;
		struct error e;
		size_t at = 4 + (size_t)(data_random(&rng) % (packed.len - 4));
		unsigned char old = packed.bytes[at];
		packed.bytes[at] ^= (unsigned char)(1 + data_random(&rng) % 255);
		data_file("a", packed.bytes, packed.len);
		packed.bytes[at] = old;
		if (source_open(&s, data_path("a"), &e) != STATUS_OK)
			continue;
		struct data seen = all_text(s);
		noted += source_damage(s) != NULL;
		data_ranges(s, 5, 100000, &rng, seen, seen.len);
		source_close(s);
		data_free(&seen);
	}
	assert_true(noted > 300); /* the rest did not open */
	data_free(&packed);
	data_free(&text);
}

/* A block that cannot be decoded costs no text before it, however the windows fall. */
static void text_before_damage_is_kept(void **state)
{
	(void)state;
	struct data text = data_text(131072 * 5, 6), packed = {0};
	size_t ends[4]; /* of the packed blocks, found by cutting where the text grows */
	uint64_t rng = 4;
	add_frame(&packed, text.bytes, text.len, 3, true, 0);
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
			for (size_t want = 1; want < 2000000; want = want * 5 + 100000) {
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

static void wrong_checksums_are_noted(void **state)
{
	(void)state;
	struct data text = data_text(400000, 6), packed = {0};
	add_frame(&packed, text.bytes, 250000, 3, true, 0);
	packed.bytes[packed.len - 2] ^= 1;
	size_t end = packed.len;
	add_frame(&packed, text.bytes + 250000, 150000, 3, true, 0);
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
static void noise_is_survived(void **state)
{
	(void)state;
	uint64_t rng = 77;
	unsigned char bytes[3000];
	for (int round = 0; round < 1500; round++) {
		size_t len = 4 + (size_t)(data_random(&rng) % (sizeof(bytes) - 4));
		for (size_t i = 0; i < len; i++)
			bytes[i] = (unsigned char)(data_random(&rng) >> 20);
		put_le(bytes, round % 4 ? 0xfd2fb528 : SKIPPABLE + round % 16u);
		if (round % 2)
			bytes[4] &= 0x24; /* a plain header, so that blocks are reached */
		struct source *s;
		struct error e;
		if (source_open(&s, data_file("a", bytes, len), &e) != STATUS_OK) {
			assert_int_equal(e.code, STATUS_INPUT);
			continue;
		}
		struct data seen = all_text(s);
		data_ranges(s, 5, 100000, &rng, seen, seen.len);
		assert_non_null(source_damage(s));
		source_close(s);
		data_free(&seen);
	}
}

static void growth_goes_on(void **state)
{
	(void)state;
	struct data text = data_text(12 << 20, 7), packed = {0};
	add_frame(&packed, text.bytes, 11 << 20, 1, true, 0);
	add_frame(&packed, text.bytes + (11 << 20), 1 << 20, 1, true, 0);
	uint64_t rng = 8, size = 0;
	struct source *s = data_source(data_file("a", packed.bytes, 300000));
	struct error e;
	assert_int_equal(source_follow(s, true, &e), STATUS_UNSUPPORTED);
	assert_non_null(
	    strstr(e.text, "a: is packed with zstd: only a plain file can be followed"));
	for (size_t there = 300000;;) {
		size = data_pass(s, size - (size > 50 ? 50 : 0), 1 << 20, &rng, text);
		assert_int_equal(!source_damage(s), there == packed.len);
		bool final;
		assert_int_equal(source_size(s, &final), size);
		assert_true(final);
		data_ranges(s, 10, 70000, &rng, text, size);
		if (there == packed.len)
			break;
		size_t more = packed.len - there < 277777 ? packed.len - there : 277777;
		data_put(data_path("a"), O_APPEND, packed.bytes + there, more);
		there += more;
		assert_int_equal(source_check(s), SOURCE_GROWN);
		source_size(s, &final);
		assert_false(final);
	}
	assert_int_equal(size, text.len);
	source_close(s);
	data_free(&packed);
	data_free(&text);
}

static void points_come_back(void **state)
{
	(void)state;
	struct data text = data_text(LARGE, 8), packed = {0};
	add_frame(&packed, text.bytes, 5 << 20, 1, true, 0);
	add_frame(&packed, text.bytes + (5 << 20), 12 << 20, 1, true, 0);
	add_frame(&packed, text.bytes + (17 << 20), LARGE - (17 << 20), 1, true, 0);
	data_add(&packed, "tail", 4);
	struct source *s = data_source(data_file("a", packed.bytes, packed.len));
	uint64_t rng = 12;
	assert_int_equal(data_pass(s, 0, 1 << 20, &rng, text), text.len);
	struct sbuf saved = {0}, again = {0};
	source_save_points(s, &saved);
	assert_true(saved.len > 80 && saved.len < 500);
	source_close(s);

	s = data_source(data_path("a"));
	assert_int_equal(source_load_points(s, saved.text, saved.len), STATUS_OK);
	bool final;
	assert_int_equal(source_size(s, &final), text.len);
	assert_true(final);
	assert_non_null(strstr(source_damage(s), "what follows is not zstd"));
	data_ranges(s, 1, 9000, &rng, text, text.len); /* the long frame, without a pass */
	data_ranges(s, 300, 9000, &rng, text, text.len);
	assert_int_equal(data_pass(s, text.len - 6543210, 1 << 20, &rng, text), text.len);
	source_save_points(s, &again);
	assert_int_equal(again.len, saved.len);
	assert_memory_equal(again.text, saved.text, saved.len);
	source_close(s);
	sbuf_free(&again);

	/* as points of gzip, or garbled: refused, or harmless */
	for (int round = 0; round < 200; round++) {
		struct sbuf bad = {0};
		sbuf_add(&bad, saved.text, saved.len);
		for (int i = 0; i <= round % 3; i++)
			bad.text[data_random(&rng) % bad.len] ^=
			    (char)(1 + data_random(&rng) % 255);
		unsigned long crc = crc32(0, (unsigned char *)bad.text, (uInt)bad.len - 4);
		put_le((unsigned char *)bad.text + bad.len - 4, (uint32_t)crc);
		s = data_source(data_path("a"));
		if (source_load_points(s, bad.text, bad.len) == STATUS_OK) {
			struct window w;
			struct error e;
			uint64_t size = source_size(s, NULL);
			source_map(s, data_random(&rng) % (size + 1), 5000, &w, &e);
			source_release(s, &w);
			source_next(s, data_random(&rng) % (size + 1), 5000, &w, &e);
			source_release(s, &w);
		}
		source_close(s);
		sbuf_free(&bad);
	}
	sbuf_free(&saved);
	data_free(&packed);
	data_free(&text);
}

/* Without room random access is slow, but right, and the pass whole. */
static void full_disks_are_told(void **state)
{
	(void)state;
	struct data text = data_text(14 << 20, 9), packed = {0};
	struct rlimit before, limit;
	add_frame(&packed, text.bytes, text.len, 1, true, 0);
	struct source *s = data_source(data_file("a", packed.bytes, packed.len));
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 500000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	uint64_t rng = 6;
	assert_int_equal(data_pass(s, 0, 1 << 20, &rng, text), text.len);
	data_ranges(s, 30, 5000, &rng, text, text.len);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_non_null(source_damage(s));
	assert_non_null(strstr(source_damage(s), "going there is slow; set TMPDIR"));
	/* which is not true of the next run */
	struct sbuf saved = {0};
	source_save_points(s, &saved);
	source_close(s);
	s = data_source(data_path("a"));
	assert_int_equal(source_load_points(s, saved.text, saved.len), STATUS_OK);
	assert_null(source_damage(s));
	source_close(s);
	sbuf_free(&saved);
	data_free(&packed);
	data_free(&text);
}

struct writer {
	int fd;
	struct data bytes;
	size_t step;
};

static void *write_all(void *arg)
{
	struct writer *w = arg;
	for (size_t at = 0; at < w->bytes.len;) {
		size_t len = w->bytes.len - at < w->step ? w->bytes.len - at : w->step;
		ssize_t n = write(w->fd, w->bytes.bytes + at, len);
		if (n < 0)
			break;
		at += (size_t)n;
	}
	close(w->fd);
	return NULL;
}

static void zstd_comes_through_pipes(void **state)
{
	(void)state;
	struct data text = data_text(3 << 20, 2), packed = {0};
	add_skippable(&packed, 3, 4);
	add_frame(&packed, text.bytes, text.len / 2, 3, true, 0);
	add_frame(&packed, text.bytes + text.len / 2, text.len - text.len / 2, 3, false, 0);
	uint64_t rng = 5;
	for (size_t step = 1; step < 100000; step = step * 300 + 7) {
		int fds[2];
		assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
		struct writer w = {fds[1], packed, step};
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
static void flushed_zstd_is_live(void **state)
{
	(void)state;
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

struct job {
	struct source *s;
	struct data text;
	uint64_t seed;
	unsigned wrong;
};

static void *map_often(void *arg)
{
	struct job *job = arg;
	for (int i = 0; i < 400; i++) {
		struct window w;
		struct error e;
		uint64_t off = data_random(&job->seed) % job->text.len;
		size_t len = (size_t)(data_random(&job->seed) % 20000) + 1;
		if (source_map(job->s, off, len, &w, &e) != STATUS_OK ||
		    memcmp(w.text, job->text.bytes + off, w.len) != 0)
			job->wrong++;
		source_release(job->s, &w);
	}
	return NULL;
}

/* Looks while the pass runs, and closing while text is on its way to the file. */
static void threads_map_at_once(void **state)
{
	(void)state;
	struct data text = data_text(14 << 20, 6), packed = {0};
	add_frame(&packed, text.bytes, text.len, 1, true, 0);
	struct source *s = data_source(data_file("a", packed.bytes, packed.len));
	pthread_t threads[3];
	struct job jobs[3];
	for (unsigned i = 0; i < 3; i++) {
		jobs[i] = (struct job){s, text, 1000 + i, 0};
		pthread_create(&threads[i], NULL, map_often, &jobs[i]);
	}
	uint64_t rng = 11;
	assert_int_equal(data_pass(s, 0, 100000, &rng, text), text.len);
	for (unsigned i = 0; i < 3; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(jobs[i].wrong, 0);
	}
	source_close(s);
	s = data_source(data_path("a"));
	assert_int_equal(data_pass(s, 0, 4 << 20, &rng, text), text.len);
	source_close(s);
	data_free(&packed);
	data_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(all_levels_and_sizes),
	    cmocka_unit_test(opening_refuses),
	    cmocka_unit_test(random_access_agrees),
	    cmocka_unit_test(frames_are_joined),
	    cmocka_unit_test(tiny_frames_are_passed),
	    cmocka_unit_test(cuts_end_the_text),
	    cmocka_unit_test(damage_is_survived),
	    cmocka_unit_test(text_before_damage_is_kept),
	    cmocka_unit_test(wrong_checksums_are_noted),
	    cmocka_unit_test(noise_is_survived),
	    cmocka_unit_test(growth_goes_on),
	    cmocka_unit_test(points_come_back),
	    cmocka_unit_test(full_disks_are_told),
	    cmocka_unit_test(zstd_comes_through_pipes),
	    cmocka_unit_test(flushed_zstd_is_live),
	    cmocka_unit_test(threads_map_at_once),
	};
	return cmocka_run_group_tests(tests, data_make_dir, data_remove_dir);
}

#else

int main(void)
{
	return 77; /* skipped: built without libzstd; test_source has what is left */
}

#endif
