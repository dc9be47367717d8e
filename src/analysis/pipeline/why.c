#include "config.h"

#include "analysis/pipeline/why_private.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

static bool can_go(unsigned cause)
{
	return cause >= WHY_CAUSES || why_causes[cause].gone != WHY_GONE_NOTHING;
}

/* ---- what is asked ------------------------------------------------------------------------- */

static enum status add_cause(const struct why *w, struct why_whatif *out, const char *word,
			     struct error *e)
{
	const unsigned cause = why_cause_named(w, word);

	if (cause == WHY_NO_CAUSE || !can_go(cause))
		return error_set(e, STATUS_USAGE,
				 "'%s' is no cause that can go; why says what each of them saves",
				 word);
	if (cause == WHY_ICACHE && !(w->reading->seen & WHY_FETCH_MISS))
		return error_set(e, STATUS_USAGE,
				 "no fetch that missed is marked in this trace: icache is in fetch");
	out->gone |= WHY_BIT(cause);
	return STATUS_OK;
}

static enum status add_setting(const struct why *w, struct why_whatif *out, char *word,
			       struct error *e)
{
	struct why_setting setting = {.of = NULL};
	char *sign = strrchr(word, '=');

	if (!sign)
		return error_set(e, STATUS_USAGE, "'%s' is not NAME=VALUE", word);
	if (!num_parse_i64(sign + 1, &setting.value) || setting.value < 0 ||
	    setting.value > WHY_SIZE_MOST * 256)
		return error_set(e, STATUS_USAGE, "'%s': the value is no number from 0 to %d", word,
				 WHY_SIZE_MOST * 256);
	*sign = '\0';
	for (size_t i = 0; i < w->parameters.count; i++)
		if (strcmp(w->parameters.data[i].name, word) == 0)
			setting.of = &w->parameters.data[i];
	if (!setting.of)
		return error_set(e, STATUS_USAGE,
				 "'%s' is no parameter of this trace; why lists them", word);
	/* nothing fits in none; all others are cycles */
	if (!setting.value && setting.of->number < WHY_SIZES)
		return error_set(e, STATUS_USAGE, "'%s=0': sizes and widths are 1 at least", word);
	out->set[out->set_count++] = setting;
	return STATUS_OK;
}

/* Words that commas or blanks part: causes, or what is to be set; a machine may be both. */
static enum status read_words(const struct why *w, const struct why_asked *asked,
			      struct why_whatif *out, struct error *e)
{
	const size_t len = strlen(asked->words);
	enum status status = STATUS_OK;
	char copy[WHY_WORDS], *rest = NULL;

	if (len >= sizeof(copy))
		return error_set(e, STATUS_USAGE, "a what-if is shorter than %d bytes", WHY_WORDS);
	memcpy(out->words, asked->words, len + 1);
	memcpy(copy, asked->words, len + 1);
	for (char *word = strtok_r(copy, ", ", &rest); word && !status;
	     word = strtok_r(NULL, ", ", &rest))
		status = asked->set || strchr(word, '=') ? add_setting(w, out, word, e)
							 : add_cause(w, out, word, e);
	if (!status && !out->gone && !out->set_count)
		status = error_set(e, STATUS_USAGE, "no cause and no parameter is named");
	return status;
}

enum status why_try(const struct why *w, const struct why_asked *asked, struct why_whatif *out,
		    const atomic_bool *stop, struct error *e)
{
	enum status status;

	*out = (struct why_whatif){.gone = 0};
	status = read_words(w, asked, out, e);
	return status ? status : why_evaluate(w->reading, w->span, out, 1, stop, e);
}

/* ---- the path ------------------------------------------------------------------------------ */

struct adding {
	struct why *w;
	bool path;           /* is kept */
	int64_t unexplained; /* by the trace: residues without a mark */
	size_t codes;
	uint32_t *pc_of; /* by code, and of all without text: 1 + its place in pcs */
};

static struct why_pc *pc_of(struct adding *a, uint32_t code)
{
	uint32_t *at = &a->pc_of[code < a->codes ? code : a->codes];
	const struct why_pc pc = {.code = code};

	if (!*at && vec_push(&a->w->pcs, pc))
		*at = (uint32_t)a->w->pcs.count;
	return *at ? &a->w->pcs.data[*at - 1] : NULL;
}

static bool add_part(void *arg, const struct why_part *p)
{
	struct adding *a = arg;
	const struct why_columns *c = &a->w->reading->columns;
	const int64_t cycles = p->to - p->from;
	const struct why_insn *insn;
	const bool fetch = p->time == WHY_F && p->owner == p->index;
	struct why_pc *pc;

	if (a->path && !why_path_add(a->w, p))
		return false;
	if (!cycles)
		return true;
	a->w->causes[p->cause].cycles += cycles;
	if (p->residue && !why_is_marked(p->cause))
		a->unexplained += cycles;
	/* a second half has no text of its own */
	insn = &c->insns.data[why_whole(c, p->owner)];
	pc = pc_of(a, insn->code);
	if (!pc)
		return false;
	pc->causes[p->cause] += cycles;
	/* of equal ones the first, which comes last; who waits for fetch is not there before */
	if (cycles >= pc->dearest[p->cause].cycles)
		pc->dearest[p->cause] =
		    (struct why_dearest){insn->row,
					 why_tick(a->w, fetch ? p->to : p->from), cycles};
	return true;
}

static double ratio(int64_t cycles, int64_t of)
{
	return of ? (double)cycles / (double)of : 0;
}

static enum status follow_path(struct why *w, const struct why_question *q, struct error *e)
{
	struct adding a = {.w = w, .path = q->path, .codes = store_code_count(w->store)};
	enum status status;

	a.pc_of = calloc(a.codes + 1, sizeof(*a.pc_of));
	if (!a.pc_of)
		return error_no_memory(e);
	status = why_walk(w->reading, w->span, add_part, &a, q->stop, e);
	why_path_end(&w->path);
	free(a.pc_of);
	w->residue_share = ratio(a.unexplained, w->cycles);
	return status;
}

/* ---- the result ---------------------------------------------------------------------------- */

/* Beside their cycles. `one`: of those that can go. */
static void end_causes(struct why *w, const struct why_whatif *one)
{
	for (unsigned c = 0; c < w->cause_count; c++) {
		struct why_cause *cause = &w->causes[c];

		cause->number = c;
		cause->name = why_cause_name(w, c);
		cause->share = ratio(cause->cycles, w->cycles);
		cause->cpi = ratio(cause->cycles, (int64_t)w->instructions);
		cause->saved = -1;
		if (!can_go(c))
			continue;
		cause->saved = one->saved > 0 ? one->saved : 0;
		cause->bound = one++->bound;
	}
}

/* The rules that can be set, then the latencies: without a stage for the result there are none. */
static bool put_parameters(struct why *w)
{
	const struct why_machine *m = &w->reading->machine;

	for (unsigned r = 0; r < WHY_SETTINGS; r++) {
		const unsigned cause = why_is_structure(r) ? why_rules[r].cause : WHY_CAUSES;
		const bool reached = r >= WHY_SIZES || m->binding[r];
		const struct why_parameter p = {why_rules[r].name, r, m->number[r], reached, cause};

		if (p.value && !vec_push(&w->parameters, p))
			return false;
	}
	for (unsigned op = 0; op < intern_count(w->reading->ops); op++) {
		const struct why_parameter p = {intern_name(w->reading->ops, (int32_t)op),
						WHY_RULES + op, m->number[WHY_RULES + op], true,
						WHY_CAUSES};

		if (p.value != INT64_MAX && w->reading->stages.of[WHY_W] >= 0 &&
		    !vec_push(&w->parameters, p))
			return false;
	}
	return true;
}

/* ---- notes: what is to be known beside the numbers, each once ------------------------------ */

__attribute__((format(printf, 2, 3))) static void note(struct why *w, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(w->notes[w->note_count++].text, sizeof(w->notes[0].text), fmt, args);
	va_end(args);
}

static void note_stages(struct why *w)
{
	const struct why_stages *s = &w->reading->stages;
	struct sbuf words = {0};
	bool missing = false;

	for (int t = 0; t < WHY_TIMES; t++) {
		const bool has = s->of[t] >= 0 && w->reading->times >> t & 1;

		missing |= t != WHY_C && !has;
		sbuf_printf(&words, "%s%s %.16s", t ? ", " : "", why_time_names[t],
			    has          ? store_stage(w->store, (size_t)s->of[t])->name
			    : t == WHY_C ? "at the end"
					 : "-");
	}
	if (s->learned || missing)
		note(w, "stages%s: %s%s",
		     s->named     ? ", as they were named"
		     : s->learned ? ", from the order of their starts"
				  : "",
		     sbuf_text(&words),
		     missing ? "; -: none, taken from the time before or the next stage" : "");
	sbuf_free(&words);
}

static void note_all(struct why *w)
{
	const struct why_reading *r = w->reading;
	struct totals totals;
	char number[32];

	store_totals(w->store, &totals);
	const struct {
		uint64_t count; /* rows, if it is of rows; 0: no note */
		bool rows;
		const char *what;
	} notes[] = {
	    {!(r->seen & WHY_FETCH_MISS), false,
	     "no mark of instruction-cache misses in this trace: their cycles are fetch"},
	    {!(r->seen & WHY_MISS), false,
	     "no mark of data-cache misses in this trace: dcache is latency beyond the least"},
	    {!r->marks, false,
	     "no mark of mispredictions in this trace: squashed rows tell of them"},
	    {r->unread, true, "with operands that could not be read"},
	    {r->others, true, "committed by other threads"},
	    {r->left_out, true,
	     "left out: the times contradict each other, lie too far from the others, or begin in "
	     "a first cycle that is not whole"},
	    {totals.fates[FATE_UNKNOWN], true,
	     "born before the trace begins: the run began earlier"},
	    {totals.fates[FATE_IN_FLIGHT], true,
	     "in flight where the trace ends: the last commit counts as the end of the run"},
	    {store_warning_count(w->store), false,
	     "some lines of the trace were skipped: its warnings say which"},
	    {w->differences, true, "with times that did not come back: please report this"},
	};
	note_stages(w);
	if (r->thread)
		note(w, "thread %" PRId64 " only, the first that commits",
		     store_thread(w->store, r->thread));
	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++)
		if (notes[i].count && notes[i].rows)
			note(w, "%s row%s %s", num_group((int64_t)notes[i].count, number),
			     notes[i].count == 1 ? "" : "s", notes[i].what);
		else if (notes[i].count)
			note(w, "%s", notes[i].what);
}

/* ---- all of it ----------------------------------------------------------------------------- */

/* Why nothing of the span can be evaluated. */
static const char *what_is_missing(const struct why *w)
{
	if (w->reading->columns.insns.count)
		return w->reading->thread ? "no instruction fetched in the range committed, of the "
					    "one thread that is evaluated: the first that commits"
					  : "no instruction fetched in the range committed";
	return w->reading->left_out
		       ? "no committed row whose times do not contradict each other, or lie too far "
			 "from the others"
		       : "nothing committed, so that nothing tells how long the run took; rows and "
			 "stalls work with it";
}

const char *why_not(const struct store *s)
{
	const struct reader *format = store_format(s);

	return format->recall  ? "an optrace has no times of its own to explain; reduce and depth "
				 "work with it"
	       : format->whole ? "a timeline of a steady state has no run to explain; rows and "
				 "stalls work with it"
			       : NULL;
}

/* The run as it was, one what-if for each cause that can go, and those asked for. */
static enum status evaluate_all(struct why *w, const struct why_question *q, struct error *e)
{
	struct why_whatif own[1 + WHY_CAUSES_ALL] = {{.gone = 0}};
	enum status status;
	size_t n = 1;

	for (unsigned c = 0; c < w->cause_count; c++)
		if (can_go(c))
			own[n++].gone = WHY_BIT(c);
	status = why_evaluate(w->reading, w->span, own, n, q->stop, e);
	if (!status)
		status = follow_path(w, q, e);
	if (status)
		return status;
	w->differences = own[0].differences;
	end_causes(w, own + 1);
	note_all(w);
	if (!put_parameters(w) || !vec_reserve(&w->whatifs, q->asked_count))
		return error_no_memory(e);
	for (size_t i = 0; !status && i < q->asked_count; i++)
		status = why_try(w, &q->asked[i], &w->whatifs.data[w->whatifs.count++], q->stop, e);
	return status;
}

/* One of the rows of the range, fetched in its ticks. */
static bool is_in(const struct why *w, size_t index, const struct range *range)
{
	const struct why_columns *c = &w->reading->columns;
	const struct why_insn *n = &c->insns.data[why_whole(c, index)];

	return !range || (n->row >= range->row0 && n->row < range->row1 &&
			  range_overlap(range, why_tick(w, n->times[WHY_F]),
					why_tick(w, n->times[WHY_F] + 1)) > 0);
}

static void find_span(struct why *w, const struct range *range)
{
	const struct why_columns *c = &w->reading->columns;
	struct why_span s = {.end = c->insns.count};

	if (range && range->tick0 > w->clock.first)
		s.from = (range->tick0 - w->clock.first) / w->clock.ticks;
	while (s.first < s.end && !is_in(w, s.first, range))
		s.first++;
	while (s.first < s.end && !is_in(w, s.end - 1, range))
		s.end--;
	/* the time before its rows is not theirs */
	if (range && range->row0 && s.first < s.end)
		s.from = c->insns.data[s.first].times[WHY_F];
	s.to = s.from;
	for (size_t i = s.first; i < s.end; i++) {
		w->instructions += (c->insns.data[i].flags & WHY_WHOLE) != 0;
		if (c->insns.data[i].times[WHY_C] > s.to)
			s.to = c->insns.data[i].times[WHY_C];
	}
	w->span = s;
	w->cycles = s.to - s.from;
	w->cpi = ratio(w->cycles, (int64_t)w->instructions);
}

enum status why_new(struct why *out, struct store *s, const struct why_question *q,
		    struct error *e)
{
	enum status status = STATUS_OK;

	*out = (struct why){.store = s, .clock = range_clock(s)};
	if (why_not(s))
		return error_set(e, STATUS_INPUT, "%s", why_not(s));
	out->reading = q->known ? q->known->reading : calloc(1, sizeof(*out->reading));
	if (!out->reading)
		return error_no_memory(e);
	if (!q->known) {
		out->reading->percent = q->percent;
		out->reading->named = q->stages;
		status = why_read(out->reading, s, q->stop, e);
	}
	out->reading->users++;
	out->cause_count = WHY_CAUSES + out->reading->stages.front_count;
	find_span(out, q->range);
	if (!status && out->span.first == out->span.end)
		status = error_set(e, STATUS_INPUT, "%s", what_is_missing(out));
	if (!status)
		status = evaluate_all(out, q, e);
	if (status)
		why_free(out);
	return status;
}

void why_free(struct why *w)
{
	if (w->reading && --w->reading->users == 0) {
		why_reading_free(w->reading);
		free(w->reading);
	}
	vec_free(&w->parameters);
	vec_free(&w->pcs);
	vec_free(&w->whatifs);
	vec_free(&w->path.steps);
	*w = (struct why){.store = NULL};
}
