/*
 * What a processor could do at best: how many instructions a cycle it dispatches, and the queues
 * they go to. A text file, one fact a line, `#` begins a comment:
 *
 *     machine r10000               # a name of its own
 *     dispatch 4                   # instructions a cycle (mu): 4, 1.5, 3/2
 *     in-flight 32 queued          # K: instructions in queues; without `queued`: from dispatch
 *                                  # until they retire, in order (a reorder buffer)
 *     queue f                      # a name (b: it takes branches); then of this queue:
 *         capacity 16              # entries; without it only K bounds it
 *         rate 2                   # graduations a cycle, whatever they are
 *         unit adder 1 fp-add fp-other      # or one class a unit: name, how many, classes
 *         unit multiplier 1 fp-multiply fp-divide
 *         takes fp-add             # classes, where there are no units
 *         latency 2                # cycles from dispatch until it can retire (1)
 *
 * Classes are those of isa.h, blanks as `-`. Those that no queue takes use a dispatch slot and
 * nothing else, as the paper has it for branches. There are at most MACHINE_QUEUES queues, and in
 * each MACHINE_UNITS kinds of units. Cost: O(text).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_MACHINE_H
#define PIPEGLASS_ANALYSIS_PIPELINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/pipeline/reduce_pipeline.h"
#include "base/status.h"
#include "isa/isa.h"

enum {
	MACHINE_QUEUES = 8,
	MACHINE_UNITS = 8,   /* of a queue */
	MACHINE_NAME = 24,   /* bytes, with the NUL */
	MACHINE_WORDS = 24,  /* of a line */
	MACHINE_MOST = 4096, /* of anything that is counted; terms of rates too */
	MACHINE_NO_QUEUE = -1
};

struct machine_unit {
	char name[MACHINE_NAME];
	int count;
	class_set classes;
};

struct machine_queue {
	char name[MACHINE_NAME];
	int capacity;         /* at most K */
	struct fraction rate; /* den 0: what the units allow */
	int latency;
	class_set classes; /* all that it takes */
	struct machine_unit units[MACHINE_UNITS];
	int unit_count;
};

struct machine {
	char name[MACHINE_NAME];
	struct fraction dispatch;
	int in_flight;
	bool queued; /* in flight means in a queue; else dispatched and not retired */
	struct machine_queue queues[MACHINE_QUEUES];
	int queue_count;
	int8_t queue_of[OP_CLASS_COUNT]; /* or MACHINE_NO_QUEUE */
};

/* What lines begin with: id, word, what follows it, how many words, of a queue, what they say */
#define MACHINE_LINES_INFO(_)                                                                      \
	_(machine, "machine", "NAME", 1, 1, false, "a name of its own")                            \
	_(dispatch, "dispatch", "RATE", 1, 1, false, "instructions per cycle: 4, 1.5, 3/2")          \
	_(in_flight, "in-flight", "NUMBER [queued]", 1, 2, false,                                  \
	  "instructions from dispatch until they retire, in order (a reorder buffer); queued: "    \
	  "only those in queues")                                                                  \
	_(queue, "queue", "NAME", 1, 1, false, "a queue; the lines up to the next queue describe it") \
	_(capacity, "capacity", "NUMBER", 1, 1, true, "its entries (default: the in-flight limit)")    \
	_(rate, "rate", "RATE", 1, 1, true, "instructions that leave it per cycle")               \
	_(latency, "latency", "CYCLES", 1, 1, true, "from dispatch until one can retire (default: 1)")      \
	_(takes, "takes", "CLASS...", 1, MACHINE_WORDS, true, "what it takes, where it has no units") \
	_(unit, "unit", "NAME COUNT CLASS...", 3, MACHINE_WORDS, true,                             \
	  "units of a kind, one instruction per cycle each, and what they take")

struct machine_line {
	const char *word, *form, *help;
};

enum {
#define MACHINE_LINE_ENUM(id, word, form, least, most, of_queue, help) MACHINE_LINE_##id,
	MACHINE_LINES_INFO(MACHINE_LINE_ENUM)
#undef MACHINE_LINE_ENUM
	    MACHINE_LINES
};

extern const struct machine_line machine_lines[MACHINE_LINES];

/* Error (STATUS_INPUT): "LINE: what is wrong there". *out is whole only when it succeeds. */
enum status machine_read(struct machine *out, const char *text, size_t len, struct error *e);

/* By its name, or by its first letter: then the first queue that has it. MACHINE_NO_QUEUE: none. */
int machine_queue_find(const struct machine *m, const char *name, size_t len);

/* A class as it is typed: blanks as '-'. OP_CLASS_COUNT: none of that name. */
enum op_class machine_class(const char *name, size_t len);

/* The most that can leave queue q in a cycle, when the mix suits it. */
double machine_rate(const struct machine *m, int q);

#endif
