#include "config.h"

#include "view/tasks/network.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tasks/tasks.h"
#include "view/overview.h"
#include "view/ruler.h"

enum {
	LABEL_LEAST = 12, /* columns */
	GUTTER_SHARE = 3, /* of the columns, at most */
	HEADING_SHARE = 4, /* of the lines, at most, where the rows need the rest, */
	HEADING_MOST = 16, /* else this */
	STRIP_SHARE = 5,
	STRIP_MOST = 5,
	CELL_MOST = 2, /* columns */
	GROWTH = 8     /* a trace is looked through again when that part of it has come */
};

void network_init(struct network *n, struct trace *t)
{
	*n = (struct network){.cell = 1};
	axis_open(&n->time, t);
	for (int i = 0; i < NETWORK_ENDS; i++)
		tree_init(&n->side[i].tree);
}

static void forget(struct network *n)
{
	task_pairs_free(&n->pairs);
	task_requests_free(&n->requests);
	n->requests = (struct task_requests){.unpaired = 0};
	n->found = false;
}

void network_free(struct network *n)
{
	forget(n);
	for (int i = 0; i < NETWORK_ENDS; i++) {
		tree_free(&n->side[i].tree);
		vec_free(&n->side[i].node);
	}
}

void network_reopen(struct network *n, struct trace *t)
{
	axis_reopen(&n->time, t);
	forget(n);
}

/* ---- rows and columns ---- */

/* Which node each component is. Under the lock. */
static void number_nodes(struct network_side *s, const struct trace *t, uint32_t components)
{
	vec_clear(&s->node);
	for (uint32_t i = 0; i < components; i++)
		if (!vec_push(&s->node, TREE_NONE))
			abort(); /* as xcalloc() */
	for (size_t i = 0; i < s->tree.nodes.count; i++) {
		const struct tree_node *node = &s->tree.nodes.data[i];
		uint32_t number = node->component ? tasks_component_find(t, node->name) : components;

		if (number < components)
			s->node.data[number] = i;
	}
}

/* Of the ends of requests. */
static void build(struct network *n, enum network_end end, const struct task_requests *all)
{
	struct network_side *s = &n->side[end];
	const char **names = xcalloc(all->edges.count + 1, sizeof(*names));

	for (size_t i = 0; i < all->edges.count; i++)
		names[i] = end == NETWORK_SENDERS ? all->edges.data[i].from : all->edges.data[i].to;
	tree_build(&s->tree, names, all->edges.count);
	tasks_lock(n->time.trace);
	number_nodes(s, n->time.trace, n->pairs.components);
	tasks_unlock(n->time.trace);
	tree_show(&s->tree);
	free(names);
}

/* Of the whole trace, so that rows and columns stay the same when time goes by. */
static enum status rebuild(struct network *n, struct error *e)
{
	struct task_requests all;
	enum status status = task_requests_sum(&all, &n->pairs, n->time.trace, INT64_MIN,
					       INT64_MAX, e);

	n->from = n->to = 0; /* the window is to be summed up again */
	if (!status) {
		build(n, NETWORK_SENDERS, &all);
		build(n, NETWORK_RECEIVERS, &all);
	}
	task_requests_free(&all);
	return status;
}

/* ---- requests ---- */

/* While a trace is read, not each time that some come. */
static bool is_stale(const struct network *n, const struct progress *p)
{
	return !n->found || (p->items != n->known &&
			     (p->complete || p->items - n->known > n->known / GROWTH));
}

static enum status find_pairs(struct network *n, struct error *e)
{
	struct progress p;
	enum status status;

	trace_progress(n->time.trace, &p);
	if (!is_stale(n, &p))
		return STATUS_OK;
	forget(n);
	status = task_pairs_find(&n->pairs, n->time.trace, n->among, e);
	if (!status)
		status = rebuild(n, e);
	n->found = !status;
	n->known = p.items;
	return status;
}

enum status network_refresh(struct network *n, struct error *e)
{
	const struct axis *a = &n->time;
	int64_t from = a->left > a->first ? a->left : a->first;
	int64_t to = axis_right(a) <= a->last ? axis_right(a) : tick_add(a->last, 1);
	enum status status = find_pairs(n, e);

	if (status || (n->from == from && n->to == to))
		return status;
	task_requests_free(&n->requests);
	status = task_requests_sum(&n->requests, &n->pairs, n->time.trace, from, to, e);
	n->from = from;
	n->to = status ? from : to;
	return status;
}

void network_filter(struct network *n, const struct regex *among)
{
	n->among = among;
	forget(n);
}

/* It is the node, or below it. */
static bool is_in(const struct network_side *s, uint32_t component, size_t node)
{
	const size_t at = s->node.data[component];

	return node != TREE_NONE && at != TREE_NONE && at >= node && at < s->tree.nodes.data[node].end;
}

struct network_sum network_sum(const struct network *n, size_t sender, size_t receiver)
{
	struct network_sum sum = {.count = 0};

	for (size_t i = 0; i < n->requests.edges.count; i++) {
		const struct task_edge *edge = &n->requests.edges.data[i];

		if (!is_in(&n->side[NETWORK_SENDERS], edge->from_number, sender) ||
		    !is_in(&n->side[NETWORK_RECEIVERS], edge->to_number, receiver))
			continue;
		sum.count += edge->count;
		sum.wait += edge->wait * (double)edge->count;
		sum.latency += edge->latency * (double)edge->count;
	}
	return sum;
}

void network_columns(const struct network *n, uint64_t *counts)
{
	const size_t sender = n->side[NETWORK_SENDERS].tree.node;
	const size_t receiver = n->side[NETWORK_RECEIVERS].tree.node;
	const struct axis *a = &n->time;

	memset(counts, 0, (size_t)a->columns * sizeof(*counts));
	for (size_t i = 0; i < n->pairs.list.count; i++) {
		const struct task_pair *pair = &n->pairs.list.data[i];

		if (pair->sent >= n->from && pair->sent < n->to && pair->from != TASK_NONE &&
		    is_in(&n->side[NETWORK_SENDERS], pair->from, sender) &&
		    is_in(&n->side[NETWORK_RECEIVERS], pair->to, receiver))
			counts[axis_column_of(a, pair->sent)]++;
	}
}

/* ---- the window ---- */

static void share_lines(struct network *n)
{
	struct network_side *rows = &n->side[NETWORK_SENDERS];
	struct network_side *columns = &n->side[NETWORK_RECEIVERS];
	const int h = n->time.height, strip = h / STRIP_SHARE < STRIP_MOST ? h / STRIP_SHARE : STRIP_MOST;
	const int room = n->time.columns, rows_shown = (int)rows->tree.shown.count;
	int most = h / HEADING_SHARE;

	n->below = strip ? strip + ruler_lines(h) : 0;
	most = h - n->below - rows_shown > most ? h - n->below - rows_shown : most;
	n->heading = tree_label_width(&columns->tree, false, 1, most < HEADING_MOST ? most : HEADING_MOST);
	tree_set_room(&rows->tree, h > n->heading + n->below ? (size_t)(h - n->heading - n->below) : 0);
	n->cell = (size_t)room >= columns->tree.shown.count * CELL_MOST ? CELL_MOST : 1;
	tree_set_room(&columns->tree, room > 0 ? (size_t)(room / n->cell) : 0);
}

void network_layout(struct network *n, int w, int h)
{
	struct error ignored; /* the frame says it */

	(void)find_pairs(n, &ignored);
	axis_layout(&n->time, w, h,
		      1 + tree_label_width(&n->side[NETWORK_SENDERS].tree, true, LABEL_LEAST,
					w / GUTTER_SHARE));
	share_lines(n);
}

bool network_step(struct network *n, int dir)
{
	struct network_side *s = &n->side[NETWORK_RECEIVERS];
	const size_t count = s->tree.shown.count, sender = n->side[NETWORK_SENDERS].tree.node;

	for (size_t i = 1; i < count; i++) {
		size_t line = (s->tree.cursor + (dir > 0 ? i : count - i)) % count;
		size_t receiver = s->tree.shown.data[line];
		bool open = tree_is_inner(&s->tree, receiver) && !s->tree.nodes.data[receiver].folded;

		if (open || !network_sum(n, sender, receiver).count)
			continue;
		tree_goto(&s->tree, line);
		return true;
	}
	return false;
}

bool network_hit(const struct network *n, int x, int y, size_t cell[NETWORK_ENDS], int64_t *tick)
{
	const int h = n->time.height;

	for (int i = 0; i < NETWORK_ENDS; i++)
		cell[i] = n->side[i].tree.cursor;
	*tick = n->time.tick;
	if (y >= h - n->below)
		return axis_hit(&n->time, x, y, tick);
	if (y < n->heading || x < n->time.gutter)
		return false;
	cell[NETWORK_SENDERS] = n->side[NETWORK_SENDERS].tree.top + (size_t)(y - n->heading);
	cell[NETWORK_RECEIVERS] =
	    n->side[NETWORK_RECEIVERS].tree.top + (size_t)((x - n->time.gutter) / n->cell);
	return tree_node_at(&n->side[NETWORK_SENDERS].tree, cell[NETWORK_SENDERS]) != TREE_NONE &&
	       tree_node_at(&n->side[NETWORK_RECEIVERS].tree, cell[NETWORK_RECEIVERS]) != TREE_NONE;
}
