#include "config.h"

#include "app/pipeline/tally.h"

#include "base/bisect.h"

void tally_forget(struct tally *t)
{
	vec_free(&t->at);
	*t = (struct tally){.made = false};
}

static bool add(struct tally *t, int64_t at)
{
	return t->at.count < TALLY_MAX && vec_push(&t->at, at);
}

static bool list_batch(struct tally *t, struct seek *s, const struct row *rows, size_t n)
{
	bool has[SEEK_ROWS];

	if (seek_judge(s, rows, n, has, NULL))
		return false;
	for (size_t i = 0; i < n; i++)
		if (has[i] && !add(t, (int64_t)rows[i].row))
			return false;
	return true;
}

static void list_rows(struct tally *t, struct store *store, const struct target *target,
		      int64_t deadline, const atomic_bool *stop)
{
	struct row rows[SEEK_ROWS];
	struct seek s;
	uint64_t at = 0;

	seek_begin(&s, store, t->filter, target, 0, TICK_NONE, 1, false);
	while (at < t->rows && !*stop && clock_ms() < deadline) {
		uint64_t left = t->rows - at;
		size_t n = store_rows(store, at, left < SEEK_ROWS ? (size_t)left : SEEK_ROWS, rows);

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
		t->whole = !store_find_gap(store, target->ticks, at, 1, &from, &to);
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
	if (target->kind == TARGET_GAP)
		list_stretches(t, store, target, deadline, stop);
	else
		list_rows(t, store, target, deadline, stop);
}

uint64_t tally_place(const struct tally *t, int64_t at)
{
	size_t from = 0, to = t->at.count;

	bisect(from, to, i, t->at.data[i] < at);
	return from < t->at.count && t->at.data[from] == at ? from + 1 : 0;
}
