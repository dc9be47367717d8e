#include "config.h"

#include "app/pipeline/refilter.h"

#include "app/pipeline/rows.h"

#include "app/tab.h"
#include "app/tail.h"

/* The cursor to a row, at a line of the window. */
static void put_cursor(struct tab *t, struct place place, uint64_t line)
{
	struct pipeview *v = &rows_of(t)->view;
	uint64_t index = pipeview_index(v, place.item);

	v->top = (index - (line < index ? line : index)) >> v->row_zoom << v->row_zoom;
	pipeview_goto(v, place.item, place.tick);
}

bool tab_refilter(struct tab *t)
{
	const atomic_bool never = false;
	struct pipeview *v = &rows_of(t)->view;
	uint64_t turned = filter_turned(rows_of(t)->filter);
	uint64_t line = v->cursor > v->top ? v->cursor - v->top : 0;
	struct place place = tab_place(t);
	bool following = tab_live(t) == LIVE_FOLLOWING;

	if (filter_extend(rows_of(t)->filter, &never, NULL) || filter_turned(rows_of(t)->filter) == turned)
		return false;
	tally_forget(&rows_of(t)->tally);
	pipeview_forget(v);
	if (place.item != ROW_NONE)
		put_cursor(t, place, line);
	else
		pipeview_home(v);
	t->has_stuck = t->has_stuck && !following;
	if (following)
		tab_stick(t);
	rows_track_selection(t);
	return true;
}
