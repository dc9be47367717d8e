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
#include "base/num.h"

static const double share_least = 0.02;  /* of all cycles: what is to be gained at most */
static const double padding_least = 0.1; /* of all: it is worth the memory of many instances */
static const double one_word = 0.9;      /* of a class's cycles: it is a lock or a counter */
static const double uneven_least = 0.2;  /* of the time, between two CPUs */

enum { FEW = 64 }; /* instances */
enum { ORDER_CAUSE, ORDER_EFFECT };
enum { COMMON = 6 /* numbers that all hints about a class rest on */ };

struct view {
	struct hints *h;
	const struct sharing *r;
	const struct trace *t;
	const struct memory_index *x;
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

/* What most cycles of a class and a cause are of, and how many (or NULL). */
static uint32_t dearest(struct view *v, const struct sharing_row *class, enum memory_thing by,
			enum memory_cause cause, uint64_t *most)
{
	const struct memory_selection only = memory_only(MEMORY_BY_CLASS, class->number);
	uint64_t *cycles = memory_cycles(v->x, by, &only, cause);
	const uint32_t number = cycles ? memory_most(cycles, memory_thing_count(v->x, by)) : 0;

	if (most)
		*most = cycles ? cycles[number] : 0;
	v->h->failed |= !cycles;
	free(cycles);
	return number;
}

/* The first stay that a class was loaded for because of this. */
static void put_place(const struct view *v, const struct sharing_row *class,
		      enum memory_cause cause, struct hint *hint)
{
	const enum memory_level level = level_of(&class->sum, cause);

	hint->item = ITEM_NONE;
	for (uint32_t i = 0; hint->item == ITEM_NONE && i < v->x->stay_count; i++) {
		const struct memory_stay *s = &v->x->stays[i];

		if (s->cause != cause || v->x->blocks[s->block].level != level ||
		    memory_class_of_word(v->x, s->word) != class->number)
			continue;
		hint->item = i;
		hint->tick = s->start;
	}
}

/* "It gains at most 280 060 cycles (535 422, 31.8 % of all, with what follows) and costs 1 344 bytes" */
static const char *with_gain(struct view *v, const struct hint *hint, const char *what,
			     double follows, uint64_t bytes)
{
	const double most = hint->weight + follows;
	char gain[32], with[32];

	what = hints_keep(v->h, "%s. It gains at most %s cycles", what,
			  num_group((int64_t)hint->weight, gain));
	if (follows > 0)
		what = hints_keep(v->h, "%s (%s, %.1f %% of all, with what follows)", what,
				  num_group((int64_t)most, with),
				  100 * most / (double)v->r->all.cycles);
	return hints_keep(v->h, "%s and costs %s byte%s", what, num_group((int64_t)bytes, gain),
			  bytes == 1 ? "" : "s");
}

/*
 * Why a class is loaded again: what was waited for, for the text. The hint gets a kind, a bound and what to
 * try. NULL: it is not worth a hint.
 */
typedef const char *explain_fn(struct view *v, const struct sharing_row *class, struct hint *hint);

/* Several instances in a block: apart; a large one: by whole blocks; else fields apart. */
static const char *advice_false(struct view *v, const struct sharing_row *class,
				const struct hint *hint, double follows)
{
	const struct memory_index *x = v->x;
	const uint32_t block = x->block_bytes[level_of(&class->sum, MEMORY_FALSE)];
	uint64_t size = 0, padding = 0;
	const char *what;

	for (uint32_t i = 0; i < x->object_count; i++) {
		const struct memory_object *o = &x->objects[i];

		if (o->class != class->number)
			continue;
		size = o->size > size ? o->size : size;
		padding += (block - o->size % block) % block;
	}
	if (class->instances > FEW && hint->weight < padding_least * (double)v->r->all.cycles)
		return "group instances by the CPU that writes them, so that a block has one writer";
	if (class->instances == 1 && size > block)
		return hints_keep(v->h,
				  "hand each CPU whole blocks (%" PRIu32 " words) at a time, or let "
				  "each work on a private copy",
				  block / WORD_BYTES);
	if (class->instances == 1)
		padding = (uint64_t)block * v->x->caches[MEMORY_L1] - size;
	what = class->instances == 1 ? "split it: put what each CPU writes into a block of its own, of"
	       : size > block	     ? "move the instances apart, or pad and align each to whole blocks of"
				     : "move the instances apart, or pad and align each to";
	what = hints_keep(v->h, "%s %" PRIu32 " bytes", what, block);
	return with_gain(v, hint, what, follows, padding);
}

/* With what would go with it: loads that follow from it, and writes that had to get the block first. */
static const char *explain_false(struct view *v, const struct sharing_row *class, struct hint *hint)
{
	const double follows =
	    (double)memory_upgrade_cycles(&class->sum) + cycles_of(&class->sum, MEMORY_INCLUSION);
	const char *what = "for blocks in which another CPU had written a different word";
	char cycles[32];

	if (!sharing_is_false(class))
		return NULL;
	hint->kind = "false-sharing";
	hint->bound = "upper";
	hint->evidence[COMMON] = (struct hint_number){"follows", NULL, follows};
	hint->advice = advice_false(v, class, hint, follows);
	if (follows <= 0)
		return what;
	return hints_keep(v->h,
			  "%s. What follows from that cost %s%s cycles more: writes that had to get "
			  "such a block first, and loads of what an L2 cache had lost with it",
			  what, sharing_bound(v->r), num_group((int64_t)follows, cycles));
}

/* One word that CPUs take in turn is a lock or a counter. */
static const char *explain_true(struct view *v, const struct sharing_row *class, struct hint *hint)
{
	uint64_t cycles;
	uint32_t word;
	bool one;

	if (class->judged != MEMORY_SHARED_TRUE && class->judged != MEMORY_SHARED_MIXED)
		return NULL;
	word = dearest(v, class, MEMORY_BY_WORD, MEMORY_CAUSE_COUNT, &cycles);
	one = (double)cycles >= one_word * (double)class->sum.cycles;
	hint->kind = one ? "lock-wait" : "true-sharing";
	hint->bound = v->r->masks ? NULL : "lower";
	hint->advice =
	    one ? "take it less often: hand out more work at a time, or privatise it: give each CPU "
		  "one of its own and add them up at the end"
		: "privatise it: let each CPU work on its own part, and exchange results rarely";
	return one ? hints_keep(v->h,
				"for words that another CPU had written. Nearly all of it was for one "
				"word, %s, as with a lock or a counter",
				memory_keep_thing(v->h->texts, v->t, v->x, MEMORY_BY_WORD, word))
		   : "for words that another CPU had written";
}

/* What most of a class had to go for at the level that this cost more; NULL: nothing is known. */
static const struct sharing_pair *pushed_out(const struct view *v, const struct sharing_row *class)
{
	const uint64_t level = level_of(&class->sum, MEMORY_REPLACEMENT) + UINT64_C(1);

	for (size_t i = 0; i < v->r->collisions.count; i++) {
		const struct sharing_pair *c = &v->r->collisions.data[i];

		if (c->victim.class == class->number && c->level == level)
			return c;
	}
	return NULL;
}

/* Capacity or conflict, as far as sets are known. */
static const char *explain_replacement(struct view *v, const struct sharing_row *class,
				       struct hint *hint)
{
	static const char *const why[] = {
	    [SHARING_MISFIT_UNKNOWN] = "Too little is known of the cache to say why",
	    [SHARING_CAPACITY] = "The cache was full",
	    [SHARING_CONFLICT] = "The cache was not full, but the sets (inferred) that both use were full"};
	const struct sharing_pair *by = pushed_out(v, class);
	const enum sharing_misfit misfit = by ? by->misfit : SHARING_MISFIT_UNKNOWN;

	hint->kind = misfit == SHARING_CONFLICT ? "replacement-conflict" : "replacement-capacity";
	hint->bound = "upper";
	if (by && by->sets)
		hint->evidence[COMMON] = (struct hint_number){"sets", NULL, (double)by->sets};
	hint->advice = "reorder or block the loops so that what is loaded is used up first, or make the "
		       "data smaller";
	if (misfit == SHARING_CONFLICT)
		hint->advice = with_gain(v, hint,
					 "move one of the two, or pad it by a block, so that they use "
					 "different sets",
					 0, v->x->block_bytes[by->level - 1]);
	return hints_keep(v->h, "to load blocks again that had made room, mostly for %s. %s",
			  !by				     ? "what is not known"
			  : by->culprit.class == MEMORY_NONE ? "memory outside every object"
							     : by->culprit.object,
			  why[misfit]);
}

/* About a class and a cause, with what all of them rest on, if it is worth one. */
static void hint_class(struct view *v, const struct sharing_row *class, enum memory_cause cause,
		       explain_fn *explain)
{
	const struct memory_sum *s = &class->sum;
	const double cycles = cycles_of(s, cause), all = (double)v->r->all.cycles;
	const struct hint_number evidence[COMMON] = {
	    {"cycles", NULL, cycles},
	    {"share", UNIT_SHARE, cycles / all},
	    {"of", NULL, (double)s->cycles},
	    {"l1-loads", NULL, (double)s->fills[MEMORY_L1][cause]},
	    {"l2-loads", NULL, (double)s->fills[MEMORY_L2][cause]},
	    {"instances", NULL, (double)class->instances}};
	struct hint hint = {.where = memory_class(v->t, class->number), .order = ORDER_CAUSE, .weight = cycles};
	const struct sharing_row *line = v->r->lines.data;
	const char *what, *function;
	uint32_t at;
	char number[32];

	if (cycles <= 0 || cycles < share_least * all)
		return;
	memcpy(hint.evidence, evidence, sizeof(evidence));
	what = explain(v, class, &hint);
	if (!what)
		return;
	at = dearest(v, class, MEMORY_BY_LINE, cause, NULL);
	while (line->number != at) /* it waited, so it is there */
		line++;
	function = line->place.function;
	hint.text = hints_keep(
	    v->h, "CPUs waited %s%s cycles (%.1f %% of all) %s. Most of it is at %s%s%s.",
	    cause == MEMORY_FALSE ? sharing_bound(v->r) : "", num_group((int64_t)cycles, number),
	    100 * cycles / all, what, line->label, function ? " in " : "", function ? function : "");
	put_place(v, class, cause, &hint);
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
	hint.text = hints_keep(v->h, "It waited %.0f %% of the time (for %s), %s only %.0f %%.",
			       100 * most->share, most->waited, least->name, 100 * least->share);
	hint.advice = "divide the work more evenly: smaller pieces, or data that one CPU alone writes";
	hint.evidence[0] = (struct hint_number){"most", UNIT_SHARE, most->share};
	hint.evidence[1] = (struct hint_number){"least", UNIT_SHARE, least->share};
	hints_add(v->h, &hint);
}

static enum status make_hints(void *result, struct trace *t, const struct question *q,
			      struct error *e)
{
	struct sharing *r = calloc(1, sizeof(*r));
	struct view v = {.h = result, .r = r, .t = t};
	enum status status;

	hints_begin(v.h);
	status = r ? sharing_answer.make(r, t, q, e) : error_set(e, STATUS_NOMEM, "out of memory");
	v.x = memory_lock(t);
	for (size_t i = 0; !status && !v.h->failed && i < r->classes.count; i++) {
		const struct sharing_row *class = &r->classes.data[i];

		if (class->number == MEMORY_NONE)
			continue;
		hint_class(&v, class, MEMORY_FALSE, explain_false);
		hint_class(&v, class, MEMORY_TRUE, explain_true);
		hint_class(&v, class, MEMORY_REPLACEMENT, explain_replacement);
	}
	if (!status)
		hint_load(&v);
	memory_unlock(t);
	if (r)
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
