#include "config.h"

#include "app/pipeline/tally.h"

enum { BATCH = 128 };

void tally_forget(struct tally *t)
{
	vec_free(&t->at);
	*t = (struct tally){.made = false};
}

static bool add(struct tally *t, int64_t at)
{
	return t->at.count < TALLY_MAX && vec_push(&t->at, at);
}

/* What the index alone knows of the rows; -1 for some: their text is read once for all. */
static bool list_batch(struct tally *t, struct seek *s, const struct row *rows, size_t n)
{
	int has[BATCH];
	bool read = false;

	for (size_t i = 0; i < n; i++) {
		bool shown = !t->filter || filter_has(t->filter, rows[i].row);

		has[i] = shown ? seek_judge(s, &rows[i]) : 0;
		read = read || has[i] < 0;
	}
	if (read &&
	    (store_detail(s->store, rows[0].row, n, &s->detail, NULL) || s->detail.count < n))
		return false;
	for (size_t i = 0; i < n; i++)
		if ((has[i] > 0 || (has[i] < 0 && seek_confirm(s, &s->detail.rows[i]))) &&
		    !add(t, (int64_t)rows[i].row))
			return false;
	return true;
}

/* A search reads row after row; all of them are better read in batches. */
static void list_rows(struct tally *t, struct store *store, const struct target *target,
		      int64_t deadline, const atomic_bool *stop)
{
	struct row rows[BATCH];
	struct seek s;
	uint64_t at = 0;

	seek_begin(&s, store, t->filter, target, 0, TICK_NONE, 1, false);
	while (at < t->rows && !*stop && clock_ms() < deadline) {
		uint64_t left = t->rows - at;
		size_t n = store_rows(store, at, left < BATCH ? (size_t)left : BATCH, rows);

		if (!n || !list_batch(t, &s, rows, n))
			break;
		at += n;
	}
	t->whole = at >= t->rows;
	seek_end(&s);
}

static void list_stretches(struct tally *t, struct store *store, const struct target *target,
			   int64_t deadline, const atomic_bool *stop)
{
	struct progress p;
	int64_t at, from, to;

	store_progress(store, &p);
	/* from before the first one: a stretch may begin at the very beginning */
	for (at = p.first - 1; !*stop && clock_ms() < deadline; at = to > at ? to : at + 1) {
		t->whole = !store_find_empty(store, target->ticks, at, 1, &from, &to);
		if (t->whole)
			return;
		/* seen from its own end a stretch may be told once more */
		if (t->at.count && from <= vec_last(&t->at))
			continue;
		if (!add(t, from))
			return;
	}
}

void tally_make(struct tally *t, struct store *store, const struct filter *filter,
		const struct target *target, const atomic_bool *stop)
{
	uint64_t rows = store_row_count(store), shown = filter ? filter_count(filter) : rows;
	int64_t deadline = clock_ms() + TALLY_MS;

	if (t->made && t->filter == filter && t->rows == rows && t->shown == shown)
		return;
	tally_forget(t);
	t->made = true;
	t->filter = filter;
	t->rows = rows;
	t->shown = shown;
	/* lines are counted by those who look for them */
	if (!rows || target->kind == TARGET_NONE || target->kind == TARGET_LINE)
		return;
	if (target->kind == TARGET_EMPTY)
		list_stretches(t, store, target, deadline, stop);
	else
		list_rows(t, store, target, deadline, stop);
}

uint64_t tally_place(const struct tally *t, int64_t at)
{
	size_t from = 0, to = t->at.count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (t->at.data[middle] < at)
			from = middle + 1;
		else
			to = middle;
	}
	return from < t->at.count && t->at.data[from] == at ? from + 1 : 0;
}
