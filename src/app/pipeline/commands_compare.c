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
	return error_set(e, STATUS_NOT_FOUND, "nothing to compare with: type :compare FILE");
}

enum status rows_compare(struct app *a, struct tab *const side[2], int way,
			 struct error *e)
{
	(void)e;
	alignment_begin(a, &(struct alignment_wish){
			       .side = {side[JOINED_A], side[JOINED_B]},
			       .options.by = way < 0 ? ALIGN_BY_COMMIT : (enum align_by)way});
	return STATUS_OK;
}

static enum status begin(struct call *c, const struct alignment_wish *wish, struct error *e)
{
	for (int s = 0; s < ALIGN_SIDES; s++)
		if (!rows_of(wish->side[s]))
			return error_set(e, STATUS_NOT_FOUND, "%s has no instructions to compare",
					 sbuf_text(&wish->side[s]->name));
	alignment_begin(c->app, wish);
	c->react |= jobs_step(c->app, clock_ms());
	return STATUS_OK;
}

/* Those compared now, else the neighbours. */
static enum status wished(struct call *c, struct alignment_wish *wish, struct error *e)
{
	*wish = (struct alignment_wish){.layout = COMPARE_STACKED};
	if (alignment_wish(c->app->tab, wish))
		return STATUS_OK;
	return joined_neighbours(c->app, wish->side, e);
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
		return error_set(e, STATUS_USAGE, "give a row of A and a row of B, or no row");
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
					 "row %" PRIu64 " of %c does not exist or did not commit",
					 wish.options.row[s], align_letter(s));
	}
	return begin(c, &wish, e);
}

static enum status compare_layout(struct call *c, struct error *e)
{
	enum status status = need_joined(c, e);
	int layout;

	if (status)
		return status;
	if (call_choice(c, 0, (int)alignment_shown(c->app)->view.layout, &layout, e))
		return STATUS_USAGE;
	alignment_shown(c->app)->view.layout = (enum compare_layout)layout;
	c->react |= REACT_RELAYOUT;
	app_message(c->app, false, "%s", compare_layout_names[layout]);
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
		return error_set(e, STATUS_USAGE, "expected %s; got: %s",
				 arg_help(ARG_DIFFERENCES), c->argv[0]);
	alignment_seek(c->app, c->command->arg, kinds);
	return STATUS_OK;
}

const struct command row_compare_commands[] = {
    {"compare by", "WAY",
     "match the traces by: commit, cycle or start (cycles since each trace's start)",
     .run = compare_by, .flags = CMD_TRACE},
    {"compare pair", "[N] [N]",
     "match two rows: N of A with N of B (default: under the cursors), and the rest in order "
     "of commits", .run = compare_pair, .flags = CMD_TRACE},
    {"compare layout", "[LAYOUT]", "change the layout: stacked, interleaved or overlaid; no argument: the next one",
     .run = compare_layout, .flags = CMD_TRACE},
    {"compare next", "[DIFFERENCES]", "go to the next difference; remembers the kinds",
     .run = compare_seek, .flags = CMD_TRACE, .arg = 1},
    {"compare prev", "[DIFFERENCES]", "go to the previous difference", .run = compare_seek,
     .flags = CMD_TRACE, .arg = -1},
    {"compare first", "[DIFFERENCES]", "go to the first difference", .run = compare_seek,
     .flags = CMD_TRACE},
    {.name = NULL},
};
