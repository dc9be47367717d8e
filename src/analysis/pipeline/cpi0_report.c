#include "config.h"

#include "analysis/pipeline/cpi0_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/cpi0_words.h"
#include "base/xalloc.h"

/* ---- a run --------------------------------------------------------------------------------- */

static void name_set(const char *out[CPI0_LIMITS], const struct machine *m, unsigned set)
{
	for (int i = 0; i < CPI0_LIMITS; i++)
		out[i] = set >> i & 1 ? cpi0_limit_name(m, i) : NULL;
}

/* The words, if there are any; the buffer is free again. */
static char *kept(struct sbuf *words)
{
	char *text = words->len ? xstrdup(sbuf_text(words)) : NULL;

	sbuf_free(words);
	return text;
}

static char *say_verdict(const struct cpi0_diagnosis *d)
{
	struct sbuf words = {0};

	cpi0_say_verdict(&d->machine, &d->c, &words);
	return kept(&words);
}

static char *say_filling(const struct cpi0_diagnosis *d)
{
	struct sbuf words = {0};

	cpi0_say_filling(&d->machine, &d->c, &words);
	return kept(&words);
}

static void take_notes(struct cpi0_run_line *l, const struct cpi0_mix *mix)
{
	struct sbuf words = {0};
	int count = 0;

	for (int i = 0; i < CPI0_NOTES && cpi0_say_unknown(mix, i, &words); i++) {
		char *note = kept(&words);

		if (note)
			l->notes[count++] = note;
	}
}

static const char *order_of(const struct cpi0_diagnosis *d)
{
	if (d->simulated < 0)
		return NULL;
	if (cpi0_mostly_filling(d))
		return "their own, which includes filling the machine";
	return d->own_order ? "their own" : "the most uniform";
}

static double known(double value)
{
	return value < 0 ? NAN : value;
}

static void make_run(struct cpi0_run_line *l, const struct cpi0_run *run)
{
	const struct cpi0_diagnosis *d = run->d;
	const struct cpi0 *c = &d->c;
	const struct machine *m = &d->machine;
	bool isa = run->trace && run->isa != ISA_UNKNOWN;
	uint64_t classes = cpi0_mix_known(&d->mix);
	const char *slash = strrchr(run->input, '/');

	l->input = run->input;
	l->name = slash && slash[1] ? slash + 1 : run->input;
	l->isa_key = isa ? isa_key(run->isa) : NULL;
	l->isa_name = isa ? isa_name(run->isa) : NULL;
	l->instructions = c->instructions;
	l->unknown = d->mix.total > classes ? d->mix.total - classes : 0;
	for (int q = 0; q < m->queue_count; q++)
		l->growth[q] = c->queues[q].growth;
	l->cpi = cpi0_real(c->cpi);
	l->dispatch = cpi0_real(c->bounds[CPI0_DISPATCH]);
	l->latency = cpi0_real(c->bounds[CPI0_LATENCY]);
	l->runner_up = c->runner_up == CPI0_NOTHING ? NULL : cpi0_limit_name(m, c->runner_up);
	l->margin = l->runner_up ? c->margin : NAN;
	l->measured = known(d->measured);
	l->simulated = known(d->simulated);
	l->over = l->simulated / l->cpi - 1;
	l->from = c->plateau.reached ? c->plateau.at : NAN;
	l->to = c->plateau.until;
	l->transient = c->plateau.cpi;
	l->order = order_of(d);
	name_set(l->limiting, m, c->limiting);
	name_set(l->first_full, m, c->first_full);
	l->verdict = say_verdict(d);
	l->filling = say_filling(d);
	take_notes(l, &d->mix);
}

/* ---- of one or two ------------------------------------------------------------------------- */

static void make_queue(struct cpi0_bound_of *out, const struct machine *m, const struct cpi0 *c,
		       int at)
{
	const struct machine_queue *of = &m->queues[at];
	const struct cpi0_queue *q = &c->queues[at];

	*out = (struct cpi0_bound_of){
	    .count = q->count,
	    .p = q->p,
	    .lambda = q->count ? 1 / q->p : NAN,
	    .rate = cpi0_real(q->rate),
	    .growth = q->growth,
	    .bound = cpi0_real(c->bounds[at]),
	    .used = q->utilisation,
	    .full_at = isfinite(q->fills_at) ? q->fills_at : NAN,
	    .more = q->more,
	    .one_more = q->more_unit == CPI0_NOTHING ? NULL : of->units[q->more_unit].name,
	};
	for (int u = 0; u < of->unit_count; u++)
		out->units[u] = q->units >> u & 1 ? of->units[u].name : NULL;
}

/* No queue, but a bound. */
static void make_bound(struct cpi0_bound_of *out, const struct machine *m, const struct cpi0 *c,
		       int limit)
{
	bool dispatch = limit == CPI0_DISPATCH;
	double bound = cpi0_real(c->bounds[limit]);

	*out = (struct cpi0_bound_of){
	    .count = UINT64_MAX,
	    .p = NAN,
	    .lambda = NAN,
	    .rate = dispatch ? (double)m->dispatch.num / (double)m->dispatch.den : NAN,
	    .growth = NAN,
	    .bound = bound,
	    .used = bound / cpi0_real(c->cpi),
	    .full_at = NAN,
	    .more = dispatch ? c->dispatch_more : NAN,
	};
}

static void make_bounds(struct cpi0_report *r, const struct cpi0_run *runs, size_t sides)
{
	for (int row = 0; row < r->m->queue_count + 2; row++) {
		bool queue = row < r->m->queue_count;
		int limit = queue ? row : CPI0_DISPATCH + row - r->m->queue_count;
		struct cpi0_bound_line *l = &r->bounds[row];

		l->limit = limit;
		l->limits = "";
		l->name = limit == CPI0_LATENCY ? "latency/K" : cpi0_limit_name(r->m, limit);
		for (size_t i = 0; i < sides; i++) {
			const struct cpi0 *c = &runs[i].d->c;

			(queue ? make_queue : make_bound)(&l->of[i], r->m, c, limit);
			l->limits = c->limiting >> limit & 1 ? "<-" : l->limits;
		}
	}
}

static void make_parts(struct cpi0_report *r, const struct cpi0_run *runs, size_t sides)
{
	static const char *const letters[CPI0_PARTS] = {"d", "q", "o", "e"};

	for (size_t i = 0; i < sides; i++) {
		const struct cpi0_diagnosis *d = runs[i].d;
		double parts[CPI0_PARTS];

		cpi0_split(parts, d);
		if (!runs[i].trace && d->measured >= 0) /* with what the order adds */
			parts[CPI0_PART_REST] = d->measured - cpi0_real(d->c.cpi);
		for (int k = 0; k < CPI0_PARTS; k++) {
			struct cpi0_part_line *l = &r->parts[k];
			const char *why =
			    (runs[i].trace ? cpi0_part_negatives : cpi0_part_counted)[k];

			l->letter = letters[k];
			l->name = cpi0_part_names[k];
			l->help = cpi0_part_helps[k];
			l->of[i].cycles = parts[k];
			l->of[i].share = d->measured > 0 ? parts[k] / d->measured : NAN;
			if (parts[k] < 0 && *why)
				r->negative = why;
		}
	}
}

static struct cpi0_flag_of flag_value(const struct cpi0_flag *f)
{
	return (struct cpi0_flag_of){cpi0_verdicts[f->verdict], f->verdict ? f->value : NAN,
				     f->verdict};
}

/* Of those that apply to a run: what is said of the last such one. */
static void make_flags(struct cpi0_report *r, const struct cpi0_run *runs, size_t sides)
{
	for (int check = 0; check < CPI0_CHECKS; check++) {
		struct cpi0_flag_line *l = &r->flags[r->flag_count];
		bool applies = false;

		*l = (struct cpi0_flag_line){.check = cpi0_check_keys[check],
					     .follows = cpi0_check_follows[check]};
		for (size_t i = 0; i < sides; i++) {
			const struct cpi0_flag *f = &runs[i].d->flags[check];

			l->of[i] = flag_value(f);
			l->text = f->verdict ? f->text : l->text;
			applies |= f->verdict != CPI0_NONE;
		}
		r->flag_count += applies;
	}
}

static void make_doubts(struct cpi0_report *r, const struct cpi0_run *runs)
{
	for (int check = 0; check < CPI0_CHECKS; check++)
		for (size_t i = 0; i < r->count; i++) {
			const struct cpi0_flag *f = &runs[i].d->flags[check];

			if (f->verdict == CPI0_DOUBTFUL || f->verdict == CPI0_VIOLATED)
				vec_push(&r->doubts, ((struct cpi0_flag_line){
							 .check = cpi0_check_keys[check],
							 .text = f->text,
							 .run = i + 1,
							 .of = {flag_value(f)}}));
		}
}

void cpi0_report_make(struct cpi0_report *r, const struct machine *m, const struct cpi0_run *runs,
		      size_t count)
{
	size_t sides = count < CPI0_SIDES ? count : CPI0_SIDES;

	*r = (struct cpi0_report){.m = m,
				  .count = count,
				  .machine = m->name,
				  .in_flight = m->in_flight,
				  .queued = m->queued};
	r->mu = (double)m->dispatch.num / (double)m->dispatch.den;
	r->runs = xcalloc(count, sizeof(*r->runs));
	for (size_t i = 0; i < count; i++) {
		make_run(&r->runs[i], &runs[i]);
		r->runs[i].number = i + 1;
		r->noted += r->runs[i].notes[0] != NULL;
	}
	make_bounds(r, runs, sides);
	make_parts(r, runs, sides);
	make_flags(r, runs, sides);
	make_doubts(r, runs);
}

void cpi0_report_free(struct cpi0_report *r)
{
	for (size_t i = 0; i < r->count; i++) {
		free(r->runs[i].verdict);
		free(r->runs[i].filling);
		for (int k = 0; k < CPI0_NOTES; k++)
			free(r->runs[i].notes[k]);
	}
	free(r->runs);
	vec_free(&r->doubts);
}

/* ---- rows and how many there are ----------------------------------------------------------- */

/* The row-th run that has notes. */
static const struct cpi0_run_line *noted_run(const struct cpi0_report *r, size_t row)
{
	const struct cpi0_run_line *l = r->runs;

	while (!l->notes[0] || row--)
		l++;
	return l;
}

/* of, what it is of the report r in that row */
#define ROWS(_)                                                                                    \
	_(run, &r->runs[row])                                                                      \
	_(noted, noted_run(r, row))                                                                \
	_(bound, &r->bounds[row])                                                                  \
	_(part, &r->parts[row])                                                                    \
	_(flag, &r->flags[row])                                                                    \
	_(doubt, &r->doubts.data[row])

#define ROW_OF(name, expression)                                                                   \
	static const void *name##_of(const void *result, size_t row)                               \
	{                                                                                          \
		const struct cpi0_report *r = result;                                              \
		(void)row;                                                                         \
		return expression;                                                                 \
	}
ROWS(ROW_OF)
#undef ROW_OF

/* how many, of the report r */
#define COUNTS(_)                                                                                  \
	_(runs, r->count)                                                                          \
	_(noted, r->noted)                                                                         \
	_(plateaus, !isnan(r->runs[0].from))                                                       \
	_(queues, (size_t)r->m->queue_count)                                                       \
	_(bounds, (size_t)r->m->queue_count + 2)                                                   \
	_(parts, CPI0_PARTS)                                                                       \
	_(flags, r->flag_count)                                                                    \
	_(doubts, r->doubts.count)                                                                 \
	_(limits, CPI0_LIMITS)                                                                     \
	_(single, r->count == 1)                                                                   \
	_(units, MACHINE_UNITS)                                                                    \
	_(notes, CPI0_NOTES)

#define COUNT_OF(name, expression)                                                                 \
	static size_t count_##name(const void *result)                                             \
	{                                                                                          \
		const struct cpi0_report *r = result;                                              \
		(void)r;                                                                           \
		return expression;                                                                 \
	}
COUNTS(COUNT_OF)
#undef COUNT_OF

static const char *run_letter(const void *result, size_t part)
{
	static const char *const letters[CPI0_SIDES] = {"A", "B"};

	(void)result;
	return letters[part];
}

static const char *queue_name(const void *result, size_t part)
{
	return ((const struct cpi0_report *)result)->m->queues[part].name;
}

/* Of dispatch: what the width allows. */
static struct value dispatch_mark(const void *result, size_t part)
{
	const struct cpi0_report *r = result;

	return value_real(r->runs[part].dispatch);
}

/* ---- fields -------------------------------------------------------------------------------- */

#define REPORT(type, key, member) FIELD(type, key, NULL, struct cpi0_report, member)
#define RUN(type, key, member)    FIELD(type, key, run_of, struct cpi0_run_line, member)
#define NAMES(key, member, count)                                                                  \
	RUN(TEXT, key, member), .parts = count_##count, .shape = FIELD_LIST
#define SIDES(type, key, of_, line, member)                                                        \
	FIELD(type, key, of_, struct cpi0_##line##_line, of[0].member),                            \
	    .parts = count_runs, .part = run_letter, .shape = FIELD_RUNS,                          \
	    .stride = sizeof(struct cpi0_##line##_of)
#define BOUND(type, key, member) SIDES(type, key, bound_of, bound, member)
#define PART(type, key, member)  SIDES(type, key, part_of, part, member)
#define FLAG(type, key, member)  SIDES(type, key, flag_of, flag, member)

static const struct field head_fields[] = {
    {REPORT(TEXT, "machine", machine)},
    {RUN(TEXT, "input", input)},
    {RUN(TEXT, "isa", isa_key), .hidden = true},
    {RUN(TEXT, "isa", isa_name), .derived = true},
    {RUN(COUNT, "instructions", instructions)},
    {RUN(COUNT, "unknown_class", unknown), .hidden = true},
    {NAMES("notes", notes, notes)},
    {REPORT(REAL, "mu", mu), .heading = "dispatched a cycle"},
    {REPORT(TICKS, "in_flight", in_flight), .heading = "in flight"},
    {REPORT(BOOL, "queued", queued), .heading = "in queues", .derived = true},
    {RUN(REAL, "cpi0", cpi), .heading = "CPI0", .decimals = 4},
    {RUN(TEXT, "verdict", verdict), .heading = "why", .derived = true},
    {RUN(TEXT, "filling", filling), .heading = "filling", .derived = true},
    {RUN(REAL, "dispatch_bound", dispatch), .hidden = true},
    {RUN(REAL, "latency_bound", latency), .hidden = true},
    {NAMES("limiting", limiting, limits), .hidden = true},
    {RUN(TEXT, "runner_up", runner_up), .hidden = true},
    {RUN(REAL, "margin", margin), .hidden = true},
    {NAMES("first_full", first_full, limits), .hidden = true},
    {RUN(REAL, "simulated_cpi", simulated), .heading = "simulated CPI", .decimals = 4},
    {RUN(REAL, "over", over), .heading = "above CPI0", .decimals = 1, .percent = true, .sign = true,
     .derived = true},
    {RUN(TEXT, "order", order), .heading = "simulated order", .derived = true},
    {RUN(REAL, "measured_cpi", measured), .heading = "measured CPI", .decimals = 4},
    {0},
};

static const struct field plateau_fields[] = {
    {RUN(REAL, "from", from)},
    {RUN(REAL, "to", to)},
    {RUN(REAL, "cpi", transient)},
    {0},
};

#define BOUND_NAME FIELD(TEXT, "name", bound_of, struct cpi0_bound_line, name)
static const struct field queue_fields[] = {
    {BOUND_NAME},
    {BOUND(COUNT, "count", count)},
    {BOUND(REAL, "p", p)},
    {BOUND(REAL, "lambda", lambda)},
    {BOUND(REAL, "rate", rate)},
    {BOUND(REAL, "growth", growth)},
    {BOUND(REAL, "bound", bound)},
    {BOUND(REAL, "utilisation", used)},
    {BOUND(REAL, "fills_at", full_at)},
    {BOUND(REAL, "cpi0_with_one_more", more)},
    {BOUND(TEXT, "one_more", one_more)},
    {FIELD(TEXT, "units", bound_of, struct cpi0_bound_line, of[0].units), .parts = count_units,
     .shape = FIELD_LIST},
    {0},
};

/* Of two runs side by side what there is no room for is left out. */
#define OF_ONE(key, member)                                                                        \
	FIELD(REAL, key, bound_of, struct cpi0_bound_line, of[0].member),                          \
	    .parts = count_single, .shape = FIELD_RUNS, .minor = field_is_minor
static const struct field bound_fields[] = {
    {FIELD(TEXT, "limits", bound_of, struct cpi0_bound_line, limits), .heading = ""},
    {BOUND_NAME, .heading = "queue"},
    {BOUND(REAL, "p", p), .decimals = 4},
    {OF_ONE("lambda", lambda), .decimals = 3},
    {OF_ONE("A", rate), .decimals = 3},
    {BOUND(REAL, "growth", growth), .decimals = 3, .sign = true, .bar = true},
    {BOUND(REAL, "p/A", bound), .decimals = 4, .bar = true, .mark = dispatch_mark},
    {BOUND(REAL, "used", used), .percent = true, .minor = field_is_minor},
    {OF_ONE("full at", full_at), .decimals = 1},
    {OF_ONE("A+1", more), .decimals = 4},
    {0},
};

static const struct field part_fields[] = {
    {FIELD(TEXT, "letter", part_of, struct cpi0_part_line, letter), .heading = ""},
    {FIELD(TEXT, "part", part_of, struct cpi0_part_line, name)},
    {PART(REAL, "cycles", cycles), .decimals = 4},
    {PART(REAL, "share", share), .decimals = 1, .percent = true, .minor = field_is_minor},
    {FIELD(TEXT, "help", part_of, struct cpi0_part_line, help), .heading = "",
     .minor = field_is_minor},
    {0},
};

static const struct field flag_fields[] = {
    {FIELD(TEXT, "check", flag_of, struct cpi0_flag_line, check)},
    {FLAG(TEXT, "verdict", verdict)},
    {FLAG(REAL, "value", value), .decimals = 4, .minor = field_is_minor},
    {FIELD(TEXT, "text", flag_of, struct cpi0_flag_line, text), .heading = "",
     .minor = field_is_minor},
    {0},
};

static const struct field machine_fields[] = {
    {REPORT(TEXT, "machine", machine)},
    {REPORT(REAL, "mu", mu), .heading = "dispatched a cycle"},
    {REPORT(TICKS, "in_flight", in_flight), .heading = "in flight"},
    {REPORT(BOOL, "queued", queued), .heading = "in queues"},
    {0},
};

static const struct field run_fields[] = {
    {RUN(COUNT, "run", number), .heading = "#"},
    {RUN(TEXT, "name", name)},
    {NAMES("limit", limiting, limits)},
    {RUN(REAL, "growth", growth), .parts = count_queues, .part = queue_name, .decimals = 3,
     .sign = true},
    {RUN(REAL, "CPI0", cpi), .decimals = 4},
    {RUN(REAL, "simulated", simulated), .decimals = 4},
    {RUN(REAL, "measured", measured), .decimals = 4},
    {0},
};

static const struct field note_fields[] = {
    {FIELD(COUNT, "run", noted_of, struct cpi0_run_line, number)},
    {FIELD(TEXT, "notes", noted_of, struct cpi0_run_line, notes), .parts = count_notes,
     .shape = FIELD_LIST},
    {0},
};

#define DOUBT(type, key, member) FIELD(type, key, doubt_of, struct cpi0_flag_line, member)
static const struct field doubt_fields[] = {
    {DOUBT(TEXT, "check", check)},
    {DOUBT(TEXT, "verdict", of[0].verdict)},
    {DOUBT(REAL, "value", of[0].value), .decimals = 4},
    {DOUBT(COUNT, "run", run)},
    {DOUBT(TEXT, "text", text), .heading = ""},
    {0},
};

/* ---- sections ------------------------------------------------------------------------------ */

const struct section cpi0_sections[] = {
    [CPI0_HEAD] = {SECTION(FIELDS, "head", section_one_row, head_fields)},
    [CPI0_PLATEAU] = {SECTION(OBJECT, "plateau", count_plateaus, plateau_fields), .hidden = true},
    [CPI0_QUEUES] = {SECTION(LIST, "queues", count_queues, queue_fields), .hidden = true},
    [CPI0_BOUNDS] = {SECTION(LIST, "bounds", count_bounds, bound_fields),
			 .about = "The longest p/A is CPI0: no order of these instructions takes "
				  "fewer cycles. Widen what is marked <-.",
			 .derived = true},
    [CPI0_SPLIT] = {SECTION(LIST, "parts", count_parts, part_fields),
		    .title = "the measured CPI as a sum",
		    .about = "Work on the largest part. Where that is e, units do not help: look "
			     "at the stalls.",
		    .derived = true},
    [CPI0_FLAGS] = {SECTION(LIST, "flags", count_flags, flag_fields), .title = "assumptions",
		    .about = "CPI0 describes this trace as far as they hold."},
    {0},
};

const struct section cpi0_run_sections[] = {
    {SECTION(FIELDS, "machine", section_one_row, machine_fields)},
    {SECTION(LIST, "runs", count_runs, run_fields)},
    {SECTION(LIST, "notes", count_noted, note_fields)},
    {SECTION(LIST, "doubts", count_doubts, doubt_fields),
     .title = "assumptions that do not hold everywhere"},
    {0},
};
