#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/state.h"
#include "base/embedded.h"

enum { FILE_BYTES = 4 << 20 /* of commands */ };

static bool has_items(const struct tab *t, const char *items)
{
	const char *has = t->trace->kind->items;

	return !items || (has && strcmp(has, items) == 0);
}

/*
 * What it is about is not in the trace; if the key of the command does something in another view that
 * is said too: "chain: this trace has no instructions; in the view component A: open pane chain".
 */
static enum status unavailable(const struct app *a, const struct command *c, struct error *e)
{
	const struct binding *key = keymap_for(&a->keymap, KEYS_MAIN, c->name), *there;
	struct sbuf instead = {0};

	for (int i = 0; key && i < a->tab->view_count && !instead.len; i++) {
		const struct view_kind *k = a->tab->views[i]->kind;

		if (keymap_find(&a->keymap, k->mode, &key->sequence, &there) != KEYMAP_BOUND ||
		    there->mode != k->mode || there == key || k == a->tab->view->kind)
			continue;
		sbuf_printf(&instead, "; in the view %s ", k->name);
		keymap_spell(&key->sequence, &instead);
		sbuf_printf(&instead, ": %s", command_typed(there->command));
	}
	error_set(e, STATUS_NOT_FOUND, "%s: this trace has no %s%s", c->name, command_items(c),
		  sbuf_text(&instead));
	sbuf_free(&instead);
	return STATUS_NOT_FOUND;
}

static enum status allowed(struct app *a, const struct command *c, struct error *e)
{
	if (c->flags & CMD_UNSAFE && a->secure)
		return error_set(e, STATUS_UNSUPPORTED, "PIPEGLASS_SECURE disables %s", c->name);
	if (!a->tab && (c->flags & CMD_TRACE || (c->flags & CMD_PANE && !panes_focused(a))))
		return error_set(e, STATUS_NOT_FOUND, "%s: no trace is open", c->name);
	if (a->tab && !has_items(a->tab, command_items(c)) &&
	    !(c->flags & CMD_PANE && panes_focused(a)))
		return unavailable(a, c, e);
	if (c->flags & CMD_PROMPT && !a->prompt.open)
		return error_set(e, STATUS_USAGE, "no prompt is open");
	return STATUS_OK;
}

static enum status run_call(struct app *a, struct call *c, struct error *e)
{
	struct tab *t = a->tab;
	const bool asked = a->quit_asked;
	const bool in_pane = c->command->flags & CMD_PANE && panes_focused(a);
	struct place before = {.item = ITEM_NONE};
	enum status status;

	if (a->options.only_settings && !(c->command->flags & CMD_SETTING))
		return STATUS_OK;
	status = allowed(a, c->command, e);
	if (status)
		return status;
	c->app = a;
	c->settings = &a->settings;
	if (!(c->command->flags & CMD_BESIDE))
		jobs_drop(a, JOB_YIELDS);
	if (t && t->placed)
		before = tab_place(t);
	if (c->command->run)
		status = c->command->run(c, e);
	else
		c->command->act(c);
	if (c->react & REACT_RELAYOUT)
		app_relayout(a);
	joined_sync(a);
	if (asked && !(c->command->flags & CMD_BESIDE)) /* it did something else */
		a->quit_asked = false;
	if (strcmp(c->command->name, "interrupt") != 0)
		a->end_warned = false;
	a->react |= c->react | REACT_REDRAW;
	if (t != a->tab || !t)
		return status;
	if (c->command->flags & CMD_JUMP && before.item != ITEM_NONE &&
	    !places_same(before, tab_place(t)))
		places_jumped(&t->places, before);
	view_moved(t->view);
	if (!in_pane) /* what moves there is no place of the trace */
		tail_after(t, c->command);
	return status;
}

unsigned app_reactions(struct app *a)
{
	const unsigned r = a->react;

	a->react = REACT_NONE;
	return r;
}

enum status app_run(struct app *a, const char *line, int64_t count, struct error *e)
{
	enum status status = STATUS_OK;

	while (!status && line[strspn(line, " \t")]) {
		struct call c;

		status = command_parse(&c, line, &line, e);
		c.count = count;
		if (!status)
			status = run_call(a, &c, e);
		call_free(&c);
		count = -1;
		if (!status && line[strspn(line, " \t")])
			app_finish(a);
	}
	return status;
}

enum status app_call(struct app *a, const char *name, const char *argument, struct error *e)
{
	struct call c = {.count = -1, .argc = argument != NULL, .argv = {argument}};
	size_t args_at;

	c.command = command_named(name, &args_at, e);
	return c.command ? run_call(a, &c, e) : STATUS_USAGE;
}

/* Where nobody reacts another program cannot be run: better said than passed over. */
static enum status unheard(struct app *a, struct error *e)
{
	if (a->options.headless && app_reactions(a) & REACT_SHELL)
		return error_set(e, STATUS_UNSUPPORTED, "this needs a terminal");
	return STATUS_OK;
}

enum status app_await(struct app *a, struct error *e)
{
	enum status status = STATUS_OK;

	if (a->options.headless && a->tab)
		status = trace_wait(a->tab->trace, e);
	if (!status && a->options.headless)
		app_progress(a);
	return status;
}

enum status app_command(struct app *a, const char *line, unsigned *r, struct error *e)
{
	enum status status = app_await(a, e);

	if (status)
		return status;
	sbuf_clear(&a->message);
	app_finish(a);
	status = app_run(a, line, -1, e);
	app_finish(a);
	if (r)
		*r = app_reactions(a);
	else if (!status)
		status = unheard(a, e);
	return status;
}

/* Files of commands */

static enum status read_open(int fd, const char *path, struct sbuf *out, struct error *e)
{
	char buf[8192];
	struct stat st;
	ssize_t n = 0;

	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
		return error_set(e, STATUS_IO, "%s is a directory", path);
	while (out->len < FILE_BYTES && (n = read(fd, buf, sizeof(buf))) > 0)
		sbuf_add(out, buf, (size_t)n);
	if (n < 0)
		return error_errno(e, STATUS_IO, errno, "%s", path);
	if (out->len >= FILE_BYTES)
		return error_set(e, STATUS_USAGE, "%s is too long for a file of commands", path);
	return out->failed ? error_set(e, STATUS_NOMEM, "out of memory") : STATUS_OK;
}

/* That a place is not there is told, and the next line run: as if the lines were typed. */
static enum status run_line(struct app *a, const char *name, int number, const char *line,
			    struct error *e)
{
	unsigned errors = a->error_count;
	size_t complaints = a->complaint_count;
	struct error why = {STATUS_OK, ""};
	enum status status = app_run(a, line, -1, &why);

	app_finish(a);
	if (status && status != STATUS_NOT_FOUND && !a->configuring)
		return error_set(e, status, "%s:%d: %s", name, number, why.text);
	if (status)
		app_complain(a, "%s:%d: %s", name, number, why.text);
	else if (errors != a->error_count && complaints == a->complaint_count)
		app_complain(a, "%s:%d: %s", name, number, sbuf_text(&a->message));
	return STATUS_OK;
}

/* Blank lines and those that begin with # are passed over. */
static enum status run_lines(struct app *a, const char *name, const char *text, size_t len,
			     struct error *e)
{
	enum status status = STATUS_OK;
	struct sbuf line = {0};

	for (int number = 1; !status && len && !(a->react & REACT_QUIT); number++) {
		const char *end = memchr(text, '\n', len), *p;
		size_t n = end ? (size_t)(end - text) : len;

		sbuf_clear(&line);
		sbuf_add(&line, text, n && text[n - 1] == '\r' ? n - 1 : n);
		p = sbuf_text(&line) + strspn(sbuf_text(&line), " \t");
		if (line.failed)
			status = error_set(e, STATUS_NOMEM, "out of memory");
		else if (*p && *p != '#')
			status = run_line(a, name, number, p, e);
		n += end != NULL;
		text += n;
		len -= n;
	}
	sbuf_free(&line);
	return status;
}

enum status app_lines(struct app *a, const char *name, const char *text, size_t len,
		      struct error *e)
{
	enum status status;

	if (a->depth >= APP_DEPTH)
		return error_set(e, STATUS_USAGE, "%s: source is nested more than %d deep", name,
				 APP_DEPTH);
	a->depth++;
	status = run_lines(a, name, text, len, e);
	a->depth--;
	return status;
}

enum status app_source_file(struct app *a, const char *path, struct error *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct sbuf text = {0};
	enum status status;

	if (fd < 0)
		return error_errno(e, STATUS_IO, errno, "%s", path);
	status = read_open(fd, path, &text, e);
	close(fd);
	if (!status)
		status = app_lines(a, path, sbuf_text(&text), text.len, e);
	sbuf_free(&text);
	return status;
}

enum status app_script(struct app *a, const char *path, struct error *e)
{
	enum status status = app_await(a, e);

	if (!status)
		status = app_source_file(a, path, e);
	return status ? status : unheard(a, e);
}

enum status app_keymap(struct app *a, const char *name, struct error *e)
{
	struct sbuf file = {0};
	const struct embedded_file *f;
	const char *before = a->keymap.origin;
	enum status status;

	sbuf_printf(&file, "%s.keys", name);
	f = embedded_find(sbuf_text(&file));
	sbuf_free(&file);
	if (!f)
		return error_set(e, STATUS_USAGE, "a keymap must be %s, not: %s", arg_help(ARG_KEYMAP),
				 name);
	a->keymap.origin = f->name;
	status = app_lines(a, f->name, (const char *)f->bytes, f->len, e);
	a->keymap.origin = before;
	return status;
}
