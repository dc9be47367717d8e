#include "config.h"

#include "analysis/stalls.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/walk.h"

struct charge {
	struct stalls *r;
	const struct range *range;
	bool counting; /* the totals too: the index has none of a range */
	const volatile bool *stop;
	int64_t trace_end;
};

static void charge_stay(struct stall_code *c, const struct charge *charge,
			const struct walk_row *row, const struct stay *stay)
{
	const struct stalls *r = charge->r;
	int64_t end = walk_stay_end(row, stay, charge->trace_end);
	int64_t ticks = range_overlap(charge->range, stay->start, end);
	unsigned events = range_starts(charge->range, stay->start) ? stay->events : 0;

	if (stay->stage < r->stages) {
		range_add(&c->cycles[stay->stage], ticks);
		range_add(&c->ticks, ticks);
	}
	for (; events; events &= events - 1) {
		unsigned event = (unsigned)__builtin_ctz(events);

		if (event < r->events)
			c->events[event]++;
	}
}

static void note_life(struct stall_code *c, const struct row *head, int64_t trace_end)
{
	int64_t end = head->end == TICK_NONE ? trace_end : head->end, life;

	if (__builtin_sub_overflow(end, head->start, &life))
		life = INT64_MAX;
	if (c->count > 0 && life <= c->life)
		return;
	c->life = life;
	c->longest = head->row;
	c->born = head->start;
}

static bool charge_row(void *arg, const struct walk_row *row)
{
	struct charge *charge = arg;
	struct stalls *r = charge->r;
	const struct row *head = &row->detail->head;
	size_t slot = head->code < r->slot_count - 1 ? head->code : r->slot_count - 1;
	struct stall_code *c = &r->slots[slot];

	if (!range_has(charge->range, head))
		return true;
	if (charge->counting)
		range_count(charge->range, row, charge->trace_end, &r->totals);
	note_life(c, head, charge->trace_end);
	c->count++;
	c->squashed += head->fate == FATE_SQUASHED;
	for (uint32_t i = 0; i < row->detail->stays; i++)
		charge_stay(c, charge, row, &row->stays[i]);
	return !(charge->stop && *charge->stop);
}

/* One allocation for all counters; each slot gets its own stretch of it. */
static bool make_slots(struct stalls *r)
{
	size_t width = r->stages + r->events;

	r->slot_count = store_code_count(r->store) + 1;
	r->slots = calloc(r->slot_count, sizeof(*r->slots));
	r->cells = calloc(r->slot_count, (width ? width : 1) * sizeof(*r->cells));
	r->codes = calloc(r->slot_count, sizeof(*r->codes));
	if (!r->slots || !r->cells || !r->codes)
		return false;
	for (size_t i = 0; i < r->slot_count; i++) {
		struct stall_code *c = &r->slots[i];

		c->code = i + 1 < r->slot_count ? (uint32_t)i : CODE_NONE;
		c->cycles = r->cells + i * width;
		c->events = (uint64_t *)(c->cycles + r->stages);
	}
	return true;
}

static int by_number(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Most ticks first; then pc and text, so that equal costs have one order on every machine. */
static int compare_codes(const void *a, const void *b, void *store)
{
	const struct stall_code *x = a, *y = b;
	const char *x_text = "", *y_text = "";
	size_t x_len = 0, y_len = 0, shorter;
	uint64_t x_pc = 0, y_pc = 0;
	bool has_pc;
	int order;

	if (x->ticks != y->ticks)
		return x->ticks > y->ticks ? -1 : 1;
	store_code(store, x->code, &x_pc, &has_pc, &x_text, &x_len);
	store_code(store, y->code, &y_pc, &has_pc, &y_text, &y_len);
	if (x_pc != y_pc)
		return by_number(x_pc, y_pc);
	shorter = x_len < y_len ? x_len : y_len;
	order = shorter ? memcmp(x_text, y_text, shorter) : 0;
	return order ? order : by_number(x_len, y_len);
}

static void collect_codes(struct stalls *r)
{
	r->unattributed = r->slots[r->slot_count - 1];
	for (size_t i = 0; i + 1 < r->slot_count; i++)
		if (r->slots[i].count)
			r->codes[r->code_count++] = r->slots[i];
	qsort_r(r->codes, r->code_count, sizeof(*r->codes), compare_codes, r->store);
}

static enum status charge_rows(struct charge *charge, struct error *e)
{
	struct stalls *r = charge->r;
	uint64_t first, last;
	struct progress p;
	enum status status;

	store_progress(r->store, &p);
	charge->trace_end = p.last < INT64_MAX ? p.last + 1 : p.last;
	r->clipped = range_rows(r->store, charge->range, &first, &last);
	status = walk_rows(r->store, first, last, charge_row, charge, e);
	if (!status && charge->stop && *charge->stop)
		status = error_set(e, STATUS_INTERRUPTED, "interrupted");
	return status;
}

enum status stalls_new(struct stalls *out, struct store *s, const struct range *range,
		       const volatile bool *stop, struct error *e)
{
	struct range all = range_all(s);
	struct charge charge = {
	    .r = out, .range = range ? range : &all, .counting = range != NULL, .stop = stop};
	enum status status;

	*out = (struct stalls){.store = s,
			       .stages = store_stage_count(s),
			       .events = store_event_count(s),
			       .totals = range_zero()};
	if (!range)
		store_totals(s, &out->totals);
	if (!make_slots(out)) {
		stalls_free(out);
		return error_set(e, STATUS_NOMEM, "not enough memory for %zu static instructions",
				 store_code_count(s));
	}
	status = charge_rows(&charge, e);
	if (status)
		stalls_free(out);
	else
		collect_codes(out);
	return status;
}

void stalls_free(struct stalls *r)
{
	free(r->slots);
	free(r->cells);
	free(r->codes);
	*r = (struct stalls){0};
}

/* The field tables. */

static size_t stage_rows(const void *result)
{
	return ((const struct stalls *)result)->stages;
}

static const char *stage_name(const void *result, size_t i)
{
	return store_stage(((const struct stalls *)result)->store, i)->name;
}

static size_t event_rows(const void *result)
{
	return ((const struct stalls *)result)->events;
}

static const char *event_name(const void *result, size_t i)
{
	return store_event(((const struct stalls *)result)->store, i)->name;
}

static bool event_minor(const void *result, size_t i)
{
	return !store_event(((const struct stalls *)result)->store, i)->problem;
}

static struct value get_stage_name(const void *result, size_t row, size_t part)
{
	(void)part;
	return value_text(stage_name(result, row));
}

static struct value get_stage_cycles(const void *result, size_t row, size_t part)
{
	(void)part;
	return value_ticks(((const struct stalls *)result)->totals.stage_ticks[row]);
}

static struct value get_stage_entries(const void *result, size_t row, size_t part)
{
	(void)part;
	return value_count(((const struct stalls *)result)->totals.stage_entries[row]);
}

static struct value get_event_name(const void *result, size_t row, size_t part)
{
	(void)part;
	return value_text(event_name(result, row));
}

static struct value get_event_count(const void *result, size_t row, size_t part)
{
	(void)part;
	return value_count(((const struct stalls *)result)->totals.event_counts[row]);
}

static struct value get_event_latency(const void *result, size_t row, size_t part)
{
	int64_t latency = ((const struct stalls *)result)->totals.event_latency[row];

	(void)part;
	return latency < 0 ? value_none() : value_ticks(latency);
}

static size_t code_rows(const void *result)
{
	return ((const struct stalls *)result)->code_count;
}

static size_t rest_rows(const void *result)
{
	return ((const struct stalls *)result)->unattributed.count > 0;
}

static const struct stall_code *code_at(const void *result, size_t row)
{
	return &((const struct stalls *)result)->codes[row];
}

static struct value get_pc(const void *result, size_t row, size_t part)
{
	const struct stalls *r = result;
	const char *text;
	bool has_pc;
	uint64_t pc;
	size_t len;

	(void)part;
	if (!store_code(r->store, code_at(r, row)->code, &pc, &has_pc, &text, &len) || !has_pc)
		return value_none();
	return value_hex(pc);
}

static struct value get_text(const void *result, size_t row, size_t part)
{
	const struct stalls *r = result;
	const char *text;
	bool has_pc;
	uint64_t pc;
	size_t len;

	(void)part;
	if (!store_code(r->store, code_at(r, row)->code, &pc, &has_pc, &text, &len))
		return value_none();
	return value_bytes(text, len);
}

/* The columns that the table of static instructions and its nameless rest have in common. */
#define COST_FIELDS(_)                                                                             \
	_(count, value_count(c->count))                                                            \
	_(total, value_ticks(c->ticks))                                                            \
	_(cycles, value_ticks(c->cycles[part]))                                                    \
	_(events, value_count(c->events[part]))                                                    \
	_(squashed, value_count(c->squashed))

#define COST_GETTERS(name, expression)                                                             \
	static struct value get_##name(const void *result, size_t row, size_t part)                \
	{                                                                                          \
		const struct stall_code *c = code_at(result, row);                                 \
		(void)part;                                                                        \
		return expression;                                                                 \
	}                                                                                          \
	static struct value get_rest_##name(const void *result, size_t row, size_t part)           \
	{                                                                                          \
		const struct stall_code *c = &((const struct stalls *)result)->unattributed;       \
		(void)row, (void)part;                                                             \
		return expression;                                                                 \
	}
COST_FIELDS(COST_GETTERS)
#undef COST_GETTERS

static const struct field stage_fields[] = {
    {"name", NULL, VALUE_TEXT, NULL, NULL, get_stage_name, NULL, false},
    {"cycles", UNIT_TICK, VALUE_TICKS, NULL, NULL, get_stage_cycles, NULL, false},
    {"entries", NULL, VALUE_COUNT, NULL, NULL, get_stage_entries, NULL, false},
    {0},
};

static const struct field event_fields[] = {
    {"name", NULL, VALUE_TEXT, NULL, NULL, get_event_name, NULL, false},
    {"count", NULL, VALUE_COUNT, NULL, NULL, get_event_count, NULL, false},
    {"latency", UNIT_TICK, VALUE_TICKS, NULL, NULL, get_event_latency, NULL, false},
    {0},
};

static const struct field code_fields[] = {
    {"pc", NULL, VALUE_HEX, NULL, NULL, get_pc, NULL, false},
    {"text", NULL, VALUE_TEXT, NULL, NULL, get_text, NULL, false},
    {"count", NULL, VALUE_COUNT, NULL, NULL, get_count, NULL, false},
    {"total", UNIT_TICK, VALUE_TICKS, NULL, NULL, get_total, NULL, true},
    {"cycles", UNIT_TICK, VALUE_TICKS, stage_rows, stage_name, get_cycles, NULL, false},
    {"events", NULL, VALUE_COUNT, event_rows, event_name, get_events, event_minor, false},
    {"squashed", NULL, VALUE_COUNT, NULL, NULL, get_squashed, NULL, false},
    {0},
};

static const struct field rest_fields[] = {
    {"count", NULL, VALUE_COUNT, NULL, NULL, get_rest_count, NULL, false},
    {"total", UNIT_TICK, VALUE_TICKS, NULL, NULL, get_rest_total, NULL, true},
    {"cycles", UNIT_TICK, VALUE_TICKS, stage_rows, stage_name, get_rest_cycles, NULL, false},
    {"events", NULL, VALUE_COUNT, event_rows, event_name, get_rest_events, event_minor, false},
    {"squashed", NULL, VALUE_COUNT, NULL, NULL, get_rest_squashed, NULL, false},
    {0},
};

const struct section stall_sections[] = {
    {"stages", stage_rows, stage_fields},
    {"events", event_rows, event_fields},
    {"pcs", code_rows, code_fields},
    {0},
};

const struct section stall_unattributed = {"unattributed", rest_rows, rest_fields};
