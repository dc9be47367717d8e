#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analysis/memory/related.h"
#include "base/num.h"
#include "base/text.h"
#include "capture/recording.h"
#include "cmd/memory/whatif.h"
#include "cmd/open.h"
#include "memory/memory.h"

enum { RUNS = 2, NEAR_MOST = 6 };

/* ---- the rules ---- */

/* A trace has `_` for blanks. */
static bool same_name(const char *object, const char *typed)
{
	for (; *object && *typed; object++, typed++)
		if (*object != *typed && !(*typed == '_' && (unsigned char)*object <= ' '))
			return false;
	return *object == *typed;
}

/* "ArrayC" of "Global.ArrayC". */
static bool is_last_part(const char *object, const char *typed)
{
	for (; *object; object++)
		if (strchr(".>:", *object) && same_name(object + 1, typed))
			return true;
	return false;
}

/* The name that was typed, else the one that ends with it; NULL: there is none, or several. */
static const char *find_name(const struct capture_object *objects, size_t count, const char *typed)
{
	const char *found = NULL;
	bool several = false;

	for (size_t i = 0; i < count; i++) {
		if (same_name(objects[i].name, typed))
			return typed;
		if (!is_last_part(objects[i].name, typed))
			continue;
		several |= found && strcmp(found, objects[i].name) != 0;
		found = objects[i].name;
	}
	return several ? NULL : found;
}

static void put_rule(struct sbuf *out, const struct whatif *w, const struct capture_object *o)
{
	sbuf_printf(out, w->moves ? "move %" PRIx64 " " : "pad %" PRIu64 " ", w->number);
	if (o->how == CAPTURE_MADE)
		sbuf_printf(out, "pc %" PRIx64 "\n", o->address);
	else if (o->how == CAPTURE_FIXED)
		sbuf_printf(out, "at %" PRIx64 " %" PRIu64 "\n", o->address, o->size);
	else
		sbuf_printf(out, "name %s\n", o->name);
}

/* Names that begin with the letter that `typed` begins with, or contain it, whatever their case; each once. */
static void put_near(struct sbuf *out, const struct capture_object *objects, size_t count,
		     const char *typed)
{
	const char *last = "";

	for (size_t i = 0, listed = 0; i < count && listed < NEAR_MOST; i++) {
		const char *name = objects[i].name;

		if ((strncasecmp(name, typed, 1) && !strcasestr(name, typed)) || !strcmp(last, name))
			continue;
		last = name;
		sbuf_puts(out, listed++ ? ", " : "");
		text_sanitise(out, name, strlen(name));
	}
}

static enum status unknown(const struct capture_object *objects, size_t count, const char *typed,
			   struct error *e)
{
	struct sbuf near = {0};

	put_near(&near, objects, count, typed);
	if (!near.len)
		put_near(&near, objects, count, "");
	error_set(e, STATUS_USAGE, "no object is called %s; there are: %s%s", typed,
		  near.len ? sbuf_text(&near) : "none",
		  strchr(typed, '[') ? "; a name stands for all objects that have it" : "");
	sbuf_free(&near);
	return STATUS_USAGE;
}

static enum status add_rules(struct whatif_rules *rules, const struct whatif *w,
			     const struct capture_object *objects, size_t count, struct error *e)
{
	const char *const name = find_name(objects, count, sbuf_text(&w->name));
	const size_t before = rules->objects.count;

	if (!name)
		return unknown(objects, count, sbuf_text(&w->name), e);
	for (size_t i = 0; i < count; i++) {
		if (!same_name(objects[i].name, name))
			continue;
		put_rule(&rules->text, w, &objects[i]);
		if (!vec_push(&rules->objects, objects[i]))
			return error_set(e, STATUS_NOMEM, "out of memory");
	}
	if (w->moves && rules->objects.count > before + 1)
		return error_set(e, STATUS_USAGE,
				 "%s is made in %zu places of the program, and --move moves the "
				 "objects of one; name them by PGMEM_OBJECT, or use --pad",
				 sbuf_text(&w->name), rules->objects.count - before);
	return rules->text.len <= RULES_MOST
		   ? STATUS_OK
		   : error_set(e, STATUS_UNSUPPORTED,
			       "%s is made in too many places of the program; name objects by "
			       "PGMEM_OBJECT",
			       sbuf_text(&w->name));
}

enum status whatif_rules_make(struct whatif_rules *rules, const struct cmd_options *o,
			      const struct capture *first, struct error *e)
{
	const struct capture_object *objects;
	const size_t count = capture_objects(first, &objects);
	enum status status = STATUS_OK;

	*rules = (struct whatif_rules){.moves = o->whatif.data[0].moves};
	for (size_t i = 0; !status && i < o->whatif.count; i++)
		status = add_rules(rules, &o->whatif.data[i], objects, count, e);
	return status;
}

void whatif_rules_free(struct whatif_rules *rules)
{
	sbuf_free(&rules->text);
	vec_free(&rules->objects);
}

void whatif_name(const struct cmd_options *o, const char *trace, struct sbuf *out)
{
	static const char suffix[] = ".trace";
	const size_t len = strlen(trace), end = sizeof(suffix) - 1;
	const bool has = len > end && strcmp(trace + len - end, suffix) == 0;

	sbuf_add(out, trace, has ? len - end : len);
	sbuf_puts(out, o->whatif.data[0].moves ? ".move" : ".pad");
	sbuf_puts(out, has ? suffix : "");
}

/* ---- what it gained ---- */

static enum status open_side(struct trace **t, const char *trace, struct output *out, struct error *e)
{
	struct cmd_options o = {.config = "none", .store = {.as = "chiron"}};
	enum status status = vec_push(&o.files, trace) ? open_trace(t, &o, out, e)
						       : error_set(e, STATUS_NOMEM, "out of memory");

	vec_free(&o.files);
	return status;
}

/* Of all objects, or of those that are concerned. */
static struct memory_sum sum_of(const struct trace *t, const bool *concerned)
{
	const struct memory_index *x = memory_lock(t);
	struct memory_sum sum = {0};

	for (uint32_t i = 0; i < x->cell_count; i++) {
		const struct memory_cell *cell = &x->cells[i];

		if (concerned && (cell->object == MEMORY_NONE || !concerned[cell->object]))
			continue;
		sum.cycles += cell->cycles;
		for (int level = 0; level < MEMORY_LEVELS; level++)
			for (int cause = 0; cause < MEMORY_CAUSE_COUNT; cause++) {
				sum.fills[level][cause] += cell->fills[level][cause];
				sum.fill_cycles[level][cause] += cell->fill_cycles[level][cause];
			}
	}
	memory_unlock(t);
	return sum;
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

static void put_misses(struct sbuf *out, const struct memory_sum sums[RUNS])
{
	static const enum memory_cause causes[] = {MEMORY_FALSE, MEMORY_TRUE};

	for (int level = 0; level < MEMORY_LEVELS; level++)
		for (int i = 0; i < 2; i++) {
			char what[64];

			snprintf(what, sizeof(what), "L%d misses, %s sharing", level + 1,
				 memory_cause_names[causes[i]]);
			put_row(out, what, sums[0].fills[level][causes[i]],
				sums[1].fills[level][causes[i]]);
		}
}

static bool is_elsewhere(const struct trace *t, const struct memory_index *x, uint32_t object,
			 const struct whatif_rules *rules)
{
	for (size_t i = 0; object != MEMORY_NONE && i < rules->objects.count; i++)
		if (same_name(rules->objects.data[i].name,
			      memory_class(t, x->objects[object].class)))
			return true;
	return false;
}

struct bound {
	uint64_t false_sharing; /* cycles, that what is elsewhere now took part in */
	uint64_t follows;       /* upgrades of all that did, and loads of what their L2 caches lost so */
	uint64_t inside;        /* false sharing of parts of one object, which stay together */
	const char *whole;      /* such an object; lives as long as the trace */
};

static enum status find_bound(struct bound *b, const struct trace *t,
			      const struct whatif_rules *rules, struct error *e)
{
	const struct memory_index *x = memory_lock(t);
	bool *concerned = calloc((size_t)x->object_count + 1, sizeof(*concerned));

	*b = (struct bound){0};
	for (uint32_t i = 0; concerned && i < x->culprit_count; i++) {
		const struct memory_culprit *c = &x->culprits[i];
		const uint32_t ends[] = {c->object, c->victim_object};

		if (c->cause == MEMORY_TRUE ||
		    !(is_elsewhere(t, x, ends[0], rules) || is_elsewhere(t, x, ends[1], rules)))
			continue;
		if (ends[0] == ends[1]) {
			b->inside += c->cycles;
			b->whole = memory_class(t, x->objects[ends[0]].class);
			continue;
		}
		*(c->cause == MEMORY_FALSE ? &b->false_sharing : &b->follows) += c->cycles;
		for (int k = 0; k < 2; k++)
			if (ends[k] != MEMORY_NONE)
				concerned[ends[k]] = true;
	}
	memory_unlock(t);
	if (concerned) {
		const struct memory_sum sum = sum_of(t, concerned);

		b->follows += memory_upgrade_cycles(&sum);
	}
	free(concerned);
	return concerned ? STATUS_OK : error_set(e, STATUS_NOMEM, "out of memory");
}

static void put_amount(struct sbuf *out, const char *what, int width, uint64_t cycles)
{
	char number[32];

	sbuf_printf(out, "%-28s %*s\n", what, width, num_group((int64_t)cycles, number));
}

static void put_gain(struct sbuf *out, const struct memory_sum sums[RUNS], const struct bound *b)
{
	put_amount(out, "measured gain, cycles waited", 37, sums[0].cycles - sums[1].cycles);
	put_amount(out, "bound: false sharing", 18, b->false_sharing);
	put_amount(out, "bound: what follows from it", 18, b->follows);
	if (!b->inside)
		return;
	put_amount(out, "inside an object: it stays", 18, b->inside);
	text_sanitise(out, b->whole, strlen(b->whole));
	sbuf_puts(out, " moves as a whole: its elements and members stay adjacent;\n"
		       "to separate them, pad or align them in the source\n");
}

static void put_moved(struct sbuf *out, const struct whatif_rules *rules)
{
	for (size_t i = 0; rules->moves && i < rules->objects.count; i++) {
		const struct capture_object *o = &rules->objects.data[i];

		if (o->count == 1 || o->how == CAPTURE_FIXED)
			continue;
		text_sanitise(out, o->name, strlen(o->name));
		sbuf_printf(out, ": %" PRIu64 " objects were moved, one behind another\n", o->count);
	}
}

enum status whatif_compare(const struct whatif_rules *rules,
			   const struct capture_totals totals[RUNS],
			   const char *const traces[RUNS], struct output *out, struct error *e)
{
	struct trace *opened[RUNS] = {NULL};
	enum status status = STATUS_OK;
	struct sbuf *to = &out->notes;
	struct bound bound;

	for (int i = 0; !status && i < RUNS; i++)
		status = open_side(&opened[i], traces[i], out, e);
	if (!status)
		status = find_bound(&bound, opened[0], rules, e);
	if (!status) {
		const struct memory_sum sums[] = {sum_of(opened[0], NULL), sum_of(opened[1], NULL)};

		sbuf_printf(to, "%-28s %18s %18s\n", "", "as it is",
			    rules->moves ? "moved" : "padded");
		put_row(to, "cycles", (uint64_t)totals[0].cycles, (uint64_t)totals[1].cycles);
		put_row(to, "cycles waited, all CPUs", sums[0].cycles, sums[1].cycles);
		put_misses(to, sums);
		put_gain(to, sums, &bound);
		put_moved(to, rules);
		sbuf_puts(to, "next: pipeglass compare ");
		for (int i = 0; i < RUNS; i++) {
			text_sanitise(to, traces[i], strlen(traces[i]));
			sbuf_putc(to, i ? '\n' : ' ');
		}
	}
	for (int i = 0; i < RUNS; i++)
		trace_close(opened[i]);
	return status;
}
