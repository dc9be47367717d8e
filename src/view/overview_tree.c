#include "config.h"

#include "view/overview_tree.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics.h"
#include "base/xalloc.h"

/* ---- order ---- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t digits(const char *p, const char *end)
{
	size_t n = 0;

	while (p + n < end && is_digit(p[n]))
		n++;
	return n;
}

/* Two numbers, of any length, by their value. */
static int compare_numbers(const char *a, size_t a_len, const char *b, size_t b_len)
{
	for (; a_len && *a == '0'; a_len--)
		a++;
	for (; b_len && *b == '0'; b_len--)
		b++;
	if (a_len != b_len)
		return a_len < b_len ? -1 : 1;
	return memcmp(a, b, a_len);
}

/* Of two parts without dots. 01 and 1 are told apart at the end: what is below each stays together. */
static int compare_parts(const char *a, size_t a_len, const char *b, size_t b_len)
{
	const char *p = a, *p_end = a + a_len, *q = b, *q_end = b + b_len;
	int order;

	while (p < p_end && q < q_end) {
		size_t m = digits(p, p_end), n = digits(q, q_end);

		order = m && n ? compare_numbers(p, m, q, n)
			       : (int)(unsigned char)*p - (int)(unsigned char)*q;
		if (order)
			return order;
		p += m && n ? m : 1;
		q += m && n ? n : 1;
	}
	if (p < p_end || q < q_end)
		return p < p_end ? 1 : -1;
	order = memcmp(a, b, a_len < b_len ? a_len : b_len);
	return order ? order : (a_len > b_len) - (a_len < b_len);
}

/* Bytes of the part that name begins with, at a depth. */
static size_t part_length(const char *name, int depth)
{
	return depth >= TREE_DEPTH - 1 ? strlen(name) : strcspn(name, ".");
}

int tree_compare(const char *a, const char *b)
{
	for (int depth = 0;; depth++) {
		size_t m = part_length(a, depth), n = part_length(b, depth);
		int order = compare_parts(a, m, b, n);

		if (order || !a[m] || !b[n])
			return order ? order : (a[m] != '\0') - (b[n] != '\0');
		a += m + 1;
		b += n + 1;
	}
}

static int by_name(const void *a, const void *b)
{
	return tree_compare(*(const char *const *)a, *(const char *const *)b);
}

/* ---- building ---- */

/* Nodes that a name has in common with the one before it are there already. */
static void add_name(struct component_tree *t, const char *name, size_t path[TREE_DEPTH],
		     int *path_depth)
{
	size_t at = 0;

	for (int depth = 0;; depth++) {
		size_t len = at + part_length(name + at, depth);
		size_t parent = depth ? path[depth - 1] : TREE_NONE;
		bool known = depth < *path_depth &&
			     strncmp(t->nodes.data[path[depth]].name, name, len) == 0 &&
			     !t->nodes.data[path[depth]].name[len];

		if (!known) {
			struct tree_node node = {.name = xstrndup(name, len),
						 .parent = parent,
						 .depth = depth,
						 .key = NAN};

			if (!vec_push(&t->nodes, node))
				abort(); /* as xcalloc() */
			path[depth] = t->nodes.count - 1;
			*path_depth = depth + 1;
		}
		if (!name[len]) {
			t->nodes.data[path[depth]].component = true;
			return;
		}
		at = len + 1;
	}
}

/* Ends and counts, from the last node to the first. */
static void sum_up(struct component_tree *t)
{
	for (size_t i = t->nodes.count; i-- > 0;) {
		struct tree_node *n = &t->nodes.data[i];

		n->end = n->end > i ? n->end : i + 1;
		n->components += n->component;
		if (n->parent != TREE_NONE) {
			struct tree_node *p = &t->nodes.data[n->parent];

			p->end = p->end > n->end ? p->end : n->end;
			p->components += n->components;
		}
	}
}

/* What stands only for one other node gives way to it. */
static void leave_out_chains(struct component_tree *t)
{
	size_t *now = xcalloc(t->nodes.count + 1, sizeof(*now)), kept = 0;

	for (size_t i = 0; i < t->nodes.count; i++) {
		struct tree_node n = t->nodes.data[i];
		bool chain = !n.component && i + 1 < n.end && t->nodes.data[i + 1].end == n.end;

		n.parent = n.parent == TREE_NONE ? TREE_NONE : now[n.parent];
		n.depth = n.parent == TREE_NONE ? 0 : t->nodes.data[n.parent].depth + 1;
		n.components = n.end = 0;
		now[i] = chain ? n.parent : kept;
		if (chain)
			free(n.name);
		else
			t->nodes.data[kept++] = n;
	}
	t->nodes.count = kept;
	free(now);
	sum_up(t);
}

static void free_nodes(struct component_tree *t)
{
	for (size_t i = 0; i < t->nodes.count; i++)
		free(t->nodes.data[i].name);
	vec_free(&t->nodes);
}

void tree_build(struct component_tree *t, const char *const *names, size_t n)
{
	struct component_tree old = *t;
	const char **sorted = xcalloc(n + 1, sizeof(*sorted));
	size_t path[TREE_DEPTH];
	int depth = 0;

	*t = (struct component_tree){.by_key = old.by_key};
	if (n)
		memcpy(sorted, names, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_name);
	for (size_t i = 0; i < n; i++)
		add_name(t, sorted[i], path, &depth);
	free(sorted);
	sum_up(t);
	leave_out_chains(t);
	for (size_t i = 0; i < old.nodes.count; i++) {
		size_t at = old.nodes.data[i].folded ? tree_find(t, old.nodes.data[i].name)
						     : TREE_NONE;

		if (at != TREE_NONE)
			t->nodes.data[at].folded = tree_is_inner(t, at);
	}
	tree_free(&old);
	tree_show(t);
}

void tree_free(struct component_tree *t)
{
	free_nodes(t);
	vec_free(&t->shown);
}

size_t tree_find(const struct component_tree *t, const char *name)
{
	size_t low = 0, high = t->nodes.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = tree_compare(t->nodes.data[middle].name, name);

		if (order == 0)
			return middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return TREE_NONE;
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
	bool x_none = isnan(x->key), y_none = isnan(y->key);

	if (x_none != y_none)
		return x_none - y_none;
	if (!x_none && x->key != y->key)
		return x->key > y->key ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* The nodes in [from, end), of which the first is at the top, and below them. */
static void show_brothers(struct component_tree *t, size_t from, size_t end)
{
	VEC(struct brother) row = {0};

	for (size_t i = from; i < end; i = t->nodes.data[i].end)
		if (!vec_push(&row, ((struct brother){i, t->nodes.data[i].key})))
			abort(); /* as xcalloc() */
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
	tree_show(t);
}

int tree_level_for(const struct component_tree *t, size_t lines)
{
	size_t count[TREE_DEPTH] = {0}, sum = 0;
	int level = 0;

	for (size_t i = 0; i < t->nodes.count; i++)
		count[t->nodes.data[i].depth]++;
	while (level < TREE_DEPTH && (!level || sum + count[level] <= lines))
		sum += count[level++];
	return level;
}

size_t tree_line_of(const struct component_tree *t, size_t node)
{
	size_t up = node, hidden = node;

	for (; up != TREE_NONE && up < t->nodes.count; up = t->nodes.data[up].parent)
		if (up != node && t->nodes.data[up].folded)
			hidden = up;
	for (size_t i = 0; i < t->shown.count; i++)
		if (t->shown.data[i] == hidden)
			return i;
	return 0;
}

void tree_reveal(struct component_tree *t, size_t node)
{
	while ((node = t->nodes.data[node].parent) != TREE_NONE)
		t->nodes.data[node].folded = false;
	tree_show(t);
}

bool tree_is_inner(const struct component_tree *t, size_t node)
{
	return t->nodes.data[node].end > node + 1;
}

bool tree_is_heading(const struct component_tree *t, size_t node)
{
	return tree_is_inner(t, node) && !t->nodes.data[node].folded &&
	       !t->nodes.data[node].component;
}

const char *tree_label(const struct component_tree *t, size_t node)
{
	const struct tree_node *n = &t->nodes.data[node];

	return n->parent == TREE_NONE ? n->name : n->name + strlen(t->nodes.data[n->parent].name) + 1;
}

/* Names in a pattern tell capitals from small letters; what they are chosen by may not. */
void tree_pattern(const struct component_tree *t, size_t node, const struct regex *among,
		  struct sbuf *out)
{
	const struct tree_node *n = &t->nodes.data[node];
	struct sbuf whole = {0};

	metric_component_pattern(n->name, &whole);
	sbuf_puts(out, "(?-i)");
	if (n->folded && among)
		sbuf_printf(out, "^(?=.*(?%s:%s))", regex_ignores_case(among) ? "i" : "",
			    regex_pattern(among));
	sbuf_add(out, sbuf_text(&whole), n->folded ? whole.len - 1 : whole.len);
	if (n->folded)
		sbuf_puts(out, "(\\.|$)");
	sbuf_free(&whole);
}
