/*
 * What `cpi0` found: a machine, and for each input its mix and diagnosis.
 */
#ifndef PIPEGLASS_CMD_PIPELINE_CPI0_H
#define PIPEGLASS_CMD_PIPELINE_CPI0_H

#include "analysis/pipeline/cpi0_diagnosis.h"
#include "analysis/pipeline/cpi0_files.h"
#include "cmd/options.h"
#include "cmd/output.h"

struct cpi0_run {
	const char *input; /* as it was given */
	struct cpi0_diagnosis d;
	bool trace;
	enum isa isa; /* of a trace */
};

struct cpi0_answer {
	struct machine machine;
	struct cpi0_mapping mapping;
	struct cpi0_run *runs;
	size_t count;
	bool wide; /* all runs in one table, whatever its width */
};

/* `--machine list` */
enum status cpi0_machines(const struct cmd_options *o, struct output *out, struct error *e);

void cpi0_json(const struct cpi0_answer *a, struct output *out);
void cpi0_text(const struct cpi0_answer *a, struct output *out);
/* Of several runs: a column each, as the paper's tables 2 to 6. */
void cpi0_table(const struct cpi0_answer *a, struct output *out);
/* "branch-rate   ok         0.0000  " */
void cpi0_text_flag(const struct cpi0_flag *f, struct sbuf *out);

#endif
