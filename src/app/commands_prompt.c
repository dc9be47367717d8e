#include "config.h"

#include "app/state.h"

/* ask command goto cycle: the text is there to go on typing */
static enum status ask(struct call *c, struct error *e)
{
	int kind = prompt_find(c->argv[0]);
	struct sbuf text = {0};

	if (kind < 0)
		return error_set(e, STATUS_USAGE, "a prompt is %s, not: %s", arg_help(ARG_PROMPT),
				 c->argv[0]);
	if (c->argc > 1)
		sbuf_printf(&text, "%s%s", c->argv[1], kind == PROMPT_COMMAND ? " " : "");
	else if (c->count >= 0 && kind == PROMPT_COMMAND)
		sbuf_printf(&text, "%lld", (long long)c->count);
	prompt_open(c->app, (enum prompt_kind)kind, sbuf_text(&text));
	sbuf_free(&text);
	c->react |= REACT_REDRAW;
	return STATUS_OK;
}

static enum status need_prompt(const struct call *c, struct error *e)
{
	return c->app->prompt.open ? STATUS_OK
				   : error_set(e, STATUS_USAGE, "nothing is being typed");
}

static enum status line(struct call *c, struct error *e)
{
	int action = lineedit_find(c->argv[0]);

	if (need_prompt(c, e))
		return STATUS_USAGE;
	if (action < 0)
		return error_set(e, STATUS_USAGE, "no such thing to do to a line: %s", c->argv[0]);
	c->react |= prompt_edit(c->app, (enum line_action)action);
	return STATUS_OK;
}

static enum status accept(struct call *c, struct error *e)
{
	if (need_prompt(c, e))
		return STATUS_USAGE;
	return prompt_accept(c->app, &c->react, e);
}

static enum status cancel(struct call *c, struct error *e)
{
	if (need_prompt(c, e))
		return STATUS_USAGE;
	prompt_cancel(c->app);
	c->react |= REACT_REDRAW;
	return STATUS_OK;
}

static enum status complete(struct call *c, struct error *e)
{
	if (need_prompt(c, e))
		return STATUS_USAGE;
	c->react |= prompt_complete(c->app, 1);
	return STATUS_OK;
}

static enum status complete_back(struct call *c, struct error *e)
{
	if (need_prompt(c, e))
		return STATUS_USAGE;
	c->react |= prompt_complete(c->app, -1);
	return STATUS_OK;
}

static enum status older(struct call *c, struct error *e)
{
	if (need_prompt(c, e))
		return STATUS_USAGE;
	c->react |= prompt_history(c->app, -1);
	return STATUS_OK;
}

static enum status newer(struct call *c, struct error *e)
{
	if (need_prompt(c, e))
		return STATUS_USAGE;
	c->react |= prompt_history(c->app, 1);
	return STATUS_OK;
}

static enum status reverse(struct call *c, struct error *e)
{
	if (need_prompt(c, e))
		return STATUS_USAGE;
	c->react |= prompt_reverse(c->app);
	return STATUS_OK;
}

static enum status paste(struct call *c, struct error *e)
{
	if (need_prompt(c, e))
		return STATUS_USAGE;
	c->react |= prompt_paste(c->app);
	return STATUS_OK;
}

const struct command prompt_commands[] = {
    {"ask", "WHICH [TEXT]", "open a prompt, with a text to go on from", ask, CMD_BESIDE},
    {"prompt accept", "", "take what was typed", accept, CMD_BESIDE},
    {"prompt cancel", "", "give it up; a search goes back to where it began", cancel, CMD_BESIDE},
    {"prompt complete", "", "complete the word; again: the next candidate", complete, CMD_BESIDE},
    {"prompt complete-back", "", "the candidate before", complete_back, CMD_BESIDE},
    {"prompt older", "", "the line typed before that begins so", older, CMD_BESIDE},
    {"prompt newer", "", "the line typed after it", newer, CMD_BESIDE},
    {"prompt reverse", "", "search the lines typed before; again: an older one", reverse,
     CMD_BESIDE},
    {"prompt paste", "", "insert what was yanked", paste, CMD_BESIDE},
    {"line", "EDIT", "edit the line: left, right, word-left, home, end, kill-end and so on", line,
     CMD_BESIDE},
    {NULL, NULL, NULL, NULL, 0},
};
