#include "config.h"

#include <errno.h>
#include <locale.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/app.h"
#include "app/child.h"
#include "app/launch.h"
#include "base/embedded.h"
#include "base/text.h"
#include "base/vec.h"
#include "cmd/cmd.h"
#include "term/term.h"

enum { KEPT_BYTES = 16 << 20 };

/* The one place that tells the user of an error. Its text may quote a hostile file. */
static int report(const struct error *e, enum status status)
{
	struct sbuf line = {0};

	if (status == STATUS_OK)
		return 0;
	text_sanitise(&line, e->text, strlen(e->text));
	/* an unusable input is told as FILE:LINE: what */
	if (line.len)
		fprintf(stderr, "%s%s\n",
			status == STATUS_INPUT ? "" : "pipeglass: ", sbuf_text(&line));
	sbuf_free(&line);
	return status_exit(status);
}

static void add_usage(struct sbuf *out)
{
	sbuf_puts(out,
		  "pipeglass [OPTIONS] FILE...\n"
		  "pipeglass run [OPTIONS] [--] COMMAND [ARG]...\n"
		  "pipeglass SUBCOMMAND [OPTIONS] FILE\n\n"
		  "Shows what every instruction of a processor's pipeline trace did in every "
		  "cycle,\nand what every task of a GPU simulation did over time.\nFILE may be packed with gzip, zstd or xz; - reads standard input; ./NAME is "
		  "a file "
		  "of that\nname even if it is a subcommand's. Press F1 for help inside.\n\n"
		  "A folder for FILE, or no FILE at a terminal, lists the traces there to choose "
		  "from.\n\n"
		  "run starts a simulator and shows the trace that it writes to standard output\n"
		  "while it runs; what it writes to standard error is in a pane.\n\n"
		  "Options:\n");
	cmd_options_help(OPTIONS_PROGRAM, out);
	sbuf_puts(out, "\nSubcommands, which print a table, or with --json one JSON object\n"
		       "(pipeglass SUBCOMMAND --help tells more):\n");
	for (const struct cmd *c = cmds; c->name; c++)
		sbuf_printf(out, "      %-18s %s\n", c->name, c->help);
}

static const char run_help[] = "start a simulator and show its trace while it runs";

/* The generated texts are for the build, not for users: no options that help tells. */
static int generated(const char *word)
{
	static const char *const texts[] = {[APP_TEXT_MAN] = "--generate-man",
					    [APP_TEXT_BASH] = "--generate-bash",
					    [APP_TEXT_ZSH] = "--generate-zsh",
					    [APP_TEXT_FISH] = "--generate-fish"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (strcmp(texts[i], word) == 0)
			return (int)i;
	return -1;
}

/* Man page and completions, from the tables of options and of subcommands. */
static void add_generated(enum app_text which, struct sbuf *out)
{
	struct app_word words[OPTION_COUNT + 1] = {{0}};
	VEC(struct app_word) subcommands = {0};
	const struct app_word run = {"run", 0, "COMMAND...", run_help};
	int count = 0;

	for (int id = 0; id < OPTION_COUNT; id++)
		if (OPTIONS_PROGRAM >> id & 1)
			words[count++] = option_text((enum option_id)id);
	if (!vec_push(&subcommands, run))
		goto out;
	for (const struct cmd *c = cmds;; c++) {
		struct app_word word = {c->name, 0, c->operands, c->help};

		/* one that there is no memory for would be missing from the page: then none */
		if (!vec_push(&subcommands, word))
			goto out;
		if (!c->name)
			break;
	}
	/* the man page tells of the subcommands at more length */
	app_text_of(which, words, subcommands.data, out);
	if (which == APP_TEXT_MAN) {
		sbuf_puts(out, ".SH SUBCOMMANDS\n");
		cmd_man(out);
		sbuf_puts(out, (const char *)embedded_find("manual.man")->bytes);
	}
out:
	vec_free(&subcommands);
}

static enum status print(const struct sbuf *text, struct error *e)
{
	if (fwrite(sbuf_text(text), 1, text->len, stdout) == text->len && fflush(stdout) == 0)
		return STATUS_OK;
	return error_set(e, STATUS_IO, "cannot write standard output");
}

/*
 * Standard output is a file or a pipe: whoever wants text gets the summary, and is told where
 * the rest is.
 */
static enum status run_batch(const struct cmd_options *o, struct error *e)
{
	enum status status = STATUS_OK;
	int code;

	for (size_t i = 0; status == STATUS_OK && i < o->files.count; i++) {
		struct cmd_options one = *o;

		one.files.data += i;
		one.files.count = 1;
		status = cmd_do(cmd_find("info"), &one, stdout, &code, e);
	}
	if (!status) /* an error is one line, without this */
		fprintf(stderr,
			"pipeglass: standard output is not a terminal: this is `pipeglass info`; "
			"`pipeglass --help` lists the other subcommands\n");
	return status;
}

/* A subcommand behind options is one that came too late. */
static enum status check_first(const char *file, const char *before, struct error *e)
{
	bool options_given = before[0] == '-' && before[1] && strcmp(before, "--") != 0;

	if (options_given && (cmd_find(file) || strcmp(file, "run") == 0) &&
	    access(file, F_OK) != 0)
		return error_set(
		    e, STATUS_USAGE,
		    "put a subcommand's options after it: pipeglass %s [OPTIONS] FILE", file);
	if (strcmp(file, "-") != 0 && !strpbrk(file, "/.") && access(file, F_OK) != 0 &&
	    errno == ENOENT)
		return error_set(e, STATUS_INPUT,
				 "%s: no such file or subcommand; try: pipeglass --help", file);
	return STATUS_OK;
}

/* Without an argument: what is piped in, or the traces that are here. */
static enum status default_file(struct cmd_options *o, struct error *e)
{
	struct stat st;
	const char *file = isatty(STDIN_FILENO) ? "."
			   : fstat(STDIN_FILENO, &st) == 0 &&
				   (S_ISFIFO(st.st_mode) || S_ISREG(st.st_mode))
			       ? "-"
			       : NULL;

	if (o->files.count || !file || !isatty(STDOUT_FILENO) || vec_push(&o->files, file))
		return STATUS_OK;
	return error_set(e, STATUS_NOMEM, "out of memory");
}

static enum status check_files(const struct cmd_options *o, const char *before, struct error *e)
{
	enum status status;

	if (!o->files.count)
		return error_set(e, STATUS_USAGE,
				 "no trace given; try: pipeglass FILE, or pipeglass --help");
	if (o->trace_file || o->trace_fd)
		return error_set(e, STATUS_USAGE, "--trace-fd and --trace-file need pipeglass run");
	status = check_first(o->files.data[0], before, e);
	if (status)
		return status;
	for (size_t i = 0; i < o->files.count; i++)
		if (strcmp(o->files.data[i], "-") == 0 && isatty(STDIN_FILENO))
			return error_set(e, STATUS_USAGE,
					 "- is standard input, which is the terminal: "
					 "pipe a trace into it or give a FILE");
	return STATUS_OK;
}

/* What cannot be opened is told beside the others; without any other it is the end. */
static enum status open_files(struct app *app, const struct cmd_options *o, struct error *e)
{
	struct error first = {0};
	bool some = false;

	for (size_t i = 0; i < o->files.count; i++) {
		struct error why = {0};
		enum status status = app_open(app, o->files.data[i], &why);

		if (!status)
			some = true;
		else
			app_complain(app, "%s", why.text);
		if (status && !first.code)
			first = why;
	}
	if (first.code && !some)
		return error_set(e, first.code, "%s", first.text);
	return STATUS_OK;
}

/*
 * A frame far out reads megabytes of trace again and frees what it made of them. Given back to
 * the system each time, the pages are cleared and faulted in anew for the next key: half the
 * frame.
 */
static void keep_freed_memory(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
	mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
#endif
}

/* child: the simulator to start; NULL: the files are opened. */
static enum status run_tui(const struct cmd_options *o, const struct child_options *child,
			   int *code, struct error *e)
{
	const struct term_options term = {.color = o->color,
					  .ascii = o->ascii,
					  .steps = o->steps.data,
					  .step_count = o->steps.count};
	struct app_options options = {.store = o->store,
				      .config = o->config,
				      .keymap = o->keymap,
				      .depth = term_depth(&term),
				      .ascii = term_ascii(&term)};
	struct app *app = NULL;
	enum status status;

	keep_freed_memory();
	options.store.settings = &o->settings;
	status = app_new(&app, &options, e);
	if (status == STATUS_OK)
		status = child ? app_start_child(app, child, e) : open_files(app, o, e);
	if (status == STATUS_OK)
		app_first_tab(app);
	if (status == STATUS_OK)
		status = term_run(app, &term, code, e);
	if (status == STATUS_OK && *code == 0)
		status = launch_outcome(app, e);
	app_free(app);
	return status;
}

static enum status run_child(const struct cmd_options *o, char **command, int *code,
			     struct error *e)
{
	const struct child_options child = {
	    .argv = command, .trace_fd = o->trace_fd, .trace_file = o->trace_file};

	if (!*command)
		return error_set(e, STATUS_USAGE,
				 "run: no command given; use: pipeglass run [OPTIONS] -- COMMAND [ARG]...");
	if (!isatty(STDOUT_FILENO))
		return error_set(e, STATUS_USAGE,
				 "run needs a terminal; without one: COMMAND | pipeglass info -");
	if (o->trace_file && o->trace_fd)
		return error_set(e, STATUS_USAGE, "run: give --trace-fd or --trace-file, not both");
	return run_tui(o, &child, code, e);
}

static enum status print_help(const struct cmd_options *o, struct error *e)
{
	struct sbuf text = {0};
	enum status status;

	if (o->help)
		add_usage(&text);
	else
		sbuf_puts(&text, "pipeglass " VERSION "\n");
	status = print(&text, e);
	sbuf_free(&text);
	return status;
}

static enum status print_generated(enum app_text which, struct error *e)
{
	struct sbuf text = {0};
	enum status status;

	add_generated(which, &text);
	status = print(&text, e);
	sbuf_free(&text);
	return status;
}

static enum status run_program(char **argv, bool runs, int *code, struct error *e)
{
	const char *first = argv[0] && argv[1] ? argv[1] : "";
	static char program[] = "";
	struct cmd_options o;
	char **command = NULL;
	enum status status;

	argv[0] = program;
	status = runs ? options_parse_command(&o, OPTIONS_PROGRAM, argv, &command, e)
		      : options_parse(&o, OPTIONS_PROGRAM, 1, argv, e);
	if (status == STATUS_OK && (o.help || o.version)) {
		status = print_help(&o, e);
	} else if (status == STATUS_OK && runs) {
		status = run_child(&o, command, code, e);
	} else if (status == STATUS_OK) {
		status = default_file(&o, e);
		if (status == STATUS_OK)
			status = check_files(&o, first, e);
		if (status == STATUS_OK)
			status =
			    isatty(STDOUT_FILENO) ? run_tui(&o, NULL, code, e) : run_batch(&o, e);
	}
	options_free(&o);
	return status;
}

static enum status show(const struct child_options *child, int *code, struct error *e)
{
	char *no_words[] = {(char[]){""}, NULL};
	struct cmd_options o;
	enum status status = options_parse(&o, OPTIONS_PROGRAM, 1, no_words, e);

	if (!status)
		status = run_tui(&o, child, code, e);
	options_free(&o);
	return status;
}

static enum status run(int argc, char **argv, int *code, struct error *e)
{
	bool runs = argc > 1 && strcmp(argv[1], "run") == 0;

	/* a word in front that names a subcommand is one */
	if (argc > 1 && cmd_find(argv[1]))
		return cmd_run(cmd_find(argv[1]), argc - 1, argv + 1, stdout, code, e);
	if (argc == 2 && generated(argv[1]) >= 0)
		return print_generated((enum app_text)generated(argv[1]), e);
	return run_program(argv + runs, runs, code, e);
}

int main(int argc, char **argv)
{
	struct error e = {0};
	enum status status;
	int code = 0, reported;

	term_guard();
	/* characters only: numbers look the same everywhere */
	setlocale(LC_CTYPE, "");
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a full quota is an error of write(), not a death */
	cmd_show = show;
	status = run(argc, argv, &code, &e);
	reported = report(&e, status);
	return reported ? reported : code;
}
