#include "config.h"

#include "view/pane.h"

#include <inttypes.h>

#include "base/num.h"
#include "base/xalloc.h"

/* How the picture is to be read, where letters and colours alone do not say it. */
static const struct {
	const char *sample;
	enum role role;
	const char *help;
} notation[] = {
    {"Xxx", ROLE_STAGE_0 + 2, "capital: entry into the stage; zoomed out: most ticks"},
    {"xxx", ROLE_SQUASHED, "small: a row that did not commit"},
    {"*xx", ROLE_EVENT_0, "a miss over its latency; a prediction, cut at the stay"},
    {"--F", ROLE_EVENT_0, "a fetch miss: the stall was before the fetch"},
    {"...", ROLE_DIM, "stage hidden by the component filter"},
};

static const char *const fate_helps[] = {
#define FATE_HELP(name, text, letter, help) help,
    FATE_INFO(FATE_HELP)
#undef FATE_HELP
};

enum part { PART_STAGES, PART_EVENTS, PART_FATES, PART_NOTATION, PARTS };

static const char *const part_heads[PARTS] = {"stages", "events", "fates", "notation"};

static struct store *store_of(const struct pane *p)
{
	return p->data;
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
	(void)p;
	sbuf_puts(out, "legend");
}

static void stage_line(const struct store *s, int i, const struct totals *t, struct pane_line *out)
{
	const struct stage_info *info = store_stage(s, (size_t)i);
	char entries[32], ticks[32];

	num_group((int64_t)t->stage_entries[i], entries);
	num_group(t->stage_ticks[i], ticks);
	pane_line_add(out, (enum role)(ROLE_STAGE_0 + info->colour % PALETTE_STAGES), " %c ",
		      info->letter);
	pane_line_add(out, ROLE_PANE, " %-8s%14s %14s %ss  ", info->name, entries, ticks,
		      store_unit(s));
	pane_line_add(out, ROLE_DIM, "%s", info->help ? info->help : "");
}

static void event_line(const struct store *s, int i, const struct totals *t, struct pane_line *out)
{
	const struct event_info *info = store_event(s, (size_t)i);
	char count[32], mean[32] = "";

	num_group((int64_t)t->event_counts[i], count);
	if (info->lasting && t->event_latency[i] >= 0 && t->event_counts[i] > 0)
		num_short((double)t->event_latency[i] / (double)t->event_counts[i], 6, mean);
	pane_line_add(out, (enum role)(ROLE_EVENT_0 + info->colour % PALETTE_EVENTS), " %c ",
		      info->letter);
	pane_line_add(out, ROLE_PANE, " %-20s%14s ", info->name, count);
	pane_line_add(out, ROLE_PANE, "%6s%s  ", mean, *mean ? " each" : "     ");
	pane_line_add(out, ROLE_DIM, "%s", info->help ? info->help : "");
}

static void fate_line(int i, const struct totals *t, struct pane_line *out)
{
	char count[32];

	pane_line_add(out, i == FATE_UNKNOWN ? ROLE_UNKNOWN : ROLE_SQUASHED, " %c ",
		      fate_letters[i]);
	pane_line_add(out, ROLE_PANE, " %-20s%14s  ", fate_names[i],
		      num_group((int64_t)t->fates[i], count));
	pane_line_add(out, ROLE_DIM, "%s", fate_helps[i]);
}

static void legend_line(const struct pane *p, size_t i, struct pane_line *out)
{
	const struct store *s = store_of(p);
	struct totals t;
	int item;
	enum part part = locate(s, i, &item);

	if (item == -1)
		pane_line_add(out, ROLE_BORDER, "%s", part_heads[part]);
	if (item < 0)
		return;
	store_totals(s, &t);
	switch (part) {
	case PART_STAGES:
		stage_line(s, item, &t, out);
		break;
	case PART_EVENTS:
		event_line(s, item, &t, out);
		break;
	case PART_FATES:
		fate_line(item, &t, out);
		break;
	default:
		pane_line_add(out, notation[item].role, "%s", notation[item].sample);
		pane_line_add(out, ROLE_DIM, "  %s", notation[item].help);
	}
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

struct pane *legend_pane(struct store *s)
{
	struct pane *p = xcalloc(1, sizeof(*p));

	p->ops = &legend_ops;
	p->data = s;
	return p;
}
