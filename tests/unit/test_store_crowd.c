/*
 * src/store: what many rows alive at once take: the table of the living against a plain array,
 * its memory, that of pieces joined, links to producers far away, and labels that take turns.
 */
#include "config.h"

#include "store_truth.h"

#include "pipeline/index/segment.h"
#include "testing.h"

extern const struct reader kanata_reader;

/* ---- the table ------------------------------------------------------------------------------ */

enum { IDS = 6000, STEPS = 200000 };

static uint64_t dice(uint64_t *rng, uint64_t n)
{
	*rng ^= *rng << 13;
	*rng ^= *rng >> 7;
	*rng ^= *rng << 17;
	return *rng % n;
}

/* Ids by their number: dense, with gaps, all with the same low bits, dense but for stragglers. */
static uint64_t id_of(int shape, uint64_t i)
{
	switch (shape) {
	case 0:
		return i + 1000;
	case 1:
		return i * 7;
	case 2:
		return i << 24;
	default:
		return i % 50 ? i : i * 1000003;
	}
}

static void check_all(const struct live_table *t, int shape, const bool *alive)
{
	for (uint64_t i = 0; i < IDS; i++) {
		const struct live *l = live_find(t, id_of(shape, i));

		assert_int_equal(l != NULL, alive[i]);
		if (l)
			assert_int_equal(l->row, i);
	}
}

TEST(table_is_a_map)
{
	static bool alive[IDS];

	for (int shape = 0; shape < 4; shape++) {
		uint64_t rng = 88172645463325252u + (uint64_t)shape;
		struct live_table t;
		size_t count = 0;

		memset(alive, 0, sizeof(alive));
		assert_true(live_init(&t));
		for (int step = 0; step < STEPS; step++) {
			/* now they grow many, now few */
			bool add = dice(&rng, 10) < (step / 20000 % 2 ? 3u : 7u);
			uint64_t i = dice(&rng, IDS);
			struct live *l = live_find(&t, id_of(shape, i));

			assert_int_equal(l != NULL, alive[i]);
			if (add && !l) {
				l = live_add(&t, id_of(shape, i));
				assert_non_null(l);
				l->row = i;
			} else if (!add && l) {
				live_remove(&t, l);
			} else {
				continue;
			}
			alive[i] = add;
			count += add ? 1 : (size_t)-1;
			assert_int_equal(t.count, count);
			if (step % 5000 == 0)
				check_all(&t, shape, alive);
		}
		check_all(&t, shape, alive);
		live_free(&t);
	}
}

/* A million alive, as they come: less than two slots each; nothing of that is kept. */
TEST(crowd_is_packed)
{
	struct live_table t;

	assert_int_equal(sizeof(struct live), 48);
	assert_true(live_init(&t));
	for (uint64_t id = 0; id < 1500000; id++) {
		assert_non_null(live_add(&t, id));
		if (id >= 1000000)
			live_remove(&t, live_find(&t, id - 1000000));
	}
	assert_int_equal(t.count, 1000000);
	assert_true(t.cap <= 1 << 21);
	live_clear(&t);
	assert_int_equal(t.count, 0);
	assert_true(t.cap <= 1 << 13);
	assert_null(live_find(&t, 1400000));
	live_free(&t);
}

/* ---- stages that end late ------------------------------------------------------------------- */

TEST(late_ends)
{
	struct live_table t;
	struct live *l;
	int64_t from;

	assert_true(live_init(&t));
	l = live_add(&t, 1);
	for (int stage = 0; stage < 4; stage++)
		live_begin(l, (unsigned)stage, 10 * stage);
	assert_true(live_stretch(l, 2, 35, &from)); /* 3 is open; 2 ended at 30, 1 at 20 */
	assert_int_equal(from, 30);
	assert_true(live_stretch(l, 1, 37, &from));
	assert_int_equal(from, 20);
	assert_true(live_stretch(l, 1, 39, &from)); /* and once more */
	assert_int_equal(from, 37);
	assert_false(live_stretch(l, 0, 39, &from));
	live_begin(l, STAGE_NONE, 50);
	live_begin(l, 5, 60);
	assert_true(live_stretch(l, 3, 60, &from));
	assert_int_equal(from, 50);
	assert_true(live_stretch(l, 2, 61, &from));
	assert_int_equal(from, 35);
	live_begin(l, 6, INT64_C(1) << 40); /* 3 ended so long ago that nobody knows */
	assert_false(live_stretch(l, 3, INT64_C(1) << 40, &from));
	assert_true(live_stretch(l, 5, INT64_C(1) << 40, &from));
	live_free(&t);
}

/* ---- memory of pieces ----------------------------------------------------------------------- */

/* Nothing but records of rows born before the piece. */
TEST(joined_gives_back)
{
	struct sbuf text = {0};
	struct trace_config config;
	struct names names;
	struct segment s;

	sbuf_printf(&text, "C\t1\n");
	for (int i = 0; i < 40000; i++)
		sbuf_printf(&text, "S\t%d\t1\tF\nI\t%d\t0\t0\nS\t%d\t2\tF\n", i, i + 50000,
			    i + 50000);
	kanata_reader.config(&config);
	names_init(&names, &config);
	assert_true(segment_init(&s));
	segment_read(&s, &kanata_reader, &names, true, text.text, text.len, 0, 1, TICK_NONE, true);
	assert_false(s.failed);
	assert_int_equal(sizeof(struct foreign), 32);
	assert_int_equal(s.log.count, 80000);
	assert_int_equal(s.live.count, 40000);
	segment_joined(&s);
	assert_int_equal(s.log.cap, 0);
	assert_true(s.live.cap <= 1 << 13);
	assert_true(s.lanes.of[2].cap <= 1 << 13);
	assert_int_equal(s.rows.count, 40000);
	segment_free(&s);
	names_free(&names);
	sbuf_free(&text);
}

/* ---- links ---------------------------------------------------------------------------------- */

enum { ROWS = 5000, UNKNOWN = 3 };

/* Ids by row: without gaps, with gaps, pairwise in the wrong order, used again and again. */
static uint64_t row_id(int shape, uint64_t row)
{
	static const uint64_t again = 1700;

	switch (shape) {
	case 0:
		return row + 10;
	case 1:
		return row * 3 + 10;
	case 2:
		return (row ^ 1) + 10;
	default:
		return row % again + 10;
	}
}

TEST(links_find_their_rows)
{
	for (int shape = 0; shape < 4; shape++) {
		char path[] = "/tmp/pipeglass-crowd-XXXXXX";
		struct sbuf text = {0};
		struct store *s;

		sbuf_printf(&text, "Kanata\t0004\nC=\t0\n");
		for (uint64_t row = 0; row < ROWS; row++) {
			uint64_t id = row_id(shape, row);

			sbuf_printf(&text, "I\t%" PRIu64 "\t0\t0\nS\t%" PRIu64 "\t0\tF\n", id, id);
			sbuf_printf(&text, "W\t%" PRIu64 "\t10\t0\nC\t1\n", id);
			if (shape == 3)
				sbuf_printf(&text, "R\t%" PRIu64 "\t0\t0\n", id);
		}
		truth_write(path, text.text, text.len);
		s = truth_open(path, 1);
		assert_int_equal(store_row_count(s), ROWS);
		for (uint64_t row = 0; row < ROWS; row += 7)
			for (uint64_t far = 0; far < ROWS; far = far * 3 + 1) {
				uint64_t want = row >= far ? row - far : row + far;
				struct link link = {.row = ROW_NONE, .tick = (int64_t)row};

				want %= ROWS;
				link.id = row_id(shape, want);
				if (shape == 3 && (want > row || far >= 1000))
					continue; /* another of that id is nearer */
				assert_int_equal(store_link_row(s, &link, row), want);
				link.id = shape == 1 ? row_id(1, want) + 1 : ROWS * 9 + far;
				assert_true(store_link_row(s, &link, row) == ROW_NONE);
				link.id = UNKNOWN;
				assert_true(store_link_row(s, &link, row) == ROW_NONE);
			}
		store_close(s);
		unlink(path);
		sbuf_free(&text);
	}
}

/* ---- labels --------------------------------------------------------------------------------- */

enum { WARPS = 64, TURNS = 300 };

/* All rows born at once, then in each turn a label of each row and one of its stay. */
static void write_turns(char *path)
{
	struct sbuf text = {0};

	sbuf_puts(&text, "Kanata\t0004\nC=\t0\n");
	for (int row = 0; row < WARPS; row++)
		sbuf_printf(&text, "I\t%d\t0\t0\nL\t%d\t0\twarp\nS\t%d\t0\tF\n", row, row, row);
	for (int turn = 0; turn < TURNS; turn++) {
		sbuf_puts(&text, "C\t1\n");
		for (int row = 0; row < WARPS; row++)
			sbuf_printf(&text, "L\t%d\t1\t%d:%d\\n\nL\t%d\t2\t%d\\x\n", row, row, turn,
				    row, turn);
	}
	for (int row = 0; row < WARPS; row++)
		sbuf_printf(&text, "L\t%d\t0\t %d\nR\t%d\t%d\t0\n", row, row, row, row);
	truth_write(path, text.text, text.len);
	sbuf_free(&text);
}

static void is_text(const struct detail *d, uint32_t at, uint32_t len, const struct sbuf *want)
{
	assert_int_equal(len, want->len);
	assert_memory_equal(d->text.text + at, want->text, len);
}

/* Each row's texts are whole, and nothing is kept twice, whoever's label comes between. */
TEST(labels_take_turns)
{
	char path[] = "/tmp/pipeglass-crowd-XXXXXX";
	struct detail d = {.limit = UINT64_MAX};
	size_t sum = 0, names = 0;
	struct error e;
	struct store *s;

	write_turns(path);
	s = truth_open(path, 1);
	assert_int_equal(store_detail(s, 0, WARPS, &d, &e), STATUS_OK);
	assert_int_equal(d.count, WARPS);
	for (int row = 0; row < WARPS; row++) {
		const struct detail_row *r = &d.rows[row];
		const struct stay *stay = &d.stays[r->stay0];
		struct sbuf name = {0}, note = {0}, said = {0};

		sbuf_printf(&name, "warp %d", row);
		for (int turn = 0; turn < TURNS; turn++) {
			sbuf_printf(&note, "%s%d:%d", turn ? "\n" : "", row, turn);
			sbuf_printf(&said, "%s%d\\x", turn ? "\n" : "", turn);
		}
		is_text(&d, r->text0, r->text_len, &name);
		is_text(&d, r->note0, r->note_len, &note);
		is_text(&d, stay->note0, stay->note_len, &said);
		names += name.len;
		sum += name.len + note.len + 1 + said.len; /* 1: the newline at its end */
		sbuf_free(&name);
		sbuf_free(&note);
		sbuf_free(&said);
	}
	assert_int_equal(d.text.len, sum);
	d.no_notes = true;
	assert_int_equal(store_detail(s, 0, WARPS, &d, &e), STATUS_OK);
	assert_int_equal(d.text.len, names);
	assert_int_equal(d.rows[1].note_len + d.stays[1].note_len, 0);
	detail_free(&d);
	store_close(s);
	unlink(path);
}
