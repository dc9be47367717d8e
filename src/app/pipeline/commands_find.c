#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/pipeline/names.h"
#include "app/pipeline/rows.h"
#include "app/state.h"
#include "base/num.h"
#include "base/xalloc.h"

enum status rows_again(struct call *c, struct error *e)
{
	struct tab *t = c->app->tab;
	int dir = c->command->arg;
	int64_t n;

	if (call_number(c, 0, 1, &n, e))
		return STATUS_USAGE;
	if (rows_of(t)->walks_path)
		return explaining_step(c, dir, n, e);
	if (rows_of(t)->target.kind == TARGET_NONE)
		return error_set(e, STATUS_NOT_FOUND,
				 "nothing to look for: search or highlight something first");
	if (rows_of(t)->target.kind == TARGET_TEXT || rows_of(t)->target.kind == TARGET_LINE)
		dir *= rows_of(t)->search_dir;
	if (rows_of(t)->target.kind == TARGET_LINE && !rows_of(t)->lines && rows_aim_lines(t, e))
		return STATUS_IO;
	c->react |= work_seek(c->app, dir, n);
	return STATUS_OK;
}

static enum status look_for(struct call *c, struct target target)
{
	struct tab *t = c->app->tab;
	const struct target *now = &rows_of(t)->target;

	if (now->kind != target.kind || now->what != target.what || now->ticks != target.ticks) {
		work_cancel(c->app);
		rows_aim(t, target);
	}
	rows_of(t)->walks_path = false;
	c->react |= work_seek(c->app, c->command->arg < 0 ? -1 : 1, c->count);
	return STATUS_OK;
}

/* Kinds of what has a name, as a target and as a highlight. */
static const enum named named_of[] = {
    [TARGET_STAGE] = NAMED_STAGE, [TARGET_EVENT] = NAMED_EVENT, [TARGET_FATE] = NAMED_FATE};

/* The command's argument is the kind of target, less than 0: backwards. A squash needs no name. */
static enum status find_named(struct call *c, struct error *e)
{
	struct target target = {.kind = (enum target_kind)abs(c->command->arg),
				.what = FATE_SQUASHED};

	if (c->argc && name_find(rows_of(c->app->tab)->store, named_of[target.kind], c->argv[0],
				 &target.what, e))
		return STATUS_USAGE;
	return look_for(c, target);
}

/* The count of a key is the length: 50w looks for a stay of 50 cycles. */
static enum status find_long(struct call *c, struct error *e)
{
	struct target target = {.kind = (enum target_kind)abs(c->command->arg)};
	enum option def = target.kind == TARGET_STAY ? OPT_STAY : OPT_GAP;

	if (call_number(c, 0, c->app->set.value[def], &target.ticks, e))
		return STATUS_USAGE;
	if (target.ticks < 1)
		return error_set(e, STATUS_USAGE, "must be at least 1, not %" PRId64, target.ticks);
	c->count = -1;
	if (__builtin_mul_overflow(target.ticks, rows_of(c->app->tab)->view.axis.step,
				   &target.ticks))
		target.ticks = INT64_MAX;
	return look_for(c, target);
}

/* Searching */

/* The pattern of the argument, else the last one, in the direction of the command. */
static enum status take_pattern(struct call *c, struct error *e)
{
	struct tab *t = c->app->tab;
	struct regex *re;

	if (!c->argc && !rows_of(t)->search)
		return error_set(e, STATUS_NOT_FOUND, "no search yet");
	if (c->argc) {
		if (regex_new(&re, c->argv[0], e))
			return STATUS_USAGE;
		work_cancel(c->app);
		rows_aim(t, (struct target){.kind = TARGET_NONE});
		regex_free(rows_of(t)->search);
		rows_of(t)->search = re;
		rows_of(t)->view.search = re;
	}
	rows_of(t)->search_dir = c->command->arg;
	return STATUS_OK;
}

enum status rows_search(struct call *c, struct error *e)
{
	struct tab *t = c->app->tab;
	enum status status = take_pattern(c, e);

	if (status)
		return status;
	rows_of(t)->walks_path = false;
	if (rows_of(t)->target.kind != TARGET_TEXT)
		rows_aim(t, (struct target){.kind = TARGET_TEXT, .text = rows_of(t)->search});
	c->react |= work_seek(c->app, c->command->arg, c->count);
	return STATUS_OK;
}

/* All text of the trace, whatever the lines are. */
static enum status search_lines(struct call *c, struct error *e)
{
	struct tab *t = c->app->tab;
	enum status status = take_pattern(c, e);

	if (status)
		return status;
	if (!rows_of(t)->lines && rows_aim_lines(t, e))
		return STATUS_IO;
	c->react |= work_seek(c->app, c->command->arg, c->count);
	return STATUS_OK;
}

static void search_none(struct call *c)
{
	struct tab *t = c->app->tab;

	work_cancel(c->app);
	if (rows_of(t)->target.kind == TARGET_TEXT || rows_of(t)->target.kind == TARGET_LINE)
		rows_aim(t, (struct target){.kind = TARGET_NONE});
	rows_of(t)->view.search = NULL;
	regex_free(rows_of(t)->search);
	rows_of(t)->search = NULL;
}

/* Filters */

static enum status filter_rows(struct call *c, struct error *e)
{
	const char *pattern = c->argv[0];
	struct row_choice choice;
	struct regex *text;
	bool invert = *pattern == '!';

	pattern += invert;
	if (!*pattern)
		return error_set(e, STATUS_USAGE, "a regular expression is missing");
	if (regex_new(&text, pattern, e))
		return STATUS_USAGE;
	/* threads that were chosen stay so */
	if (row_choice_copy(&choice, &rows_of(c->app->tab)->choice, e)) {
		regex_free(text);
		return STATUS_USAGE;
	}
	regex_free(choice.text);
	choice.text = text;
	choice.invert = invert;
	c->react |= work_filter(c->app, &choice);
	return STATUS_OK;
}

/* The threads whose whole number matches the pattern, so that 1 is not 10; how many in *n. */
static bool *matching_threads(const struct store *s, const char *pattern, size_t *n,
			      struct error *e)
{
	size_t count = store_thread_count(s) + 1;
	struct sbuf whole = {0};
	struct regex *re;
	bool *keep;
	enum status status;

	*n = 0;
	/* alone first: what is wrong with it is told of what was typed */
	status = regex_new(&re, pattern, e);
	if (!status) {
		regex_free(re);
		sbuf_printf(&whole, "^(?:%s)$", pattern);
		status = regex_new(&re, sbuf_text(&whole), e);
	}
	sbuf_free(&whole);
	if (status)
		return NULL;
	keep = xcalloc(count, sizeof(*keep));
	for (size_t i = 1; i < count; i++) {
		char text[32];
		int len = snprintf(text, sizeof(text), "%" PRId64, store_thread(s, (uint16_t)i));

		keep[i] = regex_match(re, text, (size_t)len, NULL, NULL);
		*n += keep[i];
	}
	regex_free(re);
	return keep;
}

/* The pattern in force stays. */
static enum status filter_thread(struct call *c, struct error *e)
{
	struct tab *t = c->app->tab;
	struct row_choice choice;
	size_t n;
	bool *keep = matching_threads(rows_of(t)->store, c->argv[0], &n, e);

	if (!keep)
		return STATUS_USAGE;
	if (!n) {
		free(keep);
		return error_set(e, STATUS_NOT_FOUND,
				 store_thread_count(rows_of(t)->store) ? "no thread matches %s"
							      : "the trace names no threads: %s",
				 c->argv[0]);
	}
	if (row_choice_copy(&choice, &rows_of(t)->choice, e)) {
		free(keep);
		return STATUS_USAGE;
	}
	free(choice.threads);
	choice.threads = keep;
	choice.thread_count = store_thread_count(rows_of(t)->store) + 1;
	c->react |= work_filter(c->app, &choice);
	return STATUS_OK;
}

static void filter_none(struct call *c)
{
	struct row_choice all = {0};

	tab_filter(c->app->tab, NULL);
	c->react |= work_filter(c->app, &all);
}

/* The options stand in the order of the words. */
static enum status set_hidden(struct call *c, struct error *e)
{
	int64_t *hide = &c->app->set.value[OPT_HIDE_SQUASHED];
	int which, all = OPT_HIDE_MICRO_OPS + 1 - OPT_HIDE_SQUASHED;
	bool hidden = c->command->arg;

	if (call_choice(c, 0, 0, &which, e))
		return STATUS_USAGE;
	if (which == all && hidden)
		return error_set(e, STATUS_USAGE, "hide takes squashed, dropped, lost, in-flight or micro-ops, not all");
	for (int i = 0; i < all; i++)
		if (i == which || which == all)
			hide[i] = hidden;
	app_apply(c->app, EFFECT_FILTER);
	return STATUS_OK;
}

/* Highlights */

static void add_count(struct sbuf *out, uint64_t n, const char *one, const char *more)
{
	char number[32];

	sbuf_printf(out, "%s %s", num_group((int64_t)n, number), n == 1 ? one : more);
}

/* How often it is in the trace. */
static void say_highlight(struct app *a, enum highlight_kind kind, unsigned what)
{
	const struct store *s = rows_of(a->tab)->store;
	bool event = kind == HIGHLIGHT_EVENT, stage = kind == HIGHLIGHT_STAGE;
	struct sbuf count = {0}, next = {0}, prev = {0};
	struct totals totals;

	store_totals(s, &totals);
	if (event)
		add_count(&count, totals.event_counts[what], "event in ", "events in ");
	if (stage)
		add_count(&count, totals.stage_entries[what], "entry", "entries");
	else
		add_count(&count, event ? totals.event_rows[what] : totals.fates[what], "row", "rows");
	app_key_of(a, "next", &next);
	app_key_of(a, "prev", &prev);
	app_message(a, false, "%s: %s  %s next, %s previous",
		    event   ? store_event(s, what)->name
		    : stage ? store_stage(s, what)->name
			    : fate_names[what],
		    sbuf_text(&count), sbuf_text(&next), sbuf_text(&prev));
	sbuf_free(&count);
	sbuf_free(&next);
	sbuf_free(&prev);
}

static const enum target_kind target_of[] = {[HIGHLIGHT_NONE] = TARGET_NONE,
					     [HIGHLIGHT_EVENT] = TARGET_EVENT,
					     [HIGHLIGHT_STAGE] = TARGET_STAGE,
					     [HIGHLIGHT_FATE] = TARGET_FATE};

static void set_highlight(struct call *c, enum highlight_kind kind, unsigned what)
{
	enum target_kind target = target_of[kind];
	struct tab *t = c->app->tab;

	work_cancel(c->app);
	rows_of(t)->view.highlight = (struct highlight){kind, what};
	if (target == TARGET_NONE && rows_of(t)->search)
		rows_aim(t, (struct target){.kind = TARGET_TEXT, .text = rows_of(t)->search});
	else
		rows_aim(t, (struct target){.kind = target, .what = what});
	if (kind != HIGHLIGHT_NONE)
		say_highlight(c->app, kind, what);
}

/* The command's argument is the kind of highlight. */
static enum status highlight_named(struct call *c, struct error *e)
{
	enum highlight_kind kind = (enum highlight_kind)c->command->arg;
	enum target_kind target = target_of[kind];
	unsigned what;

	if (name_find(rows_of(c->app->tab)->store, named_of[target], c->argv[0], &what, e))
		return STATUS_USAGE;
	set_highlight(c, kind, what);
	return STATUS_OK;
}

static void highlight_none(struct call *c)
{
	set_highlight(c, HIGHLIGHT_NONE, 0);
}

/* What is under the cursor: an event if the cell has one, else the stage. */
static enum status highlight_here(struct call *c, struct error *e)
{
	struct picture_cell cell;
	bool exact;

	if (pipeview_cell(&rows_of(c->app->tab)->view, &cell, &exact, e))
		return STATUS_IO;
	if (cell.events)
		set_highlight(c, HIGHLIGHT_EVENT, (unsigned)__builtin_ctz(cell.events));
	else if (cell.stage != PICTURE_EMPTY)
		set_highlight(c, HIGHLIGHT_STAGE, cell.stage);
	else
		return error_set(e, STATUS_NOT_FOUND, "nothing happens here");
	return STATUS_OK;
}

const struct command find_commands[] = {
    {"search-text", "[REGEX]", "search forward in all lines of the trace: labels, notes, comments",
     .run = search_lines, .flags = CMD_TRACE, .arg = 1},
    {"search-text-back", "[REGEX]", "search backward in all lines", .run = search_lines,
     .flags = CMD_TRACE, .arg = -1},
    {"search none", "", "forget the pattern and clear its matches", .act = search_none,
     .flags = CMD_TRACE},
    {"next squash", "", "go to the next squashed row", .run = find_named, .flags = CMD_TRACE, .arg = TARGET_FATE},
    {"prev squash", "", "go to the previous squashed row", .run = find_named, .flags = CMD_TRACE,
     .arg = -TARGET_FATE},
    {"next event", "EVENT", "go to the next row with an event", .run = find_named, .flags = CMD_TRACE,
     .arg = TARGET_EVENT},
    {"prev event", "EVENT", "go to the previous row with an event", .run = find_named, .flags = CMD_TRACE,
     .arg = -TARGET_EVENT},
    {"next stage", "STAGE", "go to the next row that enters a stage", .run = find_named,
     .flags = CMD_TRACE, .arg = TARGET_STAGE},
    {"prev stage", "STAGE", "go to the previous row that enters a stage", .run = find_named,
     .flags = CMD_TRACE, .arg = -TARGET_STAGE},
    {"next fate", "FATE", "go to the next row with this fate", .run = find_named, .flags = CMD_TRACE,
     .arg = TARGET_FATE},
    {"prev fate", "FATE", "go to the previous row with this fate", .run = find_named, .flags = CMD_TRACE,
     .arg = -TARGET_FATE},
    {"next stay", "[N]", "go to the next long stay: N cycles or more in a stage (option stay); the count of its key is N",
     .run = find_long, .flags = CMD_TRACE, .arg = TARGET_STAY},
    {"prev stay", "[N]", "go to the previous long stay", .run = find_long,
     .flags = CMD_TRACE, .arg = -TARGET_STAY},
    {"next gap", "[N]", "go to the next gap: N cycles or more without a record (option gap); the count of its key is N",
     .run = find_long, .flags = CMD_TRACE, .arg = TARGET_GAP},
    {"prev gap", "[N]", "go to the previous gap", .run = find_long,
     .flags = CMD_TRACE, .arg = -TARGET_GAP},
    {"highlight event", "EVENT", "highlight an event; next and prev go to the others",
     .run = highlight_named, .flags = CMD_TRACE, .arg = HIGHLIGHT_EVENT},
    {"highlight stage", "STAGE", "highlight a stage", .run = highlight_named,
     .flags = CMD_TRACE, .arg = HIGHLIGHT_STAGE},
    {"highlight fate", "FATE", "highlight the rows with this fate", .run = highlight_named,
     .flags = CMD_TRACE, .arg = HIGHLIGHT_FATE},
    {"highlight here", "", "highlight what is under the cursor", .run = highlight_here,
     .flags = CMD_TRACE},
    {"highlight none", "", "remove the highlight", .act = highlight_none, .flags = CMD_TRACE},
    {"filter", "REGEX", "show only rows whose text or pc matches; !RE: does not match",
     .run = filter_rows, .flags = CMD_TRACE},
    {"filter rows", "REGEX", "the same, even if the pattern is a word such as none",
     .run = filter_rows, .flags = CMD_TRACE},
    {"filter thread", "REGEX", "show only rows of matching threads",
     .run = filter_thread, .flags = CMD_TRACE},
    {"filter none", "", "show all rows, stages and threads", .act = filter_none,
     .flags = CMD_TRACE},
    {"hide", "ROWS", "hide rows: squashed, dropped, lost, in-flight, micro-ops",
     .run = set_hidden, .arg = true},
    {"show", "ROWS", "show hidden rows again: squashed, dropped, lost, in-flight, micro-ops, all",
     .run = set_hidden, .arg = false},
    {.name = NULL},
};
