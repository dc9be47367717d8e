/* Instructions as tables for SQLite: rows and what happened to them. */
#include "config.h"

#include "cmd/pipeline/export.h"

#ifdef HAVE_SQLITE

#include "cmd/export_tables.h"
#include "pipeline/queries/detail.h"

enum { ROWS, STAYS, EVENTS, LINKS, TABLES };

static const struct export_table tables[TABLES + 1] = {
    [ROWS] = {"rows",
	      {{"row", "integer primary key", "number of the instruction in the trace, from 0", NULL},
	       {"id", "", "its number in the trace file; text where it takes more than 63 bits", NULL},
	       {"pc", "text", "its address: 0x and lowercase hexadecimal digits", ""},
	       {"text", "text", "its disassembly", NULL},
	       {"start", "integer", "first tick of its life; about: unit", ""},
	       {"end", "integer", "tick at which its life ended; null: after the trace", NULL},
	       {"fate", "text",
		"committed, squashed, dropped (at decode), lost (its end was never told), in-flight "
		"(at the end of the trace) or unknown (its birth was never told)", NULL},
	       {"thread", "integer", "its thread; null: the trace names none", NULL},
	       {"parent", "integer", "of a micro-op: the row of its instruction", NULL},
	       {"detail", "text", "what else the trace says of it", NULL}}},
    [STAYS] = {"stays",
	       {{"stay", "integer primary key", "number of the stay in this file, from 1", NULL},
		{"row", "integer", "the row that stayed in a stage", ""},
		{"stage", "text", "the stage", "start"},
		{"lane", "text", "its lane; null: the trace has no lanes", NULL},
		{"start", "integer", "first tick in the stage", NULL},
		{"end", "integer", "tick at which it left; null: it is there at the end", NULL},
		{"detail", "text", "what else the trace says of the stay", NULL}}},
    [EVENTS] = {"events",
		{{"stay", "integer", "the stay that the event belongs to", NULL},
		 {"row", "integer", "its row", ""},
		 {"tick", "integer", "start of that stay: when the trace tells of the event", NULL},
		 {"event", "text", "what happened", "tick"},
		 {"latency", "integer", "the ticks that it took; null: the trace does not say", NULL}}},
    [LINKS] = {"links",
	       {{"row", "integer", "the row that waited", ""},
		{"producer", "integer", "the row that it waited for; null: not in the trace", ""},
		{"producer_id", "", "that row's number in the trace file", NULL},
		{"type", "integer", "the trace file's own type of the link; 0: wake-up", NULL},
		{"tick", "integer", "when the trace says so", NULL}}},
};

static enum status add_row(const struct export *x, const struct walk_row *row, struct error *e)
{
	const struct detail_row *d = row->detail;
	const struct value values[] = {
	    value_count(d->head.row),
	    detail_is_unread(d) ? value_none() : value_count(d->id),
	    d->has_pc ? value_hex(d->pc) : value_none(),
	    text_value(row),
	    tick_value(d->head.start),
	    tick_value(d->head.end),
	    value_text(fate_names[d->head.fate]),
	    thread_value(x->store, d->head.thread),
	    row_value(d->head.parent),
	    note_value(row, d->note0, d->note_len),
	};

	return tables_put(x->state, ROWS, values, e);
}

static enum status add_events(const struct export *x, const struct walk_row *row,
			      const struct stay *stay, struct error *e)
{
	const int64_t key = tables_key(x->state);
	enum status status = STATUS_OK;

	for (unsigned set = stay->events; !status && set; set &= set - 1) {
		unsigned event = (unsigned)__builtin_ctz(set);
		const struct value values[] = {
		    value_ticks(key),
		    value_count(row->detail->head.row),
		    tick_value(stay->start),
		    value_text(store_event(x->store, event)->name),
		    latency_value(stay, event),
		};

		status = tables_put(x->state, EVENTS, values, e);
	}
	return status;
}

static enum status add_stay(const struct export *x, const struct walk_row *row,
			    const struct stay *stay, struct error *e)
{
	const bool lanes = store_lane_count(x->store) > 0;
	const struct value values[] = {
	    value_none(),
	    value_count(row->detail->head.row),
	    value_text(store_stage(x->store, stay->stage)->name),
	    value_text(lanes ? store_lane(x->store, stay->lane) : NULL),
	    tick_value(stay->start),
	    tick_value(stay->end),
	    note_value(row, stay->note0, stay->note_len),
	};
	enum status status = tables_put(x->state, STAYS, values, e);

	return status ? status : add_events(x, row, stay, e);
}

static enum status add_link(const struct export *x, const struct walk_row *row,
			    const struct link *link, struct error *e)
{
	const struct value values[] = {
	    value_count(row->detail->head.row), row_value(link->row),	value_count(link->id),
	    value_count(link->type),		tick_value(link->tick),
	};

	return tables_put(x->state, LINKS, values, e);
}

static enum status sqlite_row(struct export *x, const struct walk_row *row, struct error *e)
{
	const struct detail_row *d = row->detail;
	enum status status = add_row(x, row, e);

	for (uint32_t i = 0; !status && i < d->stays; i++)
		status = add_stay(x, row, &row->stays[i], e);
	for (uint32_t i = 0; !status && i < d->links; i++)
		status = add_link(x, row, &row->links[i], e);
	return status;
}

static enum status sqlite_begin(struct export *x, struct error *e)
{
	struct tables *d;
	enum status status = tables_begin(&d, tables, &x->part, x->target, e);

	x->state = d;
	return status;
}

static enum status sqlite_end(struct export *x, struct error *e)
{
	return tables_end(x->state, e);
}

static void sqlite_free(struct export *x)
{
	tables_free(x->state);
}

const struct export_rows export_sqlite = {
    .format = EXPORT_OF_ROWS("sqlite", true),
    .begin = sqlite_begin,
    .row = sqlite_row,
    .end = sqlite_end,
    .free = sqlite_free,
};

#else

const struct export_rows export_sqlite = {.format = EXPORT_OF_ROWS("sqlite", true)};

#endif
