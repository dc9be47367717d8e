#include "config.h"

#include "cmd/export_tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#ifdef HAVE_SQLITE
#include <sqlite3.h>
#endif

struct tables {
	const struct export_target *target;
	const struct export_table *csv; /* what is written as text; NULL: it is a database */
#ifdef HAVE_SQLITE
	sqlite3 *handle;
	const struct export_table *list[EXPORT_TABLES]; /* to the first that is NULL */
	sqlite3_stmt *insert[EXPORT_TABLES];
	struct sbuf words;
#endif
};

/* ---- as text ---- */

static enum status put_line(const struct tables *d, const struct value *values, struct error *e)
{
	struct output *out = d->target->out;

	for (int i = 0; d->csv->columns[i].name; i++) {
		sbuf_puts(&out->text, i ? "," : "");
		output_csv_value(out, values[i]);
	}
	sbuf_putc(&out->text, '\n');
	return output_drain(out, e);
}

enum status tables_write_csv(const struct export_format *f, struct trace *t,
			     const struct cmd_options *o, const struct export_target *x,
			     struct error *e)
{
	struct tables d = {.target = x, .csv = f->tables};
	struct export_part part;
	enum status status = export_part_of(&part, t, o, e);

	for (const struct export_column *c = d.csv->columns; c->name; c++)
		sbuf_printf(&x->out->text, "%s%c", c->name, c[1].name ? ',' : '\n');
	return status ? status : f->fill(&d, &part, e);
}

bool tables_has(const struct tables *d, int table)
{
	return !d->csv || table == 0;
}

#ifdef HAVE_SQLITE

/* The tables that every kind has; a kind's own follow. */
enum { ABOUT, README, COMPONENTS, SAMPLES, SHARED };

static const struct export_table shared[SHARED] = {
    [ABOUT] = {"about",
	       {{"name", "text primary key", "what is told of the trace and of this file", NULL},
		{"value", "", "its value", NULL}}},
    [README] = {"readme",
		{{"table_name", "text", "a table of this file", NULL},
		 {"column_name", "text", "one of its columns", NULL},
		 {"meaning", "text", "what stands in the column", NULL}}},
    [COMPONENTS] = {"components",
		    {{"component", "text", "a component: a stage, or where tasks are", NULL},
		     {"spans", "integer",
		      "how often something was there, in the whole trace", NULL}}},
    [SAMPLES] = {"samples",
		 {{"metric", "text", "name of a metric: of the trace, or worked out", "start"},
		  {"component", "text", "whose it is; null: of all", NULL},
		  {"start", "integer", "first tick of the stretch of time", NULL},
		  {"end", "integer", "tick behind it: at most 4096 stretches a metric", NULL},
		  {"value", "real",
		   "mean of the metric in that time; of what is counted per cycle or second", NULL},
		  {"exact", "integer",
		   "0: some values of the metric are interpolated between entries of the index",
		   NULL}}},
};

static enum status told(const struct tables *d, int code, struct error *e)
{
	return error_set(e, STATUS_IO, "%s: %s", d->target->made,
			 code ? sqlite3_errstr(code) : sqlite3_errmsg(d->handle));
}

static enum status execute(const struct tables *d, const char *sql, struct error *e)
{
	return sqlite3_exec(d->handle, sql, NULL, NULL, NULL) ? told(d, 0, e) : STATUS_OK;
}

/* ---- rows ---- */

static int bind_text(struct tables *d, sqlite3_stmt *s, int at, const char *text, size_t len)
{
	struct sbuf *words = &d->words;

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
	if (words->failed)
		return SQLITE_NOMEM;
	return sqlite3_bind_text64(s, at, sbuf_text(words), words->len, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static int bind(struct tables *d, sqlite3_stmt *s, int at, const struct value *v)
{
	char digits[24];

	switch (v->type) {
	case VALUE_TEXT:
		return bind_text(d, s, at, v->text.p, v->text.len);
	case VALUE_COUNT:
		if (v->count <= INT64_MAX)
			return sqlite3_bind_int64(s, at, (sqlite3_int64)v->count);
		snprintf(digits, sizeof(digits), "%" PRIu64, v->count);
		return bind_text(d, s, at, digits, strlen(digits));
	case VALUE_HEX:
		snprintf(digits, sizeof(digits), "0x%" PRIx64, v->count);
		return bind_text(d, s, at, digits, strlen(digits));
	case VALUE_TICKS:
		return sqlite3_bind_int64(s, at, v->ticks);
	case VALUE_REAL:
		return sqlite3_bind_double(s, at, v->real);
	case VALUE_BOOL:
		return sqlite3_bind_int(s, at, v->yes);
	default:
		return sqlite3_bind_null(s, at);
	}
}

static enum status put(struct tables *d, int table, const struct value *values, struct error *e)
{
	const struct export_column *columns = d->list[table]->columns;
	sqlite3_stmt *s = d->insert[table];
	int code = SQLITE_OK;

	for (int i = 0; !code && columns[i].name; i++)
		code = bind(d, s, i + 1, &values[i]);
	if (code || sqlite3_step(s) != SQLITE_DONE)
		return told(d, code, e);
	sqlite3_reset(s);
	return STATUS_OK;
}

enum status tables_put(struct tables *d, int table, const struct value *values, struct error *e)
{
	return d->csv ? put_line(d, values, e) : put(d, SHARED + table, values, e);
}

int64_t tables_key(const struct tables *d)
{
	return sqlite3_last_insert_rowid(d->handle);
}

/* ---- tables ---- */

static enum status make_table(struct tables *d, int table, struct error *e)
{
	const struct export_table *t = d->list[table];
	struct sbuf create = {0}, put = {0};
	enum status status;

	sbuf_printf(&create, "create table %s(", t->name);
	sbuf_printf(&put, "insert into %s values(", t->name);
	for (int i = 0; t->columns[i].name; i++) {
		sbuf_printf(&create, "%s\"%s\" %s", i ? ", " : "", t->columns[i].name,
			    t->columns[i].type);
		sbuf_puts(&put, i ? ", ?" : "?");
	}
	sbuf_putc(&create, ')');
	sbuf_putc(&put, ')');
	status = execute(d, sbuf_text(&create), e);
	if (!status && sqlite3_prepare_v3(d->handle, sbuf_text(&put), -1, SQLITE_PREPARE_PERSISTENT,
					  &d->insert[table], NULL))
		status = told(d, 0, e);
	sbuf_free(&create);
	sbuf_free(&put);
	return status;
}

static enum status make_index(struct tables *d, const struct export_table *t,
			      const struct export_column *c, struct error *e)
{
	struct sbuf sql = {0};
	enum status status;

	sbuf_printf(&sql, "create index %s_%s on %s(\"%s\"%s%s)", t->name, c->name, t->name, c->name,
		    *c->index ? ", " : "", c->index);
	status = execute(d, sbuf_text(&sql), e);
	sbuf_free(&sql);
	return status;
}

static enum status describe(struct tables *d, const struct export_table *t, struct error *e)
{
	enum status status = STATUS_OK;

	for (const struct export_column *c = t->columns; !status && c->name; c++) {
		const struct value values[] = {value_text(t->name), value_text(c->name),
					       value_text(c->meaning)};

		status = put(d, README, values, e);
	}
	return status;
}

static enum status fill_about(struct tables *d, const struct export_part *part, struct error *e)
{
	const struct value about[][2] = {
	    {value_text("made_by"), value_text(PACKAGE_STRING)},
	    {value_text("trace"), value_text(d->target->path)},
	    {value_text("format"), value_text(part->trace->format.name)},
	    {value_text("unit"), value_text(part->trace->format.unit)},
	    {value_text("ticks_per_cycle"), value_ticks(trace_ticks_per_cycle(part->trace))},
	    {value_text("first"), value_ticks(part->first)},
	    {value_text("last"), value_ticks(part->last)},
	    {value_text("from"), value_ticks(part->from)},
	    {value_text("to"), value_ticks(part->to)},
	};
	enum status status = STATUS_OK;

	for (size_t i = 0; !status && i < sizeof(about) / sizeof(about[0]); i++)
		status = put(d, ABOUT, about[i], e);
	return status;
}

static enum status fill_components(struct tables *d, const struct trace *t, struct error *e)
{
	struct trace_component component;
	enum status status = STATUS_OK;

	for (size_t i = 0; !status && t->kind->component(t, i, &component); i++) {
		const struct value values[] = {value_text(component.name),
					       value_count(component.spans)};

		status = put(d, COMPONENTS, values, e);
	}
	return status;
}

static enum status add_sample(void *arg, const struct export_bin *bin, struct error *e)
{
	const struct value values[] = {value_text(bin->metric->name),
				       value_text(bin->metric->component), value_ticks(bin->from),
				       value_ticks(bin->to), value_real(bin->value),
				       value_bool(bin->exact)};

	return put(arg, SAMPLES, values, e);
}

static enum status fill_samples(struct tables *d, const struct export_part *part, struct error *e)
{
	struct metric_info metric;
	enum status status = STATUS_OK;

	for (size_t i = 0; !status && part->trace->kind->metric(part->trace, i, &metric); i++)
		status = export_curve(part, &metric, false, add_sample, d, e);
	return status;
}

/* ---- the file ---- */

/* A file that is not finished is of no use: there is no need for a journal. */
static const char pragmas[] = "pragma journal_mode = off; pragma synchronous = off;"
			      "pragma locking_mode = exclusive; pragma cache_size = -65536;"
			      "pragma threads = 4; begin";

static enum status open_file(struct tables *d, struct error *e)
{
	if (sqlite3_open_v2(d->target->file, &d->handle,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL))
		return told(d, 0, e);
	return execute(d, pragmas, e);
}

static void list_tables(struct tables *d, const struct export_table *own)
{
	for (int i = 0; i < SHARED; i++)
		d->list[i] = &shared[i];
	for (int i = SHARED; i + 1 < EXPORT_TABLES && own->name; i++)
		d->list[i] = own++;
}

enum status tables_begin(struct tables **out, const struct export_table *own,
			 const struct export_part *part, const struct export_target *x,
			 struct error *e)
{
	struct tables *d = *out = calloc(1, sizeof(*d));
	enum status status;

	if (!d)
		return error_set(e, STATUS_NOMEM, "out of memory");
	d->target = x;
	list_tables(d, own);
	status = open_file(d, e);
	for (int i = 0; !status && d->list[i]; i++)
		status = make_table(d, i, e);
	for (int i = 0; !status && d->list[i]; i++)
		status = describe(d, d->list[i], e);
	if (!status)
		status = fill_about(d, part, e);
	if (!status)
		status = fill_components(d, part->trace, e);
	return status ? status : fill_samples(d, part, e);
}

enum status tables_end(struct tables *d, struct error *e)
{
	enum status status = STATUS_OK;

	for (int i = 0; d->list[i]; i++)
		for (const struct export_column *c = d->list[i]->columns; !status && c->name; c++)
			if (c->index)
				status = make_index(d, d->list[i], c, e);
	return status ? status : execute(d, "commit", e);
}

enum status tables_write(const struct export_format *f, struct trace *t,
			 const struct cmd_options *o, const struct export_target *x,
			 struct error *e)
{
	struct tables *d = NULL;
	struct export_part part;
	enum status status = export_part_of(&part, t, o, e);

	if (!status)
		status = tables_begin(&d, f->tables, &part, x, e);
	if (!status)
		status = f->fill(d, &part, e);
	if (!status)
		status = tables_end(d, e);
	tables_free(d);
	return status;
}

void tables_free(struct tables *d)
{
	if (!d)
		return;
	for (int i = 0; i < EXPORT_TABLES; i++)
		sqlite3_finalize(d->insert[i]);
	sqlite3_close(d->handle);
	sbuf_free(&d->words);
	free(d);
}

#else

enum status tables_put(struct tables *d, int table, const struct value *values, struct error *e)
{
	(void)table;
	return put_line(d, values, e);
}

#endif
