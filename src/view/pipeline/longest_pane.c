#include "config.h"

#include "view/pipeline/panes.h"

#include <stdlib.h>

#include "analysis/pipeline/stalls.h"
#include "base/xalloc.h"
#include "view/pipeline/pane_range.h"
#include "view/table_pane.h"

static bool target(const void *result, size_t row, struct place *to)
{
	const struct row *r = &((const struct longest *)result)->rows[row].row;

	*to = (struct place){.item = r->row, .tick = r->start};
	return true;
}

static void free_longest(void *result)
{
	longest_free(result);
	free(result);
}

struct pane *longest_pane(struct store *s, const struct selection *range)
{
	const struct range part = pane_range_part(s, range);
	struct longest *longest = xcalloc(1, sizeof(*longest));
	struct stalls stalls;
	struct error e = {STATUS_OK, "no row lives here"};
	struct sbuf title = {0};
	struct pane *pane;

	sbuf_puts(&title, "instructions that took longest");
	if (stalls_new(&stalls, s, &part, NULL, &e) == STATUS_OK) {
		pane_range_title(s, range, stalls.clipped, &title);
		*longest = stalls.longest;
		stalls.longest = (struct longest){0};
		stalls_free(&stalls);
	}
	pane = table_pane(&(struct table_pane_of){
	    .section = &longest_section,
	    .result = longest,
	    .free = free_longest,
	    .none = e.text,
	    .title = sbuf_text(&title),
	    .target = target,
	    .sorted = "life",
	});
	sbuf_free(&title);
	return pane;
}
