/*
 * What tasks are drawn as: each pair of a kind and a what has a letter and a colour, given in the
 * order in which the pairs come in the file. Both are locked: neither zoom nor what is on the
 * screen changes them, and a trace that grows only adds some.
 */
#ifndef PIPEGLASS_VIEW_TASKS_KEYS_H
#define PIPEGLASS_VIEW_TASKS_KEYS_H

#include "tasks/tasks.h"
#include "view/palette.h"

enum { KEY_NONE = UINT32_MAX, KEY_SHARED = '*' };

struct task_key {
	uint32_t kind, what;
	char letter; /* a capital or a digit, of one pair alone; KEY_SHARED: none was left */
	enum role role;
};

struct task_keys {
	const struct trace *trace;
	VEC(struct task_key) keys; /* by pair */
	size_t slots;              /* looked at */
	bool used[128];            /* letters */
	struct intern *reasons; /* kinds of milestones, for their colours */
};

void keys_init(struct task_keys *k, const struct trace *t);
void keys_free(struct task_keys *k);
/* Take note of the slots that the trace has by now. Under the lock. O(new ones). */
void keys_extend(struct task_keys *k);
/* The pair of a task. */
uint32_t keys_of(const struct task_keys *k, const struct task_columns *c, uint32_t row);
/* A pair by how it is told, or KEY_NONE. */
uint32_t keys_find(const struct task_keys *k, const char *name);
/* "req_in ReadReq", a name that says the same twice once; appends what the trace has, harmless. */
void keys_name(const struct trace *t, const struct task_key *key, struct sbuf *out);
/* What a milestone of a kind ended is told by this colour. */
enum role keys_reason(struct task_keys *k, const char *kind);
/* Did a task wait until such a milestone? Work is none. */
bool keys_waits(const struct task_label *label);

#endif
