#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "cmd/pipeline/reduce.h"

enum { COLUMNS_MOST = 6, DISTANCES_MOST = 24, GRID_COLUMNS = 12, GRID_ROWS = 40 };

static const char *number(uint64_t value, char buf[32])
{
	if (value == REDUCE_UNKNOWN)
		return "-";
	return num_group((int64_t)value, buf);
}

static double per(int64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static void put_header(const struct reduce_answer *a, const struct cmd_options *o, struct sbuf *out)
{
	const struct reduction *r = &a->reduction;
	char n[32];

	for (size_t i = 0; i < o->files.count; i++)
		sbuf_printf(out, "%s%s", i ? " + " : "", o->files.data[i]);
	sbuf_printf(out, ": %s%s%s\n", a->format, a->isa == ISA_UNKNOWN ? "" : ", ",
		    a->isa == ISA_UNKNOWN ? "" : isa_name(a->isa));
	sbuf_printf(out, "instructions %s", number(r->instructions, n));
	sbuf_printf(out, "   targets %s (p_b %.4f)", number(r->targets, n),
		    per((int64_t)r->targets, r->instructions));
	sbuf_printf(out, "   self-resolving %s\n", number(r->self_resolving, n));
}

/* Table I: what each reduction took out, and the chains it left. */
static void put_stages(const struct reduction *r, struct sbuf *out)
{
	char n[32];

	sbuf_printf(out, "\n%-8s %12s %12s %12s %12s %12s\n", "", "arcs", "removed", "chains",
		    "of one arc", "longest");
	for (int i = 0; i < REDUCE_STAGES; i++) {
		const struct reduce_tally *t = &r->chains[i];
		uint64_t removed = REDUCE_UNKNOWN;

		if (i && r->arcs[i] != REDUCE_UNKNOWN && r->arcs[i - 1] != REDUCE_UNKNOWN)
			removed = r->arcs[i - 1] - r->arcs[i];
		sbuf_printf(out, "%-8s %12s", reduce_stage_keys[i], number(r->arcs[i], n));
		sbuf_printf(out, " %12s", i ? number(removed, n) : "");
		if (i && t->entries.count) {
			const struct tally_entry *first = &t->entries.data[0];

			sbuf_printf(out, " %12s", number(tally_total(t, NULL), n));
			sbuf_printf(out, " %12s", number(first->key == 1 ? first->count : 0, n));
			sbuf_printf(out, " %12s", number(vec_last(&t->entries).key, n));
		}
		sbuf_putc(out, '\n');
	}
}

/* ---- Table II ---------------------------------------------------------------------------- */

struct line {
	uint64_t count[COLUMNS_MOST], all;
};

static void put_line(struct sbuf *out, const char *label, const struct line *l)
{
	char n[32];

	sbuf_printf(out, "%-8s", label);
	for (int j = 0; j < COLUMNS_MOST; j++)
		sbuf_printf(out, " %9s", l->count[j] ? number(l->count[j], n) : "");
	sbuf_printf(out, " %11s\n", number(l->all, n));
}

static void add_to_line(struct line *l, const struct shape_count *c)
{
	l->count[c->shape.branches < COLUMNS_MOST ? c->shape.branches : COLUMNS_MOST - 1] +=
	    c->count;
	l->all += c->count;
}

static enum status put_histogram(const struct reduction *r, struct sbuf *out, struct error *e)
{
	struct line lines[DISTANCES_MOST + 1] = {0}, sum = {0};
	struct shape_list list;
	char label[24], n[32];

	if (!reduction_shapes(r, &list))
		return error_set(e, STATUS_NOMEM, "out of memory");
	for (size_t i = 0; i < list.items.count; i++) {
		const struct shape_count *c = &list.items.data[i];

		add_to_line(&lines[c->shape.distance < DISTANCES_MOST ? c->shape.distance
								      : DISTANCES_MOST],
			    c);
		add_to_line(&sum, c);
	}
	vec_free(&list.items);
	sbuf_puts(out, "\narcs left, by distance (down) and branch targets spanned (across)\n");
	sbuf_printf(out, "%-8s %9s %9s %9s %9s %9s %9s %11s\n", "distance", "0", "1", "2", "3", "4",
		    "5 or more", "all");
	for (size_t d = 1; d <= DISTANCES_MOST; d++) {
		snprintf(label, sizeof(label), d < DISTANCES_MOST ? "%zu" : "%zu up", d);
		if (lines[d].all)
			put_line(out, label, &lines[d]);
	}
	put_line(out, "all", &sum);
	if (r->stacks.list.count)
		sbuf_printf(out, "of them oldest arcs of stacks, whose further arcs are counted "
				 "apart: %s different\n",
			    number(r->stacks.list.count, n));
	return STATUS_OK;
}

/* ---- the pipelines ----------------------------------------------------------------------- */

static void put_grid(const struct reduce_answer *a, struct sbuf *out)
{
	size_t across = 1;

	while (across < a->point_count && a->points[across].execute == a->points[0].execute)
		across++;
	sbuf_puts(out, "\ncycles an instruction, by N_E (down) and N_S (across)\n      ");
	for (size_t k = 0; k < across && k < GRID_COLUMNS; k++)
		sbuf_printf(out, " %5" PRId64, a->points[k].setup);
	for (size_t i = 0; i < a->point_count && i / across < GRID_ROWS; i += across) {
		sbuf_printf(out, "\n%5" PRId64 " ", a->points[i].execute);
		for (size_t k = 0; k < across && k < GRID_COLUMNS; k++)
			sbuf_printf(out, " %5.2f",
				    per(a->cycles[i + k].cycles, a->reduction.instructions));
	}
	if (across > GRID_COLUMNS || a->point_count / across > GRID_ROWS)
		sbuf_puts(out, "\n(--json has all of them)");
	sbuf_putc(out, '\n');
}

static size_t agreeing(const struct reduce_answer *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->point_count; i++)
		n += a->simulated[i] == a->cycles[i].cycles;
	return n;
}

static void put_split(const struct reduce_answer *a, struct sbuf *out)
{
	const struct reduce_cycles *c = &a->cycles[a->point_count - 1];
	char n[32];

	sbuf_printf(out, "\nN_E %" PRId64 ", N_S %" PRId64 ": %s cycles\n", c->at.execute,
		    c->at.setup, number((uint64_t)c->cycles, n));
#define PUT_PART(part, help)                                                                       \
	sbuf_printf(out, "  %-14s %14s  %4.1f %%  %s\n", #part, number((uint64_t)c->part, n),       \
		    100 * per(c->part, (uint64_t)c->cycles), help);
	REDUCE_CYCLES_INFO(PUT_PART)
#undef PUT_PART
	if (c->naive >= 0)
		sbuf_printf(out, "  %-14s %14s  %.2f times as many: all arcs, none overlapping\n",
			    "naive", number((uint64_t)c->naive, n),
			    per(c->naive, (uint64_t)c->cycles));
	if (a->simulated)
		sbuf_printf(out, "  simulated, %zu of %zu pipelines: the same to the cycle%s\n",
			    agreeing(a), a->point_count,
			    agreeing(a) == a->point_count ? "" : " - PLEASE REPORT THE OTHERS");
}

static void put_dearest(const struct reduce_answer *a, struct output *out)
{
	char n[32];

	if (!a->dearest.count)
		return;
	sbuf_printf(&out->text,
		    "\nthe dearest dependencies there; saved: when it alone is taken out\n"
		    "%12s %10s %12s  %s\n",
		    "cycles", "arcs", "saved", "from -> to");
	for (size_t i = 0; i < a->dearest.count; i++) {
		const struct dearest *d = &a->dearest.data[i];

		sbuf_printf(&out->text, "%12s", number((uint64_t)d->charge.cycles, n));
		sbuf_printf(&out->text, " %10s", number(d->charge.count, n));
		sbuf_printf(&out->text, " %12s  ", d->saved < 0 ? "" : number((uint64_t)d->saved, n));
		sbuf_printf(&out->text, "%" PRIx64 " %s -> ", d->from_pc,
			    d->from_text ? d->from_text : "");
		sbuf_printf(&out->text, "%" PRIx64 " %s\n", d->pc, d->text ? d->text : "");
	}
}

/* Section VI, corrected: the cycles when each class of instructions takes its own time. */
static void put_times(const struct reduce_answer *a, struct sbuf *out)
{
	char n[32];

	if (!a->slack.instructions)
		return;
	sbuf_printf(out, "\nwith --times: of %s arc%s", number(a->slack.arcs, n),
		    a->slack.arcs == 1 ? "" : "s");
	sbuf_printf(out, " %s outlast their distance,", number(a->slack.positive, n));
	sbuf_printf(out, " %s can cost cycles\n%8s %14s %12s\n", number(a->slack.kept, n), "N_S",
		    "cycles", "an instr.");
	for (size_t i = 0; i < a->setup_count; i++)
		sbuf_printf(out, "%8" PRId64 " %14s %12.4f%s\n", a->setups[i],
			    number((uint64_t)a->slack.kept_cycles[i], n),
			    per(a->slack.kept_cycles[i], a->slack.instructions),
			    a->slack.cycles[i] == a->slack.kept_cycles[i]
				? ""
				: "  SIMULATED DIFFERENTLY: PLEASE REPORT");
}

/* Why a number is an estimate stands beside it. */
static void put_grounds(const struct reduce_answer *a, struct sbuf *out)
{
	const struct {
		uint64_t count;
		const char *one, *many;
	} grounds[] = {
	    {a->counts.loads,
	     "load: the trace does not tell from where, so dependencies through memory are missing",
	     "loads: the trace does not tell from where, so dependencies through memory are "
	     "missing"},
	    {a->reduction.unread, "instruction with operands that could not be read",
	     "instructions with operands that could not be read"},
	    {a->counts.redirects, "instruction that went on elsewhere without being a branch",
	     "instructions that went on elsewhere without being branches"},
	    {a->counts.nameless, "row without address and text, left out",
	     "rows without address and text, left out"},
	    {a->counts.orphans, "micro-op without its instruction, left out",
	     "micro-ops without their instruction, left out"},
	    {a->bad_lines, "line that is no instruction, left out",
	     "lines that are no instructions, left out"},
	    {a->reduction.ahead, "dependency on a later instruction, left out",
	     "dependencies on later instructions, left out"},
	};
	char n[32];

	if (a->estimate)
		sbuf_puts(out, "\nan estimate:\n");
	for (size_t i = 0; i < sizeof(grounds) / sizeof(grounds[0]); i++)
		if (grounds[i].count && grounds[i].count != REDUCE_UNKNOWN)
			sbuf_printf(out, "  %s %s\n", number(grounds[i].count, n),
				    grounds[i].count == 1 ? grounds[i].one : grounds[i].many);
	if (a->links)
		sbuf_puts(out, "  dependencies are those that the trace links\n");
}

enum status reduce_text(const struct reduce_answer *a, const struct cmd_options *o,
			struct output *out, struct error *e)
{
	enum status status;

	put_header(a, o, &out->text);
	put_stages(&a->reduction, &out->text);
	status = put_histogram(&a->reduction, &out->text, e);
	if (status)
		return status;
	put_grid(a, &out->text);
	put_split(a, &out->text);
	put_dearest(a, out);
	put_times(a, &out->text);
	put_grounds(a, &out->text);
	return STATUS_OK;
}
