#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/pipeline/cpi0_words.h"
#include "base/num.h"
#include "cmd/pipeline/cpi0.h"
#include "view/abbreviate.h"

enum { NAME_COLUMNS = 12, TERM_BYTES = 80 };

/* "measured: 0.6354 " */
#define SPLIT_INDENT "                 "

static void put_number(struct sbuf *out, int decimals, double value)
{
	if (isfinite(value))
		sbuf_printf(out, "%9.*f", decimals, value);
	else
		sbuf_printf(out, "%9s", "-");
}

/* ---- one run ----------------------------------------------------------------------------- */

static void put_queue(const struct cpi0_answer *a, const struct cpi0 *c, int at, struct sbuf *out)
{
	const struct cpi0_queue *q = &c->queues[at];

	text_fit(out, a->machine.queues[at].name, strlen(a->machine.queues[at].name), NAME_COLUMNS,
		 true);
	sbuf_printf(out, " %7.4f", q->p);
	put_number(out, 3, q->count ? 1 / q->p : NAN);
	sbuf_printf(out, "%7.3f %+8.3f %7.4f %5.0f%%", cpi0_real(q->rate), q->growth,
		    cpi0_real(c->bounds[at]), 100 * q->utilisation);
	put_number(out, 1, q->fills_at);
	sbuf_printf(out, " %7.4f", q->more);
	sbuf_puts(out, c->limiting >> at & 1 ? " <-\n" : "\n");
}

static void put_queues(const struct cpi0_answer *a, const struct cpi0 *c, struct sbuf *out)
{
	const struct fraction *mu = &a->machine.dispatch;

	sbuf_printf(out, "\n%-*s %7s%9s%7s %8s %7s %6s%9s %7s\n", NAME_COLUMNS, "queue", "p",
		    "lambda", "A", "growth", "p/A", "used", "full at", "A+1");
	for (int q = 0; q < a->machine.queue_count; q++)
		put_queue(a, c, q, out);
	sbuf_printf(out, "%-*s %7s%9s%7.3f %8s %7.4f %5.0f%%%9s %7.4f%s\n", NAME_COLUMNS,
		    "dispatch", "", "", (double)mu->num / (double)mu->den, "",
		    cpi0_real(c->bounds[CPI0_DISPATCH]), 100 * c->dispatch_utilisation, "",
		    c->dispatch_more, c->limiting >> CPI0_DISPATCH & 1 ? " <-" : "");
	sbuf_printf(out, "%-*s %7s%9s%7s %8s %7.4f%s\n", NAME_COLUMNS, "latency/K", "", "", "", "",
		    cpi0_real(c->bounds[CPI0_LATENCY]),
		    c->limiting >> CPI0_LATENCY & 1 ? " <-" : "");
}

/* On a line of its own. */
static void put_more(const struct machine *m, const struct cpi0 *c, struct sbuf *out)
{
	struct sbuf words = {0};

	cpi0_say_more(m, c, &words);
	if (words.len)
		sbuf_printf(out, "\n%s", sbuf_text(&words));
	sbuf_free(&words);
}

static size_t line_width(const struct sbuf *out)
{
	const char *text = sbuf_text(out), *start = text + out->len;

	while (start > text && start[-1] != '\n')
		start--;
	return (size_t)(text + out->len - start);
}

/* Words behind `between` in the last line, or, where it has no room, behind `indent` in the next. */
static void put_on(struct sbuf *out, const char *between, const char *indent, const char *words)
{
	bool fits = line_width(out) + strlen(between) + strlen(words) <= OUTPUT_COLUMNS;

	sbuf_printf(out, "%s%s%s", fits ? between : "\n", fits ? "" : indent, words);
}

static void put_verdict(const struct cpi0_answer *a, const struct cpi0 *c, struct sbuf *out)
{
	const struct machine *m = &a->machine;
	struct sbuf next = {0};

	sbuf_printf(out, "\nat least %.4f cycles an instruction, ", cpi0_real(c->cpi));
	cpi0_say_limiting(m, c, out);
	sbuf_puts(out, ":\n");
	cpi0_say_why(m, c, out);
	cpi0_say_next(m, c, &next);
	if (next.len)
		put_on(out, "; ", "", sbuf_text(&next));
	sbuf_free(&next);
	put_more(m, c, out);
	sbuf_putc(out, '\n');
	if (c->first_full) {
		int first = __builtin_ctz(c->first_full);

		sbuf_puts(out, "first to fill: ");
		cpi0_say_limits(m, c->first_full, out);
		sbuf_printf(out, ", in cycle %.0f%s\n", ceil(c->queues[first].fills_at),
			    c->first_full & ~c->limiting ? " (which does not decide)" : "");
	}
	if (c->plateau.reached)
		sbuf_printf(
		    out, "transient: %d in flight in cycle %.0f, then %.4f until cycle %.0f\n",
		    m->in_flight, ceil(c->plateau.at), c->plateau.cpi, ceil(c->plateau.until));
}

/* "measured: 0.6354 = 0.2500 dispatch + 0.1690 queue + 0.2164 order and everything else" */
static void put_split(const struct cpi0_run *run, struct sbuf *out)
{
	const char *const *negatives = run->trace ? cpi0_part_negatives : cpi0_part_counted;
	double parts[CPI0_PARTS], sum = 0;
	bool rest; /* told with the order */
	char term[TERM_BYTES];

	cpi0_split(parts, &run->d);
	rest = isnan(parts[CPI0_PART_REST]);
	sbuf_printf(out, "measured: %.4f", run->d.measured);
	for (int i = 0; i < CPI0_PARTS; i++) {
		if (isnan(parts[i]))
			continue;
		snprintf(term, sizeof(term), "%c %.4f %s", !i ? '=' : parts[i] < 0 ? '-' : '+',
			 fabs(parts[i]), cpi0_part_names[i]);
		put_on(out, " ", SPLIT_INDENT, term);
		sum += parts[i];
	}
	if (rest) {
		snprintf(term, sizeof(term), "%c %.4f %s and %s", run->d.measured < sum ? '-' : '+',
			 fabs(run->d.measured - sum), cpi0_part_names[CPI0_PART_ORDER],
			 cpi0_part_names[CPI0_PART_REST]);
		put_on(out, " ", SPLIT_INDENT, term);
	}
	sbuf_putc(out, '\n');
	for (int i = 0; i < CPI0_PARTS; i++)
		if (parts[i] < 0 && *negatives[i])
			sbuf_printf(out, "%s negative: %s\n", cpi0_part_names[i], negatives[i]);
	if (rest && run->d.measured < sum)
		sbuf_printf(out, "negative: %s\n", negatives[CPI0_PART_REST]);
}

static void put_seen(const struct cpi0_run *run, struct sbuf *out)
{
	if (run->d.simulated >= 0) {
		sbuf_printf(out, "the same machine simulated, in %s order: %.4f (%+.1f %%)",
			    run->d.own_order ? "their own" : "the most uniform", run->d.simulated,
			    100 * (run->d.simulated / cpi0_real(run->d.c.cpi) - 1));
		if (cpi0_mostly_filling(&run->d))
			put_on(out, ", ", "  ", "which includes filling the machine");
		sbuf_putc(out, '\n');
	}
	if (run->d.measured >= 0)
		put_split(run, out);
}

void cpi0_text_flag(const struct cpi0_flag *f, struct sbuf *out)
{
	sbuf_printf(out, "%-13s %-9s ", cpi0_check_keys[f->check], cpi0_verdicts[f->verdict]);
	if (f->verdict == CPI0_NOT_KNOWN)
		sbuf_printf(out, "%7s  ", "-");
	else
		sbuf_printf(out, "%7.4f  ", f->value);
}

static void put_flags(const struct cpi0_run *run, struct sbuf *out)
{
	sbuf_puts(out, "\nassumptions\n");
	for (size_t i = 0; i < run->d.flag_count; i++) {
		cpi0_text_flag(&run->d.flags[i], out);
		sbuf_printf(out, "%s\n", run->d.flags[i].text);
	}
}

static void put_unknown(const struct cpi0_run *run, struct sbuf *out)
{
	struct sbuf line = {0};

	for (int i = 0; cpi0_say_unknown(&run->d.mix, i, &line); i++) {
		if (line.len)
			sbuf_printf(out, "%s\n", sbuf_text(&line));
		sbuf_clear(&line);
	}
	sbuf_free(&line);
}

static void put_run(const struct cpi0_answer *a, const struct cpi0_run *run, struct output *out)
{
	char n[32];

	cpi0_say_machine(&a->machine, &out->text);
	sbuf_putc(&out->text, '\n');
	text_fit(&out->text, run->input, strlen(run->input), OUTPUT_COLUMNS - 32, false);
	sbuf_printf(&out->text, ": %s instruction%s", num_group((int64_t)run->d.c.instructions, n),
		    run->d.c.instructions == 1 ? "" : "s");
	if (run->trace && run->isa != ISA_UNKNOWN)
		sbuf_printf(&out->text, ", %s", isa_name(run->isa));
	sbuf_putc(&out->text, '\n');
	put_unknown(run, &out->text);
	put_queues(a, &run->d.c, &out->text);
	put_verdict(a, &run->d.c, &out->text);
	put_seen(run, &out->text);
	put_flags(run, &out->text);
}

void cpi0_text(const struct cpi0_answer *a, struct output *out)
{
	if (a->count == 1)
		put_run(a, &a->runs[0], out);
	else
		cpi0_table(a, out);
}
