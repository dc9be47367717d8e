#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <locale.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "app/child.h"
#include "app/launch.h"
#include "base/embedded.h"
#include "base/num.h"
#include "base/text.h"
#include "base/vec.h"
#include "cmd/cmd.h"
#include "pipeline/kind.h"
#include "term/term.h"

enum { THREADS_MOST = 1024, INFO_ARGUMENTS = 14, KEPT_BYTES = 16 << 20 };

struct arguments {
	struct app_options app;
	struct trace_settings settings;
	struct term_options term;
	VEC(struct term_step) steps;
	struct child_options child; /* of run; argv NULL: none */
	bool help, version;
	int generate; /* enum app_text, -1: nothing */
};

static enum status take_as(struct arguments *a, const char *text, struct error *e)
{
	a->app.store.as = text;
	return trace_format_known(text, e) ? STATUS_OK : STATUS_USAGE;
}

static enum status add_step(struct arguments *a, bool is_script, const char *text, struct error *e)
{
	struct term_step step = {.is_script = is_script, .text = text};

	return vec_push(&a->steps, step) ? STATUS_OK : error_set(e, STATUS_NOMEM, "out of memory");
}

static enum status take_command(struct arguments *a, const char *text, struct error *e)
{
	return add_step(a, false, text, e);
}

static enum status take_script(struct arguments *a, const char *text, struct error *e)
{
	return add_step(a, true, text, e);
}

static enum status take_color(struct arguments *a, const char *text, struct error *e)
{
	static const char *const names[] = {"auto", "always", "never", "8", "256"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], text) == 0) {
			a->term.color = i;
			return STATUS_OK;
		}
	return error_set(e, STATUS_USAGE, "--color: '%s' is not auto, always, never, 8 or 256",
			 text);
}

static enum status take_threads(struct arguments *a, const char *text, struct error *e)
{
	uint64_t threads;

	if (!num_parse_u64(text, &threads) || threads < 1 || threads > THREADS_MOST)
		return error_set(e, STATUS_USAGE, "--threads: '%s' is not a number from 1 to %d",
				 text, THREADS_MOST);
	a->app.store.threads = (int)threads;
	return STATUS_OK;
}

static enum status take_ticks(struct arguments *a, const char *text, struct error *e)
{
	uint64_t ticks;

	if (!num_parse_u64(text, &ticks) || ticks < 1 || ticks > INT32_MAX)
		return error_set(e, STATUS_USAGE,
				 "--ticks-per-cycle: '%s' is not a number from 1 to %d", text,
				 INT32_MAX);
	a->app.store.ticks_per_cycle = (int64_t)ticks;
	return STATUS_OK;
}

static enum status take_pipeline(struct arguments *a, const char *text, struct error *e)
{
	struct pipeline_settings *own = trace_settings_of(&a->settings, &pipeline_kind);

	if (!own || !segments_parse(text, &own->segments))
		return error_set(e, STATUS_USAGE,
				 "--pipeline: '%s' is not two numbers from 1 to %d, as in 5,5",
				 text, SEGMENTS_MOST);
	return STATUS_OK;
}

static enum status take_keymap(struct arguments *a, const char *text, struct error *e)
{
	char file[64];

	snprintf(file, sizeof(file), "%s.keys", text);
	if (!embedded_find(file))
		return error_set(e, STATUS_USAGE,
				 "--keymap: '%s' is not default, vi, less or konata", text);
	a->app.keymap = text;
	return STATUS_OK;
}

static enum status take_config(struct arguments *a, const char *text, struct error *e)
{
	(void)e;
	a->app.config = text;
	return STATUS_OK;
}

static enum status take_no_cache(struct arguments *a, const char *text, struct error *e)
{
	(void)text, (void)e;
	a->app.store.no_cache = true;
	return STATUS_OK;
}

static enum status take_ascii(struct arguments *a, const char *text, struct error *e)
{
	(void)text, (void)e;
	a->term.ascii = true;
	return STATUS_OK;
}

static enum status take_trace_fd(struct arguments *a, const char *text, struct error *e)
{
	uint64_t fd;

	if (!num_parse_u64(text, &fd) || fd < 1 || fd > CHILD_FD_MOST)
		return error_set(e, STATUS_USAGE, "--trace-fd: '%s' is not a number from 1 to %d",
				 text, CHILD_FD_MOST);
	a->child.trace_fd = (int)fd;
	return STATUS_OK;
}

static enum status take_trace_file(struct arguments *a, const char *text, struct error *e)
{
	(void)text, (void)e;
	a->child.trace_file = true;
	return STATUS_OK;
}

static enum status take_help(struct arguments *a, const char *text, struct error *e)
{
	(void)text, (void)e;
	a->help = true;
	return STATUS_OK;
}

static enum status take_version(struct arguments *a, const char *text, struct error *e)
{
	(void)text, (void)e;
	a->version = true;
	return STATUS_OK;
}

/* The generated texts are for the build, not for users: no help. */
#define TAKE_TEXT(name, which)                                                                     \
	static enum status take_##name(struct arguments *a, const char *text, struct error *e)     \
	{                                                                                          \
		(void)text, (void)e;                                                               \
		a->generate = which;                                                               \
		return STATUS_OK;                                                                  \
	}
TAKE_TEXT(man, APP_TEXT_MAN)
TAKE_TEXT(bash, APP_TEXT_BASH)
TAKE_TEXT(zsh, APP_TEXT_ZSH)
TAKE_TEXT(fish, APP_TEXT_FISH)

static const struct {
	const char *name;
	char letter;
	const char *value; /* NULL: takes none */
	enum status (*take)(struct arguments *a, const char *text, struct error *e);
	const char *help;
} options[] = {
    {"as", 0, "FORMAT", take_as, "read the files as this format instead of looking at them"},
    {"command", 'c', "CMD", take_command, "run a command at the start; may be repeated"},
    {"script", 0, "FILE", take_script, "run a file of commands at the start"},
    {"keymap", 0, "NAME", take_keymap, "keys: default, vi, less or konata"},
    {"config", 0, "FILE", take_config, "read this configuration; none: no files of mine at all"},
    {"color", 0, "WHEN", take_color, "auto (default), always, never, 8 or 256"},
    {"ascii", 0, NULL, take_ascii, "draw with ASCII characters only"},
    {"no-cache", 0, NULL, take_no_cache, "neither read nor write the index cache"},
    {"threads", 0, "N", take_threads, "index with N threads (all cores)"},
    {"ticks-per-cycle", 0, "N", take_ticks,
     "ticks in a cycle, where the format counts ticks (what they have in common)"},
    {"pipeline", 0, "NE,NS", take_pipeline,
     "segments of execution and setup that an optrace goes through (5,5)"},
    {"trace-fd", 0, "N", take_trace_fd, "run: COMMAND writes the trace to its descriptor N"},
    {"trace-file", 0, NULL, take_trace_file, "run: ... to the file that %t stands for in its ARGs"},
    {"version", 'V', NULL, take_version, "show the version"},
    {"help", 'h', NULL, take_help, "show this help"},
    {"generate-man", 0, NULL, take_man, NULL},
    {"generate-bash", 0, NULL, take_bash, NULL},
    {"generate-zsh", 0, NULL, take_zsh, NULL},
    {"generate-fish", 0, NULL, take_fish, NULL},
};

enum { OPTIONS = sizeof(options) / sizeof(options[0]), FIRST_OPTION = 256 };

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
		  "cycle.\nFILE may be packed with gzip or zstd; - reads standard input; ./NAME is "
		  "a file "
		  "of that\nname even if it is a subcommand's. Press F1 for help inside.\n\n"
		  "run starts a simulator and shows the trace that it writes to standard output\n"
		  "while it runs; what it writes to standard error is in a pane.\n\n"
		  "Options:\n");
	for (size_t i = 0; i < OPTIONS; i++) {
		char name[40];

		if (!options[i].help)
			continue;
		snprintf(name, sizeof(name), "--%s%s%s", options[i].name,
			 options[i].value ? "=" : "", options[i].value ? options[i].value : "");
		if (options[i].letter)
			sbuf_printf(out, "  -%c, %-18s %s\n", options[i].letter, name,
				    options[i].help);
		else
			sbuf_printf(out, "      %-18s %s\n", name, options[i].help);
	}
	sbuf_puts(out, "\nSubcommands, which print a table, or with --json one JSON object\n"
		       "(pipeglass SUBCOMMAND --help tells more):\n");
	for (const struct cmd *c = cmds; c->name; c++)
		sbuf_printf(out, "      %-18s %s\n", c->name, c->help);
}

static const char run_help[] = "start a simulator and show its trace while it runs";

static const char man_run[] =
    ".SH RUNNING A SIMULATOR\n"
    ".B pipeglass run\n[\\fIOPTIONS\\fR] [\\-\\-] "
    "\\fICOMMAND\\fR [\\fIARG\\fR]...\n.PP\n"
    "Starts COMMAND, without a shell, in a session of its own with /dev/null for standard\n"
    "input, and opens what it writes to standard output as the trace, while it runs. With\n"
    ".B \\-\\-trace\\-fd\nN the trace is what it writes to its descriptor N; with\n"
    ".B \\-\\-trace\\-file\nit is what COMMAND writes to the file, a pipe in a folder of\n"
    "yours alone, whose name stands in place of each\n.B %t\namong the ARGs. Standard error,\n"
    "and standard output when that is not the trace, go to the pane\n.B stderr\n(the last 4\n"
    "MiB of them). How it ended is told in the title and in that pane. Suspending pipeglass\n"
    "stops COMMAND too; leaving, which has to be asked for twice while it runs, ends it and\n"
    "its process group with SIGTERM, and two seconds later with SIGKILL. Not with\n"
    "PIPEGLASS_SECURE. The exit status is 1 when no trace came: COMMAND cannot be run, or has\n"
    "written nothing that is one.\n";

/* Man page and completions, from this file's options and the subcommands' table. */
static void add_generated(enum app_text which, struct sbuf *out)
{
	struct app_word words[OPTIONS + 1] = {{0}};
	VEC(struct app_word) subcommands = {0};
	const struct app_word run = {"run", 0, "COMMAND...", run_help};
	int count = 0;

	for (int i = 0; i < OPTIONS; i++)
		if (options[i].help)
			words[count++] = (struct app_word){options[i].name, options[i].letter,
							   options[i].value, options[i].help};
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
	app_text_of(which, words, which == APP_TEXT_MAN ? NULL : subcommands.data, out);
	if (which == APP_TEXT_MAN) {
		sbuf_puts(out, man_run);
		sbuf_puts(out, ".SH SUBCOMMANDS\n");
		cmd_man(out);
	}
out:
	vec_free(&subcommands);
}

static enum status print(const struct sbuf *text, struct error *e)
{
	if (fwrite(sbuf_text(text), 1, text->len, stdout) == text->len && fflush(stdout) == 0)
		return STATUS_OK;
	return error_set(e, STATUS_IO, "standard output cannot be written");
}

static enum status bad_option(int found, const char *word, struct error *e)
{
	if (found == ':')
		return error_set(e, STATUS_USAGE, "%s needs a value; try: pipeglass --help", word);
	return error_set(e, STATUS_USAGE, "unknown option '%s'; try: pipeglass --help", word);
}

/* Options end up in a, operands behind optind. */
static enum status parse(struct arguments *a, const char *letters, int argc, char **argv,
			 struct error *e)
{
	struct option known[OPTIONS + 1] = {{0}};
	enum status status = STATUS_OK;
	int found;

	for (int i = 0; i < OPTIONS; i++)
		known[i] =
		    (struct option){.name = options[i].name,
				    .has_arg = options[i].value ? required_argument : no_argument,
				    .val = FIRST_OPTION + i};
	opterr = 0;
	while (status == STATUS_OK &&
	       (found = getopt_long(argc, argv, letters, known, NULL)) != -1) {
		int i = found - FIRST_OPTION;

		for (int k = 0; found < FIRST_OPTION && k < OPTIONS; k++)
			if (options[k].letter == found)
				i = k;
		if (i < 0)
			return bad_option(found, argv[optind - 1], e);
		status = options[i].take(a, optarg, e);
	}
	return status;
}

/*
 * Standard output is a file or a pipe: whoever wants text gets the summary, and is told where
 * the rest is.
 */
static enum status run_batch(const struct arguments *a, char **files, struct error *e)
{
	const struct cmd *info = cmd_find("info");
	enum status status = STATUS_OK;
	const struct pipeline_settings *own = trace_settings_get(&a->settings, &pipeline_kind);
	char threads[32], ticks[32], pipeline[48],
	    *config = a->app.config ? strdup(a->app.config) : NULL;

	for (; status == STATUS_OK && *files; files++) {
		char *argv[INFO_ARGUMENTS + 1] = {0};
		char words[][20] = {"info",     "--as", "--no-cache", "--threads",
				    "--config", "--",   "--pipeline", "--ticks-per-cycle"};
		int argc = 0;

		argv[argc++] = words[0];
		if (a->app.store.as) {
			argv[argc++] = words[1];
			argv[argc++] = strdup(a->app.store.as);
		}
		if (a->app.store.no_cache)
			argv[argc++] = words[2];
		if (a->app.store.threads) {
			snprintf(threads, sizeof(threads), "%d", a->app.store.threads);
			argv[argc++] = words[3];
			argv[argc++] = threads;
		}
		if (a->app.store.ticks_per_cycle) {
			snprintf(ticks, sizeof(ticks), "%" PRId64, a->app.store.ticks_per_cycle);
			argv[argc++] = words[7];
			argv[argc++] = ticks;
		}
		if (own && own->segments.setup) {
			snprintf(pipeline, sizeof(pipeline), "%" PRId64 ",%" PRId64,
				 own->segments.execute, own->segments.setup);
			argv[argc++] = words[6];
			argv[argc++] = pipeline;
		}
		if (a->app.config) {
			argv[argc++] = words[4];
			argv[argc++] = config;
		}
		argv[argc++] = words[5];
		argv[argc++] = *files;
		status = cmd_run(info, argc, argv, stdout, e);
		if (a->app.store.as)
			free(argv[2]);
	}
	free(config);
	if (!status) /* an error is one line, without this */
		fprintf(stderr,
			"pipeglass: standard output is not a terminal: this is `pipeglass info`; "
			"`pipeglass --help` lists what else prints\n");
	return status;
}

static enum status check_files(const struct arguments *a, char **files, bool options_given,
			       struct error *e)
{
	if (!*files)
		return error_set(e, STATUS_USAGE,
				 "no trace given; try: pipeglass FILE, or pipeglass --help");
	if (options_given && (cmd_find(*files) || strcmp(*files, "run") == 0) &&
	    access(*files, F_OK) != 0)
		return error_set(
		    e, STATUS_USAGE,
		    "options of a subcommand go behind it: pipeglass %s [OPTIONS] FILE", *files);
	if (a->child.trace_file || a->child.trace_fd)
		return error_set(e, STATUS_USAGE,
				 "--trace-fd and --trace-file are of pipeglass run");
	if (strcmp(*files, "-") != 0 && !strpbrk(*files, "/.") && access(*files, F_OK) != 0 &&
	    errno == ENOENT)
		return error_set(e, STATUS_INPUT,
				 "%s: no such file or subcommand; try: pipeglass --help", *files);
	for (; *files; files++)
		if (strcmp(*files, "-") == 0 && isatty(STDIN_FILENO))
			return error_set(e, STATUS_USAGE,
					 "- is standard input, and that is the terminal: "
					 "pipe a trace into it or give a FILE");
	return STATUS_OK;
}

/* What cannot be opened is told beside the others; without any other it is the end. */
static enum status open_files(struct app *app, char **files, struct error *e)
{
	struct error first = {0};
	bool some = false;

	for (; *files; files++) {
		struct error why = {0};
		enum status status = app_open(app, *files, &why);

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

static enum status run_tui(struct arguments *a, char **files, int *code, struct error *e)
{
	struct app *app = NULL;
	enum status status;

	keep_freed_memory();
	a->app.depth = term_depth(&a->term);
	a->app.ascii = term_ascii(&a->term);
	a->term.steps = a->steps.data;
	a->term.step_count = a->steps.count;
	a->app.store.settings = &a->settings;
	status = app_new(&app, &a->app, e);
	if (status == STATUS_OK)
		status =
		    a->child.argv ? app_start_child(app, &a->child, e) : open_files(app, files, e);
	if (status == STATUS_OK)
		app_first_tab(app);
	if (status == STATUS_OK)
		status = term_run(app, &a->term, code, e);
	if (status == STATUS_OK && *code == 0)
		status = launch_outcome(app, e);
	app_free(app);
	return status;
}

static enum status run_child(struct arguments *a, char **words, int *code, struct error *e)
{
	if (!*words)
		return error_set(e, STATUS_USAGE,
				 "run: which command? pipeglass run [OPTIONS] -- COMMAND [ARG]...");
	if (!isatty(STDOUT_FILENO))
		return error_set(e, STATUS_USAGE,
				 "run: only at a terminal; else: COMMAND | pipeglass info -");
	if (a->child.trace_file && a->child.trace_fd)
		return error_set(e, STATUS_USAGE, "run: either --trace-fd or --trace-file");
	a->child.argv = words;
	return run_tui(a, NULL, code, e);
}

static enum status run(int argc, char **argv, int *code, struct error *e)
{
	struct arguments a = {.generate = -1};
	bool runs = argc > 1 && strcmp(argv[1], "run") == 0;
	struct sbuf text = {0};
	enum status status;

	/* a word in front that names a subcommand is one */
	if (argc > 1 && cmd_find(argv[1]))
		return cmd_run(cmd_find(argv[1]), argc - 1, argv + 1, stdout, e);
	if (runs)
		status = parse(&a, "+:c:hV", --argc, ++argv, e); /* the rest is COMMAND's */
	else
		status = parse(&a, ":c:hV", argc, argv, e);
	if (status == STATUS_OK && (a.help || a.version || a.generate >= 0)) {
		if (a.help)
			add_usage(&text);
		else if (a.version)
			sbuf_puts(&text, "pipeglass " VERSION "\n");
		else
			add_generated(a.generate, &text);
		status = print(&text, e);
	} else if (status == STATUS_OK && runs) {
		status = run_child(&a, argv + optind, code, e);
	} else if (status == STATUS_OK) {
		status = check_files(&a, argv + optind,
				     optind > 1 && strcmp(argv[optind - 1], "--") != 0, e);
		if (status == STATUS_OK && !isatty(STDOUT_FILENO))
			status = run_batch(&a, argv + optind, e);
		else if (status == STATUS_OK)
			status = run_tui(&a, argv + optind, code, e);
	}
	sbuf_free(&text);
	vec_free(&a.steps);
	return status;
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
	status = run(argc, argv, &code, &e);
	reported = report(&e, status);
	return reported ? reported : code;
}
