/*
 * What is in files of their own of `cpi0`: the list of machines that it knows.
 */
#ifndef PIPEGLASS_CMD_PIPELINE_CPI0_H
#define PIPEGLASS_CMD_PIPELINE_CPI0_H

#include "cmd/options.h"
#include "cmd/output.h"

/* `--machine list` */
enum status cpi0_machines(const struct cmd_options *o, struct output *out, struct error *e);

#endif
