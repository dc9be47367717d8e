/* What the app tells its user: errors too long for a line, problems of files, the help. */
#include "config.h"

#include "app_driver.h"
#include "base/text.h"
#include "view/pane_list.h"
#include "view/pane_wrap.h"
#include "open_store.h"

static char config[96], more[96];

static void write_file(char *path, size_t size, const char *name, const char *text)
{
	FILE *f;

	snprintf(path, size, "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static const char *screen_80(struct app *a)
{
	app_layout(a, 80, 24);
	return screen(a, 80, 24);
}

static size_t place(const char *text, const char *what)
{
	const char *at = strstr(text, what);

	if (!at)
		fail_msg("no '%s' in\n%s", what, text);
	return (size_t)(at - text);
}

/* As main does it, with a terminal. */
static struct app *start_at_terminal(void)
{
	struct app_options options = {.store.no_cache = true, .config = config};
	struct error e = {STATUS_OK, ""};
	struct app *a;

	if (app_new(&a, &options, &e) || app_open(a, trace, &e))
		fail_msg("%s", e.text);
	app_first_tab(a);
	assert_int_equal(store_wait(store_of_trace(app_trace(a)), &e), STATUS_OK);
	app_progress(a);
	return a;
}

TEST(problems_of_files_are_listed_whole)
{
	char line[256];
	const char *text;
	struct app *a;

	write_file(more, sizeof(more), "more", "set pan 50\nstage IF toolong 2\n");
	snprintf(line, sizeof(line),
		 "no such\nstage EX E 3 a-role-that-nobody-knows\nsource %s\nset stay 33\n", more);
	write_file(config, sizeof(config), "config", line);
	a = start_at_terminal();
	text = screen_80(a);
	place(text, "Problems");
	place(text, "config:1: no such command: no");
	place(text, "config:2: a role must be other");
	/* its end, on a row of its own */
	place(text, "a-role-that-nobody-knows");
	place(text, "more:2: not one printable ASCII letter: toolong");
	place(text, "3 problems in your files: <Tab> enters the list, q closes it");
	/* the rest of the files holds, and the trace has the keys */
	assert_int_equal(a->set.value[OPT_PAN], 50);
	assert_int_equal(a->set.value[OPT_STAY], 33);
	assert_null(panes_focused(a));
	run(a, "keys 5j");
	place(screen_80(a), "row 5 of 200 ");
	run(a, "keys q");
	assert_null(strstr(screen_80(a), "Problems"));
	run(a, "problems");
	place(screen_80(a), "more:2: ");
	assert_non_null(panes_focused(a));
	app_free(a);
	write_file(config, sizeof(config), "config", "set pan 20\n");
	a = start_at_terminal();
	assert_false(panes_is_open(a, "problems"));
	assert_string_equal(app_complaints(a), "");
	run(a, "problems");
	place(screen_80(a), "none");
	app_free(a);
}

TEST(scripts_go_on_after_what_is_not_there)
{
	struct app *a = start();
	struct error e = {STATUS_OK, ""};
	char script[96];

	write_file(script, sizeof(script), "script",
		   "goto row 5\ngoto row 999\nsearch no such\nmove down\n\ngoto mark q\n");
	assert_int_equal(app_script(a, script, &e), STATUS_OK);
	assert_int_equal(rows_of(a->tab)->view.cursor, 6);
	assert_int_equal(a->complaint_count, 3);
	place(app_complaints(a), "script:2: no row 999");
	place(app_complaints(a), "script:3: not found: /no such/");
	place(app_complaints(a), "script:6: mark q is not set");
	shows(a, "script:6: mark q is not set");
	write_file(script, sizeof(script), "script", "goto row 7\ngoto row x\ngoto row 8\n");
	assert_int_equal(app_script(a, script, &e), STATUS_USAGE);
	place(e.text, "script:2: not a number: x");
	assert_int_equal(rows_of(a->tab)->view.cursor, 7);
	app_free(a);
}

TEST(a_long_error_is_shown_whole)
{
	static const char end[] = "do-this-instead";
	struct app *a = start();
	const char *text;
	size_t rows = 0;

	app_message(a, true, "%070d %070d %s", 1, 2, end);
	text = screen_80(a);
	for (const char *p = strstr(text, "0000"); p && *p; p++)
		rows += *p == '\n';
	assert_int_equal(rows, 2);
	place(text, end);
	/* it goes with the next key, and on a line that holds it it takes one row */
	app_key(a, (struct key){'j', 0});
	assert_null(strstr(screen_80(a), end));
	app_message(a, true, "%s", end);
	text = screen_80(a);
	assert_string_equal(strstr(text, end) + strlen(end), "\n");
	/* a screen too low for more keeps to its one row */
	app_message(a, true, "%070d %070d %s", 1, 2, end);
	app_layout(a, 80, 5);
	assert_null(strstr(screen(a, 80, 5), end));
	app_free(a);
}

/* In 80 columns the text has most of them, and what is wrapped stands under itself. */
TEST(the_help_is_readable_in_80_columns)
{
	struct app *a = start();
	const struct list_pane *p;
	size_t wrapped = 0;

	run(a, "help");
	p = panes_focused(a)->pane->data;
	for (size_t i = 0; i < p->count; i++) {
		const struct pane_line *l = &p->lines[i].line;
		const char *text = sbuf_text(&l->text), *brk = strchr(text, '\n');
		size_t left = brk ? (size_t)(brk + 1 - text) : 0;
		struct wrap_row r = {0};
		int rows = 0;

		while (pane_wrap_next(l, 76, &r)) {
			rows++;
			assert_false(r.cut);
			if (rows > 1)
				assert_int_equal(r.indent, l->indent ? l->indent : 2);
		}
		assert_true(rows > 0 && rows <= 4);
		assert_true(l->indent <= 27);
		wrapped += rows > 1;
		/* a key or a command and its text are one line, for searching */
		if (l->indent && !brk)
			assert_true(text_width(text, l->text.len) > l->indent);
		assert_true(!brk || text_width(text, left - 1) >= l->indent - 1);
	}
	assert_true(wrapped > 10);
	run(a, "search ^COMMANDS");
	place(screen_80(a), "COMMANDS, after :");
	run(a, "search :goto first");
	place(screen_80(a), "g < <Home>       go to the first row");
	run(a, "search metric remove");
	place(screen_80(a), "  metric remove METRIC [NAME]\n                           ");
	app_free(a);
}

/* A message is shown whole, over the rows; where there is no room for that it says that it is cut. */
TEST(long_messages)
{
	struct app *a = start();
	struct error e;
	struct sbuf text = {0};

	for (int i = 0; i < 40; i++)
		sbuf_puts(&text, "word ");
	app_message(a, false, "%sIPC 0.14", sbuf_text(&text));
	shows(a, "IPC 0.14");
	assert_non_null(strstr(screen(a, 60, 4), "\342\200\246"));
	assert_int_equal(option_set(&a->set, OPT_STAY, "5000000000000", &e), STATUS_USAGE);
	sbuf_free(&text);
	app_free(a);
}

FIXTURES(setup, teardown)
