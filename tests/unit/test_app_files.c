/* What the app keeps, reads and writes: tabs, state, configuration, keymaps, exports. */
#include "config.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include "app/pipeline/rows.h"
#include "app_driver.h"
#include "base/text.h"

TEST(reloading)
{
	char path[128];
	struct app *a;

	snprintf(path, sizeof(path), "%s/c.trc", dir);
	trace_make(path, 60);
	a = start_with("none", NULL, path);
	run(a, "goto row 55 ; mark x ; &ldr|str");
	shows(a, "(30 of 60)");
	trace_make(path, TRACE_ROWS);
	run(a, "reload ; wait");
	shows(a, "(100 of 200)");
	run(a, "filter none");
	shows(a, "row 55 of 200 ");
	trace_make(path, 10);
	run(a, "reload");
	run(a, "echo");
	shows(a, "row 9 of 10 ");
	run_wrong(a, "'x", "does not exist");
	unlink(path);
	run_wrong(a, "reload", "c.trc");
	shows(a, "row 9 of 10 ");
	app_free(a);
}

TEST(writing)
{
	struct app *a = start();
	struct stat before, after;
	char line[256];

	assert_int_equal(stat(trace, &before), 0);
	snprintf(line, sizeof(line), "write %s text", trace);
	run_wrong(a, line, "exists");
	snprintf(line, sizeof(line), "write! %s text", trace);
	run_wrong(a, line, "pipeglass never writes to it");
	assert_int_equal(stat(trace, &after), 0);
	assert_int_equal(before.st_size, after.st_size);
	snprintf(line, sizeof(line), "write %s/screen.html", dir);
	run(a, line);
	shows(a, " bytes");
	run_wrong(a, line, "exists");
	run_wrong(a, "write /nonexistent/x", "No such file");
	snprintf(line, sizeof(line), "write %s/x nonsense", dir);
	run_wrong(a, line, "svg, html, ansi or txt");
	app_free(a);
}

TEST(editors_are_kept_from_writing_to_the_trace)
{
	static const struct {
		const char *editor, *begins;
	} editors[] = {{"vi", "vi -R +"},
		       {"/usr/bin/nvim -n", "/usr/bin/nvim -n -R +"},
		       {"emacs", "emacs +"},
		       {"vix", "vix +"}};
	struct app *a = start();

	for (size_t i = 0; i < sizeof(editors) / sizeof(editors[0]); i++) {
		setenv("VISUAL", editors[i].editor, 1);
		assert_int_equal(run(a, "edit") & REACT_SHELL, REACT_SHELL);
		assert_ptr_equal(strstr(app_shell_command(a), editors[i].begins), app_shell_command(a));
	}
	unsetenv("VISUAL");
	app_free(a);
}

TEST(secure)
{
	static const char *const lines[] = {"write x",    "write! x", "shell",
					    "shell true", "edit",     "!true"};
	struct app *a = start();

	assert_int_equal(run(a, "shell echo %(cycle) %(row) %(pc)") & REACT_SHELL, REACT_SHELL);
	assert_string_equal(app_shell_command(a), "echo 0 0 0x1000");
	app_free(a);
	setenv("PIPEGLASS_SECURE", "1", 1);
	a = start();
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		run_wrong(a, lines[i], "PIPEGLASS_SECURE");
	assert_null(app_shell_command(a));
	app_free(a);
	unsetenv("PIPEGLASS_SECURE");
}

TEST(keymap_files)
{
	static const char *const maps[] = {"default", "vi", "less", "konata"};
	struct error e;
	struct app *a;

	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		a = start_with("none", maps[i], trace);
		run(a, "keys jj<F1>");
		shows(a, "Help");
		run(a, "keys q:goto row 9<Enter>");
		shows(a, "row 9 of 200 ");
		run(a, "keys /bne<Enter>n");
		shows(a, "row 14 of 200 ");
		app_free(a);
	}
	a = start_with("none", "vi", trace);
	run(a, "keys 5Gll");
	shows(a, "row 5 of 200  cycle 12 ");
	run(a, "keys gg");
	shows(a, "row 0 of 200 ");
	app_free(a);
	a = start_with("none", "konata", trace);
	run(a, "goto row 4 ; keys <M-3>");
	run(a, "goto last ; keys 3");
	shows(a, "row 4 of 200 ");
	app_free(a);
	assert_int_equal(
	    app_new(&a, &(struct app_options){.config = "none", .keymap = "emacs"}, &e),
	    STATUS_USAGE);
}

/* What the default keys reach, each keymap reaches by some key, and the prompt from anywhere. */
TEST(keymaps_lose_nothing)
{
	static const char *const maps[] = {"vi", "less", "konata"};
	struct app *all = start();
	bool lost = false;

	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		struct app *a = start_with("none", maps[i], trace);

		for (size_t k = 0; k < all->keymap.bindings.count; k++) {
			const struct binding *b = &all->keymap.bindings.data[k];

			if (keymap_for(&a->keymap, b->mode, b->command))
				continue;
			print_error("%s.keys: no key for %s\n", maps[i], b->command);
			lost = true;
		}
		app_free(a);
	}
	app_free(all);
	assert_false(lost);
}

static void idle_until_done(struct app *a)
{
	int fds[4], wait_ms;

	do
		app_idle(a, &wait_ms);
	while (app_busy(a) || app_wake_fds(a, fds, 4));
}

/* As the terminal drives it: reading, filters and searches go on between the keys. */
TEST(slices)
{
	static const char typed[] = "&ldr";
	struct app_options options = {.store.no_cache = true, .config = "none"};
	struct error e;
	struct app *a;
	int wait_ms;

	assert_int_equal(app_new(&a, &options, &e), STATUS_OK);
	assert_int_equal(app_open(a, trace, &e), STATUS_OK);
	app_layout(a, 100, 20);
	idle_until_done(a);
	shows(a, "row 0 of 200 ");
	shows(a, "<F1> help");
	for (const char *p = typed; *p; p++)
		app_key(a, (struct key){(uint32_t)*p, 0});
	app_key(a, (struct key){K_ENTER, 0});
	assert_true(app_busy(a));
	assert_true(app_interrupt(a) || !app_busy(a));
	idle_until_done(a);
	assert_false(app_busy(a));
	assert_false(app_interrupt(a));
	run(a, "&ldr");
	shows(a, "(50 of 200)");
	/* nothing happens by itself now, but for a look at the file every other second */
	app_idle(a, &wait_ms);
	assert_int_equal(app_idle(a, &wait_ms), REACT_NONE);
	assert_in_range(wait_ms, 100, 2000);
	trace_make(trace, TRACE_ROWS - 1);
	for (int i = 0; i < 40 && !strstr(screen(a, 100, 20), "R reloads"); i++) {
		usleep(100000);
		app_idle(a, &wait_ms);
	}
	shows(a, ": R reloads");
	trace_make(trace, TRACE_ROWS);
	app_free(a);
}

static void append(const char *path, const char *text)
{
	FILE *f = fopen(path, "a");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void look_at_the_file(struct app *a)
{
	int wait_ms;

	sbuf_clear(&a->message);
	a->changes_at = 0;
	app_idle(a, &wait_ms);
}

/* Growth is told once, what is worse is told after it, and the title keeps it. */
TEST(changes_are_told_once)
{
	char path[128];
	struct app *a;

	snprintf(path, sizeof(path), "%s/grow.trc", dir);
	trace_make(path, 30);
	a = start_driven(path, false);
	app_layout(a, 100, 20);
	idle_until_done(a);
	look_at_the_file(a);
	assert_int_equal(a->message.len, 0);
	append(path, "@ 600\n");
	look_at_the_file(a);
	shows(a, "grow.trc has grown: R reloads it");
	for (int i = 0; i < 3; i++) {
		if (i == 1)
			append(path, "@ 601\n");
		look_at_the_file(a);
		assert_int_equal(a->message.len, 0);
		shows(a, "  grown: R reloads");
	}
	trace_make(path, 3);
	look_at_the_file(a);
	assert_non_null(strstr(sbuf_text(&a->message), ": R reloads it"));
	shows_not(a, "grown");
	run(a, "reload");
	idle_until_done(a);
	shows_not(a, "R reloads");
	app_free(a);
}

/* The first screen is the same, wherever the index comes from and whenever rows are there. */
TEST(the_same_first_screen)
{
	char path[128], *wanted;
	struct app *a;
	FILE *f;

	snprintf(path, sizeof(path), "%s/late.trc", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("@ 53\n", f);
	for (int i = 0; i < 40; i++)
		fprintf(f,
			"@ %d\n+ %d 0x00001000 0x00000000 add r1\n* %d IF 0x00000000\n@ %d\n"
			"* %d DA 0x00000000\n",
			58 + 3 * i, i, i, 60 + 3 * i, i);
	assert_int_equal(fclose(f), 0);
	a = start_with("none", NULL, path);
	wanted = strdup(screen(a, 100, 20));
	assert_int_equal(rows_of(a->tab)->view.axis.left, 53);
	assert_int_equal(rows_of(a->tab)->view.axis.tick, 58);
	app_free(a);
	for (int i = 0; i < 4; i++) {
		struct progress p;

		a = start_driven(path, i < 3);
		if (i == 1) /* a size that comes late */
			idle_until_done(a);
		app_layout(a, 100, 20);
		idle_until_done(a);
		sbuf_clear(&a->message);
		assert_string_equal(screen(a, 100, 20), wanted);
		tab_progress(a->tab, &p);
		assert_int_equal(p.cached, i == 1 || i == 2);
		app_free(a);
	}
	free(wanted);
	/* a place that was gone to before there was a size is not lost */
	a = start_driven(path, true);
	run(a, "goto row 20");
	app_layout(a, 100, 20);
	shows(a, "row 20 of 40 ");
	app_free(a);
}

TEST(the_first_of_several)
{
	struct app *a = start_driven(trace, false);
	struct error e;

	assert_int_equal(app_open(a, other, &e), STATUS_OK);
	app_first_tab(a);
	app_layout(a, 100, 20);
	idle_until_done(a);
	shows(a, "[1/2] a.trc");
	shows(a, "row 0 of 200 ");
	shows(a, "<F1> help");
	app_free(a);
}

/* Rows that come while nobody touches a key are shown, those on screen at once. */
TEST(a_slow_pipe)
{
	char path[128];
	struct app *a;
	FILE *f;
	int fds[4], wait_ms, fd;

	snprintf(path, sizeof(path), "%s/pipe", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	f = fdopen(fd, "w");
	assert_non_null(f);
	fputs("@ 10\n", f);
	fflush(f);
	a = start_driven(path, false);
	app_layout(a, 100, 20);
	screen(a, 100, 20);
	for (int row = 0; row < 3; row++) {
		char seen[32];
		unsigned r = 0;

		fprintf(
		    f, "+ %d 0x00001000 0x00000000 add r%d\n* %d IF 0x00000000\n@ %d\n- %d\n@ %d\n",
		    row, row, row, 11 + 2 * row, row, 12 + 2 * row);
		fflush(f);
		snprintf(seen, sizeof(seen), "add r%d", row);
		/* an earlier piece may be announced first: what counts is that each asks to be drawn */
		for (int i = 0; i < 200 && !((r & REACT_REDRAW) && strstr(screen(a, 100, 20), seen));
		     i++) {
			struct pollfd p = {.events = POLLIN};

			assert_int_equal(app_wake_fds(a, fds, 4), 1);
			p.fd = fds[0];
			r = app_idle(a, &wait_ms);
			if (!(r & REACT_REDRAW))
				poll(&p, 1, wait_ms < 0 || wait_ms > 100 ? 100 : wait_ms);
		}
		assert_true(r & REACT_REDRAW);
		shows(a, seen);
	}
	shows(a, "row 0 of 3 ");
	app_interrupt(a);
	fclose(f);
	idle_until_done(a);
	app_free(a);
}

/* What is no trace after all is told, and does not pass for one without rows. */
TEST(nothing_in_it)
{
	static const char why[] = "no O3PipeView lines in this";
	struct app_options options = {.store.no_cache = true, .config = "none"};
	struct error e = {STATUS_OK, ""};
	char path[128];
	struct app *a;

	snprintf(path, sizeof(path), "%s/silent.out", dir);
	for (int i = 0; i < 40; i++)
		append(path, "    500: system.cpu.fetch: [tid:0] [sn:1] fetched\n");
	assert_int_equal(app_new(&a, &options, &e), STATUS_OK);
	assert_int_equal(app_open(a, path, &e), STATUS_OK);
	app_layout(a, 100, 20);
	idle_until_done(a);
	shows(a, why);
	run(a, "echo ."); /* another message */
	run(a, "warnings");
	shows(a, why);
	run(a, "close pane");
	run(a, "info");
	shows(a, "ended early");
	shows(a, why);
	app_free(a);
}

/* No file name, pattern or message reaches the screen as an escape sequence. */
TEST(hostile_text)
{
	struct app *a;
	char path[128];
	const char *text;
	struct error e;

	snprintf(path, sizeof(path), "%s/\033]0;x\007\033[31mred\xe2\x80\xae.trc", dir);
	trace_make(path, 5);
	a = start_with("none", NULL, path);
	run(a, "echo \033[2J\xff\x9b");
	text = screen(a, 120, 20);
	for (const char *p = text; *p;) {
		uint32_t cp;
		size_t len = text_decode(p, strlen(p), &cp);

		assert_true(*p == '\n' || text_harmless(cp) == cp);
		p += len;
	}
	assert_int_not_equal(app_command(a, "\033[2J", NULL, &e), STATUS_OK);
	app_free(a);
}

/* Each text is made of the tables, and of what the command line hands in. */
TEST(all_texts)
{
	struct sbuf text = {0};

	for (int which = APP_TEXT_MAN; which <= APP_TEXT_FISH; which++) {
		static const struct app_word options[] = {{"as", 0, "FORMAT", "read so"},
							  {NULL, 0, NULL, NULL}};
		static const struct app_word subcommands[] = {{"info", 0, "FILE", "what it is"},
							      {NULL, 0, NULL, NULL}};

		sbuf_clear(&text);
		app_text_of((enum app_text)which, options, subcommands, &text);
		assert_non_null(strstr(sbuf_text(&text),
				       which == APP_TEXT_MAN ? "goto cycle" : "highlight event"));
		if (which != APP_TEXT_MAN)
			assert_non_null(strstr(sbuf_text(&text), "info"));
	}
	sbuf_free(&text);
}

FIXTURES(setup, teardown)

