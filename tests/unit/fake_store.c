#include "config.h"

#include "fake_store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/xalloc.h"
#include "pipeline/kind.h"

struct fake_row {
	struct row head;
	uint64_t id, pc;
	char text[40];
	bool has_pc;
	VEC(struct stay) stays;
	VEC(struct link) links;
};

struct store {
	struct trace trace; /* first: see kind.h */
	VEC(struct fake_row) rows;
	VEC(double) samples; /* by tick - first */
	struct warning warnings[8];
	size_t warning_count;
	int64_t first, last, ticks_per_cycle;
	size_t lanes, threads, links;
};

struct filter {
	const struct store *s;
	uint64_t *rows;
	size_t count;
};

int fake_detail_calls, fake_picture_calls, fake_consumer_calls;

#define FATE_NAME(name, text, letter, help)   text,
#define FATE_LETTER(name, text, letter, help) letter,
const char *const fate_names[FATE_COUNT] = {FATE_INFO(FATE_NAME)};
const char fate_letters[FATE_COUNT] = {FATE_INFO(FATE_LETTER)};

static const struct stage_info stages[FAKE_STAGES] = {
    {"IF", 'F', ROLE_FETCH, 0, "fetch"},
    {"DA", 'D', ROLE_DECODE, 1, "dispatch, waiting for operands"},
    {"EX", 'X', ROLE_EXECUTE, 2, "executing"},
    {"WB", 'W', ROLE_WRITEBACK, 3, "done, waiting to commit"},
    {"CT", 'C', ROLE_COMMIT, 4, "commit"},
};

static const struct event_info events[FAKE_EVENTS] = {
    {"cache-miss", 1, '*', 0, true, true, "cache miss"},
    {"tlb-miss", 2, '!', 1, true, true, "TLB miss"},
    {"mispredict", 4, '/', 2, true, false, "predicted next pc is wrong"},
    {"mispredict-detected", 8, '\\', 3, true, false, "recovery"},
    {"agen", 16, '+', 4, false, false, "address generation"},
};

static const struct reader fake_reader = {
    .name = "fake", .title = "made for a test", .unit = "cycle"};

struct store *fake_new(void)
{
	struct store *s = xcalloc(1, sizeof(*s));

	s->trace = (struct trace){&pipeline_kind, {"fake", "made for a test", "cycle", NULL, NULL}, NULL};
	s->last = -1;
	return s;
}

void fake_free(struct store *s)
{
	for (size_t i = 0; i < s->rows.count; i++) {
		vec_free(&s->rows.data[i].stays);
		vec_free(&s->rows.data[i].links);
	}
	vec_free(&s->rows);
	vec_free(&s->samples);
	free(s);
}

static void see_tick(struct store *s, int64_t tick)
{
	if (s->last < s->first)
		s->first = s->last = tick;
	if (tick > s->last)
		s->last = tick;
	if (tick < s->first)
		s->first = tick;
}

void fake_ticks(struct store *s, int64_t first, int64_t last)
{
	see_tick(s, first);
	see_tick(s, last);
}

uint64_t fake_birth(struct store *s, int64_t tick, uint64_t id, uint64_t pc, const char *text)
{
	struct fake_row r = {
	    .head = {.row = s->rows.count,
		     .start = tick,
		     .end = TICK_NONE,
		     .parent = ROW_NONE,
		     .code = CODE_NONE,
		     .fate = FATE_IN_FLIGHT,
		     .dominant = STAGE_NONE},
	    .id = id,
	    .pc = pc,
	    .has_pc = true,
	};

	snprintf(r.text, sizeof(r.text), "%s", text);
	see_tick(s, tick);
	if (!vec_push(&s->rows, r))
		abort();
	return r.head.row;
}

static void close_stay(struct fake_row *r, int64_t tick)
{
	if (r->stays.count && vec_last(&r->stays).end == TICK_NONE)
		vec_last(&r->stays).end = tick;
}

void fake_enter(struct store *s, uint64_t row, int64_t tick, unsigned stage, unsigned set,
		int32_t latency, unsigned colour)
{
	struct fake_row *r = &s->rows.data[row];
	struct stay stay = {.start = tick,
			    .end = TICK_NONE,
			    .latency = latency,
			    .events = (uint16_t)set,
			    .colour = (uint16_t)colour,
			    .stage = (uint8_t)stage};

	see_tick(s, tick);
	close_stay(r, tick);
	if (stages[stage].role == ROLE_COMMIT)
		stay.end = tick;
	if (!vec_push(&r->stays, stay))
		abort();
	r->head.events |= (uint16_t)set;
}

void fake_end(struct store *s, uint64_t row, int64_t tick, enum fate fate)
{
	struct fake_row *r = &s->rows.data[row];

	see_tick(s, tick);
	close_stay(r, tick);
	r->head.end = tick;
	r->head.fate = (uint8_t)fate;
}

void fake_parent(struct store *s, uint64_t row, uint64_t parent)
{
	s->rows.data[row].head.parent = parent;
	s->rows.data[row].head.micro_op = true;
}

void fake_code(struct store *s, uint64_t row, uint64_t first)
{
	s->rows.data[row].head.code = (uint32_t)first;
}

void fake_unknown(struct store *s, uint64_t row)
{
	s->rows.data[row].head.fate = FATE_UNKNOWN;
	s->rows.data[row].has_pc = false;
	s->rows.data[row].text[0] = '\0';
}

void fake_sample(struct store *s, int64_t tick, double value)
{
	while (s->samples.count <= (size_t)(tick - s->first))
		if (!vec_push(&s->samples, NAN))
			abort();
	s->samples.data[tick - s->first] = value;
}

/* Stays come in the order of their starts, lane or no lane. */
void fake_lane(struct store *s, uint64_t row, unsigned lane, int64_t start, int64_t end,
	       unsigned stage)
{
	struct fake_row *r = &s->rows.data[row];
	struct stay stay = {.start = start,
			    .end = end,
			    .latency = -1,
			    .stage = (uint8_t)stage,
			    .lane = (uint8_t)lane};
	size_t at = r->stays.count;

	if (!vec_push(&r->stays, stay))
		abort();
	for (; at > 0 && r->stays.data[at - 1].start > start; at--) {
		r->stays.data[at] = r->stays.data[at - 1];
		r->stays.data[at - 1] = stay;
	}
	if (s->lanes <= lane)
		s->lanes = lane + 1;
}

void fake_thread(struct store *s, uint64_t row, uint16_t thread)
{
	s->rows.data[row].head.thread = thread;
	if (s->threads < thread)
		s->threads = thread;
}

void fake_link(struct store *s, uint64_t consumer, uint64_t producer, int64_t tick, uint8_t type)
{
	struct link l = {s->rows.data[producer].id, ROW_NONE, tick, type};

	if (!vec_push(&s->rows.data[consumer].links, l))
		abort();
	s->links++;
}

void fake_clock(struct store *s, int64_t ticks_per_cycle)
{
	s->ticks_per_cycle = ticks_per_cycle;
}

void fake_warning(struct store *s, uint64_t line, uint64_t row, const char *text)
{
	s->warnings[s->warning_count++] = (struct warning){line, line * 10, row, text};
}

/* ---- store.h ------------------------------------------------------------------------------ */

void store_progress(const struct store *s, struct progress *p)
{
	*p = (struct progress){.items = s->rows.count,
			       .first = s->first,
			       .last = s->last,
			       .complete = true,
			       .bytes_done = 1000,
			       .bytes_total = 1000,
			       .index_bytes = 120,
			       .source_bytes = 1000};
}

const struct reader *store_format(const struct store *s)
{
	(void)s;
	return &fake_reader;
}

const char *store_unit(const struct store *s)
{
	return s->ticks_per_cycle ? "tick" : store_format(s)->unit;
}

int64_t store_ticks_per_cycle(const struct store *s)
{
	return s->ticks_per_cycle ? s->ticks_per_cycle : 1;
}

size_t store_lane_count(const struct store *s)
{
	return s->lanes;
}

const char *store_lane(const struct store *s, size_t lane)
{
	static const char *const names[] = {"0", "1", "2", "3"};

	(void)s;
	return names[lane];
}

size_t store_thread_count(const struct store *s)
{
	return s->threads;
}

int64_t store_thread(const struct store *s, uint16_t thread)
{
	(void)s;
	return 100 + thread;
}

uint64_t store_link_count(const struct store *s)
{
	return s->links;
}

bool store_link_count_is_bound(const struct store *s)
{
	(void)s;
	return false;
}

uint64_t store_link_row(struct store *s, const struct link *link, uint64_t consumer)
{
	(void)consumer;
	for (size_t i = 0; i < s->rows.count; i++)
		if (s->rows.data[i].id == link->id)
			return i;
	return ROW_NONE;
}

enum status store_consumers(struct store *s, uint64_t row, struct link *out, size_t max, size_t *n,
			    struct error *e)
{
	(void)e;
	fake_consumer_calls++;
	*n = 0;
	for (size_t i = 0; i < s->rows.count; i++)
		for (size_t k = 0; k < s->rows.data[i].links.count && *n < max; k++) {
			const struct link *l = &s->rows.data[i].links.data[k];

			if (l->id == s->rows.data[row].id)
				out[(*n)++] =
				    (struct link){s->rows.data[i].id, i, l->tick, l->type};
		}
	return STATUS_OK;
}

size_t store_stage_count(const struct store *s)
{
	(void)s;
	return FAKE_STAGES;
}

const struct stage_info *store_stage(const struct store *s, size_t stage)
{
	(void)s;
	return &stages[stage];
}

size_t store_event_count(const struct store *s)
{
	(void)s;
	return FAKE_EVENTS;
}

const struct event_info *store_event(const struct store *s, size_t event)
{
	(void)s;
	return &events[event];
}

size_t store_metric_count(const struct store *s)
{
	return s->samples.count ? 1 : 0;
}

bool store_metric(const struct store *s, size_t metric, struct metric_info *out)
{
	if (metric >= store_metric_count(s))
		return false;
	*out = (struct metric_info){
	    .name = "sim_num_insn", .sampled = true, .samples = s->samples.count};
	for (size_t i = 0; i < s->samples.count; i++)
		out->max = s->samples.data[i] > out->max ? s->samples.data[i] : out->max;
	return true;
}

static void count_stay(struct totals *t, const struct stay *y)
{
	t->stage_entries[y->stage]++;
	if (y->end != TICK_NONE)
		t->stage_ticks[y->stage] += y->end - y->start;
	for (int e = 0; e < FAKE_EVENTS; e++)
		if (y->events >> e & 1) {
			t->event_counts[e]++;
			t->event_latency[e] +=
			    y->latency > 0 && y->colour >> e & 1 ? y->latency : 0;
		}
}

void store_totals(const struct store *s, struct totals *t)
{
	*t = (struct totals){.instructions = s->rows.count};
	for (size_t i = 0; i < s->rows.count; i++) {
		const struct fake_row *r = &s->rows.data[i];

		t->fates[r->head.fate]++;
		t->micro_ops += r->head.micro_op;
		t->committed_macro += r->head.fate == FATE_COMMITTED && !r->head.micro_op;
		for (size_t k = 0; k < r->stays.count; k++)
			count_stay(t, &r->stays.data[k]);
		for (int e = 0; e < FAKE_EVENTS; e++)
			t->event_rows[e] += r->head.events >> e & 1;
	}
	t->instructions -= t->fates[FATE_UNKNOWN];
}

size_t store_note_count(const struct store *s)
{
	(void)s;
	return 1;
}

const char *store_note(const struct store *s, size_t i, uint64_t *count)
{
	(void)s;
	*count = 3;
	return i == 0 ? "foreign-lines" : NULL;
}

uint64_t store_warning_count(const struct store *s)
{
	return s->warning_count;
}

bool store_warning(const struct store *s, size_t i, struct warning *out)
{
	if (i >= s->warning_count)
		return false;
	*out = s->warnings[i];
	return true;
}

bool store_code(const struct store *s, uint32_t code, uint64_t *pc, bool *has_pc, const char **text,
		size_t *len)
{
	const struct fake_row *r;

	if (code >= s->rows.count)
		return false;
	r = &s->rows.data[code];
	*pc = r->pc;
	*has_pc = r->has_pc;
	*text = r->text;
	*len = strlen(r->text);
	return true;
}

size_t store_code_count(const struct store *s)
{
	return s->rows.count;
}

/* It was made, not read. */
struct source *store_source(struct store *s)
{
	(void)s;
	return NULL;
}

uint64_t store_row_count(const struct store *s)
{
	return s->rows.count;
}

bool store_row(const struct store *s, uint64_t row, struct row *out)
{
	return store_rows(s, row, 1, out) == 1;
}

size_t store_rows(const struct store *s, uint64_t first, size_t n, struct row *out)
{
	size_t i;

	for (i = 0; i < n && first + i < s->rows.count; i++)
		out[i] = s->rows.data[first + i].head;
	return i;
}

uint64_t store_row_born_at(const struct store *s, int64_t tick)
{
	uint64_t row = 0;

	while (row < s->rows.count && s->rows.data[row].head.start < tick)
		row++;
	return row;
}

void store_rows_alive(const struct store *s, int64_t t0, int64_t t1, uint64_t *from, uint64_t *to)
{
	*from = *to = 0;
	for (uint64_t row = 0; row < s->rows.count; row++) {
		const struct row *r = &s->rows.data[row].head;

		if (r->start < t1 && r->end >= t0) {
			if (*from == *to)
				*from = row;
			*to = row + 1;
		}
	}
}

static bool add_row(struct detail *d, const struct fake_row *r)
{
	struct detail_row out = {.head = r->head,
				 .id = r->id,
				 .pc = r->pc,
				 .has_pc = r->has_pc,
				 .offset = r->head.row * 50,
				 .line = r->head.row * 3 + 1,
				 .stay0 = (uint32_t)d->stay_count,
				 .stays = (uint32_t)r->stays.count,
				 .text0 = (uint32_t)d->text.len,
				 .text_len = (uint32_t)strlen(r->text),
				 .link0 = (uint32_t)d->link_count,
				 .links = (uint32_t)r->links.count};

	d->rows = xreallocarray(d->rows, d->count + 1, sizeof(*d->rows));
	d->rows[d->count++] = out;
	d->stays = xreallocarray(d->stays, d->stay_count + r->stays.count + 1, sizeof(*d->stays));
	for (size_t i = 0; i < r->stays.count; i++)
		d->stays[d->stay_count++] = r->stays.data[i];
	d->links = xreallocarray(d->links, d->link_count + r->links.count + 1, sizeof(*d->links));
	for (size_t i = 0; i < r->links.count; i++)
		d->links[d->link_count++] = r->links.data[i];
	sbuf_puts(&d->text, r->text);
	return true;
}

enum status store_detail(struct store *s, uint64_t first, size_t n, struct detail *d,
			 struct error *e)
{
	(void)e;
	fake_detail_calls++;
	d->count = d->stay_count = d->link_count = 0;
	sbuf_clear(&d->text);
	for (size_t i = 0; i < n && first + i < s->rows.count; i++)
		add_row(d, &s->rows.data[first + i]);
	return STATUS_OK;
}

void detail_free(struct detail *d)
{
	free(d->rows);
	free(d->stays);
	free(d->links);
	sbuf_free(&d->text);
	*d = (struct detail){0};
}

enum status store_row_lines(struct store *s, uint64_t row, store_line_fn *fn, void *arg,
			    struct error *e)
{
	const struct fake_row *r = &s->rows.data[row];
	char line[100];

	(void)e;
	snprintf(line, sizeof(line), "+ %u 0x%08x 0x00000000 %s", (unsigned)r->id, (unsigned)r->pc,
		 r->text);
	if (!fn(arg, row * 50, r->head.start, line, strlen(line)))
		return STATUS_OK;
	for (size_t i = 0; i < r->stays.count; i++) {
		const struct stay *y = &r->stays.data[i];

		snprintf(line, sizeof(line), "* %u %s 0x%03x", (unsigned)r->id,
			 stages[y->stage].name, y->events);
		if (!fn(arg, row * 50 + 20 + i * 10, y->start, line, strlen(line)))
			return STATUS_OK;
	}
	return STATUS_OK;
}

static void see_stay(struct picture_cell *cells, int64_t *weight, const struct picture_request *q,
		     const struct stay *y, int64_t last)
{
	int64_t end = y->end == TICK_NONE ? last + 1 : y->end;

	for (int c = 0; c < q->columns; c++) {
		int64_t width = (q->tick_step > 1 ? q->tick_step : 1) << q->tick_zoom;
		int64_t t0 = q->tick0 + c * width, t1 = t0 + width;
		int64_t in = (end < t1 ? end : t1) - (y->start > t0 ? y->start : t0);

		if (in > 0 || (y->start >= t0 && y->start < t1))
			cells[c].stages |= UINT64_C(1) << y->stage;
		if (in > 0)
			weight[c * FAKE_STAGES + y->stage] += in;
		if (y->start >= t0 && y->start < t1) {
			cells[c].events |= y->events;
			weight[c * FAKE_STAGES + y->stage] += 0;
			if (cells[c].stage == PICTURE_EMPTY)
				cells[c].stage = y->stage;
		}
	}
}

static void see_fate(struct picture_cell *cells, const struct picture_request *q,
		     const struct row *r)
{
	int64_t width = (q->tick_step > 1 ? q->tick_step : 1) << q->tick_zoom, column;

	if (r->end == TICK_NONE || r->end < q->tick0)
		return;
	column = (r->end - q->tick0) / width;
	if (column < q->columns)
		cells[column].fates |= (uint8_t)(1U << r->fate);
}

static void picture_line(const struct store *s, const struct picture_request *q, int line,
			 struct picture_cell *cells, int64_t *weight)
{
	uint64_t first = q->row0 + ((uint64_t)line << q->row_zoom);
	uint64_t count = q->filter ? q->filter->count : s->rows.count;

	for (int c = 0; c < q->columns; c++)
		cells[c] = (struct picture_cell){.stage = PICTURE_EMPTY};
	memset(weight, 0, sizeof(*weight) * (size_t)q->columns * FAKE_STAGES);
	for (uint64_t i = first; i < count && i - first < UINT64_C(1) << q->row_zoom; i++) {
		const struct fake_row *r = &s->rows.data[q->filter ? q->filter->rows[i] : i];

		for (size_t k = 0; k < r->stays.count; k++)
			see_stay(cells, weight, q, &r->stays.data[k], s->last);
		see_fate(cells, q, &r->head);
	}
	for (int c = 0; c < q->columns; c++) {
		int64_t best = 0;

		for (int st = 0; st < FAKE_STAGES; st++)
			if (weight[c * FAKE_STAGES + st] > best) {
				best = weight[c * FAKE_STAGES + st];
				cells[c].stage = (uint8_t)st;
			}
	}
}

enum status store_picture(struct store *s, const struct picture_request *q,
			  struct picture_cell *cells, bool *exact, struct error *e)
{
	int64_t *weight = xcalloc((size_t)q->columns * FAKE_STAGES + 1, sizeof(*weight));

	(void)e;
	fake_picture_calls++;
	for (int line = 0; line < q->lines && q->columns; line++)
		picture_line(s, q, line, cells + (size_t)line * (size_t)q->columns, weight);
	free(weight);
	*exact = true;
	return STATUS_OK;
}

static const char *const series_names[] = {
#define SERIES_NAME(name, text, help) text,
    SERIES_INFO(SERIES_NAME)
#undef SERIES_NAME
};

bool series_parse(const struct store *s, const char *name, const struct regex *component,
		  struct series *out)
{
	(void)s, (void)component;
	*out = (struct series){.stages = UINT64_MAX};
	if (strcmp(name, "sim_num_insn") == 0)
		out->kind = SERIES_STATISTIC;
	else
		while (out->kind < SERIES_STATISTIC && strcmp(series_names[out->kind], name) != 0)
			out->kind++;
	return out->kind != SERIES_STATISTIC || strcmp(name, "sim_num_insn") == 0;
}

static double mean(const struct store *s, const struct series *q, double a, double b)
{
	double sum = 0;

	for (size_t i = 0; i < s->rows.count; i++) {
		const struct row *r = &s->rows.data[i].head;
		double end = r->end == TICK_NONE ? (double)s->last + 1 : (double)r->end;

		if (q->kind == SERIES_FETCH)
			sum += (double)r->start >= a && (double)r->start < b;
		else if (q->kind == SERIES_IN_FLIGHT && end > a && (double)r->start < b)
			sum += fmin(end, b) - fmax((double)r->start, a);
		else if (r->fate == FATE_SQUASHED
			     ? q->kind == SERIES_SQUASH
			     : q->kind == SERIES_COMMIT || (q->kind == SERIES_IPC && !r->micro_op))
			sum += end >= a && end < b;
	}
	return sum / (b - a);
}

enum status store_series(struct store *s, const struct series *q, int64_t from, int64_t to,
			 size_t n, double *values, bool *exact, struct error *e)
{
	double width = (double)(to - from) / (double)n;

	(void)e;
	if (exact)
		*exact = true;
	for (size_t i = 0; i < n; i++) {
		double a = (double)from + (double)i * width;
		size_t at = (size_t)(a - (double)s->first);

		if (a > (double)s->last || a + width <= (double)s->first)
			values[i] = NAN;
		else if (q->kind == SERIES_STATISTIC)
			values[i] = at < s->samples.count ? s->samples.data[at] : NAN;
		else
			values[i] = mean(s, q, a, a + width);
	}
	return STATUS_OK;
}

static uint64_t find(const struct store *s, uint64_t row, int dir, const struct filter *f,
		     bool (*is)(const struct row *, unsigned), unsigned what)
{
	for (row += dir > 0 ? 1 : UINT64_MAX; row<s->rows.count; row += dir> 0 ? 1 : UINT64_MAX)
		if (is(&s->rows.data[row].head, what) && (!f || filter_has(f, row)))
			return row;
	return ROW_NONE;
}

static bool has_event(const struct row *r, unsigned event)
{
	return r->events >> event & 1;
}

static bool has_fate(const struct row *r, unsigned fate)
{
	return r->fate == fate;
}

uint64_t store_find_event(const struct store *s, unsigned event, uint64_t row, int dir,
			  const struct filter *filter)
{
	return find(s, row, dir, filter, has_event, event);
}

uint64_t store_find_fate(const struct store *s, enum fate fate, uint64_t row, int dir,
			 const struct filter *filter)
{
	return find(s, row, dir, filter, has_fate, fate);
}

enum status filter_new(struct filter **out, struct store *s, const struct filter_spec *spec,
		       const atomic_bool *stop, struct error *e)
{
	struct filter *f = xcalloc(1, sizeof(*f));

	(void)stop, (void)e;
	f->s = s;
	f->rows = xcalloc(s->rows.count + 1, sizeof(*f->rows));
	for (size_t i = 0; i < s->rows.count; i++) {
		const struct row *r = &s->rows.data[i].head;

		if ((spec->fates && !(spec->fates >> r->fate & 1)) ||
		    (spec->no_micro_ops && r->micro_op))
			continue;
		f->rows[f->count++] = i;
	}
	*out = f;
	return STATUS_OK;
}

void filter_free(struct filter *f)
{
	free(f->rows);
	free(f);
}

uint64_t filter_count(const struct filter *f)
{
	return f->count;
}

uint64_t filter_total(const struct filter *f)
{
	return f->s->rows.count;
}

uint64_t filter_rank(const struct filter *f, uint64_t row)
{
	uint64_t rank = 0;

	while (rank < f->count && f->rows[rank] < row)
		rank++;
	return rank;
}

uint64_t filter_row(const struct filter *f, uint64_t index)
{
	return index < f->count ? f->rows[index] : ROW_NONE;
}

bool filter_has(const struct filter *f, uint64_t row)
{
	uint64_t rank = filter_rank(f, row);

	return rank < f->count && f->rows[rank] == row;
}

/* ---- a small machine ---------------------------------------------------------------------- */

static unsigned next_random(unsigned *seed)
{
	*seed = *seed * 1103515245U + 12345U;
	return *seed >> 16 & 0x7fff;
}

static const char *const code[] = {
    "ldq r1,0(r19)",   "addq r19,8,r19",     "cmpult r9,r25,r11", "beq r11,0x30",
    "subq r25,r9,r6",  "stq r22,32(r23)",    "addq r10,r20,r10",  "mulq r1,r2,r3",
    "bis r31,r31,r18", "ldah r29,8192(r27)",
};

struct machine {
	struct store *s;
	unsigned seed;
	int64_t fetch, commit;  /* next tick of each */
	int fetched, committed; /* already, in that tick */
};

static int64_t in_order(int64_t *tick, int *used, int64_t wish)
{
	if (wish > *tick) {
		*tick = wish;
		*used = 0;
	} else if (*used == 4) {
		++*tick;
		*used = 0;
	}
	++*used;
	return *tick;
}

static void run_row(struct machine *m, uint64_t i, bool wrong_path, int64_t squash)
{
	unsigned kind = (unsigned)(i * 7 + i / 10) % 10, luck = next_random(&m->seed) % 1000;
	bool load = kind == 0, fetch_miss = luck < 4, miss = load && luck % 16 == 0;
	bool stalls = fetch_miss && !wrong_path;
	int64_t f = in_order(&m->fetch, &m->fetched, m->fetch + (stalls ? 18 : 0));
	int64_t d = f + 1 + (int64_t)(luck % 2), x = d + 1 + (int64_t)(luck % 5);
	int64_t w = x + 1 + (miss ? 30 + (int64_t)(luck % 20) : kind == 7 ? 6 : 0), c;
	uint64_t row = fake_birth(m->s, f, 1000 + i, 0x120007a8c + 4 * (i % 900), code[kind]);
	unsigned miss_set = miss ? (luck % 5 ? 1U : 3U) : 0;

	fake_enter(m->s, row, f, STAGE_IF, stalls, stalls ? 17 : -1, stalls);
	if (!wrong_path || d < squash)
		fake_enter(m->s, row, d, STAGE_DA, 0, -1, 0);
	if (!wrong_path || x < squash)
		fake_enter(m->s, row, x, STAGE_EX, miss_set | (kind == 5 ? 16U : 0),
			   (int32_t)(w - x), miss_set & 1);
	if (!wrong_path || w < squash)
		fake_enter(m->s, row, w, STAGE_WB, 0, -1, 0);
	if (wrong_path) {
		fake_end(m->s, row, squash, FATE_SQUASHED);
		return;
	}
	c = in_order(&m->commit, &m->committed, w + 1);
	fake_enter(m->s, row, c, STAGE_CT, 0, -1, 0);
	fake_end(m->s, row, c, FATE_COMMITTED);
}

/* A branch that went wrong: six rows of the wrong path, then a new start. */
static void mispredict(struct machine *m, uint64_t *i)
{
	int64_t f = in_order(&m->fetch, &m->fetched, m->fetch), w = f + 9, c;
	uint64_t row = fake_birth(m->s, f, 1000 + *i, 0x120007a98, "bne r4,0xffffffc8");

	fake_enter(m->s, row, f, STAGE_IF, 0, -1, 0);
	fake_enter(m->s, row, f + 2, STAGE_DA, 4, -1, 0);
	fake_enter(m->s, row, w - 1, STAGE_EX, 0, -1, 0);
	fake_enter(m->s, row, w, STAGE_WB, 8, -1, 0);
	for (int k = 0; k < 6 && m->fetch < w - 1; k++)
		run_row(m, ++*i, true, w);
	c = in_order(&m->commit, &m->committed, w + 1);
	fake_enter(m->s, row, c, STAGE_CT, 0, -1, 0);
	fake_end(m->s, row, c, FATE_COMMITTED);
	in_order(&m->fetch, &m->fetched, w + 1);
	m->fetched = 0;
}

struct store *fake_pipeline(uint64_t n, unsigned seed)
{
	struct machine m = {.s = fake_new(), .seed = seed};

	for (uint64_t i = 0; i < n; i++) {
		if (next_random(&m.seed) % 40 == 0)
			mispredict(&m, &i);
		else
			run_row(&m, i, false, 0);
	}
	for (int64_t t = m.s->first; t <= m.s->last; t++)
		fake_sample(m.s, t, (double)(t * 3 / 2));
	return m.s;
}

/* ---- as a trace: what views ask of any ---- */

static void fake_progress(const struct trace *t, struct progress *p)
{
	store_progress((const struct store *)t, p);
}

static int64_t fake_ticks_per_cycle(const struct trace *t)
{
	return store_ticks_per_cycle((const struct store *)t);
}

static enum status fake_values(struct trace *t, const struct metric_ref *m, int64_t from,
			       int64_t to, size_t n, double *values, bool *exact, struct error *e)
{
	const struct series q = {(enum series_kind)m->kind, m->set, m->index};
	enum status status = store_series((struct store *)t, &q, from, to, n, values, exact, e);

	for (size_t i = 0; m->rate && i < n; i++)
		values[i] *= (double)trace_ticks_per_cycle(t);
	return status;
}

static uint64_t fake_warning_count(const struct trace *t)
{
	return store_warning_count((const struct store *)t);
}

static bool fake_warning_at(const struct trace *t, size_t i, struct warning *out)
{
	return store_warning((const struct store *)t, i, out);
}

static size_t fake_note_count(const struct trace *t)
{
	return store_note_count((const struct store *)t);
}

static const char *fake_note(const struct trace *t, size_t i, uint64_t *count)
{
	return store_note((const struct store *)t, i, count);
}

const struct trace_kind pipeline_kind = {
    .name = "fake",
    .items = "instructions",
    .progress = fake_progress,
    .ticks_per_cycle = fake_ticks_per_cycle,
    .values = fake_values,
    .warning_count = fake_warning_count,
    .warning = fake_warning_at,
    .note_count = fake_note_count,
    .note = fake_note,
};
