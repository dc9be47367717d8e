/* A trace of shared memory as tables for SQLite: what was there in the range, and what it cost. */
#include "config.h"

#include "analysis/memory/source.h"
#include "cmd/export_tables.h"
#include "cmd/memory/memory.h"
#include "memory/kind.h"
#include "memory/memory.h"

enum { STAYS, REFERENCES, CELLS, WORDS, OBJECTS, LINES, TABLES };

static const struct export_table tables[TABLES + 1] = {
    [STAYS] = {"stays",
	       {{"stay", "integer primary key", "number of the stay in the trace, from 0", NULL},
		{"component", "text", "the cache", "start"},
		{"block", "text", "address of the block in it", "start"},
		{"start", "integer", "tick at which it was loaded; about: unit", ""},
		{"end", "integer", "tick at which it went; null: it stayed", NULL},
		{"cause", "text", "why it had to be loaded", "component"},
		{"ending", "text", "why it went: replaced or invalidated; null: it stayed", NULL},
		{"private", "integer", "1: loaded for this cache alone", NULL},
		{"dirty", "integer", "1: it was written until it went", NULL},
		{"word", "integer", "the word whose access loaded it", ""},
		{"line", "integer", "the source line of that access", ""},
		{"taker", "integer", "the CPU that took it away; null: not known", NULL},
		{"taker_word", "integer", "the word whose access took it away", NULL},
		{"taker_line", "integer", "the source line of that access", NULL}}},
    [REFERENCES] = {"accesses",
		    {{"access", "integer primary key", "number of the access that waited, from 0", NULL},
		     {"tick", "integer", "when its wait began; about: unit", ""},
		     {"cell", "integer", "what it was of", ""},
		     {"write", "integer", "1: a write; 0: a read", NULL},
		     {"cycles", "integer", "how long it waited", NULL}}},
    [CELLS] = {"cells",
	       {{"cell", "integer primary key",
		 "a word, object, line and CPU of which there were accesses, in the whole trace", NULL},
		{"word", "integer", "the word", ""},
		{"object", "integer", "the smallest object there at that time; null: none", ""},
		{"line", "integer", "the source line", ""},
		{"cpu", "integer", "the CPU", NULL},
		{"cycles", "integer", "cycles waited", NULL},
		{"reads", "integer", "reads that waited", NULL},
		{"writes", "integer", "writes that waited", NULL}}},
    [WORDS] = {"words",
	       {{"word", "integer primary key", "number of the word, from 0", NULL},
		{"address", "text", "its address", ""},
		{"name", "text", "object and offset, as of the last access", NULL}}},
    [OBJECTS] = {"objects",
		 {{"object", "integer primary key", "number of the object, from 0", NULL},
		  {"class", "text", "its name, which those of a class share", ""},
		  {"ordinal", "integer", "which one of the class, from 0", NULL},
		  {"address", "text", "its address", NULL},
		  {"size", "integer", "its bytes", NULL},
		  {"parent", "integer", "the object around it; null: none", ""},
		  {"born", "integer", "tick at which it was made", NULL},
		  {"died", "integer", "tick at which it was deleted; null: it was not", NULL}}},
    [LINES] = {"lines",
	       {{"line", "integer primary key", "number of the source line, from 0", NULL},
		{"file", "integer", "number of the file in the trace", NULL},
		{"path", "text", "the file; null: not known", NULL},
		{"number", "integer", "the line in the file", NULL},
		{"function", "text", "the function that it is in, by its text; null: not known", NULL}}},
};

struct database {
	struct tables *made;
	const struct export_part *part;
	const struct memory_index *x;
	struct source_text *source;
	struct sbuf name;
};

static struct value number_or_none(uint32_t number)
{
	return number == MEMORY_NONE ? value_none() : value_count(number);
}

static struct value tick_or_none(int64_t tick)
{
	return tick == MEMORY_OPEN ? value_none() : value_ticks(tick);
}

#define PUT(table, ...) tables_put(d->made, table, (const struct value[]){__VA_ARGS__}, e)

static enum status add_stay(struct database *d, uint32_t row, struct error *e)
{
	const struct memory_stay *s = &d->x->stays[row];
	const struct memory_cell *by = memory_access(d->x, s->cell);
	const struct memory_cell *taker = memory_access(d->x, s->taker);
	const struct memory_block *block = &d->x->blocks[s->block];
	struct trace_component cache;

	if (!memory_meets(s, d->part->from, d->part->to))
		return STATUS_OK;
	memory_trace_kind.component(
	    d->part->trace, memory_component(d->x, (enum memory_level)block->level, s->cache), &cache);
	return PUT(STAYS, value_count(row), value_text(cache.name), value_hex(block->address),
		   value_ticks(s->start), tick_or_none(s->end),
		   value_text(memory_cause_names[s->cause]), value_text(memory_ending_names[s->ending]),
		   value_bool(s->private), value_bool(s->dirty), number_or_none(by->word),
		   number_or_none(by->line),
		   s->taker == MEMORY_NONE ? value_none() : value_count(taker->cpu),
		   number_or_none(taker->word), number_or_none(taker->line));
}

static enum status add_reference(struct database *d, uint32_t row, struct error *e)
{
	const struct memory_event *r = &d->x->references[row];

	if (r->tick < d->part->from || r->tick >= d->part->to)
		return STATUS_OK;
	return PUT(REFERENCES, value_count(row), value_ticks(r->tick), value_count(r->cell),
		   value_bool(r->kind), value_count(r->cycles));
}

static enum status add_cell(struct database *d, uint32_t row, struct error *e)
{
	const struct memory_cell *c = &d->x->cells[row];

	return PUT(CELLS, value_count(row), value_count(c->word), number_or_none(c->object),
		   number_or_none(c->line), value_count(c->cpu), value_count(c->cycles),
		   value_count(c->reads), value_count(c->writes));
}

static enum status add_word(struct database *d, uint32_t row, struct error *e)
{
	sbuf_clear(&d->name);
	memory_put_word(d->part->trace, row, &d->name);
	return PUT(WORDS, value_count(row), value_hex(d->x->words[row].address),
		   value_bytes(sbuf_text(&d->name), d->name.len));
}

static enum status add_object(struct database *d, uint32_t row, struct error *e)
{
	const struct memory_object *o = &d->x->objects[row];

	return PUT(OBJECTS, value_count(row), value_text(memory_class(d->part->trace, o->class)),
		   value_count(o->ordinal), value_hex(o->address), value_count(o->size),
		   number_or_none(o->parent), value_ticks(o->born), tick_or_none(o->died));
}

static enum status add_line(struct database *d, uint32_t row, struct error *e)
{
	const struct memory_line *l = &d->x->lines[row];

	return PUT(LINES, value_count(row), value_count(l->file),
		   value_text(memory_file(d->part->trace, l->file)), value_count(l->line),
		   value_text(source_place(d->source, d->x, row).function));
}

typedef enum status add_fn(struct database *d, uint32_t row, struct error *e);

/* The trace is complete: nothing changes while it is written. */
static enum status fill(struct tables *made, const struct export_part *part, struct error *e)
{
	const struct memory_index *x = memory_lock(part->trace);
	struct source_text *source = source_text_new(part->trace);
	struct database d = {.made = made, .part = part, .x = x, .source = source};
	const struct {
		add_fn *add;
		uint32_t count;
	} all[] = {
	    {add_stay, x->stay_count},	   {add_reference, x->reference_count},
	    {add_cell, x->cell_count},	   {add_word, x->word_count},
	    {add_object, x->object_count}, {add_line, x->line_count},
	};
	enum status status = STATUS_OK;

	memory_unlock(part->trace);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		for (uint32_t row = 0; !status && row < all[i].count; row++)
			status = all[i].add(&d, row, e);
	sbuf_free(&d.name);
	source_text_free(source);
	return status;
}

const struct export_format export_memory_sqlite = {
    "sqlite", &memory_trace_kind, true, tables_write, tables, fill};
