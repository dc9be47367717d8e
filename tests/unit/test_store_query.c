/*
 * src/store: every question about rows, pictures, curves and things to be found is answered as
 * looking at each row of the trace would answer it.
 */
#include "config.h"

#include <math.h>

#include "store_truth.h"

#include "pipeline/queries/subject.h"
#include "testing.h"

/* name, bytes, what is odd about it. The first is read in several pieces. */
#define TRACES(_)                                                                                  \
	_(LONG, 7 << 20,                                                                           \
	  ODD_SQUASH | ODD_STOCK | ODD_LOST | ODD_QUIET | ODD_DROPPED | ODD_STATISTICS |           \
	      ODD_BACKWARDS)                                                                       \
	_(PARTIAL, 900 << 10,                                                                      \
	  ODD_SQUASH | ODD_GPV | ODD_PARTIAL | ODD_LOST | ODD_TWICE | ODD_STUCK)                   \
	_(SHORT, 20 << 10, ODD_SQUASH | ODD_STOCK | ODD_PARTIAL | ODD_QUIET | ODD_STATISTICS)

enum {
#define TRACE_ENUM(name, bytes, odd) TRACE_##name,
	TRACES(TRACE_ENUM)
#undef TRACE_ENUM
	    TRACE_COUNT
};

struct sample {
	int64_t tick;
	double value;
	bool ipc; /* the second statistic */
};

static struct known {
	struct gen g;
	char path[40];
	struct store *store;
	struct truth t;
	int64_t *active; /* ticks with a life record, ascending */
	size_t active_count;
	struct sample *samples;
	size_t sample_count;
} known[TRACE_COUNT];

static uint64_t seed = UINT64_C(0x2545f4914f6cdd1d);

static uint64_t dice(uint64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return n ? seed % n : 0;
}

/* ---- the traces --------------------------------------------------------------------------- */

static void read_text(struct known *k)
{
	int64_t tick = 0;
	const char *end = k->g.text + k->g.len;

	k->active = calloc(k->g.len / 4 + 1, sizeof(*k->active));
	k->samples = calloc(k->g.len / 8 + 1, sizeof(*k->samples));
	assert_true(k->active && k->samples);
	for (const char *p = k->g.text; p < end;) {
		const char *value = memchr(p, '>', 20);

		if (*p == '@') {
			int64_t said = strtoll(p + 1, NULL, 10);

			tick = said > tick ? said : tick;
		} else if (*p == '<') {
			k->samples[k->sample_count++] =
			    (struct sample){tick, strtod(value + 1, NULL), p[1] == 's'};
		} else if (!k->active_count || k->active[k->active_count - 1] != tick) {
			k->active[k->active_count++] = tick;
		}
		p = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
	}
}

static int make_traces(void **state)
{
	static const struct {
		size_t bytes;
		unsigned odd;
	} made[] = {
#define TRACE_ROW(name, bytes, odd) {bytes, odd},
	    TRACES(TRACE_ROW)
#undef TRACE_ROW
	};

	(void)state;
	for (int i = 0; i < TRACE_COUNT; i++) {
		struct known *k = &known[i];

		gen_trace(&k->g, 3 + (uint64_t)i, made[i].odd, made[i].bytes);
		strcpy(k->path, "/tmp/pipeglass-query-XXXXXX");
		truth_write(k->path, k->g.text, k->g.len);
		k->store = truth_open(k->path, 2);
		truth_load(&k->t, k->store);
		read_text(k);
	}
	return 0;
}

static int drop_traces(void **state)
{
	(void)state;
	for (struct known *k = known; k < known + TRACE_COUNT; k++) {
		truth_free(&k->t);
		store_close(k->store);
		unlink(k->path);
		gen_free(&k->g);
		free(k->active);
		free(k->samples);
	}
	return 0;
}

#define FOR_EACH_TRACE(k) for (struct known *k = known; k < known + TRACE_COUNT; k++)

static const struct row *row_of(const struct known *k, uint64_t i)
{
	return &k->t.d.rows[i].head;
}

static int64_t any_tick(const struct known *k)
{
	return k->t.first - 5 + (int64_t)dice((uint64_t)(k->t.end - k->t.first) + 10);
}

/* ---- rows --------------------------------------------------------------------------------- */

TEST(rows_and_details_agree)
{
	FOR_EACH_TRACE(k)
		for (int times = 0; times < ROUNDS(60); times++) {
			uint64_t first = dice(k->t.d.count), n = dice(400) + 1;
			struct row rows[400];
			struct detail d = {0};
			size_t got = store_rows(k->store, first, n, rows);

			assert_int_equal(got, n < k->t.d.count - first ? n : k->t.d.count - first);
			for (size_t i = 0; i < got; i++)
				assert_true(truth_same(&rows[i], row_of(k, first + i)));
			assert_int_equal(store_detail(k->store, first, n, &d, NULL), STATUS_OK);
			assert_int_equal(d.count, got);
			for (size_t i = 0; i < got && !d.clipped; i++)
				assert_true(truth_same_detail(&d, i, &k->t.d, first + i));
			detail_free(&d);
		}
}

TEST(rows_alive_leave_nobody_out)
{
	FOR_EACH_TRACE(k)
		for (int times = 0; times < ROUNDS(100); times++) {
			int64_t t0 = any_tick(k), t1 = t0 + (int64_t)dice(times & 1 ? 20 : 5000);
			uint64_t from, to;

			store_rows_alive(k->store, t0, t1, &from, &to);
			assert_true(from <= to && to <= k->t.d.count);
			for (uint64_t i = 0; i < k->t.d.count; i++) {
				const struct row *r = row_of(k, i);

				if (r->start < t1 && r->end > t0 && (i < from || i >= to))
					fail_msg("row %llu alive in [%lld, %lld)",
						 (unsigned long long)i, (long long)t0,
						 (long long)t1);
			}
		}
}

TEST(births_by_tick)
{
	FOR_EACH_TRACE(k)
		for (int times = 0; times < ROUNDS(200); times++) {
			int64_t tick = any_tick(k);
			uint64_t i = 0;

			while (i < k->t.born_end && row_of(k, i)->start < tick)
				i++;
			assert_int_equal(store_row_born_at(k->store, tick), i);
		}
}

/* ---- finding ------------------------------------------------------------------------------ */

enum what { FIND_EVENT, FIND_FATE, FIND_LIFE, FIND_KINDS };

static bool is_wanted(const struct known *k, const struct row *r, enum what what, unsigned n)
{
	switch (what) {
	case FIND_EVENT:
		return r->events >> n & 1;
	case FIND_FATE:
		return r->fate == n;
	default: /* one that never ends lives until behind the last tick */
		return (r->end == TICK_NONE ? k->t.end : r->end) - r->start >= (int64_t)n;
	}
}

static uint64_t find(const struct known *k, enum what what, unsigned n, uint64_t row, int dir,
		     const struct filter *f)
{
	switch (what) {
	case FIND_EVENT:
		return store_find_event(k->store, n, row, dir, f);
	case FIND_FATE:
		return store_find_fate(k->store, (enum fate)n, row, dir, f);
	default:
		return store_find_life(k->store, (int64_t)n, row, dir, f);
	}
}

static uint64_t find_slowly(const struct known *k, enum what what, unsigned n, uint64_t row,
			    int dir, const struct filter *f)
{
	uint64_t i = row == ROW_NONE && dir < 0 ? k->t.d.count : row;

	for (i += dir > 0 ? 1 : UINT64_MAX; i < k->t.d.count; i += dir > 0 ? 1 : UINT64_MAX)
		if (is_wanted(k, row_of(k, i), what, n) && (!f || filter_has(f, i)))
			return i;
	return ROW_NONE;
}

static struct filter *some_filter(const struct known *k)
{
	struct filter_spec spec = {.fates = 1u << FATE_COMMITTED | 1u << FATE_UNKNOWN};
	struct filter *f;

	assert_int_equal(filter_new(&f, k->store, &spec, NULL, NULL), STATUS_OK);
	return f;
}

TEST(finds_the_next_row)
{
	static const unsigned kinds[FIND_KINDS] = {EVENT_MAX, FATE_COUNT, 400};

	FOR_EACH_TRACE(k) {
		struct filter *f = some_filter(k);

		for (int times = 0; times < ROUNDS(400); times++) {
			enum what what = (enum what)dice(FIND_KINDS);
			unsigned n = (unsigned)dice(kinds[what]);
			uint64_t row = dice(9) ? dice(k->t.d.count + 2) : ROW_NONE, got, want;
			int dir = dice(2) ? 1 : -1;
			const struct filter *use = dice(2) ? f : NULL;

			if (row >= k->t.d.count)
				row = ROW_NONE;
			got = find(k, what, n, row, dir, use);
			want = find_slowly(k, what, n, row, dir, use);
			if (got != want)
				fail_msg("trace %d, kind %d of %u from %lld, %d: %lld, not %lld",
					 (int)(k - known), what, n, (long long)row, dir,
					 (long long)got, (long long)want);
		}
		filter_free(f);
	}
}

TEST(finds_ids)
{
	FOR_EACH_TRACE(k)
		for (int times = 0; times < ROUNDS(60); times++) {
			uint64_t row = dice(k->t.d.count), id = k->t.d.rows[row].id;

			assert_int_equal(store_find_id(k->store, id, 0), row);
			if (row >= k->t.early && row < k->t.born_end) {
				assert_int_equal(store_find_id(k->store, id, row), row);
				assert_int_equal(store_find_id(k->store, id, row + 1), ROW_NONE);
			}
			assert_int_equal(store_find_id(k->store, UINT64_C(1) << 60, 0), ROW_NONE);
		}
}

/* Stretches lie between two ticks with records, the first one behind the beginning. */
static bool empty_slowly(const struct known *k, int64_t n, int64_t tick, int dir, int64_t *from,
			 int64_t *to)
{
	int64_t previous = k->t.first - 1;
	bool found = false;

	for (size_t i = 0; i < k->active_count; previous = k->active[i++]) {
		int64_t a = previous + 1, b = k->active[i];

		if (b - a < n || (dir > 0 ? a <= tick : b > tick))
			continue;
		*from = a;
		*to = b;
		found = true;
		if (dir > 0)
			break;
	}
	return found;
}

TEST(finds_quiet_stretches)
{
	FOR_EACH_TRACE(k)
		for (int times = 0; times < ROUNDS(120); times++) {
			int64_t tick = any_tick(k), n = 1 + (int64_t)dice(60), a[2], b[2];
			int dir = dice(2) ? 1 : -1;
			bool want = empty_slowly(k, n, tick, dir, &b[0], &b[1]);

			if (store_find_gap(k->store, n, tick, dir, &a[0], &a[1]) != want ||
			    (want && (a[0] != b[0] || a[1] != b[1])))
				fail_msg("trace %d: %lld quiet ticks from %lld, %d: [%lld, %lld), "
					 "not %d [%lld, %lld)", (int)(k - known),
					 (long long)n, (long long)tick, dir, (long long)a[0],
					 (long long)a[1], want, (long long)b[0], (long long)b[1]);
		}
}

/* ---- filters ------------------------------------------------------------------------------ */

static bool fits(const struct known *k, const struct filter_spec *spec, uint64_t i)
{
	const struct detail_row *r = &k->t.d.rows[i];

	if ((spec->fates && !(spec->fates >> r->head.fate & 1)) ||
	    (spec->no_micro_ops && r->head.micro_op))
		return false;
	return !spec->text ||
	       (r->head.fate != FATE_UNKNOWN &&
		subject_match(spec->text, &k->t.d, r, NULL, NULL)) != spec->invert;
}

static void check_filter(const struct known *k, const struct filter_spec *spec,
			 const struct filter *f)
{
	uint64_t n = 0;

	assert_int_equal(filter_total(f), k->t.d.count);
	for (uint64_t i = 0; i < k->t.d.count; i++) {
		bool fit = fits(k, spec, i);

		assert_int_equal(filter_has(f, i), fit);
		assert_int_equal(filter_rank(f, i), n);
		if (fit)
			assert_int_equal(filter_row(f, n++), i);
	}
	assert_int_equal(filter_count(f), n);
	assert_int_equal(filter_rank(f, k->t.d.count + 9), n);
	assert_int_equal(filter_row(f, n), ROW_NONE);
	assert_false(filter_has(f, k->t.d.count));
}

TEST(filters_keep_what_fits)
{
	static const struct {
		const char *text;
		bool invert, no_micro_ops;
		unsigned fates;
	} specs[] = {
	    {"ldq|agen", false, false, 0},
	    {"ldq|agen", true, false, 1u << FATE_COMMITTED},
	    {"^0x12000", false, true, 0},
	    {NULL, false, true, 1u << FATE_SQUASHED | 1u << FATE_UNKNOWN},
	    {"no such thing", false, false, 0},
	};

	FOR_EACH_TRACE(k)
		for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
			struct filter_spec spec = {.invert = specs[i].invert,
						   .fates = specs[i].fates,
						   .no_micro_ops = specs[i].no_micro_ops};
			struct regex *r = NULL;
			struct filter *f;

			if (specs[i].text)
				assert_int_equal(regex_new(&r, specs[i].text, NULL), STATUS_OK);
			spec.text = r;
			assert_int_equal(filter_new(&f, k->store, &spec, NULL, NULL), STATUS_OK);
			check_filter(k, &spec, f);
			assert_int_equal(filter_extend(f, NULL, NULL), STATUS_OK);
			assert_int_equal(filter_total(f), k->t.d.count);
			filter_free(f);
			regex_free(r);
		}
}

/* A filter made while the trace is still read, extended when it has been. */
TEST(filters_grow)
{
	const struct known *k = &known[TRACE_LONG];
	struct filter_spec spec = {.fates = 1u << FATE_SQUASHED};
	struct trace_options o = {.threads = 2, .no_cache = true};
	struct store *s;
	struct filter *f;

	assert_int_equal(store_open(&s, k->path, &o, NULL), STATUS_OK);
	while (store_row_count(s) == 0)
		usleep(1000);
	assert_int_equal(filter_new(&f, s, &spec, NULL, NULL), STATUS_OK);
	assert_int_equal(store_wait(s, NULL), STATUS_OK);
	assert_int_equal(filter_extend(f, NULL, NULL), STATUS_OK);
	check_filter(k, &spec, f);
	filter_free(f);
	store_close(s);
}

/* ---- curves ------------------------------------------------------------------------------- */

/* Of one curve: what the ticks from the first up to each add up to, counted row by row. */
struct counted {
	double *sum, *over; /* over: ticks, or samples */
};

static void count_at(const struct known *k, double *at, int64_t tick, double amount)
{
	if (tick >= k->t.first && tick < k->t.end)
		at[tick - k->t.first] += amount;
}

/* at holds what changes from one tick to the next */
static void count_span(const struct known *k, double *at, int64_t from, int64_t to)
{
	from = from > k->t.first ? from : k->t.first;
	to = to < k->t.end ? to : k->t.end;
	if (from < to) {
		count_at(k, at, from, 1);
		count_at(k, at, to, -1);
	}
}

static void count_row(const struct known *k, const struct series *q, const struct detail_row *d,
		      double *at)
{
	const struct row *r = &d->head;

	switch (q->kind) {
	case SERIES_IPC:
		count_at(k, at, r->end, r->fate == FATE_COMMITTED && !r->micro_op);
		break;
	case SERIES_FETCH:
		count_at(k, at, r->start, r->fate != FATE_UNKNOWN);
		break;
	case SERIES_COMMIT:
		count_at(k, at, r->end, r->fate == FATE_COMMITTED);
		break;
	case SERIES_SQUASH:
		count_at(k, at, r->end, r->fate == FATE_SQUASHED);
		break;
	case SERIES_IN_FLIGHT:
		count_span(k, at, r->start, r->end);
		break;
	default:
		for (uint32_t x = 0; x < d->stays; x++) {
			const struct stay *stay = &k->t.d.stays[d->stay0 + x];

			if (q->stages >> stay->stage & 1)
				count_span(k, at, stay->start, stay->end);
		}
	}
}

static void count_samples(const struct known *k, const struct series *q, struct counted *c)
{
	struct metric_info info;
	bool ipc = store_metric(k->store, q->metric, &info) && strcmp(info.name, "sim_IPC") == 0;

	for (size_t i = 0; i < k->sample_count; i++)
		if (k->samples[i].ipc == ipc) {
			count_at(k, c->sum + 1, k->samples[i].tick, k->samples[i].value);
			count_at(k, c->over + 1, k->samples[i].tick, 1);
		}
}

static void count_up(double *at, size_t n)
{
	for (size_t i = 1; i <= n; i++)
		at[i] += at[i - 1];
}

static void count_curve(const struct known *k, const struct series *q, struct counted *c)
{
	const size_t n = (size_t)(k->t.end - k->t.first);

	c->sum = calloc(n + 1, sizeof(*c->sum));
	c->over = calloc(n + 1, sizeof(*c->over));
	assert_true(c->sum && c->over);
	if (q->kind == SERIES_STATISTIC) {
		count_samples(k, q, c);
	} else {
		for (uint64_t i = 0; i < k->t.d.count; i++)
			count_row(k, q, &k->t.d.rows[i], c->sum + 1);
		for (size_t i = 1; i <= n; i++)
			c->over[i] = 1;
	}
	if (q->kind == SERIES_IN_FLIGHT || q->kind == SERIES_OCCUPANCY)
		count_up(c->sum, n);
	count_up(c->sum, n);
	count_up(c->over, n);
}

static size_t edge_of(const struct known *k, int64_t from, int64_t to, size_t n, size_t i)
{
	__int128 span = (__int128)(to - from) * (__int128)i;
	int64_t t = from + (int64_t)((span + (__int128)n - 1) / (__int128)n);

	t = t < k->t.first ? k->t.first : t > k->t.end ? k->t.end : t;
	return (size_t)(t - k->t.first);
}

/* Each bin, asked for exactly and as it is drawn: where that says it is exact. */
static void check_bins(const struct known *k, const struct series *q, const struct counted *c,
		       int64_t from, int64_t to, size_t n)
{
	double *got = calloc(n, sizeof(*got));

	assert_non_null(got);
	for (int drawn = 0; drawn < 2; drawn++) {
		bool exact = !drawn;

		assert_int_equal(store_series(k->store, q, from, to, n, got, &exact, NULL),
				 STATUS_OK);
		assert_true(exact || drawn);
		for (size_t i = 0; exact && i < n; i++) {
			size_t a = edge_of(k, from, to, n, i), b = edge_of(k, from, to, n, i + 1);
			double over = c->over[b] - c->over[a];
			double want = over > 0 ? (c->sum[b] - c->sum[a]) / over : NAN;

			if (isnan(want) != isnan(got[i]) ||
			    fabs(want - got[i]) > 1e-9 * fabs(want) + 1e-9)
				fail_msg("trace %d, series %d, bin %zu of %zu of [%lld, %lld): "
					 "%g, not %g", (int)(k - known), q->kind, i, n,
					 (long long)from, (long long)to, got[i], want);
		}
	}
	free(got);
}

TEST(curves_are_means)
{
	static const size_t bins[] = {1, 3, 64, 257, 1000};

	FOR_EACH_TRACE(k)
		for (int kind = 0; kind < SERIES_COUNT; kind++) {
			struct series q = {.kind = (enum series_kind)kind,
					   .stages = dice(32) | 1,
					   .metric = dice(store_metric_count(k->store))};
			struct counted c;

			if (kind == SERIES_STATISTIC && !store_metric_count(k->store))
				continue;
			count_curve(k, &q, &c);
			for (size_t i = 0; i < 5; i++) {
				int64_t a = any_tick(k), b = any_tick(k);

				check_bins(k, &q, &c, k->t.first, k->t.end, bins[i]);
				check_bins(k, &q, &c, a < b ? a : b, (a < b ? b : a) + 1, bins[i]);
				check_bins(k, &q, &c, a, a + (int64_t)bins[i], bins[i]);
			}
			free(c.sum);
			free(c.over);
		}
}

/* Row i is born then, and ends when row i + LIFE is; but row 0 never does. */
enum { STEADY_ROWS = 80000, LIFE = 5, COLUMNS = 57, MOVED = 77000 };

static int64_t born(int64_t i)
{
	return i + i / 50 * 7;
}

/* leak: one in so many never ends */
static void write_steady(FILE *f, int pad, int leak)
{
	for (int t = 0; t < STEADY_ROWS + LIFE; t++) {
		fprintf(f, "@ %lld\n", (long long)born(t));
		if (t < STEADY_ROWS)
			fprintf(f, "+ %d 0x%x 0x0 add r1,r2,r3%*s\n* %d IF 0x0\n", t, 4 * t, pad,
				"", t);
		if (t > 1 && t - 1 < STEADY_ROWS)
			fprintf(f, "* %d EX 0x0\n", t - 1);
		if (t > LIFE && t - LIFE < STEADY_ROWS && (!leak || (t - LIFE) % leak))
			fprintf(f, "* %d CT 0x0\n- %d\n", t - LIFE, t - LIFE);
		if (t == MOVED)
			fputs("* 0 EX 0x0\n", f);
	}
}

/* pad: bytes more a row */
static struct store *open_steady(char *path, int pad, int leak)
{
	FILE *f = fdopen(mkstemp(path), "w");
	struct trace_options o = {.no_cache = true};
	struct store *s;

	assert_non_null(f);
	write_steady(f, pad, leak);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(store_open(&s, path, &o, NULL), STATUS_OK);
	assert_int_equal(store_wait(s, NULL), STATUS_OK);
	return s;
}

static double steady_at(enum series_kind kind, int64_t tick)
{
	double n = kind == SERIES_IN_FLIGHT; /* row 0 */

	for (int64_t i = tick * 50 / 57 - 100; i < tick * 50 / 57 + 100; i++) {
		if (kind == SERIES_IN_FLIGHT)
			n += born(i) <= tick && tick < born(i + LIFE);
		else if (kind == SERIES_FETCH)
			n += born(i) == tick;
		else if (kind != SERIES_SQUASH)
			n += born(i + LIFE) == tick;
	}
	return n;
}

/*
 * A picture of a few cycles is exact, also where the first row is alive through the whole trace, so
 * that the text of all that lives in them is too much.
 */
TEST(small_pictures_are_exact)
{
	char path[] = "/tmp/pipeglass-small-XXXXXX";
	struct store *s = open_steady(path, 0, 0);
	double drawn[COLUMNS];

	for (int times = 0; times < ROUNDS(100); times++) {
		struct series q = {.kind = (enum series_kind)(times % SERIES_STATISTIC)};
		int64_t from = 20000 + (int64_t)dice(59000);

		bool exact = false;

		if (q.kind == SERIES_OCCUPANCY)
			continue;
		assert_int_equal(
		    store_series(s, &q, from, from + COLUMNS, COLUMNS, drawn, &exact, NULL),
		    STATUS_OK);
		assert_true(exact);
		for (int i = 0; i < COLUMNS; i++)
			if (fabs(drawn[i] - steady_at(q.kind, from + i)) > 1e-9)
				fail_msg("series %d, tick %lld: %g drawn, %g", (int)q.kind,
					 (long long)from + i, drawn[i],
					 steady_at(q.kind, from + i));
	}
	store_close(s);
	unlink(path);
}

/*
 * Of much text the edges of bins are interpolated inside of index entries, if they may be, and it is
 * told. What the rows of the index tell is exact all the same.
 */
TEST(what_is_interpolated_says_so)
{
	enum { MOST = 600, ENTRIES = 2 * 160 /* rows of two */ };
	static const size_t bins[] = {1, COLUMNS, MOST};
	char path[] = "/tmp/pipeglass-about-XXXXXX";
	struct store *s = open_steady(path, 0, 0);
	double about[MOST], want[MOST];
	const int64_t from = born(100) + 1, to = born(79900) + 1;

	for (int k = 0; k < 3; k++)
		for (int kind = 0; kind < SERIES_STATISTIC; kind++) {
			const double width = (double)(to - from) / (double)bins[k];
			struct series q = {.kind = (enum series_kind)kind, .stages = 4};
			bool drawn = false, exact = true, differ = false;

			assert_int_equal(
			    store_series(s, &q, from, to, bins[k], about, &drawn, NULL), STATUS_OK);
			assert_int_equal(store_series(s, &q, from, to, bins[k], want, &exact, NULL),
					 STATUS_OK);
			assert_true(exact);
			assert_int_equal(drawn, kind != SERIES_OCCUPANCY);
			for (size_t i = 0; i < bins[k]; i++) {
				double off = fabs(about[i] - want[i]) * width;

				differ = differ || off > 0;
				if (off > (drawn ? 0 : ENTRIES * (LIFE + 2)))
					fail_msg("series %d, bin %zu of %zu: about %.9g, %.9g",
						 kind, i, bins[k], about[i], want[i]);
			}
			assert_int_equal(differ, !drawn);
		}
	store_close(s);
	unlink(path);
}

/* So many rows are alive that to look at all of them for each bin is too much for drawing. */
TEST(crowds_are_interpolated)
{
	enum { ENTRY = 2 * 160 };
	char path[] = "/tmp/pipeglass-crowd-XXXXXX";
	struct store *s = open_steady(path, 0, 6);
	double about[COLUMNS], want[COLUMNS];

	for (int kind = 0; kind <= SERIES_IN_FLIGHT; kind++) {
		const double width = (double)born(STEADY_ROWS) / COLUMNS;
		struct series q = {.kind = (enum series_kind)kind};
		bool drawn = false, exact = true, differ = false;

		assert_int_equal(store_series(s, &q, 0, born(STEADY_ROWS), COLUMNS, about, &drawn,
					      NULL), STATUS_OK);
		assert_int_equal(store_series(s, &q, 0, born(STEADY_ROWS), COLUMNS, want, &exact,
					      NULL), STATUS_OK);
		assert_true(exact && (!drawn || kind == SERIES_SQUASH));
		for (int i = 0; i < COLUMNS; i++) {
			differ = differ || about[i] != want[i];
			if (fabs(about[i] - want[i]) * width >
			    ENTRY * (kind == SERIES_IN_FLIGHT ? ENTRY : 1))
				fail_msg("series %d, bin %d: about %.9g, %.9g", kind, i, about[i],
					 want[i]);
		}
		assert_int_equal(differ, kind != SERIES_SQUASH);
	}
	store_close(s);
	unlink(path);
}

static double steady_in_ex(int64_t tick)
{
	double n = tick >= born(MOVED); /* row 0 */

	for (int64_t i = tick * 50 / 57 - 100; i < tick * 50 / 57 + 100; i++)
		n += born(i + 1) <= tick && tick < born(i + LIFE);
	return n;
}

/*
 * When the oldest row went on to EX is not in the text around, which is too long for that: only
 * what the index sums up tells it.
 */
TEST(stuck_rows_are_spread)
{
	char path[] = "/tmp/pipeglass-stuck-XXXXXX";
	struct store *s = open_steady(path, 600, 0);
	struct regex *ex;
	struct series q;
	int estimated = 0;

	assert_int_equal(regex_new(&ex, "EX", NULL), STATUS_OK);
	assert_true(series_parse(s, "occupancy", ex, &q));
	for (int row = 76000; row < 78000; row += 30) {
		double v[COLUMNS], sum = 0, want = 0;
		bool exact = true;

		assert_int_equal(
		    store_series(s, &q, born(row), born(row) + COLUMNS, COLUMNS, v, &exact, NULL),
		    STATUS_OK);
		for (int i = 0; i < COLUMNS; i++) {
			double here = steady_in_ex(born(row) + i);

			if (exact && fabs(v[i] - here) > 1e-9)
				fail_msg("row %d and %d ticks: %.9g, not %g", row, i, v[i], here);
			sum += v[i];
			want += here;
		}
		assert_true(fabs(sum - want) <= COLUMNS);
		estimated += !exact;
	}
	assert_in_range(estimated, 1, 3);
	regex_free(ex);
	store_close(s);
	unlink(path);
}

/* More rows than a curve looks at, in text so little that it is read: each counts once. */
TEST(many_short_rows)
{
	enum { MANY = 21000 };
	char path[] = "/tmp/pipeglass-short-XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");
	struct trace_options o = {.no_cache = true};
	struct series ipc = {.kind = SERIES_IPC}, alive = {.kind = SERIES_IN_FLIGHT};
	double mean;
	struct store *s;

	assert_non_null(f);
	fputs("Kanata\t0004\nC=\t0\n", f);
	for (int i = 0; i < MANY; i++)
		fprintf(f, "I\t%d\t0\t0\nS\t%d\t0\tF\n%sR\t%d\t0\t0\n", i, i,
			i % 3 == 2 ? "C\t1\n" : "", i);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(store_open(&s, path, &o, NULL), STATUS_OK);
	assert_int_equal(store_wait(s, NULL), STATUS_OK);
	for (int times = 0; times < ROUNDS(2); times++) {
		bool exact = times;

		assert_int_equal(store_series(s, &ipc, 3, 6999, 1, &mean, &exact, NULL), STATUS_OK);
		assert_true(fabs(mean - 3) < 1e-9);
		assert_int_equal(store_series(s, &alive, 3, 6999, 1, &mean, &exact, NULL),
				 STATUS_OK);
		assert_true(fabs(mean - 1) < 1e-9); /* each third one, from one cycle to the next */
	}
	store_close(s);
	unlink(path);
}

/* ---- workers ------------------------------------------------------------------------------ */

TEST(any_number_of_workers)
{
	static const int threads[] = {1, 5};

	FOR_EACH_TRACE(k)
		for (size_t i = 0; i < 2; i++) {
			struct store *s = truth_open(k->path, threads[i]);
			struct totals a, b;
			struct truth t;

			truth_load(&t, s);
			assert_int_equal(t.d.count, k->t.d.count);
			for (uint64_t row = 0; row < t.d.count; row++)
				assert_true(truth_same_detail(&t.d, row, &k->t.d, row));
			store_totals(s, &a);
			store_totals(k->store, &b);
			assert_memory_equal(&a, &b, sizeof(a));
			assert_memory_equal(&s->index.total, &k->store->index.total,
					    offsetof(struct sums, sample_sum));
			assert_int_equal(store_code_count(s), store_code_count(k->store));
			truth_free(&t);
			store_close(s);
		}
}

/* Ids that grow by one or more, with others flushed between them under numbers of no worth. */
static void write_retired(struct sbuf *out, unsigned rows, bool grow)
{
	sbuf_puts(out, "Kanata\t0004\nC=\t0\n");
	for (unsigned i = 0; i < rows; i++) {
		unsigned number = grow ? 3 * i : 3 * (i * 7919 % rows);

		sbuf_printf(out, "I\t%u\t%u\t0\nL\t%u\t0\t%x: add r1, r2\nS\t%u\t0\tF\nC\t1\n", i,
			    i, i, 0x1000 + 4 * i, i);
		if (i % 5 == 4)
			sbuf_printf(out, "R\t%u\t%u\t1\n", i, i / 2);
		else
			sbuf_printf(out, "R\t%u\t%u\t%s\n", i, number, i % 2 ? "0" : "");
	}
}

TEST(found_by_retire_id)
{
	enum { ROWS = 3001 };

	for (int grow = 0; grow < 2; grow++) {
		char path[40] = "/tmp/pipeglass-query-XXXXXX";
		struct sbuf text = {0};
		struct store *s;
		struct error e;
		uint64_t row;

		write_retired(&text, ROWS, grow);
		truth_write(path, sbuf_text(&text), text.len);
		s = truth_open(path, 2);
		for (unsigned i = 0; i < ROWS; i += grow ? 7 : 97) {
			unsigned number = grow ? 3 * i : 3 * (i * 7919 % ROWS);
			enum status status = store_find_retired(s, number, &row, &e);

			assert_int_equal(status, i % 5 == 4 ? STATUS_NOT_FOUND : STATUS_OK);
			if (!status)
				assert_int_equal(row, i);
			assert_int_equal(store_find_retired(s, number + 1, &row, &e),
					 STATUS_NOT_FOUND);
		}
		assert_int_equal(store_find_retired(s, UINT64_MAX, &row, &e), STATUS_NOT_FOUND);
		sbuf_free(&text);
		store_close(s);
		unlink(path);
	}
}

TEST(what_has_no_retire_ids)
{
	static const char text[] =
	    "O3PipeView:fetch:1000:0x400:0:7:a\nO3PipeView:retire:2000:store:0\n";
	char path[40] = "/tmp/pipeglass-query-XXXXXX";
	struct store *s;
	struct error e;
	uint64_t row;

	truth_write(path, text, sizeof(text) - 1);
	s = truth_open(path, 1);
	assert_int_equal(store_find_retired(s, 7, &row, &e), STATUS_UNSUPPORTED);
	store_close(s);
	unlink(path);
}

FIXTURES(make_traces, drop_traces)
