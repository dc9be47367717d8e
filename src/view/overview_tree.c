#include "config.h"

#include "view/overview_tree.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics.h"
#include "base/intern.h"
#include "base/xalloc.h"

enum { PART_END = '\1' }; /* in place of a dot: before all that a name holds, so that a tree is in order */

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

void tree_build(struct component_tree *t, const char *const *names, size_t n)
{
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
	intern_free(folded);
	free(keys);
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

void tree_show(struct component_tree *t)
{
	vec_clear(&t->shown);
	show_brothers(t, 0, t->nodes.count);
}

void tree_fold_to(struct component_tree *t, int levels)
{
	for (size_t i = 0; i < t->nodes.count; i++)
		t->nodes.data[i].folded =
		    tree_is_inner(t, i) && t->nodes.data[i].depth + 1 >= levels;
}

void tree_reveal(struct component_tree *t, size_t node)
{
	while ((node = t->nodes.data[node].parent) != TREE_NONE)
		t->nodes.data[node].folded = false;
}

size_t tree_line_of(const struct component_tree *t, size_t node)
{
	for (; node != TREE_NONE; node = t->nodes.data[node].parent)
		for (size_t i = 0; i < t->shown.count; i++)
			if (t->shown.data[i] == node)
				return i;
	return 0;
}

size_t tree_find(const struct component_tree *t, const char *name)
{
	for (size_t i = 0; i < t->nodes.count; i++)
		if (strcmp(t->nodes.data[i].name, name) == 0)
			return i;
	return TREE_NONE;
}

size_t tree_foldable(const struct component_tree *t, size_t node)
{
	while (node != TREE_NONE && (!tree_is_inner(t, node) || is_chain(t, node)))
		node = t->nodes.data[node].parent;
	return node;
}

/* Names in a pattern tell capitals from small letters; what they are chosen by may not. */
void tree_pattern(const struct component_tree *t, size_t node, const struct regex *among,
		  struct sbuf *out)
{
	bool inner = tree_is_inner(t, node);
	struct sbuf whole = {0};

	metric_component_pattern(t->nodes.data[node].name, &whole);
	sbuf_puts(out, "(?-i)");
	if (inner && among)
		sbuf_printf(out, "^(?=.*(?%s:%s))", regex_ignores_case(among) ? "i" : "",
			    regex_pattern(among));
	sbuf_add(out, sbuf_text(&whole), inner ? whole.len - 1 : whole.len);
	if (inner)
		sbuf_puts(out, "(\\.|$)");
	sbuf_free(&whole);
}
