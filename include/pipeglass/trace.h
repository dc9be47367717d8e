/*
 * libpgtrace: a simulator writes what its components do as tasks, and pipeglass shows them, also
 * while they are written.
 *
 *     struct pgtrace *t = pgtrace_open("run.pgtrace", 1000);          a tick is 1000 ps
 *     pgtrace_task load = pgtrace_start(t, now, 0, "CU[0]", "inst", "load");
 *     pgtrace_task miss = pgtrace_start(t, now, load, "L1[0]", "read", "miss");
 *     pgtrace_mark(t, now + 20, miss, "hardware_resource", "MSHR");   it waited for one until then
 *     pgtrace_end(t, now + 90, miss);
 *     pgtrace_end(t, now + 91, load);
 *     pgtrace_sample(t, now, "L1[0]", "mshrs", 3);
 *     pgtrace_close(t);                                               cc ... -lpgtrace
 *
 * C11 and its library alone. All calls of one trace belong to one thread, or to a lock of yours. A
 * trace that is NULL is none: all calls do nothing, so a simulator that was not asked for a trace
 * pays for a comparison. Texts are copied once each, at most 4000 bytes a call; a call costs some
 * 150 ns, a task some 15 to 20 bytes. Ticks may go back. What fails (a full disk, a pipe that nobody reads) ends the
 * writing, and pgtrace_close() says it.
 *
 * Crashes: records reach the file whole, all of them in exit(), otherwise no later than those of
 * the first call that comes a tenth of a second after them, or when 64 KiB are full. A process
 * that is killed leaves a trace that ends there; tasks that did not end are shown up to its last tick.
 *
 * The stream is text, a record a line, fields behind the first character with a blank between:
 *
 *     pgtrace 1 PS            the first line: a tick is so many picoseconds
 *     =TEXT                   a text gets the next number, from 0; a tab is between its parts
 *     +DT N [BACK]            a task starts; its number is the next one, from 1
 *     -DT BACK                a task ends
 *     !DT BACK N              a mark of a task: kind, what
 *     ~DT BACK FROM N         a task waited for the task FROM: kind
 *     *DT N VALUE             a sample: where, metric
 *
 * DT is the tick less that of the record before (or 0), BACK and FROM are how many tasks were
 * started after the one that is meant (of a +, before this one: its parent), N is the number of the
 * text that says: where, kind, what (of a +) and what stands above. Numbers are decimal and may
 * be negative.
 */
#ifndef PIPEGLASS_TRACE_H
#define PIPEGLASS_TRACE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pgtrace;
typedef uint64_t pgtrace_task; /* 0: none */

/*
 * Make a file, or write to what is there: a pipe, /dev/fd/3. picoseconds: of a tick, 1 to 10^12.
 * NULL: it cannot be (errno).
 */
struct pgtrace *pgtrace_open(const char *path, int64_t picoseconds);

/* A task starts at a component: "GPU[1].CU[3]", "req_in", "ReadReq". parent: 0: it has none. */
pgtrace_task pgtrace_start(struct pgtrace *t, int64_t tick, pgtrace_task parent, const char *where,
			   const char *kind, const char *what);
/* It is over; once for each task, at no tick before its start. */
void pgtrace_end(struct pgtrace *t, int64_t tick, pgtrace_task task);

/* What the task waited for is there: a kind and what it was. Kind "": a tag, of any meaning. */
void pgtrace_mark(struct pgtrace *t, int64_t tick, pgtrace_task task, const char *kind,
		  const char *what);
/* The task waited until now for another one: "data", "order". */
void pgtrace_link(struct pgtrace *t, int64_t tick, pgtrace_task task, pgtrace_task from,
		  const char *kind);
/* From now on the level of a metric of a component is this: "L1[0]", "mshrs". */
void pgtrace_sample(struct pgtrace *t, int64_t tick, const char *where, const char *metric,
		    double value);

/* 0, or the errno of what went wrong first. t is gone in any case. */
int pgtrace_close(struct pgtrace *t);

#ifdef __cplusplus
}
#endif

#endif
