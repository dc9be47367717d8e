/*
 * src/store, formats whose text gives whole rows in no order: random rows, printed as O3PipeView in
 * a random order, against sums, curves and searches worked out from the rows themselves. Orders
 * within the feed's window, beyond it (all is sorted first), with long lives, with ids of two CPUs;
 * packed text, which nobody can look through before.
 */
#include "config.h"

#include <math.h>

#include <zlib.h>

#include "analysis/pipeline/walk.h"
#include "base/num.h"

#include "store_truth.h"

#include "pipeline/index/rowfeed.h"
#include "testing.h"

enum { TICKS = 8, STEP = 250 };

/* A row as it is meant; tick[0] is its fetch, 0: never. */
struct meant {
	int64_t tick[TICKS];
	uint64_t id, pc, order;
	unsigned part;
	int64_t end;
	bool committed;
};

struct text_trace {
	struct meant *rows;
	size_t n;
	char path[40];
	int64_t end; /* behind the last tick */
};

static uint64_t seed;

static uint64_t dice(uint64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return n ? seed % n : 0;
}

static void life(struct meant *m, bool longlived)
{
	int64_t now = m->tick[0];
	unsigned stages = dice(2) ? 7 : (unsigned)dice(6) + 1;

	m->committed = stages == 7;
	for (unsigned k = 1; k < 7; k++) {
		if (k >= stages && k != 6)
			continue;
		if (k == 6 && !m->committed)
			break;
		if (k < 6 && dice(20) == 0)
			continue; /* never */
		now += (int64_t)dice(k == 4 ? 30 : 4) * STEP;
		if (longlived && dice(40) == 0)
			now += (int64_t)dice(40000) * STEP;
		m->tick[k] = now;
	}
	if (m->committed && dice(4) == 0)
		m->tick[7] = now + (int64_t)dice(3000);
	for (unsigned k = 0; k < TICKS; k++)
		m->end = m->tick[k] > m->end ? m->tick[k] : m->end;
}

static int by_order(const void *a, const void *b)
{
	const struct meant *x = a, *y = b;

	return (x->order > y->order) - (x->order < y->order);
}

static int by_birth(const void *a, const void *b)
{
	const struct meant *x = a, *y = b;

	if (x->tick[0] != y->tick[0])
		return x->tick[0] < y->tick[0] ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

static void print_row(FILE *f, const struct meant *m)
{
	static const char *const words[] = {"",         "decode", "rename",
					    "dispatch", "issue",  "complete"};

	fprintf(f,
		"O3PipeView:fetch:%" PRId64 ":0x%08" PRIx64 ":%u:%" PRIu64 ":  op%" PRIu64 " r1\n",
		m->tick[0], m->pc, m->part, m->id, m->pc % 7);
	for (int k = 1; k < 6; k++)
		fprintf(f, "O3PipeView:%s:%" PRId64 "\n", words[k], m->tick[k]);
	fprintf(f, "O3PipeView:retire:%" PRId64 ":store:%" PRId64 "\n", m->tick[6], m->tick[7]);
}

/* spread: how many rows late a record may be printed; straggler: one comes last of all. */
static void make(struct text_trace *t, uint64_t s, size_t n, uint64_t spread, bool longlived,
		 bool straggler)
{
	int64_t now = 1000;
	FILE *f;

	seed = s * UINT64_C(0x9e3779b97f4a7c15) | 1;
	t->rows = calloc(n, sizeof(*t->rows));
	t->n = n;
	t->end = 0;
	assert_non_null(t->rows);
	for (size_t i = 0; i < n; i++) {
		struct meant *m = &t->rows[i];

		if (dice(3) == 0)
			now += (int64_t)dice(dice(200) == 0 ? 400 : 4) * STEP;
		m->tick[0] = now;
		m->id = i * 2 + 1 + (i > 0 && dice(2));
		m->pc = 0x1000 + dice(500) * 4;
		if (i && m[-1].part < 3 && dice(5) == 0) {
			m->pc = m[-1].pc;
			m->part = m[-1].part + 1;
			m->id = m[-1].id + 1;
		} else if (i && m->id <= m[-1].id) {
			m->id = m[-1].id + 1;
		}
		m->order = i + dice(spread);
		life(m, longlived);
		t->end = m->end + 1 > t->end ? m->end + 1 : t->end;
	}
	if (straggler)
		t->rows[10].order = UINT64_MAX;
	qsort(t->rows, n, sizeof(*t->rows), by_order);
	strcpy(t->path, "/tmp/pipeglass-rows-XXXXXX");
	truth_write(t->path, "", 0);
	f = fopen(t->path, "w");
	assert_non_null(f);
	for (size_t i = 0; i < n; i++)
		print_row(f, &t->rows[i]);
	fclose(f);
	qsort(t->rows, n, sizeof(*t->rows), by_birth);
}

static void drop(struct text_trace *t)
{
	unlink(t->path);
	free(t->rows);
}

/* A store commits where it retires, whenever its write is acknowledged. */
static int64_t settled_at(const struct meant *m)
{
	return m->committed ? m->tick[6] : m->end;
}

/* ---- rows, one by one ---------------------------------------------------------------------- */

/* Its stays as the format has them: by tick, each up to the next. */
static size_t stays_of(const struct meant *m, struct stay out[TICKS])
{
	size_t n = 0;

	for (unsigned k = 0; k < TICKS; k++) {
		size_t i = n;

		if (k && m->tick[k] == 0)
			continue;
		for (; i > 0 && out[i - 1].start > m->tick[k]; i--)
			out[i] = out[i - 1];
		out[i] = (struct stay){.start = m->tick[k], .stage = (uint8_t)k};
		n++;
	}
	for (size_t i = 0; i < n; i++)
		out[i].end = i + 1 < n ? out[i + 1].start : m->end;
	return n;
}

static void check_rows(const struct text_trace *t, struct store *s)
{
	struct detail d = {.limit = UINT64_MAX};
	struct stay stays[TICKS];
	struct error e;

	assert_int_equal(store_row_count(s), t->n);
	assert_int_equal(store_detail(s, 0, t->n, &d, &e), STATUS_OK);
	assert_false(d.clipped);
	for (size_t i = 0; i < t->n; i++) {
		const struct detail_row *r = &d.rows[i];
		const struct meant *m = &t->rows[i];
		size_t n = stays_of(m, stays);

		assert_int_equal(r->id, m->id);
		assert_int_equal(r->pc, m->pc);
		assert_int_equal(r->head.start, m->tick[0]);
		assert_int_equal(r->head.end, m->end);
		assert_int_equal(row_commit_tick(&r->head), settled_at(m));
		assert_int_equal(r->head.fate, m->committed ? FATE_COMMITTED : FATE_SQUASHED);
		assert_int_equal(r->head.micro_op, m->part > 0);
		assert_int_equal(r->head.parent, m->part ? i - m->part : ROW_NONE);
		assert_int_equal(r->stays, n);
		for (size_t k = 0; k < n; k++) {
			assert_int_equal(d.stays[r->stay0 + k].start, stays[k].start);
			assert_int_equal(d.stays[r->stay0 + k].end, stays[k].end);
			assert_int_equal(d.stays[r->stay0 + k].stage, stays[k].stage);
			assert_int_equal(d.stays[r->stay0 + k].behind, stays[k].stage == 7);
		}
	}
	detail_free(&d);
}

/* ---- sums ---------------------------------------------------------------------------------- */

static int64_t overlap(int64_t a, int64_t b, int64_t lo, int64_t hi)
{
	a = a > lo ? a : lo;
	b = b < hi ? b : hi;
	return b > a ? b - a : 0;
}

static double meant_sum(const struct text_trace *t, const struct series *q, int64_t lo, int64_t hi)
{
	double sum = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct meant *m = &t->rows[i];
		struct stay stays[TICKS];
		size_t n;
		bool ends = settled_at(m) >= lo && settled_at(m) < hi;

		switch (q->kind) {
		case SERIES_IPC:
			sum += ends && m->committed && m->part == 0;
			break;
		case SERIES_COMMIT:
			sum += ends && m->committed;
			break;
		case SERIES_SQUASH:
			sum += ends && !m->committed;
			break;
		case SERIES_FETCH:
			sum += m->tick[0] >= lo && m->tick[0] < hi;
			break;
		case SERIES_IN_FLIGHT:
			sum += (double)overlap(m->tick[0], m->end, lo, hi);
			break;
		default:
			n = stays_of(m, stays);
			for (size_t k = 0; k < n; k++)
				if (q->stages >> stays[k].stage & 1)
					sum +=
					    (double)overlap(stays[k].start, stays[k].end, lo, hi);
			break;
		}
	}
	return sum;
}

static void check_curves(const struct text_trace *t, struct store *s)
{
	enum { BINS = 7 };
	double v[BINS];
	struct error e;

	for (int kind = 0; kind < SERIES_STATISTIC; kind++)
		for (int part = 0; part < 2; part++) {
			int64_t first = t->rows[0].tick[0], all = t->end - first;
			int64_t lo = part ? first + all / 3 : first;
			int64_t hi = part ? lo + 64 * STEP * 7 : t->end;
			struct series q = {(enum series_kind)kind, 1u << dice(8) | 16, 0};

			hi = hi < t->end ? hi : t->end;
			hi -= (hi - lo) % BINS;
			if (hi <= lo)
				continue;
			assert_int_equal(store_series(s, &q, lo, hi, BINS, v, NULL, &e), STATUS_OK);
			for (int k = 0; k < BINS; k++) {
				int64_t a = lo + (hi - lo) / BINS * k, b = a + (hi - lo) / BINS;
				double want = meant_sum(t, &q, a, b);

				if (fabs(v[k] * (double)(b - a) - want) > 0.01)
					fail_msg("%d %d bin %d [%" PRId64 ",%" PRId64
						 "): %f, not %f",
						 kind, part, k, a, b, v[k] * (double)(b - a), want);
			}
		}
}

static void check_totals(const struct text_trace *t, struct store *s)
{
	struct totals totals;
	uint64_t entries[TICKS] = {0}, committed = 0, macro = 0;
	int64_t ticks[TICKS] = {0};
	struct progress p;

	for (size_t i = 0; i < t->n; i++) {
		struct stay stays[TICKS];
		size_t n = stays_of(&t->rows[i], stays);

		for (size_t k = 0; k < n; k++) {
			entries[stays[k].stage]++;
			ticks[stays[k].stage] += stays[k].end - stays[k].start;
		}
		committed += t->rows[i].committed;
		macro += t->rows[i].committed && t->rows[i].part == 0;
	}
	store_totals(s, &totals);
	store_progress(s, &p);
	assert_int_equal(totals.instructions, t->n);
	assert_int_equal(totals.fates[FATE_COMMITTED], committed);
	assert_int_equal(totals.fates[FATE_SQUASHED], t->n - committed);
	assert_int_equal(totals.committed_macro, macro);
	for (int k = 0; k < TICKS; k++) {
		assert_int_equal(totals.stage_entries[k], entries[k]);
		assert_int_equal(totals.stage_ticks[k], ticks[k]);
	}
	assert_int_equal(p.first, t->rows[0].tick[0]);
	assert_int_equal(p.last, t->end - 1);
	assert_int_equal(store_ticks_per_cycle(s), STEP);
	assert_int_equal(store_warning_count(s), 0);
}

/* ---- searches ------------------------------------------------------------------------------ */

static void check_alive(const struct text_trace *t, struct store *s)
{
	for (int i = 0; i < 40; i++) {
		int64_t a = (int64_t)dice((uint64_t)t->end), b = a + (int64_t)dice(100 * STEP);
		uint64_t from, to;

		store_rows_alive(s, a, b, &from, &to);
		for (size_t k = 0; k < t->n; k++)
			if (t->rows[k].tick[0] < b && t->rows[k].end > a)
				assert_true(k >= from && k < to);
	}
}

static void check_ids(const struct text_trace *t, struct store *s)
{
	for (int i = 0; i < 30; i++) {
		size_t k = (size_t)dice(t->n);

		assert_int_equal(store_find_id(s, t->rows[k].id, 0), k);
		assert_int_equal(store_find_id(s, t->rows[k].id, k + 1), ROW_NONE);
	}
	assert_int_equal(store_find_id(s, UINT64_MAX, 0), ROW_NONE);
	assert_int_equal(store_find_id(s, 0, 0), ROW_NONE);
}

static int by_tick(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Every stretch of whole cycles, of n ticks, without a record, in turn. */
static void check_quiet(const struct text_trace *t, struct store *s, int64_t n)
{
	int64_t *ticks = malloc(t->n * TICKS * sizeof(*ticks)), at, from, to;
	const int64_t step = store_ticks_per_cycle(s);
	size_t count = 0;

	assert_non_null(ticks);
	for (size_t i = 0; i < t->n; i++)
		for (int k = 0; k < TICKS; k++)
			if (k == 0 || t->rows[i].tick[k])
				ticks[count++] = t->rows[i].tick[k];
	qsort(ticks, count, sizeof(*ticks), by_tick);
	at = ticks[0] - 1;
	for (size_t i = 1; i < count; i++) {
		int64_t begins = ticks[0] + ((ticks[i - 1] - ticks[0]) / step + 1) * step;
		int64_t ends = ticks[0] + (ticks[i] - ticks[0]) / step * step;

		if (ends - begins < n)
			continue;
		assert_true(store_find_gap(s, n, at, 1, &from, &to));
		assert_int_equal(from, begins);
		assert_int_equal(to, ends);
		at = from;
	}
	assert_false(store_find_gap(s, n, at, 1, &from, &to));
	free(ticks);
}

static void check_lives(const struct text_trace *t, struct store *s)
{
	uint64_t row = ROW_NONE;

	for (size_t k = 0; k < t->n; k++)
		if (t->rows[k].end - t->rows[k].tick[0] >= 300 * STEP) {
			row = store_find_life(s, 300 * STEP, row, 1, NULL);
			assert_int_equal(row, k);
		}
	assert_int_equal(store_find_life(s, 300 * STEP, row, 1, NULL), ROW_NONE);
}

/* Columns of a cycle: each cell has a stage just when a row of the line lives then. */
static void check_picture(const struct text_trace *t, struct store *s, int row_zoom, int tick_zoom)
{
	enum { LINES = 16, COLUMNS = 30 };
	static struct picture_cell cells[LINES * COLUMNS];
	uint64_t row0 = dice(t->n) >> row_zoom << row_zoom;
	struct picture_request q = {.row0 = row0,
				    .tick0 = t->rows[row0].tick[0],
				    .row_zoom = row_zoom,
				    .tick_zoom = tick_zoom,
				    .tick_step = STEP,
				    .lines = LINES,
				    .columns = COLUMNS};
	struct error e;
	bool exact;

	assert_int_equal(store_picture(s, &q, cells, &exact, &e), STATUS_OK);
	for (int line = 0; line < LINES; line++)
		for (int k = 0; k < COLUMNS; k++) {
			int64_t lo = q.tick0 + ((int64_t)k * STEP << tick_zoom);
			int64_t hi = lo + ((int64_t)STEP << tick_zoom);
			uint64_t r = row0 + ((uint64_t)line << row_zoom);
			bool some = false, touch = false;

			for (uint64_t i = 0; i < 1u << row_zoom && r + i < t->n; i++) {
				const struct meant *m = &t->rows[r + i];

				some |= m->tick[0] < hi && (m->end > lo || m->tick[0] >= lo);
				touch |= m->tick[0] < hi && m->end >= lo;
			}
			/* a last stage without length is shown where it was entered */
			if (!some && (!touch || !exact))
				assert_int_equal(cells[line * COLUMNS + k].stage, PICTURE_EMPTY);
			else if (some)
				assert_int_not_equal(cells[line * COLUMNS + k].stage,
						     PICTURE_EMPTY);
		}
}

/* many: only what does not look at each row again and again */
static void check_all(const struct text_trace *t, int threads, bool many)
{
	struct store *s = truth_open(t->path, threads);

	check_rows(t, s);
	check_totals(t, s);
	check_curves(t, s);
	if (many) {
		store_close(s);
		return;
	}
	check_alive(t, s);
	check_ids(t, s);
	check_quiet(t, s, 150 * STEP);
	check_lives(t, s);
	for (int i = 0; i < 8; i++)
		check_picture(t, s, i % 4, i / 2);
	store_close(s);
}

TEST(in_nearly_any_order)
{
	struct text_trace t;

	for (uint64_t i = 0; i < 6; i++) {
		make(&t, i + 1, 1 + (i < 5 ? 600 * i : 4200), 1 + 300 * i, i & 1, false);
		check_all(&t, (int)i % 3 + 1, false);
		drop(&t);
	}
}

TEST(a_straggler)
{
	struct text_trace t;

	make(&t, 8, FEED_WINDOW * 5 / 4, 1, false, true);
	check_all(&t, 1, true);
	drop(&t);
}

TEST(beyond_the_window)
{
	struct text_trace t;

	make(&t, 9, FEED_WINDOW * 3 / 2, FEED_WINDOW / 2, true, false);
	check_all(&t, 2, true);
	drop(&t);
}

/* ---- what is published stays true ---------------------------------------------------------- */

static struct store *open_watched(const char *path)
{
	struct trace_options o = {.threads = 2, .no_cache = true, .background = true};
	struct store *s;
	struct error e;

	assert_int_equal(store_open(&s, path, &o, &e), STATUS_OK);
	return s;
}

/* Rows that can be seen while the rest is read are those of the end. */
TEST(watched)
{
	uint64_t n, before = 0;
	struct progress p;
	struct store *s;
	struct text_trace t;

	make(&t, 10, FEED_WINDOW * 5 / 4, 500, true, true);
	s = open_watched(t.path);
	do {
		store_progress(s, &p);
		n = p.items;
		assert_true(n >= before);
		for (uint64_t i = before; i < n; i += 97) {
			struct row row;

			assert_true(store_row(s, i, &row));
			assert_int_equal(row.start, t.rows[i].tick[0]);
		}
		before = n;
	} while (!p.complete);
	check_rows(&t, s);
	check_totals(&t, s);
	check_curves(&t, s);
	store_close(s);
	drop(&t);
}

static void pack(struct text_trace *t)
{
	char buf[1 << 16], path[48];
	FILE *in = fopen(t->path, "r");
	gzFile out;
	size_t n;

	snprintf(path, sizeof(path), "%s.gz", t->path);
	out = gzopen(path, "w1");
	assert_non_null(in);
	assert_non_null(out);
	while ((n = fread(buf, 1, sizeof(buf), in)) > 0)
		assert_int_equal(gzwrite(out, buf, (unsigned)n), n);
	fclose(in);
	assert_int_equal(gzclose(out), Z_OK);
	assert_int_equal(rename(path, t->path), 0);
}

/* Of packed text the first rows are shown at once: who comes late is not lost, but not in its place. */
TEST(packed)
{
	struct detail d = {.limit = UINT64_MAX};
	const struct meant *late;
	struct stay stays[TICKS];
	struct warning w;
	struct store *s;
	struct error e;
	struct text_trace t;
	uint64_t row;

	make(&t, 11, FEED_WINDOW * 2, 500, false, true);
	pack(&t);
	check_all(&t, 2, true);
	s = open_watched(t.path);
	assert_int_equal(store_wait(s, &e), STATUS_OK);
	assert_int_equal(store_row_count(s), t.n);
	assert_int_equal(store_warning_count(s), 1);
	assert_true(store_warning(s, 0, &w));
	assert_non_null(strstr(w.text, "too late"));
	late = NULL;
	for (size_t i = 0; i < t.n && !late; i++)
		late = t.rows[i].order == UINT64_MAX ? &t.rows[i] : NULL;
	row = store_find_id(s, late->id, 0);
	assert_true(row != ROW_NONE && row > FEED_WINDOW / 4);
	assert_int_equal(store_detail(s, row, 1, &d, &e), STATUS_OK);
	assert_int_equal(d.rows[0].id, late->id);
	assert_true(d.rows[0].head.start > late->tick[0]);
	assert_int_equal(d.rows[0].head.start, d.rows[0].head.end);
	assert_int_equal(d.rows[0].stays, stays_of(late, stays));
	assert_int_equal(d.stays[d.rows[0].stay0].start, late->tick[0]);
	detail_free(&d);
	store_close(s);
	drop(&t);
}

/* ---- what debug lines tell ----------------------------------------------------------------- */

static bool count_line(void *arg, uint64_t offset, int64_t tick, const char *line, size_t len)
{
	unsigned *n = arg;

	(void)offset;
	(void)tick;
	assert_null(memmem(line, len, "another", 7));
	++*n;
	return true;
}

/* Numbers of two CPUs collide: two rows, each with its own lines. */
TEST(debug_lines)
{
	static const char text[] = "   1000: system.cpu0.fetch: [tid:0] [sn:7] made on 0\n"
				   "   1500: system.cpu0.decode: [tid:0] [sn:7] still on 0\n"
				   "   1500: system.cpu0.decode: [tid:0] [sn:8] another\n"
				   "O3PipeView:fetch:1000:0x400:0:7:a\nO3PipeView:decode:"
				   "1500\nO3PipeView:retire:2000:store:0\n"
				   "   2000: system.cpu1.commit: [tid:1] [sn:7] made on 1\n"
				   "O3PipeView:fetch:1000:0x900:0:7:b\nO3PipeView:extra:"
				   "5\nO3PipeView:retire:2500:store:0\n"
				   "   2600: global: [sn:7] of both\n"
				   "   2700: system.cpu1.iew: [tid:1] [sn:7] late on 1\n";
	char path[40] = "/tmp/pipeglass-rows-XXXXXX";
	struct detail d = {0};
	struct error e;
	struct store *s;
	unsigned lines = 0;

	truth_write(path, text, sizeof(text) - 1);
	s = truth_open(path, 2);
	assert_int_equal(store_detail(s, 0, 2, &d, &e), STATUS_OK);
	assert_int_equal(d.count, 2);
	assert_int_equal(d.rows[0].pc, 0x400);
	assert_int_equal(d.rows[1].pc, 0x900);
	assert_int_equal(store_thread(s, d.rows[0].head.thread), 0);
	assert_int_equal(store_thread(s, d.rows[1].head.thread), 1001);
	assert_int_equal(d.rows[0].note_len, strlen("   1000: system.cpu0.fetch: [tid:0] [sn:7] "
						    "made on 0\n   1500: system.cpu0.decode: "
						    "[tid:0] [sn:7] still on 0\n"
						    "   2600: global: [sn:7] of both"));
	assert_memory_equal(d.text.text + d.rows[0].note0, text, 100);
	assert_non_null(memmem(d.text.text + d.rows[1].note0, d.rows[1].note_len, "made on 1", 9));
	assert_non_null(memmem(d.text.text + d.rows[1].note0, d.rows[1].note_len, "extra:5", 7));
	assert_null(memmem(d.text.text + d.rows[1].note0, d.rows[1].note_len, "on 0", 4));
	assert_non_null(memmem(d.text.text + d.rows[1].note0, d.rows[1].note_len, "late on 1", 9));
	assert_int_equal(store_row_lines(s, 0, count_line, &lines, &e), STATUS_OK);
	assert_int_equal(lines, 6);
	detail_free(&d);
	store_close(s);
	unlink(path);
}

static bool add_notes(void *arg, const struct walk_row *row)
{
	*(size_t *)arg += row->detail->note_len;
	return true;
}

/* Whoever adds up ticks does not read what stands around the records. */
TEST(walks_read_notes_when_asked)
{
	static const char text[] = "   1000: system.cpu.fetch: [tid:0] [sn:7] made\n"
				   "O3PipeView:fetch:1000:0x400:0:7:a\nO3PipeView:extra:5\n"
				   "O3PipeView:retire:2000:store:0\n";
	char path[40] = "/tmp/pipeglass-rows-XXXXXX";
	size_t without = 0, with = 0;
	struct error e;
	struct store *s;

	truth_write(path, text, sizeof(text) - 1);
	s = truth_open(path, 2);
	assert_int_equal(walk_rows(s, 0, 1, WALK_STAYS, add_notes, &without, &e), STATUS_OK);
	assert_int_equal(walk_rows(s, 0, 1, WALK_NOTES, add_notes, &with, &e), STATUS_OK);
	assert_int_equal(without, 0);
	assert_true(with > strlen("   1000: system.cpu.fetch: [tid:0] [sn:7] made"));
	store_close(s);
	unlink(path);
}

/* More lines about one instruction than are kept are counted; those of its neighbours are whole. */
TEST(crowded_debug_lines)
{
	enum { LINES = 20000 };
	char path[40] = "/tmp/pipeglass-rows-XXXXXX", want[64], number[32];
	struct detail d = {0};
	struct sbuf text = {0};
	const char *note;
	unsigned kept = 0;
	struct error e;
	struct store *s;

	for (int i = 0; i < LINES; i++)
		sbuf_printf(&text, "   1000: system.cpu.iew: [tid:0] [sn:%d] line %05d\n",
			    i == LINES - 1 ? 2 : 1, i);
	sbuf_puts(&text, "O3PipeView:fetch:1000:0x400:0:1:a\nO3PipeView:retire:2000:store:0\n"
			 "O3PipeView:fetch:1000:0x404:0:2:b\nO3PipeView:retire:2000:store:0\n");
	truth_write(path, sbuf_text(&text), text.len);
	s = truth_open(path, 2);
	assert_int_equal(store_detail(s, 0, 2, &d, &e), STATUS_OK);
	assert_int_equal(d.count, 2);
	sbuf_clear(&text);
	sbuf_add(&text, d.text.text + d.rows[0].note0, d.rows[0].note_len);
	note = sbuf_text(&text);
	for (const char *p = note; (p = strstr(p, "] line ")); p++)
		kept++;
	assert_in_range(kept, 100, LINES - 2);
	snprintf(want, sizeof(want), "\n(%s of 19 999 lines about it)", num_group(kept, number));
	assert_string_equal(strrchr(note, '\n'), want);
	sbuf_clear(&text);
	sbuf_add(&text, d.text.text + d.rows[1].note0, d.rows[1].note_len);
	assert_string_equal(sbuf_text(&text), "   1000: system.cpu.iew: [tid:0] [sn:2] line 19999");
	detail_free(&d);
	sbuf_free(&text);
	store_close(s);
	unlink(path);
}
