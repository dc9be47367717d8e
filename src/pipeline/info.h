/*
 * What `info` says of instructions beside what it says of any trace: fields and lists for
 * struct trace_kind. Fixed cost but for the lists.
 */
#ifndef PIPEGLASS_PIPELINE_INFO_H
#define PIPEGLASS_PIPELINE_INFO_H

#include "trace/result.h"
#include "trace/trace.h"

extern const struct section pipeline_info_sections[];
void *pipeline_info_make(struct trace *t);

#endif
