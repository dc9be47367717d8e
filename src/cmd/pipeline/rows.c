#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/walk.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/pipeline/open.h"
#include "pipeline/queries/detail.h"
#include "view/abbreviate.h"

/* Column widths of the table, which is written as it is read and cannot be measured first. */
enum { ROW_COLUMNS = 8, ID_COLUMNS = 10, PC_COLUMNS = 12, TICK_COLUMNS = 10, TEXT_COLUMNS = 28 };

struct rows {
	struct output *out;
	struct store *store;
	int64_t from, to;
	uint64_t limit;
	uint64_t unread; /* rows written without what their text said */
	void (*put)(struct output *out, struct store *s, const struct walk_row *row);
	enum status status;
	struct error *error;
};

static void json_tick(struct json *w, const char *key, int64_t tick)
{
	json_key(w, key);
	if (tick == TICK_NONE)
		json_null(w);
	else
		json_int(w, tick);
}

static void json_marks(struct json *w, struct store *s, const struct stay *stay)
{
	json_key(w, "marks");
	json_array(w);
	for (unsigned set = stay->events; set; set &= set - 1) {
		unsigned event = (unsigned)__builtin_ctz(set);

		json_object(w);
		json_key(w, "name");
		json_string(w, store_event(s, event)->name);
		json_key(w, "latency");
		/* the latency is that of the slower of several events, not of each of them */
		if (stay->colour & (1U << event) && stay->latency >= 0)
			json_int(w, stay->latency);
		else
			json_null(w);
		json_object_end(w);
	}
	json_array_end(w);
}

/* Lanes are numbers as a rule; null in formats that have none. */
static void json_lane(struct json *w, struct store *s, unsigned lane)
{
	const char *name = store_lane(s, lane);
	char *end;
	unsigned long number = strtoul(name, &end, 10);

	json_key(w, "lane");
	if (store_lane_count(s) == 0)
		json_null(w);
	else if (*name >= '0' && *name <= '9' && *end == '\0')
		json_uint(w, number);
	else
		json_text(w, name, strlen(name));
}

static void json_note(struct json *w, const char *key, const char *text, size_t len)
{
	json_key(w, key);
	if (len)
		json_text(w, text, len);
	else
		json_null(w);
}

static void json_stay(struct json *w, struct store *s, const struct walk_row *row,
		      const struct stay *stay)
{
	json_object(w);
	json_key(w, "name");
	json_string(w, store_stage(s, stay->stage)->name);
	json_lane(w, s, stay->lane);
	json_tick(w, "start", stay->start);
	json_tick(w, "end", stay->end);
	json_marks(w, s, stay);
	if (stay->note_len)
		json_note(w, "detail", row->words + stay->note0, stay->note_len);
	json_object_end(w);
}

static void json_id(struct json *w, uint64_t id)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, id);
	json_key(w, "id");
	json_string(w, text);
}

static void json_code(struct json *w, const struct walk_row *row)
{
	const struct detail_row *d = row->detail;

	json_key(w, "pc");
	if (d->has_pc)
		json_hex(w, d->pc);
	else
		json_null(w);
	json_key(w, "text");
	if (d->has_pc || d->text_len)
		json_text(w, row->text, d->text_len);
	else
		json_null(w);
}

/* Of gem5's CPUs it is 1000 times the thread plus the CPU: pipeline/formats/o3pipeview.h. */
static void json_thread(struct json *w, struct store *s, uint16_t thread)
{
	json_key(w, "thread");
	if (thread)
		json_int(w, store_thread(s, thread));
	else
		json_null(w);
}

/* Whom the row waited for: null when the trace has no links at all. */
static void json_links(struct json *w, struct store *s, const struct walk_row *row)
{
	json_key(w, "links");
	if (store_link_count(s) == 0) {
		json_null(w);
		return;
	}
	json_array(w);
	for (uint32_t i = 0; i < row->detail->links; i++) {
		json_object(w);
		json_key(w, "from");
		if (row->links[i].row == ROW_NONE)
			json_null(w);
		else
			json_uint(w, row->links[i].row);
		json_id(w, row->links[i].id);
		json_key(w, "type");
		json_uint(w, row->links[i].type);
		json_tick(w, "tick", row->links[i].tick);
		json_object_end(w);
	}
	json_array_end(w);
}

/*
 * Registers it read whose writers are too far back to be among the links, or too many; null:
 * nothing is told.
 * Absent where links are named by the trace itself, or there are none.
 */
static void json_far(struct json *w, struct store *s, const struct walk_row *row)
{
	if (!store_link_count_is_bound(s))
		return;
	json_key(w, "links_far");
	if (row->detail->renamed)
		json_uint(w, (uint64_t)row->detail->far + row->detail->left);
	else
		json_null(w);
}

static void put_json(struct output *out, struct store *s, const struct walk_row *row)
{
	const struct detail_row *d = row->detail;
	struct json *w = &out->json;

	json_object(w);
	json_key(w, "row");
	json_uint(w, d->head.row);
	if (detail_is_unread(d)) {
		json_key(w, "id");
		json_null(w);
	} else {
		json_id(w, d->id);
	}
	json_code(w, row);
	json_tick(w, "start", d->head.start);
	json_tick(w, "end", d->head.end);
	json_key(w, "fate");
	json_string(w, fate_names[d->head.fate]);
	json_key(w, "parent");
	if (d->head.parent == ROW_NONE)
		json_null(w);
	else
		json_uint(w, d->head.parent);
	json_key(w, "stages");
	json_array(w);
	for (uint32_t i = 0; i < d->stays; i++)
		json_stay(w, s, row, &row->stays[i]);
	json_array_end(w);
	json_thread(w, s, d->head.thread);
	json_links(w, s, row);
	json_far(w, s, row);
	json_note(w, "detail", row->words + d->note0, d->note_len);
	json_object_end(w);
}

static void text_tick(struct sbuf *out, int64_t tick)
{
	if (tick == TICK_NONE)
		sbuf_printf(out, "  %*s", TICK_COLUMNS, "-");
	else
		sbuf_printf(out, "  %*" PRId64, TICK_COLUMNS, tick);
}

static void put_name(struct sbuf *out, const char *name)
{
	text_sanitise(out, name, strlen(name));
}

/* "EX@4711 cache-miss(12)" */
static void text_stay(struct sbuf *out, struct store *s, const struct stay *stay)
{
	put_name(out, store_stage(s, stay->stage)->name);
	sbuf_printf(out, "@%" PRId64, stay->start);
	for (unsigned set = stay->events; set; set &= set - 1) {
		unsigned event = (unsigned)__builtin_ctz(set);

		sbuf_putc(out, ' ');
		put_name(out, store_event(s, event)->name);
		if (stay->colour & (1U << event) && stay->latency >= 0)
			sbuf_printf(out, "(%" PRId32 ")", stay->latency);
	}
}

static void put_text(struct output *out, struct store *s, const struct walk_row *row)
{
	const struct detail_row *d = row->detail;
	char id[24], pc[24] = "-", parent[24] = "-";

	if (d->has_pc)
		snprintf(pc, sizeof(pc), "0x%" PRIx64, d->pc);
	if (d->head.parent != ROW_NONE)
		snprintf(parent, sizeof(parent), "%" PRIu64, d->head.parent);
	sbuf_printf(&out->text, "%*" PRIu64 "  %*s  %*s  ", ROW_COLUMNS, d->head.row, ID_COLUMNS,
		    detail_id(d, "-", id), PC_COLUMNS, pc);
	text_fit(&out->text, row->text, d->text_len, TEXT_COLUMNS, true);
	text_tick(&out->text, d->head.start);
	text_tick(&out->text, d->head.end);
	sbuf_printf(&out->text, "  %-9s  %*s", fate_names[d->head.fate], ROW_COLUMNS, parent);
	for (uint32_t i = 0; i < d->stays; i++) {
		sbuf_puts(&out->text, "  ");
		text_stay(&out->text, s, &row->stays[i]);
	}
	sbuf_putc(&out->text, '\n');
}

static void csv_tick(struct sbuf *out, int64_t tick)
{
	if (tick != TICK_NONE)
		sbuf_printf(out, "%" PRId64, tick);
	sbuf_putc(out, ',');
}

/* The keys of the JSON that hold one value, and the stages as the table has them. */
static void put_csv(struct output *out, struct store *s, const struct walk_row *row)
{
	const struct detail_row *d = row->detail;
	struct sbuf stages = {0};
	char id[24];

	sbuf_printf(&out->text, "%" PRIu64 ",%s,", d->head.row, detail_id(d, "", id));
	if (d->has_pc)
		sbuf_printf(&out->text, "0x%" PRIx64, d->pc);
	sbuf_putc(&out->text, ',');
	text_csv(&out->text, row->text, d->text_len);
	sbuf_putc(&out->text, ',');
	csv_tick(&out->text, d->head.start);
	csv_tick(&out->text, d->head.end);
	sbuf_printf(&out->text, "%s,", fate_names[d->head.fate]);
	if (d->head.parent != ROW_NONE)
		sbuf_printf(&out->text, "%" PRIu64, d->head.parent);
	for (uint32_t i = 0; i < d->stays; i++) {
		sbuf_puts(&stages, i ? " " : "");
		text_stay(&stages, s, &row->stays[i]);
	}
	sbuf_putc(&out->text, ',');
	text_csv(&out->text, sbuf_text(&stages), stages.len);
	sbuf_putc(&out->text, '\n');
	sbuf_free(&stages);
}

/* A life without length lies where it starts. */
static bool meets(const struct row *r, int64_t from, int64_t to)
{
	return r->start < to && (r->end > from || r->start >= from);
}

static bool put_row(void *arg, const struct walk_row *row)
{
	struct rows *rows = arg;

	if (!meets(&row->detail->head, rows->from, rows->to))
		return true;
	if (rows->limit == 0)
		return false;
	rows->limit--;
	rows->unread += detail_is_unread(row->detail);
	rows->put(rows->out, rows->store, row);
	rows->status = output_drain(rows->out, rows->error);
	return !rows->status;
}

static void put_heading(struct sbuf *out)
{
	sbuf_printf(out, "%*s  %*s  %*s  %-*s  %*s  %*s  %-9s  %*s  stages\n", ROW_COLUMNS, "row",
		    ID_COLUMNS, "seq", PC_COLUMNS, "pc", TEXT_COLUMNS, "text", TICK_COLUMNS,
		    "start", TICK_COLUMNS, "end", "fate", ROW_COLUMNS, "parent");
}

static enum status put_rows(struct rows *rows, struct error *e)
{
	bool json = rows->put == put_json;
	uint64_t first, last;
	enum status status;

	store_rows_alive(rows->store, rows->from, rows->to, &first, &last);
	if (json) {
		json_object(&rows->out->json);
		json_key(&rows->out->json, "rows");
		json_array(&rows->out->json);
	} else if (rows->put == put_csv) {
		sbuf_puts(&rows->out->text, "row,id,pc,text,start,end,fate,parent,stages\n");
	} else {
		put_heading(&rows->out->text);
	}
	status = walk_rows_and_notes(rows->store, first, last, put_row, rows, e);
	if (json) {
		json_array_end(&rows->out->json);
		json_object_end(&rows->out->json);
		sbuf_putc(&rows->out->text, '\n');
	}
	return status ? status : rows->status;
}

enum status cmd_rows(const struct cmd_options *o, struct output *out, struct error *e)
{
	struct rows rows = {.out = out,
			    .limit = o->limit,
			    .put = o->json  ? put_json
				   : o->csv ? put_csv
					    : put_text,
			    .error = e};
	enum status status = open_store(&rows.store, o, out, e);

	if (status)
		return status;
	status = open_range(trace_of_store(rows.store), o, &rows.from, &rows.to, e);
	if (!status)
		status = put_rows(&rows, e);
	open_note_unread(rows.store, rows.unread, o, out);
	open_note_warnings(trace_of_store(rows.store), o, out);
	store_close(rows.store);
	return status;
}
