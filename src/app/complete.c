#include "config.h"

#include "app/complete.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/state.h"
#include "base/xalloc.h"

/* What is being completed: words that begin with p[0..len). */
struct asked {
	struct app *app;
	const char *p;
	size_t len;
	const struct command *command;
	enum arg_type type;
	struct completion *out;
	const char *first; /* argument before, for VALUE */
};

static void add(struct asked *q, const char *word)
{
	struct completion *c = q->out;

	if (strncmp(word, q->p, q->len) != 0)
		return;
	for (size_t i = 0; i < c->words.count; i++)
		if (strcmp(c->words.data[i], word) == 0)
			return;
	if (c->words.count == COMPLETION_MAX) {
		c->left_out++;
		return;
	}
	if (vec_reserve(&c->words, 1))
		c->words.data[c->words.count++] = xstrdup(word);
}

static void add_part(struct asked *q, const char *p, size_t len)
{
	char *word = xstrndup(p, len);

	add(q, word);
	free(word);
}

/* Providers, one for each type of argument that has names */

static void add_word(void *arg, const char *word)
{
	add(arg, word);
}

/* What the views know of: stages, events, machines. */
static void of_views(struct asked *q)
{
	for (int i = 0; view_kinds[i]; i++)
		if (view_kinds[i]->words)
			view_kinds[i]->words(q->app, q->type, add_word, q);
}

static void metrics(struct asked *q)
{
	const struct trace *trace = q->app->tab ? q->app->tab->trace : NULL;
	struct metric_info info;

	of_views(q);
	for (size_t i = 0; trace && trace->kind->metric(trace, i, &info); i++)
		add(q, info.name);
}

static void components(struct asked *q)
{
	const struct trace *trace = q->app->tab ? q->app->tab->trace : NULL;
	struct trace_component component;

	for (size_t i = 0; trace && trace->kind->component &&
			   trace->kind->component(trace, i, &component);
	     i++)
		add(q, component.name);
}

static void panes(struct asked *q)
{
	const struct pane_kind *k;

	for (size_t i = 0; (k = pane_kind_at(i)); i++)
		add(q, k->name);
}

static void marks(struct asked *q)
{
	for (size_t i = 0; q->app->tab && i < q->app->tab->places.marks.count; i++)
		add_part(q, &q->app->tab->places.marks.at[i].letter, 1);
}

static void options(struct asked *q)
{
	for (int i = 0; i < OPTION_COUNT; i++)
		if (q->type == ARG_OPTION || option_infos[i].type == OPTION_BOOL)
			add(q, option_infos[i].name);
}

static void values(struct asked *q)
{
	enum option which;

	if (q->first && option_find(q->first, &which, NULL) == STATUS_OK &&
	    option_infos[which].type == OPTION_BOOL) {
		add(q, "on");
		add(q, "off");
	}
}

static void files(struct asked *q);

static void machines(struct asked *q)
{
	of_views(q);
	files(q);
}

static void roles(struct asked *q)
{
	char buf[24];

	for (int i = 0; i < ROLE_COUNT; i++)
		add(q, palette_role_name((enum role)i, buf));
}

static void edits(struct asked *q)
{
	for (int i = 0; i < LINE_ACTION_COUNT; i++)
		add(q, lineedit_name((enum line_action)i));
}

static void add_file(struct asked *q, const char *dir, const char *name)
{
	struct sbuf path = {0};
	struct stat st;

	sbuf_printf(&path, "%s%s", dir, name);
	if (stat(sbuf_text(&path), &st) == 0 && S_ISDIR(st.st_mode))
		sbuf_putc(&path, '/');
	add(q, sbuf_text(&path));
	sbuf_free(&path);
}

static void files(struct asked *q)
{
	char *typed = xstrndup(q->p, q->len);
	char *slash = strrchr(typed, '/');
	size_t dir_len = slash ? (size_t)(slash + 1 - typed) : 0;
	char *dir = xstrndup(typed, dir_len);
	DIR *d = opendir(dir_len ? dir : ".");
	struct dirent *entry;

	while (d && (entry = readdir(d))) {
		const char *name = entry->d_name;

		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			continue;
		/* hidden ones when asked for; a name with blanks would be two arguments */
		if ((*name != '.' || typed[dir_len] == '.') && !strpbrk(name, " \t'\""))
			add_file(q, dir, name);
	}
	if (d)
		closedir(d);
	free(dir);
	free(typed);
}

static void (*const providers[ARG_TYPES])(struct asked *q) = {
    [ARG_STAGE] = of_views, [ARG_EVENT] = of_views,         [ARG_METRIC] = metrics, [ARG_COMPONENT] = components,
    [ARG_PANE] = panes,     [ARG_MARK] = marks,             [ARG_FILE] = files,
    [ARG_OPTION] = options, [ARG_SWITCH] = options, [ARG_VALUE] = values,
    [ARG_ROLE] = roles,     [ARG_EDIT] = edits,             [ARG_TRACE] = files,
    [ARG_MACHINE] = machines, [ARG_CAUSE] = of_views,       [ARG_WHATIF] = of_views,
};

/* The words of a choice, else what its provider knows. */
static void words(struct asked *q)
{
	const char *word;
	size_t len;

	for (int i = 0; (word = arg_word(q->type, i, &len)); i++)
		add_part(q, word, len);
	if (providers[q->type])
		providers[q->type](q);
}

/* The name: first words, or second words after a first one. */
static void names(struct asked *q, const char *first, size_t first_len)
{
	const struct command *c;

	for (size_t i = 0; (c = command_at(i)); i++) {
		size_t len = strcspn(c->name, " ");
		const char *second = c->name + len;

		if (!first)
			add_part(q, c->name, len);
		else if (len == first_len && strncmp(c->name, first, len) == 0 && *second)
			add(q, second + 1);
	}
}

static size_t skip_blanks(const char *line, size_t at, size_t end)
{
	while (at < end && strchr(" \t:", line[at]))
		at++;
	return at;
}

static size_t skip_word(const char *line, size_t at, size_t end)
{
	while (at < end && !strchr(" \t", line[at]))
		at++;
	return at;
}

/* After the last lone ; a new command begins. */
static size_t last_command(const char *line, size_t cursor)
{
	size_t from = 0;

	for (size_t i = 1; i + 1 < cursor; i++)
		if (line[i] == ';' && strchr(" \t", line[i - 1]) && strchr(" \t", line[i + 1]))
			from = i + 1;
	return from;
}

static void complete_words(struct asked *q, const char *line, size_t from, size_t cursor);

/* Arguments: which one the cursor is in, and its provider. */
static void arguments(struct asked *q, const char *line, size_t args_at, size_t cursor)
{
	size_t word = skip_blanks(line, args_at, cursor);
	char *before = NULL;
	enum arg_type type;
	bool optional;
	int i = 0;

	for (;; i++) {
		size_t end = skip_word(line, word, cursor);

		if (command_arg(q->command, i, &type, &optional) && type == ARG_COMMAND) {
			complete_words(q, line, word, cursor);
			free(before);
			return;
		}
		if (end == cursor)
			break;
		free(before);
		before = xstrndup(line + word, end - word);
		word = skip_blanks(line, end, cursor);
	}
	q->p = line + word;
	q->len = cursor - word;
	q->out->from = word;
	q->first = before;
	if (command_arg(q->command, i, &type, &optional)) {
		q->type = type;
		words(q);
	}
	free(before);
}

static void complete_words(struct asked *q, const char *line, size_t from, size_t cursor)
{
	size_t first = skip_blanks(line, from, cursor);
	size_t first_end = skip_word(line, first, cursor);
	size_t second = skip_blanks(line, first_end, cursor);
	char *part = xstrndup(line + first, cursor - first);
	size_t args_at = 0;

	q->p = line + first;
	q->len = cursor - first;
	q->out->from = first;
	if (first_end == cursor) {
		names(q, NULL, 0);
		free(part);
		return;
	}
	q->command = command_named(part, &args_at, NULL);
	if (skip_word(line, second, cursor) == cursor) {
		q->p = line + second;
		q->len = cursor - second;
		q->out->from = second;
		names(q, line + first, first_end - first);
	}
	if (q->command && first + args_at < cursor)
		arguments(q, line, first + args_at, cursor);
	free(part);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void complete_line(struct app *a, const char *line, size_t cursor, struct completion *out)
{
	struct asked q = {.app = a, .out = out};

	completion_free(out);
	complete_words(&q, line, last_command(line, cursor), cursor);
	if (out->words.count)
		qsort(out->words.data, out->words.count, sizeof(out->words.data[0]), by_name);
}

void completion_free(struct completion *c)
{
	for (size_t i = 0; i < c->words.count; i++)
		free(c->words.data[i]);
	vec_free(&c->words);
	*c = (struct completion){.from = 0};
}

size_t completion_common(const struct completion *c)
{
	size_t len = c->words.count ? strlen(c->words.data[0]) : 0;

	for (size_t i = 1; i < c->words.count; i++) {
		size_t k = 0;

		while (k < len && c->words.data[i][k] == c->words.data[0][k])
			k++;
		len = k;
	}
	return len;
}
