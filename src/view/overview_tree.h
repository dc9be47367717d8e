/*
 * The dotted names of components as a tree that is shown line by line: GPU[1] holds GPU[1].SA[0],
 * that holds GPU[1].SA[0].CU[3].
 *
 * Names are in natural order: part by part, runs of digits as numbers. What is no component and
 * holds one node only is no node of its own. A node that is folded hides those below it. Brothers are
 * in the order of their names, or of a key that the caller gives them. Names are the trace's
 * (hostile); parts beyond TREE_DEPTH stay together.
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
	char *name;    /* whole */
	size_t parent; /* TREE_NONE: it is at the top */
	size_t end;    /* behind the last node below it */
	size_t components; /* it and below it */
	int depth;
	bool component; /* itself */
	bool folded;
	double key; /* NaN: last */
};

struct component_tree {
	VEC(struct tree_node) nodes; /* each before those below it, in natural order */
	VEC(size_t) shown;           /* nodes, line by line */
	bool by_key;                 /* brothers are, the greatest first */
};

/* Natural order of dotted names: < 0, 0 (the same bytes), > 0. O(length). */
int tree_compare(const char *a, const char *b);

/*
 * Make it of n names ("" and doubles are no harm); what was folded stays so. Keys are NaN. Start
 * zeroed. O(n log n).
 */
void tree_build(struct component_tree *t, const char *const *names, size_t n);
void tree_free(struct component_tree *t);

/* Fill `shown`, after folds or keys changed. O(n log n). */
void tree_show(struct component_tree *t);
/* Fold what is at a depth of so many levels or deeper, unfold what is above. */
void tree_fold_to(struct component_tree *t, int levels);
/* The deepest level at which no more than so many lines are shown; at least 1. */
int tree_level_for(const struct component_tree *t, size_t lines);
/* The line of a node, or of what it is folded into; 0: it has none. */
size_t tree_line_of(const struct component_tree *t, size_t node);
/* Unfold what hides a node. */
void tree_reveal(struct component_tree *t, size_t node);
/* A node by its name; TREE_NONE: there is none. O(log n). */
size_t tree_find(const struct component_tree *t, const char *name);

/* There are nodes below it; it stands only for them. */
bool tree_is_inner(const struct component_tree *t, size_t node);
/* Shown, it has nothing to show but those below it. */
bool tree_is_heading(const struct component_tree *t, size_t node);
/* What of its name its parent does not say: the end of it. */
const char *tree_label(const struct component_tree *t, size_t node);
/*
 * Append the pattern that matches the components whose values the node shows: itself, or, when it is
 * folded, those below it that match `among` (NULL: all), too.
 */
void tree_pattern(const struct component_tree *t, size_t node, const struct regex *among,
		  struct sbuf *out);

#endif
