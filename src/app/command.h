/*
 * Commands: one table row each, from which come the parser, completion, the help pane, the
 * man page and the shell completions.
 *
 * A line is a command name of one or two words (any unambiguous beginning will do), then its
 * arguments; ` ; ` separates commands. Words may be quoted with ' or ". Arguments that take
 * the rest of the line (regular expressions, command lines, values) are taken as they stand.
 * Parsing costs one pass over the table (about 120 rows).
 */
#ifndef PIPEGLASS_APP_COMMAND_H
#define PIPEGLASS_APP_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sbuf.h"
#include "base/status.h"

struct app;
struct call;
struct trace_settings;

/* argument, how it is written in usage, how it is read, help */
#define ARG_INFO(_)                                                                                \
	_(NUMBER, "N", PLAIN, "a number: 12000, 12_000, 12k, 0x2ee0")                              \
	_(CYCLE, "CYCLE", PLAIN, "a cycle; +N and -N count from the cursor")                       \
	_(PLACE, "PLACE", PLAIN,                                                                   \
	  "12000 (cycle), +N, -N, 50%, 0x400500 (pc), #71 (instruction), 'a (mark)")               \
	_(PC, "PC", WORD, "an address in hexadecimal")                                             \
	_(MARK, "MARK", WORD, "a mark: a-z or 0-9; ' is the place before the last jump")           \
	_(STAGE, "STAGE", WORD, "a stage name")                                                    \
	_(STAGES, "STAGES", PLAIN,                                                                 \
	  "stages of fetch, dispatch, issue, result and commit, as in F,Sc,Is,-,Cm; -: none")      \
	_(EVENT, "EVENT", WORD, "an event name")                                                   \
	_(COMPONENT, "COMPONENT", WORD, "a component's name, or what several begin with up to a dot") \
	_(CAUSE, "CAUSE", WORD, "a cause, as the pane why names it: dcache")                      \
	_(WHATIF, "WHATIF", REST,                                                                  \
	  "causes that are gone, or NAME=VALUE: dcache,branch; window=128; latency(ld)=4")         \
	_(FATE, "FATE", CHOICE, "committed, squashed, dropped, lost, in-flight, unknown")          \
	_(KIND, "ROWS", CHOICE,                                                                    \
	  "squashed, dropped, lost, in-flight, micro-ops or all; only show takes all")             \
	_(METRIC, "METRIC", WORD,                                                                  \
	  "ipc, fetch, commit, squash, in-flight, occupancy, cpi0, why, why:CAUSE or a statistic of the trace")    \
	_(PANE, "PANE", WORD, "a pane name")                                                       \
	_(FILE, "FILE", WORD, "a file name")                                                       \
	_(FORMAT, "FORMAT", CHOICE,                                                                \
	  "text, ansi, html or svg; default: from the file name")                                  \
	_(OPTION, "OPTION", WORD, "an option name")                                                \
	_(SWITCH, "SWITCH", WORD, "an on/off option")                                              \
	_(VALUE, "VALUE", REST, "the option's new value")                                          \
	_(COLUMN, "COLUMN", CHOICE, "mark, row, seq, thread, pc or text")                          \
	_(TRACE, "TRACE", WORD, "a tab number, from 1, or a file name")                            \
	_(WAY, "WAY", CHOICE, "commit, cycle or start")                                            \
	_(LAYOUT, "LAYOUT", CHOICE, "stacked, interleaved or overlaid")                            \
	_(DIFFERENCES, "DIFFERENCES", CHOICE,                                                      \
	  "all, only-a, only-b, code, cycles, life, events or stages; separate several by commas") \
	_(ADDRESS, "ADDRESS", WORD, "an address in hexadecimal")                                   \
	_(STALLS_BY, "EACH", CHOICE, "pc, function or line")                                       \
	_(LENGTH, "LENGTH", WORD, "a number of pipeline segments: 6; +N and -N change it")         \
	_(RATIO, "RATIO", WORD, "a number: 2, 2/3, 0.25")                                          \
	_(SHOWN, "SHOWN", CHOICE, "off, raw, r1, r2 or r3")                                        \
	_(REDUCE_BY, "FROM", CHOICE, "operands or links")                                          \
	_(MACHINE, "MACHINE", WORD, "a built-in machine or a machine file")                        \
	_(KEYMAP, "KEYMAP", CHOICE, "default, vi, less or konata")                                 \
	_(MODE, "MODE", CHOICE, "main, resource, overview, tasks, network, blocks, lists, pane, reduce, cpi0 or prompt")                    \
	_(KEYS, "KEYS", RAW, "keys: gg, <C-x>s, <PageDown>, m<Any>")                               \
	_(TYPED, "TYPED", ALL, "a sequence of keys, with blanks: /add<Enter>nn")                   \
	_(COMMAND, "COMMAND", ALL, "a command line")                                               \
	_(REGEX, "REGEX", REST, "a regular expression; ignores case unless it has capitals")       \
	_(TEXT, "TEXT", REST, "text")                                                              \
	_(WORD, "NAME", WORD, "a name")                                                            \
	_(LETTER, "LETTER", WORD, "one character")                                                 \
	_(ROLE, "ROLE", WORD, "a role, as in keymaps/default.palette")                             \
	_(LOOK, "LOOK", REST, "DEPTH FG BG ATTRS, as in keymaps/default.palette")                  \
	_(EDIT, "EDIT", WORD, "an edit of the prompt's line: left, home, kill-end")                \
	_(PROMPT, "WHICH", CHOICE, "command, search, search-back or filter")                       \
	_(YANK, "WHAT", CHOICE, "rows, pc, text, cycle, screen or command")                        \
	_(TIME, "UNIT", CHOICE, "cycles or ticks")                                                 \
	_(COLOURS, "BY", CHOICE, "stage or thread")                                                \
	_(FACE, "FACE", CHOICE, "occupancy, temperature or causes")                                \
	_(ENDS, "ENDS", CHOICE, "all, coherence or replacement")                                   \
	_(ORDER, "ORDER", CHOICE, "cost, shared, hitm or address")                                 \
	_(LEVELS, "LEVELS", CHOICE, "auto or other")                                               \
	_(GROUP, "GROUP", CHOICE, "cache or class")                                                \
	_(RELATED, "RELATED", CHOICE, "all or related")                                            \
	_(SHAPE, "SHAPE", CHOICE, "list or map")

enum arg_type {
#define ARG_ENUM(name, usage, how, help) ARG_##name,
	ARG_INFO(ARG_ENUM)
#undef ARG_ENUM
	    ARG_TYPES
};

/*
 * WORD: quoted or not. RAW: to the next blank. REST, as the last argument: up to ` ; `, quoted
 * or not. PLAIN: so too, without quotes: 48 312 907 and '' are places. ALL: to the end. CHOICE: a
 * WORD, one of those that its help begins with.
 */
enum arg_how { HOW_WORD, HOW_CHOICE, HOW_RAW, HOW_REST, HOW_PLAIN, HOW_ALL };

enum { COMMAND_ARGS = 8 };

enum {
	CMD_TRACE = 1,   /* needs an open trace */
	CMD_UNSAFE = 2,  /* not when PIPEGLASS_SECURE=1 */
	CMD_JUMP = 4,    /* the place it starts from goes to the jump list */
	CMD_BESIDE = 8,  /* leaves a search under way alone; others end it */
	CMD_MOVES = 16,  /* goes somewhere: whoever follows a live trace stays there */
	CMD_PROMPT = 32, /* something has to be being typed */
	CMD_SETTING = 64, /* of what will be opened: also run where only_settings are */
	CMD_PANE = 128   /* of the pane that has the focus; else of the view */
};

struct command {
	const char *name;
	const char *args; /* "CYCLE", "[MARK] [MARK]": names of ARG_INFO, brackets: optional */
	const char *help;
	enum status (*run)(struct call *c, struct error *e);
	void (*act)(struct call *c); /* in its place, of one that cannot fail */
	unsigned flags;
	int arg; /* for run: commands that differ in a direction or a choice are one function */
};

struct call {
	struct app *app;
	struct trace_settings *settings; /* what CMD_SETTING changes */
	const struct command *command;
	int argc;
	const char *argv[COMMAND_ARGS];
	int64_t count;     /* typed before the key; -1: none */
	unsigned react;    /* out: what changed */
	struct sbuf words; /* storage of argv */
};

/* All rows, topic after topic; NULL beyond the last. */
const struct command *command_at(size_t i);
/* Title of the topic that row i opens; NULL when it goes on. */
const char *command_topic(size_t i);

/*
 * Parse the first command of line; *rest is what follows ` ; ` (or the end). STATUS_USAGE
 * for no such command, an ambiguous beginning, too few or too many arguments. Ends with
 * call_free().
 */
enum status command_parse(struct call *c, const char *line, const char **rest, struct error *e);
void call_free(struct call *c);

/* Check a whole line, as `bind` does. */
enum status command_check(const char *line, struct error *e);

/* What a trace must be of for the command to work in it; NULL: any will do. */
const char *command_items(const struct command *c);

/* i-th argument of args: its type, and whether it must be there. False: no such argument. */
bool command_arg(const struct command *c, int i, enum arg_type *type, bool *optional);
const char *arg_name(enum arg_type type);
const char *arg_help(enum arg_type type);
/* The i-th word of a choice, not ended; NULL: there are fewer. */
const char *arg_word(enum arg_type type, int i, size_t *len);

/* The command that line begins with and the offset of its arguments; NULL: none, e says why. */
const struct command *command_named(const char *line, size_t *args_at, struct error *e);

/* What to type at a prompt for a bound line: "goto cycle" for `ask command goto cycle`. */
const char *command_typed(const char *line);
/* What a bound line does in the end: `ask command goto cycle` goes to a cycle; and its arguments. */
const struct command *command_meant(const char *line, const char **args_at);

/* Second names and shorthands: {"q", "quit"}, {"/", "search"}; NULL names beyond the last. */
struct command_alias {
	const char *name, *command;
};
extern const struct command_alias command_aliases[];

/*
 * Which of the words of its type argument i is; left out: the one behind `now`, in turn.
 * STATUS_USAGE says what it can be.
 */
enum status call_choice(const struct call *c, int i, int now, int *out, struct error *e);

/* The number in argument i, else the count typed before the key, else def. */
enum status call_number(const struct call *c, int i, int64_t def, int64_t *out, struct error *e);

/* The same for counts of steps, which beyond COUNT_MAX mean no more than COUNT_MAX. */
enum { COUNT_MAX = 1000000000 };
enum status call_count(const struct call *c, int i, int64_t def, int64_t *out, struct error *e);

/* The tables, each ends with a row whose name is NULL. */
extern const struct command nav_commands[];
extern const struct command search_commands[];
extern const struct command find_commands[];
extern const struct command view_commands[];
extern const struct command resource_commands[];
extern const struct command overview_commands[];
extern const struct command block_commands[];
extern const struct command network_commands[];
extern const struct command compare_commands[];
extern const struct command row_compare_commands[];
extern const struct command pane_commands[];
extern const struct command file_commands[];
extern const struct command live_commands[];
extern const struct command config_commands[];
extern const struct command prompt_commands[];
extern const struct command rows_commands[];
extern const struct command links_commands[];
extern const struct command stalls_commands[];
extern const struct command reduce_commands[];
extern const struct command cpi0_commands[];
extern const struct command why_commands[];
extern const struct command task_commands[];

#endif
