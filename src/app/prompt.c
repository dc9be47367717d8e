#include "config.h"

#include "app/prompt.h"

#include <inttypes.h>
#include <string.h>

#include "app/state.h"
#include "base/text.h"
#include "base/xalloc.h"

static const struct {
	const char *sign, *history;
} kinds[PROMPT_KINDS] = {
    [PROMPT_COMMAND] = {":", "history-command"},
    [PROMPT_SEARCH] = {"/", "history-search"},
    [PROMPT_SEARCH_BACK] = {"?", "history-search"},
    [PROMPT_FILTER] = {"&", "history-filter"},
};

static bool is_search(const struct prompt *p)
{
	return p->kind == PROMPT_SEARCH || p->kind == PROMPT_SEARCH_BACK;
}

/* Histories */

void prompt_init(struct prompt *p, bool keep)
{
	*p = (struct prompt){.keep = keep, .chosen = -1};
	lineedit_init(&p->line);
	for (int i = 0; i < PROMPT_KINDS; i++)
		p->history[i] = i == PROMPT_SEARCH_BACK ? p->history[PROMPT_SEARCH]
				: keep ? kept_history(kinds[i].history)
				       : history_new();
}

void prompt_free(struct prompt *p)
{
	for (int i = 0; i < PROMPT_KINDS; i++)
		if (i != PROMPT_SEARCH_BACK) /* the same as that of PROMPT_SEARCH */
			history_free(p->history[i]);
	completion_free(&p->menu);
}

static void remember(struct prompt *p)
{
	struct history *h = p->history[p->kind];
	struct error ignored;

	if (!h || !p->line.len)
		return;
	history_add(h, p->line.text);
	if (p->keep) /* one that cannot be kept is no reason to disturb */
		kept_save(h, kinds[p->kind].history, &ignored);
}

/* Opening, closing */

static void open_prompt(struct app *a, enum prompt_kind kind, const char *text)
{
	struct prompt *p = &a->prompt;

	p->open = true;
	p->kind = kind;
	lineedit_set(&p->line, text);
	p->walking = p->bad = false;
	completion_free(&p->menu);
	p->chosen = -1;
	p->has_from = a->tab && !panes_focused(a) && a->tab->placed;
	if (p->has_from)
		p->from = tab_place(a->tab);
}

static void shut(struct app *a)
{
	struct prompt *p = &a->prompt;

	p->open = false;
	completion_free(&p->menu);
	p->chosen = -1;
	if (a->tab && is_search(p)) {
		struct view *v = a->tab->view;

		if (v->kind->try_end)
			v->kind->try_end(a, v);
		regex_free(p->trial);
		p->trial = NULL;
	}
}

void prompt_cancel(struct app *a)
{
	struct prompt *p = &a->prompt;
	bool tried = p->trial != NULL;

	shut(a);
	if (tried && p->has_from)
		tab_goto(a->tab, p->from);
}

static enum status accept(struct call *c, struct error *e)
{
	struct app *a = c->app;
	struct prompt *p = &a->prompt;
	char text[LINE_MAX_BYTES + 1];
	bool tried = p->trial != NULL;

	memcpy(text, p->line.text, p->line.len + 1);
	remember(p);
	shut(a);
	/* the search begins where the user did, so that the way back leads there */
	if (tried && p->has_from)
		tab_goto(a->tab, p->from);
	switch (p->kind) {
	case PROMPT_COMMAND:
		return text[strspn(text, " \t:")] ? app_run(a, text, -1, e) : STATUS_OK;
	case PROMPT_SEARCH:
		return app_call(a, "search", *text ? text : NULL, e);
	case PROMPT_SEARCH_BACK:
		return app_call(a, "search-back", *text ? text : NULL, e);
	case PROMPT_FILTER:
		return *text ? app_call(a, "filter rows", text, e)
			     : app_call(a, "filter none", NULL, e);
	case PROMPT_KINDS:
		break;
	}
	return STATUS_OK;
}

static bool takes_number(const char *command)
{
	enum arg_type type = ARG_TEXT;
	bool optional;
	size_t at;
	const struct command *c = command_named(command, &at, NULL);

	return c && command_arg(c, 0, &type, &optional) &&
	       (type == ARG_CYCLE || type == ARG_NUMBER);
}

/*
 * ask command goto cycle: the text is there to go on typing; a count is what would be typed, where
 * that is a number.
 */
static enum status ask(struct call *c, struct error *e)
{
	bool number = c->count >= 0 && (c->argc < 2 || takes_number(c->argv[1]));
	enum status status = STATUS_OK;
	struct sbuf text = {0};
	int kind;

	if (call_choice(c, 0, 0, &kind, e))
		return STATUS_USAGE;
	if (c->argc > 1)
		sbuf_printf(&text, "%s%s", c->argv[1], kind == PROMPT_COMMAND ? " " : "");
	if (number && kind == PROMPT_COMMAND)
		sbuf_printf(&text, "%" PRId64, c->count);
	if (number && kind == PROMPT_COMMAND && c->argc > 1)
		status = app_run(c->app, sbuf_text(&text), -1, e);
	else
		open_prompt(c->app, (enum prompt_kind)kind, sbuf_text(&text));
	sbuf_free(&text);
	return status;
}

static void cancel(struct call *c)
{
	prompt_cancel(c->app);
}

/* Editing */

/* Look for what is typed so far, from where the prompt was opened. */
static void try_pattern(struct app *a)
{
	struct prompt *p = &a->prompt;
	struct regex *re = NULL;
	struct error ignored;
	struct view *v;

	if (!is_search(p) || !p->has_from || !a->set.value[OPT_INCREMENTAL] ||
	    !a->tab->view->kind->try_search)
		return;
	v = a->tab->view;
	p->bad = p->line.len && regex_new(&re, p->line.text, &ignored) != STATUS_OK;
	a->react |= v->kind->try_search(a, v, re, p->from, p->kind == PROMPT_SEARCH ? 1 : -1);
	regex_free(p->trial);
	p->trial = re;
	if (!re)
		tab_goto(a->tab, p->from);
}

/* Or it could not be. */
static void changed(struct app *a, bool done)
{
	struct prompt *p = &a->prompt;

	if (!done) {
		a->react |= REACT_BELL;
		return;
	}
	p->walking = false;
	completion_free(&p->menu);
	p->chosen = -1;
	try_pattern(a);
}

void prompt_insert(struct app *a, struct key k)
{
	uint32_t cp = k.code == K_SPACE ? ' ' : k.code;

	changed(a, !k.mods && cp < KEY_NAMED && cp >= ' ' &&
		       lineedit_insert_cp(&a->prompt.line, cp));
}

static enum status edit_line(struct call *c, struct error *e)
{
	struct app *a = c->app;
	int action = lineedit_find(c->argv[0]);

	if (action < 0)
		return error_set(e, STATUS_USAGE, "unknown edit of the line: %s", c->argv[0]);
	if (action == LINE_BACKSPACE && !a->prompt.line.len)
		prompt_cancel(a);
	else
		changed(a, lineedit_do(&a->prompt.line, (enum line_action)action));
	return STATUS_OK;
}

static void walk_history(struct call *c)
{
	struct app *a = c->app;
	struct prompt *p = &a->prompt;
	const struct history *h = p->history[p->kind];
	const char *text = NULL;

	if (h && !p->walking)
		history_walk_begin(&p->walk, &p->line);
	if (h)
		text = c->command->arg < 0 ? history_walk_older(&p->walk, h) : history_walk_newer(&p->walk, h);
	if (text)
		lineedit_set(&p->line, text);
	changed(a, text != NULL);
	p->walking = p->walking || text;
}

static void paste(struct call *c)
{
	struct app *a = c->app;
	struct sbuf text = {0};

	text_sanitise(&text, sbuf_text(&a->clipboard), a->clipboard.len);
	changed(a, text.len && lineedit_insert(&a->prompt.line, text.text, text.len));
	sbuf_free(&text);
}

/* Completion */

static void replace_word(struct app *a, const char *word, size_t len)
{
	struct prompt *p = &a->prompt;

	if (!lineedit_replace(&p->line, p->menu.from, p->line.cursor, word, len))
		a->react |= REACT_BELL;
}

static void next_candidate(struct app *a, int dir)
{
	struct prompt *p = &a->prompt;
	int n = (int)p->menu.words.count;

	if (p->chosen < 0)
		p->chosen = dir > 0 ? 0 : n - 1;
	else
		p->chosen = (p->chosen + dir + n) % n;
	replace_word(a, p->menu.words.data[p->chosen], strlen(p->menu.words.data[p->chosen]));
}

static void complete(struct call *c)
{
	struct app *a = c->app;
	struct prompt *p = &a->prompt;
	size_t common, typed;
	bool word_ended;
	const char *word;

	if (p->kind == PROMPT_COMMAND && p->menu.words.count > 1) {
		next_candidate(a, c->command->arg);
		return;
	}
	if (p->kind == PROMPT_COMMAND)
		complete_line(a, p->line.text, p->line.cursor, &p->menu);
	p->menu.nothing = p->kind == PROMPT_COMMAND && !p->menu.words.count;
	if (!p->menu.words.count) {
		a->react |= REACT_BELL;
		return;
	}
	word = p->menu.words.data[0];
	common = completion_common(&p->menu);
	typed = p->line.cursor - p->menu.from;
	replace_word(a, word, common);
	if (p->menu.words.count > 1)
		return;
	/* the word is complete, but a folder can go on */
	word_ended = common && word[common - 1] != '/' && lineedit_insert(&p->line, " ", 1);
	completion_free(&p->menu);
	/* it was complete before: what comes behind it was asked for */
	if (typed == common && word_ended)
		complete(c);
}

const struct command prompt_commands[] = {
    {"ask", "WHICH [TEXT]", "open a prompt that holds TEXT", .run = ask, .flags = CMD_BESIDE},
    {"prompt accept", "", "accept the line", .run = accept, .flags = CMD_BESIDE | CMD_PROMPT},
    {"prompt cancel", "", "cancel; a search returns to where it began", .act = cancel,
     .flags = CMD_BESIDE | CMD_PROMPT},
    {"prompt complete", "", "complete the word; repeat for the next candidate", .act = complete,
     .flags = CMD_BESIDE | CMD_PROMPT, .arg = 1},
    {"prompt complete-back", "", "go back to the previous candidate", .act = complete,
     .flags = CMD_BESIDE | CMD_PROMPT, .arg = -1},
    {"prompt older", "", "the previous line in the history that begins like this", .act = walk_history,
     .flags = CMD_BESIDE | CMD_PROMPT, .arg = -1},
    {"prompt newer", "", "the next line in the history that begins like this", .act = walk_history,
     .flags = CMD_BESIDE | CMD_PROMPT, .arg = 1},
    {"prompt paste", "", "insert the yanked text", .act = paste, .flags = CMD_BESIDE | CMD_PROMPT},
    {"line", "EDIT", "edit the line: left, right, word-left, home, end, kill-end and so on",
     .run = edit_line, .flags = CMD_BESIDE | CMD_PROMPT},
    {.name = NULL},
};

/* Drawing */

void prompt_draw(struct app *a, struct grid *g, struct rect area)
{
	struct prompt *p = &a->prompt;
	struct style style = palette_style(&a->palette, ROLE_PROMPT);
	struct line_window window;
	int x;

	grid_fill(g, area, ' ', style);
	x = area.x + grid_puts(g, area, area.x, area.y, kinds[p->kind].sign, style);
	if (area.x + area.w - x < 2)
		x = area.x;
	window = lineedit_window(&p->line, area.x + area.w - x);
	if (p->bad)
		style = palette_style(&a->palette, ROLE_ERROR);
	grid_text(g, area, x, area.y, p->line.text + window.from, window.to - window.from, style);
	g->cursor_x = x + window.cursor;
	g->cursor_y = area.y;
}

/* The first candidate shown, so that the chosen one is. */
static int first_shown(const struct prompt *p, int columns)
{
	int first = 0;
	int width = 0;

	for (int i = 0; i <= p->chosen; i++) {
		const char *word = p->menu.words.data[i];

		width += text_width(word, strlen(word)) + 2;
		if (width > columns) {
			first = i;
			width = text_width(word, strlen(word)) + 2;
		}
	}
	return first;
}

void prompt_draw_menu(struct app *a, struct grid *g, struct rect area)
{
	struct prompt *p = &a->prompt;
	struct style style = palette_style(&a->palette, ROLE_PANE);
	int x = area.x;

	grid_fill(g, area, ' ', style);
	if (p->menu.nothing)
		grid_puts(g, area, x, area.y, "nothing to complete", style);
	for (int i = first_shown(p, area.w); i < (int)p->menu.words.count && x < area.x + area.w;
	     i++)
		x += 2 + grid_puts(g, area, x, area.y, p->menu.words.data[i],
				   palette_style(&a->palette,
						 i == p->chosen ? ROLE_PANE_CURSOR : ROLE_PANE));
}
