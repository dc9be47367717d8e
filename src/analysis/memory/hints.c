/*
 * What costs most in a trace of shared memory, and what to do about it.
 *
 * A hint for each class and cause of loads that is worth one, those that can gain most first: the cycles
 * that were waited for it, and for what follows from it, are the bound of that, whatever is done. Last, CPUs
 * that wait while others do not.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/hints.h"
#include "analysis/memory/sharing.h"
#include "base/num.h"

static const double share_least = 0.02;  /* of all cycles: what is to be gained at most */
static const double one_word = 0.9;      /* of cycles for true sharing: it is a lock or a counter */
static const double uneven_least = 0.2;  /* of the time, between two CPUs */

enum { ORDER_CAUSE, ORDER_EFFECT };
enum { COMMON = 6 /* numbers that all hints about a class rest on */ };

/* A hint about a class and a cause. */
struct making {
	struct hints *h;
	const struct sharing *r;
	const struct trace *t;
	const struct memory_index *x;

	const struct sharing_row *class;
	enum memory_cause cause;
	enum memory_level level; /* where the cause has more cycles */
	struct hint hint;        /* its weight: cycles */
};

/* What most cycles of the class, of loads by the cause, are of, and how many; 0: not known. */
static uint32_t dearest(struct making *m, enum memory_thing by, uint64_t *most)
{
	const struct memory_selection only = memory_only(MEMORY_BY_CLASS, m->class->number);
	struct memory_sums sums;
	uint32_t number = MEMORY_NONE;

	*most = 0;
	m->h->failed |= memory_sum_up(&sums, m->x, by, &only, NULL) != STATUS_OK;
	for (uint32_t i = 0; i < sums.count; i++)
		if (memory_cause_cycles(&sums.of[i], m->cause) > *most) {
			*most = memory_cause_cycles(&sums.of[i], m->cause);
			number = i;
		}
	memory_sums_free(&sums);
	return number;
}

/* ---- why the class is loaded again: what was waited for ---- */

/* The hint gets a kind, a bound and what to try. NULL: it is not worth a hint. */
typedef const char *explain_fn(struct making *m);

/* An object that is larger than a block: by whole blocks; a smaller one: fields apart; several: apart. */
static const char *explain_false(struct making *m)
{
	const uint64_t follows = memory_upgrade_cycles(&m->class->sum) +
				 memory_cause_cycles(&m->class->sum, MEMORY_INCLUSION);
	const double gain = m->hint.weight + (double)follows;
	const uint32_t block = m->x->block_bytes[m->level];
	const char *advice = "move the instances apart, or pad and align each to";
	char cycles[32];

	if (!sharing_is_false(m->class))
		return NULL;
	for (uint32_t i = 0; m->class->instances == 1 && i < m->x->object_count; i++)
		if (m->x->objects[i].class == m->class->number)
			advice = m->x->objects[i].size > block
				     ? "let each CPU work on a private copy, or on whole blocks of"
				     : "split it: put what each CPU writes into a block of its own, of";
	m->hint.kind = "false-sharing";
	m->hint.bound = "upper";
	m->hint.evidence[COMMON] = (struct hint_number){"follows", NULL, (double)follows};
	m->hint.advice = hints_keep(
	    m->h,
	    "%s %" PRIu32 " bytes. It gains at most %s cycles (%.1f %% of all), with what follows: writes "
	    "that have to get such a block first, loads of what an L2 cache loses with it",
	    advice, block, num_group((int64_t)gain, cycles), 100 * gain / (double)m->r->all.cycles);
	return "for blocks in which another CPU had written a different word";
}

/* One word that CPUs take in turn is a lock or a counter. */
static const char *explain_true(struct making *m)
{
	const char *what = "for words that another CPU had written";
	uint64_t cycles;
	uint32_t word;

	if (m->class->judged != MEMORY_SHARED_TRUE && m->class->judged != MEMORY_SHARED_MIXED)
		return NULL;
	m->hint.kind = "true-sharing";
	m->hint.bound = m->r->masks ? NULL : "lower";
	m->hint.advice =
	    "privatise it: let each CPU work on its own part, and exchange results rarely";
	word = dearest(m, MEMORY_BY_WORD, &cycles);
	if ((double)cycles < one_word * m->hint.weight)
		return what;
	m->hint.kind = "lock-wait";
	m->hint.advice =
	    "take it less often: hand out more work at a time, or privatise it: give each CPU "
	    "one of its own and add them up at the end";
	return hints_keep(m->h, "%s. Nearly all of it was for one word, %s, as with a lock or a counter",
			  what, source_text_name(m->r->source, m->x, MEMORY_BY_WORD, word));
}

/* What most of the class had to go for at that level. */
static const char *explain_replacement(struct making *m)
{
	static const struct sharing_pair unknown = {.culprit.object = "what is not known"};
	const struct sharing_pair *by = &unknown;

	for (size_t i = m->r->collisions.count; i-- > 0;) {
		const struct sharing_pair *c = &m->r->collisions.data[i];

		if (c->victim.class == m->class->number && c->level == m->level + UINT64_C(1))
			by = c;
	}
	m->hint.kind = "replacement-capacity";
	m->hint.bound = "upper";
	m->hint.advice =
	    "reorder or block the loops so that what is loaded is used up first, or make the data smaller";
	if (by->sets)
		m->hint.evidence[COMMON] = (struct hint_number){"sets", NULL, (double)by->sets};
	if (by->cause == sharing_conflict) {
		m->hint.kind = "replacement-conflict";
		m->hint.advice =
		    "move one of the two, or pad it by a block, so that they use different sets";
	}
	return hints_keep(m->h, "to load blocks again that had made room, mostly for %s. %s",
			  by != &unknown && by->culprit.class == MEMORY_NONE
			      ? "memory outside every object"
			      : by->culprit.object,
			  by->cause == sharing_conflict
			      ? "The cache was not full, but the sets (inferred) that both use were full"
			  : by->cause ? "The cache was full"
				      : "Too little is known of the cache to say why");
}

/* ---- hints ---- */

/* The source line that is dearest. */
static void add_text(struct making *m, const char *what)
{
	const struct sharing_row *line = m->r->lines.data;
	uint64_t cycles;
	const uint32_t at = dearest(m, MEMORY_BY_LINE, &cycles);
	const char *function;
	char number[32];

	while (cycles && line->number != at) /* it waited, so it is there */
		line++;
	function = line->place.function;
	m->hint.text = hints_keep(
	    m->h, "CPUs waited %s%s cycles (%.1f %% of all) %s. Most of it is at %s%s%s.",
	    m->cause == MEMORY_FALSE ? sharing_bound(m->r) : "",
	    num_group((int64_t)m->hint.weight, number), 100 * m->hint.evidence[1].value, what,
	    line->label, function ? " in " : "", function ? function : "");
}

/* The first stay that the class was loaded for because of this. */
static void add_place(struct making *m)
{
	for (uint32_t i = 0; m->hint.item == ITEM_NONE && i < m->x->stay_count; i++) {
		const struct memory_stay *s = &m->x->stays[i];

		if (s->cause == m->cause && m->x->blocks[s->block].level == m->level &&
		    memory_class_of_word(m->x, s->word) == m->class->number) {
			m->hint.item = i;
			m->hint.tick = s->start;
		}
	}
}

/* If it is worth a hint. */
static void hint_class(struct making *m, enum memory_cause cause, explain_fn *explain)
{
	const struct memory_sum *s = &m->class->sum;
	const double cycles = (double)memory_cause_cycles(s, cause), all = (double)m->r->all.cycles;
	const char *what;

	if (cycles <= 0 || cycles < share_least * all)
		return;
	m->cause = cause;
	m->level = s->fill_cycles[MEMORY_L1][cause] > s->fill_cycles[MEMORY_L2][cause] ? MEMORY_L1
											: MEMORY_L2;
	m->hint = (struct hint){.where = memory_class(m->t, m->class->number),
				.order = ORDER_CAUSE,
				.weight = cycles,
				.item = ITEM_NONE,
				.evidence = {{"cycles", NULL, cycles},
					     {"share", UNIT_SHARE, cycles / all},
					     {"of", NULL, (double)s->cycles},
					     {"l1-loads", NULL, (double)s->fills[MEMORY_L1][cause]},
					     {"l2-loads", NULL, (double)s->fills[MEMORY_L2][cause]},
					     {"instances", NULL, (double)m->class->instances}}};
	what = explain(m);
	if (!what)
		return;
	add_text(m, what);
	add_place(m);
	hints_add(m->h, &m->hint);
}

static void hint_load(struct making *m)
{
	const struct sharing_row *most = m->r->cpus.data;
	const struct sharing_row *least = most ? &vec_last(&m->r->cpus) : NULL;
	struct hint hint = {.kind = "load-imbalance", .order = ORDER_EFFECT, .item = ITEM_NONE};

	if (!most || !(most->share - least->share >= uneven_least))
		return;
	hint.where = hints_keep(m->h, "%s", most->label);
	hint.weight = most->share - least->share;
	hint.text = hints_keep(m->h, "It waited %.0f %% of the time (for %s), %s only %.0f %%.",
			       100 * most->share, most->class, least->label, 100 * least->share);
	hint.advice = "divide the work more evenly: smaller pieces, or data that one CPU alone writes";
	hint.evidence[0] = (struct hint_number){"most", UNIT_SHARE, most->share};
	hint.evidence[1] = (struct hint_number){"least", UNIT_SHARE, least->share};
	hints_add(m->h, &hint);
}

static enum status make_hints(void *result, struct trace *t, const struct question *q,
			      struct error *e)
{
	struct sharing r = {0};
	struct making m = {.h = result, .r = &r, .t = t};
	enum status status;

	hints_begin(m.h);
	status = sharing_answer.make(&r, t, q, e);
	m.x = memory_lock(t);
	for (size_t i = 0; !status && !m.h->failed && i < r.classes.count; i++) {
		m.class = &r.classes.data[i];
		if (m.class->number == MEMORY_NONE)
			continue;
		hint_class(&m, MEMORY_FALSE, explain_false);
		hint_class(&m, MEMORY_TRUE, explain_true);
		hint_class(&m, MEMORY_REPLACEMENT, explain_replacement);
	}
	if (!status)
		hint_load(&m);
	memory_unlock(t);
	sharing_free(&r);
	return status ? status : hints_end(m.h, e);
}

static void free_hints(void *result)
{
	hints_free(result);
	free(result);
}

const struct answer memory_hints_answer = {
    "hints", &memory_trace_kind, hint_sections, sizeof(struct hints), make_hints, free_hints};
