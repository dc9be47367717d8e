/*
 * The Kanata log, version 0004 (formats/kanata-o3pipeview.md 1), such that reading it gives the
 * same rows again.
 *
 * Ids are dense from 0 in the order written, because Konata takes them for line numbers; the
 * trace's own number of a row is its id in the simulator, -1 where it could not be read. Text is
 * kept but for controls, and for a backslash that would be read as an end of a line or a tab: they
 * are replaced, and counted. Events of stays are labels of their stages: stages of their own in another lane
 * would come back as stays that the trace does not have. Fates that the format does not know are
 * flushes, told in the detail label.
 *
 * The format's clock counts cycles. Where a trace counts ticks, each is written as the cycle that
 * it lies in, counted as they are shown; where in it is lost.
 *
 * Lines stand in time order though a row comes with its whole life: what lies ahead waits in a
 * heap, which holds the lives of the rows alive at one moment.
 */
#include "config.h"

#include "cmd/pipeline/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/text.h"
#include "cmd/pipeline/export_heap.h"
#include "pipeline/queries/detail.h"

enum action { ACTION_ENTER, ACTION_LEAVE, ACTION_LINK, ACTION_END };

struct pending {
	struct due due; /* those of one tick in the order in which they were given */
	uint64_t id;
	uint64_t producer; /* of a link: row; of an end: 1 when committed */
	char *label;       /* of the stage entered, the line's own; NULL: none */
	uint8_t action;
	uint8_t stage; /* of a link: its type */
	uint8_t lane;
};

/* Rows that were exported without a gap. */
struct run {
	uint64_t row, id, count;
};

struct kanata {
	struct sbuf *out;
	struct store *store;
	struct heap ahead; /* of struct pending */
	VEC(struct run) runs;
	size_t early_runs;   /* before the first of them that goes back: see export_rows */
	uint64_t next_id, next_order, retired;
	uint64_t links_lost; /* to rows that are not in the export */
	uint64_t moved;      /* commits of rows that go on after theirs: the format has one end */
	uint64_t replaced;   /* characters that would do something, and bytes that are none */
	int64_t ticks_per_cycle, phase; /* cycles begin at ticks phase + n * ticks_per_cycle */
	int64_t cycle;                  /* of the line written last */
	bool begun;                     /* the clock is set */
	struct sbuf words;
	struct sbuf stages[STAGE_MAX], lanes[LANE_MAX]; /* names, without controls */
};

/* ---- labels ------------------------------------------------------------------------------ */

static void open_label(struct sbuf *out, uint64_t id, char type)
{
	sbuf_puts(out, "L\t");
	export_unsigned(out, id);
	sbuf_putc(out, '\t');
	sbuf_putc(out, type);
	sbuf_putc(out, '\t');
}

static bool is_escape(const char *p, const char *end)
{
	return end - p > 1 && *p == '\\' && (p[1] == 'n' || p[1] == 't');
}

/* The bytes from p on that can stand as they are in a label. */
static size_t plain_piece(const char *p, const char *end)
{
	const char *q = p;

	while (q < end && *q != '\n' && *q != '\t' && !is_escape(q, end))
		q++;
	return (size_t)(q - p);
}

/* Newlines and tabs are written as the format has them, \n and \t. */
static void put_words(struct kanata *k, struct sbuf *out, const char *p, size_t len)
{
	const char *end = p + len;

	for (; p < end; p++) {
		size_t piece = plain_piece(p, end);

		k->replaced += text_keep(out, p, piece);
		p += piece;
		if (p == end)
			return;
		k->replaced += *p == '\\';
		sbuf_puts(out, *p == '\n' ? "\\n" : *p == '\t' ? "\\t" : "\xef\xbf\xbd");
	}
}

static void put_text(struct kanata *k, uint64_t id, const struct walk_row *row)
{
	const struct detail_row *d = row->detail;

	if (!d->has_pc && d->text_len == 0)
		return;
	open_label(k->out, id, '0');
	if (d->has_pc)
		sbuf_printf(k->out, "0x%" PRIx64 ":%s", d->pc, d->text_len ? " " : "");
	put_words(k, k->out, row->text, d->text_len);
	sbuf_putc(k->out, '\n');
}

/* ---- rows and their ids ------------------------------------------------------------------ */

static bool add_row(struct kanata *k, uint64_t row)
{
	struct run *last = k->runs.count ? &vec_last(&k->runs) : NULL;

	k->next_id++;
	if (last && last->row + last->count == row) {
		last->count++;
		return true;
	}
	if (last && last->row > row)
		k->early_runs = k->runs.count;
	return vec_push(&k->runs, ((struct run){row, k->next_id - 1, 1}));
}

static bool id_in_runs(const struct kanata *k, size_t lo, size_t hi, uint64_t row, uint64_t *id)
{
	const struct run *r;
	size_t first = lo;

	bisect(lo, hi, i, k->runs.data[i].row <= row);
	if (lo == first)
		return false;
	r = &k->runs.data[lo - 1];
	*id = r->id + (row - r->row);
	return row - r->row < r->count;
}

/* False: the row is not in the export, or comes later. ROW_NONE never is. */
static bool id_of(const struct kanata *k, uint64_t row, uint64_t *id)
{
	return id_in_runs(k, k->early_runs, k->runs.count, row, id) ||
	       id_in_runs(k, 0, k->early_runs, row, id);
}

static void add_line(struct sbuf *words, const char *text)
{
	if (words->len)
		sbuf_putc(words, '\n');
	sbuf_puts(words, text);
}

/* What the trace says of the row, and what only pipeglass knows. False: no memory. */
static bool put_detail(struct kanata *k, uint64_t id, const struct walk_row *row)
{
	const struct detail_row *d = row->detail;
	struct sbuf *words = &k->words;
	uint64_t parent;

	sbuf_clear(words);
	sbuf_add(words, row->words + d->note0, d->note_len);
	if (d->head.micro_op) {
		add_line(words, "micro-op");
		if (d->head.parent != ROW_NONE && id_of(k, d->head.parent, &parent))
			sbuf_printf(words, " of %" PRIu64, parent);
	}
	if (d->head.fate == FATE_DROPPED || d->head.fate == FATE_LOST ||
	    d->head.fate == FATE_UNKNOWN)
		add_line(words, fate_names[d->head.fate]);
	if (words->len == 0 || words->failed)
		return !words->failed;
	open_label(k->out, id, '1');
	put_words(k, k->out, words->text, words->len);
	sbuf_putc(k->out, '\n');
	return true;
}

static bool put_birth(struct kanata *k, uint64_t id, const struct walk_row *row)
{
	const struct detail_row *d = row->detail;
	char number[24];

	sbuf_puts(k->out, "I\t");
	export_unsigned(k->out, id);
	sbuf_putc(k->out, '\t');
	/* any number is some row's but those below 0 */
	sbuf_puts(k->out, detail_id(d, "-1", number));
	sbuf_putc(k->out, '\t');
	export_signed(k->out, d->head.thread ? store_thread(k->store, d->head.thread) : 0);
	sbuf_putc(k->out, '\n');
	put_text(k, id, row);
	return put_detail(k, id, row);
}

/* ---- what lies ahead --------------------------------------------------------------------- */

static bool push(struct kanata *k, struct pending p)
{
	p.due.order = k->next_order++;
	if (heap_push(&k->ahead, &p.due))
		return true;
	free(p.label);
	return false;
}

static int64_t cycle_of(const struct kanata *k, int64_t tick)
{
	const int64_t n = k->ticks_per_cycle;
	__int128 ticks = (__int128)tick - k->phase;

	return n > 1 ? (int64_t)(ticks / n - (ticks % n < 0)) : tick;
}

/* Only the clock counts cycles: what waits is in the order of its ticks. */
static void put_clock(struct kanata *k, int64_t tick)
{
	int64_t cycle = cycle_of(k, tick);

	if (k->begun && cycle <= k->cycle)
		return;
	sbuf_puts(k->out, k->begun ? "C\t" : "C=\t");
	export_signed(k->out, k->begun ? cycle - k->cycle : cycle);
	sbuf_putc(k->out, '\n');
	k->cycle = cycle;
	k->begun = true;
}

static void put_stage(struct kanata *k, const struct pending *p)
{
	sbuf_add(k->out, k->lanes[p->lane].text, k->lanes[p->lane].len);
	sbuf_putc(k->out, '\t');
	sbuf_add(k->out, k->stages[p->stage].text, k->stages[p->stage].len);
	sbuf_putc(k->out, '\n');
}

/* Flushed rows have retire id 0, as RSD writes it: nobody looks them up by that. */
static void put_end(struct kanata *k, const struct pending *p)
{
	export_unsigned(k->out, p->producer ? k->retired++ : 0);
	sbuf_puts(k->out, p->producer ? "\t0\n" : "\t1\n");
}

static void put_link(struct kanata *k, const struct pending *p, uint64_t producer)
{
	export_unsigned(k->out, producer);
	sbuf_putc(k->out, '\t');
	export_unsigned(k->out, p->stage);
	sbuf_putc(k->out, '\n');
}

static void put_pending(struct kanata *k, const struct pending *p)
{
	static const char letters[] = {
	    [ACTION_ENTER] = 'S', [ACTION_LEAVE] = 'E', [ACTION_LINK] = 'W', [ACTION_END] = 'R'};
	uint64_t producer = 0;

	if (p->action == ACTION_LINK && !id_of(k, p->producer, &producer)) {
		k->links_lost++;
		return;
	}
	put_clock(k, p->due.tick);
	sbuf_putc(k->out, letters[p->action]);
	sbuf_putc(k->out, '\t');
	export_unsigned(k->out, p->id);
	sbuf_putc(k->out, '\t');
	if (p->action == ACTION_LINK)
		put_link(k, p, producer);
	else if (p->action == ACTION_END)
		put_end(k, p);
	else
		put_stage(k, p);
	if (p->label)
		sbuf_puts(k->out, p->label);
}

/* Everything before tick; nothing that comes later is. */
static enum status put_until(struct kanata *k, struct output *out, int64_t tick, struct error *e)
{
	enum status status = STATUS_OK;
	const struct due *next;
	struct pending p;

	while (!status && (next = heap_first(&k->ahead)) && next->tick < tick) {
		heap_pop(&k->ahead, &p.due);
		put_pending(k, &p);
		free(p.label);
		status = output_drain(out, e);
	}
	return status;
}

/* ---- a row's life ------------------------------------------------------------------------ */

/* The label of a stay, as lines; false: no memory. *out NULL: there is none. */
static bool stay_label(struct kanata *k, uint64_t id, const struct walk_row *row,
		       const struct stay *s, char **out)
{
	struct sbuf label = {0};

	*out = NULL;
	if (!s->events && !s->note_len)
		return true;
	sbuf_clear(&k->words);
	export_events(&k->words, k->store, s);
	if (k->words.len && s->note_len)
		sbuf_putc(&k->words, '\n');
	sbuf_add(&k->words, row->words + s->note0, s->note_len);
	open_label(&label, id, '2');
	put_words(k, &label, sbuf_text(&k->words), k->words.len);
	sbuf_putc(&label, '\n');
	if (label.failed || k->words.failed) {
		sbuf_free(&label);
		return false;
	}
	*out = label.text;
	return true;
}

/* Each end is pushed before the next entry: where both are at one tick, the stage ends first. */
static bool push_stays(struct kanata *k, uint64_t id, const struct walk_row *row)
{
	for (uint32_t i = 0; i < row->detail->stays; i++) {
		const struct stay *s = &row->stays[i];
		struct pending p = {.due = {.tick = s->start}, .id = id, .action = ACTION_ENTER,
				    .stage = s->stage, .lane = s->lane};

		if (!stay_label(k, id, row, s, &p.label) || !push(k, p))
			return false;
		p.due.tick = s->end;
		p.action = ACTION_LEAVE;
		p.label = NULL;
		if (s->end != TICK_NONE && !push(k, p))
			return false;
	}
	return true;
}

static bool push_links(struct kanata *k, uint64_t id, const struct walk_row *row)
{
	for (uint32_t i = 0; i < row->detail->links; i++) {
		const struct link *l = &row->links[i];
		struct pending p = {.due = {.tick = l->tick}, .id = id, .action = ACTION_LINK,
				    .stage = l->type, .producer = l->row};

		if (!push(k, p))
			return false;
	}
	return true;
}

static bool push_life(struct kanata *k, uint64_t id, const struct walk_row *row)
{
	const struct row *head = &row->detail->head;
	struct pending end = {.due = {.tick = head->end}, .id = id, .action = ACTION_END,
			      .producer = head->fate == FATE_COMMITTED};

	k->moved += head->tail > 0;
	return push_stays(k, id, row) && push_links(k, id, row) &&
	       (head->end == TICK_NONE || push(k, end));
}

/* ---- the format -------------------------------------------------------------------------- */

static void kept_name(struct kanata *k, struct sbuf *out, const char *name)
{
	k->replaced += text_keep(out, name, strlen(name));
}

static enum status kanata_begin(struct export *x, struct error *e)
{
	struct kanata *k = calloc(1, sizeof(*k));

	x->state = k;
	if (!k)
		return error_set(e, STATUS_NOMEM, "out of memory");
	k->out = &x->out->text;
	k->store = x->store;
	k->ticks_per_cycle = store_ticks_per_cycle(x->store);
	k->phase = x->part.first % k->ticks_per_cycle;
	if (k->phase < 0)
		k->phase += k->ticks_per_cycle;
	heap_begin(&k->ahead, sizeof(struct pending));
	for (size_t i = 0; i < store_stage_count(x->store) && i < STAGE_MAX; i++)
		kept_name(k, &k->stages[i], store_stage(x->store, i)->name);
	kept_name(k, &k->lanes[0], "0");
	for (size_t i = 1; i < store_lane_count(x->store) && i < LANE_MAX; i++)
		kept_name(k, &k->lanes[i], store_lane(x->store, i));
	sbuf_puts(k->out, "Kanata\t0004\n");
	if (x->part.whole && x->part.first <= x->part.last)
		put_clock(k, x->part.first);
	return STATUS_OK;
}

static enum status kanata_row(struct export *x, const struct walk_row *row, struct error *e)
{
	struct kanata *k = x->state;
	uint64_t id = k->next_id;
	enum status status = put_until(k, x->out, row->detail->head.start, e);

	if (status)
		return status;
	put_clock(k, row->detail->head.start);
	if (!add_row(k, row->detail->head.row) || !put_birth(k, id, row) || !push_life(k, id, row))
		return error_set(e, STATUS_NOMEM, "out of memory");
	return STATUS_OK;
}

static enum status kanata_end(struct export *x, struct error *e)
{
	struct kanata *k = x->state;
	enum status status = put_until(k, x->out, TICK_NONE, e);

	if (!status && x->part.whole && x->part.first <= x->part.last)
		put_clock(k, x->part.last);
	if (!status && k->links_lost)
		output_note(x->target->notes, x->target->path,
			    "%" PRIu64 " link%s left out: the producer is not in the export",
			    k->links_lost, k->links_lost == 1 ? "" : "s");
	if (!status && k->moved)
		output_note(x->target->notes, x->target->path,
			    "%" PRIu64 " store%s commit%s where %s completed: in this format a row's "
			    "end is its commit",
			    k->moved, k->moved == 1 ? "" : "s", k->moved == 1 ? "s" : "",
			    k->moved == 1 ? "it" : "they");
	if (!status && k->replaced)
		output_note(x->target->notes, x->target->path,
			    "%" PRIu64 " control character%s or broken byte%s of labels and names "
			    "written as U+FFFD",
			    k->replaced, k->replaced == 1 ? "" : "s", k->replaced == 1 ? "" : "s");
	return status;
}

static void kanata_free(struct export *x)
{
	struct kanata *k = x->state;
	struct pending p;

	if (!k)
		return;
	while (heap_pop(&k->ahead, &p.due))
		free(p.label);
	heap_free(&k->ahead);
	vec_free(&k->runs);
	sbuf_free(&k->words);
	for (size_t i = 0; i < STAGE_MAX; i++)
		sbuf_free(&k->stages[i]);
	for (size_t i = 0; i < LANE_MAX; i++)
		sbuf_free(&k->lanes[i]);
	free(k);
}

const struct export_rows export_kanata = {
    .format = EXPORT_OF_ROWS("kanata", false),
    .by_start = true,
    .begin = kanata_begin,
    .row = kanata_row,
    .end = kanata_end,
    .free = kanata_free,
};
