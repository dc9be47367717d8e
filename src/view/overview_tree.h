/*
 * The dotted names of components as a tree that is shown line by line: GPU[1] holds GPU[1].SA[0],
 * that holds GPU[1].SA[0].CU[3].
 *
 * Names are in natural order: part by part, runs of digits as numbers. What is no component and holds
 * one node only has no line: that of the node says both names. A node that is folded hides those below
 * it. Brothers are in the order of their names, or of a key that the caller gives them. Names are the
 * trace's (hostile); parts beyond TREE_DEPTH stay together.
 *
 * A window shows some lines, the one with the cursor among them. The cursor stays on its node when
 * lines come, go or change places. Of many nodes two levels are unfolded until the user folds some.
 */
#ifndef PIPEGLASS_VIEW_OVERVIEW_TREE_H
#define PIPEGLASS_VIEW_OVERVIEW_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	bool folded;                 /* by the user */
	size_t top, room; /* the first line in the window, and how many it has room for */
	size_t cursor;    /* line */
	size_t node;      /* in it; TREE_NONE: there are no lines */
};

/*
 * Make it of n names ("" and doubles are no harm); what was folded stays so. Keys are NaN, no line is
 * shown yet. Start with tree_init(). O(n log n).
 */
void tree_init(struct component_tree *t);
void tree_build(struct component_tree *t, const char *const *names, size_t n);
void tree_free(struct component_tree *t);

/* Fill `shown`, after keys changed. O(n log n). */
void tree_show(struct component_tree *t);
/* Fold or unfold what is under the cursor, or what that is in. False: there is nothing to fold. */
bool tree_fold(struct component_tree *t);
/* Fold what is at a depth of so many levels or deeper, unfold what is above. */
void tree_fold_to(struct component_tree *t, int levels);
/*
 * The cursor to the next component that matches (dir < 0: the one before), round and round, and
 * what hides it unfolded. False: none matches.
 */
bool tree_search(struct component_tree *t, const struct regex *re, int dir);
/* A node by its name; TREE_NONE: there is none. O(n). */
size_t tree_find(const struct component_tree *t, const char *name);
/* In a line; TREE_NONE: there is no such line. */
size_t tree_node_at(const struct component_tree *t, size_t line);
/* Its name; "": TREE_NONE. */
const char *tree_name(const struct component_tree *t, size_t node);

/* The window has so many lines. */
void tree_set_room(struct component_tree *t, size_t room);
/* The cursor to a line, by some lines; with the window. All end at the ends. */
void tree_goto(struct component_tree *t, size_t line);
void tree_move(struct component_tree *t, int64_t lines);
void tree_scroll(struct component_tree *t, int64_t lines);

/* Columns before the label of a node: its depth, and the sign of a fold. */
int tree_indent(const struct component_tree *t, size_t node);
/* Columns that the longest label takes, from `least` to `most`; without indents: as a heading. */
int tree_label_width(const struct component_tree *t, bool indents, int least, int most);
/* Append the pattern of it and all below it, as far as those match `among` (NULL: all). */
void tree_pattern(const struct component_tree *t, size_t node, const struct regex *among,
		  struct sbuf *out);

/* There are nodes below it. */
static inline bool tree_is_inner(const struct component_tree *t, size_t node)
{
	return t->nodes.data[node].end > node + 1;
}

#endif
