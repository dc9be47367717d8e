/*
 * A line of `perf stat -x SEPARATOR`, as perf-stat(1) has it under CSV FORMAT and as perf 6.1
 * writes it:
 *
 *     [time,] [summary,] [CPU0, | S0-D0-C0,2, | N0,2, | command-pid,]
 *             value,unit,event[,cgroup][,deviation%],run time,percent[,metric,unit]
 *
 * time: of -I; place: of -A, --per-core, --per-socket, --per-node, --per-thread, some of them with
 * the number of CPUs that are in it; value: or `<not counted>`, `<not supported>`; percent: of the
 * time that the counter was on. Further metrics of a counter are on lines of their own, whose other
 * fields are empty. Nothing is quoted: an event may have separators inside its slashes
 * (cpu/event=0x3c,umask=0/). Separators: `,`, `;`, `|`, `@`, tab. The decimal point may be a comma.
 * O(line).
 */
#ifndef PIPEGLASS_BASE_PERF_LINE_H
#define PIPEGLASS_BASE_PERF_LINE_H

#include <stdbool.h>
#include <stdint.h>

enum { PERF_NO_TIME = -1 };

struct perf_line {
	int64_t time;      /* the end of the interval, in ns since the start; or PERF_NO_TIME */
	const char *place; /* CPU0, S0-D0-C0, command-pid; "": all of them */
	const char
	    *value;       /* a number, with its sign and a decimal point, or what begins with '<' */
	const char *unit; /* msec, Joules, MiB; "": it is a count */
	const char *event; /* modifiers and all; "": a metric of the counter before */
	double running;    /* part of the time that the counter was on: below 1 it is an estimate */
	bool summary;      /* it sums up intervals, and says so; without -I there is none */
};

/* False: it is something else. The fields are cut out of `line`, which *out points into. */
bool perf_line_cut(char *line, struct perf_line *out);

/* It begins what perf writes without -x, or as JSON: one should ask for `perf stat -x,`. */
bool perf_line_is_for_people(const char *line);

#endif
