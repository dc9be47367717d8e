/*
 * The model of caches that --caches names.
 */
#ifndef PIPEGLASS_CMD_MEMORY_MODEL_H
#define PIPEGLASS_CMD_MEMORY_MODEL_H

#include "base/sbuf.h"
#include "base/status.h"
#include "simulator/simulator.h"

/*
 * A preset's name, or else a file's; NULL: the default preset. text gets what sim_machine_read() reads
 * the same from. Errors are "MODEL:LINE: what, and what to do"; STATUS_USAGE: neither is there.
 */
enum status memory_model_open(struct sim_machine *m, struct sbuf *text, const char *name,
			      struct error *e);

#endif
