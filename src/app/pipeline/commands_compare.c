#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "app/pipeline/alignment.h"
#include "app/pipeline/rows.h"
#include "app/state.h"
#include "base/num.h"

static enum status need_joined(const struct call *c, struct error *e)
{
	const struct app *a = c->app;

	if (alignment_shown(a))
		return STATUS_OK;
	if (a->tab->joined)
		return error_set(e, STATUS_NOT_FOUND, "the traces are not matched yet");
	return error_set(e, STATUS_NOT_FOUND,
			 "no trace is compared with this one: :compare FILE");
}

/* The tab beside the current one; of the two the one further left is A. */
static enum status neighbours(struct app *a, struct alignment_wish *wish, struct error *e)
{
	int here = app_tab_index(a), left = here + 1 < a->tab_count ? here : here - 1;

	if (a->tab_count < ALIGN_SIDES)
		return error_set(e, STATUS_NOT_FOUND, "with which trace? :compare FILE");
	wish->side[ALIGN_A] = a->tabs[left];
	wish->side[ALIGN_B] = a->tabs[left + 1];
	return STATUS_OK;
}

/*
 * A number is a tab, all else a file: that becomes a tab, and the current one stays, with the pane
 * that has both side by side.
 */
static enum status named_tab(struct app *a, const char *name, struct tab **out, struct error *e)
{
	int here = app_tab_index(a);
	bool diagnosed = panes_is_open(a, "cpi0");
	struct sbuf path = {0};
	enum status status;
	int64_t n;

	if (num_parse_i64(name, &n)) {
		if (n < 1 || n > a->tab_count)
			return error_set(e, STATUS_NOT_FOUND, "no tab %s: there are %d", name,
					 a->tab_count);
		*out = a->tabs[n - 1];
		return STATUS_OK;
	}
	app_expand_home(name, &path);
	status = app_open(a, sbuf_text(&path), e);
	sbuf_free(&path);
	if (status)
		return status;
	*out = a->tab;
	app_show_tab(a, here);
	return diagnosed ? panes_open(a, pane_kind_find("cpi0", NULL), e) : STATUS_OK;
}

static enum status begin(struct call *c, const struct alignment_wish *wish, struct error *e)
{
	for (int s = 0; s < ALIGN_SIDES; s++)
		if (!rows_of(wish->side[s]))
			return error_set(e, STATUS_NOT_FOUND, "%s has no instructions to compare",
					 sbuf_text(&wish->side[s]->name));
	alignment_begin(c->app, wish);
	c->react |= jobs_step(c->app, clock_ms()) | REACT_REDRAW;
	return STATUS_OK;
}

static enum status compare(struct call *c, struct error *e)
{
	struct app *a = c->app;
	struct alignment_wish wish = {.side = {a->tab}, .options.by = ALIGN_BY_COMMIT};
	enum status status;
	int by = ALIGN_BY_COMMIT;

	if (!c->argc && a->tab->joined)
		return error_set(e, STATUS_NOT_FOUND,
				 "it is compared already; compare off ends that");
	if (c->argc > 1 && call_choice(c, 1, 0, &by, e))
		return STATUS_USAGE;
	wish.options.by = (enum align_by)by;
	status = c->argc ? named_tab(a, c->argv[0], &wish.side[ALIGN_B], e)
			 : neighbours(a, &wish, e);
	if (!status && wish.side[ALIGN_A] == wish.side[ALIGN_B])
		return error_set(e, STATUS_USAGE, "a trace is compared with another one");
	if (!status)
		status = begin(c, &wish, e);
	return status;
}

/* Those compared now, else the neighbours. */
static enum status wished(struct call *c, struct alignment_wish *wish, struct error *e)
{
	*wish = (struct alignment_wish){.layout = COMPARE_STACKED};
	return alignment_wish(c->app->tab, wish) ? STATUS_OK : neighbours(c->app, wish, e);
}

static enum status compare_by(struct call *c, struct error *e)
{
	struct alignment_wish wish;
	enum status status;
	int by;

	if (call_choice(c, 0, 0, &by, e))
		return STATUS_USAGE;
	status = wished(c, &wish, e);
	if (status)
		return status;
	wish.options.by = (enum align_by)by;
	return begin(c, &wish, e);
}

/* Rows under the cursors of both, or as they are told. */
static enum status compare_pair(struct call *c, struct error *e)
{
	struct alignment_wish wish;
	struct row row;
	enum status status = wished(c, &wish, e);

	if (status)
		return status;
	if (c->argc && c->argc != ALIGN_SIDES)
		return error_set(e, STATUS_USAGE, "a row of A and one of B, or neither");
	wish.options.by = ALIGN_BY_PAIR;
	joined_sync(c->app);
	for (int s = 0; s < ALIGN_SIDES; s++) {
		wish.options.row[s] = tab_place(wish.side[s]).item;
		if (c->argc && !num_parse_u64(c->argv[s], &wish.options.row[s]))
			return error_set(e, STATUS_USAGE, "not a row: %s", c->argv[s]);
		if (wish.options.row[s] == ROW_NONE)
			return error_set(e, STATUS_NOT_FOUND, "there are no rows");
		/* before what is compared now is given up for it */
		if (!store_row(rows_of(wish.side[s])->store, wish.options.row[s], &row) ||
		    row.fate != FATE_COMMITTED)
			return error_set(e, STATUS_USAGE,
					 "row %" PRIu64 " of %c is not there or did not commit",
					 wish.options.row[s], align_letter(s));
	}
	return begin(c, &wish, e);
}

static enum status compare_off(struct call *c, struct error *e)
{
	if (!c->app->tab->joined)
		return need_joined(c, e);
	joined_end(c->app, c->app->tab->joined);
	c->react |= REACT_REDRAW | REACT_RELAYOUT;
	return STATUS_OK;
}

static enum status compare_layout(struct call *c, struct error *e)
{
	enum status status = need_joined(c, e);
	int layout;

	if (status)
		return status;
	if (call_choice(c, 0, (int)alignment_shown(c->app)->view.layout, &layout, e))
		return STATUS_USAGE;
	alignment_set_layout(c->app, (enum compare_layout)layout);
	app_message(c->app, false, "%s", compare_layout_names[layout]);
	c->react |= REACT_REDRAW;
	return STATUS_OK;
}

static enum status compare_switch(struct call *c, struct error *e)
{
	enum status status = need_joined(c, e);
	struct joined *j;

	if (status)
		return status;
	j = joined_shown(c->app);
	joined_pass(c->app, j->side[!joined_side(j, c->app->tab)]);
	c->react |= REACT_REDRAW;
	return STATUS_OK;
}

/* One kind of difference, "all", or several with commas between. */
static bool parse_kinds(const char *text, unsigned *out)
{
	*out = 0;
	for (size_t n; *text; text += n + (text[n] == ',')) {
		int kind = 0;

		n = strcspn(text, ",");
		while (kind < DIFFERENCE_COUNT &&
		       (strlen(difference_names[kind]) != n ||
			strncmp(difference_names[kind], text, n) != 0))
			kind++;
		if (kind < DIFFERENCE_COUNT)
			*out |= 1U << kind;
		else if (n == 3 && strncmp(text, "all", n) == 0)
			*out = DIFFERENCE_ALL;
		else
			return false;
	}
	return *out != 0;
}

static enum status compare_seek(struct call *c, struct error *e)
{
	enum status status = need_joined(c, e);
	unsigned kinds;

	if (status)
		return status;
	kinds = alignment_shown(c->app)->kinds;
	if (c->argc && !parse_kinds(c->argv[0], &kinds))
		return error_set(e, STATUS_USAGE, "differences are %s, not: %s",
				 arg_help(ARG_DIFFERENCES), c->argv[0]);
	alignment_seek(c->app, c->command->arg, kinds);
	c->react |= REACT_REDRAW;
	return STATUS_OK;
}

static enum status compare_table(struct call *c, struct error *e)
{
	enum status status = need_joined(c, e);

	if (!status)
		status = alignment_add_up(c->app, e);
	if (status)
		return status;
	c->react |= REACT_REDRAW | REACT_RELAYOUT;
	return panes_open(c->app, pane_kind_find("compare", NULL), e);
}

static enum status compare_curves(struct call *c, struct error *e)
{
	struct metric_wish wish = {.name = "ipc"};
	enum status status = need_joined(c, e);
	struct joined *j;

	if (status)
		return status;
	j = joined_shown(c->app);
	c->react |= REACT_REDRAW | REACT_RELAYOUT;
	if (!c->argc && *j->metric.name)
		wish = j->metric; /* the one shown last */
	if (!c->argc)
		return joined_curves(c->app, j->curves ? NULL : &wish, e);
	if (strlen(c->argv[0]) >= METRIC_NAME / 2 ||
	    (c->argc > 1 && strlen(c->argv[1]) >= METRIC_NAME / 2))
		return error_set(e, STATUS_USAGE, "a metric's name has at most %d bytes",
				 METRIC_NAME / 2 - 1);
	strcpy(wish.name, c->argv[0]);
	strcpy(wish.component, c->argc > 1 ? c->argv[1] : "");
	return joined_curves(c->app, &wish, e);
}

const struct command compare_commands[] = {
    {"compare", "[TRACE] [WAY]",
     "compare with another trace, row by row; alone: with the tab beside this one", .run = compare,
     .flags = CMD_TRACE},
    {"compare by", "WAY",
     "match the traces again: by commit, by cycle, or by cycles since each one's start",
     .run = compare_by, .flags = CMD_TRACE},
    {"compare pair", "[N] [N]",
     "match row N of A with row N of B, or those under the cursors, and so on in the order of "
     "commits",
     .run = compare_pair, .flags = CMD_TRACE},
    {"compare off", "", "show each trace in its own tab again", .run = compare_off,
     .flags = CMD_TRACE},
    {"compare layout", "[LAYOUT]", "one above the other, row by row, or one over the other",
     .run = compare_layout, .flags = CMD_TRACE},
    {"compare switch", "", "the other trace gets the focus", .run = compare_switch,
     .flags = CMD_TRACE},
    {"compare next", "[DIFFERENCES]", "go to the next difference; the kinds stay chosen",
     .run = compare_seek, .flags = CMD_TRACE, .arg = 1},
    {"compare prev", "[DIFFERENCES]", "go to the difference before", .run = compare_seek,
     .flags = CMD_TRACE, .arg = -1},
    {"compare first", "[DIFFERENCES]", "go to the first difference of all", .run = compare_seek,
     .flags = CMD_TRACE},
    {"compare table", "",
     "where the cycles went (of those selected in A, else of all); Enter goes there",
     .run = compare_table, .flags = CMD_TRACE},
    {"compare curves", "[METRIC] [REGEX]",
     "a metric of both traces as lines on one axis, in place of their strips, and back",
     .run = compare_curves, .flags = CMD_TRACE},
    {.name = NULL},
};
