#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/walk.h"
#include "base/num.h"
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

static void put(struct output *out, const char *key, struct value v)
{
	json_key(&out->json, key);
	output_json_value(out, v);
}

static struct value tick_value(int64_t tick)
{
	return tick == TICK_NONE ? value_none() : value_ticks(tick);
}

static struct value row_value(uint64_t row)
{
	return row == ROW_NONE ? value_none() : value_count(row);
}

static struct value note_value(const struct walk_row *row, size_t at, size_t len)
{
	return len ? value_bytes(row->words + at, len) : value_none();
}

static void json_marks(struct output *out, struct store *s, const struct stay *stay)
{
	json_key(&out->json, "marks");
	json_array(&out->json);
	for (unsigned set = stay->events; set; set &= set - 1) {
		unsigned event = (unsigned)__builtin_ctz(set);
		/* the latency is that of the slower of several events, not of each of them */
		bool its_own = stay->colour & (1U << event) && stay->latency >= 0;

		json_object(&out->json);
		put(out, "name", value_text(store_event(s, event)->name));
		put(out, "latency", its_own ? value_ticks(stay->latency) : value_none());
		json_object_end(&out->json);
	}
	json_array_end(&out->json);
}

/* Lanes are numbers as a rule; null in formats that have none. */
static struct value lane_value(struct store *s, unsigned lane)
{
	const char *name = store_lane(s, lane);
	char *end;
	unsigned long number = strtoul(name, &end, 10);

	if (store_lane_count(s) == 0)
		return value_none();
	if (*name >= '0' && *name <= '9' && *end == '\0')
		return value_count(number);
	return value_text(name);
}

static void json_stay(struct output *out, struct store *s, const struct walk_row *row,
		      const struct stay *stay)
{
	json_object(&out->json);
	put(out, "name", value_text(store_stage(s, stay->stage)->name));
	put(out, "lane", lane_value(s, stay->lane));
	put(out, "start", tick_value(stay->start));
	put(out, "end", tick_value(stay->end));
	json_marks(out, s, stay);
	if (stay->note_len)
		put(out, "detail", note_value(row, stay->note0, stay->note_len));
	json_object_end(&out->json);
}

static void put_id(struct output *out, uint64_t id)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, id);
	put(out, "id", value_text(text));
}

/* Whom the row waited for: null when the trace has no links at all. */
static void json_links(struct output *out, struct store *s, const struct walk_row *row)
{
	if (store_link_count(s) == 0) {
		put(out, "links", value_none());
		return;
	}
	json_key(&out->json, "links");
	json_array(&out->json);
	for (uint32_t i = 0; i < row->detail->links; i++) {
		json_object(&out->json);
		put(out, "from", row_value(row->links[i].row));
		put_id(out, row->links[i].id);
		put(out, "type", value_count(row->links[i].type));
		put(out, "tick", tick_value(row->links[i].tick));
		json_object_end(&out->json);
	}
	json_array_end(&out->json);
}

/*
 * Registers it read whose writers are too far back to be among the links, or too many; null:
 * nothing is told.
 */
static struct value far_value(const struct detail_row *d)
{
	return d->renamed ? value_count((uint64_t)d->far + d->left) : value_none();
}

/* Of gem5's CPUs it is 1000 times the thread plus the CPU: pipeline/formats/o3pipeview.h. */
static struct value thread_value(struct store *s, uint16_t thread)
{
	return thread ? value_ticks(store_thread(s, thread)) : value_none();
}

static void put_json(struct output *out, struct store *s, const struct walk_row *row)
{
	const struct detail_row *d = row->detail;
	bool has_text = d->has_pc || d->text_len;

	json_object(&out->json);
	put(out, "row", value_count(d->head.row));
	if (detail_is_unread(d))
		put(out, "id", value_none());
	else
		put_id(out, d->id);
	put(out, "pc", d->has_pc ? value_hex(d->pc) : value_none());
	put(out, "text", has_text ? value_bytes(row->text, d->text_len) : value_none());
	put(out, "start", tick_value(d->head.start));
	put(out, "end", tick_value(d->head.end));
	put(out, "fate", value_text(fate_names[d->head.fate]));
	put(out, "parent", row_value(d->head.parent));
	json_key(&out->json, "stages");
	json_array(&out->json);
	for (uint32_t i = 0; i < d->stays; i++)
		json_stay(out, s, row, &row->stays[i]);
	json_array_end(&out->json);
	put(out, "thread", thread_value(s, d->head.thread));
	json_links(out, s, row);
	/* absent where links are named by the trace itself, or there are none */
	if (store_link_count_is_bound(s))
		put(out, "links_far", far_value(d));
	put(out, "detail", note_value(row, d->note0, d->note_len));
	json_object_end(&out->json);
}

static void text_tick(struct sbuf *out, int64_t tick)
{
	char number[32];

	sbuf_printf(out, "  %*s", TICK_COLUMNS, tick == TICK_NONE ? "-" : num_group(tick, number));
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
	char id[24], pc[24] = "-", row_number[32], parent[32];

	if (d->has_pc)
		snprintf(pc, sizeof(pc), "0x%" PRIx64, d->pc);
	sbuf_printf(&out->text, "%*s  %*s  %*s  ", ROW_COLUMNS,
		    num_group((int64_t)d->head.row, row_number), ID_COLUMNS, detail_id(d, "-", id),
		    PC_COLUMNS, pc);
	text_fit(&out->text, row->text, d->text_len, TEXT_COLUMNS, true);
	text_tick(&out->text, d->head.start);
	text_tick(&out->text, d->head.end);
	sbuf_printf(&out->text, "  %-9s  %*s", fate_names[d->head.fate], ROW_COLUMNS,
		    d->head.parent == ROW_NONE ? "-" : num_group((int64_t)d->head.parent, parent));
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
	status = walk_rows(rows->store, first, last, WALK_NOTES, put_row, rows, e);
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
