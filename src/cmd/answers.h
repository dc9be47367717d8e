/*
 * Commands that are answered in one way: the trace is opened and asked (analysis/answer.h), and what it
 * says is written as JSON, CSV or text.
 */
#ifndef PIPEGLASS_CMD_ANSWERS_H
#define PIPEGLASS_CMD_ANSWERS_H

#include "analysis/answer.h"
#include "cmd/options.h"
#include "cmd/output.h"

/* A row of the table in cmds.c: an answer of one kind of trace, and what is special about it. */
struct cmd_answer {
	const struct answer *of;
	/* As text; NULL: its tables. */
	enum status (*text)(struct output *out, struct trace *t, const void *result,
			    const struct cmd_options *o, struct error *e);
	void (*note)(struct output *out, const char *file, const void *result); /* NULL: none */
	bool named; /* its JSON has the sections by their names, behind the first */
};

extern const struct cmd_answer cmd_answers[]; /* ends with of == NULL */

/*
 * Open the trace, ask it by the name of an answer, and write; warnings become a note. Errors as
 * open_trace() and open_need(); STATUS_USAGE: a regular expression is wrong.
 */
enum status answers_run(const char *name, const struct cmd_options *o, struct output *out,
			struct error *e);

/* All sections, of several no more rows than fit on a screen; and ranked sentences: for people. */
enum status answers_put_tables(struct output *out, const struct section *sections,
			       const void *result, const struct cmd_options *o, struct error *e);
enum status answers_put_hints(struct output *out, struct trace *t, const void *result,
			      const struct cmd_options *o, struct error *e);

#endif
