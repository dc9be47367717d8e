#include "config.h"

#include "view/warnings_pane.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"

enum { LINE_COLUMNS = 11 };

struct warnings_pane {
	struct pane pane;
	struct trace *trace;
	bool part;
	char name[128];  /* of the part */
	uint16_t *shown; /* of a part: those of the kept ones that are in it */
	size_t shown_count;
};

static const struct warnings_pane *of(const struct pane *p)
{
	return p->data;
}

static uint64_t counted(const struct warnings_pane *p)
{
	return p->trace->kind->warning_count(p->trace);
}

static size_t kept(const struct warnings_pane *p)
{
	uint64_t count = counted(p);

	return count < TRACE_WARNINGS ? (size_t)count : TRACE_WARNINGS;
}

static size_t listed(const struct warnings_pane *p)
{
	return p->part ? p->shown_count : kept(p);
}

/* Warnings that are only counted: nobody knows where they are. */
static uint64_t unlisted(const struct warnings_pane *p)
{
	return counted(p) - kept(p);
}

static bool warning_at(const struct warnings_pane *p, size_t i, struct warning *out)
{
	return i < listed(p) && p->trace->kind->warning(p->trace, p->part ? p->shown[i] : i, out);
}

/* One line says that there is nothing, or how many are only counted. */
static size_t warnings_count(const struct pane *p)
{
	return listed(of(p)) + (listed(of(p)) == 0 || unlisted(of(p)) > 0);
}

static void warnings_title(const struct pane *p, struct sbuf *out)
{
	uint64_t count = of(p)->part ? of(p)->shown_count : counted(of(p));
	char number[32];

	sbuf_printf(out, "%s warning%s%s", num_group((int64_t)count, number), count == 1 ? "" : "s",
		    of(p)->name);
}

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
static void add_nothing(const struct warnings_pane *p, struct pane_line *out)
{
	uint64_t foreign = foreign_lines(p->trace);
	struct progress at;
	char number[32];

	trace_progress(p->trace, &at);
	if (at.why)
		pane_line_add(out, ROLE_ERROR, "%s", at.why);
	else if (p->part)
		pane_line_add(out, ROLE_DIM, "no warnings in the selection");
	else if (foreign)
		pane_line_add(out, ROLE_DIM,
			      "every record was understood; %s line%s no record%s (foreign-lines)",
			      num_group((int64_t)foreign, number), foreign == 1 ? " is" : "s are",
			      foreign == 1 ? "" : "s");
	else
		pane_line_add(out, ROLE_DIM, "every line was understood");
}

static void warnings_line(const struct pane *p, size_t i, struct pane_line *out)
{
	struct warning w;
	char at[32];

	if (warning_at(of(p), i, &w)) {
		pane_line_add(out, ROLE_DIM, "line %*s  ", LINE_COLUMNS,
			      num_group((int64_t)w.line, at));
		pane_line_add(out, ROLE_TEXT, "%s", w.text);
	} else if (unlisted(of(p)) > 0) {
		pane_line_add(out, ROLE_DIM, "... and %s more in the trace, which are only counted",
			      num_group((int64_t)unlisted(of(p)), at));
	} else {
		add_nothing(of(p), out);
	}
}

static bool warnings_target(const struct pane *p, size_t i, struct place *to)
{
	struct progress at;
	struct warning w;

	trace_progress(of(p)->trace, &at);
	if (!warning_at(of(p), i, &w) || w.item >= at.items)
		return false;
	*to = (struct place){.item = w.item, .tick = TICK_NONE};
	return true;
}

static void warnings_free(struct pane *p)
{
	struct warnings_pane *self = p->data;

	free(self->shown);
	free(self);
}

static const struct pane_ops warnings_ops = {
    .name = "warnings",
    .help = "lines of the trace that were not understood",
    .title = warnings_title,
    .count = warnings_count,
    .line = warnings_line,
    .target = warnings_target,
    .free = warnings_free,
    .width = 70,
};

static void choose(struct warnings_pane *p, const struct warnings_part *part)
{
	size_t count = kept(p);
	struct warning w;

	p->part = true;
	snprintf(p->name, sizeof(p->name), "%s", part->name);
	p->shown = xmalloc(TRACE_WARNINGS * sizeof(*p->shown));
	for (size_t i = 0; i < count; i++)
		if (p->trace->kind->warning(p->trace, i, &w) && part->has(part->arg, &w))
			p->shown[p->shown_count++] = (uint16_t)i;
}

struct pane *warnings_pane(struct trace *t, const struct warnings_part *part)
{
	struct warnings_pane *p = xcalloc(1, sizeof(*p));

	p->pane.ops = &warnings_ops;
	p->pane.data = p;
	p->trace = t;
	if (part)
		choose(p, part);
	return &p->pane;
}
