/*
 * samplecore: runs a small program on a model of an out-of-order core and writes the trace.
 */
#include "core.h"
#include "programs.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_MODEL = 1, EXIT_USAGE = 2 };

struct options {
	struct machine machine;
	const struct program *program;
	const char *trace, *counters;
	int64_t max_cycles;
	enum trace_form form;
};

static int usage(FILE *out, int status)
{
	const struct program *p;

	fputs("usage: samplecore [OPTION...] PROGRAM\n"
	      "  -w, --width 2|4       machine (default 4); give it before what changes it:\n"
	      "  -x, --without CAUSE   one that never mispredicts (branch), or whose caches always\n"
	      "                        hit (icache, dcache); may be repeated\n"
	      "  -r, --window N        one with a reorder buffer of N entries\n"
	      "  -s, --stock           trace in stock SimpleScalar form, not GPV's\n"
	      "  -g, --gem5            trace as gem5's O3PipeView\n"
	      "  -t, --tasks           trace as tasks, with libpgtrace\n"
	      "  -o, --output FILE     write the trace there, not to standard output\n"
	      "  -c, --counters FILE   write the counters there, not to standard error\n"
	      "  -n, --max-cycles N    end after N cycles, if the program does not before\n"
	      "programs:\n",
	      out);
	for (p = programs; p->name; p++)
		fprintf(out, "  %-20s  %s\n", p->name, p->about);
	return status;
}

static bool parse_width(const char *text, struct options *o)
{
	if (strcmp(text, "2") == 0)
		o->machine = core_two_wide;
	else if (strcmp(text, "4") == 0)
		o->machine = core_four_wide;
	else
		return false;
	return true;
}

static bool parse_without(const char *text, struct machine *m)
{
	const struct {
		const char *cause;
		bool *gone;
	} causes[] = {{"branch", &m->perfect_branches},
		      {"icache", &m->fetch_hits},
		      {"dcache", &m->data_hits}};
	size_t i = 0, count = sizeof causes / sizeof causes[0];

	while (i < count && strcmp(text, causes[i].cause) != 0)
		i++;
	if (i < count)
		*causes[i].gone = true;
	return i < count;
}

static bool parse_window(const char *text, struct machine *m)
{
	char *end;
	long n = strtol(text, &end, 10);

	m->rob = (int)n;
	return end != text && *end == '\0' && n > 0 && n <= RING_MAX;
}

static bool parse_cycles(const char *text, struct options *o)
{
	char *end;

	errno = 0;
	o->max_cycles = strtoll(text, &end, 10);
	return errno == 0 && end != text && *end == '\0' && o->max_cycles > 0;
}

/* Returns an exit status, or -1 to go on. */
static int parse(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
	    {"width", required_argument, NULL, 'w'},
	    {"without", required_argument, NULL, 'x'},
	    {"window", required_argument, NULL, 'r'},
	    {"stock", no_argument, NULL, 's'},
	    {"gem5", no_argument, NULL, 'g'},
	    {"tasks", no_argument, NULL, 't'},
	    {"output", required_argument, NULL, 'o'},
	    {"counters", required_argument, NULL, 'c'},
	    {"max-cycles", required_argument, NULL, 'n'},
	    {"help", no_argument, NULL, 'h'},
	    {NULL, 0, NULL, 0},
	};
	bool good = true;
	int c;

	while (good && (c = getopt_long(argc, argv, "w:x:r:sgto:c:n:h", longs, NULL)) != -1) {
		switch (c) {
		case 'w':
			good = parse_width(optarg, o);
			break;
		case 'x':
			good = parse_without(optarg, &o->machine);
			break;
		case 'r':
			good = parse_window(optarg, &o->machine);
			break;
		case 's':
			o->form = FORM_STOCK;
			break;
		case 'g':
			o->form = FORM_O3;
			break;
		case 't':
			o->form = FORM_TASKS;
			break;
		case 'o':
			o->trace = optarg;
			break;
		case 'c':
			o->counters = optarg;
			break;
		case 'n':
			good = parse_cycles(optarg, o);
			break;
		case 'h':
			return usage(stdout, EXIT_SUCCESS);
		default:
			good = false;
		}
	}
	if (good && optind + 1 == argc)
		o->program = program_find(argv[optind]);
	return o->program ? -1 : usage(stderr, EXIT_USAGE);
}

static FILE *open_output(const char *name, FILE *otherwise)
{
	FILE *file = name ? fopen(name, "w") : otherwise;

	if (!file)
		fprintf(stderr, "samplecore: %s: %s\n", name, strerror(errno));
	return file;
}

static bool close_output(const char *name, FILE *file)
{
	bool good = !ferror(file);

	if ((name ? fclose(file) : fflush(file)) != 0)
		good = false;
	if (!good)
		fprintf(stderr, "samplecore: %s: could not be written\n", name ? name : "output");
	return good;
}

/* The memory the run left, against the same computation in C. */
static bool check_result(const struct options *o, const struct core *core, struct arch *arch)
{
	uint64_t got, direct;

	if (!core->halted) {
		fprintf(stderr, "samplecore: %s: ended before the program did\n", o->program->name);
		return true;
	}
	o->program->direct(&arch->mem);
	got = program_checksum(o->program, &core->mem);
	direct = program_checksum(o->program, &arch->mem);
	fprintf(stderr, "samplecore: %s: result %016" PRIx64 ", %s the direct computation's\n",
		o->program->name, got, got == direct ? "equal to" : "NOT");
	return got == direct;
}

static const char *tasks_path(const struct options *o)
{
	return o->trace ? o->trace : "/dev/stdout";
}

static bool tell_tasks(const struct options *o, int error)
{
	if (error)
		fprintf(stderr, "samplecore: %s: %s\n", tasks_path(o), strerror(error));
	return !error;
}

/* out: NULL: the trace is of tasks. */
static bool run(const struct options *o, const struct text *text, struct arch *arch, FILE *out)
{
	static struct trace trace;
	struct core *core = core_create(&o->machine, text, arch, &trace);
	FILE *counters;
	bool good;

	trace.file = out;
	trace.form = o->form;
	if (!core) {
		fputs("samplecore: out of memory\n", stderr);
		return false;
	}
	if (!out && !tell_tasks(o, tasks_open(&trace.tasks, tasks_path(o), o->program->name)))
		return false;
	good = core_run(core, o->max_cycles);
	if (!good)
		fprintf(stderr, "samplecore: cycle %" PRId64 ": %s\n", core->now, core->fault);
	else
		good = check_result(o, core, arch);
	if (!out)
		good = tell_tasks(o, tasks_close(&trace.tasks)) && good;
	counters = open_output(o->counters, stderr);
	if (counters)
		core_print(core, counters);
	good = counters && close_output(o->counters, counters) && good;
	free(core);
	return good;
}

int main(int argc, char **argv)
{
	static struct text text;
	static struct arch arch = {.pc = TEXT_BASE};
	struct options o = {.machine = core_four_wide};
	int status = parse(argc, argv, &o);
	FILE *out;
	int line;
	bool good;

	if (status >= 0)
		return status;
	line = asm_assemble(o.program->source, &text);
	if (line != 0) {
		fprintf(stderr, "samplecore: %s: line %d cannot be assembled\n", o.program->name,
			line);
		return EXIT_MODEL;
	}
	o.program->setup(&arch);
	out = o.form == FORM_TASKS ? NULL : open_output(o.trace, stdout);
	if (!out && o.form != FORM_TASKS)
		return EXIT_MODEL;
	good = run(&o, &text, &arch, out);
	good = (!out || close_output(o.trace, out)) && good;
	return good ? EXIT_SUCCESS : EXIT_MODEL;
}
