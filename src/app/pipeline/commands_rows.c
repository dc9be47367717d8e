#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/pipeline/rows.h"
#include "base/num.h"
#include "base/text.h"
#include "pipeline/queries/detail.h"

/* The commands that are about instructions. */

enum {
	YANK_ROWS = 10000,
	STRETCH = 256, /* rows read at once */
	CLIPBOARD_MAX = 70000 /* bytes; terminals drop longer OSC 52 strings */
};

/* ---- going to an instruction ---- */

/* The next row at that address after the cursor, by the one search there is. */
static enum status go_pc(struct call *c, const char *text, struct error *e)
{
	struct tab *t = c->app->tab;
	struct sbuf pattern = {0};
	struct regex *re = NULL;
	uint64_t pc;
	enum status status;

	if (!num_parse_hex(text, &pc))
		return error_set(e, STATUS_USAGE, "not a hexadecimal address: %s", text);
	work_cancel(c->app);
	sbuf_printf(&pattern, "^0x%" PRIx64 "( |$)", pc);
	status = regex_new(&re, sbuf_text(&pattern), e);
	sbuf_free(&pattern);
	if (status)
		return status;
	regex_free(rows_of(t)->search);
	rows_of(t)->search = re;
	rows_of(t)->view.search = re;
	rows_of(t)->search_dir = 1;
	rows_aim(t, (struct target){.kind = TARGET_TEXT, .text = re, .by_pc = true, .pc = pc});
	c->react |= work_seek(c->app, 1, 1);
	return STATUS_OK;
}

static enum status go_seq(struct call *c, const char *text, struct error *e)
{
	uint64_t id, row;

	if (!num_parse_u64(text, &id))
		return error_set(e, STATUS_USAGE, "not an instruction number: %s", text);
	row = store_find_id(rows_of(c->app->tab)->store, id, 0);
	if (row == ROW_NONE)
		return error_set(e, STATUS_NOT_FOUND, "no instruction #%" PRIu64, id);
	return nav_go(c, row, TICK_NONE);
}

static enum status goto_retired(struct call *c, struct error *e)
{
	uint64_t number, row;
	enum status status;

	if (!num_parse_u64(c->argv[0], &number))
		return error_set(e, STATUS_USAGE, "not a retire id: %s", c->argv[0]);
	status = store_find_retired(rows_of(c->app->tab)->store, number, &row, e);
	return status ? status : nav_go(c, row, TICK_NONE);
}

/* The command's argument: by its pc. */
static enum status goto_named(struct call *c, struct error *e)
{
	return c->command->arg ? go_pc(c, c->argv[0], e) : go_seq(c, c->argv[0], e);
}

static enum status goto_start(struct call *c, struct error *e)
{
	struct place here = tab_place(c->app->tab);

	(void)e;
	return here.item == ROW_NONE ? STATUS_OK : nav_go(c, here.item, TICK_NONE);
}

static enum status goto_finish(struct call *c, struct error *e)
{
	struct tab *t = c->app->tab;
	int64_t first, end;
	struct row r;

	(void)e;
	if (!store_row(rows_of(t)->store, tab_place(t).item, &r) || !tab_ticks(t, &first, &end))
		return STATUS_OK;
	/* what becomes of a row is drawn where it ends */
	return nav_go(c, r.row, r.end != TICK_NONE ? r.end : end - 1);
}

/* 0x400500, #71: places that only this view knows. */
enum status rows_go_name(struct call *c, const char *text, struct error *e)
{
	return text[0] == '#' ? go_seq(c, text + 1, e) : go_pc(c, text, e);
}

/* ---- distance ---- */

struct end {
	struct place at;
	char name[8];
};

static enum status find_end(struct tab *t, const char *name, struct end *out, struct error *e)
{
	if (!name[0] || name[1] || !places_at(&t->places, name[0], &out->at))
		return error_set(e, STATUS_NOT_FOUND, "mark %s is not set", name);
	strcpy(out->name, name);
	return STATUS_OK;
}

static enum status distance(struct call *c, struct error *e)
{
	struct tab *t = c->app->tab;
	struct place here = tab_place(t);
	char newest[2] = {t->places.newest ? t->places.newest : '\'', '\0'};
	struct end from = {0};
	struct end to = {here, "cursor"};
	struct distance d;
	struct sbuf text = {0};
	enum status status;

	if (t->places.newest == '\0' && !t->places.has_before && !c->argc)
		return error_set(e, STATUS_NOT_FOUND,
				 "set a mark first: the distance starts there");
	status = find_end(t, c->argc ? c->argv[0] : newest, &from, e);
	if (!status && c->argc > 1)
		status = find_end(t, c->argv[1], &to, e);
	if (!status)
		status = measure(t, from.at.tick, to.at.tick, from.at.item, to.at.item, &d, e);
	if (status)
		return status;
	distance_text(t, &d, ", ", &text);
	app_message(c->app, false, "%s to %s: %s", from.name, to.name, sbuf_text(&text));
	sbuf_free(&text);
	return STATUS_OK;
}

/* ---- yank ---- */

static void add_stages(const struct store *s, const struct detail *d, const struct detail_row *r,
		       struct sbuf *out)
{
	for (uint32_t i = r->stay0; i < r->stay0 + r->stays; i++) {
		const struct stay *stay = &d->stays[i];

		sbuf_printf(out, "%s%s %" PRId64, i > r->stay0 ? " " : "",
			    store_stage(s, stay->stage)->name, stay->start);
	}
}

static void add_line(const struct store *s, const struct detail *d, const struct detail_row *r,
		     struct sbuf *out)
{
	char id[24];

	sbuf_printf(out, "row %" PRIu64 "  #%s", r->head.row, detail_id(r, "-", id));
	if (r->has_pc)
		sbuf_printf(out, "  0x%" PRIx64, r->pc);
	sbuf_puts(out, "  ");
	text_sanitise(out, sbuf_text(&d->text) + r->text0, r->text_len);
	sbuf_puts(out, "  ");
	add_stages(s, d, r, out);
	if (r->head.end != TICK_NONE)
		sbuf_printf(out, "  %s %" PRId64 "\n", fate_names[r->head.fate],
			    row_commit_tick(&r->head));
	else
		sbuf_printf(out, "  %s\n", fate_names[r->head.fate]);
}

/* Those of the selection that are shown, else the row under the cursor, a line each. */
static enum status yank_rows(struct call *c, struct sbuf *out, struct error *e)
{
	const struct rows *r = rows_of(c->app->tab);
	const struct selection *s = &r->view.selection;
	uint64_t row = s->on ? s->item0 : tab_place(c->app->tab).item;
	uint64_t last = s->on ? s->item1 : row + 1;
	struct detail d = {0};
	enum status status = STATUS_OK;
	int yanked = 0;

	while (row < last && yanked < YANK_ROWS && !status) {
		status = store_detail(r->store, row, last - row < STRETCH ? last - row : STRETCH, &d, e);
		if (status || !d.count)
			break;
		for (size_t i = 0; i < d.count && yanked < YANK_ROWS; i++) {
			if (r->filter && !filter_has(r->filter, d.rows[i].head.row))
				continue;
			add_line(r->store, &d, &d.rows[i], out);
			yanked++;
		}
		row += d.count;
	}
	detail_free(&d);
	return out->failed ? error_set(e, STATUS_NOMEM, "out of memory") : status;
}

static enum status yank_word(struct call *c, bool pc, struct sbuf *out, struct error *e)
{
	struct tab *t = c->app->tab;
	struct detail d = {0};
	enum status status = store_detail(rows_of(t)->store, tab_place(t).item, 1, &d, e);
	const struct detail_row *r = d.rows;

	if (!status && d.count && pc && r->has_pc)
		sbuf_printf(out, "0x%" PRIx64, r->pc);
	else if (!status && d.count && !pc)
		text_sanitise(out, sbuf_text(&d.text) + r->text0, r->text_len);
	detail_free(&d);
	return status;
}

static enum status yank_pc(struct call *c, struct sbuf *out, struct error *e)
{
	return yank_word(c, true, out, e);
}

static enum status yank_text(struct call *c, struct sbuf *out, struct error *e)
{
	return yank_word(c, false, out, e);
}

static enum status yank_cycle(struct call *c, struct sbuf *out, struct error *e)
{
	(void)e;
	sbuf_printf(out, "%" PRId64,
		    axis_time(&rows_of(c->app->tab)->view.axis, rows_of(c->app->tab)->view.axis.tick));
	return STATUS_OK;
}

static enum status yank_screen(struct call *c, struct sbuf *out, struct error *e)
{
	return app_export(c->app, GRID_TEXT, out, e);
}

/* What brings a colleague to this place. */
static enum status yank_command(struct call *c, struct sbuf *out, struct error *e)
{
	struct place here = tab_place(c->app->tab);

	(void)e;
	sbuf_printf(out, "goto row %" PRIu64 " ; goto cycle %" PRId64, here.item,
		    axis_time(&rows_of(c->app->tab)->view.axis, here.tick));
	return STATUS_OK;
}

/* In the order of the words of ARG_YANK. */
static enum status (*const yanks[])(struct call *c, struct sbuf *out, struct error *e) = {
    yank_rows, yank_pc, yank_text, yank_cycle, yank_screen, yank_command};

static void say_yanked(struct call *c)
{
	const struct sbuf *text = &c->app->clipboard;
	size_t lines = 0;

	for (size_t i = 0; i < text->len; i++)
		lines += text->text[i] == '\n';
	if (!c->app->set.value[OPT_CLIPBOARD])
		app_message(c->app, false,
			    "yanked %zu %s (:set clipboard on copies to the terminal too)",
			    lines > 1 ? lines : text->len, lines > 1 ? "lines" : "bytes");
	else if (text->len > CLIPBOARD_MAX)
		app_message(c->app, true, "yanked %zu bytes: too many for the terminal's clipboard", text->len);
	else
		app_message(c->app, false, "yanked %zu bytes", text->len);
}

static enum status yank(struct call *c, struct error *e)
{
	struct app *a = c->app;
	int what;

	if (call_choice(c, 0, -1, &what, e))
		return STATUS_USAGE;
	if (!pipeview_count(&rows_of(a->tab)->view))
		return error_set(e, STATUS_NOT_FOUND, "there are no rows");
	sbuf_clear(&a->clipboard);
	if (yanks[what](c, &a->clipboard, e))
		return e->code;
	if (!a->clipboard.len)
		return error_set(e, STATUS_NOT_FOUND, "the row has no %s", c->argv[0]);
	view_select(a->tab->view, SELECT_NONE);
	panes_refresh(a, false);
	say_yanked(c);
	if (a->set.value[OPT_CLIPBOARD] && a->clipboard.len <= CLIPBOARD_MAX)
		c->react |= REACT_CLIPBOARD;
	return STATUS_OK;
}

/* ---- columns, stages and events, the pipeline ---- */

static enum status column(struct call *c, struct error *e)
{
	struct options *o = &c->app->set;
	int i;

	if (call_choice(c, 0, 0, &i, e) ||
	    (c->argc > 1 && option_set(o, (enum option)(OPT_WIDTH_MARK + i), c->argv[1], e)))
		return STATUS_USAGE;
	o->value[OPT_COLUMN_MARK + i] = c->argc > 1 || !o->value[OPT_COLUMN_MARK + i];
	app_apply(c->app, EFFECT_VIEW | EFFECT_LAYOUT);
	return STATUS_OK;
}

/* Of open tabs only when they are read again: the index knows stages by their number. */
static void tell_reload(struct call *c)
{
	if (c->app && c->app->tab && !c->app->configuring)
		app_message(c->app, false, "takes effect after :reload");
}

static enum status stage(struct call *c, struct error *e)
{
	struct pipeline_settings *own = trace_settings_of(c->settings, &pipeline_kind);

	tell_reload(c);
	return pipeline_settings_stage(own, c->argc, c->argv, e);
}

static enum status event(struct call *c, struct error *e)
{
	struct pipeline_settings *own = trace_settings_of(c->settings, &pipeline_kind);

	tell_reload(c);
	return pipeline_settings_event(own, c->argc, c->argv, e);
}

/* All that is reduced goes through that pipeline from now on; only an optrace has cycles of it. */
static enum status set_pipeline(struct call *c, struct error *e)
{
	struct pipeline_settings *own = trace_settings_of(c->settings, &pipeline_kind);
	struct app *a = c->app;
	struct segments at;
	char text[64];

	snprintf(text, sizeof(text), "%s,%s", c->argv[0], c->argv[1]);
	if (!segments_parse(text, &at))
		return error_set(e, STATUS_USAGE,
				 "pipeline: expected two numbers from 1 to %d, N_E and N_S",
				 SEGMENTS_MOST);
	if (own)
		own->segments = at;
	rows_app(a)->reduce.at = (struct pipeline){at.execute, at.setup};
	reducing_changed(a);
	return store_format(rows_of(a->tab)->store)->recall ? file_reload(c, e) : STATUS_OK;
}

const struct command rows_commands[] = {
    {"goto seq", "N", "go to an instruction by its number in the file", .run = goto_named,
     .flags = CMD_TRACE | CMD_JUMP | CMD_MOVES},
    {"goto retired", "N", "go to the instruction with retire id N (Kanata)",
     .run = goto_retired, .flags = CMD_TRACE | CMD_JUMP | CMD_MOVES},
    {"goto pc", "PC", "go to the next row with this pc", .run = goto_named,
     .flags = CMD_TRACE | CMD_MOVES, .arg = true},
    {"goto start", "", "go to the row's first cycle", .run = goto_start,
     .flags = CMD_TRACE | CMD_MOVES},
    {"goto end", "", "go to the row's last cycle", .run = goto_finish,
     .flags = CMD_TRACE | CMD_MOVES},
    {"distance", "[MARK] [MARK]", "show cycles, rows and IPC from a mark to the cursor or a second mark",
     .run = distance, .flags = CMD_TRACE},
    {"yank", "[WHAT]", "copy the selected rows, else the row under the cursor", .run = yank,
     .flags = CMD_TRACE},
    {"column", "COLUMN [N]", "show or hide a column; with a number, its width", .run = column},
    {"pipeline", "N N",
     "set the segments of execution (N_E) and setup (N_S) for reduce and optraces",
     .run = set_pipeline, .flags = CMD_TRACE},
    {"stage", "NAME LETTER [N] [NAME]", "set the letter, colour slot and role of a stage", .run = stage,
     .flags = CMD_SETTING},
    {"event", "NAME LETTER [N] [N]", "set the letter, colour slot and mask of an event", .run = event,
     .flags = CMD_SETTING},
    {"range", "", "show what happened in the selection, else on the screen", .run = panes_open_named,
     .flags = CMD_TRACE},
    {.name = NULL},
};
