#include "config.h"

#include "analysis/pipeline/reduce_slack.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"

struct slack_arc {
	int64_t resolver, slack;
};

/* When instructions entered execution, for every setup section: a ring of rows. */
struct clock_rows {
	int64_t *entered; /* before a branch waited for its own condition */
	int64_t now[SLACK_SETUPS];
};

enum { CLOCK_ALL, CLOCK_KEPT, CLOCKS };

struct slack {
	struct slack_result result;
	size_t count;
	int64_t setups[SLACK_SETUPS];
	int64_t longest, size; /* of the rings: a power of two above longest */
	int64_t *execute;      /* 0: resolved itself, nothing waits for it */
	struct clock_rows clocks[CLOCKS];
	VEC(int64_t) delays; /* nodes late in any pipeline; those out of reach go, but the last */
	size_t front;
	/* Arcs that were kept, and branches that resolved themselves: resolvers ascend, slacks
	 * descend. */
	VEC(struct slack_arc) covers;
	VEC(struct slack_arc) arcs; /* of the instruction at hand */
	int64_t node;
	bool target;
};

enum status slack_new(struct slack **out, const int64_t *setups, size_t n, int64_t longest,
		      struct error *e)
{
	struct slack *s;

	*out = NULL;
	if (n > SLACK_SETUPS || longest < 1 || longest > SLACK_LONGEST)
		return error_set(e, STATUS_USAGE, "at most %d setups, and executions of 1 to %d",
				 SLACK_SETUPS, SLACK_LONGEST);
	for (size_t i = 0; i < n; i++)
		if (setups[i] < 1 || setups[i] > REDUCE_LENGTH_MOST)
			return error_set(e, STATUS_USAGE, "N_S must be 1 to %d",
					 REDUCE_LENGTH_MOST);
	s = calloc(1, sizeof(*s));
	if (!s)
		return error_set(e, STATUS_NOMEM, "no memory");
	s->count = n;
	s->longest = longest;
	for (s->size = 1; s->size <= longest;)
		s->size *= 2;
	memcpy(s->setups, setups, n * sizeof(*setups));
	s->execute = calloc((size_t)s->size, sizeof(*s->execute));
	for (int i = 0; i < CLOCKS; i++)
		s->clocks[i].entered = calloc((size_t)s->size, (n + 1) * sizeof(int64_t));
	*out = s;
	if (s->execute && s->clocks[CLOCK_ALL].entered && s->clocks[CLOCK_KEPT].entered)
		return STATUS_OK;
	slack_free(s);
	*out = NULL;
	return error_set(e, STATUS_NOMEM, "no memory");
}

void slack_free(struct slack *s)
{
	if (!s)
		return;
	for (int i = 0; i < CLOCKS; i++)
		free(s->clocks[i].entered);
	free(s->execute);
	vec_free(&s->delays);
	vec_free(&s->covers);
	vec_free(&s->arcs);
	free(s);
}

/* ---- the recurrence ------------------------------------------------------------------------ */

static int64_t *row_at(const struct slack *s, int clock, int64_t node)
{
	return s->clocks[clock].entered + (size_t)(node & (s->size - 1)) * s->count;
}

static void clock_enter(struct slack *s, int clock)
{
	for (size_t i = 0; i < s->count; i++)
		s->clocks[clock].now[i] += s->target ? s->setups[i] : 1;
}

static void clock_wait(struct slack *s, int clock, int64_t resolver)
{
	const int64_t *entered = row_at(s, clock, resolver);
	int64_t execute = s->execute[resolver & (s->size - 1)];

	for (size_t i = 0; i < s->count; i++)
		if (entered[i] + execute > s->clocks[clock].now[i])
			s->clocks[clock].now[i] = entered[i] + execute;
}

static void clock_leave(struct slack *s, int clock, bool self, int64_t execute)
{
	if (s->count)
		memcpy(row_at(s, clock, s->node), s->clocks[clock].now, s->count * sizeof(int64_t));
	for (size_t i = 0; self && i < s->count; i++)
		s->clocks[clock].now[i] += execute;
}

/* ---- the rule ------------------------------------------------------------------------------ */

static bool push_delay(struct slack *s)
{
	if (s->delays.count > s->front && vec_last(&s->delays) == s->node)
		return true;
	while (s->front + 1 < s->delays.count &&
	       s->delays.data[s->front + 1] <= s->node - s->longest)
		s->front++;
	if (s->front > s->delays.count / 2) {
		s->delays.count -= s->front;
		memmove(s->delays.data, s->delays.data + s->front,
			s->delays.count * sizeof(*s->delays.data));
		s->front = 0;
	}
	return vec_push(&s->delays, s->node);
}

/* The last late node at or before one within reach; -1: none. */
static int64_t last_delay(const struct slack *s, int64_t node)
{
	size_t low = s->front, high = s->delays.count;

	bisect(low, high, i, s->delays.data[i] <= node);
	return low > s->front ? s->delays.data[low - 1] : -1;
}

/* The first cover whose resolver is not before the node: the one of most slack from there on. */
static size_t cover_place(const struct slack *s, int64_t node)
{
	size_t low = 0, high = s->covers.count;

	bisect(low, high, i, s->covers.data[i].resolver < node);
	return low;
}

static bool is_covered(const struct slack *s, const struct slack_arc *arc)
{
	size_t at = cover_place(s, last_delay(s, arc->resolver));

	return at < s->covers.count && s->covers.data[at].slack >= arc->slack;
}

/* Those before it that have no more slack are of no use beside it. */
static bool add_cover(struct slack *s, int64_t resolver, int64_t slack)
{
	size_t end = cover_place(s, resolver), at = end;
	struct slack_arc *place;

	if (end < s->covers.count && s->covers.data[end].slack >= slack)
		return true;
	if (!vec_reserve(&s->covers, 1))
		return false;
	while (end < s->covers.count && s->covers.data[end].resolver == resolver)
		end++;
	while (at > 0 && s->covers.data[at - 1].slack <= slack)
		at--;
	place = s->covers.data + at;
	memmove(place + 1, s->covers.data + end, (s->covers.count - end) * sizeof(*place));
	*place = (struct slack_arc){resolver, slack};
	s->covers.count += 1 + at - end;
	return true;
}

/* ---- an instruction ------------------------------------------------------------------------ */

/* Most slack first: then nothing that comes later covers what was kept. */
static int compare_arcs(const void *a, const void *b)
{
	const struct slack_arc *x = a, *y = b;

	if (x->slack != y->slack)
		return x->slack < y->slack ? 1 : -1;
	return (x->resolver < y->resolver) - (x->resolver > y->resolver);
}

static bool gather_arcs(struct slack *s, const struct reduce_step *step)
{
	s->arcs.count = 0;
	s->result.arcs += step->count;
	for (size_t i = 0; i < step->count; i++) {
		int64_t resolver = step->resolvers[i], distance = s->node - resolver;
		int64_t execute = distance < s->longest ? s->execute[resolver & (s->size - 1)] : 0;

		if (execute <= distance)
			continue;
		if (!vec_push(&s->arcs, ((struct slack_arc){resolver, execute - distance})))
			return false;
	}
	s->result.positive += s->arcs.count;
	if (s->arcs.count > 1)
		qsort(s->arcs.data, s->arcs.count, sizeof(*s->arcs.data), compare_arcs);
	return true;
}

static bool take_arcs(struct slack *s)
{
	for (size_t i = 0; i < s->arcs.count; i++) {
		const struct slack_arc *arc = &s->arcs.data[i];

		clock_wait(s, CLOCK_ALL, arc->resolver);
		if (is_covered(s, arc))
			continue;
		s->result.kept++;
		clock_wait(s, CLOCK_KEPT, arc->resolver);
		if (!add_cover(s, arc->resolver, arc->slack) || !push_delay(s))
			return false;
	}
	return true;
}

bool slack_add(struct slack *s, const struct reduce_step *step, int64_t execute)
{
	execute = execute < 1 ? 1 : execute < s->longest ? execute : s->longest;
	for (int i = 0; i < CLOCKS; i++)
		clock_enter(s, i);
	s->result.targets += s->target;
	if ((s->target && !push_delay(s)) || !gather_arcs(s, step) || !take_arcs(s))
		return false;
	/* The wait for itself covers what begins before it, but nothing behind: it is late itself.
	 */
	if (step->self && (!add_cover(s, s->node - 1, execute) || !push_delay(s)))
		return false;
	s->result.self_resolving += step->self;
	for (int i = 0; i < CLOCKS; i++)
		clock_leave(s, i, step->self, execute);
	s->execute[s->node & (s->size - 1)] = step->self ? 0 : execute;
	s->target = step->taken;
	s->node++;
	s->result.instructions++;
	return true;
}

void slack_result_of(const struct slack *s, struct slack_result *out)
{
	*out = s->result;
	memcpy(out->cycles, s->clocks[CLOCK_ALL].now, sizeof(out->cycles));
	memcpy(out->kept_cycles, s->clocks[CLOCK_KEPT].now, sizeof(out->kept_cycles));
}
