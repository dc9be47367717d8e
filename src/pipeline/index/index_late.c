/*
 * What came after its row was published: ends and texts. By row, but for the latest of them, so that
 * whoever writes seldom sorts and whoever reads seldom searches. O(log) of all and O(LATE_NEW) a leaf.
 */
#include "config.h"

#include "pipeline/index/index.h"

#include <stdlib.h>

#include "base/bisect.h"

static int by_row(const void *a, const void *b)
{
	const struct late_row *x = a, *y = b;

	return (x->row > y->row) - (x->row < y->row);
}

/* Merge the new ones in; of two for one row the newer counts. */
static bool sort_late(struct trace_index *ix)
{
	struct late_row *a = ix->late.data, *b = ix->late_new.data;
	size_t na = ix->late.count, nb = ix->late_new.count, n;

	if (nb == 0)
		return true;
	if (!vec_reserve(&ix->late, nb))
		return false;
	a = ix->late.data;
	qsort(b, nb, sizeof(*b), by_row);
	n = na + nb;
	ix->late.count = n;
	while (nb) {
		if (na && a[na - 1].row > b[nb - 1].row)
			a[--n] = a[--na];
		else
			a[--n] = b[--nb];
	}
	vec_clear(&ix->late_new);
	return true;
}

bool index_settle_late(struct trace_index *ix)
{
	bool ok;

	pthread_rwlock_wrlock(&ix->lock);
	ok = sort_late(ix);
	pthread_rwlock_unlock(&ix->lock);
	return ok;
}

static void add_late(struct trace_index *ix, const struct late_row *row)
{
	if ((ix->late_new.count >= LATE_NEW && !sort_late(ix)) || !vec_push(&ix->late_new, *row))
		ix->failed = true;
}

void index_late(struct trace_index *ix, const struct late_row *row)
{
	pthread_rwlock_wrlock(&ix->lock);
	add_late(ix, row);
	ix->late_count++;
	pthread_rwlock_unlock(&ix->lock);
}

/* A text may come in many parts: of those not sorted yet each row has one. */
void index_late_text(struct trace_index *ix, uint64_t row, uint32_t code)
{
	struct late_row *late = NULL;

	pthread_rwlock_wrlock(&ix->lock);
	for (size_t i = ix->late_new.count; i-- > 0 && !late;)
		if (ix->late_new.data[i].row == row && ix->late_new.data[i].end == LATE_TEXT)
			late = &ix->late_new.data[i];
	if (late)
		late->code = code;
	else
		add_late(ix, &(struct late_row){.row = row, .end = LATE_TEXT, .code = code});
	ix->late_count++;
	pthread_rwlock_unlock(&ix->lock);
}

/* ---- reading ----------------------------------------------------------------------------- */

static size_t late_from(const struct trace_index *ix, uint64_t row)
{
	size_t lo = 0, hi = ix->late.count;

	bisect(lo, hi, i, ix->late.data[i].row < row);
	return lo;
}

uint64_t index_late_in(const struct trace_index *ix, uint64_t from, uint64_t to, int64_t tick)
{
	uint64_t found = ROW_NONE;

	for (size_t i = late_from(ix, from); i < ix->late.count && ix->late.data[i].row < to; i++)
		if (ix->late.data[i].end > tick) {
			found = ix->late.data[i].row;
			break;
		}
	for (size_t i = 0; i < ix->late_new.count; i++) {
		const struct late_row *l = &ix->late_new.data[i];

		if (l->row >= from && l->row < to && l->row < found && l->end > tick)
			found = l->row;
	}
	return found;
}

static void be_late(struct row *r, const struct late_row *late)
{
	if (late->end == LATE_TEXT) {
		r->code = late->code;
		return;
	}
	r->end = late->end;
	r->fate = late->fate;
	r->events = late->events;
	r->dominant = late->dominant;
}

void index_apply_late(const struct trace_index *ix, struct row *rows, uint64_t born0, size_t n)
{
	for (size_t i = late_from(ix, born0);
	     i < ix->late.count && ix->late.data[i].row < born0 + n; i++)
		be_late(&rows[ix->late.data[i].row - born0], &ix->late.data[i]);
	for (size_t i = 0; i < ix->late_new.count; i++) {
		const struct late_row *late = &ix->late_new.data[i];

		if (late->row >= born0 && late->row < born0 + n)
			be_late(&rows[late->row - born0], late);
	}
}
