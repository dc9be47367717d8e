#include "config.h"

#include <stdio.h>

#include "analysis/pipeline/cpi0_files.h"
#include "analysis/pipeline/cpi0_trace.h"
#include "analysis/pipeline/machine.h"
#include "analysis/pipeline/why.h"
#include "app/pipeline/names.h"
#include "app/pipeline/rows.h"
#include "app/text_private.h"

/* The words of commands about instructions, and what the man page says of machines. */

struct asked {
	const struct app *app;
	void (*add)(void *arg, const char *word);
	void *arg;
};

static const struct rows *rows_in(const struct asked *q)
{
	return q->app->tab ? rows_of(q->app->tab) : NULL;
}

static void names(const struct asked *q, enum named kind)
{
	const struct rows *r = rows_in(q);
	const char *name;

	for (size_t i = 0; r && (name = name_at(r->store, kind, i)); i++)
		q->add(q->arg, name);
}

static void stages(const struct asked *q)
{
	names(q, NAMED_STAGE);
}

static void events(const struct asked *q)
{
	names(q, NAMED_EVENT);
}

/* Also where no trace is open. */
static void metrics(const struct asked *q)
{
#define SERIES_NAME(id, name, help) name,
	static const char *const derived[] = {SERIES_INFO(SERIES_NAME)};
#undef SERIES_NAME
	char name[40];

	q->add(q->arg, CPI0_METRIC);
	q->add(q->arg, WHY_METRIC);
	for (int c = 0; c < WHY_CAUSES; c++) {
		snprintf(name, sizeof(name), WHY_METRIC ":%s", why_causes[c].key);
		q->add(q->arg, name);
	}
	for (size_t i = 0; !q->app->tab && i < sizeof(derived) / sizeof(derived[0]); i++)
		q->add(q->arg, derived[i]);
}

static void causes(const struct asked *q)
{
	for (int c = 0; c < WHY_CAUSES; c++)
		q->add(q->arg, why_causes[c].key);
}

static void machines(const struct asked *q)
{
	struct sbuf name = {0};

	for (size_t i = 0; cpi0_machine_shipped(i, &name); i++)
		q->add(q->arg, sbuf_text(&name));
	sbuf_free(&name);
}

static void (*const providers[ARG_TYPES])(const struct asked *q) = {
    [ARG_STAGE] = stages, [ARG_EVENT] = events,   [ARG_METRIC] = metrics,
    [ARG_CAUSE] = causes, [ARG_WHATIF] = causes, [ARG_MACHINE] = machines};

void rows_words(const struct app *a, int type, void (*add)(void *arg, const char *word), void *arg)
{
	const struct asked q = {a, add, arg};

	if (providers[type])
		providers[type](&q);
}

/* Of cpi0: what a file says that describes one. */
void rows_man(struct sbuf *out)
{
	struct sbuf text = {0};

	sbuf_printf(&text,
		    "A machine file (--machine, command machine) is a text file with one fact per line; "
		    "# begins a comment. A machine has at most %d queues, and a queue at most %d kinds of "
		    "units. Numbers and both terms of a rate are from 1 to %d. The classes of instructions are",
		    MACHINE_QUEUES, MACHINE_UNITS, MACHINE_MOST);
	for (int c = OP_UNKNOWN + 1; c < OP_CLASS_COUNT; c++) {
		if (c == OP_PART)
			continue;
		sbuf_puts(&text, c == OP_UNKNOWN + 1 ? " " : ", ");
		for (const char *p = isa_class_name((enum op_class)c); *p; p++)
			sbuf_putc(&text, *p == ' ' ? '-' : *p);
	}
	sbuf_puts(&text, ". Instructions that no queue takes use only a dispatch slot.");
	text_section(out, "MACHINES", sbuf_text(&text));
	sbuf_free(&text);
	for (int i = 0; i < MACHINE_LINES; i++)
		text_tagged(out, machine_lines[i].word, machine_lines[i].form, machine_lines[i].help);
}
