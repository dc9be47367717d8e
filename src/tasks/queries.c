#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bisect.h"
#include "tasks/tasks_private.h"

const struct task_columns *tasks_lock(const struct trace *t)
{
	lines_lock(t);
	return &tasks_of(t)->columns;
}

void tasks_unlock(const struct trace *t)
{
	lines_unlock(t);
}

const struct task_tables *tasks_tables(const struct trace *t)
{
	return &tasks_of(t)->tables;
}

/* ---- names ---- */

const char *tasks_component(const struct trace *t, uint32_t component)
{
	return intern_name(tasks_of(t)->components, (int32_t)component);
}

const char *tasks_kind(const struct trace *t, uint32_t kind)
{
	return intern_name(tasks_of(t)->kinds, (int32_t)kind);
}

const char *tasks_what(const struct trace *t, uint32_t what)
{
	return intern_name(tasks_of(t)->whats, (int32_t)what);
}

uint32_t tasks_component_find(const struct trace *t, const char *name)
{
	return (uint32_t)intern_find(tasks_of(t)->components, name, strlen(name));
}

uint32_t tasks_kind_find(const struct trace *t, const char *name)
{
	return (uint32_t)intern_find(tasks_of(t)->kinds, name, strlen(name));
}

/* ---- stretches of orders ---- */

void tasks_children(const struct task_columns *c, uint32_t row, uint32_t *from, uint32_t *to)
{
	size_t low = 0, high = c->count;

	/* orphans and roots have the greatest numbers: they come last by themselves */
	bisect(low, high, i, c->parent[c->by_parent[i]] < row);
	*from = (uint32_t)low;
	high = c->count;
	bisect(low, high, i, c->parent[c->by_parent[i]] <= row);
	*to = (uint32_t)low;
}

void tasks_overlapping(const struct task_columns *c, uint32_t component, int64_t from, int64_t to,
		       uint32_t *begin, uint32_t *end)
{
	size_t low = c->component_from[component], high = c->component_from[component + 1];
	int64_t earliest = tick_sub(from, c->component_longest[component]);

	bisect(low, high, i, c->start[c->by_component[i]] < earliest);
	*begin = (uint32_t)low;
	high = c->component_from[component + 1];
	bisect(low, high, i, c->start[c->by_component[i]] < to);
	*end = (uint32_t)low;
}

void tasks_marks(const struct task_columns *c, uint32_t row, uint32_t *from, uint32_t *to)
{
	*from = row ? c->marks_to[row - 1] : 0;
	*to = c->marks_to[row];
}

/* ---- ids: in the file ---- */

bool tasks_id(struct trace *t, uint32_t row, struct sbuf *out)
{
	return tasks_of(t)->reader->id(tasks_of(t), row, out);
}

uint32_t tasks_find_id(struct trace *t, const char *id)
{
	return tasks_of(t)->reader->find(tasks_of(t), id);
}

/* ---- what the reading thread makes ---- */

const char *task_keep(struct tasks *t, const char *p, size_t len)
{
	int32_t id = intern_add(t->texts, p, len);

	t->lines.failed |= id < 0;
	return id < 0 ? "" : intern_name(t->texts, id);
}

static uint32_t name(struct intern *of, struct task_text text)
{
	return (uint32_t)intern_add(of, text.p, text.len);
}

/* What is made of three texts, under the lock for writing; false: no memory. */
typedef bool make_fn(struct tasks *t, const struct task_text *texts, bool tag);

static bool new_slot(struct tasks *t, const struct task_text *texts, bool tag)
{
	const uint32_t component = name(t->components, texts[0]);
	const uint32_t pair[] = {name(t->kinds, texts[1]), name(t->whats, texts[2])};
	const int32_t number = intern_add(t->pairs, (const char *)pair, sizeof(pair));

	(void)tag;
	return component != UINT32_MAX && pair[0] != UINT32_MAX && pair[1] != UINT32_MAX &&
	       number >= 0 &&
	       vec_push(&t->tables.slots,
			((struct task_slot){component, pair[0], pair[1], (uint32_t)number}));
}

static bool new_label(struct tasks *t, const struct task_text *texts, bool tag)
{
	const struct task_label label = {task_keep(t, texts[0].p, texts[0].len),
					 task_keep(t, texts[1].p, texts[1].len),
					 task_keep(t, texts[2].p, texts[2].len), tag};

	return !t->lines.failed && vec_push(&t->tables.labels, label);
}

/* The number of three texts together, each with its length before it in the key. */
static uint32_t number(struct tasks *t, struct intern *keys, const struct task_text *texts, bool tag,
		       make_fn *make)
{
	int32_t found;

	sbuf_clear(&t->key);
	for (size_t i = 0; i < 3; i++) {
		sbuf_add(&t->key, &texts[i].len, sizeof(texts[i].len));
		sbuf_add(&t->key, texts[i].p, texts[i].len);
	}
	sbuf_putc(&t->key, tag ? 't' : 'm');
	if (t->key.failed)
		return UINT32_MAX;
	found = intern_find(keys, t->key.text, t->key.len);
	if (found >= 0)
		return (uint32_t)found;
	pthread_rwlock_wrlock(&t->lines.lock);
	if (make(t, texts, tag))
		found = intern_add(keys, t->key.text, t->key.len);
	pthread_rwlock_unlock(&t->lines.lock);
	return (uint32_t)found;
}

uint32_t task_slot(struct tasks *t, struct task_text component, struct task_text kind,
		   struct task_text what)
{
	const struct task_text texts[] = {component, kind, what};

	return number(t, t->slot_keys, texts, false, new_slot);
}

uint32_t task_label(struct tasks *t, struct task_text kind, struct task_text what,
		    struct task_text where, bool tag)
{
	const struct task_text texts[] = {kind, what, where};

	return number(t, t->label_keys, texts, tag, new_label);
}

void task_warn(struct tasks *t, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pthread_rwlock_wrlock(&t->lines.lock);
	t->lines.line = t->at_line;
	t->lines.offset = t->at_offset;
	lines_warn(&t->lines, t->lines.warnings.count < TRACE_WARNINGS
				  ? task_keep(t, text, strlen(text))
				  : "");
	pthread_rwlock_unlock(&t->lines.lock);
}
