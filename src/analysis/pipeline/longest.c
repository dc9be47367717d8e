#include "config.h"

#include "analysis/pipeline/longest.h"

#include <stdlib.h>
#include <string.h>

/* ---- the lists ---------------------------------------------------------------------------- */

/* List 0 is that of the lives, list k + 1 that of stage k; one slot each is spare. */
static size_t lists(const struct longest *l)
{
	return l->stages + 1;
}

static int64_t length(const struct long_row *r, size_t list)
{
	return list ? r->cycles[list - 1] : r->life;
}

bool longest_new(struct longest *out, struct store *s)
{
	const size_t stages = store_stage_count(s);
	const size_t slots = (stages + 1) * LONGEST_MOST;

	*out = (struct longest){.store = s, .clock = range_clock(s), .stages = stages};
	out->rows = calloc(slots, sizeof(*out->rows));
	out->kept = calloc(stages + 1, sizeof(*out->kept));
	out->cells = calloc(slots + 1, (stages ? stages : 1) * sizeof(*out->cells));
	if (!out->rows || !out->kept || !out->cells)
		return false;
	for (size_t i = 0; i < slots; i++)
		out->rows[i].cycles = out->cells + i * stages;
	out->next = out->cells + slots * stages;
	return true;
}

void longest_free(struct longest *l)
{
	free(l->rows);
	free(l->kept);
	free(l->cells);
	*l = (struct longest){0};
}

/* The slot of the list that the row is to have; LONGEST_MOST: none. */
static size_t place_in(const struct longest *l, size_t list, const struct long_row *r)
{
	const struct long_row *rows = l->rows + list * LONGEST_MOST;
	size_t at = l->kept[list];

	while (at > 0 && length(&rows[at - 1], list) < length(r, list))
		at--;
	return at;
}

/* Those behind it move on, the last one makes room; each takes its cells along. */
static void keep(struct longest *l, size_t list, const struct long_row *r)
{
	struct long_row *rows = l->rows + list * LONGEST_MOST;
	size_t at = place_in(l, list, r), last;
	int64_t *cells;

	if (at == LONGEST_MOST || length(r, list) <= 0)
		return;
	last = l->kept[list] < LONGEST_MOST ? l->kept[list]++ : LONGEST_MOST - 1;
	cells = rows[last].cycles;
	memmove(&rows[at + 1], &rows[at], (last - at) * sizeof(*rows));
	memcpy(cells, r->cycles, l->stages * sizeof(*cells));
	rows[at] = *r;
	rows[at].cycles = cells;
}

void longest_offer(struct longest *l, const struct walk_row *row, int64_t trace_end)
{
	static const struct range all = {.tick0 = INT64_MIN, .tick1 = INT64_MAX};
	const struct row *head = &row->detail->head;
	int64_t end = head->end == TICK_NONE ? trace_end : head->end;
	struct long_row r = {.row = *head, .cycles = l->next};

	if (head->fate == FATE_UNKNOWN)
		return;
	r.life = range_cycles(&all, &l->clock, head->start, end);
	memset(r.cycles, 0, l->stages * sizeof(*r.cycles));
	for (uint32_t i = 0; i < row->detail->stays; i++) {
		const struct stay *stay = &row->stays[i];
		int64_t left = walk_stay_end(row, stay, trace_end);

		if (stay->stage < l->stages)
			range_add(&r.cycles[stay->stage],
				  range_cycles(&all, &l->clock, stay->start, left));
	}
	r.last = waited_stay(head, row->stays, row->detail->stays, l->clock.ticks);
	for (size_t list = 0; list < lists(l); list++)
		keep(l, list, &r);
}

static int by_life(const void *a, const void *b)
{
	const struct long_row *x = a, *y = b;

	if (x->life != y->life)
		return x->life < y->life ? 1 : -1;
	return (x->row.row > y->row.row) - (x->row.row < y->row.row);
}

/* The lists become one, in which each row stands once. */
static void join(struct longest *l)
{
	size_t all = 0;

	for (size_t list = 0; list < lists(l); list++)
		for (size_t i = 0; i < l->kept[list]; i++)
			l->rows[all++] = l->rows[list * LONGEST_MOST + i];
	qsort(l->rows, all, sizeof(*l->rows), by_life);
	for (size_t i = 0; i < all; i++)
		if (!l->count || l->rows[l->count - 1].row.row != l->rows[i].row.row)
			l->rows[l->count++] = l->rows[i];
}

static void look_up(const struct longest *l, struct long_row *r)
{
	struct waited w;

	waited_for(l->store, &r->row, r->last, &w);
	r->behind = w.behind == ROW_NONE ? UINT64_MAX : w.behind;
	r->squashed = w.squashed;
}

void longest_close(struct longest *l)
{
	join(l);
	for (size_t i = 0; i < l->count; i++)
		look_up(l, &l->rows[i]);
}

/* ---- the table ---------------------------------------------------------------------------- */

static size_t row_count(const void *result)
{
	return ((const struct longest *)result)->count;
}

static const void *row_of(const void *result, size_t row)
{
	return &((const struct longest *)result)->rows[row];
}

static size_t stage_parts(const void *result)
{
	return ((const struct longest *)result)->stages;
}

static const char *stage_part(const void *result, size_t i)
{
	return store_stage(((const struct longest *)result)->store, i)->name;
}

static struct value code_of(const struct longest *l, const struct long_row *r, bool text)
{
	const char *words;
	bool has_pc;
	uint64_t pc;
	size_t len;

	if (!store_code(l->store, r->row.code, &pc, &has_pc, &words, &len) || (!text && !has_pc))
		return value_none();
	return text ? value_bytes(words, len) : value_hex(pc);
}

/* getter, value; l: the result, r: the row */
#define ROW_GETTERS(_)                                                                             \
	_(pc, code_of(l, r, false))                                                                \
	_(text, code_of(l, r, true))                                                               \
	_(fate, value_text(fate_names[r->row.fate]))                                               \
	_(cycles, value_ticks(r->cycles[part]))

#define ROW_GETTER(name, expression)                                                               \
	static struct value get_##name(const void *result, size_t row, size_t part)                \
	{                                                                                          \
		const struct longest *l = result;                                                  \
		const struct long_row *r = &l->rows[row];                                          \
		(void)l, (void)part;                                                               \
		return expression;                                                                 \
	}
ROW_GETTERS(ROW_GETTER)
#undef ROW_GETTER

static const struct field fields[] = {
    {FIELD(COUNT, "row", row_of, struct long_row, row.row)},
    {FIELD_BY(HEX, "pc", get_pc)},
    {FIELD_BY(TEXT, "text", get_text)},
    {FIELD(TICKS, "start", row_of, struct long_row, row.start), .unit = UNIT_TICK, .hidden = true},
    {FIELD(TICKS, "life", row_of, struct long_row, life), .unit = UNIT_TICK},
    {FIELD(COUNT, "behind", row_of, struct long_row, behind), .heading = "behind row"},
    {FIELD(COUNT, "squashed_before", row_of, struct long_row, squashed), .blank = true,
     .heading = "squashed"},
    {FIELD_BY(TICKS, "cycles", get_cycles), .unit = UNIT_TICK, .parts = stage_parts,
     .part = stage_part},
    {FIELD_BY(TEXT, "fate", get_fate), .minor = field_is_minor},
    {0},
};

const struct section longest_section = {SECTION(LIST, "longest", row_count, fields)};
