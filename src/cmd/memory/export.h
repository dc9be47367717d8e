/* The formats of `pipeglass export` (cmd/export.h) for traces of shared memory. */
#ifndef PIPEGLASS_CMD_MEMORY_EXPORT_H
#define PIPEGLASS_CMD_MEMORY_EXPORT_H

#include "cmd/export.h"

extern const struct export_format export_memory_csv, export_memory_sqlite;

#endif
