#include "config.h"

#include "analysis/pipeline/reduce_arcs.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/vec.h"

enum { AFTER = 64 }; /* rows that tell whether the last branch of the window was taken */

const char *const arcs_names[ARCS_COUNT] = {
#define ARCS_NAME(shown, name, help) name,
    ARCS_INFO(ARCS_NAME)
#undef ARCS_NAME
};

const char *const arcs_help[ARCS_COUNT] = {
#define ARCS_HELP(shown, name, help) help,
    ARCS_INFO(ARCS_HELP)
#undef ARCS_HELP
};

struct gathering {
	VEC(struct shown_arc) arcs;
	uint64_t first, last;
	bool no_memory;
};

static void gather(void *arg, const struct shown_arc *told)
{
	struct gathering *g = arg;

	if (told->row >= g->first && told->row < g->last && told->from != ROW_NONE &&
	    !vec_push(&g->arcs, *told))
		g->no_memory = true;
}

static int by_row(const void *a, const void *b)
{
	const struct shown_arc *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->removed != y->removed)
		return x->removed < y->removed ? -1 : 1;
	return x->from < y->from ? 1 : -(x->from > y->from);
}

static struct range rows_of(struct store *s, uint64_t first, uint64_t last)
{
	struct range rows = range_all(s);
	uint64_t end = rows.row1;

	rows.row0 = first > REDUCE_ARCS_BEFORE ? first - REDUCE_ARCS_BEFORE : 0;
	rows.row1 = last < end && end - last > AFTER ? last + AFTER : end;
	return rows;
}

enum status reduce_arcs_new(struct reduce_arcs **out, struct store *s, uint64_t first,
			    uint64_t last, const struct reduce_look *look,
			    const atomic_bool *stop, struct error *e)
{
	struct gathering g = {.first = first, .last = last};
	const struct reduce_trace_options options = {
	    .at = look->at,
	    .executed.links = look->links,
	    .arc = gather,
	    .arg = &g,
	};
	const struct range rows = rows_of(s, first, last);
	struct reduce_arcs *a = calloc(1, sizeof(*a));
	struct reduced_trace r;
	enum status status;

	*out = NULL;
	if (!a)
		return error_set(e, STATUS_NOMEM, "out of memory");
	status = reduce_trace(&r, s, &rows, &options, stop, e);
	if (!status)
		reduced_trace_free(&r);
	if (!status && g.no_memory)
		status = error_set(e, STATUS_NOMEM, "out of memory");
	if (status) {
		vec_free(&g.arcs);
		free(a);
		return status;
	}
	*a = (struct reduce_arcs){first, last, g.arcs.data, g.arcs.count};
	if (a->count)
		qsort(a->arcs, a->count, sizeof(*a->arcs), by_row);
	*out = a;
	return STATUS_OK;
}

void reduce_arcs_free(struct reduce_arcs *a)
{
	if (!a)
		return;
	free(a->arcs);
	free(a);
}

/* The first arc whose row is not before `row`. */
static size_t place_of(const struct reduce_arcs *a, uint64_t row)
{
	size_t lo = 0, hi = a->count;

	bisect(lo, hi, i, a->arcs[i].row < row);
	return lo;
}

const struct shown_arc *reduce_arcs_of(const struct reduce_arcs *a, uint64_t row, size_t *count)
{
	size_t at = place_of(a, row);

	*count = place_of(a, row + 1) - at;
	return *count ? a->arcs + at : NULL;
}

bool arc_survives(const struct shown_arc *arc, enum arcs_shown shown)
{
	static const unsigned done[ARCS_COUNT] = {[ARCS_R1] = 1, [ARCS_R2] = 2, [ARCS_R3] = 3};

	return !arc->removed || arc->removed > done[shown];
}
