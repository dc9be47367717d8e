#include "config.h"

#include "view/warnings_pane.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "view/pane_list.h"

enum { LINE_COLUMNS = 11 };

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

struct pane *warnings_pane(struct trace *t)
{
	struct list_pane *p = list_pane_new(&warnings_ops);
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
