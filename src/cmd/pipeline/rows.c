#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/walk.h"
#include "base/num.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/pipeline/export.h"
#include "cmd/pipeline/open.h"
#include "pipeline/queries/detail.h"
#include "view/abbreviate.h"

/* Column widths of the table, which is written as it is read and cannot be measured first. */
enum { ROW_COLUMNS = 8, ID_COLUMNS = 10, PC_COLUMNS = 12, TICK_COLUMNS = 10, TEXT_COLUMNS = 28 };

static void put(struct output *out, const char *key, struct value v)
{
	json_key(&out->json, key);
	output_json_value(out, v);
}

static void json_marks(struct output *out, struct store *s, const struct stay *stay)
{
	json_key(&out->json, "marks");
	json_array(&out->json);
	for (unsigned set = stay->events; set; set &= set - 1) {
		unsigned event = (unsigned)__builtin_ctz(set);

		json_object(&out->json);
		put(out, "name", value_text(store_event(s, event)->name));
		put(out, "latency", latency_value(stay, event));
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

static enum status json_row(struct export *x, const struct walk_row *row, struct error *e)
{
	const struct detail_row *d = row->detail;
	struct output *out = x->out;
	struct store *s = x->store;

	(void)e;

	json_object(&out->json);
	put(out, "row", value_count(d->head.row));
	if (detail_is_unread(d))
		put(out, "id", value_none());
	else
		put_id(out, d->id);
	put(out, "pc", d->has_pc ? value_hex(d->pc) : value_none());
	put(out, "text", text_value(row));
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
	return STATUS_OK;
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

static enum status text_row(struct export *x, const struct walk_row *row, struct error *e)
{
	const struct detail_row *d = row->detail;
	struct output *out = x->out;
	char id[24], pc[24] = "-", row_number[32], parent[32];

	(void)e;
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
		text_stay(&out->text, x->store, &row->stays[i]);
	}
	sbuf_putc(&out->text, '\n');
	return STATUS_OK;
}

static enum status begin_json(struct export *x, struct error *e)
{
	(void)e;
	json_object(&x->out->json);
	json_key(&x->out->json, "rows");
	json_array(&x->out->json);
	return STATUS_OK;
}

static enum status end_json(struct export *x, struct error *e)
{
	(void)e;
	json_array_end(&x->out->json);
	json_object_end(&x->out->json);
	sbuf_putc(&x->out->text, '\n');
	return STATUS_OK;
}

static enum status put_heading(struct export *x, struct error *e)
{
	(void)e;
	sbuf_printf(&x->out->text, "%*s  %*s  %*s  %-*s  %*s  %*s  %-9s  %*s  stages\n", ROW_COLUMNS,
		    "row", ID_COLUMNS, "seq", PC_COLUMNS, "pc", TEXT_COLUMNS, "text", TICK_COLUMNS,
		    "start", TICK_COLUMNS, "end", "fate", ROW_COLUMNS, "parent");
	return STATUS_OK;
}

static const struct export_rows json = {.begin = begin_json, .row = json_row, .end = end_json};
static const struct export_rows text = {.begin = put_heading, .row = text_row};

enum status cmd_rows(const struct cmd_options *o, struct output *out, struct error *e)
{
	const struct export_target target = {.out = out, .notes = out, .path = o->files.data[0]};
	const struct export_rows *format = o->json ? &json : o->csv ? &export_csv : &text;
	struct store *s;
	enum status status = open_store(&s, o, out, e);

	if (status)
		return status;
	status = export_write_rows(&format->format, trace_of_store(s), o, &target, e);
	open_note_warnings(trace_of_store(s), o, out);
	store_close(s);
	return status;
}
