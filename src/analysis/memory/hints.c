/*
 * What costs most in a trace of shared memory, and what to do about it.
 *
 * A hint for each class and cause of loads that is worth one, those that can gain most first: the
 * cycles that were waited for it, and for what follows from it, are the bound of that, whatever is
 * done.
 */
#include "config.h"

#include <inttypes.h>

#include "analysis/hints.h"
#include "analysis/memory/sharing.h"
#include "base/num.h"

static const double share_least = 0.02; /* of all cycles: what is to be gained at most */
static const double one_word = 0.9;     /* of cycles for true sharing: it is a lock or a counter */

enum kind { FALSE_SHARING, TRUE_SHARING, LOCK_WAIT, REPLACEMENT, CAPACITY, CONFLICT, UPGRADES };

/* "CPUs waited 602 cycles WHAT [, mostly for an object] WHY", and what to try. */
#define AGAIN "to load blocks again that had made room"
#define REORDER                                                                                    \
	"reorder or block the loops so that what is loaded is used up, or make the data smaller"

static const struct {
	const char *name, *what, *why, *advice;
} kinds[] = {
    [FALSE_SHARING] = {"false-sharing",
		       "for blocks in which another CPU had written a different word", "", NULL},
    [TRUE_SHARING] =
	{"true-sharing", "for words that another CPU had written", "",
	 "privatise it: let each CPU work on its own part, and exchange results rarely"},
    [LOCK_WAIT] =
	{"lock-wait", "for words that another CPU had written",
	 ", nearly all for a single one, as with a lock or a counter",
	 "take it less often: hand out more work at a time, or privatise it: give each CPU "
	 "one of its own and add them up at the end"},
    [REPLACEMENT] = {"replacement", AGAIN, "", REORDER},
    [CAPACITY] = {"replacement-capacity", AGAIN, ". The cache was full", REORDER},
    [CONFLICT] = {"replacement-conflict", AGAIN,
		  ". The cache was not full, but the sets (inferred) that both use were full",
		  "move one of the two, or pad it by a block, so that they use different sets"},
    [UPGRADES] = {"upgrades", "to write to blocks that they held for reading only", "",
		  "write the data before reading it, or keep written data apart from data that is "
		  "only read"},
};

/* A hint about a class, or what is outside all of them, and a cause. */
struct making {
	struct hints *h;
	const struct sharing *r;
	const struct memory_index *x;

	const struct sharing_row *class;
	unsigned cause;          /* enum memory_cause, or MEMORY_UPGRADE */
	enum memory_level level; /* where the cause has more cycles */
	const char *detail;      /* behind what was waited for */
	struct hint hint;        /* its weight: cycles */
};

/* One more number that the hint rests on. */
static void add_number(struct making *m, const char *key, uint64_t value)
{
	struct hint_number *number = m->hint.evidence;

	while (number->key)
		number++;
	*number = (struct hint_number){key, NULL, (double)value};
}

/* Which has the most cycles of the class, waited because of the cause, and how many; 0: none. */
static uint64_t dearest(struct making *m, enum memory_thing by, uint32_t *number)
{
	const struct memory_selection only = memory_only(MEMORY_BY_CLASS, m->class->number);
	struct memory_sums sums;
	uint64_t most;

	m->h->failed |= memory_sum_up(&sums, m->x, by, &only, NULL) != STATUS_OK;
	for (uint32_t i = 0; sums.of && i <= sums.count; i++)
		sums.of[i].cycles = memory_cause_cycles(&sums.of[i], m->cause);
	most = memory_take_dearest(&sums, number);
	memory_sums_free(&sums);
	return most;
}

/* ---- why the class is loaded again ---- */

static enum kind explain_false(struct making *m)
{
	const uint64_t follows = memory_cause_cycles(&m->class->sum, MEMORY_UPGRADE) +
				 memory_cause_cycles(&m->class->sum, MEMORY_INCLUSION);
	const double gain = m->hint.weight + (double)follows;
	char cycles[32];

	add_number(m, "follows", follows);
	m->hint.advice = hints_keep(
	    m->h,
	    "%s %" PRIu32
	    " bytes%s. It gains at most %s cycles (%.1f %% of all), with what follows: writes that "
	    "have to get such a block first, loads of what an L2 cache loses with it",
	    m->class->number == MEMORY_NONE ? "let each CPU write into blocks of its own, of"
	    : m->class->sum.objects > 1     ? "move the instances apart, or pad and align each to"
				: "split it, so that each CPU writes into blocks of its own, of",
	    m->x->block_bytes[m->level], m->x->guessed ? " (guessed: give --geom)" : "",
	    num_group((int64_t)gain, cycles), 100 * gain / (double)m->r->all.cycles);
	return FALSE_SHARING;
}

/* One word that CPUs take in turn is a lock or a counter. */
static enum kind explain_true(struct making *m)
{
	uint32_t word;
	const double most = (double)dearest(m, MEMORY_BY_WORD, &word);

	return most < one_word * m->hint.weight ? TRUE_SHARING : LOCK_WAIT;
}

/* By what most of the class had to go for at that level. */
static enum kind explain_replacement(struct making *m)
{
	for (size_t i = 0; i < m->r->collisions.count; i++) {
		const struct sharing_pair *by = &m->r->collisions.data[i];

		if (by->victim.class != m->class->number || by->level != m->level + UINT64_C(1))
			continue;
		m->detail = hints_keep(m->h, " in L%d, mostly for %s", m->level + 1,
				       by->culprit.class == MEMORY_NONE
					   ? "memory outside all objects"
					   : by->culprit.object);
		if (by->sets)
			add_number(m, "sets", by->sets);
		return by->cause == sharing_conflict ? CONFLICT
		       : by->cause                   ? CAPACITY
						     : REPLACEMENT;
	}
	return REPLACEMENT;
}

/* ---- hints ---- */

/* line: the dearest. */
static void add_text(struct making *m, enum kind kind, uint32_t line)
{
	const struct source_place at = source_place(m->r->source, m->x, line);
	char number[32];

	m->hint.text = hints_keep(
	    m->h, "CPUs waited %s%s cycles (%.1f %% of all) %s%s%s. Most of it is at %s%s%s.",
	    m->cause == MEMORY_FALSE ? m->r->at_most : "",
	    num_group((int64_t)m->hint.weight, number), 100 * m->hint.evidence[1].value,
	    kinds[kind].what, m->detail, kinds[kind].why, at.label ? at.label : "?",
	    at.function ? " in " : "", at.function ? at.function : "");
}

/* The first stay of the class that shows it: that the line loaded, or that became private. */
static void add_place(struct making *m, uint32_t line)
{
	for (uint32_t i = 0; m->hint.item == ITEM_NONE && i < m->x->stay_count; i++) {
		const struct memory_stay *s = memory_stay(m->x, i);
		const struct memory_cell *by = memory_access(m->x, s->cell);
		const bool shows = m->cause == MEMORY_UPGRADE
				       ? !s->private && s->change != MEMORY_NONE
				       : s->cause == m->cause && s->level == m->level &&
					     by->line == line;

		if (shows && s->cell != MEMORY_NONE &&
		    memory_class_of_word(m->x, by->word) == m->class->number) {
			m->hint.item = i;
			m->hint.tick = s->start;
		}
	}
}

/* less: cycles of it that another hint has. False: it is not worth a hint. */
static bool hint_class(struct making *m, unsigned cause, uint64_t less)
{
	const struct memory_sum *s = &m->class->sum;
	const double cycles = (double)memory_cause_cycles(s, cause) - (double)less;
	const double all = (double)m->r->all.cycles;
	const bool loads = cause < MEMORY_UPGRADE;
	enum kind kind;
	uint32_t line;

	if (cycles <= 0 || cycles < share_least * all)
		return false;
	m->cause = cause;
	m->level = loads && s->fill_cycles[MEMORY_L1][cause] > s->fill_cycles[MEMORY_L2][cause]
		       ? MEMORY_L1
		       : MEMORY_L2;
	m->detail = "";
	m->hint = (struct hint){
	    .where = memory_class(m->r->source->t, m->class->number),
	    .bound = cause != MEMORY_TRUE ? "upper"
		     : m->r->bound        ? "lower"
					  : NULL,
	    .weight = cycles,
	    .item = ITEM_NONE,
	    .evidence = {{"cycles", NULL, cycles},
			 {"share", UNIT_SHARE, cycles / all},
			 {"of", NULL, (double)s->cycles}}};
	if (loads) {
		add_number(m, "l1-loads", s->fills[MEMORY_L1][cause]);
		add_number(m, "l2-loads", s->fills[MEMORY_L2][cause]);
	}
	if (s->objects)
		add_number(m, "instances", s->objects);
	kind = cause == MEMORY_FALSE     ? explain_false(m)
	       : cause == MEMORY_TRUE    ? explain_true(m)
	       : cause == MEMORY_UPGRADE ? UPGRADES
					 : explain_replacement(m);
	m->hint.kind = kinds[kind].name;
	m->hint.advice = m->hint.advice ? m->hint.advice : kinds[kind].advice;
	(void)dearest(m, MEMORY_BY_LINE, &line);
	add_text(m, kind, line);
	add_place(m, line);
	hints_add(m->h, &m->hint);
	return true;
}

/* Cycles of writes that took blocks from others over another word: false sharing, too. */
static uint64_t taken_falsely(const struct memory_sum *s)
{
	const uint64_t loads = memory_cause_cycles(s, MEMORY_FALSE);

	return s->shared[MEMORY_LEVELS][1] > loads ? s->shared[MEMORY_LEVELS][1] - loads : 0;
}

static enum status make_hints(void *result, struct trace *t, const struct question *q,
			      struct error *e)
{
	struct sharing r = {0};
	struct making m = {.h = result, .r = &r};
	const sharing_rows *classes = &r.of[MEMORY_BY_CLASS];
	enum status status;
	bool falsely;

	hints_begin(m.h);
	status = sharing_answer.make(&r, t, q, e);
	m.x = memory_lock(t);
	for (size_t i = 0; !status && !m.h->failed && i < classes->count; i++) {
		m.class = &classes->data[i];
		falsely = m.class->judged & MEMORY_SHARED_FALSE && hint_class(&m, MEMORY_FALSE, 0);
		hint_class(&m, MEMORY_UPGRADE, falsely ? taken_falsely(&m.class->sum) : 0);
		if (m.class->judged & MEMORY_SHARED_TRUE)
			hint_class(&m, MEMORY_TRUE, 0);
		hint_class(&m, MEMORY_REPLACEMENT, 0);
	}
	memory_unlock(t);
	sharing_free(&r);
	return status ? status : hints_end(m.h, e);
}

const struct answer memory_hints_answer = {
    "hints", &memory_trace_kind, hint_sections, sizeof(struct hints), make_hints, hints_free};
