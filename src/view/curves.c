#include "config.h"

#include "view/curves.h"

#include "view/resource_private.h"

enum {
	NAME_ROOM = 8, /* columns more than the least for a name */
	GUTTER = RESOURCE_LEGEND + NAME_ROOM + RESOURCE_AXIS,
	GUTTER_SHARE = 3 /* of the columns, at most */
};

void curves_init(struct curves *v, struct trace *t)
{
	*v = (struct curves){.trace = t};
	axis_init(&v->axis, t->format.unit);
	curves_progress(v);
	v->axis.left = v->axis.tick = v->axis.first;
}

bool curves_progress(struct curves *v)
{
	struct axis before = v->axis;
	struct progress at;

	trace_progress(v->trace, &at);
	v->axis.unit = v->trace->format.unit; /* decimals further down say that it is another */
	axis_set_extent(&v->axis, at.first, at.last, trace_ticks_per_cycle(v->trace));
	return v->axis.first != before.first || v->axis.last != before.last ||
	       v->axis.step != before.step;
}

void curves_reopen(struct curves *v, struct trace *t)
{
	struct axis axis = v->axis;

	curves_init(v, t);
	v->axis.zoom = axis.zoom;
	v->axis.columns = axis.columns;
	v->axis.raw_ticks = axis.raw_ticks;
}

void curves_fit(struct curves *v)
{
	axis_fit(&v->axis);
	v->fitted = v->axis;
}

bool curves_follow(struct curves *v)
{
	const struct axis *fitted = &v->fitted, *now = &v->axis;
	bool saw_all = now->left == fitted->left && now->zoom == fitted->zoom;
	bool came = curves_progress(v);

	if (!saw_all || (now->first == fitted->first && now->last == fitted->last))
		return came;
	curves_fit(v);
	return true;
}

void curves_layout(struct curves *v, int w, int h)
{
	curves_progress(v);
	v->width = w > 0 ? w : 0;
	v->height = h > 0 ? h : 0;
	v->axis.gutter = v->width / GUTTER_SHARE < GUTTER ? v->width / GUTTER_SHARE : GUTTER;
	v->axis.columns = v->width - v->axis.gutter;
	axis_clamp_zoom(&v->axis);
	axis_clamp_window(&v->axis);
	axis_window_to_cursor(&v->axis);
}

bool curves_hit(const struct curves *v, int x, int y, int64_t *tick)
{
	int column = x - v->axis.gutter;

	if (column < 0 || column >= v->axis.columns || y < 0 || y >= v->height)
		return false;
	*tick = axis_tick_at(&v->axis, column);
	return *tick <= v->axis.last;
}

void curves_status(const struct curves *v, struct sbuf *out)
{
	axis_tell_tick(&v->axis, out);
	sbuf_puts(out, "  ");
	axis_tell_columns(&v->axis, out);
}
