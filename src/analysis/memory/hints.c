/*
 * What costs most in a trace of shared memory, and what to do about it.
 *
 * A hint for each class and cause of loads that is worth one, those that can gain most first: the cycles
 * that were waited for it are the bound of that, whatever is done. What follows from it - upgrades, loads of
 * what an L2 cache lost - may go as well, and is told beside. Last, CPUs that wait while others do not.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/hints.h"
#include "analysis/memory/sharing.h"
#include "analysis/memory/source.h"
#include "base/num.h"

static const double share_least = 0.02;  /* of all cycles: what is to be gained at most */
static const double padding_least = 0.1; /* of all: it is worth the memory of many instances */
static const double one_word = 0.9;      /* of a class's cycles: it is a lock or a counter */
static const double uneven_least = 0.2;  /* of the time, between two CPUs */

enum { FEW = 64 }; /* instances */
enum { ORDER_CAUSE, ORDER_EFFECT };

struct view {
	struct hints *h;
	const struct sharing *r;
	const struct trace *t;
	const struct memory_index *x;
	struct source_text *source;
	struct error *e;
	double share; /* of what dearest() named, of the class's cycles */
};

static double cycles_of(const struct memory_sum *s, enum memory_cause cause)
{
	return (double)memory_cause_cycles(s, cause);
}

/* The level at which a cause has more cycles. */
static enum memory_level level_of(const struct memory_sum *s, enum memory_cause cause)
{
	return s->fill_cycles[MEMORY_L1][cause] > s->fill_cycles[MEMORY_L2][cause] ? MEMORY_L1
										   : MEMORY_L2;
}

/* What most cycles of a class and a cause are of, by name. */
static const char *dearest(struct view *v, const struct sharing_row *class, enum memory_thing by,
			   enum memory_cause cause)
{
	const struct memory_selection only = memory_only(MEMORY_BY_CLASS, class->number);
	struct memory_sums s;
	uint32_t most = 0;
	const char *name = "";

	v->share = 0;
	v->h->failed |= memory_sum_up(&s, v->x, by, &only, v->e) != STATUS_OK;
	for (uint32_t i = 0; !v->h->failed && i < s.count; i++)
		if (cycles_of(&s.of[i], cause) > cycles_of(&s.of[most], cause))
			most = i;
	if (!v->h->failed && s.count && s.all.cycles) {
		const char *function =
		    by == MEMORY_BY_LINE ? source_text_function(v->source, v->x, most) : NULL;

		name = memory_keep_thing(v->h->texts, v->t, v->x, by, most);
		if (name && function)
			name = hints_keep(v->h, "%s in %s", name, function);
		v->share = (double)s.of[most].cycles / (double)s.all.cycles;
	}
	memory_sums_free(&s);
	v->h->failed |= !name;
	return name;
}

/* The first stay that a class was loaded for because of this. */
static void put_place(const struct view *v, const struct sharing_row *class,
		      enum memory_cause cause, struct hint *hint)
{
	const enum memory_level level = level_of(&class->sum, cause);

	hint->item = ITEM_NONE;
	for (uint32_t i = 0; i < v->x->stay_count; i++) {
		const struct memory_stay *s = &v->x->stays[i];
		const uint32_t object =
		    s->word == MEMORY_NONE ? MEMORY_NONE : v->x->words[s->word].object;

		if (s->cause != cause || v->x->blocks[s->block].level != level ||
		    object == MEMORY_NONE || v->x->objects[object].class != class->number)
			continue;
		hint->item = i;
		hint->tick = s->start;
		return;
	}
}

/* A hint about a class and a cause, with what all of them rest on, if it is worth one. */
static bool begin(struct view *v, struct hint *hint, const struct sharing_row *class,
		  enum memory_cause cause)
{
	const struct memory_sum *s = &class->sum;
	const double cycles = cycles_of(s, cause), all = (double)v->r->all.cycles;
	const struct hint_number evidence[] = {
	    {"cycles", NULL, cycles},
	    {"share", UNIT_SHARE, cycles / all},
	    {"of", NULL, (double)s->cycles},
	    {"l1-loads", NULL, (double)s->fills[MEMORY_L1][cause]},
	    {"l2-loads", NULL, (double)s->fills[MEMORY_L2][cause]},
	    {"instances", NULL, (double)class->instances}};

	*hint = (struct hint){.where = class->name, .order = ORDER_CAUSE, .weight = cycles};
	memcpy(hint->evidence, evidence, sizeof(evidence));
	if (cycles <= 0 || cycles < share_least * all)
		return false;
	put_place(v, class, cause, hint);
	return true;
}

/* "4 239 cycles, 24.5 % of all" */
static const char *say_cycles(struct view *v, const struct hint *hint)
{
	char cycles[32];

	return hints_keep(v->h, "%s cycles, %.1f %% of all",
			  num_group((int64_t)hint->weight, cycles),
			  100 * hint->weight / (double)v->r->all.cycles);
}

/* What padding is to gain and what it takes. */
static const char *say_gain(struct view *v, const struct hint *hint, const char *what,
			    double follows, uint64_t bytes)
{
	const double most = hint->weight + follows;
	char gain[32], cost[32], with[32];

	what = hints_keep(v->h, "%s. It gains at most %s cycles", what,
			  num_group((int64_t)hint->weight, gain));
	if (follows > 0)
		what = hints_keep(v->h, "%s, %s (%.1f %%) with those that follow", what,
				  num_group((int64_t)most, with),
				  100 * most / (double)v->r->all.cycles);
	return hints_keep(v->h, "%s, and costs %s byte%s", what, num_group((int64_t)bytes, cost),
			  bytes == 1 ? "" : "s");
}

/* Several instances in a block: apart; a large one: by whole blocks; else fields apart. */
static const char *advice_false(struct view *v, const struct sharing_row *class,
				const struct hint *hint, double follows)
{
	const struct memory_index *x = v->x;
	const uint32_t block = x->block_bytes[level_of(&class->sum, MEMORY_FALSE)];
	uint64_t size = 0, padding = 0;

	for (uint32_t i = 0; i < x->object_count; i++) {
		const struct memory_object *o = &x->objects[i];

		if (o->class != class->number)
			continue;
		size = o->size > size ? o->size : size;
		padding += (block - o->size % block) % block;
	}
	if (class->instances > FEW &&
	    cycles_of(&class->sum, MEMORY_FALSE) < padding_least * (double)v->r->all.cycles)
		return "group instances by the CPU that writes them, so that a block has one "
		       "writer";
	if (class->instances > 1)
		return say_gain(v, hint,
				hints_keep(v->h,
					   "pad and align each instance to %s%" PRIu32
					   " bytes, or move them apart",
					   size > block ? "whole blocks of " : "", block),
				follows, padding);
	if (size > block)
		return hints_keep(v->h,
				  "hand each CPU whole blocks (%" PRIu32
				  " words) at a time, reorder the "
				  "loop so, or let each work on a private copy",
				  block / WORD_BYTES);
	return say_gain(v, hint,
			hints_keep(v->h,
				   "split it: what different CPUs write in blocks of %" PRIu32
				   " bytes of their own",
				   block),
			follows, (uint64_t)block * v->r->caches[MEMORY_L1] - size);
}

/* What would go with it: loads that follow from it, and writes that had to get the block first. */
static void hint_false(struct view *v, const struct sharing_row *class)
{
	const double follows =
	    (double)memory_upgrade_cycles(&class->sum) + cycles_of(&class->sum, MEMORY_INCLUSION);
	char cycles[32];
	struct hint hint;

	if (!sharing_is_false(class) || !begin(v, &hint, class, MEMORY_FALSE))
		return;
	hint.kind = "false-sharing";
	hint.bound = "upper";
	hint.evidence[6] = (struct hint_number){"follows", NULL, follows};
	hint.text = hints_keep(
	    v->h, "CPUs waited %s%s, because others wrote other words of its blocks%s",
	    sharing_bound(v->r), say_cycles(v, &hint), v->r->masks ? "" : " (upper bound)");
	if (follows > 0)
		hint.text =
		    hints_keep(v->h,
			       "%s; %s%s more for writes that had to get such a block first and "
			       "loads of what the L2 cache lost so",
			       hint.text, sharing_bound(v->r), num_group((int64_t)follows, cycles));
	hint.text = hints_keep(v->h, "%s; most at %s", hint.text,
			       dearest(v, class, MEMORY_BY_LINE, MEMORY_FALSE));
	hint.advice = advice_false(v, class, &hint, follows);
	hints_add(v->h, &hint);
}

/* One word that CPUs take in turn is a lock or a counter. */
static void hint_true(struct view *v, const struct sharing_row *class)
{
	const bool shared =
	    class->judged == MEMORY_SHARED_TRUE || class->judged == MEMORY_SHARED_MIXED;
	const char *line, *word;
	struct hint hint;
	bool one;

	if (!shared || !begin(v, &hint, class, MEMORY_TRUE))
		return;
	line = dearest(v, class, MEMORY_BY_LINE, MEMORY_TRUE);
	word = dearest(v, class, MEMORY_BY_WORD, MEMORY_TRUE);
	one = v->share >= one_word;
	hint.kind = one ? "lock-wait" : "true-sharing";
	hint.bound = v->r->masks ? NULL : "lower";
	hint.text = hints_keep(
	    v->h, "CPUs waited %s, for words that another CPU had written%s%s%s; most at %s",
	    say_cycles(v, &hint), one ? ", nearly all for one, " : "", one ? word : "",
	    one ? ", as locks and counters are" : "", line);
	hint.advice =
	    one ? "take it less often: hand out more at a time, or privatise: one for each CPU, "
		  "put together at the end"
		: "privatise: let each CPU work on its own part and exchange results rarely";
	hints_add(v->h, &hint);
}

/* What most of a class had to go for at the level that this cost more; NULL: nothing is known. */
static const struct memory_collision *pushed_out(const struct view *v,
						  const struct sharing_row *class)
{
	const enum memory_level level = level_of(&class->sum, MEMORY_REPLACEMENT);

	for (size_t i = 0; i < v->r->collisions.count; i++) {
		const struct memory_collision *c = &v->r->collisions.data[i];

		if (c->victim == class->number && c->level == level)
			return c;
	}
	return NULL;
}

/* Capacity or conflict, as far as sets are known. */
static void hint_replacement(struct view *v, const struct sharing_row *class)
{
	static const char *const where[] = {
	    [MEMORY_MISFIT_UNKNOWN] = " (too little is known of the cache's sets to say why)",
	    [MEMORY_CAPACITY] = ", as the cache is full",
	    [MEMORY_CONFLICT] = ", in sets (inferred) that are full while the cache is not"};
	const struct memory_collision *by = pushed_out(v, class);
	const enum memory_misfit misfit = by ? by->misfit : MEMORY_MISFIT_UNKNOWN;
	struct hint hint;

	if (!begin(v, &hint, class, MEMORY_REPLACEMENT))
		return;
	hint.kind = misfit == MEMORY_CONFLICT ? "replacement-conflict" : "replacement-capacity";
	if (by && by->sets)
		hint.evidence[6] = (struct hint_number){"sets", NULL, (double)by->sets};
	hint.text =
	    hints_keep(v->h,
		       "CPUs waited %s, to load again what had to make room, mostly for %s%s; "
		       "most at %s",
		       say_cycles(v, &hint), by ? by->by_class : "?", where[misfit],
		       dearest(v, class, MEMORY_BY_LINE, MEMORY_REPLACEMENT));
	hint.bound = "upper";
	hint.advice =
	    misfit == MEMORY_CONFLICT
		? say_gain(v, &hint,
			   "move one of them, or pad by a block, so that they are in different sets",
			   0, v->x->block_bytes[by->level])
		: "reorder loops so that what is loaded is used up first, or make it smaller";
	hints_add(v->h, &hint);
}

static void hint_load(struct view *v)
{
	const struct sharing_cpu *least = NULL, *most = NULL;
	struct hint hint = {.kind = "load-imbalance", .order = ORDER_EFFECT, .item = ITEM_NONE};

	for (size_t i = 0; i < v->r->cpus.count; i++) {
		const struct sharing_cpu *cpu = &v->r->cpus.data[i];

		least = !least || cpu->cycles < least->cycles ? cpu : least;
		most = !most || cpu->cycles > most->cycles ? cpu : most;
	}
	if (!least || !(most->share - least->share >= uneven_least))
		return;
	hint.where = hints_keep(v->h, "%s", most->name);
	hint.weight = most->share - least->share;
	hint.text = hints_keep(v->h, "waited %.0f %% of the time (for %s), %s only %.0f %%",
			       100 * most->share, most->waited, least->name, 100 * least->share);
	hint.advice = "share out what is waited for: smaller pieces, or each CPU near its own data";
	hint.evidence[0] = (struct hint_number){"most", UNIT_SHARE, most->share};
	hint.evidence[1] = (struct hint_number){"least", UNIT_SHARE, least->share};
	hints_add(v->h, &hint);
}

static enum status make_hints(void *result, struct trace *t, const struct question *q,
			      struct error *e)
{
	struct sharing *r = calloc(1, sizeof(*r));
	struct view v = {.h = result, .r = r, .t = t, .e = e};
	enum status status;

	hints_begin(v.h);
	if (!r)
		return error_set(e, STATUS_NOMEM, "out of memory");
	status = sharing_answer.make(r, t, q, e);
	v.source = source_text_new(t);
	v.x = memory_lock(t);
	for (size_t i = 0; !status && !v.h->failed && i < r->classes.count; i++) {
		const struct sharing_row *class = &r->classes.data[i];

		if ((double)class->sum.cycles < share_least * (double)r->all.cycles)
			break;
		if (class->number == MEMORY_NONE)
			continue;
		hint_false(&v, class);
		hint_true(&v, class);
		hint_replacement(&v, class);
	}
	if (!status)
		hint_load(&v);
	memory_unlock(t);
	source_text_free(v.source);
	sharing_answer.free(r);
	return status ? status : hints_end(v.h, e);
}

static void free_hints(void *result)
{
	hints_free(result);
	free(result);
}

const struct answer memory_hints_answer = {
    "hints", &memory_trace_kind, hint_sections, sizeof(struct hints), make_hints, free_hints};
