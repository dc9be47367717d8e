/*
 * The options of the program and of all batch subcommands: one table, one parser, one meaning for each name.
 *
 * A subcommand names the set of options it takes; parsing fills one struct. Options may stand
 * before or behind operands, `--` ends them, `--name VALUE` and `--name=VALUE` are the same,
 * and so are `-g 80x24` and `-g80x24`. A name may stand in several rows whose values cannot be
 * taken for one another (`--to csv`, `--to 500`): then the first row that takes the value has it.
 * An option that is given twice counts as it was given last, so that aliases can be overruled; those
 * of inputs and commands (--mix, --pattern, --counts, -c, --script) add up, as OPTIONS_REPEAT says.
 * What is not in the set is refused (STATUS_USAGE) with one line. Texts in the result point into
 * argv. O(argc * options).
 */
#ifndef PIPEGLASS_CMD_OPTIONS_H
#define PIPEGLASS_CMD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/pipeline/align.h"
#include "analysis/pipeline/depth.h"
#include "analysis/pipeline/stalls_table.h"
#include "analysis/pipeline/why.h"
#include "app/app.h"
#include "base/sbuf.h"
#include "base/status.h"
#include "base/vec.h"
#include "isa/isa.h"
#include "trace/trace.h"
#include "view/palette.h"

/* id, long name, letter or 0, kind of value, field, value's name in the help, help */
#define OPTION_INFO(_)                                                                             \
	_(JSON, "json", 0, flag, json, NULL, "write one JSON object instead of a table")           \
	_(CSV, "csv", 0, flag, csv, NULL, "write comma-separated values instead of a table")       \
	_(WIDE, "wide", 0, flag, wide, NULL, "show all columns, however wide the table gets")      \
	_(FROM, "from", 0, tick, from, "TICK", "begin at this tick or time, as in 12.5us (default: the first)")          \
	_(EXPORT, "format", 0, export, export, "FORMAT",                                           \
	  "write instructions as kanata, perfetto, csv or sqlite (a database, which needs -o); "     \
	  "tasks as sqlite or akita, in the file's own form: those that are there in the range "     \
	  "with their ancestors, milestones and tags; segments are cut to the range; "               \
	  "what caches hold as csv (stays) or sqlite")                                               \
	_(EXPORT_TO, "to", 0, export, export, "FORMAT", "the same as --format")                    \
	_(TO, "to", 0, tick, to, "TICK", "end before this tick or time (default: after the last)")         \
	_(LIMIT, "limit", 0, limit, limit, "N", "show at most N rows")                             \
	_(TOP, "top", 0, limit, limit, "N", "show at most N rows of each table")                   \
	_(WITHOUT, "without", 0, asked, asked, "CAUSE,...",                                        \
	  "also evaluate the run without these causes together; may be repeated")                  \
	_(SET, "set", 0, asked, asked, "NAME=VALUE,...",                                           \
	  "also evaluate it with these parameters: window=128, latency(ld)=4; may be repeated")    \
	_(STAGES, "stages", 0, text, stages, "F,D,X,W,C",                                          \
	  "stages that stand for fetch, dispatch, issue, result and commit; -: none (default: "    \
	  "found in the trace)")                                                                   \
	_(WORDS, "words", 0, flag, words, NULL, "list every word with the CPUs that touched it")   \
	_(STALL_BY, "by", 0, stall_by, stall_by, "WHAT",                                           \
	  "one row per pc (default), function or line of the program")                             \
	_(SORT, "sort", 0, text, sort, "COLUMN", "sort by this column (default: head)")            \
	_(BINARY, "binary", 0, text, binary, "FILE",                                               \
	  "the ELF program that ran, for functions and source lines")                              \
	_(LOAD_ADDRESS, "load-address", 0, address, load_address, "ADDRESS",                       \
	  "load address of that program (default: as linked)")                                     \
	_(METRIC, "metric", 0, text, metric, "NAME",                                               \
	  "ipc, fetch, commit, squash, in-flight, occupancy, cpi0, why, why:CAUSE or a statistic of the trace")    \
	_(COMPONENT, "component", 0, text, component, "RE",                                        \
	  "a regular expression: stages (of occupancy) or components")                             \
	_(KIND, "kind", 0, text, kind, "RE",                                                       \
	  "a regular expression: kinds of tasks, or kind and what, as in req_in.*Read")            \
	_(CAPACITY, "capacity", 0, capacity, capacity, "[RE=]N",                                   \
	  "tasks that a component which matches can hold (default: wavefronts of each)")           \
	_(BINS, "bins", 0, bins, bins, "N", "number of values (default: 100)")                     \
	_(BY, "by", 0, align, by, "WAY", "match by commit (default), cycle or start")              \
	_(BY_METRICS, "by", 0, by_metrics, by_metrics, "WAY",                                      \
	  "align metrics by time since the start (default) or by fraction")                        \
	_(PAIR, "pair", 0, pair, pair, "ROW:ROW",                                                  \
	  "match this row of A with this row of B, and the rest in the order of commits")          \
	_(NE, "ne", 0, lengths, ne, "LIST",                                                        \
	  "segments of the execution section: 5, 1..12 (default) or 2,4,8")                        \
	_(NS, "ns", 0, lengths, ns, "LIST", "segments of the setup section, in the same form")     \
	_(NS_FROM, "ns-from", 0, setup, setup, "TF,TD,PR,TR,PM,TM",                                \
	  "setup segments from a flush's latency: TF + TD + PR TR + PM TM cycles")                 \
	_(R3PLUS, "r3plus", 0, flag, r3plus, NULL,                                                 \
	  "Reduction 3+: remove more arcs that cost nothing (fewer with --short-branches)")        \
	_(SHORTS, "short-branches", 0, flag, shorts, NULL,                                         \
	  "a taken branch to D instructions ahead flushes D - 1 of them at most")                  \
	_(LINKS, "links", 0, flag, links, NULL,                                                    \
	  "take dependencies from the trace's links (Kanata), not from operands")                  \
	_(TIMES, "times", 0, times, times, "CLASS=N,...",                                          \
	  "execution cycles of classes: load=3,fp-multiply=4; all=N for the rest")                 \
	_(MICRO_OPS, "micro-ops", 0, flag, micro_ops, NULL,                                        \
	  "count micro-ops as instructions")                                                       \
	_(SAVE, "save", 0, text, save, "FILE", "write the reduced trace to this new file")         \
	_(ES, "es", 0, fraction, es, "E/S",                                                        \
	  "ratio of execution to setup segments: 1, 2/3")                                          \
	_(GAMMA, "gamma", 0, fraction, gamma, "G", "total logic delay over latch delay")           \
	_(K, "k", 0, estimator, k, "K", "where the paper's estimators look (2)")                   \
	_(MACHINE, "machine", 0, text, cpi0.machine, "NAME",                                       \
	  "a built-in machine (for cpi0, list shows all) or a machine file")                       \
	_(MIX, "mix", 0, mix, cpi0.inputs, "LIST",                                                 \
	  "instructions by queue or class: m=9,i=5,f=1,b=2")                                       \
	_(PATTERN, "pattern", 0, pattern, cpi0.inputs, "P",                                        \
	  "instructions repeated in this order: miii, mfff_*+*")                                   \
	_(COUNTS, "counts", 0, counts, cpi0.inputs, "FILE",                                        \
	  "instructions from counters: perf stat -x, or NAME VALUE lines")                         \
	_(MAPPING, "mapping", 0, text, cpi0.mapping, "NAME",                                       \
	  "meaning of the counters: perf (default), perfex, samplecore or a file")                 \
	_(AS, "as", 0, format, store.as, "FORMAT", "read the file as this format")                 \
	_(THREADS, "threads", 0, threads, store.threads, "N", "index with N threads (default: one per core)") \
	_(TICKS, "ticks-per-cycle", 0, ticks, store.ticks_per_cycle, "N",                          \
	  "ticks in a cycle, if the format counts ticks (default: found in the trace)")            \
	_(PIPELINE, "pipeline", 0, segments, settings, "NE,NS",                                    \
	  "execution and setup segments for an optrace (default: 5,5)")                            \
	_(RADIX, "radix", 0, radix, settings, "N",                                                 \
	  "numbers of a Chiron trace are octal, decimal or hexadecimal: 8, 10 or 16 (default: found)") \
	_(HEADER, "geom", 0, header, settings, "B1,B2,N1,N2",                                      \
	  "bytes of an L1 and an L2 block and how many caches, for a Chiron trace without header") \
	_(SOURCES, "src", 0, text, store.sources, "DIR",                                           \
	  "folder of the source files that a Chiron trace names, looked into first")               \
	_(NO_CACHE, "no-cache", 0, flag, store.no_cache, NULL,                                     \
	  "do not read or write the index cache")                                                  \
	_(CACHE_DIR, "cache-dir", 0, text, store.cache_dir, "DIR",                                 \
	  "folder of the index cache ($XDG_CACHE_HOME/pipeglass)")                                 \
	_(PURGE, "purge", 0, flag, purge, NULL,                                                    \
	  "remove all indexes from the cache, but those that are open")                            \
	_(GEOMETRY, "geometry", 'g', geometry, geometry, "COLSxROWS",                              \
	  "size of the screen (default: 80x24)")                                                   \
	_(COMMAND, "command", 'c', command, steps, "CMD", "run a command first; may be repeated")  \
	_(SCRIPT, "script", 0, script, steps, "FILE", "run a file of commands first")              \
	_(FORMAT, "format", 0, picture, picture, "FORM", "text (default), ansi, html or svg")      \
	_(CONFIG, "config", 0, text, config, "FILE",                                               \
	  "read this configuration; none: no file (default of screen)")                            \
	_(KEYMAP, "keymap", 0, keymap, keymap, "NAME", "keymap: default, vi, less or konata")      \
	_(COLOR, "color", 0, depth, depth, "WHEN", "never (mono), 8 or 256 (default) colours")     \
	_(TERM_COLOR, "color", 0, color, color, "WHEN", "auto (default), always, never, 8 or 256") \
	_(ASCII, "ascii", 0, flag, ascii, NULL, "draw with ASCII characters only")                 \
	_(CACHES, "caches", 0, text, caches, "MODEL",                                              \
	  "caches and latencies: today (default), thesis, thesis-8 or a file (see MODELS OF CACHES)") \
	_(OUTPUT, "output", 'o', text, output, "FILE",                                             \
	  "write to this new file (- is standard output)")                                         \
	_(FORCE, "force", 0, flag, force, NULL, "replace the file that is there")                  \
	_(TRACE_OUTPUT, "output", 'o', text, output, "TRACE",                                      \
	  "write the trace to this file (default: PROGRAM.trace)")                                 \
	_(LIVE, "live", 0, flag, live, NULL, "show the trace while the program runs")              \
	_(PAD, "pad", 0, pad, whatif, "NAME=BYTES",                                                \
	  "run it a second time with this object so many bytes further on, and compare")           \
	_(MOVE, "move", 0, move, whatif, "NAME=ADDRESS",                                           \
	  "run it a second time with this object at another address, and compare")                 \
	_(TRACE_FD, "trace-fd", 0, trace_fd, trace_fd, "N",                                        \
	  "run: COMMAND writes the trace to its descriptor N")                                     \
	_(TRACE_FILE, "trace-file", 0, flag, trace_file, NULL,                                     \
	  "run: COMMAND writes the trace to the file %t in its ARGs")                              \
	_(VERSION, "version", 'V', flag, version, NULL, "show the version")                        \
	_(HELP, "help", 'h', flag, help, NULL, "show this help")

enum option_id {
#define OPTION_ENUM(id, name, letter, kind, field, value, help) OPTION_##id,
	OPTION_INFO(OPTION_ENUM)
#undef OPTION_ENUM
	    OPTION_COUNT
};

/*
 * A set of options; OPTIONS_STORE: those that every command which opens a trace takes;
 * OPTIONS_PROGRAM: those of the program without a subcommand.
 */
typedef unsigned __int128 option_set;
#define OPTION_BIT(id) ((option_set)1 << (id))
#define OPT(id) OPTION_BIT(OPTION_##id)
_Static_assert(OPTION_COUNT <= 128, "a set of options is a word");
#define OPTIONS_REPEAT                                                                             \
	"If an option is repeated, the last one wins. --mix, --pattern, --counts, --pad, --move, " \
	"--without, --set, -c and --script add up"
#define OPTIONS_STORE                                                                              \
	(OPT(JSON) | OPT(AS) | OPT(TICKS) | OPT(PIPELINE) | OPT(RADIX) | OPT(HEADER) |             \
	 OPT(SOURCES) | OPT(THREADS) | OPT(NO_CACHE) | OPT(CACHE_DIR) | OPT(CONFIG) | OPT(HELP))

#define OPTIONS_PROGRAM                                                                            \
	((OPTIONS_STORE & ~OPT(JSON)) | OPT(COMMAND) | OPT(SCRIPT) | OPT(KEYMAP) |                 \
	 OPT(TERM_COLOR) | OPT(ASCII) | OPT(TRACE_FD) | OPT(TRACE_FILE) | OPT(VERSION))

enum { BINS_DEFAULT = 100, BINS_MAX = 10000000, THREADS_MAX = 1024, SCREEN_MAX = 10000 };

typedef VEC(int64_t) lengths_vec;

/* Instructions that no trace tells; in the order given. */
struct cpi0_input {
	enum cpi0_input_kind { CPI0_MIX, CPI0_PATTERN, CPI0_COUNTS } kind;
	const char *text;
};
typedef VEC(struct cpi0_input) cpi0_inputs;

/* Rows of the two runs that belong together. */
struct row_pair {
	uint64_t row[ALIGN_SIDES];
	bool given;
};

/* An object to be elsewhere when the program runs again. */
struct whatif {
	struct sbuf name;
	bool moves; /* to the address `number`; else `number` bytes further on */
	uint64_t number;
};

struct cmd_options {
	VEC(const char *) files;
	bool json, csv, wide, words, help, version, ascii, force, purge, trace_file;
	const char *from, *to; /* as they were typed: open_range() reads them; NULL: not given */
	uint64_t limit;   /* UINT64_MAX: none */
	uint64_t bins;
	const char *metric, *component, *kind, *output;
	struct {
		const char *of;  /* components; NULL: of those with wavefronts */
		double tasks;    /* 0: not given */
		struct sbuf text;
	} capacity;
	const struct export_format *export; /* NULL: not given */
	enum align_by by;
	enum { BY_NONE, BY_TIME, BY_FRACTION } by_metrics;
	struct row_pair pair;
	enum stall_by stall_by;
	const char *sort, *binary, *stages; /* NULL: not given */
	lengths_vec ne, ns; /* empty: not given */
	struct {
		bool given;
		struct setup_parts parts;
	} setup;
	struct {
		bool given;
		int64_t of[OP_CLASS_COUNT];
	} times;
	bool r3plus, shorts, links, micro_ops, live;
	const char *save, *caches; /* NULL: not given */
	VEC(struct why_asked) asked;
	struct fraction es, gamma; /* den 0: not given */
	int64_t k;
	struct {
		const char *machine, *mapping; /* NULL: not given */
		cpi0_inputs inputs;
	} cpi0;
	struct {
		bool given;
		uint64_t value;
	} load_address;
	struct trace_options store;
	struct trace_settings settings;
	struct {
		int columns, rows;
	} geometry;
	VEC(struct app_step) steps;
	enum grid_format picture;
	const char *config, *keymap; /* NULL: not given */
	enum color_depth depth;
	enum color_choice color;
	int trace_fd; /* 0: not given */
	VEC(struct whatif) whatif;
};

/* argv[0] is the subcommand's name; empty: the program's options. End with options_free(), also after an error. */
enum status options_parse(struct cmd_options *o, option_set allowed, int argc, char **argv,
			  struct error *e);
/* The first operand begins a command with options of its own, which *command is then. */
enum status options_parse_command(struct cmd_options *o, option_set allowed, char **argv,
				  char ***command, struct error *e);
void options_free(struct cmd_options *o);

/* One option as help and man page show it. */
struct app_word option_text(enum option_id id);

#endif
