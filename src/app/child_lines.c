#include "config.h"

#include "app/child_lines.h"

#include <string.h>

#include "app/child.h"

static void drop_half(struct child_lines *l)
{
	size_t gone = l->starts.count / 2, bytes;

	while (gone < l->starts.count - 1 && l->starts.data[gone] < l->text.count / 2)
		gone++;
	if (!gone)
		return;
	bytes = l->starts.data[gone];
	memmove(l->text.data, l->text.data + bytes, l->text.count - bytes);
	l->text.count -= bytes;
	l->starts.count -= gone;
	for (size_t i = 0; i < l->starts.count; i++)
		l->starts.data[i] = l->starts.data[i + gone] - bytes;
	l->first += gone;
}

static void begin_line(struct child_lines *l)
{
	if (l->starts.count >= SAID_LINES || l->text.count + SAID_LINE > SAID_BYTES)
		drop_half(l);
	l->open = vec_push(&l->starts, l->text.count);
}

static size_t last_start(const struct child_lines *l)
{
	return l->starts.data[l->starts.count - 1];
}

static void add_byte(struct child_lines *l, char byte)
{
	if (l->returned && byte != '\n' && l->open)
		l->text.count = last_start(l);
	l->returned = byte == '\r';
	if (l->returned)
		return;
	if (!l->open)
		begin_line(l);
	if (!l->open)
		return; /* no memory: it is not worth the trace */
	if (byte != '\n' && l->text.count - last_start(l) < SAID_LINE && vec_push(&l->text, byte))
		return;
	l->open = false;
	if (byte != '\n')
		add_byte(l, byte);
}

void child_lines_add(struct child_lines *l, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		add_byte(l, bytes[i]);
}

void child_lines_range(const struct child_lines *l, uint64_t *first, uint64_t *end)
{
	*first = l->first;
	*end = l->first + l->starts.count;
}

bool child_lines_get(const struct child_lines *l, uint64_t number, struct sbuf *out)
{
	size_t i = (size_t)(number - l->first), end;

	if (number < l->first || i >= l->starts.count)
		return false;
	end = i + 1 < l->starts.count ? l->starts.data[i + 1] : l->text.count;
	sbuf_add(out, l->text.data + l->starts.data[i], end - l->starts.data[i]);
	return true;
}

void child_lines_free(struct child_lines *l)
{
	vec_free(&l->text);
	vec_free(&l->starts);
	*l = (struct child_lines){0};
}
