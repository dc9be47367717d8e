#include "config.h"

#include "app/state.h"

/* ask command goto cycle: the text is there to go on typing */
static enum status ask(struct call *c, struct error *e)
{
	struct sbuf text = {0};
	int kind;

	if (call_choice(c, 0, 0, &kind, e))
		return STATUS_USAGE;
	if (c->argc > 1)
		sbuf_printf(&text, "%s%s", c->argv[1], kind == PROMPT_COMMAND ? " " : "");
	else if (c->count >= 0 && kind == PROMPT_COMMAND)
		sbuf_printf(&text, "%lld", (long long)c->count);
	prompt_open(c->app, (enum prompt_kind)kind, sbuf_text(&text));
	sbuf_free(&text);
	c->react |= REACT_REDRAW;
	return STATUS_OK;
}

static enum status line(struct call *c, struct error *e)
{
	int action = lineedit_find(c->argv[0]);

	if (action < 0)
		return error_set(e, STATUS_USAGE, "no such thing to do to a line: %s", c->argv[0]);
	c->react |= prompt_edit(c->app, (enum line_action)action);
	return STATUS_OK;
}

static enum status accept(struct call *c, struct error *e)
{
	return prompt_accept(c->app, &c->react, e);
}

static enum status cancel(struct call *c, struct error *e)
{
	(void)e;
	prompt_cancel(c->app);
	c->react |= REACT_REDRAW;
	return STATUS_OK;
}

static enum status complete(struct call *c, struct error *e)
{
	(void)e;
	c->react |= prompt_complete(c->app, c->command->arg);
	return STATUS_OK;
}

static enum status history(struct call *c, struct error *e)
{
	(void)e;
	c->react |= prompt_history(c->app, c->command->arg);
	return STATUS_OK;
}

static enum status paste(struct call *c, struct error *e)
{
	(void)e;
	c->react |= prompt_paste(c->app);
	return STATUS_OK;
}

const struct command prompt_commands[] = {
    {"ask", "WHICH [TEXT]", "open a prompt, with a text to go on from", .run = ask,
     .flags = CMD_BESIDE},
    {"prompt accept", "", "take what was typed", .run = accept, .flags = CMD_BESIDE | CMD_PROMPT},
    {"prompt cancel", "", "give it up; a search goes back to where it began", .run = cancel,
     .flags = CMD_BESIDE | CMD_PROMPT},
    {"prompt complete", "", "complete the word; again: the next candidate", .run = complete,
     .flags = CMD_BESIDE | CMD_PROMPT, .arg = 1},
    {"prompt complete-back", "", "the candidate before", .run = complete,
     .flags = CMD_BESIDE | CMD_PROMPT, .arg = -1},
    {"prompt older", "", "the line typed before that begins so", .run = history,
     .flags = CMD_BESIDE | CMD_PROMPT, .arg = -1},
    {"prompt newer", "", "the line typed after it", .run = history,
     .flags = CMD_BESIDE | CMD_PROMPT, .arg = 1},
    {"prompt paste", "", "insert what was yanked", .run = paste, .flags = CMD_BESIDE | CMD_PROMPT},
    {"line", "EDIT", "edit the line: left, right, word-left, home, end, kill-end and so on",
     .run = line, .flags = CMD_BESIDE | CMD_PROMPT},
    {.name = NULL},
};
