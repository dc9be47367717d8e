#include "config.h"

#include "analysis/pipeline/program.h"

#include <stdlib.h>
#include <string.h>

enum { STEP = 2048 }; /* a leaf at either end may be decoded twice */

/* Rows wait here until no micro-op can come that belongs before them. */
struct program {
	unsigned fates;
	program_fn *fn;
	void *arg;
	bool enough;
	size_t count;
	struct row waiting[2 * PROGRAM_WINDOW]; /* in program order */
	struct row rows[STEP];
};

/* What a row stands behind: its parent, or itself. */
static uint64_t place(const struct row *r)
{
	return r->micro_op && r->parent < r->row ? r->parent : r->row;
}

static bool is_before(const struct row *a, const struct row *b)
{
	uint64_t at_a = place(a), at_b = place(b);

	return at_a != at_b ? at_a < at_b : a->row < b->row;
}

static void take_first(struct program *p, size_t n)
{
	for (size_t i = 0; i < n && !p->enough; i++)
		p->enough = !p->fn(p->arg, &p->waiting[i]);
	p->count -= n;
	memmove(p->waiting, p->waiting + n, p->count * sizeof(p->waiting[0]));
}

static void put(struct program *p, const struct row *row)
{
	size_t at;

	if (!(p->fates & FATE_BIT(row->fate)))
		return;
	if (p->count == 2 * PROGRAM_WINDOW)
		take_first(p, PROGRAM_WINDOW);
	for (at = p->count++; at > 0 && is_before(row, &p->waiting[at - 1]); at--)
		p->waiting[at] = p->waiting[at - 1];
	p->waiting[at] = *row;
}

static enum status walk(struct program *p, const struct store *s, uint64_t row, uint64_t last,
			const atomic_bool *stop, struct error *e)
{
	while (row < last && !p->enough) {
		size_t step = last - row < STEP ? (size_t)(last - row) : STEP;
		size_t n = store_rows(s, row, step, p->rows);

		if (!n)
			break;
		if (stop && *stop)
			return error_set(e, STATUS_INTERRUPTED, "interrupted");
		for (size_t i = 0; i < n; i++)
			put(p, &p->rows[i]);
		row += n;
	}
	take_first(p, p->count);
	return STATUS_OK;
}

enum status program_walk(const struct store *s, uint64_t first, uint64_t last,
			 unsigned fates, const atomic_bool *stop, program_fn *fn, void *arg, struct error *e)
{
	struct program *p;
	enum status status;

	if (first >= last)
		return STATUS_OK;
	p = malloc(sizeof(*p));
	if (!p)
		return error_set(e, STATUS_NOMEM, "out of memory");
	p->fates = fates;
	p->fn = fn;
	p->arg = arg;
	p->enough = false;
	p->count = 0;
	status = walk(p, s, first, last, stop, e);
	free(p);
	return status;
}
