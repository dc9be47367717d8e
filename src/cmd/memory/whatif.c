/*
 * `record --pad` and `--move`: which objects of a first run are elsewhere in a second one, and what that
 * gained.
 *
 * The bound of the gain is what CPUs waited in the first run for false sharing of such an object and
 * something that stayed where it was. An object that has parts moves with them, and what they share
 * falsely with each other stays.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/memory/related.h"
#include "base/num.h"
#include "base/text.h"
#include "capture/capture.h"
#include "cmd/memory/memory.h"
#include "cmd/open.h"

enum { RUNS = 2 };

/* ---- the rules ---- */

/* A trace has `_` for blanks. */
static char as_in_trace(char c)
{
	return c && (unsigned char)c <= ' ' ? '_' : c;
}

static bool same_name(const char *object, const char *typed)
{
	for (; *object && as_in_trace(*object) == as_in_trace(*typed); object++)
		typed++;
	return *object == *typed;
}

/* Also by its last part: "ArrayC" of "Global.ArrayC". */
static bool is_called(const char *object, const char *typed)
{
	bool called = same_name(object, typed);

	for (; !called && *object; object++)
		called = strchr(".>:", *object) && same_name(object + 1, typed);
	return called;
}

static void put_rule(struct sbuf *out, const struct whatif *w, const struct capture_object *o)
{
	sbuf_printf(out, w->moves ? "move %" PRIx64 " " : "pad %" PRIu64 " ", w->number);
	if (o->how == CAPTURE_MADE)
		sbuf_printf(out, "pc %" PRIx64 "\n", o->address);
	else if (o->how == CAPTURE_FIXED)
		sbuf_printf(out, "at %" PRIx64 " %" PRIu64 " %s\n", o->address, o->size, o->name);
	else
		sbuf_printf(out, "name %s\n", o->name);
}

static enum status put_rules(struct sbuf *rules, const struct whatif *w, const struct capture *first,
			     struct error *e)
{
	const char *typed = sbuf_text(&w->name);
	const struct capture_object *objects;
	const size_t count = capture_objects(first, &objects);
	size_t called = 0;

	for (size_t i = 0; i < count; i++) {
		if (!is_called(objects[i].name, typed))
			continue;
		called++;
		put_rule(rules, w, &objects[i]);
	}
	if (!called)
		return error_set(e, STATUS_USAGE,
				 "no object is called %s; pipeglass sharing lists them%s", typed,
				 strchr(typed, '[') ? "; a name stands for all that have it" : "");
	if (w->moves && called > 1)
		return error_set(e, STATUS_USAGE,
				 "%s is made in %zu places of the program, and --move moves the "
				 "objects of one; name them by PGMEM_OBJECT, or use --pad",
				 typed, called);
	return STATUS_OK;
}

enum status whatif_put_rules(struct sbuf *rules, const struct cmd_options *o,
			     const struct capture *first, struct error *e)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; !status && i < o->whatif.count; i++)
		status = put_rules(rules, &o->whatif.data[i], first, e);
	if (!status && rules->len > RULES_MOST)
		status = error_set(e, STATUS_UNSUPPORTED,
				   "these objects are made in too many places of the program; name "
				   "some of them by PGMEM_OBJECT");
	return status;
}

/* ---- what it gained ---- */

struct side {
	struct trace *trace;
	struct memory_sums sums; /* by object */
};

static enum status open_side(struct side *s, const char *path, struct output *out, struct error *e)
{
	struct cmd_options o = {.config = "none", .store = {.as = "chiron"}};
	enum status status = vec_push(&o.files, path) ? open_trace(&s->trace, &o, out, e)
						      : error_set(e, STATUS_NOMEM, "out of memory");

	if (!status) {
		status = memory_sum_up(&s->sums, memory_lock(s->trace), MEMORY_BY_OBJECT, NULL, e);
		memory_unlock(s->trace);
	}
	vec_free(&o.files);
	return status;
}

/* The object that moves and takes this one with it, or is it; MEMORY_NONE: it stays. */
static uint32_t mover_of(const struct cmd_options *o, const struct trace *t,
			 const struct memory_index *x, uint32_t object)
{
	for (; object != MEMORY_NONE; object = x->objects[object].parent)
		for (size_t i = 0; i < o->whatif.count; i++)
			if (is_called(memory_class(t, x->objects[object].class),
				      sbuf_text(&o->whatif.data[i].name)))
				return object;
	return MEMORY_NONE;
}

struct bound {
	uint64_t cycles;   /* of false sharing of what moves and what stays */
	uint64_t follows;  /* upgrades of all that took part, and loads of what their L2 caches lost so */
	uint64_t inside;   /* of parts of one object that moves */
	const char *whole; /* such an object; lives as long as the trace */
};

/* Of objects that share falsely: they upgrade blocks for that. */
static void add_upgrades(struct bound *b, const struct memory_sums *sums, const bool *concerned)
{
	for (uint32_t i = 0; i < sums->count; i++)
		if (concerned[i])
			b->follows += memory_cause_cycles(&sums->of[i], MEMORY_UPGRADE);
}

static enum status find_bound(struct bound *b, const struct side *first, const struct cmd_options *o,
			      struct error *e)
{
	const struct memory_index *x = memory_lock(first->trace);
	bool *concerned = calloc((size_t)first->sums.count + 1, sizeof(*concerned));

	*b = (struct bound){0};
	for (uint32_t i = 0; concerned && i < x->culprit_count; i++) {
		const struct memory_culprit *c = &x->culprits[i];
		const uint32_t ends[] = {c->object, c->victim_object};
		const uint32_t movers[] = {mover_of(o, first->trace, x, ends[0]),
					   mover_of(o, first->trace, x, ends[1])};

		if (c->cause == MEMORY_TRUE ||
		    (movers[0] == MEMORY_NONE && movers[1] == MEMORY_NONE))
			continue;
		if (movers[0] == movers[1]) {
			b->inside += c->cycles;
			b->whole = memory_class(first->trace, x->objects[movers[0]].class);
			continue;
		}
		*(c->cause == MEMORY_FALSE ? &b->cycles : &b->follows) += c->cycles;
		for (int k = 0; k < 2; k++)
			if (ends[k] != MEMORY_NONE)
				concerned[ends[k]] = true;
	}
	memory_unlock(first->trace);
	if (concerned)
		add_upgrades(b, &first->sums, concerned);
	free(concerned);
	return concerned ? STATUS_OK : error_set(e, STATUS_NOMEM, "out of memory");
}

static void put_row(struct sbuf *out, const char *what, uint64_t first, uint64_t second)
{
	char numbers[RUNS][32];

	sbuf_printf(out, "%-28s %18s %18s", what, num_group((int64_t)first, numbers[0]),
		    num_group((int64_t)second, numbers[1]));
	if (first && second != first)
		sbuf_printf(out, "  %+.1f %%", 100 * ((double)second - (double)first) / (double)first);
	sbuf_putc(out, '\n');
}

static void put_amount(struct sbuf *out, const char *what, int width, uint64_t cycles)
{
	char number[32];

	sbuf_printf(out, "%-28s %*s\n", what, width, num_group((int64_t)cycles, number));
}

static void put_gain(struct sbuf *out, const struct side sides[RUNS], const struct bound *b)
{
	const uint64_t gain = sides[0].sums.all.cycles - sides[1].sums.all.cycles;

	put_amount(out, "measured gain, cycles waited", 37, gain);
	put_amount(out, "bound: false sharing", 18, b->cycles);
	put_amount(out, "bound: what follows from it", 18, b->follows);
	if (!b->inside)
		return;
	put_amount(out, "inside an object: it stays", 18, b->inside);
	text_sanitise(out, b->whole, strlen(b->whole));
	sbuf_puts(out, " moves as a whole: its elements and members stay adjacent;\n"
		       "to separate them, pad or align them in the source\n");
}

enum status whatif_compare(const struct cmd_options *o, const struct whatif_run runs[RUNS],
			   struct output *out, struct error *e)
{
	struct side sides[RUNS] = {{.trace = NULL}};
	enum status status = STATUS_OK;
	struct sbuf *to = &out->notes;
	struct bound bound;

	for (int i = 0; !status && i < RUNS; i++)
		status = open_side(&sides[i], runs[i].trace, out, e);
	if (!status)
		status = find_bound(&bound, &sides[0], o, e);
	if (!status) {
		const struct memory_sum *first = &sides[0].sums.all, *second = &sides[1].sums.all;

		sbuf_printf(to, "%-28s %18s %18s\n", "", "as it is",
			    o->whatif.data[0].moves ? "moved" : "padded");
		put_row(to, "cycles", (uint64_t)runs[0].cycles, (uint64_t)runs[1].cycles);
		put_row(to, "cycles waited, all CPUs", first->cycles, second->cycles);
		put_row(to, "of these for false sharing", memory_cause_cycles(first, MEMORY_FALSE),
			memory_cause_cycles(second, MEMORY_FALSE));
		put_gain(to, sides, &bound);
		output_note(out, NULL, "next: pipeglass compare %s %s", runs[0].trace, runs[1].trace);
	}
	for (int i = 0; i < RUNS; i++) {
		memory_sums_free(&sides[i].sums);
		trace_close(sides[i].trace);
	}
	return status;
}
