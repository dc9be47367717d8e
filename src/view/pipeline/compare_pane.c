#include "config.h"

#include "view/pipeline/compare_pane.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "view/section_pane.h"
#include "view/table_pane.h"

enum { NAME_COLUMNS = 40 };

enum { LINE_FIRST = 3 }; /* of the head: the first difference */

/* What the table of instructions is of. */
struct compared {
	struct compare_table rows; /* first: what its section is of */
	struct compare_pane_source source;
};

/* What stands above it. */
struct head {
	struct list_pane list; /* first */
	struct compared *of;
};

/* ---- of the whole runs --------------------------------------------------------------------- */

/* The lines of the runs stand below each other: one cycle takes the place of "cycles". */
static char ending(int64_t n)
{
	return n == 1 || n == -1 ? ' ' : 's';
}

static void add_number(struct pane_line *out, int64_t n, bool sign, const char *what)
{
	char number[32], text[40];

	snprintf(text, sizeof(text), "%s%s", sign && n > 0 ? "+" : "", num_group(n, number));
	pane_line_add(out, ROLE_TEXT, "%12s %s%c", text, what, ending(n));
}

static void add_side(const struct compare_pane_source *of, int side, struct pane_line *out)
{
	const struct compare *r = of->costs;
	int64_t cycles = r->cycles[side];

	pane_line_add(out, ROLE_KEY, "%-5c", align_letter(side));
	add_number(out, cycles, false, "cycle");
	add_number(out, (int64_t)r->steps[side], false, "instruction");
	if (cycles > 0)
		pane_line_add(out, ROLE_TEXT, "  IPC %.2f",
			      (double)r->steps[side] / (double)cycles);
	pane_line_add(out, ROLE_DIM, "  %.*s", NAME_COLUMNS, of->names[side]);
}

static void add_change(const struct compare *r, struct pane_line *out)
{
	int64_t a = r->cycles[ALIGN_A], b = r->cycles[ALIGN_B];

	pane_line_add(out, ROLE_KEY, "%-5s", "B - A");
	add_number(out, b - a, true, "cycle");
	add_number(out, (int64_t)r->steps[ALIGN_B] - (int64_t)r->steps[ALIGN_A], true,
		   "instruction");
	if (a > 0)
		pane_line_add(out, ROLE_TEXT, "  %+.1f %%",
			      100.0 * ((double)b - (double)a) / (double)a);
}

static void say_matched(const struct compare *r, struct sbuf *out)
{
	char number[32];

	sbuf_printf(out, "where the cycles went; %s instructions matched by %s, %s%s",
		    num_group((int64_t)r->pairs, number), align_by_names[r->al->by],
		    align_key_names[r->al->key], align_caveat(r->al));
}

static void add_first(const struct difference *d, struct pane_line *out)
{
	char number[32];
	int n = 0;

	pane_line_add(out, ROLE_KEY, "%-5s ", "first");
	if (!d->kinds) {
		pane_line_add(out, ROLE_TEXT, "there is no difference");
		return;
	}
	pane_line_add(out, ROLE_TEXT, "difference at");
	for (int s = 0; s < ALIGN_SIDES; s++)
		if (d->row[s] != ROW_NONE)
			pane_line_add(out, ROLE_TEXT, " %c row %s", align_letter(s),
				      num_group((int64_t)d->row[s], number));
	for (int k = 0; k < DIFFERENCE_COUNT; k++)
		if (d->kinds >> k & 1)
			pane_line_add(out, ROLE_TEXT, "%s %s", n++ ? "," : ":",
				      difference_names[k]);
}

/* Lines: what changed, the runs, the first difference; then the stages. */
static void write_head(struct list_pane *list, int width)
{
	struct compared *of = ((struct head *)list)->of;
	const struct compare *costs = of->source.costs;
	struct sbuf title = {0};

	add_change(costs, list_pane_add(list, ITEM_NONE, 0));
	for (int s = 0; s < ALIGN_SIDES; s++)
		add_side(&of->source, s, list_pane_add(list, ITEM_NONE, 0));
	add_first(&costs->first, list_pane_add(list, ITEM_NONE, 0));
	say_matched(costs, &title);
	section_table(list, &of->rows.part_list, &of->rows,
		      &(struct section_look){.title = sbuf_text(&title), .width = width});
	sbuf_free(&title);
	list_pane_add(list, ITEM_NONE, 0);
}

/* ---- where Enter leads --------------------------------------------------------------------- */

/* The dearest row of an instruction in the side with the focus, if that has one. The side; -1: none. */
static int place_of(const struct compared *of, size_t row, uint64_t *dearest)
{
	const uint64_t *rows = of->source.costs->codes[of->rows.order[row]].worst.row;
	int side = of->source.view->focus;

	if (rows[side] == ROW_NONE)
		side = !side;
	*dearest = rows[side];
	return *dearest == ROW_NONE ? -1 : side;
}

/* The other side comes along. */
static bool target(const void *result, size_t row, const struct section_column *sorted,
		   struct place *to)
{
	const struct compared *of = result;

	(void)sorted;
	*to = (struct place){.item = ROW_NONE, .tick = TICK_NONE};
	return place_of(of, row, &to->item) == of->source.view->focus;
}

/* What the side with the focus does not have is looked at in the other one. */
static bool command(const void *result, size_t row, struct sbuf *out)
{
	const struct compared *of = result;
	uint64_t dearest;
	int side = place_of(of, row, &dearest);

	if (side < 0 || side == of->source.view->focus)
		return false;
	sbuf_printf(out, "%s ; goto row %" PRIu64, of->source.to_other, dearest);
	return true;
}

static bool head_command(const struct pane *p, size_t i, struct sbuf *out)
{
	(void)p;
	if (i == LINE_FIRST)
		sbuf_puts(out, "compare first");
	return i == LINE_FIRST;
}

/* ---- the pane ------------------------------------------------------------------------------ */

static const struct pane_ops head_ops = {LIST_PANE, .command = head_command, .width = 160};

/* The range as other panes tell theirs, with its last tick. */
static void say_title(const struct compare_pane_source *of, struct sbuf *out)
{
	const struct align_ticks *r = of->range;
	char from[32], last[32];

	sbuf_puts(out, "where the cycles went");
	if (of->costs)
		sbuf_puts(out, ": B against A");
	if (r)
		sbuf_printf(out, ", %s %s..%s of A", store_unit(of->costs->al->side[ALIGN_A].store),
			    num_group(r->from, from),
			    num_group(r->to > r->from ? r->to - 1 : r->from, last));
}

static void free_compared(void *result)
{
	compare_table_free(result);
	free(result);
}

/* NULL: no memory. */
static struct compared *compared_new(const struct compare_pane_source *source)
{
	struct compared *of = xcalloc(1, sizeof(*of));

	of->source = *source;
	if (!compare_table_new(&of->rows, source->costs, true)) {
		free(of);
		return NULL;
	}
	compare_table_hide_zero(&of->rows);
	return of;
}

struct pane *compare_pane(const struct compare_pane_source *source)
{
	struct compared *of = source->costs ? compared_new(source) : NULL;
	struct table_pane_of table = {.free = free_compared,
				      .none = source->costs ? "out of memory" : source->instead,
				      .command = command,
				      .target = target,
				      .sorted = "delta",
				      .rises = compare_table_rises};
	struct sbuf title = {0};
	struct pane *p;

	if (of) {
		struct head *head = xcalloc(1, sizeof(*head));

		list_pane_init(&head->list, &head_ops, write_head);
		head->of = of;
		table.section = &of->rows.people;
		table.result = of;
		table.above = &head->list;
	}
	say_title(source, &title);
	table.title = sbuf_text(&title);
	p = table_pane(&table);
	sbuf_free(&title);
	return p;
}
