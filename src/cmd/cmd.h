/*
 * Batch subcommands: one file and one table row each; results -> text or JSON on stdout.
 *
 * Exit status and the shape of every JSON object are DESIGN.md 8's, which is the contract
 * with whoever scripts pipeglass. A subcommand gets its parsed options, opens what it needs,
 * writes to its output and returns a status; main reports the error in one line, sanitised.
 * An error without text is one that nobody should hear of: the reader of a pipe went away.
 * main ignores SIGPIPE, so that a closed pipe arrives here as an error.
 */
#ifndef PIPEGLASS_CMD_CMD_H
#define PIPEGLASS_CMD_CMD_H

#include <stdint.h>
#include <stdio.h>

#include "base/sbuf.h"
#include "base/status.h"
#include "cmd/options.h"
#include "cmd/output.h"

#define COMMAND_WORDS (SIZE_MAX - 1)
#define COMMAND_LINE (SIZE_MAX - 2)

struct cmd {
	const char *name;
	const char *operands; /* "FILE" */
	const char *help;     /* one line */
	option_set options;   /* set of OPT() */
	option_set needed;    /* those of them that must be given */
	size_t files;         /* most operands it takes, at least 1; none need be there if [...];
				 COMMAND_WORDS: a command, options of its own included, behind which is NULL;
				 COMMAND_LINE: the same, and all of it: only --help alone is ours */
	/* NULL: what answers have its name (answers.h) */
	enum status (*run)(const struct cmd_options *o, struct output *out, struct error *e);
	const char *listed; /* heading of words that it speaks in, for help and man page; or NULL */
	const struct app_word *words; /* ends with name == NULL */
};

extern const struct cmd cmds[]; /* ends with name == NULL */

const struct cmd *cmd_find(const char *name);

/*
 * Parse argv (argv[0] is the name) and run. Notes and warnings go to stderr, sanitised. *code: how a
 * program that it ran has ended, for the exit status; else 0.
 */
enum status cmd_run(const struct cmd *c, int argc, char **argv, FILE *out, int *code,
		    struct error *e);

/* The same with options that are parsed. */
enum status cmd_do(const struct cmd *c, const struct cmd_options *o, FILE *out, int *code,
		   struct error *e);

/*
 * Shows the trace that a command writes while it runs, until the user leaves. main sets it, which has
 * the terminal; NULL: there is none.
 */
struct child_options;
extern enum status (*cmd_show)(const struct child_options *child, int *code, struct error *e);

/* "pipeglass rows [--from TICK] ... FILE" */
void cmd_usage(const struct cmd *c, struct sbuf *out);
/* Usage, what it does, and its options: what `pipeglass NAME --help` shows. */
void cmd_help(const struct cmd *c, struct sbuf *out);
/* A line for each option of a set. */
void cmd_options_help(option_set set, struct sbuf *out);
/* The same of all of them as roff, for the section SUBCOMMANDS of the man page. */
void cmd_man(struct sbuf *out);

/* The subcommands, one file each. */
enum status cmd_info(const struct cmd_options *o, struct output *out, struct error *e);
enum status cmd_index(const struct cmd_options *o, struct output *out, struct error *e);
enum status cmd_rows(const struct cmd_options *o, struct output *out, struct error *e);
enum status cmd_series(const struct cmd_options *o, struct output *out, struct error *e);
enum status cmd_stalls(const struct cmd_options *o, struct output *out, struct error *e);
enum status cmd_export(const struct cmd_options *o, struct output *out, struct error *e);
enum status cmd_compare(const struct cmd_options *o, struct output *out, struct error *e);
enum status cmd_reduce(const struct cmd_options *o, struct output *out, struct error *e);
enum status cmd_depth(const struct cmd_options *o, struct output *out, struct error *e);
enum status cmd_cpi0(const struct cmd_options *o, struct output *out, struct error *e);
extern const struct app_word cmd_why_causes[];
enum status cmd_why(const struct cmd_options *o, struct output *out, struct error *e);
enum status cmd_sharing(const struct cmd_options *o, struct output *out, struct error *e);
enum status cmd_record(const struct cmd_options *o, struct output *out, struct error *e);
enum status cmd_simulate(const struct cmd_options *o, struct output *out, struct error *e);
enum status cmd_cc(const struct cmd_options *o, struct output *out, struct error *e);
enum status cmd_cxx(const struct cmd_options *o, struct output *out, struct error *e);
enum status cmd_screen(const struct cmd_options *o, struct output *out, struct error *e);

#endif
