#include "config.h"

#include "analysis/pipeline/reduce.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/reduce_chains.h"
#include "base/bisect.h"

/* A node that is late whatever the pipeline: what Reduction 3 looks for between two resolvers. */
struct delay {
	int64_t node;
	int64_t ahead; /* of a target: length of its branch if that is short, else 0 */
	bool target;   /* else the node waits for an arc that was kept */
};

/* An arc that was kept, and may make later ones redundant: Reduction 3. */
struct cover {
	int64_t distance, branches;
	int64_t dependent, resolver;
};

struct reduce {
	struct reduce_options options;
	struct reduction out;
	int64_t node; /* the next instruction */
	bool target;  /* the last one was a taken branch */
	bool tells_removed;
	int64_t ahead;
	VEC(uint64_t) raw; /* by distance */
	/* Reduction 2: the youngest result that was waited for so far, and who did. */
	int64_t waited_for, waiter;
	/* Reduction 3: delays from `front` on lie behind the last resolver that got so far. */
	VEC(struct delay) delays;
	size_t front;
	int64_t last_delay;       /* the last one before them */
	int64_t targets_behind;   /* targets before them */
	VEC(struct cover) covers; /* distances ascend, branches descend: none covers another */
	int64_t covered_to;       /* resolver of the last arc kept */
	/* Chains after each reduction; the newest chain of kept arcs. */
	struct chains chains[REDUCE_STAGES];
	VEC(uint32_t) lengths; /* of short branches under the arc at hand */
	int64_t chain_start, chain_end;
	int32_t oldest;
	uint64_t chain, place;
	bool failed;
};

struct reduce *reduce_new(const struct reduce_options *options)
{
	struct reduce *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	if (!reduction_init(&r->out)) {
		free(r);
		return NULL;
	}
	r->options = *options;
	if (r->options.cap <= 0 || r->options.cap > REDUCE_CAP)
		r->options.cap = REDUCE_CAP;
	r->tells_removed = options->arc && !options->kept_only;
	r->out.cap = (uint64_t)r->options.cap;
	r->out.r3plus = options->r3plus;
	r->out.shorts = options->shorts;
	r->waited_for = r->waiter = r->last_delay = r->covered_to = r->chain_end = -1;
	return r;
}

static void tell_removed(struct reduce *r, struct reduce_arc arc)
{
	if (r->tells_removed)
		r->options.arc(r->options.arg, &arc);
}

/* ---- delays -------------------------------------------------------------------------------- */

/* No resolver from here on lies before `behind`. */
static void pass_delays(struct reduce *r, int64_t behind)
{
	size_t front = r->front;

	for (; front < r->delays.count && r->delays.data[front].node <= behind; front++) {
		const struct delay *d = &r->delays.data[front];

		r->targets_behind += d->target;
		if (!d->target || !r->options.r3plus)
			r->last_delay = d->node;
	}
	r->front = front;
	if (front <= r->delays.count / 2)
		return;
	r->delays.count -= front;
	memmove(r->delays.data, r->delays.data + front, r->delays.count * sizeof(struct delay));
	r->front = 0;
}

static int compare_lengths(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* The short branches under the arc whose resolver the delays were just passed to. */
static bool collect_lengths(struct reduce *r)
{
	r->lengths.count = 0;
	for (size_t i = r->front; i < r->delays.count; i++) {
		const struct delay *d = &r->delays.data[i];

		if (d->target && d->ahead && !vec_push(&r->lengths, (uint32_t)d->ahead))
			return false;
	}
	if (r->lengths.count > 1)
		qsort(r->lengths.data, r->lengths.count, sizeof(uint32_t), compare_lengths);
	return true;
}

/* ---- Reduction 3 --------------------------------------------------------------------------- */

/* The first cover whose distance is not below this one. */
static size_t cover_place(const struct reduce *r, int64_t distance)
{
	size_t low = 0, high = r->covers.count;

	bisect(low, high, i, r->covers.data[i].distance < distance);
	return low;
}

/* Of the covers that are no longer, the longest spans the fewest targets. */
static const struct cover *find_cover(const struct reduce *r, int64_t distance, int64_t branches)
{
	size_t at = cover_place(r, distance + 1);

	if (at == 0 || r->covers.data[at - 1].branches > branches)
		return NULL;
	return &r->covers.data[at - 1];
}

/* What no other covers becomes a cover, and the place of those that it covers. */
static bool add_cover(struct reduce *r, struct cover cover)
{
	size_t at = cover_place(r, cover.distance), end = at;
	struct cover *place;

	if (!vec_reserve(&r->covers, 1))
		return false;
	while (end < r->covers.count && r->covers.data[end].branches >= cover.branches)
		end++;
	place = r->covers.data + at;
	memmove(place + 1, r->covers.data + end, (r->covers.count - end) * sizeof(cover));
	*place = cover;
	r->covers.count += 1 + at - end;
	return true;
}

/* ---- chains -------------------------------------------------------------------------------- */

static bool add_to_stack(struct reduce *r, int64_t resolver, int32_t shape)
{
	if (r->place == 1 && !stacks_push(&r->out.stacks, 0, r->oldest))
		return false;
	return stacks_push(&r->out.stacks, (uint64_t)(resolver - r->chain_start), shape);
}

static bool end_chain(struct reduce *r)
{
	return r->place == 0 || stacks_close(&r->out.stacks, 1);
}

/* The place of the arc in its chain; stacks are made when a second arc comes. */
static bool chain_kept(struct reduce *r, int64_t dependent, int64_t resolver, int32_t shape)
{
	if (resolver >= r->chain_end) {
		if (!end_chain(r))
			return false;
		r->chain += r->chain_end >= 0;
		r->chain_start = resolver;
		r->oldest = shape;
		r->place = 0;
		r->out.shapes.counts.data[shape]++;
	} else {
		r->place++;
		if (!add_to_stack(r, resolver, shape))
			return false;
	}
	r->chain_end = dependent;
	return true;
}

static bool keep_arc(struct reduce *r, struct cover arc, int64_t branches)
{
	int32_t shape = shapes_add(&r->out.shapes, (uint32_t)arc.distance, (uint32_t)branches,
				   r->lengths.data, r->lengths.count);

	/* With lengths, only full flushes are alike for every pipeline. */
	if (shape < 0 || ((!r->options.r3plus || r->lengths.count == 0) && !add_cover(r, arc)))
		return false;
	r->covered_to = arc.resolver;
	r->out.arcs[REDUCE_R3]++;
	if (!chains_add(&r->chains[REDUCE_R3], arc.dependent, arc.resolver, arc.resolver,
			&r->out.chains[REDUCE_R3]) ||
	    !chain_kept(r, arc.dependent, arc.resolver, shape))
		return false;
	if (r->options.arc)
		r->options.arc(r->options.arg,
			       &(struct reduce_arc){.dependent = arc.dependent,
						    .resolver = arc.resolver,
						    .fate = ARC_KEPT,
						    .shape = shape,
						    .chain = r->chain,
						    .place = r->place});
	return vec_push(&r->delays, ((struct delay){.node = arc.dependent}));
}

/* ---- an instruction ------------------------------------------------------------------------ */

static bool reduce_third(struct reduce *r, int64_t dependent, int64_t resolver)
{
	int64_t branches;
	struct cover arc = {dependent - resolver, 0, dependent, resolver};
	const struct cover *by;

	pass_delays(r, resolver);
	if (r->options.shorts && !collect_lengths(r))
		return false;
	branches = (int64_t)r->out.targets - r->targets_behind;
	/* The paper's Reduction 3 takes every target for a delay: then targets are not compared. */
	if (r->options.r3plus)
		arc.branches = branches - (int64_t)r->lengths.count;
	if (r->last_delay > r->covered_to)
		r->covers.count = 0;
	by = find_cover(r, arc.distance, arc.branches);
	if (!by)
		return keep_arc(r, arc, branches);
	tell_removed(r, (struct reduce_arc){.dependent = dependent,
				    .resolver = resolver,
				    .fate = ARC_R3,
				    .by_dependent = by->dependent,
				    .by_resolver = by->resolver});
	return true;
}

static bool reduce_second(struct reduce *r, int64_t dependent, int64_t resolver)
{
	if (!chains_add(&r->chains[REDUCE_R1], dependent, resolver, dependent - r->options.cap,
			&r->out.chains[REDUCE_R1]))
		return false;
	if (resolver <= r->waited_for) {
		tell_removed(r, (struct reduce_arc){.dependent = dependent,
					    .resolver = resolver,
					    .fate = ARC_R2,
					    .by_dependent = r->waiter,
					    .by_resolver = r->waited_for});
		return true;
	}
	r->waited_for = resolver;
	r->waiter = dependent;
	r->out.arcs[REDUCE_R2]++;
	return chains_add(&r->chains[REDUCE_R2], dependent, resolver, resolver,
			  &r->out.chains[REDUCE_R2]) &&
	       reduce_third(r, dependent, resolver);
}

static bool count_raw(struct reduce *r, int64_t distance)
{
	if (distance >= r->options.cap || distance >= REDUCE_LENGTH_MOST)
		return true;
	while ((size_t)distance >= r->raw.count)
		if (!vec_push(&r->raw, 0))
			return false;
	r->raw.data[distance]++;
	return true;
}

static bool reduce_first(struct reduce *r, const struct reduce_step *step)
{
	int64_t closest = step->resolvers[0];

	r->out.arcs[REDUCE_RAW] += step->count;
	for (size_t i = 0; i < step->count; i++) {
		if (step->resolvers[i] > closest)
			closest = step->resolvers[i];
		if (!count_raw(r, r->node - step->resolvers[i]))
			return false;
	}
	for (size_t i = 0; r->tells_removed && i < step->count; i++)
		if (step->resolvers[i] != closest)
			tell_removed(r, (struct reduce_arc){.dependent = r->node,
						    .resolver = step->resolvers[i],
						    .fate = ARC_R1,
						    .by_dependent = r->node,
						    .by_resolver = closest});
	r->out.arcs[REDUCE_R1]++;
	if (r->node - closest < r->options.cap)
		return reduce_second(r, r->node, closest);
	r->out.beyond++;
	tell_removed(r, (struct reduce_arc){.dependent = r->node, .resolver = closest, .fate = ARC_BEYOND});
	return true;
}

static bool reduce_target(struct reduce *r)
{
	bool is_short = r->ahead > 0 && r->ahead <= REDUCE_LENGTH_MOST;
	struct delay d = {.node = r->node, .ahead = is_short ? r->ahead : 0, .target = true};

	r->out.targets++;
	return vec_push(&r->delays, d) &&
	       (!is_short || tally_add(&r->out.branches, (uint64_t)r->ahead, 1));
}

/* Every later arc across it is redundant: Reduction 3 never has one to the left of it. */
static void reduce_self(struct reduce *r)
{
	r->out.self_resolving++;
	r->waited_for = r->waiter = r->node;
}

bool reduce_add(struct reduce *r, const struct reduce_step *step)
{
	if (r->failed)
		return false;
	/* The dependent's part comes before the resolver's: chains that share a node are two. */
	if ((r->target && !reduce_target(r)) || (step->count && !reduce_first(r, step)))
		r->failed = true;
	if (step->self)
		reduce_self(r);
	if (r->front < r->delays.count && r->delays.data[r->front].node <= r->node - r->options.cap)
		pass_delays(r, r->node - r->options.cap);
	r->target = step->taken;
	r->ahead = step->ahead;
	r->node++;
	r->out.instructions++;
	return !r->failed;
}

const struct reduction *reduce_result(const struct reduce *r)
{
	return &r->out;
}

/* ---- the end ------------------------------------------------------------------------------- */

static bool finish(struct reduce *r)
{
	for (size_t i = 0; i < r->raw.count; i++)
		if (!tally_add(&r->out.raw, i, r->raw.data[i]))
			return false;
	for (int i = 0; i < REDUCE_STAGES; i++)
		if (!chains_end(&r->chains[i], &r->out.chains[i]))
			return false;
	return end_chain(r);
}

enum status reduce_end(struct reduce *r, struct reduction *out, struct error *e)
{
	bool fine = !r->failed && finish(r);

	for (int i = 0; i < REDUCE_STAGES; i++)
		chains_free(&r->chains[i]);
	vec_free(&r->raw);
	vec_free(&r->delays);
	vec_free(&r->covers);
	vec_free(&r->lengths);
	*out = r->out;
	free(r);
	if (fine && reduction_check(out, e) == STATUS_OK)
		return STATUS_OK;
	reduction_free(out);
	return fine ? STATUS_INPUT : error_set(e, STATUS_NOMEM, "no memory");
}
