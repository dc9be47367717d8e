#include "config.h"

#include "view/pipeline/panes.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "view/pipeline/pane_range.h"

enum { LINE_COLUMNS = 11 };

struct warnings_pane {
	struct pane pane;
	struct store *store;
	struct selection range;
	uint16_t *shown; /* with a range: those of the kept ones that lie in it */
	size_t shown_count;
};

static const struct warnings_pane *of(const struct pane *p)
{
	return p->data;
}

static size_t kept(const struct store *s)
{
	uint64_t count = store_warning_count(s);

	return count < TRACE_WARNINGS ? (size_t)count : TRACE_WARNINGS;
}

static size_t listed(const struct warnings_pane *p)
{
	return p->range.on ? p->shown_count : kept(p->store);
}

/* Warnings that are only counted: nobody knows where they are. */
static uint64_t unlisted(const struct warnings_pane *p)
{
	return store_warning_count(p->store) - kept(p->store);
}

static bool warning_at(const struct warnings_pane *p, size_t i, struct warning *out)
{
	return i < listed(p) && store_warning(p->store, p->range.on ? p->shown[i] : i, out);
}

/* One line says that there is nothing, or how many are only counted. */
static size_t warnings_count(const struct pane *p)
{
	return listed(of(p)) + (listed(of(p)) == 0 || unlisted(of(p)) > 0);
}

static void warnings_title(const struct pane *p, struct sbuf *out)
{
	uint64_t count = of(p)->range.on ? of(p)->shown_count : store_warning_count(of(p)->store);
	char number[32];

	sbuf_printf(out, "%s warning%s", num_group((int64_t)count, number), count == 1 ? "" : "s");
	pane_range_title(of(p)->store, &of(p)->range, false, out);
}

/* Lines that are no records at all are no mistake, but they were not understood either. */
static void add_nothing(const struct warnings_pane *p, struct pane_line *out)
{
	uint64_t foreign = 0, count;
	struct progress at;
	char number[32];

	store_progress(p->store, &at);
	for (size_t i = 0; i < store_note_count(p->store); i++)
		if (strcmp(store_note(p->store, i, &count), "foreign-lines") == 0)
			foreign = count;
	if (at.why)
		pane_line_add(out, ROLE_ERROR, "%s", at.why);
	else if (p->range.on)
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
	struct warning w;

	if (!warning_at(of(p), i, &w) || w.row >= store_row_count(of(p)->store))
		return false;
	*to = (struct place){.item = w.row, .tick = TICK_NONE};
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

static void choose(struct warnings_pane *p)
{
	struct range part = pane_range_part(p->store, &p->range);

	p->shown = xmalloc(TRACE_WARNINGS * sizeof(*p->shown));
	for (size_t i = 0; i < kept(p->store); i++) {
		struct warning w;
		struct row row;

		if (store_warning(p->store, i, &w) && store_row(p->store, w.row, &row) &&
		    range_has(&part, &row))
			p->shown[p->shown_count++] = (uint16_t)i;
	}
}

struct pane *warnings_pane(struct store *s, const struct selection *range)
{
	struct warnings_pane *p = xcalloc(1, sizeof(*p));

	p->pane.ops = &warnings_ops;
	p->pane.data = p;
	p->store = s;
	if (range && range->on) {
		p->range = *range;
		choose(p);
	}
	return &p->pane;
}
