#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/state.h"
#include "base/embedded.h"

enum { SCRIPT_BYTES = 4 << 20 };

static enum status allowed(const struct app *a, const struct command *c, struct error *e)
{
	if (c->flags & CMD_UNSAFE && a->secure)
		return error_set(e, STATUS_UNSUPPORTED, "%s is switched off (PIPEGLASS_SECURE)",
				 c->name);
	if (c->flags & CMD_TRACE && !a->tab)
		return error_set(e, STATUS_NOT_FOUND, "%s: no trace is open", c->name);
	return STATUS_OK;
}

static enum status run_call(struct app *a, struct call *c, struct error *e)
{
	struct tab *t = a->tab;
	struct place before = {.row = ROW_NONE};
	enum status status = allowed(a, c->command, e);

	if (status)
		return status;
	c->app = a;
	if (!(c->command->flags & CMD_BESIDE) && a->work.kind == WORK_SEEK)
		work_cancel(a);
	if (t && pipeview_count(&t->view))
		before = tab_place(t);
	status = c->command->run(c, e);
	if (a->message.len) /* a command that only tells something moves nothing to be redrawn for */
		c->react |= REACT_REDRAW;
	if (t != a->tab || !t)
		return status;
	if (c->command->flags & CMD_JUMP && before.row != ROW_NONE &&
	    !places_same(before, tab_place(t)))
		places_jumped(&t->places, before);
	tab_track_selection(t);
	return status;
}

enum status app_run(struct app *a, const char *line, int64_t count, unsigned *r, struct error *e)
{
	unsigned ignored;
	enum status status = STATUS_OK;

	r = r ? r : &ignored;
	while (!status && line[strspn(line, " \t")]) {
		struct call c;

		status = command_parse(&c, line, &line, e);
		c.count = count;
		if (!status)
			status = run_call(a, &c, e);
		*r |= c.react;
		call_free(&c);
		count = -1;
		if (!status && line[strspn(line, " \t")])
			*r |= work_finish(a);
	}
	return status;
}

enum status app_call(struct app *a, const char *name, const char *argument, unsigned *r,
		     struct error *e)
{
	size_t args_at;
	struct call c = {.count = -1, .argc = argument != NULL, .argv = {argument}};
	enum status status;

	c.command = command_named(name, &args_at, e);
	if (!c.command)
		return STATUS_USAGE;
	status = run_call(a, &c, e);
	*r |= c.react;
	return status;
}

/* Where nobody reacts another program cannot be run: better said than passed over. */
static enum status unheard(const struct app *a, unsigned r, struct error *e)
{
	if (a->options.headless && r & REACT_SHELL)
		return error_set(e, STATUS_UNSUPPORTED, "no terminal to hand over");
	return STATUS_OK;
}

enum status app_command(struct app *a, const char *line, unsigned *r, struct error *e)
{
	unsigned reactions = REACT_NONE;
	enum status status;

	if (a->options.headless && a->tab) {
		status = store_wait(a->tab->store, e);
		if (status)
			return status;
		app_progress(a);
	}
	sbuf_clear(&a->message);
	reactions |= work_finish(a);
	status = app_run(a, line, -1, &reactions, e);
	reactions |= work_finish(a);
	if (r)
		*r = reactions;
	else if (!status)
		status = unheard(a, reactions, e);
	return status;
}

/* Files of commands */

/* One line of it; blank lines and those that begin with # say nothing. */
static enum status run_line(struct app *a, const char *name, int number, const char *line,
			    unsigned *r, struct error *e)
{
	struct error why = {STATUS_OK, ""};
	enum status status;

	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return STATUS_OK;
	status = app_run(a, line, -1, r, &why);
	*r |= work_finish(a);
	if (status)
		return error_set(e, status, "%s:%d: %s", name, number, why.text);
	return STATUS_OK;
}

enum status app_lines(struct app *a, const char *name, const char *text, size_t len, unsigned *r,
		      struct error *e)
{
	struct sbuf line = {0};
	enum status status = STATUS_OK;
	int number = 1;

	if (a->depth >= SOURCE_DEPTH)
		return error_set(e, STATUS_USAGE, "%s: more than %d files inside one another", name,
				 SOURCE_DEPTH);
	a->depth++;
	for (size_t at = 0; at < len; number++) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t n = end ? (size_t)(end - (text + at)) : len - at;
		enum status this_line;

		sbuf_clear(&line);
		sbuf_add(&line, text + at, n && text[at + n - 1] == '\r' ? n - 1 : n);
		this_line = run_line(a, name, number, sbuf_text(&line), r, status ? NULL : e);
		at += n + 1;
		if (this_line && !status)
			status = this_line;
		/* a slip in the configuration must not cost the rest of it */
		if (status && !a->configuring)
			break;
		if (*r & REACT_QUIT)
			break;
	}
	a->depth--;
	sbuf_free(&line);
	return status;
}

static enum status read_file(const char *path, struct sbuf *out, struct error *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;
	char buf[8192];
	ssize_t n = 0;

	if (fd < 0)
		return error_errno(e, STATUS_IO, errno, "%s", path);
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		close(fd);
		return error_set(e, STATUS_IO, "%s: a directory", path);
	}
	while (out->len < SCRIPT_BYTES && (n = read(fd, buf, sizeof(buf))) > 0)
		sbuf_add(out, buf, (size_t)n);
	if (n < 0) {
		int errnum = errno;

		close(fd);
		return error_errno(e, STATUS_IO, errnum, "%s", path);
	}
	close(fd);
	if (out->len >= SCRIPT_BYTES)
		return error_set(e, STATUS_USAGE, "%s: too long for commands", path);
	if (out->failed)
		return error_set(e, STATUS_NOMEM, "out of memory");
	return STATUS_OK;
}

enum status app_source_file(struct app *a, const char *path, unsigned *r, struct error *e)
{
	struct sbuf text = {0};
	enum status status = read_file(path, &text, e);

	if (!status)
		status = app_lines(a, path, sbuf_text(&text), text.len, r, e);
	sbuf_free(&text);
	return status;
}

enum status app_script(struct app *a, const char *path, struct error *e)
{
	struct error why = {STATUS_OK, ""};
	unsigned r = REACT_NONE;
	enum status status;

	if (a->options.headless && a->tab) {
		status = store_wait(a->tab->store, e);
		if (status)
			return status;
		app_progress(a);
	}
	status = app_source_file(a, path, &r, &why);
	if (status)
		return error_set(e, why.code, "%s", why.text);
	return unheard(a, r, e);
}

enum status app_keymap(struct app *a, const char *name, struct error *e)
{
	struct sbuf file = {0};
	const struct embedded_file *f;
	const char *before = a->keymap.origin;
	unsigned r = REACT_NONE;
	enum status status;

	sbuf_printf(&file, "%s.keys", name);
	f = embedded_find(sbuf_text(&file));
	sbuf_free(&file);
	if (!f)
		return error_set(e, STATUS_USAGE, "a keymap is %s, not: %s", arg_help(ARG_KEYMAP),
				 name);
	a->keymap.origin = f->name;
	status = app_lines(a, f->name, (const char *)f->bytes, f->len, &r, e);
	a->keymap.origin = before;
	return status;
}
