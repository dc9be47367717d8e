/* The program without a terminal: commands and keys in, screens and messages out. */
#include "config.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "app_driver.h"

TEST(going)
{
	struct app *a = start();

	shows(a, "row 0 of 200  cycle 0 ");
	run(a, "goto row 100");
	shows(a, "row 100 of 200  cycle 300 ");
	run(a, "goto cycle 302");
	shows(a, "cycle 302 ");
	run(a, "302 ; +10");
	shows(a, "cycle 312 ");
	run(a, "-2");
	shows(a, "cycle 310 ");
	run(a, "#42");
	shows(a, "row 42 of 200  cycle 84 ");
	run(a, "50%");
	shows(a, "row 100 of 200 ");
	run(a, "0x1004");
	shows(a, "row 113 of 200 ");
	run(a, "goto last");
	shows(a, "row 199 of 200 ");
	run(a, "keys 12G");
	shows(a, "row 12 of 200 ");
	run(a, "keys g25%");
	shows(a, "row 50 of 200 ");
	run(a, "keys $");
	shows(a, "cycle 204 ");
	run(a, "keys ^");
	shows(a, "cycle 200 ");
	run(a, "goto cycle 100000");
	shows(a, "the trace has cycles 0 to 599");
	run_wrong(a, "goto row 200", "no row 200: there are 200");
	run_wrong(a, "#9999", "no instruction #9999");
	run_wrong(a, "101%", "from 0 to 100");
	run_wrong(a, "goto elsewhere", "not a cycle");
	app_free(a);
}

TEST(moving)
{
	struct app *a = start();

	run(a, "keys jjj3jk");
	shows(a, "row 5 of 200 ");
	run(a, "keys <Space>");
	shows_not(a, "row 5 of 200 ");
	run(a, "keys b");
	shows(a, "row 5 of 200 ");
	run(a, "keys 3L");
	shows(a, "row 5 of 200  cycle 17 ");
	run(a, "keys H");
	shows(a, "row 5 of 200  cycle 16 ");
	/* a cursor that changes rows comes along: to the birth going down, to the end going up */
	run(a, "goto row 5 ; keys 7j");
	shows(a, "row 12 of 200  cycle 24 ");
	run(a, "keys 7k");
	shows(a, "row 5 of 200  cycle 14 ");
	run(a, "set pinned on ; keys 4j");
	shows(a, "row 9 of 200  cycle 14 ");
	run(a, "set pinned off");
	run(a, "keys G<PageDown><PageDown>100j");
	shows(a, "row 199 of 200 ");
	run(a, "keys g<PageUp>9k");
	shows(a, "row 0 of 200 ");
	app_free(a);
}

TEST(searching)
{
	struct app *a = start();

	run(a, "/ldr");
	shows(a, "row 1 of 200 ");
	shows(a, "1 of 50: /ldr/  n next, N previous");
	run(a, "keys 2n");
	shows(a, "row 9 of 200 ");
	run(a, "keys N");
	shows(a, "row 5 of 200 ");
	shows(a, "2 of 50: /ldr/");
	run(a, "keys ?<Enter>n");
	shows(a, "row 197 of 200 ");
	shows(a, "50 of 50: /ldr/  (from the bottom)");
	run(a, "?^0x1000 add");
	shows(a, "row 192 of 200 ");
	/* ^ is the beginning of the text too */
	run(a, "goto first ; /^ldr");
	shows(a, "1 of 50: /^ldr/");
	run(a, "0x1004");
	shows(a, "2 of 13: pc 0x1004  n next");
	run(a, "keys /<Enter>");
	shows(a, "3 of 13: pc 0x1004  n next");
	run(a, "goto row 192 ; /LDR");
	shows(a, "not found: /LDR/");
	shows(a, "row 192 of 200 ");
	run(a, "set wrap off ; goto last ; /ldr");
	shows(a, "not found: /ldr/");
	run_wrong(a, "/(", "parenthes");
	/* while it is typed, and given up */
	run(a, "set wrap on ; goto row 40 ; keys /str");
	shows(a, "row 43 of 200 ");
	run(a, "keys <Esc>");
	shows(a, "row 40 of 200 ");
	run(a, "keys /str<Enter><C-o>");
	shows(a, "row 40 of 200 ");
	app_free(a);
}

TEST(finding)
{
	struct app *a = start();

	run(a, "next squash");
	shows(a, "row 3 of 200  cycle 8 ");
	shows(a, "1 of 20: squashed row");
	run(a, "keys nnN");
	shows(a, "row 13 of 200 ");
	shows(a, "2 of 20: squashed row");
	run(a, "prev squash ; prev squash");
	shows(a, "row 193 of 200 ");
	run(a, "goto first ; next event cache");
	shows(a, "row 7 of 200  cycle 16 ");
	shows(a, "1 of 20: event cache-miss");
	run(a, "next stay 25 ; next stay 25");
	shows(a, "row 27 of 200  cycle 56 ");
	shows(a, "3 of 20: EX 30 cycles (25 or more)");
	run(a, "next stay 31");
	shows(a, "not found: stay of 31 cycles or more");
	run(a, "goto first ; next empty 50");
	shows(a, "1 of 1: empty stretch of 50 cycles or more: 72 from 128");
	run(a, "next");
	shows(a, "1 of 1: empty stretch of 50 cycles or more: 72 from 128  (from the top)");
	run(a, "goto first ; next stage EX ; next");
	shows(a, "row 2 of 200  cycle 6 ");
	/* a filter changes what is counted */
	run(a, "&ldr|str ; goto first ; next event cache ; next");
	shows(a, "2 of 20: event cache-miss");
	run(a, "&!str ; goto first ; next event cache");
	shows(a, "1 of 10: event cache-miss");
	run(a, "filter none");
	run(a, "highlight event cache-miss ; goto first ; keys nn");
	shows(a, "row 17 of 200 ");
	run(a, "highlight none");
	run_wrong(a, "next", "nothing to look for");
	run_wrong(a, "next event nonsense", "there are: cache-miss");
	run_wrong(a, "next stay 0", "at least 1");
	app_free(a);
}

TEST(filtering)
{
	struct app *a = start();

	run(a, "goto row 41 ; &ldr");
	shows(a, "filter: /ldr/ (50 of 200)");
	shows(a, "row 41 (no. 11 of 50) ");
	run(a, "&^ldr");
	shows(a, "filter: /^ldr/ (50 of 200)");
	run(a, "&^0x1004");
	shows(a, "(13 of 200)");
	run(a, "filter none ; goto row 41 ; &ldr");
	run(a, "&!ldr");
	shows(a, "filter: !/ldr/ (150 of 200)");
	run(a, "&nothing such");
	shows(a, "no row matches /nothing such/: the filter stays as it was");
	shows(a, "row 42 (no. 32 of 150) ");
	run(a, "hide squashed");
	shows(a, "(140 of 200)");
	run(a, "filter none");
	shows(a, "filter: (180 of 200)");
	run(a, "show all");
	shows(a, "row 42 of 200 ");
	run(a, "filter component ^(EX|WB)$");
	shows(a, "stages: /^(EX|WB)$/");
	run_wrong(a, "filter component zz", "no stage matches zz");
	run(a, "keys &<Enter>");
	shows_not(a, "stages:");
	run_wrong(a, "hide all", "can be hidden");
	run_wrong(a, "hide committed", "in-flight or micro-ops can be hidden");
	app_free(a);
}

TEST(marks_and_distance)
{
	struct app *a = start();

	run_wrong(a, "distance", "set a mark first");
	run(a, "goto row 10 ; mark a ; goto row 20 ; mark b ; distance a b");
	shows(a, "a to b: 20 cycles, 10 rows; 8 committed in these cycles, IPC 0.40");
	run(a, "goto last ; keys 'a");
	shows(a, "row 10 of 200 ");
	run(a, "keys ''");
	shows(a, "row 199 of 200 ");
	run(a, "back");
	shows(a, "row 10 of 200 ");
	run(a, "keys ma<Esc>");
	run(a, "marks");
	shows(a, "a  row 10");
	run(a, "close ; unmark b");
	run_wrong(a, "distance a b", "mark b is not set");
	run_wrong(a, "mark A", "a-z and 0-9");
	run_wrong(a, "'z", "mark z is not set");
	app_free(a);
}

TEST(selecting)
{
	struct app *a = start();

	run(a, "goto row 10 ; keys v5j4L");
	shows(a, "selected: 5 cycles x 6 rows; 3 committed in these cycles, IPC 0.60");
	run(a, "range");
	shows(a, "Selection");
	shows(a, "rows         3"); /* three of the six live in these cycles */
	shows(a, "committed    3");
	run(a, "close ; keys V");
	shows(a, "selected: 15 cycles x 6 rows; ");
	run(a, "select swap");
	shows(a, "row 10 of 200 ");
	run(a, "keys y");
	shows(a, "yanked 6 lines");
	assert_non_null(strstr(app_clipboard(a), "row 10  #10  0x1028  bne 0x40  IF 20 DA 21"));
	shows_not(a, "selected");
	assert_int_equal(run(a, "yank pc") & REACT_CLIPBOARD, 0);
	assert_string_equal(app_clipboard(a), "0x1028");
	assert_int_equal(run(a, "set clipboard on ; yank text") & REACT_CLIPBOARD, REACT_CLIPBOARD);
	assert_string_equal(app_clipboard(a), "bne 0x40");
	run_wrong(a, "yank nonsense", "rows, pc, text");
	app_free(a);
}

TEST(zooming)
{
	struct app *a = start();

	run(a, "zoom out 2");
	shows(a, " 4:4 ");
	run(a, "zoom in 2");
	shows(a, " 1:1 ");
	run(a, "zoom in");
	shows(a, " 1:1/2 ");
	run(a, "zoom out");
	shows(a, " 1:1 ");
	run(a, "zoom fit");
	run(a, "goto row 7 ; enter");
	shows(a, " 1:1 ");
	run(a, "back");
	shows_not(a, " 1:1 ");
	run(a, "zoom reset ; goto row 7 ; enter");
	shows(a, "instruction, seq 7");
	/* the inspector follows the cursor when the view has the focus */
	run(a, "keys <Tab>j");
	shows(a, "instruction, seq 8");
	app_free(a);
}

TEST(panes)
{
	struct app *a = start();

	run(a, "keys <F1>");
	shows(a, "Help");
	run(a, "keys /empty stretch<Enter>");
	shows(a, "empty 10");
	run(a, "keys q");
	run(a, "help distance");
	shows(a, "distance");
	run_wrong(a, "help no such thing", "does not mention");
	run(a, "close panes ; toggle legend");
	shows(a, "legend");
	run(a, "toggle legend");
	shows_not(a, "legend  ");
	run(a, "options ; keys <Enter>");
	assert_true(app_mouse_wanted(a));
	run(a, "close");
	run_wrong(a, "open pane nonsense", "there are: inspector, legend");
	run_wrong(a, "close pane", "no pane is open");
	assert_int_equal(run(a, "close") & REACT_QUIT, REACT_QUIT);
	app_free(a);
}

/* What a search finds is what the gutter marks: at the beginning of the text too. */
TEST(matches_are_marked)
{
	struct app *a = start();
	struct style style = palette_style(app_palette(a), ROLE_SEARCH);
	struct error e = {STATUS_OK, ""};
	struct grid g = {0};
	int marked = 0;

	run(a, "/^ldr");
	assert_true(grid_resize(&g, 100, 20));
	assert_int_equal(app_draw(a, &g, &e), STATUS_OK);
	for (int y = 3; y < 16; y++) {
		struct cell *c = NULL;

		for (int x = 0; x < 40; x++)
			if (memcmp(&grid_at(&g, x, y)->style, &style, sizeof(style)) == 0) {
				c = c ? c : grid_at(&g, x, y);
				marked++;
			}
		assert_true(!c || c->cp == 'l');
	}
	assert_int_equal(marked, 3 * 3);
	grid_free(&g);
	app_free(a);
}

/* Enter goes to what was just found, not to what is rarer in the same cell. */
TEST(looking_closer)
{
	struct app *a = start();

	run(a, "zoom fit ; next fate committed ; next fate committed");
	shows(a, "row 2 of 200 ");
	run(a, "keys <Enter>");
	shows(a, "row 2 of 200 ");
	shows(a, " 1:1 ");
	/* moved away it is a cell again, whose rarest thing counts */
	run(a, "back ; keys L<Enter>");
	shows_not(a, "row 2 of 200 ");
	shows(a, " 1:1 ");
	app_free(a);
}

/* In the fit view the cursor stays with what lives, and nothing is scrolled away. */
TEST(following)
{
	struct app *a = start();

	run(a, "zoom fit");
	for (int i = 0; i < 12; i++) {
		run(a, "keys j");
		shows_not(a, "nothing alive");
		assert_int_equal(rows_of(a->tab)->view.axis.left, 0);
	}
	shows(a, "row 192 of 200 ");
	run(a, "keys llll");
	assert_int_equal(rows_of(a->tab)->view.axis.left, 0);
	shows(a, "cycle 599 ");
	app_free(a);
}

/* What was found has lines around it; the option says how many. */
TEST(margins)
{
	struct app *a = start();
	const struct pipeview *v = &rows_of(a->tab)->view;

	screen(a, 100, 20);
	run(a, "goto row 11");
	assert_int_equal(v->cursor - v->top, (unsigned)v->lines - 4);
	run(a, "keys 2j");
	assert_int_equal(v->cursor - v->top, (unsigned)v->lines - 4);
	run(a, "goto row 100 ; keys 50k");
	assert_int_equal(v->cursor - v->top, 3);
	run(a, "set scroll-margin 0 ; keys 3k");
	assert_int_equal(v->cursor - v->top, 0);
	run(a, "goto last");
	assert_int_equal(v->cursor - v->top, (unsigned)v->lines - 1);
	run(a, "set scroll-margin 1000 ; goto row 100");
	assert_in_range(v->cursor - v->top, (unsigned)(v->lines - 1) / 2, (unsigned)v->lines / 2);
	run(a, "goto first");
	shows(a, "row 0 of 200 ");
	app_free(a);
}

TEST(pages_of_panes)
{
	static const char first[] = "Rows are instructions";
	struct app *a = start();

	run(a, "keys <F1>");
	shows(a, first);
	run(a, "keys <Space>");
	shows_not(a, first);
	run(a, "keys b");
	shows(a, first);
	run(a, "keys <Space><Space><C-d><C-u>bb");
	shows(a, first);
	run(a, "keys 999<Space>");
	shows(a, "width of the column text");
	run(a, "keys 999b");
	shows(a, first);
	/* also before anything was drawn */
	run(a, "keys q<F1><Space>");
	shows_not(a, first);
	app_free(a);
}

/* The note of a filter gives way to messages, and is cut before it is left out. */
TEST(notes)
{
	static const char pattern[] =
	    "ldr|str|a very long pattern that has no room on a line of this "
	    "width, whatever happens to it";
	struct app *a = start();
	char line[256];

	snprintf(line, sizeof(line), "&%s", pattern);
	run(a, line);
	run(a, "keys j");
	shows(a, "filter: /ldr|str|a very");
	shows(a, "\342\200\246/ (100 of 200)");
	run(a, "echo a message of sixty columns: 9012345678901234567890123456789");
	shows(a, "9012345678901234567890123456789");
	shows(a, "filter: /ldr|str|a very \342\200\246/ (100 of 200)");
	run(a, "echo a message of ninety columns: "
	       "012345678901234567890123456789012345678901234567890123456789");
	shows(a, "012345678901234567890123456789012345678901234567890123456789");
	shows_not(a, "filter:");
	run(a, "goto cycle 100000");
	shows(a, "the trace has cycles 0 to 599  filter: /ldr|str|a very");
	app_free(a);
}

/* What happened in a cell is told as far as the line goes, the rarest first. */
TEST(cells_in_words)
{
	struct app *a = start();
	const char *text;

	run(a, "goto row 7 ; zoom out 5 ; goto row 7");
	shows(a, "mostly EX, cache-miss, squashed, committed");
	text = screen(a, 60, 20);
	if (!strstr(text, "mostly EX, cache-miss, squashed, 1 more"))
		fail_msg("%s", text);
	app_free(a);
}

/* The IPC of the title is that of the ticks on screen, whatever lies over them. */
TEST(ipc_of_the_view)
{
	struct app *a = start();
	char *before, *after;

	before = strdup(strstr(screen(a, 100, 20), "IPC "));
	run(a, "legend");
	after = strdup(strstr(screen(a, 100, 20), "IPC "));
	assert_memory_equal(before, after, strlen("IPC 0.40 in view"));
	assert_memory_equal(before + strlen("IPC 0.40"), " in view", strlen(" in view"));
	free(before);
	free(after);
	app_free(a);
}

TEST(stalls)
{
	struct app *a = start();

	run(a, "keys os");
	shows(a, "bne 0x40");
	/* what held the head of the commit queue longest is one that missed the cache */
	run(a, "keys <Enter>");
	assert_int_equal(rows_of(a->tab)->view.cursor % 10, 7);
	assert_int_equal(a->panes.count, 0);
	/* and back, to the line that was left, in the order that was chosen */
	run(a, "keys <Backspace>");
	shows(a, "where the cycles went, by head");
	run(a, "keys ss");
	run(a, "sort by count ; move down 3");
	shows(a, "where the cycles went, by count");
	shows(a, "4/16");
	run(a, "keys <Enter><Backspace>");
	shows(a, "where the cycles went, by count");
	shows(a, "4/16");
	run(a, "keys SS");
	shows(a, "where the cycles went, by pc");
	run(a, "keys <Enter>");
	run(a, "legend ; close panes");
	run(a, "keys <Backspace>");
	assert_int_equal(a->panes.count, 0);
	run(a, "goto row 20 ; keys Vjj");
	run(a, "stalls");
	shows(a, "where the cycles went: rows 20..22");
	shows(a, "0x1010");
	shows_not(a, "0x1000");
	app_free(a);
}

TEST(completion)
{
	static const struct {
		const char *typed, *line;
	} rows[] = {
	    {"got", ":goto"},
	    {"goto pe", ":goto percent"},
	    {"highlight event ca", ":highlight event cache-miss"},
	    {"next stage W", ":next stage WB"},
	    {"toggle leg", ":toggle legend"},
	    {"set wrap o", ":set wrap o"},
	    {"set wrap on ; zoom r", ":set wrap on ; zoom r"},
	    {"bind main x highlight ev", ":bind main x highlight event"},
	    {"keymap kon", ":keymap konata"},
	    {"metric add in-f", ":metric add in-flight"},
	    {"open pane insp", ":open pane inspector"},
	    {"open /dev/nul", ":open /dev/null"},
	};
	struct app *a = start();
	char line[128];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(line, sizeof(line), "keys :%s<Tab>", rows[i].typed);
		run(a, line);
		shows(a, rows[i].line);
		run(a, "keys <Esc>");
	}
	run(a, "keys :highlight <Tab><Tab><Tab>");
	shows(a, "event  fate  here  none  stage");
	shows(a, ":highlight fate");
	run(a, "keys <BackTab>");
	shows(a, ":highlight event");
	run(a, "keys <Space>ca<Tab><Enter>nn");
	shows(a, "row 17 of 200 ");
	app_free(a);
}

TEST(mouse)
{
	struct app *a = start();
	struct mouse click = {.kind = MOUSE_PRESS, .button = 1, .x = 50, .y = 6};
	struct mouse wheel = {.kind = MOUSE_WHEEL_DOWN, .x = 50, .y = 6};

	screen(a, 100, 20);
	assert_int_equal(app_mouse(a, &click), REACT_NONE);
	assert_int_equal(run(a, "keys <F2>") & REACT_MOUSE, REACT_MOUSE);
	assert_int_not_equal(app_mouse(a, &click) & REACT_REDRAW, 0);
	shows(a, "row 3 of 200 ");
	for (int i = 0; i < 20; i++)
		app_mouse(a, &wheel);
	shows_not(a, "row 3 of 200 ");
	click.twice = true;
	click.x = 2;
	app_mouse(a, &click);
	shows(a, "instruction, seq ");
	app_free(a);
}

TEST(pending_keys)
{
	struct app *a = start();

	run(a, "keys 12t");
	shows(a, "12t");
	shows(a, "l toggle legend");
	run(a, "keys <Esc>j");
	shows(a, "row 1 of 200 ");
	run(a, "keys Zx");
	shows(a, "Zx is not bound (<F1>: help)");
	run(a, "keys 99999999999999999999j");
	shows(a, "row 199 of 200 ");
	app_free(a);
}

/* ---- jobs: whoever they are of ------------------------------------------------------------ */

struct fake_job {
	struct job job; /* first */
	int steps, stops, drops;
	struct fake_job *ends; /* with its first step */
};

static unsigned fake_step(struct app *a, struct job *job, int64_t deadline)
{
	struct fake_job *f = (struct fake_job *)job;

	(void)a;
	(void)deadline;
	if (f->ends && !f->steps)
		job_end(&f->ends->job);
	f->steps++;
	return REACT_NONE;
}

static void fake_say(const struct app *a, const struct job *job, struct sbuf *out)
{
	(void)a;
	sbuf_printf(out, " %d", ((const struct fake_job *)job)->steps);
}

static void fake_stop(struct app *a, struct job *job)
{
	(void)a;
	((struct fake_job *)job)->stops++;
	job_end(job);
}

static void fake_drop(struct app *a, struct job *job)
{
	(void)a;
	((struct fake_job *)job)->drops++;
	job_end(job);
}

static const struct job_kind slow_kind = {.step = fake_step,
					  .say = fake_say,
					  .stop = fake_stop,
					  .drop = fake_drop,
					  .flags = JOB_HOLDS | JOB_YIELDS};
static const struct job_kind beside_kind = {
    .step = fake_step, .say = fake_say, .stop = fake_stop, .flags = JOB_BESIDE};
static const struct job_kind aside_kind = {.step = fake_step, .flags = JOB_BESIDE | JOB_ASIDE};

/* A step may take others out, of those that the round has not come to yet, too. */
TEST(jobs_go_on)
{
	struct app *a = start();
	struct fake_job first = {.steps = 0}, second = first, third = {.ends = &second}, aside = first;
	struct sbuf said = {0};

	assert_int_equal(jobs_wait_ms(a), -1);
	job_begin(&a->jobs, &aside.job, &aside_kind);
	assert_false(app_busy(a));
	assert_in_range(jobs_wait_ms(a), 1, 100);
	job_begin(&a->jobs, &first.job, &beside_kind);
	job_begin(&a->jobs, &second.job, &beside_kind);
	job_begin(&a->jobs, &third.job, &beside_kind);
	assert_true(app_busy(a));
	jobs_step(a, 0);
	assert_int_equal(second.steps, 0);
	assert_int_equal(third.steps, 1);
	assert_int_equal(aside.steps, 1);
	jobs_step(a, 0);
	assert_int_equal(first.steps, 2);
	/* the one of a kind that began last speaks for it */
	job_begin(&a->jobs, &second.job, &slow_kind);
	assert_int_equal(jobs_wait_ms(a), 0);
	job_end(&third.job);
	job_begin(&a->jobs, &third.job, &beside_kind);
	jobs_say(a, &said);
	assert_string_equal(sbuf_text(&said), " 2 0");
	sbuf_free(&said);
	for (int i = 0; i < 2; i++) {
		job_end(&first.job);
		job_end(&second.job);
		job_end(&third.job);
		job_end(&aside.job);
	}
	assert_null(a->jobs.first);
	app_free(a);
}

/* ^C: all of the kind that began last; at a prompt that is given up instead. */
TEST(jobs_are_stopped)
{
	struct app *a = start();
	struct fake_job first = {.steps = 0}, second = first, slow = first, aside = first;

	run(a, "echo"); /* the trace is read to its end: that is not what is stopped here */
	job_begin(&a->jobs, &first.job, &beside_kind);
	job_begin(&a->jobs, &slow.job, &slow_kind);
	job_begin(&a->jobs, &second.job, &beside_kind);
	job_begin(&a->jobs, &aside.job, &aside_kind);
	prompt_open(a, PROMPT_COMMAND, "");
	assert_false(app_interrupt(a));
	prompt_cancel(a);
	assert_true(app_interrupt(a));
	assert_int_equal(first.stops + second.stops, 2);
	assert_int_equal(slow.stops, 0);
	assert_true(app_interrupt(a));
	assert_int_equal(slow.stops, 1);
	assert_false(app_interrupt(a));
	/* any command drops what yields, but for those beside it */
	job_begin(&a->jobs, &slow.job, &slow_kind);
	assert_int_equal(app_run(a, "redraw", -1, NULL, NULL), STATUS_OK);
	assert_int_equal(slow.drops, 0);
	assert_int_equal(app_run(a, "echo", -1, NULL, NULL), STATUS_OK);
	assert_int_equal(slow.drops, 1);
	job_end(&aside.job);
	app_free(a);
}

static unsigned signalled_step(struct app *a, struct job *job, int64_t deadline)
{
	atomic_store(app_interrupt_flag(a), true);
	return fake_step(a, job, deadline);
}

/* What a command waits for ends when a signal's handler says so, and only that once. */
TEST(a_signal_ends_waiting)
{
	static const struct job_kind kind = {
	    .step = signalled_step, .stop = fake_stop, .flags = JOB_HOLDS};
	struct app *a = start();
	struct fake_job job = {.steps = 0};

	job_begin(&a->jobs, &job.job, &kind);
	app_finish(a);
	assert_int_equal(job.steps, 1);
	assert_int_equal(job.stops, 1);
	assert_false(app_interrupt_asked(a));
	app_free(a);
}

FIXTURES(setup, teardown)
