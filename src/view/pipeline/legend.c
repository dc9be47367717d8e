#include "config.h"

#include "view/pipeline/panes.h"

#include <stdio.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "view/abbreviate.h"
#include "view/pane_list.h"
#include "view/pipeline/pane_range.h"
#include "view/pipeline/pipeview.h"

/*
 * Letter, name, two numbers at the right. Narrow panes have numbers of three digits; what an
 * item means stands below it, in narrow panes only below the selected one.
 */
enum { WIDE = 40, WIDE_NUMBER = 12, NARROW_NUMBER = 7, LETTER_COLUMNS = 4, SAMPLE = 5 };

/* How the picture is to be read, where letters and colours alone do not say it. */
static const struct pane_sign notation[] = {
    {"Xxx", ROLE_STAGE_0 + 2, "capital: enters the stage; zoomed out: stage with most ticks"},
    {"xxx", ROLE_SQUASHED, "all lower case: a row that did not commit"},
    {"*xx", ROLE_EVENT_0, "a miss over its latency; a prediction within its stay"},
    {"--F", ROLE_EVENT_0, "a fetch miss: the stall came before the fetch"},
    {"...", ROLE_DIM, "stage hidden by the component filter"},
    {"\302\267\302\267\302\267", ROLE_DIM, "alive, but the trace names no stage of the row"},
    {"X=x", ROLE_STAGE_0 + 2, "underlined, hatched: a stall in lane 1; digits: another lane"},
    {"F\342\224\202D", ROLE_STAGE_0, "a stage of zero length, between two others"},
    {"\342\206\222 \342\206\220", ROLE_MARK,
     "in the margin: a producer of the row, a consumer; in ASCII } {"},
    {"Xxx", ROLE_CRITICAL, "on the critical path (:critical), as are lines of this colour"},
};

static const char *const fate_helps[] = {
#define FATE_HELP(name, text, letter, help) help,
    FATE_INFO(FATE_HELP)
#undef FATE_HELP
};

enum part { PART_STAGES, PART_EVENTS, PART_FATES, PARTS };

/* kind: what a command calls one of them */
static const struct {
	const char *head, *kind, *numbers[2];
	const char *absent; /* what is said of those that are not in the grid; NULL: all are listed */
} part_infos[PARTS] = {{"stages", "stage", {"entries", NULL}, "not entered"},
		       {"events", "event", {"count", "each"}, "that did not occur"},
		       {"fates", "fate", {NULL, "rows"}, NULL}};

struct legend {
	struct list_pane list; /* first */
	struct store *store;
	struct totals totals;
};

/* A stage, an event or a fate. */
struct entry {
	char sign[8];
	enum role role;
	const char *name, *help;
	double numbers[2]; /* a negative one is not told */
	bool mean;         /* the second one is: not grouped */
};

/* An item of the list's lines is both, so that a line knows whose it is. */
static uint64_t item_of(enum part part, size_t i)
{
	return (uint64_t)part << 32 | i;
}

static size_t part_size(const struct store *s, enum part part)
{
	return part == PART_STAGES   ? store_stage_count(s)
	       : part == PART_EVENTS ? store_event_count(s)
				     : FATE_COUNT;
}

static struct entry stage_entry(const struct legend *p, size_t i)
{
	const struct stage_info *info = store_stage(p->store, i);
	const struct totals *t = &p->totals;

	return (struct entry){.sign = {stage_sign(info->letter, false)},
			      .role = (enum role)(ROLE_STAGE_0 + info->colour % PALETTE_STAGES),
			      .name = info->name,
			      .help = info->help,
			      .numbers = {(double)t->stage_entries[i], (double)t->stage_ticks[i]}};
}

static struct entry event_entry(const struct legend *p, size_t i)
{
	const struct event_info *info = store_event(p->store, i);
	const struct totals *t = &p->totals;
	bool lasts = info->lasting && t->event_counts[i] > 0;
	double each = lasts ? (double)t->event_latency[i] / (double)t->event_counts[i] : -1;

	return (struct entry){.sign = {info->letter},
			      .role = (enum role)(ROLE_EVENT_0 + info->colour % PALETTE_EVENTS),
			      .name = info->name,
			      .help = info->help,
			      .numbers = {(double)t->event_counts[i], each},
			      .mean = true};
}

static struct entry fate_entry(const struct legend *p, size_t i)
{
	struct entry e = {.role = i == FATE_UNKNOWN ? ROLE_UNKNOWN : ROLE_SQUASHED,
			  .name = fate_names[i],
			  .help = fate_helps[i],
			  .numbers = {-1, (double)p->totals.fates[i]}};

	text_encode(fate_sign((int)i), e.sign);
	return e;
}

static struct entry entry_of(const struct legend *p, enum part part, size_t i)
{
	return part == PART_STAGES   ? stage_entry(p, i)
	       : part == PART_EVENTS ? event_entry(p, i)
				     : fate_entry(p, i);
}

/* Append the name and the two numbers (texts, NULL: none) as wide as the pane. */
static void add_columns(struct pane_line *out, int width, enum role role, const char *name,
			const char *const numbers[2], int taken)
{
	int w = width >= WIDE ? WIDE_NUMBER : NARROW_NUMBER;
	int room = width - taken - 2 * w;
	struct sbuf text = {0};

	abbreviate(&text, name, room);
	room -= text_width(sbuf_text(&text), text.len);
	sbuf_printf(&text, "%*s%*s%*s", room > 0 ? room : 0, "", w, numbers[0] ? numbers[0] : "", w,
		    numbers[1] ? numbers[1] : "");
	pane_line_bytes(out, role, sbuf_text(&text), text.len);
	sbuf_free(&text);
}

static const char *number(double value, bool grouped, char buf[32])
{
	if (value < 0)
		return "";
	return grouped ? num_group((int64_t)value, buf) : num_short(value, NARROW_NUMBER - 1, buf);
}

static void add_entry(struct legend *p, enum part part, size_t i, int width)
{
	const struct entry e = entry_of(p, part, i);
	struct pane_line *l = list_pane_add(&p->list, item_of(part, i), 0);
	bool wide = width >= WIDE;
	char first[32], second[32];

	pane_line_add(l, e.role, " %s ", e.sign);
	pane_line_add(l, ROLE_PANE, " ");
	add_columns(l, width, ROLE_PANE, e.name,
		    (const char *const[]){number(e.numbers[0], wide, first),
					  number(e.numbers[1], wide && !e.mean, second)},
		    LETTER_COLUMNS);
	if (wide && e.help)
		pane_line_add(l, ROLE_DIM, "\n%s", e.help);
}

static void add_part(struct legend *p, enum part part, int width)
{
	const char *numbers[2] = {part_infos[part].numbers[0], part_infos[part].numbers[1]};
	char unit[32];
	size_t absent = 0;

	snprintf(unit, sizeof(unit), "%ss", store_unit(p->store));
	if (part == PART_STAGES)
		numbers[1] = unit;
	else
		list_pane_add(&p->list, ITEM_NONE, 0);
	add_columns(list_pane_add(&p->list, ITEM_NONE, 0), width, ROLE_BORDER, part_infos[part].head,
		    numbers, 0);
	for (size_t i = 0; i < part_size(p->store, part); i++)
		if (part_infos[part].absent && entry_of(p, part, i).numbers[0] == 0)
			absent++;
		else
			add_entry(p, part, i, width);
	if (absent)
		pane_line_add(list_pane_add(&p->list, ITEM_NONE, 0), ROLE_DIM, "%zu %s%s %s", absent,
			      part_infos[part].kind, absent == 1 ? "" : "s", part_infos[part].absent);
}

static void write_legend(struct list_pane *list, int width)
{
	for (int part = 0; part < PARTS; part++)
		add_part((struct legend *)list, (enum part)part, width);
	list_pane_heading(list, "notation");
	list_pane_signs(list, notation, sizeof(notation) / sizeof(notation[0]), SAMPLE);
}

/* The stage, event or fate of a line; false: it is another line. */
static bool entry_at(const struct pane *p, size_t i, enum part *part, struct entry *out)
{
	const struct legend *self = p->data;
	uint64_t item = i < self->list.count ? self->list.lines[i].item : ITEM_NONE;

	if (item == ITEM_NONE)
		return false;
	*part = (enum part)(item >> 32);
	*out = entry_of(self, *part, item & UINT32_MAX);
	return true;
}

static void legend_line(const struct pane *p, size_t i, struct pane_line *out)
{
	struct entry e;
	enum part part;

	list_pane_line(p, i, out);
	if (((const struct legend *)p->data)->list.width < WIDE && i == p->cursor &&
	    entry_at(p, i, &part, &e) && e.help)
		pane_line_add(out, ROLE_DIM, "\n%s", e.help);
}

static bool legend_command(const struct pane *p, size_t i, struct sbuf *out)
{
	struct entry e;
	enum part part;

	if (!entry_at(p, i, &part, &e))
		return false;
	sbuf_printf(out, "highlight %s ", part_infos[part].kind);
	sbuf_put_quoted(out, e.name);
	return true;
}

static const struct pane_ops legend_ops = {
    .title = list_pane_title,
    .count = list_pane_count,
    .line = legend_line,
    .command = legend_command,
    .free = list_pane_free,
    .width = 56,
};

struct pane *legend_pane(struct store *s, const struct selection *range)
{
	struct legend *p = xcalloc(1, sizeof(*p));
	struct sbuf title = {0};

	list_pane_init(&p->list, &legend_ops, write_legend);
	p->store = s;
	sbuf_puts(&title, "legend");
	if (range && range->on) {
		const struct range part = pane_range_part(s, range);
		bool clipped = false;

		range_totals(s, &part, &p->totals, &clipped, NULL);
		pane_range_title(s, range, clipped, &title);
	} else {
		store_totals(s, &p->totals);
	}
	snprintf(p->list.title, sizeof(p->list.title), "%s", sbuf_text(&title));
	sbuf_free(&title);
	return &p->list.pane;
}
