#include "config.h"

#include "view/overview_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics.h"
#include "base/intern.h"
#include "base/text.h"
#include "base/xalloc.h"

enum {
	PART_END = '\1', /* in place of a dot: before all that a name holds, so that a tree is in order */
	AUTO_NODES = 64, /* more are folded to AUTO_LEVELS, before the user folds */
	AUTO_LEVELS = 2
};

void tree_init(struct component_tree *t)
{
	*t = (struct component_tree){.node = TREE_NONE};
}

/* ---- building ---- */

static char *sort_key(const char *name)
{
	char *key = xstrdup(name), *dot = key;

	for (int depth = 1; depth < TREE_DEPTH && (dot = strchr(dot, '.')); depth++)
		*dot++ = PART_END;
	return key;
}

static int in_natural_order(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* Nodes that a name has in common with the one before it, on whose path they are, are there already. */
static void add_name(struct component_tree *t, const char *name, size_t path[TREE_DEPTH])
{
	size_t len = strcspn(name, "\1"), parent = TREE_NONE;

	for (int depth = 0;; depth++) {
		const char *known = path[depth] == TREE_NONE ? NULL : t->nodes.data[path[depth]].name;

		if (!known || strncmp(known, name, len) != 0 || known[len]) {
			struct tree_node node = {
			    .name = xstrndup(name, len), .parent = parent, .key = NAN};

			if (!vec_push(&t->nodes, node))
				abort(); /* as xcalloc() */
			path[depth] = t->nodes.count - 1;
		}
		parent = path[depth];
		if (!name[len] || depth + 1 == TREE_DEPTH)
			break;
		len += 1 + strcspn(name + len + 1, "\1");
	}
	t->nodes.data[parent].component = true;
}

/* It stands only for one other node. */
static bool is_chain(const struct component_tree *t, size_t i)
{
	const struct tree_node *n = &t->nodes.data[i];

	return !n->component && i + 1 < n->end && t->nodes.data[i + 1].end == n->end;
}

/* What is below each, from the last node to the first. */
static void sum_up(struct component_tree *t)
{
	for (size_t i = t->nodes.count; i-- > 0;) {
		struct tree_node *n = &t->nodes.data[i], *p;

		n->end = n->end ? n->end : i + 1;
		n->components += n->component;
		if (n->parent == TREE_NONE)
			continue;
		p = &t->nodes.data[n->parent];
		p->end = p->end ? p->end : n->end;
		p->components += n->components;
	}
}

/* How lines look, from the first node to the last. */
static void describe_lines(struct component_tree *t, const struct intern *folded)
{
	for (size_t i = 0; i < t->nodes.count; i++) {
		struct tree_node *n = &t->nodes.data[i];

		if (n->parent != TREE_NONE) {
			const struct tree_node *p = &t->nodes.data[n->parent];
			bool chain = is_chain(t, n->parent);

			n->depth = p->depth + !chain;
			n->label = chain ? p->label : strlen(p->name) + 1;
		}
		for (char *c = n->name; *c; c++)
			*c = *c == PART_END ? '.' : *c;
		n->folded = tree_is_inner(t, i) && intern_find(folded, n->name, strlen(n->name)) >= 0;
	}
}

/* What is at a depth of so many levels or deeper is folded, what is above is not. */
static void fold_to(struct component_tree *t, int levels)
{
	for (size_t i = 0; i < t->nodes.count; i++)
		t->nodes.data[i].folded =
		    tree_is_inner(t, i) && t->nodes.data[i].depth + 1 >= levels;
}

void tree_build(struct component_tree *t, const char *const *names, size_t n)
{
	char *here = xstrdup(tree_name(t, t->node));
	char **keys = xcalloc(n + 1, sizeof(*keys));
	struct intern *folded = intern_new();
	size_t path[TREE_DEPTH];

	for (size_t i = 0; i < t->nodes.count; i++)
		if (t->nodes.data[i].folded)
			intern_add(folded, t->nodes.data[i].name, strlen(t->nodes.data[i].name));
	tree_free(t);
	for (int i = 0; i < TREE_DEPTH; i++)
		path[i] = TREE_NONE;
	for (size_t i = 0; i < n; i++)
		keys[i] = sort_key(names[i]);
	qsort(keys, n, sizeof(*keys), in_natural_order);
	for (size_t i = 0; i < n; i++) {
		add_name(t, keys[i], path);
		free(keys[i]);
	}
	sum_up(t);
	describe_lines(t, folded);
	if (!t->folded)
		fold_to(t, t->nodes.count > AUTO_NODES ? AUTO_LEVELS : TREE_DEPTH + 1);
	t->node = tree_find(t, here);
	intern_free(folded);
	free(keys);
	free(here);
}

void tree_free(struct component_tree *t)
{
	while (t->nodes.count)
		free(t->nodes.data[--t->nodes.count].name);
	vec_free(&t->nodes);
	vec_free(&t->shown);
}

/* ---- what is shown ---- */

struct brother {
	size_t node;
	double key;
};

/* The greatest first, what has none last; else as they are. */
static int by_key(const void *a, const void *b)
{
	const struct brother *x = a, *y = b;

	if (isnan(x->key) != isnan(y->key))
		return isnan(x->key) - isnan(y->key);
	if (x->key != y->key && !isnan(x->key))
		return x->key > y->key ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* The nodes in [from, end) that are at the top there, and below them. */
static void show_brothers(struct component_tree *t, size_t from, size_t end)
{
	VEC(struct brother) row = {0};

	for (size_t i = from; i < end; i = t->nodes.data[i].end) {
		while (is_chain(t, i))
			i++;
		if (!vec_push(&row, ((struct brother){i, t->nodes.data[i].key})))
			abort(); /* as xcalloc() */
	}
	if (t->by_key && row.count)
		qsort(row.data, row.count, sizeof(*row.data), by_key);
	for (size_t k = 0; k < row.count; k++) {
		size_t i = row.data[k].node;

		if (!vec_push(&t->shown, i))
			abort();
		if (!t->nodes.data[i].folded)
			show_brothers(t, i + 1, t->nodes.data[i].end);
	}
	vec_free(&row);
}

/* The cursor on a line there is, the window with the cursor in it, and no lines wasted. */
static void clamp(struct component_tree *t)
{
	const size_t count = t->shown.count, room = t->room ? t->room : 1;

	t->cursor = t->cursor < count ? t->cursor : count ? count - 1 : 0;
	if (t->top + room > count)
		t->top = count > room ? count - room : 0;
	if (t->cursor >= t->top + room)
		t->top = t->cursor - room + 1;
	if (t->top > t->cursor)
		t->top = t->cursor;
	t->node = tree_node_at(t, t->cursor);
}

/* The line of a node, or of what it is folded into; 0: it has none. */
static size_t line_of(const struct component_tree *t, size_t node)
{
	for (; node != TREE_NONE; node = t->nodes.data[node].parent)
		for (size_t i = 0; i < t->shown.count; i++)
			if (t->shown.data[i] == node)
				return i;
	return 0;
}

void tree_show(struct component_tree *t)
{
	vec_clear(&t->shown);
	show_brothers(t, 0, t->nodes.count);
	t->cursor = line_of(t, t->node);
	clamp(t);
}

void tree_fold_to(struct component_tree *t, int levels)
{
	t->folded = true;
	fold_to(t, levels);
	tree_show(t);
}

bool tree_fold(struct component_tree *t)
{
	size_t node = t->node;

	while (node != TREE_NONE && (!tree_is_inner(t, node) || is_chain(t, node)))
		node = t->nodes.data[node].parent;
	if (node == TREE_NONE)
		return false;
	t->nodes.data[node].folded = !t->nodes.data[node].folded;
	t->folded = true;
	t->node = node;
	tree_show(t);
	return true;
}

bool tree_search(struct component_tree *t, const struct regex *re, int dir)
{
	const size_t n = t->nodes.count, at = t->node;

	for (size_t i = 1; at != TREE_NONE && i <= n; i++) {
		size_t next = dir < 0 ? (at + n - i) % n : (at + i) % n;
		const struct tree_node *node = &t->nodes.data[next];

		if (!node->component || !regex_allows(re, node->name))
			continue;
		t->folded = true;
		t->node = next;
		while ((next = t->nodes.data[next].parent) != TREE_NONE)
			t->nodes.data[next].folded = false;
		tree_show(t);
		return true;
	}
	return false;
}

size_t tree_find(const struct component_tree *t, const char *name)
{
	for (size_t i = 0; i < t->nodes.count; i++)
		if (strcmp(t->nodes.data[i].name, name) == 0)
			return i;
	return TREE_NONE;
}

size_t tree_node_at(const struct component_tree *t, size_t line)
{
	return line < t->shown.count ? t->shown.data[line] : TREE_NONE;
}

const char *tree_name(const struct component_tree *t, size_t node)
{
	return node == TREE_NONE ? "" : t->nodes.data[node].name;
}

/* ---- the window ---- */

void tree_set_room(struct component_tree *t, size_t room)
{
	t->room = room;
	clamp(t);
}

/* So many lines from one on, as far as there are some. */
static size_t step(const struct component_tree *t, size_t from, int64_t lines)
{
	const size_t count = t->shown.count;

	if (lines < 0)
		return (uint64_t)-lines > from ? 0 : from - (size_t)-lines;
	return from + (uint64_t)lines < count ? from + (size_t)lines : count ? count - 1 : 0;
}

void tree_goto(struct component_tree *t, size_t line)
{
	t->cursor = line;
	clamp(t);
}

void tree_move(struct component_tree *t, int64_t lines)
{
	tree_goto(t, step(t, t->cursor, lines));
}

void tree_scroll(struct component_tree *t, int64_t lines)
{
	t->top = step(t, t->top, lines);
	tree_move(t, lines);
}

int tree_indent(const struct component_tree *t, size_t node)
{
	return t->nodes.data[node].depth + 2;
}

int tree_label_width(const struct component_tree *t, bool indents, int least, int most)
{
	for (size_t i = 0; i < t->shown.count && least < most; i++) {
		const struct tree_node *node = &t->nodes.data[t->shown.data[i]];
		int width = text_width(node->name + node->label, strlen(node->name + node->label)) +
			    (indents ? tree_indent(t, t->shown.data[i]) : 1);

		least = width > least ? width : least;
	}
	return least < most ? least : most > 0 ? most : 0;
}

/* ---- patterns ---- */

/* Names in a pattern tell capitals from small letters; what they are chosen by may not. */
void tree_pattern(const struct component_tree *t, size_t node, const struct regex *among,
		  struct sbuf *out)
{
	bool inner = tree_is_inner(t, node);

	sbuf_puts(out, "(?-i)");
	if (inner && among)
		sbuf_printf(out, "^(?=.*(?%s:%s))", regex_ignores_case(among) ? "i" : "",
			    regex_pattern(among));
	metric_component_pattern(t->nodes.data[node].name, inner, out);
}
