/*
 * Chrome's JSON trace events ("Trace Event Format"), which Perfetto and chrome://tracing read.
 *
 * Rows are laid into slots, the fewest such that no two rows of one slot overlap: a thread each.
 * A row is a complete event named by its text, its stays lie below it, named by their stages.
 * Stays of another lane cross those of the pipeline, and events of one thread have to nest:
 * another lane is another process with the same slots. A tick is written as a microsecond, which
 * is the format's unit. Curves are counters, means over EXPORT_BINS bins at most.
 */
#include "config.h"

#include "cmd/pipeline/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/pipeline/export_heap.h"
#include "pipeline/queries/detail.h"

/* Readers count nanoseconds, some in doubles: time beyond that is counted from the first tick. */
#define EXACT_TICKS INT64_C(9000000000000)

static const char *const curves[] = {"ipc", "in-flight"};

struct perfetto {
	struct store *store;
	struct json *json;
	struct heap busy, free; /* slots: order is the number, tick when it becomes free */
	VEC(uint16_t) named;    /* of each slot: set of the lanes where its thread has a name */
	int64_t zero;           /* the tick at 0 us */
	int64_t stop;           /* where what is open ends */
	VEC(int64_t) next;      /* of each stay of the row: where the next one of its lane starts */
	struct sbuf words;
};

/* ---- slots ------------------------------------------------------------------------------- */

/*
 * The lowest slot that is free at the row's start. It is taken one tick longer than the row lives:
 * stays in commit have no length and lie at its end.
 */
static bool take_slot(struct perfetto *p, const struct row *r, uint32_t *slot)
{
	const struct due *first;
	struct due s = {0, p->named.count};

	while ((first = heap_first(&p->busy)) && first->tick <= r->start) {
		struct due freed;

		heap_pop(&p->busy, &freed);
		freed.tick = 0;
		if (!heap_push(&p->free, &freed))
			return false;
	}
	if (!heap_pop(&p->free, &s) && !vec_push(&p->named, 0))
		return false;
	*slot = (uint32_t)s.order;
	s.tick = r->end < TICK_NONE - 1 ? r->end + 1 : TICK_NONE;
	return heap_push(&p->busy, &s);
}

/* ---- events ------------------------------------------------------------------------------ */

/* The beginning of each of them; "args" is left open. */
static void open_event(struct json *w, const char *phase, const char *name, size_t len,
		       unsigned lane)
{
	sbuf_putc(w->out, '\n');
	json_object(w);
	json_key(w, "ph");
	json_string(w, phase);
	json_key(w, "name");
	json_text(w, name, len);
	json_key(w, "pid");
	json_uint(w, lane + 1);
}

static void close_event(struct json *w)
{
	json_object_end(w);
	json_object_end(w);
}

static void open_args(struct json *w)
{
	json_key(w, "args");
	json_object(w);
}

static void put_tid(struct json *w, uint32_t slot)
{
	json_key(w, "tid");
	json_uint(w, slot + UINT64_C(1));
}

/* Names and places of a process or thread. */
static void put_meta(struct json *w, const char *of, unsigned lane, const uint32_t *slot,
		     const char *name)
{
	char meta[32];

	for (int sort = 0; sort < 2; sort++) {
		snprintf(meta, sizeof(meta), "%s_%s", of, sort ? "sort_index" : "name");
		open_event(w, "M", meta, strlen(meta), lane);
		if (slot)
			put_tid(w, *slot);
		open_args(w);
		json_key(w, sort ? "sort_index" : "name");
		if (sort)
			json_uint(w, slot ? *slot : lane);
		else
			json_string(w, name);
		close_event(w);
	}
}

static void name_process(struct perfetto *p, unsigned lane)
{
	struct sbuf name = {0};

	if (lane == 0)
		sbuf_puts(&name, "pipeline");
	else
		sbuf_printf(&name, "lane %s", store_lane(p->store, lane));
	put_meta(p->json, "process", lane, NULL, sbuf_text(&name));
	p->json->out->failed |= name.failed;
	sbuf_free(&name);
}

static void name_thread(struct perfetto *p, unsigned lane, uint32_t slot)
{
	char name[32];

	if (p->named.data[slot] & 1U << lane)
		return;
	p->named.data[slot] |= (uint16_t)(1U << lane);
	snprintf(name, sizeof(name), "slot %" PRIu32, slot);
	put_meta(p->json, "thread", lane, &slot, name);
}

static void put_times(struct perfetto *p, int64_t start, int64_t end)
{
	if (end == TICK_NONE)
		end = p->stop;
	json_key(p->json, "ts");
	json_int(p->json, start - p->zero);
	json_key(p->json, "dur");
	json_int(p->json, end > start ? end - start : 0);
}

/* ---- rows -------------------------------------------------------------------------------- */

/* Which row it is: in the arguments of all its events. */
static void put_subject(struct json *w, const struct walk_row *row)
{
	const struct detail_row *d = row->detail;

	json_key(w, "row");
	json_uint(w, d->head.row);
	if (d->has_pc) {
		json_key(w, "pc");
		json_hex(w, d->pc);
	}
	if (d->has_pc || d->text_len) {
		json_key(w, "text");
		json_text(w, row->text, d->text_len);
	}
}

/* Behind "ph", "name" and "pid". */
static void put_complete(struct perfetto *p, uint32_t slot, const char *category, int64_t start,
			 int64_t end)
{
	struct json *w = p->json;

	put_tid(w, slot);
	json_key(w, "cat");
	json_string(w, category);
	put_times(p, start, end);
	open_args(w);
}

static void put_more(struct perfetto *p, const struct walk_row *row)
{
	const struct detail_row *d = row->detail;
	struct json *w = p->json;
	char id[24];

	json_key(w, "id");
	if (detail_is_unread(d))
		json_null(w);
	else
		json_string(w, detail_id(d, "", id));
	json_key(w, "fate");
	json_string(w, fate_names[d->head.fate]);
	if (d->head.thread) {
		json_key(w, "thread");
		json_int(w, store_thread(p->store, d->head.thread));
	}
	if (d->head.parent != ROW_NONE) {
		json_key(w, "parent");
		json_uint(w, d->head.parent);
	}
	if (d->links) {
		json_key(w, "waited_for");
		json_array(w);
		for (uint32_t i = 0; i < d->links; i++)
			if (row->links[i].row != ROW_NONE)
				json_uint(w, row->links[i].row);
		json_array_end(w);
	}
	if (d->note_len) {
		json_key(w, "detail");
		json_text(w, row->words + d->note0, d->note_len);
	}
}

static void put_life(struct perfetto *p, const struct walk_row *row, uint32_t slot)
{
	const struct detail_row *d = row->detail;
	char name[32];

	snprintf(name, sizeof(name), d->has_pc ? "0x%" PRIx64 : "row %" PRIu64,
		 d->has_pc ? d->pc : d->head.row);
	name_thread(p, 0, slot);
	open_event(p->json, "X", d->text_len ? row->text : name,
		   d->text_len ? d->text_len : strlen(name), 0);
	put_complete(p, slot, "row", d->head.start, d->head.end);
	put_subject(p->json, row);
	put_more(p, row);
	close_event(p->json);
}

/* A stay that goes on beside its successor is drawn up to it, and its true end told. */
static void put_stay(struct perfetto *p, const struct walk_row *row, const struct stay *s,
		     int64_t next, uint32_t slot)
{
	const char *stage = store_stage(p->store, s->stage)->name;
	struct json *w = p->json;

	name_thread(p, s->lane, slot);
	open_event(w, "X", stage, strlen(stage), s->lane);
	put_complete(p, slot, "stage", s->start, s->end < next ? s->end : next);
	put_subject(w, row);
	if (s->end > next) {
		json_key(w, "end");
		json_int(w, s->end == TICK_NONE ? p->stop : s->end);
	}
	if (s->events) {
		sbuf_clear(&p->words);
		export_events(&p->words, p->store, s);
		json_key(w, "events");
		json_text(w, sbuf_text(&p->words), p->words.len);
	}
	if (s->note_len) {
		json_key(w, "detail");
		json_text(w, row->words + s->note0, s->note_len);
	}
	close_event(w);
}

/* Of each stay: where the next one of its lane begins. */
static bool find_next(struct perfetto *p, const struct walk_row *row)
{
	int64_t next[LANE_MAX];

	vec_clear(&p->next);
	if (!vec_reserve(&p->next, row->detail->stays + 1))
		return false;
	for (size_t lane = 0; lane < LANE_MAX; lane++)
		next[lane] = TICK_NONE;
	for (uint32_t i = row->detail->stays; i-- > 0;) {
		p->next.data[i] = next[row->stays[i].lane];
		next[row->stays[i].lane] = row->stays[i].start;
	}
	return true;
}

/* ---- curves ------------------------------------------------------------------------------ */

static enum status put_value(void *arg, const struct export_bin *bin, struct error *e)
{
	const char *name = bin->metric->name;
	struct export *x = arg;
	struct perfetto *p = x->state;

	open_event(p->json, "C", name, strlen(name), 0);
	json_key(p->json, "ts");
	json_int(p->json, bin->from - p->zero);
	open_args(p->json);
	json_key(p->json, name);
	json_real(p->json, bin->value);
	close_event(p->json);
	return output_drain(x->out, e);
}

static enum status put_curves(struct export *x, struct error *e)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; !status && i < sizeof(curves) / sizeof(curves[0]); i++) {
		const struct metric_info metric = {.name = curves[i]};

		status = export_curve(&x->part, &metric, true, put_value, x, e);
	}
	return status;
}

/* ---- the format -------------------------------------------------------------------------- */

/* What a reader of the file has to know and the events do not tell. */
static void put_head(struct export *x, const struct perfetto *p)
{
	struct json *w = p->json;
	char text[64];

	json_object(w);
	json_key(w, "displayTimeUnit");
	json_string(w, "ns");
	json_key(w, "otherData");
	json_object(w);
	json_key(w, "made_by");
	json_string(w, PACKAGE_STRING);
	json_key(w, "trace");
	json_string(w, x->target->path);
	json_key(w, "format");
	json_string(w, store_format(x->store)->name);
	json_key(w, "time");
	snprintf(text, sizeof(text), "1 us is 1 %s", store_unit(x->store));
	json_string(w, text);
	json_key(w, "tick_at_0_us");
	snprintf(text, sizeof(text), "%" PRId64, p->zero);
	json_string(w, text);
	json_object_end(w);
	json_key(w, "traceEvents");
	json_array(w);
}

static enum status perfetto_begin(struct export *x, struct error *e)
{
	struct perfetto *p = calloc(1, sizeof(*p));
	size_t lanes = store_lane_count(x->store);

	x->state = p;
	if (!p)
		return error_set(e, STATUS_NOMEM, "out of memory");
	p->store = x->store;
	p->json = &x->out->json;
	heap_begin(&p->busy, sizeof(struct due));
	heap_begin(&p->free, sizeof(struct due));
	p->zero = x->part.first < 0 || x->part.last > EXACT_TICKS ? x->part.first : 0;
	p->stop = x->part.last < TICK_NONE ? x->part.last + 1 : x->part.last;
	put_head(x, p);
	for (unsigned lane = 0; lane == 0 || lane < lanes; lane++)
		name_process(p, lane);
	return put_curves(x, e);
}

static enum status perfetto_row(struct export *x, const struct walk_row *row, struct error *e)
{
	struct perfetto *p = x->state;
	enum status status = STATUS_OK;
	uint32_t slot;

	if (!take_slot(p, &row->detail->head, &slot) || !find_next(p, row))
		return error_set(e, STATUS_NOMEM, "out of memory");
	put_life(p, row, slot);
	for (uint32_t i = 0; !status && i < row->detail->stays; i++) {
		put_stay(p, row, &row->stays[i], p->next.data[i], slot);
		status = output_drain(x->out, e);
	}
	return !status && p->words.failed ? error_set(e, STATUS_NOMEM, "out of memory") : status;
}

static enum status perfetto_end(struct export *x, struct error *e)
{
	(void)e;
	json_array_end(&x->out->json);
	json_object_end(&x->out->json);
	sbuf_putc(&x->out->text, '\n');
	return STATUS_OK;
}

static void perfetto_free(struct export *x)
{
	struct perfetto *p = x->state;

	if (!p)
		return;
	heap_free(&p->busy);
	heap_free(&p->free);
	vec_free(&p->named);
	vec_free(&p->next);
	sbuf_free(&p->words);
	free(p);
}

const struct export_rows export_perfetto = {
    .format = EXPORT_OF_ROWS("perfetto", false),
    .by_start = true,
    .begin = perfetto_begin,
    .row = perfetto_row,
    .end = perfetto_end,
    .free = perfetto_free,
};
