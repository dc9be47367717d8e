#include "config.h"

#include "view/pane_list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "trace/trace.h"

enum { KEY_COLUMNS = 12 };

static void clear(struct list_pane *list)
{
	for (size_t i = 0; i < list->count; i++)
		sbuf_free(&list->lines[i].line.text);
	list->count = 0;
	list->left_out = 0;
}

static const struct list_pane *list_of(const struct pane *p)
{
	struct list_pane *list = p->data;
	int width = p->columns > 0 ? p->columns : p->ops->width;

	if (list->write && list->width != width) {
		clear(list);
		list->width = width;
		list->write(list, width);
	}
	return list;
}

void list_pane_init(struct list_pane *p, const struct pane_ops *ops,
		    void (*write)(struct list_pane *p, int width))
{
	p->pane.ops = ops;
	p->pane.data = p;
	p->write = write;
}

struct list_pane *list_pane_new(const struct pane_ops *ops)
{
	static const struct pane_ops plain = {LIST_PANE};
	struct list_pane *p = xcalloc(1, sizeof(*p));

	list_pane_init(p, ops ? ops : &plain, NULL);
	return p;
}

struct pane_line *list_pane_add(struct list_pane *p, uint64_t item, int64_t tick)
{
	struct list_line *l;

	if (p->count == p->cap) {
		p->cap = p->cap ? 2 * p->cap : 32;
		p->lines = xreallocarray(p->lines, p->cap, sizeof(*p->lines));
	}
	if (p->count == LIST_MAX) {
		p->left_out++;
		l = &p->lines[p->count - 1];
		sbuf_clear(&l->line.text);
		l->line.span_count = 0;
		return &l->line;
	}
	l = &p->lines[p->count++];
	*l = (struct list_line){.item = item, .tick = tick};
	return &l->line;
}

struct pane_line *list_pane_key(struct list_pane *p, const char *key)
{
	const int room = text_width(key, strlen(key));
	struct pane_line *l = list_pane_add(p, ITEM_NONE, 0);

	pane_line_add(l, ROLE_DIM, "%s%*s", key,
		      room > KEY_COLUMNS ? 1 : KEY_COLUMNS + 1 - room, "");
	l->indent = room > KEY_COLUMNS ? room + 1 : KEY_COLUMNS + 1;
	return l;
}

void list_pane_heading(struct list_pane *p, const char *text)
{
	if (p->count)
		list_pane_add(p, ITEM_NONE, 0);
	pane_line_add(list_pane_add(p, ITEM_NONE, 0), ROLE_BORDER, "%s", text);
}

void list_pane_signs(struct list_pane *p, const struct pane_sign *signs, size_t count, int columns)
{
	for (const struct pane_sign *s = signs; s < signs + count; s++) {
		const int blanks = s->sample ? columns - text_width(s->sample, strlen(s->sample)) : 0;
		struct pane_line *line = s->sample ? list_pane_add(p, ITEM_NONE, 0) : NULL;

		if (!line) {
			list_pane_heading(p, s->help);
			continue;
		}
		pane_line_add(line, s->role, "%s", s->sample);
		pane_line_add(line, ROLE_PANE, "%*s%s", blanks > 0 ? blanks : 1, "", s->help);
	}
}

void list_pane_title(const struct pane *p, struct sbuf *out)
{
	sbuf_puts(out, list_of(p)->title);
}

size_t list_pane_count(const struct pane *p)
{
	return list_of(p)->count;
}

void list_pane_line(const struct pane *p, size_t i, struct pane_line *out)
{
	const struct list_pane *list = list_of(p);
	const struct pane_line *l = &list->lines[i].line;

	if (list->left_out && i + 1 == list->count) {
		pane_line_add(out, ROLE_DIM, "... and %" PRIu64 " lines more", list->left_out + 1);
		return;
	}
	sbuf_add(&out->text, sbuf_text(&l->text), l->text.len);
	memcpy(out->spans, l->spans, sizeof(out->spans));
	out->span_count = l->span_count;
	out->indent = l->indent;
	out->cut = l->cut;
}

bool list_pane_target(const struct pane *p, size_t i, struct place *to)
{
	const struct list_pane *list = list_of(p);

	if (i >= list->count || list->lines[i].item == ITEM_NONE)
		return false;
	*to = (struct place){.item = list->lines[i].item, .tick = list->lines[i].tick};
	return true;
}

void list_pane_free(struct pane *p)
{
	struct list_pane *list = p->data;

	clear(list);
	free(list->lines);
	free(list);
}
