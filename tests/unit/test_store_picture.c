/*
 * src/store: pictures. Little text: every cell is what the stays under it say. Much text: each
 * cell is empty just when no row of its line lived then, has the events that happened in it, no
 * fate is missing from a line, and no event or fate shows that no row of the line has. Where text
 * is not read again an event may be in another cell of its row's. Stages are near the truth.
 */
#include "config.h"

#include "store_truth.h"
#include "testing.h"

/* name, bytes, what is odd about it, packed */
#define TRACES(_)                                                                                  \
	_(LONG, 16 << 20, ODD_SQUASH | ODD_STOCK | ODD_LOST | ODD_QUIET | ODD_DROPPED, false)      \
	_(PACKED, 8 << 20, ODD_SQUASH | ODD_STOCK | ODD_LOST | ODD_QUIET, true)                    \
	_(PARTIAL, 1 << 20, ODD_SQUASH | ODD_GPV | ODD_PARTIAL | ODD_LOST | ODD_STUCK, false)      \
	_(REVIVED, 2 << 20, ODD_SQUASH | ODD_REVIVED | ODD_PARTIAL, false)                         \
	_(SHORT, 20 << 10, ODD_SQUASH | ODD_STOCK | ODD_PARTIAL | ODD_QUIET, false)

enum {
#define TRACE_ENUM(name, bytes, odd, packed) TRACE_##name,
	TRACES(TRACE_ENUM)
#undef TRACE_ENUM
	    TRACE_COUNT
};

enum { LINES = 24, COLUMNS = 40, CELLS = LINES * COLUMNS };

static struct known {
	char path[40];
	struct store *store;
	struct truth t;
	struct filter *filter;
	uint64_t stages; /* that any row was in; the first stands for none */
	bool packed;
} known[TRACE_COUNT];

static uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);

static uint64_t dice(uint64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return n ? seed % n : 0;
}

static void pack(const char *path)
{
	struct sbuf command = {0};

	sbuf_printf(&command, "gzip -1 <%s >%s.gz && mv %s.gz %s", path, path, path, path);
	assert_int_equal(system(sbuf_text(&command)), 0);
	sbuf_free(&command);
}

static void load(struct known *k)
{
	k->store = truth_open(k->path, 2);
	truth_load(&k->t, k->store);
	k->stages = 1;
	for (size_t i = 0; i < k->t.d.stay_count; i++)
		k->stages |= UINT64_C(1) << k->t.d.stays[i].stage;
}

static int make_traces(void **state)
{
	static const struct {
		size_t bytes;
		unsigned odd;
		bool packed;
	} made[] = {
#define TRACE_ROW(name, bytes, odd, packed) {bytes, odd, packed},
	    TRACES(TRACE_ROW)
#undef TRACE_ROW
	};
	struct filter_spec spec = {.no_micro_ops = true,
				   .fates = 1u << FATE_SQUASHED | 1u << FATE_UNKNOWN |
					    1u << FATE_IN_FLIGHT};

	(void)state;
	for (int i = 0; i < TRACE_COUNT; i++) {
		struct known *k = &known[i];
		struct gen g;

		gen_trace(&g, 11 + (uint64_t)i, made[i].odd, made[i].bytes);
		strcpy(k->path, "/tmp/pipeglass-picture-XXXXXX");
		truth_write(k->path, g.text, g.len);
		gen_free(&g);
		k->packed = made[i].packed;
		if (k->packed)
			pack(k->path);
		load(k);
		assert_int_equal(filter_new(&k->filter, k->store, &spec, NULL, NULL), STATUS_OK);
	}
	return 0;
}

static int drop_traces(void **state)
{
	(void)state;
	for (struct known *k = known; k < known + TRACE_COUNT; k++) {
		filter_free(k->filter);
		truth_free(&k->t);
		store_close(k->store);
		unlink(k->path);
	}
	return 0;
}

/* ---- what the rows say -------------------------------------------------------------------- */

/* What a cell holds, from the stays and from rows as the index knows them. */
struct told {
	uint64_t weight[STAGE_MAX];
	uint16_t events;
	uint8_t fates;
	bool lived; /* a row of the line was alive in it */
	bool survivors; /* rows that did not fail */
};

/* What the rows of a line have, wherever. */
struct line_told {
	uint16_t events, events_inside; /* inside: of rows alive then, wherever their events are */
	uint8_t fates, fates_inside;
};

static struct told told[CELLS];
static struct line_told lines_told[LINES];

struct view {
	const struct known *k;
	const struct picture_request *q;
	int64_t end; /* of the last column */
};

static int column_of(const struct view *v, int64_t tick)
{
	return (int)((uint64_t)(tick - v->q->tick0) >> v->q->tick_zoom);
}

static void tell_span(const struct view *v, int line, int64_t from, int64_t to, int stage,
		      unsigned fate)
{
	to = to == TICK_NONE ? v->k->t.end : to;
	to = to == from ? to + 1 : to;
	from = from > v->q->tick0 ? from : v->q->tick0;
	to = to < v->end ? to : v->end;
	for (int64_t t = from; t < to;) {
		int c = column_of(v, t);
		int64_t next = v->q->tick0 + ((int64_t)(c + 1) << v->q->tick_zoom);
		struct told *cell = &told[line * COLUMNS + c];

		next = next < to ? next : to;
		if (stage < 0)
			cell->lived = true;
		else
			cell->weight[stage] += (uint64_t)(next - t);
		if (stage >= 0 && fate != FATE_SQUASHED && fate != FATE_DROPPED && fate != FATE_LOST)
			cell->survivors = true;
		t = next;
	}
}

static void tell_point(const struct view *v, int line, int64_t tick, unsigned events,
		       unsigned fates)
{
	if (tick < v->q->tick0 || tick >= v->end)
		return;
	told[line * COLUMNS + column_of(v, tick)].events |= (uint16_t)events;
	told[line * COLUMNS + column_of(v, tick)].fates |= (uint8_t)fates;
}

static void tell_row(const struct view *v, int line, const struct detail_row *d)
{
	const struct row *r = &d->head;
	struct line_told *l = &lines_told[line];
	int64_t last = r->end == TICK_NONE ? v->k->t.end - 1 : r->end;

	tell_span(v, line, r->start, r->end, -1, r->fate);
	if (d->stays == 0)
		tell_span(v, line, r->start, r->end, 0, r->fate);
	for (uint32_t i = 0; i < d->stays; i++) {
		const struct stay *s = &v->k->t.d.stays[d->stay0 + i];

		tell_span(v, line, s->start, s->end, s->stage, r->fate);
		tell_point(v, line, s->start, s->events, 0);
	}
	tell_point(v, line, last, 0, 1u << r->fate);
	l->events |= r->events;
	l->fates |= (uint8_t)(1u << r->fate);
	/* alive in the ticks shown; one that ended as they begin is not */
	if (r->start < v->end && (last > v->q->tick0 || r->start >= v->q->tick0))
		l->events_inside |= r->events;
	if (r->start < v->end && last < v->end && (last > v->q->tick0 || r->start >= v->q->tick0))
		l->fates_inside |= (uint8_t)(1u << r->fate);
}

static void tell(const struct view *v)
{
	const struct picture_request *q = v->q;

	memset(told, 0, sizeof(told));
	memset(lines_told, 0, sizeof(lines_told));
	for (uint64_t i = q->row0; (i - q->row0) >> q->row_zoom < LINES; i++) {
		uint64_t row = q->filter ? filter_row(q->filter, i) : i;

		if (row >= v->k->t.d.count)
			break;
		tell_row(v, (int)((i - q->row0) >> q->row_zoom), &v->k->t.d.rows[row]);
	}
}

/* ---- what the picture shows --------------------------------------------------------------- */

static const char *cell_exact(const struct picture_cell *c, const struct told *t, bool first)
{
	uint64_t best = 0;
	uint64_t stages = 0;

	for (unsigned i = 0; i < STAGE_MAX; i++) {
		stages |= (uint64_t)(t->weight[i] != 0) << i;
		best = t->weight[i] > best ? t->weight[i] : best;
	}
	if (c->stages != stages)
		return "stages";
	if (best ? c->stage >= STAGE_MAX || t->weight[c->stage] != best : c->stage != PICTURE_EMPTY)
		return "dominant stage";
	if (c->events != t->events)
		return "events";
	if (c->survivors != t->survivors)
		return "survivors";
	/* rows that end as the first column begins may or may not be looked at */
	return c->fates == t->fates || (first && (c->fates & ~t->fates) == 0) ? NULL : "fates";
}

static const char *cell_sound(const struct picture_cell *c, const struct told *t,
			      const struct line_told *l, uint64_t stages)
{
	if ((c->stage == PICTURE_EMPTY) == t->lived) {
		bool zero = t->weight[0] || t->weight[1] || t->weight[2] || t->weight[3] ||
			    t->weight[4];

		/* a row without length is drawn as one tick long */
		if (t->lived || !zero)
			return "emptiness";
	}
	if (c->stage != PICTURE_EMPTY && !(c->stages >> c->stage & 1))
		return "a dominant stage that is not there";
	if (c->stages & ~stages)
		return "a stage that no row of the trace was in";
	if (c->events & ~l->events)
		return "an event that no row of the line has";
	return c->fates & ~l->fates ? "a fate that no row of the line has" : NULL;
}

static const char *line_whole(const struct picture_cell *c, const struct line_told *l)
{
	uint16_t events = 0;
	uint8_t fates = 0;

	for (int i = 0; i < COLUMNS; i++) {
		events |= c[i].events;
		fates |= c[i].fates;
	}
	if (l->events_inside & ~events)
		return "an event is hidden";
	return l->fates_inside & ~fates ? "a fate is hidden" : NULL;
}

static void look(const struct known *k, const struct picture_request *q, int seen[2])
{
	struct view v = {k, q, q->tick0 + ((int64_t)COLUMNS << q->tick_zoom)};
	struct picture_cell cells[CELLS];
	const char *why = NULL;
	bool exact;
	int i;

	assert_int_equal(store_picture(k->store, q, cells, &exact, NULL), STATUS_OK);
	seen[exact]++;
	tell(&v);
	for (i = 0; i < CELLS && !why; i++)
		why = exact ? cell_exact(&cells[i], &told[i], i % COLUMNS == 0)
			    : cell_sound(&cells[i], &told[i], &lines_told[i / COLUMNS],
					 k->stages);
	for (int line = 0; line < LINES && !why && !exact; line++) {
		i = line * COLUMNS;
		why = line_whole(cells + i, &lines_told[line]);
	}
	if (why)
		fail_msg("trace %d%s, row0 %llu, tick0 %lld, zooms %d %d, line %d, column %d%s: %s",
			 (int)(k - known), q->filter ? ", filtered" : "",
			 (unsigned long long)q->row0, (long long)q->tick0, q->row_zoom,
			 q->tick_zoom, (i - 1) / COLUMNS, (i - 1) % COLUMNS, exact ? ", exact" : "",
			 why);
}

static int fitting(uint64_t n, int cells)
{
	int zoom = 0;

	while ((uint64_t)cells << zoom < n)
		zoom++;
	return zoom;
}

/* Anywhere: at the zoom that shows all, and at less. */
TEST(pictures_tell_the_rows)
{
	for (struct known *k = known; k < known + TRACE_COUNT; k++) {
		int64_t ticks = k->t.end - k->t.first;
		int seen[2] = {0, 0};

		for (int times = 0; times < ROUNDS(70); times++) {
			struct picture_request q = {.lines = LINES, .columns = COLUMNS};
			uint64_t n;
			int64_t back = 0;

			q.filter = times % 3 == 2 ? k->filter : NULL;
			n = q.filter ? filter_count(q.filter) : k->t.d.count;
			q.row_zoom = fitting(n, LINES) - (int)dice(3);
			q.tick_zoom = fitting((uint64_t)ticks, COLUMNS) - (int)dice(3);
			if (times % 5 == 4) {
				q.row_zoom = (int)dice(4);
				q.tick_zoom = (int)dice(6);
			}
			q.row_zoom = q.row_zoom < 0 ? 0 : q.row_zoom;
			q.tick_zoom = q.tick_zoom < 0 ? 0 : q.tick_zoom;
			if (times % 2)
				q.row0 = dice(times % 4 == 1 ? n : n / 9);
			q.row0 = q.row0 >> q.row_zoom << q.row_zoom;
			/* near where the rows are */
			if (q.row0) {
				uint64_t row = q.filter ? filter_row(q.filter, q.row0) : q.row0;

				back = k->t.d.rows[row].head.start - k->t.first;
			}
			q.tick0 = k->t.first + back - (int64_t)dice(UINT64_C(3) << q.tick_zoom);
			look(k, &q, seen);
		}
		if (k - known == TRACE_SHORT)
			assert_int_equal(seen[0], 0);
		else if (k - known == TRACE_LONG)
			assert_true(seen[0] > ROUNDS(10) && seen[1] > ROUNDS(10));
	}
}

/* Of the ticks that the longest stage of each cell has: the share that the stages shown have. */
static double nearness(const struct known *k, int closer)
{
	struct picture_request q = {
	    .tick0 = k->t.first,
	    .lines = LINES,
	    .columns = COLUMNS,
	    .row_zoom = fitting(k->t.d.count, LINES) - closer,
	    .tick_zoom = fitting((uint64_t)(k->t.end - k->t.first), COLUMNS) - closer};
	struct view v = {k, &q, q.tick0 + ((int64_t)COLUMNS << q.tick_zoom)};
	struct picture_cell cells[CELLS];
	double shown = 0, most = 0;
	bool exact;

	assert_int_equal(store_picture(k->store, &q, cells, &exact, NULL), STATUS_OK);
	assert_false(exact);
	tell(&v);
	for (int i = 0; i < CELLS; i++) {
		uint64_t best = 0;

		for (int stage = 0; stage < STAGE_MAX; stage++)
			best = told[i].weight[stage] > best ? told[i].weight[stage] : best;
		most += (double)best;
		if (cells[i].stage != PICTURE_EMPTY)
			shown += (double)told[i].weight[cells[i].stage];
	}
	return shown / most;
}

TEST(stages_are_near)
{
	for (int closer = 0; closer < 2; closer++) {
		assert_true(nearness(&known[TRACE_LONG], closer) > 0.98);
		assert_true(nearness(&known[TRACE_PACKED], closer) > 0.98);
	}
}

/* By fields: nobody says what lies between them. */
static void same_cell(const struct picture_cell *a, const struct picture_cell *b)
{
	assert_int_equal(a->stages, b->stages);
	assert_int_equal(a->events, b->events);
	assert_int_equal(a->stage, b->stage);
	assert_int_equal(a->fates, b->fates);
	assert_int_equal(a->survivors, b->survivors);
}

TEST(any_number_of_workers)
{
	static const int threads[] = {1, 5};

	for (struct known *k = known; k < known + TRACE_COUNT; k++)
		for (size_t i = 0; i < 2; i++) {
			struct store *s = truth_open(k->path, threads[i]);
			struct picture_request q = {
			    .tick0 = k->t.first,
			    .lines = LINES,
			    .columns = COLUMNS,
			    .row_zoom = fitting(k->t.d.count, LINES),
			    .tick_zoom = fitting((uint64_t)(k->t.end - k->t.first), COLUMNS)};
			struct picture_cell a[CELLS], b[CELLS];
			bool exact[2];

			store_picture(s, &q, a, &exact[0], NULL);
			store_picture(k->store, &q, b, &exact[1], NULL);
			assert_int_equal(exact[0], exact[1]);
			for (int c = 0; c < CELLS; c++)
				same_cell(&a[c], &b[c]);
			store_close(s);
		}
}

FIXTURES(make_traces, drop_traces)
