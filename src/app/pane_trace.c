/*
 * What is told of a trace of any kind: what `pipeglass info` says of it, and what was not understood.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "analysis/info.h"
#include "app/state.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "view/section_pane.h"
#include "view/table.h"

enum { NOTE_COLUMNS = 20, COUNT_COLUMNS = 14, LINE_COLUMNS = 11, WANTED = 100 };

struct info_pane {
	struct list_pane list; /* first, so that one is the other */
	struct trace *trace;
};

/* ---- info: made for the width, so it shows what is known when it is drawn first ---- */

static void add_trace(struct list_pane *p, const struct trace *t, const struct progress *at)
{
	char a[32], b[32];

	pane_line_add(list_pane_key(p, "format"), ROLE_TEXT, "%s: %s", t->format.name,
		      t->format.title);
	num_group(at->first, a);
	num_group(at->last, b);
	if (at->last >= at->first)
		pane_line_add(list_pane_key(p, "time"), ROLE_TEXT, "%s %s to %s", t->format.unit, a,
			      b);
	num_bytes(at->index_bytes, a);
	num_bytes(at->source_bytes, b);
	pane_line_add(list_pane_key(p, "index"), ROLE_TEXT, "%s for %s of text, %s", a, b,
		      at->failed      ? "ended early"
		      : at->complete  ? "complete"
		      : at->cancelled ? "stopped"
				      : "growing");
	if (at->why)
		pane_line_add(list_pane_key(p, ""), ROLE_ERROR, "%s", at->why);
	if (at->note)
		pane_line_add(list_pane_key(p, "note"), ROLE_TEXT, "%s", at->note);
}

static void add_fields(struct list_pane *p, const struct section *s, const void *result)
{
	if (*section_title(s))
		list_pane_heading(p, section_title(s));
	else
		list_pane_add(p, ITEM_NONE, 0);
	section_keys(p, s->fields, result, 0);
}

static void add_sections(struct list_pane *p, const struct section *sections, const void *result,
			 int width)
{
	const struct section_look look = {.width = width};

	for (const struct section *s = sections; s && s->key; s++) {
		if (s->hidden || !s->rows(result))
			continue;
		if (!section_is_one(s)) {
			section_table(p, s, result, &look);
			continue;
		}
		add_fields(p, s, result);
		add_sections(p, s->inner, result, width);
	}
}

static void add_notes(struct list_pane *p, const struct trace *t)
{
	size_t notes = t->kind->note_count ? t->kind->note_count(t) : 0;
	uint64_t count = t->kind->warning_count(t);
	char number[32];

	list_pane_heading(p, "notes");
	pane_line_add(list_pane_add(p, ITEM_NONE, 0), ROLE_TEXT, "%-*s %*s", NOTE_COLUMNS,
		      "warnings", COUNT_COLUMNS, num_group((int64_t)count, number));
	for (size_t i = 0; i < notes; i++) {
		const char *key = t->kind->note(t, i, &count);

		if (count)
			pane_line_add(list_pane_add(p, ITEM_NONE, 0), ROLE_TEXT, "%-*s %*s  %s",
				      NOTE_COLUMNS, key, COUNT_COLUMNS,
				      num_group((int64_t)count, number), t->kind->note_helps[i]);
	}
}

static void write_info(struct list_pane *p, int width)
{
	struct trace *t = ((struct info_pane *)p)->trace;
	struct trace_info info;
	struct error e;

	if (trace_info_make(&info, t, &e)) {
		pane_line_add(list_pane_add(p, ITEM_NONE, 0), ROLE_ERROR, "%s", e.text);
	} else {
		add_trace(p, t, &info.progress);
		add_sections(p, t->kind->info, info.own, width);
		add_sections(p, component_sections, &info.components, width);
		add_sections(p, metric_sections, &info.metrics, width);
		add_notes(p, t);
	}
	trace_info_free(&info);
}

static const struct pane_ops info_ops = {LIST_PANE, .width = WANTED};

struct pane *info_pane(struct app *a)
{
	struct info_pane *p = xcalloc(1, sizeof(*p));

	list_pane_init(&p->list, &info_ops, write_info);
	p->trace = a->tab->trace;
	strcpy(p->list.title, "trace");
	return &p->list.pane;
}

/* ---- warnings ---- */

static const struct pane_ops warnings_ops = {LIST_PANE, .width = 70};

static uint64_t foreign_lines(const struct trace *t)
{
	size_t notes = t->kind->note_count ? t->kind->note_count(t) : 0;
	uint64_t count;

	for (size_t i = 0; i < notes; i++)
		if (strcmp(t->kind->note(t, i, &count), "foreign-lines") == 0)
			return count;
	return 0;
}

/* Lines that are no records at all are no mistake, but they were not understood either. */
static void add_nothing(const struct trace *t, const struct progress *at, struct pane_line *out)
{
	uint64_t foreign = foreign_lines(t);
	char number[32];

	if (at->why)
		pane_line_add(out, ROLE_ERROR, "%s", at->why);
	else if (foreign)
		pane_line_add(out, ROLE_DIM,
			      "every record was read; %s line%s no record%s (foreign-lines)",
			      num_group((int64_t)foreign, number), foreign == 1 ? " is" : "s are",
			      foreign == 1 ? "" : "s");
	else
		pane_line_add(out, ROLE_DIM, "every line was read");
}

static void add_warning(struct list_pane *p, const struct trace *t, const struct warning *w,
			const struct progress *at)
{
	const bool leads = w->item < at->items;
	struct pane_line *l =
	    list_pane_add(p, leads ? w->item : ITEM_NONE,
			  leads && t->kind->item_tick ? t->kind->item_tick(t, w->item) : TICK_NONE);
	char line[32];

	pane_line_add(l, ROLE_DIM, "line %*s  ", LINE_COLUMNS, num_group((int64_t)w->line, line));
	pane_line_add(l, ROLE_TEXT, "%s", w->text);
}

struct pane *warnings_pane(struct app *a)
{
	struct list_pane *p = list_pane_new(&warnings_ops);
	const struct trace *t = a->tab->trace;
	uint64_t count = t->kind->warning_count(t), more;
	size_t kept = count < TRACE_WARNINGS ? (size_t)count : TRACE_WARNINGS;
	struct progress at;
	struct warning w;
	char number[32];

	trace_progress(t, &at);
	for (size_t i = 0; i < kept; i++)
		if (t->kind->warning(t, i, &w))
			add_warning(p, t, &w, &at);
	more = count - kept;
	snprintf(p->title, sizeof(p->title), "%s warning%s", num_group((int64_t)count, number),
		 count == 1 ? "" : "s");
	/* those that are only counted: nobody knows where they are */
	if (more)
		pane_line_add(list_pane_add(p, ITEM_NONE, 0), ROLE_DIM,
			      "... and %s more in the trace (only counted)",
			      num_group((int64_t)more, number));
	else if (!p->count)
		add_nothing(t, &at, list_pane_add(p, ITEM_NONE, 0));
	return &p->pane;
}
