#include "config.h"

#include "view/pipeline/pane_range.h"

#include <stdio.h>

#include "base/num.h"
#include "pipeline/kind.h"
#include "view/axis.h"

struct range pane_range_part(const struct store *s, const struct selection *range)
{
	struct range part = range_all(s);

	if (range->on) {
		part.row0 = range->item0;
		part.row1 = range->item1;
		part.tick0 = range->tick0;
		part.tick1 = range->tick1;
	}
	part.limit = PANE_RANGE_ROWS;
	return part;
}

void pane_range_title(const struct store *s, const struct selection *range, bool clipped,
		      struct sbuf *out)
{
	const struct range_clock clock = range_clock(s);
	const bool rows = range->item1 - range->item0 < store_row_count(s);
	struct axis axis;
	char a[40], b[40];

	if (range->on && rows) {
		num_group((int64_t)range->item0, a);
		num_group((int64_t)(range->item1 > range->item0 ? range->item1 - 1 : range->item0),
			  b);
		sbuf_printf(out, ": rows %s..%s", a, b);
	}
	if (range->on) {
		axis_init(&axis, store_unit(s));
		axis_set_extent(&axis, clock.first, clock.first, clock.ticks);
		num_group(axis_time(&axis, range->tick0), a);
		num_group(axis_time(&axis, range->tick1 > range->tick0 ? range->tick1 - 1
								       : range->tick0),
			  b);
		sbuf_printf(out, "%s %s %s..%s", rows ? "," : ":", axis_unit(&axis), a, b);
	}
	if (clipped)
		sbuf_printf(out, ", only the first %s rows", num_group(PANE_RANGE_ROWS, a));
}

void pane_range_list(struct list_pane *p, const struct pane_ops *ops, const struct pane_part *part,
		     void (*write)(struct list_pane *p, int width))
{
	struct sbuf title = {0};

	list_pane_init(p, ops, write);
	sbuf_puts(&title, part->name);
	pane_range_title(part->store, part->range, false, &title);
	if (!write)
		pane_line_add(list_pane_add(p, ITEM_NONE, 0), ROLE_DIM, "%s", part->state);
	else if (*part->state)
		sbuf_printf(&title, "  %s", part->state);
	snprintf(p->title, sizeof(p->title), "%s", sbuf_text(&title));
	sbuf_free(&title);
}
