#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "app/tail.h"
#include "app/state.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "view/pane.h"

enum { WIDTH = 76 };

/* What the program that writes the trace said: lines [first, end) as they were when it was made. */
struct stderr_pane {
	struct pane pane;
	struct child *child; /* NULL: none was started */
	uint64_t first, end;
};

static const struct stderr_pane *of(const struct pane *p)
{
	return (const struct stderr_pane *)p->data;
}

static void title(const struct pane *p, struct sbuf *out)
{
	const struct stderr_pane *s = of(p);

	if (!s->child) {
		sbuf_puts(out, "Standard error");
		return;
	}
	sbuf_puts(out, child_name(s->child));
	sbuf_puts(out, child_ended(s->child) ? " ended: " : ": ");
	child_status(s->child, out);
}

/* The first line may tell what was dropped; an empty pane has one that says so. */
static bool has_note(const struct stderr_pane *s)
{
	return s->first > 0 || s->first == s->end;
}

static size_t count(const struct pane *p)
{
	const struct stderr_pane *s = of(p);

	return (size_t)(s->end - s->first) + has_note(s);
}

static void note_line(const struct stderr_pane *s, struct pane_line *out)
{
	char number[32];

	if (!s->child)
		pane_line_add(out, ROLE_DIM, "pipeglass run -- COMMAND starts a program");
	else if (s->first)
		pane_line_add(out, ROLE_DIM, "%s earlier lines were dropped",
			      num_group((int64_t)s->first, number));
	else
		pane_line_add(out, ROLE_DIM, "no messages so far");
}

static void line(const struct pane *p, size_t i, struct pane_line *out)
{
	const struct stderr_pane *s = of(p);
	struct sbuf text = {0};

	if (has_note(s) && i == 0)
		note_line(s, out);
	else if (child_line(s->child, s->first + i - has_note(s), &text))
		pane_line_bytes(out, ROLE_PANE, sbuf_text(&text), text.len);
	else
		pane_line_add(out, ROLE_DIM, "(dropped)");
	sbuf_free(&text);
}

static const struct pane_ops ops = {
    .title = title,
    .count = count,
    .line = line,
    .width = WIDTH,
};

struct pane *stderr_pane(struct app *a)
{
	struct stderr_pane *s = xcalloc(1, sizeof(*s));

	s->pane.ops = &ops;
	s->pane.data = s;
	s->child = a->child;
	if (s->child)
		child_said(s->child, &s->first, &s->end);
	s->pane.cursor = count(&s->pane) - 1; /* the newest */
	return &s->pane;
}
