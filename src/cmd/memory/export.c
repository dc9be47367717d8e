/*
 * A trace of shared memory as tables: what was there in the range, and what it cost, each row with
 * the names of what it tells of. As CSV the stays alone.
 */
#include "config.h"

#include <stdlib.h>

#include "analysis/memory/source.h"
#include "base/xalloc.h"
#include "cmd/export_tables.h"
#include "cmd/memory/memory.h"
#include "memory/kind.h"
#include "memory/memory.h"

enum { STAYS, REFERENCES, OBJECTS, TABLES };

static const struct export_table tables[TABLES + 1] = {
    [STAYS] = {"stays",
	       {{"row", "integer primary key", "number of the stay in the trace, from 0", NULL},
		{"component", "text", "the cache", "start"},
		{"block", "text", "address of the block in it", "start"},
		{"start", "integer", "tick at which it was loaded; about: unit", ""},
		{"end", "integer", "tick at which it went; null: it stayed", NULL},
		{"cause", "text", "why it had to be loaded; null: not known", "component"},
		{"ending", "text", "why it went: replaced or invalidated; null: it stayed", NULL},
		{"private", "integer", "1: loaded for this cache alone", NULL},
		{"dirty", "integer", "1: it was written until it went", NULL},
		{"word", "text", "the word whose access loaded it: object and offset", ""},
		{"line", "text", "the source line of that access", NULL},
		{"taker", "text", "the CPU that took it away; null: not known", NULL},
		{"taker_word", "text", "the word whose access took it away", NULL},
		{"taker_line", "text", "the source line of that access", NULL}}},
    [REFERENCES] = {"accesses",
		    {{"access", "integer primary key", "number of the access, from 0", NULL},
		     {"tick", "integer", "when its wait began; about: unit", ""},
		     {"cpu", "text", "who waited", NULL},
		     {"write", "integer", "1: a write; 0: a read", NULL},
		     {"cycles", "integer", "how long it waited", NULL},
		     {"address", "text", "of the word", NULL},
		     {"word", "text", "the word: object and offset, as of its last access", ""},
		     {"object", "integer", "the smallest one there at that time; null: none", NULL},
		     {"class", "text", "the name of that object", NULL},
		     {"line", "text", "the source line", NULL},
		     {"function", "text", "what that is in, by its text; null: not known", NULL}}},
    [OBJECTS] = {"objects",
		 {{"object", "integer primary key", "number of the object, from 0", NULL},
		  {"class", "text", "its name, which those of a class share", ""},
		  {"ordinal", "integer", "which one of the class, from 0", NULL},
		  {"address", "text", "its address", NULL},
		  {"size", "integer", "its bytes", NULL},
		  {"parent", "integer", "the object around it; null: none", ""},
		  {"born", "integer", "tick at which it was made", NULL},
		  {"died", "integer", "tick at which it was deleted; null: it was not", NULL}}},
};

struct database {
	struct tables *made;
	const struct export_part *part;
	const struct memory_index *x;
	struct source_text *source;
	const char **names[MEMORY_THING_COUNT]; /* by number, of what was named already */
};

static struct value number_or_none(uint32_t number)
{
	return number == MEMORY_NONE ? value_none() : value_count(number);
}

static struct value tick_or_none(int64_t tick)
{
	return tick == MEMORY_OPEN ? value_none() : value_ticks(tick);
}

static struct value name_or_none(const struct database *d, enum memory_thing by, uint32_t number)
{
	const char **name = number == MEMORY_NONE ? NULL : &d->names[by][number];

	if (name && !*name)
		*name = source_text_name(d->source, d->x, by, number);
	return value_text(name ? *name : NULL);
}

#define PUT(table, ...) tables_put(d->made, table, (const struct value[]){__VA_ARGS__}, e)

static enum status add_stay(struct database *d, uint32_t row, struct error *e)
{
	const struct memory_stay *s = memory_stay(d->x, row);
	const struct memory_cell *by = memory_access(d->x, s->cell);
	const struct memory_cell *taker = memory_access(d->x, s->taker);
	const struct memory_block *block = &d->x->blocks[s->block];
	struct trace_component cache;

	if (!memory_meets(s, d->part->from, d->part->to))
		return STATUS_OK;
	memory_trace_kind.component(
	    d->part->trace, memory_component(d->x, (enum memory_level)block->level, s->cache),
	    &cache);
	return PUT(STAYS, value_count(row), value_text(cache.name), value_hex(block->address),
		   value_ticks(s->start), tick_or_none(s->end),
		   value_text(s->cell == MEMORY_NONE ? NULL : memory_cause_names[s->cause]),
		   value_text(memory_ending_names[s->ending]), value_count(s->private),
		   value_count(s->dirty), name_or_none(d, MEMORY_BY_WORD, by->word),
		   name_or_none(d, MEMORY_BY_LINE, by->line),
		   name_or_none(d, MEMORY_BY_CPU, s->taker == MEMORY_NONE ? s->taker : taker->cpu),
		   name_or_none(d, MEMORY_BY_WORD, taker->word),
		   name_or_none(d, MEMORY_BY_LINE, taker->line));
}

static enum status add_reference(struct database *d, uint32_t row, struct error *e)
{
	const struct memory_event *r = &d->x->references[row];
	const struct memory_cell *c = &d->x->cells[r->cell];
	const struct memory_line *l = &d->x->lines[c->line];
	const char *file = memory_file(d->part->trace, l->file);

	if (r->tick < d->part->from || r->tick >= d->part->to)
		return STATUS_OK;
	return PUT(REFERENCES, value_count(row), value_ticks(r->tick),
		   name_or_none(d, MEMORY_BY_CPU, c->cpu), value_count(r->kind),
		   value_count(r->cycles), value_hex(d->x->words[c->word].address),
		   name_or_none(d, MEMORY_BY_WORD, c->word), number_or_none(c->object),
		   name_or_none(d, MEMORY_BY_CLASS, memory_class_of(d->x, c->object)),
		   name_or_none(d, MEMORY_BY_LINE, c->line),
		   value_text(source_text_line(d->source, file, l->line)->function));
}

static enum status add_object(struct database *d, uint32_t row, struct error *e)
{
	const struct memory_object *o = &d->x->objects[row];

	return PUT(OBJECTS, value_count(row), value_text(memory_class(d->part->trace, o->class)),
		   value_count(o->ordinal), value_hex(o->address), value_count(o->size),
		   number_or_none(o->parent), value_ticks(o->born), tick_or_none(o->died));
}

/* The trace is complete: nothing changes while it is written. */
static enum status fill(struct tables *made, const struct export_part *part, struct error *e)
{
	const struct memory_index *x = memory_lock(part->trace);
	struct database d = {made, part, x, source_text_new(part->trace), {NULL}};
	const struct {
		enum status (*add)(struct database *d, uint32_t row, struct error *e);
		uint32_t count;
	} all[TABLES] = {[STAYS] = {add_stay, x->stay_count},
			 [REFERENCES] = {add_reference, x->reference_count},
			 [OBJECTS] = {add_object, x->object_count}};
	enum status status = STATUS_OK;

	memory_unlock(part->trace);
	for (int by = 0; by < MEMORY_THING_COUNT; by++)
		d.names[by] = xcalloc(memory_thing_count(x, (enum memory_thing)by) + 1,
				      sizeof(*d.names[by]));
	for (int i = 0; d.source && i < TABLES && tables_has(made, i); i++)
		for (uint32_t row = 0; !status && row < all[i].count; row++)
			status = all[i].add(&d, row, e);
	if (!status && (!d.source || intern_failed(d.source->texts)))
		status = error_set(e, STATUS_NOMEM, "out of memory");
	for (int by = 0; by < MEMORY_THING_COUNT; by++)
		free(d.names[by]);
	source_text_free(d.source);
	return status;
}

const struct export_format export_memory_csv = {
    "csv", &memory_trace_kind, false, tables_write_csv, tables, fill};
const struct export_format export_memory_sqlite = {
    "sqlite", &memory_trace_kind, true, tables_write, tables, fill};
