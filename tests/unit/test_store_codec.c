/*
 * src/store: what is packed comes back, whatever is unpacked makes sense, and the tables under
 * the index do what simple ones do.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "testing.h"
#include "trace/bits.h"
#include "trace/blob.h"
#include "pipeline/index/codes.h"
#include "pipeline/index/leaf.h"
#include "pipeline/index/live.h"

static uint64_t seed = UINT64_C(0x2545f4914f6cdd1d);

static uint64_t dice(uint64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return n ? seed % n : 0;
}

/* Of any length in bits: small numbers are as likely as huge ones. */
static uint64_t any_size(unsigned bits)
{
	unsigned n = (unsigned)dice(bits + 1);

	return n ? dice(UINT64_MAX) >> (64 - n) : 0;
}

/* ---- bits --------------------------------------------------------------------------------- */

TEST(varints)
{
	struct sbuf out = {0};
	uint64_t v[200];
	struct byte_reader r;

	for (size_t i = 0; i < 200; i++)
		varint_put(&out, v[i] = i ? any_size(64) : UINT64_MAX);
	r.p = (unsigned char *)out.text;
	r.end = r.p + out.len;
	r.over = false;
	for (size_t i = 0; i < 200; i++)
		assert_true(varint_get(&r) == v[i]);
	assert_false(r.over);
	assert_int_equal(varint_get(&r), 0);
	assert_true(r.over);
	sbuf_free(&out);
	for (size_t i = 0; i < 200; i++)
		assert_true(unzigzag(zigzag((int64_t)v[i])) == (int64_t)v[i]);
}

/* ---- leaves ------------------------------------------------------------------------------- */

enum { ROWS = 300 };

static size_t some_rows(struct raw_row *rows, int64_t *tick)
{
	static const unsigned birth_bits[] = {1, 3, 40, 61}, life_bits[] = {3, 8, 40, 61};
	unsigned a = birth_bits[dice(4)], b = life_bits[dice(4)], fates = (unsigned)dice(5) + 1;
	unsigned events = (unsigned)dice(1 << 16), open = (unsigned)dice(30) + 1;
	bool codes = dice(2), micro = dice(2);
	size_t n = 1 + dice(dice(8) ? 140 : ROWS);
	int64_t birth = *tick = (int64_t)any_size(60);
	uint32_t code = 0;

	for (size_t i = 0; i < n; i++) {
		if (dice(3) == 0 && birth < INT64_C(1) << 61)
			birth += (int64_t)any_size(a > 60 ? 60 : a);
		code = codes && dice(4) ? code + 1 : (uint32_t)any_size(18);
		rows[i] = (struct raw_row){
		    .birth = birth,
		    .life = dice(open) ? any_size(b) : LIFE_OPEN,
		    .code = dice(20) ? code : CODE_NONE,
		    .events = (uint16_t)(dice(3) ? 0 : dice(1 << 16) & events),
		    .fate = (uint8_t)dice(fates),
		    .dominant = (uint8_t)(dice(9) ? dice(STAGE_MAX) : STAGE_NONE),
		    .micro_op = micro && dice(3) == 0,
		};
		if (rows[i].micro_op && dice(4))
			rows[i].parent = (uint32_t)any_size(dice(9) ? 8 : 32);
	}
	return n;
}

static void check_row(const struct row *got, const struct raw_row *want, const uint32_t *map)
{
	assert_true(got->start == want->birth);
	assert_true(got->end == (want->life == LIFE_OPEN ? TICK_NONE
							 : want->birth + (int64_t)want->life));
	assert_int_equal(got->code, want->code == CODE_NONE ? CODE_NONE : map[want->code]);
	assert_int_equal(got->events, want->events);
	assert_int_equal(got->fate, want->fate);
	assert_int_equal(got->dominant, want->dominant);
	assert_int_equal(got->micro_op, want->micro_op);
	assert_true(got->parent == (want->parent && want->parent <= got->row
					? got->row - want->parent
					: ROW_NONE));
}

/* One in three is committed for a while before its end. */
static void some_whole(struct whole_row *whole, const struct raw_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t life = rows[i].life == LIFE_OPEN ? 0 : rows[i].life;

		whole[i] = (struct whole_row){any_size(50), dice(3) ? 0 : dice(life + 1)};
	}
}

TEST(leaves_come_back)
{
	static struct whole_row whole[ROWS];
	static struct raw_row raw[ROWS];
	static struct row rows[ROWS + 1];
	uint32_t *map = calloc(1 << 18, sizeof(*map));

	assert_non_null(map);
	for (uint32_t i = 0; i < 1 << 18; i++)
		map[i] = i * 7;
	for (int times = 0; times < ROUNDS(2000); times++) {
		struct sbuf out = {0};
		int64_t tick;
		size_t n = some_rows(raw, &tick), len;
		uint64_t row0 = any_size(40);
		unsigned char *exact;
		bool is_whole = dice(2);

		some_whole(whole, raw, n);
		leaf_encode(&out, raw, n, tick, map, is_whole ? whole : NULL);
		assert_false(out.failed);
		len = out.len;
		exact = malloc(len); /* nothing is read behind it */
		assert_non_null(exact);
		memcpy(exact, out.text, len);
		sbuf_free(&out);
		assert_true(leaf_decode(exact, len, n, tick, row0, rows));
		for (size_t i = 0; i < n; i++) {
			assert_true(rows[i].row == row0 + i);
			check_row(&rows[i], &raw[i], map);
			assert_true(rows[i].offset == (is_whole ? whole[i].offset : 0));
			assert_true(rows[i].tail == (is_whole ? whole[i].tail : 0));
		}
		/* one row more than there is: something, but no fault */
		leaf_decode(exact, len / 2, n, tick, row0, rows);
		free(exact);
	}
	free(map);
}

/* Nonsense gives rows that can be drawn: a fate of a born row, an end behind the start. */
TEST(nonsense_gives_rows)
{
	static struct row rows[ROWS];
	static struct raw_row raw[ROWS];
	static struct whole_row whole[ROWS];
	static uint32_t map[1 << 18];

	for (int times = 0; times < ROUNDS(3000); times++) {
		struct sbuf out = {0};
		int64_t tick = (int64_t)any_size(62);
		size_t n = 1 + dice(ROWS), len = dice(400) + 1;
		unsigned char *bytes;

		if (times & 1) { /* nearly right */
			n = some_rows(raw, &tick);
			some_whole(whole, raw, n);
			leaf_encode(&out, raw, n, tick, map, times & 2 ? whole : NULL);
			len = out.len;
		}
		bytes = malloc(len);
		assert_non_null(bytes);
		for (size_t i = 0; i < len; i++)
			bytes[i] = (unsigned char)(times & 1 ? (uint64_t)out.text[i] : dice(256));
		for (int i = 0; i < 3; i++)
			bytes[dice(len)] ^= (unsigned char)(1 << dice(8));
		leaf_decode(bytes, len, n, tick, any_size(40), rows);
		for (size_t i = 0; i < n; i++) {
			assert_true(rows[i].fate < FATE_UNKNOWN);
			assert_true(rows[i].dominant < STAGE_MAX || rows[i].dominant == STAGE_NONE);
			assert_true(rows[i].end >= rows[i].start);
			assert_true(row_commit_tick(&rows[i]) >= rows[i].start);
			assert_true(rows[i].parent == ROW_NONE || rows[i].parent < rows[i].row);
		}
		free(bytes);
		sbuf_free(&out);
	}
}

/* ---- codes -------------------------------------------------------------------------------- */

static size_t some_code(char *text, uint64_t k, size_t *pc_len)
{
	size_t len;

	*pc_len = k % 7 == 0 ? 0 : (size_t)snprintf(text, 20, "%08" PRIx64, k * 4);
	len = *pc_len + (size_t)snprintf(text + *pc_len, 40, "op%" PRIu64 " r1", k);
	if (k % 50 == 3) {
		memset(text + len, 'x', CODE_TEXT - (len - *pc_len));
		len = *pc_len + CODE_TEXT;
	}
	return len;
}

static void check_codes(const struct codes *c, size_t n)
{
	char text[CODE_TEXT + 64];

	assert_int_equal(c->count, n);
	for (uint32_t i = 0; i < n; i++) {
		size_t pc_len, len = some_code(text, i, &pc_len), got_len;
		const char *got = codes_text(c, i, &got_len);
		bool has_pc;

		assert_int_equal(got_len, len - pc_len);
		assert_memory_equal(got, text + pc_len, got_len);
		assert_int_equal(codes_pc(c, i, &has_pc), pc_len ? i * 4 : 0);
		assert_int_equal(has_pc, pc_len != 0);
	}
}

TEST(codes_come_back)
{
	enum { CODES = 3000 };
	struct codes a = {0}, b = {0};
	char text[CODE_TEXT + 64];
	struct sbuf out = {0};
	bool has_pc;
	size_t len;

	assert_true(codes_reserve(&a) && codes_reserve(&b));
	for (int times = 0; times < 2; times++)
		for (uint64_t i = 0; i < CODES; i++) {
			size_t pc_len, n = some_code(text, i, &pc_len);

			n -= pc_len;
			assert_int_equal(codes_next(&a, text, pc_len, text + pc_len, n), i);
		}
	check_codes(&a, CODES);
	assert_null(codes_text(&a, CODES, &len));
	assert_null(codes_text(&a, CODE_NONE, &len));
	assert_int_equal(codes_pc(&a, CODE_NONE, &has_pc), 0);
	codes_save(&a, &out);
	assert_true(codes_load(&b, out.text, out.len));
	check_codes(&b, CODES);
	for (size_t cut = 0; cut < out.len; cut += 1 + dice(900))
		assert_false(codes_load(&b, out.text, cut));
	codes_free(&a);
	codes_free(&b);
	sbuf_free(&out);
}

/* Only so many bytes are kept; what was there before stays what it was. */
TEST(codes_have_an_end)
{
	struct codes c = {0};
	char text[CODE_TEXT + 64];
	uint64_t i = 0;
	size_t pc_len, n;

	assert_true(codes_reserve(&c));
	do
		n = some_code(text, i, &pc_len);
	while (codes_next(&c, text, pc_len, text + pc_len, n - pc_len) == i && ++i);
	assert_true(c.text_len <= CODE_BYTES && i > CODE_BYTES / 200);
	check_codes(&c, i);
	n = some_code(text, 5, &pc_len);
	assert_int_equal(codes_next(&c, text, pc_len, text + pc_len, n - pc_len), 5);
	codes_free(&c);
}

TEST(damaged_codes)
{
	struct codes a = {0}, b = {0};
	char text[CODE_TEXT + 64];
	struct sbuf out = {0};

	assert_true(codes_reserve(&a) && codes_reserve(&b));
	for (uint64_t i = 0; i < 60; i++) {
		size_t pc_len, n = some_code(text, i, &pc_len);

		codes_next(&a, text, pc_len, text + pc_len, n - pc_len);
	}
	codes_save(&a, &out);
	for (int times = 0; times < ROUNDS(2000); times++) {
		size_t len = dice(4) ? out.len : dice(out.len) + 1, got;
		unsigned char *bytes = malloc(len);

		assert_non_null(bytes);
		memcpy(bytes, out.text, len);
		for (int k = (int)dice(4); k >= 0; k--)
			bytes[dice(dice(2) ? len : 10 < len ? 10 : len)] = (unsigned char)dice(256);
		if (codes_load(&b, bytes, len))
			for (uint32_t i = 0; i < b.count; i++) {
				const char *p = codes_text(&b, i, &got);

				assert_true(p >= b.text && got <= CODE_TEXT &&
					    p + got <= b.text + b.text_len);
			}
		free(bytes);
	}
	codes_free(&a);
	codes_free(&b);
	sbuf_free(&out);
}

/* ---- the instructions alive --------------------------------------------------------------- */

/* How the next id comes about. */
enum ids { IDS_DENSE, IDS_RANDOM, IDS_FAR_APART, IDS_SAME_LOW_BITS, IDS_KINDS };

static uint64_t some_id(enum ids kind, uint64_t i)
{
	switch (kind) {
	case IDS_DENSE:
		return i;
	case IDS_RANDOM:
		return dice(UINT64_MAX);
	case IDS_FAR_APART:
		return i << 32;
	default:
		return i << 20;
	}
}

TEST(live_is_a_map)
{
	enum { ALIVE = 700 };
	static uint64_t ids[ALIVE], rows[ALIVE];

	for (enum ids kind = 0; kind < IDS_KINDS; kind++) {
		struct live_table t;
		size_t n = 0;

		assert_true(live_init(&t));
		for (uint64_t i = 0; i < 20000; i++) {
			uint64_t id = some_id(kind, i);
			size_t k = dice(ALIVE);

			if (!live_find(&t, id) && n < ALIVE && (k >= n || dice(2))) {
				struct live *l = live_add(&t, id);

				assert_non_null(l);
				assert_int_equal(l->flags, LIVE_USED);
				assert_int_equal(l->stage, STAGE_NONE);
				l->row = rows[n] = i;
				ids[n++] = id;
			} else if (k < n) {
				live_remove(&t, live_find(&t, ids[k]));
				assert_null(live_find(&t, ids[k]));
				ids[k] = ids[--n];
				rows[k] = rows[n];
			}
			assert_int_equal(t.count, n);
			if (n) {
				k = dice(n);
				assert_non_null(live_find(&t, ids[k]));
				assert_true(live_find(&t, ids[k])->row == rows[k]);
			}
			if (i % 2000 == 0)
				for (k = 0; k < n; k++)
					assert_true(live_find(&t, ids[k])->row == rows[k]);
		}
		for (; n; n--)
			live_remove(&t, live_find(&t, ids[n - 1]));
		assert_int_equal(t.displaced, 0);
		live_clear(&t);
		live_free(&t);
	}
}

/* ---- blobs -------------------------------------------------------------------------------- */

static unsigned char pattern(size_t i)
{
	return (unsigned char)(i * 31 + (i >> 11));
}

static void fill(struct blob *b, size_t upto)
{
	while (b->len < upto) {
		size_t n = 1 + dice(dice(20) ? 9000 : 2 * BLOB_CHUNK);
		unsigned char *p = blob_reserve(b, n);

		assert_non_null(p);
		for (size_t i = 0; i < n; i++)
			p[i] = pattern(b->len + i);
		blob_commit(b, n);
	}
	for (size_t i = 0; i < b->len; i++)
		if (b->base[i] != pattern(i))
			fail_msg("byte %zu of %zu changed", i, b->len);
}

TEST(blobs_keep_their_place)
{
	enum { FILE_OFF = 1 << 16 };
	char name[] = "/tmp/pipeglass-blob-XXXXXX";
	int fd = mkstemp(name);
	struct blob b;
	unsigned char *base, got[4096];

	assert_true(fd >= 0);
	unlink(name);
	assert_true(blob_init(&b, -1, 0));
	fill(&b, 3 * BLOB_CHUNK);
	assert_int_equal(b.flushed, 0);
	assert_false(blob_sync(&b));
	blob_free(&b);

	assert_true(blob_init(&b, fd, FILE_OFF));
	fill(&b, 100);
	base = b.base;
	fill(&b, 5 * BLOB_CHUNK + 77);
	assert_ptr_equal(base, b.base);
	assert_true(b.flushed >= 5 * BLOB_CHUNK);
	assert_int_equal(b.error, 0);
	assert_true(blob_sync(&b));
	for (size_t at = 0; at < b.len; at += sizeof(got)) {
		ssize_t n = pread(fd, got, sizeof(got), (off_t)(FILE_OFF + at));

		assert_true(n > 0);
		for (size_t i = 0; i < (size_t)n && at + i < b.len; i++)
			assert_int_equal(got[i], pattern(at + i));
	}
	assert_null(blob_reserve(&b, SIZE_MAX));
	assert_null(blob_reserve(&b, SIZE_MAX / 2));
	blob_free(&b);
	close(fd);
}

/* The disk is full after a while: the bytes stay where they are, and it is said. */
TEST(blobs_outlive_a_full_disk)
{
	char name[] = "/tmp/pipeglass-blob-XXXXXX";
	int fd = mkstemp(name);
	struct rlimit old, small;
	void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
	struct blob b;
	bool synced;

	assert_true(fd >= 0);
	unlink(name);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = old;
	small.rlim_cur = 2 * BLOB_CHUNK + 1000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_true(blob_init(&b, fd, 0));
	fill(&b, 2 * BLOB_CHUNK + BLOB_CHUNK / 2);
	fill(&b, 7 * BLOB_CHUNK);
	synced = blob_sync(&b);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, handler);
	assert_int_equal(b.error, EFBIG);
	assert_false(synced);
	blob_free(&b);
	close(fd);
}
