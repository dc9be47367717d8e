/*
 * What the tests of the app share: a folder with traces and state of its own, an app in it,
 * running a line and looking at the screen.
 */
#ifndef TESTS_UNIT_APP_DRIVER_H
#define TESTS_UNIT_APP_DRIVER_H

#include <time.h>

#include "app/pipeline/rows.h"
#include "app/state.h"
#include "open_store.h"
#include "app_trace.h"
#include "pipeline/kind.h"
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

/* As at a terminal: it is drawn and idles between commands, and what takes long goes on then. */
static inline struct app *start_driven(const char *path, bool cache)
{
	struct app_options options = {.store.no_cache = !cache, .config = "none"};
	struct error e = {STATUS_OK, ""};
	struct app *a;

	if (app_new(&a, &options, &e) || app_open(a, path, &e))
		fail_msg("%s", e.text);
	return a;
}

/* The same when the trace was read. */
static inline struct app *start_terminal(const char *path)
{
	struct app *a = start_driven(path, false);
	struct error e = {STATUS_OK, ""};
	int wait_ms;

	if (store_wait(store_of_trace(app_trace(a)), &e))
		fail_msg("%s", e.text);
	app_layout(a, 100, 20);
	app_idle(a, &wait_ms);
	return a;
}

/* Until nothing is under way. */
static inline void idle(struct app *a)
{
	const struct timespec nap = {0, 1000000L};
	int wait_ms;

	while (app_busy(a) || jobs_wait_ms(a) >= 0) {
		app_idle(a, &wait_ms);
		assert_true(!app_busy(a) || wait_ms >= 0);
		nanosleep(&nap, NULL);
	}
}

/* Begins what takes long, and does not wait for it. */
static inline void begin(struct app *a, const char *line)
{
	struct error e = {STATUS_OK, ""};

	if (app_run(a, line, -1, &e))
		fail_msg("%s: %s", line, e.text);
}

/* What is under way when its app, or what it is for, goes: the race is who is first. */
static inline void closing_races(const char *path, const char *first, const char *work,
				 const char *const ends[4])
{
	for (int i = 0; i < 16; i++) {
		struct app *a = start_terminal(path);
		struct timespec nap = {0, i * 50000L};
		int wait_ms;

		begin(a, first);
		screen(a, 100, 20);
		begin(a, work);
		nanosleep(&nap, NULL);
		app_run(a, ends[i % 4], -1, NULL);
		screen(a, 100, 20);
		app_idle(a, &wait_ms);
		screen(a, 60, 20);
		app_free(a);
	}
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

static inline void shows(struct app *a, const char *what)
{
	const char *text = screen(a, 100, 20);

	if (!strstr(text, what))
		fail_msg("'%s' is not on the screen:\n%s", what, text);
}

/* On a screen that has room for more. */
static inline void shows_tall(struct app *a, const char *what)
{
	const char *text = screen(a, 120, 60);

	if (!strstr(text, what))
		fail_msg("'%s' is not on the screen:\n%s", what, text);
}

static inline void shows_not(struct app *a, const char *what)
{
	const char *text = screen(a, 100, 20);

	if (strstr(text, what))
		fail_msg("'%s' is on the screen:\n%s", what, text);
}

#endif
