/*
 * A database for SQLite: rows and what happened to them, as tables that say of themselves what they
 * hold (table readme). Statements are made from columns[] alone; text of the trace is bound, as
 * other programs read it: text_kept(), and line ends.
 *
 * All is one transaction without a journal: a file that is not finished is removed or of no use.
 */
#include "config.h"

#include "cmd/pipeline/export.h"

#ifdef HAVE_SQLITE

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "pipeline/kind.h"
#include "pipeline/queries/detail.h"

#define TABLES(_) _(ABOUT, "about") _(README, "readme") _(ROWS, "rows") _(STAYS, "stays") \
	_(EVENTS, "events") _(LINKS, "links") _(SAMPLES, "samples")

enum table {
#define TABLE_ENUM(id, name) TABLE_##id,
	TABLES(TABLE_ENUM)
#undef TABLE_ENUM
	    TABLE_COUNT
};

static const char *const table_names[] = {
#define TABLE_NAME(id, name) name,
    TABLES(TABLE_NAME)
#undef TABLE_NAME
};

/* In the order in which they are bound. */
static const struct column {
	enum table table;
	const char *name, *type, *meaning;
} columns[] = {
    {TABLE_ABOUT, "name", "text primary key", "what is told of the trace and of this file"},
    {TABLE_ABOUT, "value", "", "its value"},
    {TABLE_README, "table_name", "text", "a table of this file"},
    {TABLE_README, "column_name", "text", "one of its columns"},
    {TABLE_README, "meaning", "text", "what stands in the column"},
    {TABLE_ROWS, "row", "integer primary key", "number of the instruction in the trace, from 0"},
    {TABLE_ROWS, "id", "", "its number in the trace file; text where it takes more than 63 bits"},
    {TABLE_ROWS, "pc", "text", "its address: 0x and lowercase hexadecimal digits"},
    {TABLE_ROWS, "text", "text", "its disassembly"},
    {TABLE_ROWS, "start", "integer", "first tick of its life; about: unit"},
    {TABLE_ROWS, "end", "integer", "tick at which its life ended; null: after the trace"},
    {TABLE_ROWS, "fate", "text",
     "committed, squashed, dropped (at decode), lost (its end was never told), in-flight (at the "
     "end of the trace) or unknown (its birth was never told)"},
    {TABLE_ROWS, "thread", "integer", "its thread; null: the trace names none"},
    {TABLE_ROWS, "parent", "integer", "of a micro-op: the row of its instruction"},
    {TABLE_ROWS, "detail", "text", "what else the trace says of it"},
    {TABLE_STAYS, "stay", "integer primary key", "number of the stay in this file, from 1"},
    {TABLE_STAYS, "row", "integer", "the row that stayed in a stage"},
    {TABLE_STAYS, "stage", "text", "the stage"},
    {TABLE_STAYS, "lane", "text", "its lane; null: the trace has no lanes"},
    {TABLE_STAYS, "start", "integer", "first tick in the stage"},
    {TABLE_STAYS, "end", "integer", "tick at which it left; null: it is there at the end"},
    {TABLE_STAYS, "detail", "text", "what else the trace says of the stay"},
    {TABLE_EVENTS, "stay", "integer", "the stay that the event belongs to"},
    {TABLE_EVENTS, "row", "integer", "its row"},
    {TABLE_EVENTS, "tick", "integer", "start of that stay: when the trace tells of the event"},
    {TABLE_EVENTS, "event", "text", "what happened"},
    {TABLE_EVENTS, "latency", "integer", "the ticks that it took; null: the trace does not say"},
    {TABLE_LINKS, "row", "integer", "the row that waited"},
    {TABLE_LINKS, "producer", "integer", "the row that it waited for; null: not in the trace"},
    {TABLE_LINKS, "producer_id", "", "that row's number in the trace file"},
    {TABLE_LINKS, "type", "integer", "the trace file's own type of the link; 0: wake-up"},
    {TABLE_LINKS, "tick", "integer", "when the trace says so"},
    {TABLE_SAMPLES, "metric", "text", "name of a metric: of the trace, or worked out"},
    {TABLE_SAMPLES, "start", "integer", "first tick of the stretch of time"},
    {TABLE_SAMPLES, "end", "integer", "tick behind it: at most 4096 stretches a metric"},
    {TABLE_SAMPLES, "value", "real",
     "mean of the metric in that time; of ipc, fetch, commit and squash per cycle"},
    {TABLE_SAMPLES, "exact", "integer",
     "0: some values of the metric are interpolated between entries of the index"},
};

enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static const char indexes[] = "create index rows_start on rows(start);"
			      "create index rows_pc on rows(pc);"
			      "create index stays_row on stays(row);"
			      "create index stays_stage on stays(stage, start);"
			      "create index events_row on events(row);"
			      "create index events_event on events(event, tick);"
			      "create index links_row on links(row);"
			      "create index links_producer on links(producer);"
			      "create index samples_metric on samples(metric, start);"
			      "commit";

struct database {
	sqlite3 *handle;
	sqlite3_stmt *insert[TABLE_COUNT];
	int failed; /* the first result of binding that was none */
	int64_t stays;
	bool exact; /* are the values of the metric at hand? */
	struct sbuf words;
};

static enum status told(const struct export *x, struct error *e)
{
	const struct database *d = x->state;
	int code = d->failed ? d->failed : sqlite3_errcode(d->handle);

	return error_set(e, STATUS_IO, "%s: %s", x->target->made,
			 d->failed ? sqlite3_errstr(code) : sqlite3_errmsg(d->handle));
}

static enum status execute(const struct export *x, const char *sql, struct error *e)
{
	const struct database *d = x->state;

	return sqlite3_exec(d->handle, sql, NULL, NULL, NULL) ? told(x, e) : STATUS_OK;
}

/* ---- values ------------------------------------------------------------------------------ */

/* Binds the values of one row of a table, in the order of its columns, and inserts it. */
struct entry {
	struct database *d;
	sqlite3_stmt *insert;
	int next;
};

static struct entry entry_of(struct export *x, enum table table)
{
	struct database *d = x->state;

	return (struct entry){d, d->insert[table], 1};
}

static void bound(struct entry *r, int code)
{
	if (code && !r->d->failed)
		r->d->failed = code;
	r->next++;
}

static void put_null(struct entry *r)
{
	bound(r, sqlite3_bind_null(r->insert, r->next));
}

static void put_integer(struct entry *r, int64_t value)
{
	bound(r, sqlite3_bind_int64(r->insert, r->next, value));
}

static void put_real(struct entry *r, double value)
{
	bound(r, sqlite3_bind_double(r->insert, r->next, value));
}

static void put_tick(struct entry *r, int64_t tick)
{
	if (tick == TICK_NONE)
		put_null(r);
	else
		put_integer(r, tick);
}

static void put_row(struct entry *r, uint64_t row)
{
	if (row == ROW_NONE)
		put_null(r);
	else
		put_integer(r, (int64_t)row);
}

static void put_text(struct entry *r, const char *text, size_t len)
{
	struct sbuf *words = &r->d->words;

	sbuf_clear(words);
	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t line = end ? (size_t)(end - text) : len;

		text_keep(words, text, line);
		if (end)
			sbuf_putc(words, '\n');
		text += line + (end != NULL);
		len -= line + (end != NULL);
	}
	bound(r, words->failed ? SQLITE_NOMEM
			       : sqlite3_bind_text64(r->insert, r->next, sbuf_text(words),
						     words->len, SQLITE_TRANSIENT, SQLITE_UTF8));
}

static void put_name(struct entry *r, const char *name)
{
	put_text(r, name, strlen(name));
}

static void put_id(struct entry *r, uint64_t id)
{
	char digits[24];

	if (id <= INT64_MAX) {
		put_integer(r, (int64_t)id);
	} else {
		snprintf(digits, sizeof(digits), "%" PRIu64, id);
		put_name(r, digits);
	}
}

static enum status insert(struct export *x, const struct entry *r, struct error *e)
{
	if (r->d->failed || sqlite3_step(r->insert) != SQLITE_DONE)
		return told(x, e);
	sqlite3_reset(r->insert);
	return STATUS_OK;
}

/* ---- tables ------------------------------------------------------------------------------ */

static enum status make_table(struct export *x, enum table table, struct error *e)
{
	struct database *d = x->state;
	struct sbuf create = {0}, put = {0};
	const char *comma = "";
	enum status status;

	sbuf_printf(&create, "create table %s(", table_names[table]);
	sbuf_printf(&put, "insert into %s values(", table_names[table]);
	for (size_t i = 0; i < COLUMNS; i++)
		if (columns[i].table == table) {
			sbuf_printf(&create, "%s\"%s\" %s", comma, columns[i].name, columns[i].type);
			sbuf_printf(&put, "%s?", comma);
			comma = ", ";
		}
	sbuf_putc(&create, ')');
	sbuf_putc(&put, ')');
	status = execute(x, sbuf_text(&create), e);
	if (!status && sqlite3_prepare_v3(d->handle, sbuf_text(&put), -1, SQLITE_PREPARE_PERSISTENT,
					  &d->insert[table], NULL))
		status = told(x, e);
	sbuf_free(&create);
	sbuf_free(&put);
	return status;
}

static enum status fill_readme(struct export *x, struct error *e)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; !status && i < COLUMNS; i++) {
		struct entry r = entry_of(x, TABLE_README);

		put_name(&r, table_names[columns[i].table]);
		put_name(&r, columns[i].name);
		put_name(&r, columns[i].meaning);
		status = insert(x, &r, e);
	}
	return status;
}

static enum status about_text(struct export *x, const char *name, const char *text, struct error *e)
{
	struct entry r = entry_of(x, TABLE_ABOUT);

	put_name(&r, name);
	put_name(&r, text);
	return insert(x, &r, e);
}

static enum status about_tick(struct export *x, const char *name, int64_t tick, struct error *e)
{
	struct entry r = entry_of(x, TABLE_ABOUT);

	put_name(&r, name);
	put_integer(&r, tick);
	return insert(x, &r, e);
}

static enum status fill_about(struct export *x, struct error *e)
{
	const struct {
		const char *name, *text;
	} texts[] = {{"made_by", PACKAGE_STRING},
		     {"trace", x->target->path},
		     {"format", store_format(x->store)->name},
		     {"unit", store_unit(x->store)}};
	const struct {
		const char *name;
		int64_t tick;
	} ticks[] = {{"ticks_per_cycle", store_ticks_per_cycle(x->store)},
		     {"first", x->first},
		     {"last", x->last},
		     {"from", x->from},
		     {"to", x->to}};
	enum status status = STATUS_OK;

	for (size_t i = 0; !status && i < sizeof(texts) / sizeof(texts[0]); i++)
		status = about_text(x, texts[i].name, texts[i].text, e);
	for (size_t i = 0; !status && i < sizeof(ticks) / sizeof(ticks[0]); i++)
		status = about_tick(x, ticks[i].name, ticks[i].tick, e);
	return status;
}

static enum status add_sample(struct export *x, const char *metric, const struct export_bin *bin,
			      struct error *e)
{
	const struct database *d = x->state;
	struct entry r = entry_of(x, TABLE_SAMPLES);

	put_name(&r, metric);
	put_integer(&r, bin->from);
	put_integer(&r, bin->to);
	put_real(&r, bin->value);
	put_integer(&r, d->exact);
	return insert(x, &r, e);
}

static enum status fill_samples(struct export *x, struct error *e)
{
	const struct trace *t = trace_of_store(x->store);
	struct database *d = x->state;
	struct metric_info metric;
	enum status status = STATUS_OK;

	for (size_t i = 0; !status && t->kind->metric(t, i, &metric); i++) {
		d->exact = false;
		status = export_curve(x, metric.name, &d->exact, add_sample, e);
	}
	return status;
}

/* ---- rows -------------------------------------------------------------------------------- */

static enum status add_row(struct export *x, const struct walk_row *row, struct error *e)
{
	const struct detail_row *d = row->detail;
	struct entry r = entry_of(x, TABLE_ROWS);
	char pc[24];

	put_row(&r, d->head.row);
	if (detail_is_unread(d))
		put_null(&r);
	else
		put_id(&r, d->id);
	snprintf(pc, sizeof(pc), "0x%" PRIx64, d->pc);
	if (d->has_pc)
		put_name(&r, pc);
	else
		put_null(&r);
	if (d->has_pc || d->text_len)
		put_text(&r, row->text, d->text_len);
	else
		put_null(&r);
	put_tick(&r, d->head.start);
	put_tick(&r, d->head.end);
	put_name(&r, fate_names[d->head.fate]);
	if (d->head.thread)
		put_integer(&r, store_thread(x->store, d->head.thread));
	else
		put_null(&r);
	put_row(&r, d->head.parent);
	if (d->note_len)
		put_text(&r, row->words + d->note0, d->note_len);
	else
		put_null(&r);
	return insert(x, &r, e);
}

static enum status add_events(struct export *x, const struct walk_row *row, const struct stay *stay,
			      struct error *e)
{
	const struct database *d = x->state;
	enum status status = STATUS_OK;

	for (unsigned set = stay->events; !status && set; set &= set - 1) {
		struct entry r = entry_of(x, TABLE_EVENTS);
		unsigned event = (unsigned)__builtin_ctz(set);

		put_integer(&r, d->stays);
		put_row(&r, row->detail->head.row);
		put_tick(&r, stay->start);
		put_name(&r, store_event(x->store, event)->name);
		if (stay->colour & (1U << event) && stay->latency >= 0)
			put_integer(&r, stay->latency);
		else
			put_null(&r);
		status = insert(x, &r, e);
	}
	return status;
}

static enum status add_stay(struct export *x, const struct walk_row *row, const struct stay *stay,
			    struct error *e)
{
	struct database *d = x->state;
	struct entry r = entry_of(x, TABLE_STAYS);
	enum status status;

	put_integer(&r, ++d->stays);
	put_row(&r, row->detail->head.row);
	put_name(&r, store_stage(x->store, stay->stage)->name);
	if (store_lane_count(x->store))
		put_name(&r, store_lane(x->store, stay->lane));
	else
		put_null(&r);
	put_tick(&r, stay->start);
	put_tick(&r, stay->end);
	if (stay->note_len)
		put_text(&r, row->words + stay->note0, stay->note_len);
	else
		put_null(&r);
	status = insert(x, &r, e);
	return status ? status : add_events(x, row, stay, e);
}

static enum status add_link(struct export *x, const struct walk_row *row, const struct link *link,
			    struct error *e)
{
	struct entry r = entry_of(x, TABLE_LINKS);

	put_row(&r, row->detail->head.row);
	put_row(&r, link->row);
	put_id(&r, link->id);
	put_integer(&r, link->type);
	put_tick(&r, link->tick);
	return insert(x, &r, e);
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

/* ---- the file ---------------------------------------------------------------------------- */

static enum status sqlite_begin(struct export *x, struct error *e)
{
	enum status status;

	x->state = calloc(1, sizeof(struct database));
	if (!x->state)
		return error_set(e, STATUS_NOMEM, "out of memory");
	status = export_connect(&((struct database *)x->state)->handle, x->target, e);
	for (int table = 0; !status && table < TABLE_COUNT; table++)
		status = make_table(x, (enum table)table, e);
	if (!status)
		status = fill_readme(x, e);
	if (!status)
		status = fill_about(x, e);
	return status ? status : fill_samples(x, e);
}

static enum status sqlite_end(struct export *x, struct error *e)
{
	return execute(x, indexes, e);
}

static void sqlite_free(struct export *x)
{
	struct database *d = x->state;

	if (!d)
		return;
	for (int table = 0; table < TABLE_COUNT; table++)
		sqlite3_finalize(d->insert[table]);
	sqlite3_close(d->handle);
	sbuf_free(&d->words);
	free(d);
}

#else

static enum status sqlite_begin(struct export *x, struct error *e)
{
	return export_connect(NULL, x->target, e);
}

#define sqlite_row NULL
#define sqlite_end NULL
#define sqlite_free NULL

#endif

const struct export_rows export_sqlite = {
    .format = {"sqlite", true, export_write_rows},
    .begin = sqlite_begin,
    .row = sqlite_row,
    .end = sqlite_end,
    .free = sqlite_free,
};
