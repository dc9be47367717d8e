#include "config.h"

#include "analysis/pipeline/program.h"

#include <stdlib.h>
#include <string.h>

enum { STEP = 2048 }; /* a leaf at either end may be decoded twice */

struct program {
	program_fn *fn;
	void *arg;
	bool enough;
	struct row rows[STEP];
};

/* ---- order --------------------------------------------------------------------------------- */

bool program_order_new(struct program_order *p, size_t size, program_take *take, void *arg)
{
	*p = (struct program_order){take, arg, size, 0, malloc(2 * PROGRAM_WINDOW * size)};
	return p->waiting;
}

static bool is_before(const struct row *a, const struct row *b)
{
	uint64_t at_a = program_place(a), at_b = program_place(b);

	return at_a != at_b ? at_a < at_b : a->row < b->row;
}

static void take_first(struct program_order *p, size_t n)
{
	size_t i = 0;

	while (i < n)
		i += p->take(p->arg, p->waiting + i * p->size, p->count - i);
	p->count -= i;
	memmove(p->waiting, p->waiting + i * p->size, p->count * p->size);
}

void program_put(struct program_order *p, const void *thing)
{
	char *at;

	if (p->count == 2 * PROGRAM_WINDOW)
		take_first(p, PROGRAM_WINDOW);
	for (at = p->waiting + p->count++ * p->size; at > p->waiting; at -= p->size) {
		if (!is_before(thing, (const void *)(at - p->size)))
			break;
		memcpy(at, at - p->size, p->size);
	}
	memcpy(at, thing, p->size);
}

void program_end(struct program_order *p)
{
	take_first(p, p->count);
}

/* ---- rows ---------------------------------------------------------------------------------- */

static size_t take(void *arg, void *things, size_t count)
{
	struct program *p = arg;

	(void)count;
	p->enough = p->enough || !p->fn(p->arg, things);
	return 1;
}

enum status program_walk(const struct store *s, uint64_t first, uint64_t last,
			 unsigned fates, const atomic_bool *stop, program_fn *fn, void *arg, struct error *e)
{
	struct program *p = malloc(sizeof(*p));
	struct program_order order;
	enum status status = STATUS_OK;

	if (!program_order_new(&order, sizeof(struct row), take, p) || !p)
		status = error_set(e, STATUS_NOMEM, "out of memory");
	else
		*p = (struct program){.fn = fn, .arg = arg};
	while (!status && first < last && !p->enough) {
		size_t step = last - first < STEP ? (size_t)(last - first) : STEP;
		size_t n = store_rows(s, first, step, p->rows);

		if (!n)
			break;
		if (stop && *stop)
			status = error_set(e, STATUS_INTERRUPTED, "interrupted");
		for (size_t i = 0; i < n; i++)
			if (fates & FATE_BIT(p->rows[i].fate))
				program_put(&order, &p->rows[i]);
		first += n;
	}
	if (!status)
		program_end(&order);
	free(order.waiting);
	free(p);
	return status;
}
