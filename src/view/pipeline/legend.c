#include "config.h"

#include "view/pipeline/panes.h"

#include <stdio.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "view/abbreviate.h"
#include "view/pipeline/pane_range.h"
#include "view/pipeline/pipeview.h"

/*
 * Letter, name, two numbers at the right. Narrow panes have numbers of three digits; what an
 * item means stands below it, in narrow panes only below the selected one.
 */
enum { WIDE = 40, WIDE_NUMBER = 12, NARROW_NUMBER = 7, LETTER_COLUMNS = 4 };

/* How the picture is to be read, where letters and colours alone do not say it. */
static const struct {
	const char *sample;
	enum role role;
	const char *help;
} notation[] = {
    {"Xxx", ROLE_STAGE_0 + 2, "capital: enters the stage; zoomed out: the one with most ticks"},
    {"xxx", ROLE_SQUASHED, "all small: a row that did not commit"},
    {"*xx", ROLE_EVENT_0, "a miss over its latency; a prediction, cut at the stay"},
    {"--F", ROLE_EVENT_0, "a fetch miss: the stall was before the fetch"},
    {"...", ROLE_DIM, "stage hidden by the component filter"},
    {"\302\267\302\267\302\267", ROLE_DIM, "alive, but the trace tells no stage of the row"},
    {"X=x", ROLE_STAGE_0 + 2, "underlined, hatched: a stall in lane 1; digits: another lane"},
    {"F\342\224\202D", ROLE_STAGE_0, "a stage without length, between two others"},
    {"\342\206\222 \342\206\220", ROLE_MARK,
     "in the margin: a producer of the row, a consumer; in ASCII } {"},
};

static const char *const fate_helps[] = {
#define FATE_HELP(name, text, letter, help) help,
    FATE_INFO(FATE_HELP)
#undef FATE_HELP
};

enum part { PART_STAGES, PART_EVENTS, PART_FATES, PART_NOTATION, PARTS };

static const char *const part_heads[PARTS] = {"stages", "events", "fates", "notation"};

static const char *const part_numbers[PARTS][2] = {
    {"entries", NULL}, {"count", "each"}, {NULL, "rows"}, {NULL, NULL}};

struct legend {
	struct pane pane;
	struct store *store;
	struct selection range;
	struct range_totals part; /* of the range */
};

static const struct legend *of(const struct pane *p)
{
	return p->data;
}

static struct store *store_of(const struct pane *p)
{
	return of(p)->store;
}

static size_t part_size(const struct store *s, enum part part)
{
	switch (part) {
	case PART_STAGES:
		return store_stage_count(s);
	case PART_EVENTS:
		return store_event_count(s);
	case PART_FATES:
		return FATE_COUNT;
	default:
		return sizeof(notation) / sizeof(notation[0]);
	}
}

/* Line i -> part and item; item -1: the heading, -2: the blank line before it. */
static enum part locate(const struct store *s, size_t i, int *item)
{
	enum part part = PART_STAGES;

	for (;; part++) {
		size_t lines = part_size(s, part) + (part > 0 ? 2 : 1);

		if (i < lines || part + 1 == PARTS) {
			*item = (int)i - (part > 0 ? 2 : 1);
			return part;
		}
		i -= lines;
	}
}

static size_t legend_count(const struct pane *p)
{
	size_t count = 2 * PARTS - 1;

	for (int part = 0; part < PARTS; part++)
		count += part_size(store_of(p), (enum part)part);
	return count;
}

static void legend_title(const struct pane *p, struct sbuf *out)
{
	sbuf_puts(out, "legend");
	pane_range_title(store_of(p), &of(p)->range, of(p)->part.clipped, out);
}

static void totals_of(const struct pane *p, struct totals *out)
{
	if (of(p)->range.on)
		*out = of(p)->part.totals;
	else
		store_totals(store_of(p), out);
}

static int columns_of(const struct pane *p)
{
	return p->columns > 0 ? p->columns : p->ops->width;
}

/* Append the name and the two numbers (texts, NULL: none) as wide as the pane. */
static void add_columns(const struct pane *p, enum role role, const char *name,
			const char *const numbers[2], int taken, struct pane_line *out)
{
	int columns = columns_of(p), w = columns >= WIDE ? WIDE_NUMBER : NARROW_NUMBER;
	int room = columns - taken - 2 * w;
	struct sbuf text = {0};

	abbreviate(&text, name, room);
	room -= text_width(sbuf_text(&text), text.len);
	sbuf_printf(&text, "%*s%*s%*s", room > 0 ? room : 0, "", w, numbers[0] ? numbers[0] : "", w,
		    numbers[1] ? numbers[1] : "");
	pane_line_bytes(out, role, sbuf_text(&text), text.len);
	sbuf_free(&text);
}

static const char *number(const struct pane *p, int64_t value, char buf[32])
{
	if (columns_of(p) >= WIDE)
		return num_group(value, buf);
	return num_short((double)value, NARROW_NUMBER - 1, buf);
}

/* Below the line. */
static void add_help(const struct pane *p, size_t i, const char *help, struct pane_line *out)
{
	if (help && (columns_of(p) >= WIDE || i == p->cursor))
		pane_line_add(out, ROLE_DIM, "\n%s", help);
}

static void stage_line(const struct pane *p, int i, const struct totals *t, struct pane_line *out)
{
	const struct stage_info *info = store_stage(store_of(p), (size_t)i);
	char entries[32], ticks[32];

	number(p, (int64_t)t->stage_entries[i], entries);
	number(p, t->stage_ticks[i], ticks);
	pane_line_add(out, (enum role)(ROLE_STAGE_0 + info->colour % PALETTE_STAGES), " %c ",
		      info->letter);
	pane_line_add(out, ROLE_PANE, " ");
	add_columns(p, ROLE_PANE, info->name, (const char *const[]){entries, ticks}, LETTER_COLUMNS,
		    out);
}

static void event_line(const struct pane *p, int i, const struct totals *t, struct pane_line *out)
{
	const struct event_info *info = store_event(store_of(p), (size_t)i);
	char count[32], mean[32] = "";

	number(p, (int64_t)t->event_counts[i], count);
	if (info->lasting && t->event_latency[i] >= 0 && t->event_counts[i] > 0)
		num_short((double)t->event_latency[i] / (double)t->event_counts[i],
			  NARROW_NUMBER - 1, mean);
	pane_line_add(out, (enum role)(ROLE_EVENT_0 + info->colour % PALETTE_EVENTS), " %c ",
		      info->letter);
	pane_line_add(out, ROLE_PANE, " ");
	add_columns(p, ROLE_PANE, info->name, (const char *const[]){count, mean}, LETTER_COLUMNS,
		    out);
}

static void fate_line(const struct pane *p, int i, const struct totals *t, struct pane_line *out)
{
	char count[32], sign[5] = "";

	text_encode(fate_sign(i), sign);
	pane_line_add(out, i == FATE_UNKNOWN ? ROLE_UNKNOWN : ROLE_SQUASHED, " %s ", sign);
	pane_line_add(out, ROLE_PANE, " ");
	number(p, (int64_t)t->fates[i], count);
	add_columns(p, ROLE_PANE, fate_names[i], (const char *const[]){NULL, count}, LETTER_COLUMNS,
		    out);
}

static void heading_line(const struct pane *p, enum part part, struct pane_line *out)
{
	char unit[32];
	const char *numbers[2] = {part_numbers[part][0], part_numbers[part][1]};

	if (part == PART_STAGES) {
		snprintf(unit, sizeof(unit), "%ss", store_unit(store_of(p)));
		numbers[1] = unit;
	}
	add_columns(p, ROLE_BORDER, part_heads[part], numbers, 0, out);
}

static void item_line(const struct pane *p, enum part part, int item, size_t i,
		      struct pane_line *out)
{
	struct totals t;

	totals_of(p, &t);
	switch (part) {
	case PART_STAGES:
		stage_line(p, item, &t, out);
		add_help(p, i, store_stage(store_of(p), (size_t)item)->help, out);
		break;
	case PART_EVENTS:
		event_line(p, item, &t, out);
		add_help(p, i, store_event(store_of(p), (size_t)item)->help, out);
		break;
	case PART_FATES:
		fate_line(p, item, &t, out);
		add_help(p, i, fate_helps[item], out);
		break;
	default:
		pane_line_add(out, notation[item].role, "%s", notation[item].sample);
		pane_line_add(out, ROLE_DIM, "  ");
		pane_line_add(out, ROLE_DIM, "%s", notation[item].help);
	}
}

static void legend_line(const struct pane *p, size_t i, struct pane_line *out)
{
	int item;
	enum part part = locate(store_of(p), i, &item);

	if (item == -1)
		heading_line(p, part, out);
	else if (item >= 0)
		item_line(p, part, item, i, out);
}

/* A name from the trace may hold anything: in quotes it stays one word of the command. */
static void add_word(struct sbuf *out, const char *word)
{
	sbuf_puts(out, " \"");
	for (; *word; word++) {
		if (*word == '"' || *word == '\\')
			sbuf_putc(out, '\\');
		sbuf_putc(out, *word);
	}
	sbuf_putc(out, '"');
}

static bool legend_command(const struct pane *p, size_t i, struct sbuf *out)
{
	const struct store *s = store_of(p);
	int item;
	enum part part = locate(s, i, &item);

	if (item < 0 || part == PART_NOTATION)
		return false;
	sbuf_puts(out, "highlight");
	if (part == PART_STAGES) {
		sbuf_puts(out, " stage");
		add_word(out, store_stage(s, (size_t)item)->name);
	} else if (part == PART_EVENTS) {
		sbuf_puts(out, " event");
		add_word(out, store_event(s, (size_t)item)->name);
	} else {
		sbuf_puts(out, " fate");
		add_word(out, fate_names[item]);
	}
	return true;
}

static const struct pane_ops legend_ops = {
    .name = "legend",
    .help = "stages, events and fates with their letters, colours and counts",
    .title = legend_title,
    .count = legend_count,
    .line = legend_line,
    .command = legend_command,
    .width = 56,
};

struct pane *legend_pane(struct store *s, const struct selection *range)
{
	struct legend *p = xcalloc(1, sizeof(*p));

	p->pane.ops = &legend_ops;
	p->pane.data = p;
	p->store = s;
	if (range && range->on) {
		p->range = *range;
		pane_range_totals(s, range, &p->part, NULL);
	}
	return &p->pane;
}
