/*
 * The dotted names of components as a tree that is shown line by line: GPU[1] holds GPU[1].SA[0],
 * that holds GPU[1].SA[0].CU[3].
 *
 * Names are in natural order: part by part, runs of digits as numbers. What is no component and holds
 * one node only has no line: that of the node says both names. A node that is folded hides those below
 * it. Brothers are in the order of their names, or of a key that the caller gives them. Names are the
 * trace's (hostile); parts beyond TREE_DEPTH stay together.
 */
#ifndef PIPEGLASS_VIEW_OVERVIEW_TREE_H
#define PIPEGLASS_VIEW_OVERVIEW_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/regex.h"
#include "base/sbuf.h"
#include "base/vec.h"

enum { TREE_DEPTH = 16 };

#define TREE_NONE SIZE_MAX

struct tree_node {
	char *name;        /* whole */
	size_t label;      /* where in it begins what the line above does not say */
	size_t parent;     /* TREE_NONE: it is at the top */
	size_t end;        /* behind the last node below it */
	size_t components; /* it and below it */
	int depth;         /* of its line */
	bool component, folded;
	double key; /* NaN: last */
};

struct component_tree {
	VEC(struct tree_node) nodes; /* each before those below it, in natural order */
	VEC(size_t) shown;           /* nodes, line by line */
	bool by_key;                 /* brothers are, the greatest first */
};

/*
 * Make it of n names ("" and doubles are no harm); what was folded stays so. Keys are NaN, no line is
 * shown yet. Start zeroed. O(n log n).
 */
void tree_build(struct component_tree *t, const char *const *names, size_t n);
void tree_free(struct component_tree *t);

/* Fill `shown`, after folds or keys changed. O(n log n). */
void tree_show(struct component_tree *t);
/* Fold what is at a depth of so many levels or deeper, unfold what is above. */
void tree_fold_to(struct component_tree *t, int levels);
/* Unfold what hides a node. */
void tree_reveal(struct component_tree *t, size_t node);
/* The line of a node, or of what it is folded into; 0: it has none. O(n). */
size_t tree_line_of(const struct component_tree *t, size_t node);
/* A node by its name; TREE_NONE: there is none. O(n). */
size_t tree_find(const struct component_tree *t, const char *name);
/* The node, or the nearest above it, that can be folded; TREE_NONE: none. */
size_t tree_foldable(const struct component_tree *t, size_t node);
/* Append the pattern of it and all below it, as far as those match `among` (NULL: all). */
void tree_pattern(const struct component_tree *t, size_t node, const struct regex *among,
		  struct sbuf *out);

/* There are nodes below it. */
static inline bool tree_is_inner(const struct component_tree *t, size_t node)
{
	return t->nodes.data[node].end > node + 1;
}

#endif
