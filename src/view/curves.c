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
	axis_follow(&v->axis, t, NULL);
	v->axis.left = v->axis.tick = v->axis.first;
}

void curves_reopen(struct curves *v, struct trace *t)
{
	struct axis axis = v->axis;

	curves_init(v, t);
	v->axis.zoom = axis.zoom;
	v->axis.columns = axis.columns;
	v->axis.raw_ticks = axis.raw_ticks;
}

int curves_gutter(int w)
{
	return w / GUTTER_SHARE < GUTTER ? w / GUTTER_SHARE : GUTTER;
}

void curves_layout(struct curves *v, int w, int h, int gutter)
{
	axis_follow(&v->axis, v->trace, NULL);
	v->width = w > 0 ? w : 0;
	v->height = h > 0 ? h : 0;
	gutter = gutter > 0 ? gutter : 0;
	axis_layout(&v->axis, gutter, v->width > gutter ? v->width - gutter : 0);
}

bool curves_hit(const struct curves *v, int x, int y, int64_t *tick)
{
	int column = x - v->axis.gutter;

	if (column < 0 || column >= v->axis.columns || y < 0 || y >= v->height)
		return false;
	*tick = axis_tick_at(&v->axis, column);
	return *tick <= v->axis.last;
}
