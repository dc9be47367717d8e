#include "config.h"

#include "view/info_pane.h"

#include <string.h>

#include "analysis/info.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "view/section_pane.h"
#include "view/table.h"

enum { NOTE_COLUMNS = 20, COUNT_COLUMNS = 14, WANTED = 100 };

struct info_pane {
	struct list_pane list; /* first, so that one is the other */
	struct trace *trace;
};

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

/* A line for each field that is known, numbers below each other. */
static void add_fields(struct list_pane *p, const struct section *s, const void *result)
{
	struct sbuf value = {0};
	char name[FIELD_NAME];

	if (*section_title(s))
		list_pane_heading(p, section_title(s));
	else
		list_pane_add(p, ITEM_NONE, 0);
	for (const struct field *f = s->fields; f->key; f++) {
		size_t parts = f->hidden ? 0 : f->shape == FIELD_LIST ? 1 : field_parts(f, result);

		for (size_t part = 0; part < parts; part++) {
			bool text = f->shape == FIELD_LIST || f->type == VALUE_TEXT;
			struct pane_line *l;

			sbuf_clear(&value);
			if (f->shape == FIELD_LIST ||
			    field_value(f, result, 0, part).type != VALUE_NONE)
				table_values(&value, f, result, 0, part);
			if (!value.len)
				continue;
			l = list_pane_key(p, field_heading(f, result, part, name));
			pane_line_add(l, ROLE_TEXT, "%*s",
				      text ? 0 : COUNT_COLUMNS - (int)value.len, "");
			pane_line_bytes(l, ROLE_TEXT, sbuf_text(&value), value.len);
		}
	}
	sbuf_free(&value);
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
		add_sections(p, info_components, &info, width);
		add_sections(p, metric_sections, &info.metrics, width);
		add_notes(p, t);
	}
	trace_info_free(&info);
}

static const struct pane_ops info_ops = {LIST_PANE, .width = WANTED};

struct pane *info_pane(struct trace *t)
{
	struct info_pane *p = xcalloc(1, sizeof(*p));

	list_pane_init(&p->list, &info_ops, write_info);
	p->trace = t;
	strcpy(p->list.title, "trace");
	return &p->list.pane;
}
