/* What the app tells its user: errors too long for a line, problems of files, the help. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/pipeline/rows.h"
#include "app_driver.h"
#include "pipeline/kind.h"
#include "base/text.h"
#include "view/pane_list.h"
#include "view/pane_wrap.h"

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
	place(text, "config:2: a role is other");
	/* its end, on a row of its own */
	place(text, "a-role-that-nobody-knows");
	place(text, "more:2: one printable ASCII letter, not: toolong");
	place(text, "3 problems: <Tab> into the list, q closes it");
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
		assert_true(!brk || text_width(text, left - 1) > l->indent - 1);
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

/* A stretch that begins with the trace is one of them, and wrapping leads to it. */
TEST(the_first_empty_stretch_is_counted)
{
	char path[96];
	struct app *a;

	write_file(path, sizeof(path), "late.trc",
		   "@ 0\n@ 100\n+ 0 0x1000 0x0 add\n* 0 IF 0x0\n@ 101\n@ 180\n* 0 CT 0x0\n- 0\n");
	a = start_with("none", NULL, path);
	run(a, "next empty 50");
	place(screen_80(a), "2 of 2: empty stretch of 50 cycles or more: 79 from 101");
	run(a, "next");
	place(screen_80(a), "1 of 2: empty stretch of 50 cycles or more: 100 from 0  (from the top)");
	run(a, "goto last ; prev empty 90");
	place(screen_80(a), "1 of 1: empty stretch of 90 cycles or more: 100 from 0");
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

/* A store commits where it retires, not where its row ends. */
TEST(a_store_is_yanked)
{
	static const char text[] = "O3PipeView:fetch:1000:0x10:0:1:sd a\nO3PipeView:decode:1500\n"
				   "O3PipeView:rename:2000\nO3PipeView:dispatch:2500\n"
				   "O3PipeView:issue:3000\nO3PipeView:complete:3500\n"
				   "O3PipeView:retire:4000:store:9000\n";
	char path[64];
	struct app *a;
	FILE *f;

	snprintf(path, sizeof(path), "%s/store.out", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	a = start_with("none", NULL, path);
	run(a, "yank rows");
	assert_non_null(strstr(app_clipboard(a), "retire 4000 store 9000  committed 4000\n"));
	app_free(a);
	unlink(path);
}

/* The status line names the stages that go on beside their successors, too, where they fit. */
TEST(stages_at_the_cursor)
{
	static const char log[] =
	    "Kanata\t0004\nC=\t0\nI\t0\t0\t0\nS\t0\t0\tF\nS\t0\t1\tstl\nC\t20\nS\t0\t0\tX\n"
	    "C\t2\nS\t0\t0\tW\nC\t1\nE\t0\t0\tX\nC\t2\nE\t0\t0\tF\n"
	    "E\t0\t1\tstl\nC\t1\nR\t0\t0\t0\nC\t4\n";
	static const struct {
		int cycle;
		const char *wide, *narrow;
	} at[] = {
	    {19, "\nF 25 cycles + stl 25 cycles\n", "\nF 25 cycles + stl 25 cycles\n"},
	    {20, "\nX 3 cycles + F 25 cycles + stl 25 cycles\n", "\nX 3 cycles + stl 25 cycles\n"},
	    {22, "\nW 4 cycles + X 3 cycles + F 25 cycles + stl 25 cycles\n",
	     "\nW 4 cycles + stl 25 cycles\n"},
	    {23, "\nW 4 cycles + F 25 cycles + stl 25 cycles\n", "\nW 4 cycles + stl 25 cycles\n"},
	    {25, "\nW 4 cycles\n", "\nW 4 cycles\n"},
	};
	struct app *a;

	write_file(more, sizeof(more), "beside.kanata", log);
	a = start_with("none", NULL, more);
	run(a, "zoom cycles-in 1");
	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		char command[32];

		snprintf(command, sizeof(command), "goto cycle %d", at[i].cycle);
		run(a, command);
		shows(a, at[i].wide);
		app_layout(a, 38, 20);
		place(screen(a, 38, 20), at[i].narrow);
		app_layout(a, 100, 20);
	}
	app_free(a);
}

/* The length, the commits and the rates of a selection, with nothing but spaces between. */
static void counts(struct app *a, const char *line, const char *length, const char *committed,
		   const char *ipc)
{
	char key[64];

	shows(a, line);
	run(a, "range");
	snprintf(key, sizeof(key), "length       %s", length);
	shows(a, key);
	snprintf(key, sizeof(key), "committed    %s", committed);
	shows(a, key);
	app_layout(a, 100, 40);
	snprintf(key, sizeof(key), "ipc          %s", ipc);
	place(screen(a, 100, 40), key);
	app_layout(a, 100, 20);
	run(a, "close");
}

/* Columns that begin before the trace does. */
TEST(a_selection_is_of_the_trace_alone)
{
	struct sbuf text = {0};
	struct app *a;

	sbuf_puts(&text, "Kanata\t0004\nC=\t1021\n");
	for (int i = 0; i < 40; i++)
		sbuf_printf(&text, "I\t%d\t%d\t0\nS\t%d\t0\tF\nC\t1\nR\t%d\t%d\t0\n", i, i, i, i,
			    i);
	write_file(more, sizeof(more), "offset.kanata", sbuf_text(&text));
	sbuf_free(&text);
	a = start_with("none", NULL, more);
	run(a,
	    "zoom cycles-out 4 ; goto last ; goto end ; select cycles ; goto first ; goto start");
	counts(a, "selected: 41 cycles x 40 rows; 40 committed in these cycles, IPC 0.98", "41",
	       "40", "0.976");
	app_free(a);
}

/* gem5: of the last cycle the trace has one tick. */
TEST(a_last_cycle_counts_as_one)
{
	static const char text[] =
	    "O3PipeView:fetch:1000:0x1000:0:1:  add\nO3PipeView:decode:1500\n"
	    "O3PipeView:rename:2000\nO3PipeView:dispatch:2500\n"
	    "O3PipeView:issue:3000\nO3PipeView:complete:3500\n"
	    "O3PipeView:retire:4000:store:0\n";
	struct app *a;

	write_file(more, sizeof(more), "one.o3pipeview", text);
	a = start_with("none", NULL, more);
	shows(a, "IPC 0.14 in view"); /* of seven */
	run(a, "goto cycle 8 ; select cycles");
	counts(a, "selected: 1 cycle x 1 row; 1 committed in this cycle, IPC 1.00", "1", "1", "1");
	run(a, "goto cycle 7");
	counts(a, "selected: 2 cycles x 1 row; 1 committed in these cycles, IPC 0.50", "2", "1",
	       "0.500");
	run(a, "goto cycle 2");
	counts(a, "selected: 7 cycles x 1 row; 1 committed in these cycles, IPC 0.14", "7", "1",
	       "0.143");
	run(a, "select none ; select rows");
	counts(a, "selected: 7 cycles x 1 row; 1 committed in these cycles, IPC 0.14", "7", "1",
	       "0.143");
	app_free(a);
}

FIXTURES(setup, teardown)
