#include "config.h"

#include <string.h>

#include "analysis/memory/sharing.h"
#include "analysis/pipeline/hints.h"
#include "analysis/tasks/answers.h"
#include "cmd/answers.h"
#include "cmd/cmd.h"
#include "cmd/compare.h"
#include "cmd/memory/memory.h"
#include "cmd/pipeline/export.h"
#include "cmd/series.h"
#include "cmd/tasks/tasks.h"

const struct cmd cmds[] = {
    {"info", "FILE", "format, ticks, counts, components, metrics, events and warnings",
     OPTIONS_STORE, 0, 1, .run = cmd_info},
    {"index", "[FILE]",
     "make the index, or find it in the cache; show its size and time; or empty the cache",
     OPTIONS_STORE | OPT(PURGE), 0, 1, .run = cmd_index},
    {"rows", "FILE", "instructions with their stages, events and fates",
     OPTIONS_STORE | OPT(CSV) | OPT(FROM) | OPT(TO) | OPT(LIMIT), 0, 1, .run = cmd_rows},
    {"series", "FILE", "a metric over time, as means over bins",
     OPTIONS_STORE | OPT(METRIC) | OPT(COMPONENT) | OPT(KIND) | OPT(MACHINE) | OPT(BINS) |
	 OPT(FROM) | OPT(TO),
     OPT(METRIC), 1, .run = cmd_series},
    {"stalls", "FILE", "where the cycles went: by stage, event, static instruction and source line",
     OPTIONS_STORE | OPT(CSV) | OPT(WIDE) | OPT(FROM) | OPT(TO) | OPT(LIMIT) | OPT(STALL_BY) |
	 OPT(SORT) | OPT(BINARY) | OPT(LOAD_ADDRESS),
     0, 1, .run = cmd_stalls},
    {"export", "FILE", "write the trace for other programs: Kanata log, Perfetto JSON, CSV, SQLite or Akita's",
     (OPTIONS_STORE & ~OPT(JSON)) | OPT(EXPORT) | OPT(EXPORT_TO) |
	 OPT(FROM) | OPT(TO) | OPT(OUTPUT) | OPT(FORCE),
     OPT(EXPORT), 1, .run = cmd_export},
    {"compare", "A B",
     "compare two runs: where B is slower or faster, or how metrics differ",
     OPTIONS_STORE | OPT(CSV) | OPT(WIDE) | OPT(FROM) | OPT(TO) | OPT(LIMIT) | OPT(BY) | OPT(BY_METRICS) | OPT(PAIR),
     0, ALIGN_SIDES, .run = cmd_compare},
    {"reduce", "FILE[=WEIGHT]...",
     "the exact cost of dependencies and branches at every pipeline length",
     OPTIONS_STORE | OPT(NE) | OPT(NS) | OPT(NS_FROM) | OPT(R3PLUS) | OPT(SHORTS) | OPT(LINKS) |
	 OPT(MICRO_OPS) | OPT(TIMES) | OPT(SAVE) | OPT(FORCE) | OPT(FROM) | OPT(TO),
     0, SIZE_MAX, .run = cmd_reduce},
    {"depth", "FILE[=WEIGHT]...", "how many pipeline segments are best for this program",
     OPTIONS_STORE | OPT(ES) | OPT(GAMMA) | OPT(K) | OPT(SHORTS) | OPT(LINKS) | OPT(MICRO_OPS) |
	 OPT(FROM) | OPT(TO),
     OPT(ES) | OPT(GAMMA), SIZE_MAX, .run = cmd_depth},
    {"cpi0", "[TRACE]...", "which queue of a machine limits these instructions, and their best CPI",
     OPTIONS_STORE | OPT(MACHINE) | OPT(MIX) | OPT(PATTERN) | OPT(COUNTS) | OPT(MAPPING) |
	 OPT(WIDE) | OPT(FROM) | OPT(TO),
     OPT(MACHINE), SIZE_MAX, .run = cmd_cpi0},
    {"why", "FILE [B]",
     "why a run took so long: causes that add up to its cycles, and what each would save; of two "
     "runs: why B is faster or slower",
     OPTIONS_STORE | OPT(WIDE) | OPT(FROM) | OPT(TO) | OPT(WITHOUT) | OPT(SET) |
	 OPT(STAGES) | OPT(TOP), 0,
     ALIGN_SIDES, .run = cmd_why, .listed = "Causes", .words = cmd_why_causes},
    {"components", "FILE", "components: their tasks, how long and how busy; CPUs and caches: waits, loads and losses",
     OPTIONS_STORE | OPT(CSV) | OPT(WIDE) | OPT(LIMIT), 0, 1, .run = NULL},
    {"tasks", "FILE", "tasks by their starts: ids, parents, kinds, components and times",
     OPTIONS_STORE | OPT(CSV) | OPT(WIDE) | OPT(COMPONENT) | OPT(KIND) | OPT(FROM) | OPT(TO) |
	 OPT(LIMIT),
     0, 1, .run = NULL},
    {"requests", "FILE", "which component sent requests to which, and how long they took",
     OPTIONS_STORE | OPT(CSV) | OPT(WIDE) | OPT(COMPONENT) | OPT(FROM) | OPT(TO) | OPT(LIMIT), 0,
     1, .run = NULL},
    {"summary", "FILE",
     "kinds of tasks and their latencies, residency by component, milestones, tags and figures",
     OPTIONS_STORE | OPT(WIDE) | OPT(LIMIT), 0, 1, .run = NULL},
    {"hints", "FILE", "what limits a run, with numbers and what to try",
     OPTIONS_STORE | OPT(CSV) | OPT(LIMIT) | OPT(CAPACITY), 0, 1, .run = NULL},
    {"sharing", "FILE",
     "what shared memory costs: false and true sharing by object, class, line, block and word",
     OPTIONS_STORE | OPT(WIDE) | OPT(TOP) | OPT(WORDS), 0, 1, .run = cmd_sharing},
    {"record", "[--] PROGRAM [ARG]...",
     "run a program that `pipeglass cc` or `pipeglass c++` built, and write a memory trace of it",
     OPT(CACHES) | OPT(TRACE_OUTPUT) | OPT(LIVE) | OPT(PAD) | OPT(MOVE) | OPT(HELP), 0, COMMAND_WORDS, .run = cmd_record},
    {"simulate", "[REFS]",
     "run memory references through simulated caches and write what they do as a Chiron trace",
     OPT(CACHES) | OPT(OUTPUT) | OPT(FORCE) | OPT(HELP), 0, 1, .run = cmd_simulate},
    {"cc", "[ARG]...", "compile and link C for pipeglass record, as gcc or $PIPEGLASS_CC does",
     OPT(HELP), 0, COMMAND_LINE, .run = cmd_cc},
    {"c++", "[ARG]...", "compile and link C++ for pipeglass record, as g++ or $PIPEGLASS_CXX does",
     OPT(HELP), 0, COMMAND_LINE, .run = cmd_cxx},
    {"screen", "FILE...", "what the terminal would show, as text, ANSI, HTML or SVG",
     OPTIONS_STORE | OPT(GEOMETRY) | OPT(COMMAND) | OPT(SCRIPT) | OPT(FORMAT) | OPT(KEYMAP) |
	 OPT(COLOR) | OPT(ASCII),
     0, SIZE_MAX, .run = cmd_screen},
    {0},
};

const struct cmd_answer cmd_answers[] = {
    {.of = &components_answer},
    {.of = &memory_components_answer},
    {.of = &tasks_list_answer},
    {.of = &requests_answer, .note = tasks_note_unpaired},
    {.of = &summary_answer, .named = true},
    {.of = &hints_answer, .text = answers_put_hints},
    {.of = &pipeline_hints_answer, .text = answers_put_hints},
    {.of = &memory_hints_answer, .text = answers_put_hints},
    {.of = &sharing_answer, .text = memory_put_sharing},
    {.of = &sharing_words_answer, .text = memory_put_sharing},
    {.of = NULL},
};

const struct answer *const pairings[] = {&memory_compare_answer, NULL};

const struct series_metric *const series_metrics[] = {&cpi0_series_metric, &why_series_metric, NULL};

const struct export_format *const export_formats[] = {
    &export_kanata.format, &export_perfetto.format, &export_csv.format, &export_sqlite.format,
    &export_akita,	   &export_tasks_sqlite,   &export_memory_csv, &export_memory_sqlite, NULL,
};

enum status (*cmd_show)(const struct child_options *child, int *code, struct error *e);

const struct cmd *cmd_find(const char *name)
{
	for (const struct cmd *c = cmds; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

static bool is_given(const struct cmd_options *o, enum option_id id)
{
	return (id == OPTION_METRIC && o->metric) || (id == OPTION_EXPORT && o->export) ||
	       (id == OPTION_ES && o->es.den) || (id == OPTION_GAMMA && o->gamma.den) ||
	       (id == OPTION_MACHINE && o->cpi0.machine);
}

/* What parsing cannot know: that something is missing. */
static enum status check(const struct cmd *c, const struct cmd_options *o, struct error *e)
{
	for (int id = 0; id < OPTION_COUNT; id++) {
		struct app_word t = option_text((enum option_id)id);

		if (c->needed & OPTION_BIT(id) && !is_given(o, (enum option_id)id))
			return error_set(e, STATUS_USAGE, "%s: --%s %s is missing: %s", c->name,
					 t.name, t.value, t.help);
	}
	if (o->json && o->csv)
		return error_set(e, STATUS_USAGE, "%s: give --json or --csv, not both", c->name);
	if (o->pair.given && o->by != ALIGN_BY_COMMIT)
		return error_set(e, STATUS_USAGE, "%s: give --pair or --by %s, not both", c->name,
				 align_by_names[o->by]);
	if (o->files.count == 0 && c->operands[0] != '[')
		return error_set(e, STATUS_USAGE, "%s: no file given (- is standard input)", c->name);
	if (o->files.count > c->files)
		return c->files == 1 ? error_set(e, STATUS_USAGE,
						 "%s takes one file; also given: '%s'",
						 c->name, o->files.data[c->files])
				     : error_set(e, STATUS_USAGE,
						 "%s takes at most %zu files; also given: '%s'",
						 c->name, c->files, o->files.data[c->files]);
	return STATUS_OK;
}

enum status cmd_do(const struct cmd *c, const struct cmd_options *o, FILE *stream, int *code,
		   struct error *e)
{
	struct output out;
	enum status status = STATUS_OK;

	output_begin(&out, stream);
	if (o->help)
		cmd_help(c, &out.text);
	else
		status = check(c, o, e);
	if (!status && !o->help)
		status = c->run ? c->run(o, &out, e) : answers_run(c->name, o, &out, e);
	fputs(sbuf_text(&out.notes), stderr);
	*code = out.code;
	return output_end(&out, status, e);
}

/* The words of a command, and NULL. */
static enum status take_command(struct cmd_options *o, char **word, struct error *e)
{
	for (; *word; word++)
		if (!vec_push(&o->files, *word))
			return error_set(e, STATUS_NOMEM, "out of memory");
	if (!vec_push(&o->files, NULL))
		return error_set(e, STATUS_NOMEM, "out of memory");
	o->files.count--;
	return STATUS_OK;
}

static bool is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

enum status cmd_run(const struct cmd *c, int argc, char **argv, FILE *stream, int *code,
		    struct error *e)
{
	const bool all = c->files == COMMAND_LINE && !(argc == 2 && is_help(argv[1]));
	struct cmd_options o;
	char *alone[] = {argv[0], NULL}, **command = all ? argv + 1 : NULL;
	enum status status = c->files == COMMAND_WORDS
				 ? options_parse_command(&o, c->options, argv, &command, e)
				 : options_parse(&o, c->options, all ? 1 : argc, all ? alone : argv, e);

	*code = 0;
	if (!status && command)
		status = take_command(&o, command, e);
	if (!status)
		status = cmd_do(c, &o, stream, code, e);
	options_free(&o);
	return status;
}

void cmd_usage(const struct cmd *c, struct sbuf *out)
{
	sbuf_printf(out, "pipeglass %s", c->name);
	for (int id = 0; id < OPTION_COUNT; id++) {
		struct app_word t = option_text((enum option_id)id);
		bool needed = c->needed & OPTION_BIT(id);

		if (!(c->options & OPTION_BIT(id)))
			continue;
		sbuf_printf(out, needed ? " " : " [");
		if (t.letter)
			sbuf_printf(out, "-%c", t.letter);
		else
			sbuf_printf(out, "--%s", t.name);
		if (t.value)
			sbuf_printf(out, " %s", t.value);
		sbuf_puts(out, needed ? "" : id == OPTION_COMMAND ? "]..." : "]");
	}
	sbuf_printf(out, " %s", c->operands);
}

void cmd_options_help(option_set set, struct sbuf *out)
{
	for (int id = 0; id < OPTION_COUNT; id++) {
		struct app_word t = option_text((enum option_id)id);
		struct sbuf left = {0};

		if (!(set >> id & 1))
			continue;
		if (t.letter)
			sbuf_printf(&left, "-%c, ", t.letter);
		sbuf_printf(&left, "--%s%s%s", t.name, t.value ? " " : "", t.value ? t.value : "");
		sbuf_printf(out, "  %-26s %s\n", sbuf_text(&left), t.help);
		sbuf_free(&left);
	}
}

void cmd_help(const struct cmd *c, struct sbuf *out)
{
	sbuf_puts(out, "usage: ");
	cmd_usage(c, out);
	sbuf_printf(out, "\n%s\n\n", c->help);
	cmd_options_help(c->options, out);
	if (c->listed)
		sbuf_printf(out, "\n%s:\n", c->listed);
	for (const struct app_word *w = c->words; w && w->name; w++)
		sbuf_printf(out, "  %-26s %s\n", w->name, w->help);
}

/* A hyphen is one that is to be typed. */
static void roff(struct sbuf *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '-')
			sbuf_putc(out, '\\');
		sbuf_putc(out, *text);
	}
}

void cmd_man(struct sbuf *out)
{
	struct sbuf usage = {0};
	option_set all = 0;

	for (const struct cmd *c = cmds; c->name; c++) {
		all |= c->options;
		sbuf_clear(&usage);
		cmd_usage(c, &usage);
		sbuf_puts(out, ".TP\n.B ");
		roff(out, sbuf_text(&usage));
		sbuf_puts(out, "\n");
		roff(out, c->help);
		sbuf_puts(out, ".\n");
	}
	sbuf_puts(out, ".SS Options of subcommands\n");
	roff(out, OPTIONS_REPEAT ".\n");
	for (int id = 0; id < OPTION_COUNT; id++) {
		struct app_word t = option_text((enum option_id)id);

		if (!(all >> id & 1))
			continue;
		sbuf_puts(out, ".TP\n.B ");
		if (t.letter)
			sbuf_printf(out, "\\-%c, ", t.letter);
		sbuf_puts(out, "\\-\\-");
		roff(out, t.name);
		if (t.value)
			sbuf_printf(out, " \\fI%s\\fR", t.value);
		sbuf_puts(out, "\n");
		roff(out, t.help);
		sbuf_puts(out, ".\n");
	}
	for (const struct cmd *c = cmds; c->name; c++) {
		if (c->listed)
			sbuf_printf(out, ".SS %s of %s\n", c->listed, c->name);
		for (const struct app_word *w = c->words; w && w->name; w++) {
			sbuf_puts(out, ".TP\n.B ");
			roff(out, w->name);
			sbuf_puts(out, "\n");
			roff(out, w->help);
			sbuf_puts(out, ".\n");
		}
	}
	sbuf_free(&usage);
}
