/* The traces in a folder, to choose one from. */
#include "config.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "app/state.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "view/pane_list.h"

enum {
	HEAD_BYTES = TRACE_DETECT_BYTES, /* of each file, packed or not */
	LOOK_MS = 2000,                  /* at all of them */
	NAME_COLUMN = 38
};

struct traces {
	struct list_pane list;
	struct sbuf folder; /* as it begins a path: neither an option nor ~ */
	size_t count; /* of its lines, each a file's */
};

bool traces_is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool enter_trace(const struct pane *p, size_t i, struct sbuf *out)
{
	const struct traces *t = p->data;
	struct sbuf path = {0};

	if (i >= t->count)
		return false;
	sbuf_printf(&path, "%s%s", sbuf_text(&t->folder),
		    sbuf_text(&t->list.lines[i].line.text) + NAME_COLUMN);
	sbuf_puts(out, "open ");
	sbuf_put_quoted(out, sbuf_text(&path));
	sbuf_free(&path);
	return true;
}

static void traces_heading(const struct pane *p, struct pane_line *out)
{
	(void)p;
	pane_line_add(out, ROLE_DIM, "%-10s %7s  %-16s  %s", "format", "size", "date", "name");
}

static void traces_free(struct pane *p)
{
	struct traces *t = p->data;

	sbuf_free(&t->folder);
	list_pane_free(p);
}

static const struct pane_ops traces_ops = {
    .title = list_pane_title,
    .heading = traces_heading,
    .count = list_pane_count,
    .line = list_pane_line,
    .command = enter_trace,
    .free = traces_free,
};

static bool detect(const char *path, struct trace_format *out)
{
	struct source *source;
	struct error ignored;
	bool known;

	if (source_open_head(&source, path, HEAD_BYTES, &ignored))
		return false;
	known = trace_detect(source, out);
	source_close(source);
	return known;
}

static void add_trace(struct traces *t, const char *name, const struct stat *st,
		      const struct trace_format *format)
{
	struct pane_line *l = list_pane_add(&t->list, ITEM_NONE, 0);
	char size[32], date[32] = "";
	struct tm tm;

	if (localtime_r(&st->st_mtime, &tm))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M", &tm);
	pane_line_add(l, ROLE_DIM, "%-10s %7s  %-16s  ", format->name,
		      num_bytes((uint64_t)st->st_size, size), date);
	pane_line_bytes(l, ROLE_PANE, name, strlen(name));
	l->indent = NAME_COLUMN;
	t->count++;
}

/* Only regular files are opened: a pipe would take what somebody writes, or wait for it. */
static void look_at(struct traces *t, const char *name)
{
	struct sbuf path = {0};
	struct trace_format format;
	struct stat st;

	sbuf_printf(&path, "%s%s", sbuf_text(&t->folder), name);
	if (stat(sbuf_text(&path), &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
	    detect(sbuf_text(&path), &format))
		add_trace(t, name, &st, &format);
	sbuf_free(&path);
}

struct pane *traces_pane(struct app *a)
{
	struct traces *t = xcalloc(1, sizeof(*t));
	const char *folder = a->folder.len ? sbuf_text(&a->folder) : ".";
	int64_t until = clock_ms() + LOOK_MS;
	struct dirent **names = NULL;
	int count = scandir(folder, &names, NULL, versionsort), looked = 0;

	list_pane_init(&t->list, &traces_ops, NULL);
	snprintf(t->list.title, sizeof(t->list.title), "Traces in %.60s  (Enter opens one)", folder);
	sbuf_printf(&t->folder, "%s%s/", folder[0] == '/' || folder[0] == '.' ? "" : "./", folder);
	for (; looked < count && t->count + 2 < LIST_MAX && clock_ms() < until; looked++)
		look_at(t, names[looked]->d_name);
	if (looked < count)
		pane_line_add(list_pane_add(&t->list, ITEM_NONE, 0), ROLE_DIM,
			      "... and %d files that were not looked at", count - looked);
	else if (!t->count)
		pane_line_add(list_pane_add(&t->list, ITEM_NONE, 0), ROLE_DIM,
			      "no trace here: :open FOLDER lists another one");
	while (count > 0)
		free(names[--count]);
	free(names);
	return &t->list.pane;
}

enum status traces_list(struct app *a, const char *folder, struct error *e)
{
	char close[KEY_TEXT];
	enum status status;

	panes_close_kind(a, "traces");
	sbuf_clear(&a->folder);
	sbuf_puts(&a->folder, folder);
	status = panes_open(a, pane_kind_find("traces", NULL), e);
	if (!status && !a->message.len)
		app_message(a, false, "Enter opens a trace  %s %s", app_key_text(a, "close", close),
			    traces_alone(a) ? "quits" : "closes the list");
	return status;
}

bool traces_alone(const struct app *a)
{
	return !a->tab_count && a->panes.focus >= 0 &&
	       a->panes.slots[a->panes.focus].kind->make == traces_pane;
}
