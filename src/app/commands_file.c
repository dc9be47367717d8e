#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/state.h"
#include "app/text_private.h"
#include "base/num.h"
#include "base/text.h"

enum {
	PANE_COLUMNS = 240, /* of a pane that is written */
	PANE_LINES = 10000
};

void app_expand_home(const char *path, struct sbuf *out)
{
	const char *home = getenv("HOME");

	if (strncmp(path, "~/", 2) == 0 && home && *home)
		sbuf_printf(out, "%s%s", home, path + 1);
	else
		sbuf_puts(out, path);
}

/* Tabs */

static enum status open_file(struct call *c, struct error *e)
{
	struct sbuf path = {0};
	enum status status;

	app_expand_home(c->argv[0], &path);
	status = app_open(c->app, sbuf_text(&path), e);
	if (!status && !traces_is_folder(sbuf_text(&path)))
		panes_close_kind(c->app, "traces"); /* one was chosen */
	sbuf_free(&path);
	return status;
}

enum status file_reload(struct call *c, struct error *e)
{
	struct app *a = c->app;
	enum status status = tail_reopen(a, tab_live(a->tab) != LIVE_OVER, e);

	if (!status)
		views_refilter(a);
	return status;
}

/* Where the format counts ticks. */
static enum status set_ticks_per_cycle(struct call *c, struct error *e)
{
	struct tab *t = c->app->tab;
	const int64_t had = t->ticks_per_cycle;
	enum status status;
	uint64_t ticks;

	if (!num_parse_u64(c->argv[0], &ticks) || ticks < 1 || ticks > INT32_MAX)
		return error_set(e, STATUS_USAGE, "ticks-per-cycle: '%s' is not a number from 1 to %d",
				 c->argv[0], INT32_MAX);
	if (strcmp(t->trace->format.unit, "tick") != 0)
		return error_set(e, STATUS_USAGE, "this trace counts %s, not ticks",
				 unit_plural(t->trace->format.unit));
	t->ticks_per_cycle = (int64_t)ticks;
	status = file_reload(c, e);
	if (status)
		t->ticks_per_cycle = had;
	return status;
}

static enum status tab_step(struct call *c, struct error *e)
{
	struct app *a = c->app;
	int64_t n;

	if (call_count(c, 0, 1, &n, e))
		return STATUS_USAGE;
	if (!a->tab_count)
		return error_set(e, STATUS_NOT_FOUND, "no trace is open");
	n = (app_tab_index(a) + c->command->arg * (n % a->tab_count) + a->tab_count) % a->tab_count;
	app_show_tab(a, (int)n);
	return STATUS_OK;
}

static enum status tab_number(struct call *c, struct error *e)
{
	int64_t n;

	if (call_count(c, 0, 1, &n, e))
		return STATUS_USAGE;
	if (n < 1 || n > c->app->tab_count)
		return error_set(e, STATUS_NOT_FOUND, "there %s %d tab%s",
				 c->app->tab_count == 1 ? "is" : "are", c->app->tab_count,
				 c->app->tab_count == 1 ? "" : "s");
	app_show_tab(c->app, (int)n - 1);
	return STATUS_OK;
}

static void tab_shut(struct call *c)
{
	app_close_tab(c->app, app_tab_index(c->app));
}

/* Writing */

/* As named, else as the file's name ends; text when it has no ending: a picture that is none would lie. */
static enum status find_format(const struct call *c, enum grid_format *out, struct error *e)
{
	const char *slash = strrchr(c->argv[0], '/'), *base = slash ? slash + 1 : c->argv[0];
	const char *dot = strrchr(base, '.');
	const char *name = c->argc > 1 ? c->argv[1] : dot && dot != base ? dot + 1 : "text";

	if (grid_format_parse(strcmp(name, "txt") == 0 ? "text" : name, out))
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, "%s is not written; use svg, html, ansi or txt", name);
}

/* The pane with the focus as if the screen had room for all of its lines. */
static enum status export_pane(struct app *a, enum grid_format format, struct sbuf *out,
			       struct error *e)
{
	struct pane_slot *slot = panes_focused(a);
	struct grid g = {.ascii = a->options.ascii};
	struct rect all = {0};
	struct pane pane;

	if (!slot)
		return error_set(e, STATUS_NOT_FOUND, "no pane has the focus");
	pane = *slot->pane; /* drawing notes where the lines are on the screen */
	all.w = pane_wanted_width(&pane, PANE_COLUMNS);
	all.h = pane_wanted_height(&pane, all.w, PANE_LINES);
	if (!grid_resize(&g, all.w, all.h))
		return error_set(e, STATUS_NOMEM, "out of memory");
	pane_draw(&pane, &g, all, &a->palette);
	grid_export(&g, format, out);
	grid_free(&g);
	return STATUS_OK;
}

static bool is_open_trace(const struct app *a, const struct stat *st)
{
	for (int i = 0; i < a->tab_count; i++) {
		struct stat trace;

		if (stat(a->tabs[i]->path, &trace) == 0 && trace.st_dev == st->st_dev &&
		    trace.st_ino == st->st_ino)
			return true;
	}
	return false;
}

/* A trace that is open is never written to, not even when asked. */
static enum status open_output(const struct app *a, const char *path, bool force, FILE **out,
			       struct error *e)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | (force ? 0 : O_EXCL), 0666);
	enum status status = STATUS_OK;
	struct stat st;

	if (fd < 0 && errno == EEXIST)
		return error_set(e, STATUS_IO, "%s exists; to replace it: write! %s", path, path);
	if (fd < 0)
		return error_errno(e, STATUS_IO, errno, "%s", path);
	if (fstat(fd, &st) == 0 && is_open_trace(a, &st))
		status = error_set(e, STATUS_USAGE, "%s is the trace: pipeglass never writes to it", path);
	else if ((force && ftruncate(fd, 0) < 0 && errno != EINVAL) || !(*out = fdopen(fd, "w")))
		status = error_errno(e, STATUS_IO, errno, "%s", path);
	if (status)
		close(fd);
	return status;
}

/* The screen, or the pane. */
static enum status write_picture(struct call *c, struct error *e)
{
	const bool pane = strncmp(c->command->name, "write-pane", 10) == 0;
	struct sbuf text = {0}, name = {0};
	enum grid_format format;
	enum status status;
	char number[32];
	FILE *f = NULL;

	if (find_format(c, &format, e))
		return STATUS_USAGE;
	status = (pane ? export_pane : app_export)(c->app, format, &text, e);
	app_expand_home(c->argv[0], &name);
	if (!status && text.failed)
		status = error_set(e, STATUS_NOMEM, "out of memory");
	if (!status)
		status = open_output(c->app, sbuf_text(&name), strchr(c->command->name, '!'), &f, e);
	if (f) {
		const bool whole = fwrite(sbuf_text(&text), 1, text.len, f) == text.len;

		if (fclose(f) != 0 || !whole)
			status = error_errno(e, STATUS_IO, errno, "%s", sbuf_text(&name));
	}
	if (!status)
		app_message(c->app, false, "wrote %s, %s bytes", sbuf_text(&name),
			    num_group((int64_t)text.len, number));
	sbuf_free(&name);
	sbuf_free(&text);
	return status;
}

/* Other programs */

/* vi, nvi, vim and nvim have an option that keeps them from writing to the trace. */
static bool is_vi(const char *command)
{
	const char *end = command + strcspn(command, " ");

	return (end - command >= 2 && memcmp(end - 2, "vi", 2) == 0) ||
	       (end - command >= 3 && memcmp(end - 3, "vim", 3) == 0);
}

static enum status edit(struct call *c, struct error *e)
{
	struct app *a = c->app;
	struct source *source = a->tab->trace->source;
	struct view *v = a->tab->view;
	struct item_facts facts = {0};
	const bool known = v->kind->item_facts && v->kind->item_facts(v, tab_place(a->tab).item, &facts);
	const char *path = known && facts.path ? facts.path : a->tab->path;
	const char *editor = getenv("VISUAL");

	if (path == a->tab->path && (source_is_pipe(source) || source_kind(source) != SOURCE_PLAIN))
		return error_set(e, STATUS_UNSUPPORTED, "an editor can open plain files only");
	if (!editor || !*editor)
		editor = getenv("EDITOR");
	if (!editor || !*editor)
		editor = "vi";
	sbuf_clear(&a->shell);
	sbuf_printf(&a->shell, "%s%s", editor, is_vi(editor) ? " -R" : "");
	if (known && facts.line)
		sbuf_printf(&a->shell, " +%" PRIu64, facts.line);
	/* not every editor knows -- */
	sbuf_puts(&a->shell, *path == '-' ? " ./" : " ");
	shell_quoted(&a->shell, path, false);
	c->react |= REACT_SHELL;
	return STATUS_OK;
}

/* %(cycle) and the like in a shell command: numbers only, text of the trace never */
static void expand_shell(struct app *a, const char *command, struct sbuf *out)
{
	struct place here = a->tab ? tab_place(a->tab) : (struct place){.item = ITEM_NONE};
	struct view *v = a->tab ? a->tab->view : NULL;
	struct item_facts facts;
	bool known = v && v->kind->item_facts && here.item != ITEM_NONE &&
		     v->kind->item_facts(v, here.item, &facts);

	for (const char *p = command; *p; p++) {
		if (a->tab && strncmp(p, "%(cycle)", 8) == 0) {
			sbuf_printf(out, "%" PRId64, here.tick);
			p += 7;
		} else if (a->tab && strncmp(p, "%(row)", 6) == 0) {
			sbuf_printf(out, "%" PRIu64, here.item);
			p += 5;
		} else if (known && strncmp(p, "%(pc)", 5) == 0) {
			sbuf_printf(out, "0x%" PRIx64, facts.address);
			p += 4;
		} else if (known && strncmp(p, "%(line)", 7) == 0) {
			sbuf_printf(out, "%" PRIu64, facts.line);
			p += 6;
		} else if (a->tab && strncmp(p, "%(file)", 7) == 0) {
			shell_quoted(out, a->tab->path, false);
			p += 6;
		} else {
			sbuf_putc(out, *p);
		}
	}
}

static void shell(struct call *c)
{
	struct app *a = c->app;
	const char *login = getenv("SHELL");

	sbuf_clear(&a->shell);
	if (c->argc)
		expand_shell(a, c->argv[0], &a->shell);
	else
		sbuf_puts(&a->shell, login && *login ? login : "sh");
	c->react |= REACT_SHELL;
}

/* The program itself */

static void quit(struct call *c)
{
	c->react |= tail_may_quit(c->app) ? REACT_QUIT : REACT_BELL;
}

/* What only whoever has the terminal can do. */
static void ask_terminal(struct call *c)
{
	c->react |= (unsigned)c->command->arg;
}

/* ^C: what is being typed, else what began last, else the indexing. */
static void interrupt(struct call *c)
{
	struct app *a = c->app;

	if (a->prompt.open)
		prompt_cancel(a);
	else if (!app_interrupt(a))
		app_message(a, false, "to quit, type :quit and press Enter");
}

static enum status wait_complete(struct call *c, struct error *e)
{
	enum status status = trace_wait(c->app->tab->trace, e);

	app_progress(c->app);
	return status;
}

static void version(struct call *c)
{
	app_message(c->app, false, "%s", PACKAGE_STRING);
}

const struct command file_commands[] = {
    {"open", "FILE", "open a trace in a new tab; of a folder, list the traces", .run = open_file},
    {"reload", "", "read the file again and keep the place", .run = file_reload, .flags = CMD_TRACE},
    {"ticks-per-cycle", "N", "set the ticks in a cycle, if the trace's format counts ticks",
     .run = set_ticks_per_cycle, .flags = CMD_TRACE},
    {"tab next", "[N]", "go to the next tab", .run = tab_step, .arg = 1},
    {"tab prev", "[N]", "go to the previous tab", .run = tab_step, .arg = -1},
    {"tab", "[N]", "go to tab N, from 1", .run = tab_number},
    {"tab close", "", "close the tab", .act = tab_shut, .flags = CMD_TRACE},
    {"write", "FILE [FORMAT]", "write a picture of the screen to a new file: svg, html, ansi, text",
     .run = write_picture, .flags = CMD_UNSAFE},
    {"write!", "FILE [FORMAT]", "the same, but replace an existing file", .run = write_picture,
     .flags = CMD_UNSAFE},
    {"write-pane", "FILE [FORMAT]", "write all lines of the focused pane to a new file",
     .run = write_picture, .flags = CMD_UNSAFE},
    {"write-pane!", "FILE [FORMAT]", "the same, but replace an existing file", .run = write_picture,
     .flags = CMD_UNSAFE},
    {"edit", "", "open the trace at the row's line, or the source line listed, in $VISUAL or $EDITOR; read-only in vi and vim", .run = edit,
     .flags = CMD_TRACE | CMD_UNSAFE},
    {"shell", "[TEXT]", "run a shell command; replaces %(cycle) %(row) %(pc) %(line) %(file)",
     .act = shell, .flags = CMD_UNSAFE},
    {"redraw", "", "repaint the screen", .act = ask_terminal, .flags = CMD_BESIDE,
     .arg = REACT_FULL},
    {"suspend", "", "suspend pipeglass; fg in the shell resumes it", .act = ask_terminal,
     .flags = CMD_BESIDE, .arg = REACT_SUSPEND},
    {"interrupt", "", "cancel the prompt, else stop the work, else pause, else stop reading",
     .act = interrupt, .flags = CMD_BESIDE},
    {"wait", "", "wait until the whole trace is read", .run = wait_complete, .flags = CMD_TRACE},
    {"version", "", "show the version", .act = version},
    {"quit", "", "quit; asks once more while a started program runs", .act = quit},
    {"quit!", "", "quit at once and stop the started program", .act = ask_terminal,
     .arg = REACT_QUIT},
    {.name = NULL},
};
