#include "config.h"

#include "view/pane.h"

#include <inttypes.h>

#include "base/num.h"
#include "base/xalloc.h"

static struct store *store_of(const struct pane *p)
{
	return p->data;
}

static size_t kept(const struct store *s)
{
	uint64_t count = store_warning_count(s);

	return count < STORE_WARNINGS ? (size_t)count : STORE_WARNINGS;
}

/* One line says that there is nothing, or how many are only counted. */
static size_t warnings_count(const struct pane *p)
{
	size_t n = kept(store_of(p));

	return n + (n == 0 || store_warning_count(store_of(p)) > n);
}

static void warnings_title(const struct pane *p, struct sbuf *out)
{
	char count[32];

	sbuf_printf(out, "%s warnings",
		    num_group((int64_t)store_warning_count(store_of(p)), count));
}

static void warnings_line(const struct pane *p, size_t i, struct pane_line *out)
{
	const struct store *s = store_of(p);
	struct warning w;
	char at[32];

	if (i < kept(s) && store_warning(s, i, &w)) {
		pane_line_add(out, ROLE_DIM, "line %13s  ", num_group((int64_t)w.line, at));
		pane_line_add(out, ROLE_TEXT, "%s", w.text);
	} else if (kept(s) == 0) {
		pane_line_add(out, ROLE_DIM, "every line was understood");
	} else {
		pane_line_add(out, ROLE_DIM, "... and %" PRIu64 " more, which are only counted",
			      store_warning_count(s) - kept(s));
	}
}

static bool warnings_target(const struct pane *p, size_t i, uint64_t *row, int64_t *tick)
{
	struct warning w;

	if (i >= kept(store_of(p)) || !store_warning(store_of(p), i, &w) ||
	    w.row >= store_row_count(store_of(p)))
		return false;
	*row = w.row;
	*tick = TICK_NONE;
	return true;
}

static const struct pane_ops warnings_ops = {
    .name = "warnings",
    .help = "lines of the trace that were not understood",
    .title = warnings_title,
    .count = warnings_count,
    .line = warnings_line,
    .target = warnings_target,
    .width = 70,
};

struct pane *warnings_pane(struct store *s)
{
	struct pane *p = xcalloc(1, sizeof(*p));

	p->ops = &warnings_ops;
	p->data = s;
	return p;
}
