#include "config.h"

#include "pipeline/index/lanes.h"

void lane_set_free(struct lane_set *lanes)
{
	for (int i = 0; i < LANE_MAX; i++)
		if (lanes->of[i].slots)
			live_free(&lanes->of[i]);
}

void lane_set_clear(struct lane_set *lanes)
{
	for (int i = 0; i < LANE_MAX; i++)
		if (lanes->of[i].slots)
			live_clear(&lanes->of[i]);
}

struct live *lane_entry(struct lane_set *lanes, unsigned lane, uint64_t id, uint64_t row)
{
	struct live_table *t = &lanes->of[lane];
	struct live *l;

	if (!t->slots && !live_init(t))
		return NULL;
	l = live_find(t, id);
	if (!l && (l = live_add(t, id)))
		l->row = row;
	return l;
}
