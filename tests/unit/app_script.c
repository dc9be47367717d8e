#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/state.h"
#include "app_script.h"
#include "testing.h"

enum { WIDE = 100, HIGH = 20, LINE_MOST = 512 };

struct script {
	struct app *a;
	int w, h;
	char config[LINE_MOST];
	struct sbuf screen, why;
	FILE *text; /* the script */
	int number; /* of its line */
};

static void close_app(struct script *s)
{
	if (s->a)
		app_free(s->a);
	s->a = NULL;
}

static bool begin_test(struct script *s, const char *text)
{
	(void)text;
	close_app(s);
	strcpy(s->config, "none");
	return true;
}

static bool open_app(struct script *s, const char *text)
{
	struct app_options options = {.store.no_cache = true,
				      .config = strcmp(s->config, "own") ? s->config : NULL,
				      .headless = true};
	struct error e = {STATUS_OK, ""};

	close_app(s);
	s->w = WIDE;
	s->h = HIGH;
	if (!app_new(&s->a, &options, &e) && (!*text || !app_open(s->a, text, &e))) {
		app_layout(s->a, s->w, s->h);
		return true;
	}
	sbuf_puts(&s->why, e.text);
	return false;
}

static bool configure(struct script *s, const char *text)
{
	strcpy(s->config, text);
	return true;
}

/* What stands up to the line `end` is the file. */
static bool write_file(struct script *s, const char *text)
{
	FILE *f = fopen(text, "w");
	char line[LINE_MOST];

	while (f && fgets(line, sizeof(line), s->text) && ++s->number && strcmp(line, "end\n") != 0)
		fputs(line, f);
	return f && fclose(f) == 0;
}

static bool run_line(struct script *s, const char *text)
{
	struct error e = {STATUS_OK, ""};

	if (!app_command(s->a, text, NULL, &e))
		return true;
	sbuf_puts(&s->why, e.text);
	return false;
}

static bool refuse_line(struct script *s, const char *text)
{
	const char *arrow = strstr(text, " -> ");
	struct error e = {STATUS_OK, "no error"};
	char line[LINE_MOST];

	if (!arrow)
		return false;
	snprintf(line, sizeof(line), "%.*s", (int)(arrow - text), text);
	if (app_command(s->a, line, NULL, &e) && strstr(e.text, arrow + strlen(" -> ")))
		return true;
	sbuf_puts(&s->why, e.text);
	return false;
}

static bool set_size(struct script *s, const char *text)
{
	if (sscanf(text, "%dx%d", &s->w, &s->h) != 2)
		return false;
	app_layout(s->a, s->w, s->h);
	return true;
}

static bool on_screen(struct script *s, const char *text)
{
	struct grid g = {0};
	struct error e = {STATUS_OK, ""};

	sbuf_clear(&s->screen);
	if (grid_resize(&g, s->w, s->h) && !app_draw(s->a, &g, &e))
		grid_export(&g, GRID_TEXT, &s->screen);
	grid_free(&g);
	sbuf_puts(&s->why, e.text);
	return strstr(sbuf_text(&s->screen), text) != NULL;
}

static bool shows(struct script *s, const char *text)
{
	if (on_screen(s, text))
		return true;
	sbuf_puts(&s->why, sbuf_text(&s->screen));
	return false;
}

static bool shows_not(struct script *s, const char *text)
{
	if (!on_screen(s, text))
		return s->why.len == 0;
	sbuf_puts(&s->why, sbuf_text(&s->screen));
	return false;
}

static bool is_number(struct script *s, int64_t got, const char *text)
{
	sbuf_printf(&s->why, "it is %lld", (long long)got);
	return got == strtoll(text, NULL, 10);
}

static bool at_row(struct script *s, const char *text)
{
	return is_number(s, (int64_t)tab_place(s->a->tab).item, text);
}

static bool at_row_in(struct script *s, const char *text)
{
	char *row;
	long tab = strtol(text, &row, 10);

	return tab >= 1 && tab <= s->a->tab_count &&
	       is_number(s, (int64_t)tab_place(s->a->tabs[tab - 1]).item, row);
}

static bool at_tick(struct script *s, const char *text)
{
	return is_number(s, tab_place(s->a->tab).tick, text);
}

static bool in_tab(struct script *s, const char *text)
{
	int tab = 0;

	while (s->a->tabs[tab] != s->a->tab)
		tab++;
	return is_number(s, tab + 1, text);
}

static bool has_panes(struct script *s, const char *text)
{
	return is_number(s, (int64_t)s->a->panes.count, text);
}

static bool mouse(struct script *s, struct mouse m, const char *text)
{
	if (sscanf(text, "%d %d", &m.x, &m.y) != 2)
		return false;
	app_mouse(s->a, &m);
	return true;
}

static bool click(struct script *s, const char *text)
{
	return mouse(s, (struct mouse){.kind = MOUSE_PRESS, .button = 1}, text);
}

static bool click_twice(struct script *s, const char *text)
{
	return mouse(s, (struct mouse){.kind = MOUSE_PRESS, .button = 1, .twice = true}, text);
}

static bool wheel(struct script *s, const char *text)
{
	return mouse(s, (struct mouse){.kind = MOUSE_WHEEL_DOWN}, text);
}

/* Set before anything is drawn, as the terminal does. */
static bool ascii(struct script *s, const char *text)
{
	(void)text;
	s->a->options.ascii = true;
	return true;
}

static bool only_ascii(struct script *s, const char *text)
{
	on_screen(s, text);
	for (const char *p = sbuf_text(&s->screen); *p; p++)
		if ((unsigned char)*p >= 0x80)
			return false;
	return s->screen.len > 0;
}

static bool complains(struct script *s, const char *text)
{
	const char *complaints = app_complaints(s->a);

	sbuf_puts(&s->why, complaints);
	return *text ? strstr(complaints, text) != NULL : !*complaints;
}

static bool yanked_whole(struct script *s, const char *text)
{
	sbuf_puts(&s->why, app_clipboard(s->a));
	return strcmp(app_clipboard(s->a), text) == 0;
}

static bool yanked(struct script *s, const char *text)
{
	sbuf_puts(&s->why, app_clipboard(s->a));
	return strstr(app_clipboard(s->a), text) != NULL;
}

static const struct {
	const char *name;
	bool (*run)(struct script *s, const char *text);
} verbs[] = {
    {"test", begin_test}, {"file", write_file},         {"config", configure},
    {"on", open_app},     {"complains", complains},     {"ascii", ascii},
    {"run", run_line},    {"wrong", refuse_line},       {"size", set_size},
    {"click", click},     {"click-twice", click_twice}, {"wheel", wheel},
    {"shows", shows},     {"shows-not", shows_not},     {"only-ascii", only_ascii},
    {"row", at_row},      {"row-in", at_row_in},        {"tick", at_tick},
    {"tab", in_tab},      {"panes", has_panes},         {"clipboard", yanked_whole},
    {"yanked", yanked},
};

/* Bars and \n are what they stand for. */
static void unescape(char *text)
{
	size_t len = strlen(text);
	char *out = text;

	if (len > 1 && strcmp(text + len - 2, " |") == 0)
		text[len - 1] = '\0';
	for (const char *p = text; *p; p++) {
		bool newline = p[0] == '\\' && p[1] == 'n';

		*out++ = newline ? '\n' : *p;
		p += newline;
	}
	*out = '\0';
}

static bool run_verb(struct script *s, char *line)
{
	size_t len = strcspn(line, " ");
	char *text = line + len + (line[len] != '\0');

	unescape(text);
	sbuf_clear(&s->why);
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strlen(verbs[i].name) == len && strncmp(line, verbs[i].name, len) == 0)
			return verbs[i].run(s, text);
	sbuf_puts(&s->why, "no such verb");
	return false;
}

static FILE *open_script(const char *name, const char *folder)
{
	const char *srcdir = getenv("srcdir");
	char path[PATH_MAX], *samples;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/unit/scripts/%s.app", srcdir ? srcdir : ".", name);
	f = fopen(path, "r");
	if (!f)
		fail_msg("%s is not there", path);
	snprintf(path, sizeof(path), "%s/samples", srcdir ? srcdir : ".");
	samples = realpath(path, NULL);
	snprintf(path, sizeof(path), "%s/samples", folder);
	if (symlink(samples, path)) /* it may be there */
		assert_int_equal(errno, EEXIST);
	free(samples);
	return f;
}

/* The lines of all tests; how many of these failed. */
static int run_script(struct script *s, const char *name)
{
	char line[LINE_MOST], whole[LINE_MOST];
	bool skipping = true;
	int failed = 0;

	while (fgets(line, sizeof(line), s->text)) {
		s->number++;
		line[strcspn(line, "\n")] = '\0';
		strcpy(whole, line);
		if (strncmp(line, "test ", strlen("test ")) == 0)
			skipping = false;
		if (skipping || !*line || *line == '#' || run_verb(s, line))
			continue;
		fprintf(stderr, "%s.app:%d: %s\n%s\n", name, s->number, whole, sbuf_text(&s->why));
		skipping = true;
		failed++;
	}
	return failed;
}

void play_script(const char *name, const char *folder)
{
	struct script s = {.text = open_script(name, folder)};
	char *here = getcwd(NULL, 0);
	int failed;

	assert_int_equal(chdir(folder), 0);
	failed = run_script(&s, name);
	close_app(&s);
	sbuf_free(&s.screen);
	sbuf_free(&s.why);
	fclose(s.text);
	assert_int_equal(chdir(here), 0);
	free(here);
	assert_true(s.number > 0);
	assert_int_equal(failed, 0);
}
