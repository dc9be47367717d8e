/*
 * A line of `perf stat -x SEPARATOR`, as perf-stat(1) has it under CSV FORMAT and as perf 6.1
 * writes it:
 *
 *     [time,] [summary,] [CPU0, | S0-D0-C0,2, | N0,2, | command-pid,]
 *             value,unit,event[,cgroup][,deviation%],run time,percent[,metric,unit]
 *
 * time: of -I; where: of -A, --per-core, --per-socket, --per-node, --per-thread, with the CPUs that
 * are in it; value: or `<not counted>`, `<not supported>`; percent: of the time that the counter
 * was on. Further metrics of a counter are on lines of their own, whose other fields are empty.
 * Nothing is quoted: an event may have separators inside its slashes (cpu/event=0x3c,umask=0/).
 * Separators: `,`, `;`, `|`, `@`, tab. Percentages may have a decimal comma. O(line).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_CPI0_PERF_H
#define PIPEGLASS_ANALYSIS_PIPELINE_CPI0_PERF_H

#include <stdbool.h>

struct perf_line {
	const char *where;  /* when and where, as it was written; "": all of the run */
	const char *value;  /* a number, with its sign, or what begins with '<' */
	const char *event;  /* modifiers and all; "": a metric of the counter before */
	double running;     /* part of the time that the counter was on */
	bool interval;      /* it has a time */
};

/* False: it is something else. The fields are cut out of `line`, which *out points into. */
bool perf_line_cut(char *line, struct perf_line *out);

#endif
