#include "config.h"

#include <inttypes.h>

#include "app/state.h"

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
		prompt_open(c->app, (enum prompt_kind)kind, sbuf_text(&text));
	sbuf_free(&text);
	return status;
}

static enum status line(struct call *c, struct error *e)
{
	int action = lineedit_find(c->argv[0]);

	if (action < 0)
		return error_set(e, STATUS_USAGE, "unknown edit of the line: %s", c->argv[0]);
	prompt_edit(c->app, (enum line_action)action);
	return STATUS_OK;
}

static enum status accept(struct call *c, struct error *e)
{
	return prompt_accept(c->app, e);
}

static enum status cancel(struct call *c, struct error *e)
{
	(void)e;
	prompt_cancel(c->app);
	return STATUS_OK;
}

static enum status complete(struct call *c, struct error *e)
{
	(void)e;
	prompt_complete(c->app, c->command->arg);
	return STATUS_OK;
}

static enum status history(struct call *c, struct error *e)
{
	(void)e;
	prompt_history(c->app, c->command->arg);
	return STATUS_OK;
}

static enum status paste(struct call *c, struct error *e)
{
	(void)e;
	prompt_paste(c->app);
	return STATUS_OK;
}

const struct command prompt_commands[] = {
    {"ask", "WHICH [TEXT]", "open a prompt that holds TEXT", .run = ask, .flags = CMD_BESIDE},
    {"prompt accept", "", "accept the line", .run = accept, .flags = CMD_BESIDE | CMD_PROMPT},
    {"prompt cancel", "", "cancel; a search returns to where it began", .run = cancel,
     .flags = CMD_BESIDE | CMD_PROMPT},
    {"prompt complete", "", "complete the word; repeat for the next candidate", .run = complete,
     .flags = CMD_BESIDE | CMD_PROMPT, .arg = 1},
    {"prompt complete-back", "", "go back to the previous candidate", .run = complete,
     .flags = CMD_BESIDE | CMD_PROMPT, .arg = -1},
    {"prompt older", "", "the previous line in the history that begins like this", .run = history,
     .flags = CMD_BESIDE | CMD_PROMPT, .arg = -1},
    {"prompt newer", "", "the next line in the history that begins like this", .run = history,
     .flags = CMD_BESIDE | CMD_PROMPT, .arg = 1},
    {"prompt paste", "", "insert the yanked text", .run = paste, .flags = CMD_BESIDE | CMD_PROMPT},
    {"line", "EDIT", "edit the line: left, right, word-left, home, end, kill-end and so on",
     .run = line, .flags = CMD_BESIDE | CMD_PROMPT},
    {.name = NULL},
};
