/*
 * What a trace of component tasks holds (formats/daisen.md), for those who know the kind.
 *
 * A task lived at a component from one tick to another, in picoseconds; a row is its place in the
 * file. A reader appends tasks in the order of the file; the trace publishes them again and again as
 * a struct task_columns: the tasks so far, and permutations of them in the orders that queries need.
 * Columns are either in memory or mapped from the cache file: 40 bytes a task, 16 a mark. What was
 * published stays true, but for parents, which follow their children in the file, and for ends of
 * tasks that run while a stream is read: they reach as far as the trace does. Parents come to an
 * end, whatever a file says: a ring of them is cut at one of its tasks, which becomes an orphan.
 *
 * A caller holds the lock for reading while it looks at columns or names. Text (names, whats) is
 * the trace's (hostile) and lives as long as the trace; ids stay in the file and are fetched.
 */
#ifndef PIPEGLASS_TASKS_TASKS_H
#define PIPEGLASS_TASKS_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sbuf.h"
#include "base/vec.h"
#include "trace/trace.h"

/* What stands for the row of a parent. */
#define TASK_NONE UINT32_MAX         /* it has none */
#define TASK_ORPHAN (UINT32_MAX - 1) /* it names one that is not in the file */

/* What a task is: one of few, so that a filter by component, kind or what costs few matches. */
struct task_slot {
	uint32_t component, kind, what; /* numbers of their names */
	uint32_t pair; /* of kind and what: one number wherever it is, in the order of first sight */
};

/* A milestone, the moment at which what held a task up was over; or a tag. */
struct task_mark {
	int64_t tick;
	uint32_t task;
	uint32_t label; /* its number in labels */
};

struct task_label {
	const char *kind;  /* "hardware_resource"; of a tag "" */
	const char *what;  /* "L2Cache[3].MSHR" */
	const char *where; /* "" : the task's component */
	bool tag;
};

/* Published tasks. All but counts are arrays; orders are permutations of rows. */
struct task_columns {
	uint32_t count;
	const int64_t *start, *end; /* of each row: [start, end), end >= start */
	const uint32_t *parent;     /* row, TASK_NONE or TASK_ORPHAN */
	const uint32_t *slot;
	const uint32_t *by_start;     /* by start, then row */
	const uint32_t *by_component; /* by component, then start, then row */
	const uint32_t *by_parent;    /* by parent, then start, then row; TASK_ORPHAN, TASK_NONE last */
	uint32_t component_count;
	const uint32_t *component_from;  /* in by_component; component_count + 1 of them */
	const int64_t *component_longest; /* the longest life at each */
	uint32_t mark_count;
	const struct task_mark *marks; /* by task, then tick; some lie before their task, or behind it */
	const uint32_t *marks_to;      /* in marks, of each row: where its own end */
	int64_t first, last; /* ticks that tasks touch, inclusive; last < first: none */
};

/* A stretch of time in which the simulator wrote tasks. */
struct task_window {
	int64_t start, end;
};

/* Other tables of the file, where they are there: rows of texts. */
struct task_property {
	const char *name, *value; /* exec_info */
};

struct task_figure { /* mgpusim_metrics */
	const char *where, *what, *unit;
	double value;
};

struct task_spec { /* component_spec */
	const char *name, *type, *spec; /* spec: JSON text, or "" */
};

struct task_port {
	const char *component, *port, *connection; /* connection "": unplugged */
};

/* From open on tables may grow until the trace is complete: hold the lock. */
struct task_tables {
	VEC(struct task_slot) slots;
	VEC(struct task_label) labels;
	VEC(struct task_window) windows;   /* none: not known, all was traced */
	VEC(struct task_property) properties;
	VEC(struct task_figure) figures;
	VEC(struct task_spec) specs;
	VEC(struct task_port) ports;
};

/* Both out until tasks_unlock(); never NULL. From any thread. */
const struct task_columns *tasks_lock(const struct trace *t);
void tasks_unlock(const struct trace *t);

/* Under the lock. */
const struct task_tables *tasks_tables(const struct trace *t);
const char *tasks_component(const struct trace *t, uint32_t component);
const char *tasks_kind(const struct trace *t, uint32_t kind);
const char *tasks_what(const struct trace *t, uint32_t what);
/* The number of a component, kind or what; UINT32_MAX: there is none of that name. O(length). */
uint32_t tasks_component_find(const struct trace *t, const char *name);
uint32_t tasks_kind_find(const struct trace *t, const char *name);

/* Does a task meet [from, to)? One that takes no time is there at its tick. */
static inline bool task_is_there(const struct task_columns *c, uint32_t row, int64_t from, int64_t to)
{
	return c->start[row] < to && (c->end[row] > from || c->start[row] >= from);
}

/* Children of a row, or of TASK_ORPHAN or TASK_NONE: c->by_parent[*from .. *to). O(log n). */
void tasks_children(const struct task_columns *c, uint32_t row, uint32_t *from, uint32_t *to);
/*
 * Those of a component that may overlap [from, to): c->by_component[*begin .. *end), with few that
 * do not: the caller compares their ends. O(log n).
 */
void tasks_overlapping(const struct task_columns *c, uint32_t component, int64_t from, int64_t to,
		       uint32_t *begin, uint32_t *end);
/* Marks of a row: c->marks[*from .. *to). O(log n). */
void tasks_marks(const struct task_columns *c, uint32_t row, uint32_t *from, uint32_t *to);

/* Without the lock: the file is read. The id of a row as the file has it; false: it is gone. */
bool tasks_id(struct trace *t, uint32_t row, struct sbuf *out);
/* The row of an id; TASK_NONE: there is none. An index of the file, or all of it is read. */
uint32_t tasks_find_id(struct trace *t, const char *id);

#endif
