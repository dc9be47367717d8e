/*
 * What the tests of the app share: a folder with traces and state of its own, an app in it,
 * running a line and looking at the screen.
 */
#ifndef TESTS_UNIT_APP_DRIVER_H
#define TESTS_UNIT_APP_DRIVER_H

#include "app/pipeline/rows.h"
#include "app/state.h"
#include "app_trace.h"
#include "testing.h"

static char dir[] = "/tmp/pipeglass-app-XXXXXX";
static char trace[64], other[64], state_dir[64];

static inline int setup(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(trace, sizeof(trace), "%s/a.trc", dir);
	snprintf(other, sizeof(other), "%s/b.trc", dir);
	snprintf(state_dir, sizeof(state_dir), "%s/state", dir);
	setenv("XDG_STATE_HOME", state_dir, 1);
	setenv("XDG_CONFIG_HOME", dir, 1);
	setenv("XDG_CACHE_HOME", dir, 1);
	unsetenv("PIPEGLASS_CONFIG");
	unsetenv("PIPEGLASS_SECURE");
	trace_make(trace, TRACE_ROWS);
	trace_make(other, 20);
	return 0;
}

static inline int teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command);
}

static inline struct app *start_with(const char *config, const char *keymap, const char *path)
{
	struct app_options options = {
	    .store.no_cache = true, .config = config, .keymap = keymap, .headless = true};
	struct error e = {STATUS_OK, ""};
	struct app *a;

	if (app_new(&a, &options, &e) || (path && app_open(a, path, &e)))
		fail_msg("%s", e.text);
	app_layout(a, 100, 20);
	return a;
}

static inline struct app *start(void)
{
	return start_with("none", NULL, trace);
}

static inline unsigned run(struct app *a, const char *line)
{
	struct error e = {STATUS_OK, ""};
	unsigned r = 0;

	if (app_command(a, line, &r, &e))
		fail_msg("%s: %s", line, e.text);
	return r;
}

static inline void run_wrong(struct app *a, const char *line, const char *says)
{
	struct error e = {STATUS_OK, ""};

	if (!app_command(a, line, NULL, &e))
		fail_msg("%s: no error", line);
	if (!strstr(e.text, says))
		fail_msg("%s: %s", line, e.text);
}

/* The screen as text; freed by the next call. */
static inline const char *screen(struct app *a, int w, int h)
{
	static struct sbuf text;
	struct grid g = {0};
	struct error e = {STATUS_OK, ""};

	assert_true(grid_resize(&g, w, h));
	if (app_draw(a, &g, &e))
		fail_msg("%s", e.text);
	sbuf_free(&text);
	text = (struct sbuf){0};
	grid_export(&g, GRID_TEXT, &text);
	grid_free(&g);
	return sbuf_text(&text);
}

static inline void shows(struct app *a, const char *what)
{
	const char *text = screen(a, 100, 20);

	if (!strstr(text, what))
		fail_msg("'%s' is not on the screen:\n%s", what,
			 text);
}

static inline void shows_not(struct app *a, const char *what)
{
	const char *text = screen(a, 100, 20);

	if (strstr(text, what))
		fail_msg("'%s' is on the screen:\n%s", what, text);
}

#endif
