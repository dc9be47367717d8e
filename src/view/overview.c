#include "config.h"

#include "view/overview.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/interval.h"
#include "base/intern.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "view/overview_private.h"
#include "view/ruler.h"

enum {
	AUTO_MOST = 10,   /* lines of a panel that nobody chose a height for */
	HEIGHT_MOST = 40,
	AUTO_LINES = 64,  /* of the tree, before the user folds: no deeper than that */
	LABEL_LEAST = 12, /* columns */
	GUTTER_SHARE = 3  /* of the columns, at most */
};

/* ---- which metrics ---- */

/*
 * In how many components each metric has something to see: of those that the file brought, other
 * values than the first sample of that name. All of one name are one.
 */
struct metric_count {
	size_t components;
	double first;
};

struct metric_tally {
	struct intern *names;
	VEC(struct metric_count) of;
};

static void count_metrics(struct trace *t, struct metric_tally *out)
{
	struct metric_info m;

	*out = (struct metric_tally){.names = intern_new()};
	for (size_t i = 0; t->kind->metric(t, i, &m); i++) {
		int32_t id;

		if (!m.per_component || !*m.name || strlen(m.name) >= OVERVIEW_NAME)
			continue;
		id = intern_add(out->names, m.name, strlen(m.name));
		if (id < 0 || ((size_t)id == out->of.count &&
			       !vec_push(&out->of, ((struct metric_count){0, m.min}))))
			abort(); /* as xcalloc() */
		out->of.data[id].components +=
		    m.sampled ? m.min < m.max || m.min != out->of.data[id].first
			      : t->kind->component_count(t);
	}
}

/* The one that most components have, the first of equals; -1: none but the one that is taken. */
static int32_t most_common(const struct metric_tally *tally, int32_t taken)
{
	int32_t best = -1;

	for (size_t i = 0; i < tally->of.count; i++)
		if ((int32_t)i != taken &&
		    (best < 0 || tally->of.data[i].components > tally->of.data[best].components))
			best = (int32_t)i;
	return best;
}

static void choose_metrics(struct overview *o)
{
	struct metric_tally tally;
	int32_t id = -1;

	count_metrics(o->time.trace, &tally);
	for (int k = 0; k < OVERVIEW_METRICS; k++) {
		id = most_common(&tally, k ? id : -1);
		snprintf(o->metric[k], OVERVIEW_NAME, "%s",
			 id < 0 ? "" : intern_name(tally.names, id));
	}
	intern_free(tally.names);
	vec_free(&tally.of);
}

enum status overview_source(const struct overview *o, size_t node, const char *metric,
			    struct curve_source *out, struct error *e)
{
	struct sbuf pattern = {0};
	struct regex *re = NULL;
	enum status status;

	tree_pattern(&o->tree, node, o->among, &pattern);
	status = regex_new(&re, sbuf_text(&pattern), e);
	if (!status)
		status = curve_find(o->time.trace, metric, re, out, e);
	regex_free(re);
	sbuf_free(&pattern);
	return status;
}

/* ---- the tree ---- */

/* Names borrowed from the trace. */
struct names {
	const char **data;
	size_t count, cap;
};

static void add_name(struct names *names, const char *name, const struct regex *among)
{
	if (name && (!among || regex_match(among, name, strlen(name), NULL, NULL)) &&
	    !vec_push(names, name))
		abort(); /* as xcalloc() */
}

/* Components with a metric that the file brought; false: it brought none of that name. */
static bool add_sampled(const struct overview *o, const char *metric, const struct regex *among,
			struct names *out)
{
	struct trace *t = o->time.trace;
	struct metric_info m;
	bool found = false;

	for (size_t i = 0; *metric && t->kind->metric(t, i, &m); i++) {
		if (!m.sampled || strcmp(m.name, metric) != 0)
			continue;
		add_name(out, m.component, among);
		found = true;
	}
	return found;
}

static void find_names(const struct overview *o, const struct regex *among, struct names *out)
{
	struct trace *t = o->time.trace;
	struct trace_component c;

	if (add_sampled(o, o->metric[0], among, out)) {
		add_sampled(o, o->metric[1], among, out);
		return;
	}
	for (size_t i = 0; t->kind->component(t, i, &c); i++)
		add_name(out, c.name, among);
}

static void drop_panels(struct overview *o)
{
	while (o->panels.count)
		resource_free(o->panels.data[--o->panels.count].graph);
}

/* Of a node over the window that was sorted by; NaN: it has none. */
static double mean_of(const struct overview *o, size_t node)
{
	struct interval window = interval_of(o->time.trace, o->sort_from, o->sort_to);
	struct curve_source source;
	struct error ignored;
	double mean = NAN;

	if (overview_source(o, node, o->sort, &source, &ignored) ||
	    interval_mean(o->time.trace, &source.metric, &window, &mean, NULL, &ignored))
		return NAN;
	return mean;
}

/* Lines may be others: the cursor stays on its node. */
static void show(struct overview *o, size_t node)
{
	o->tree.by_key = *o->sort || o->ordered;
	for (size_t i = 0; *o->sort && i < o->tree.nodes.count; i++)
		o->tree.nodes.data[i].key = mean_of(o, i);
	tree_show(&o->tree);
	drop_panels(o);
	overview_go(o, node);
}

/* Words alone, as the stages of a pipeline, stay in the order of the trace. */
static bool keep_order(struct overview *o, const struct names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		if (strpbrk(names->data[i], ".0123456789"))
			return false;
		o->tree.nodes.data[tree_find(&o->tree, names->data[i])].key = -(double)i;
	}
	return true;
}

static void grow(struct overview *o, const struct regex *among, struct names *names)
{
	size_t node = overview_node(o);
	char *name = node == TREE_NONE ? NULL : xstrdup(o->tree.nodes.data[node].name);

	o->among = among;
	tree_build(&o->tree, names->data, names->count);
	o->ordered = keep_order(o, names);
	if (!o->unfolded)
		tree_fold_to(&o->tree, tree_level_for(&o->tree, AUTO_LINES));
	show(o, name ? tree_find(&o->tree, name) : TREE_NONE);
	free(name);
}

/* False: nothing would be left, and nothing changed. */
static bool rebuild(struct overview *o, const struct regex *among)
{
	struct names names = {0};
	bool some;

	find_names(o, among, &names);
	some = names.count || !among;
	if (some)
		grow(o, among, &names);
	vec_free(&names);
	return some;
}

bool overview_filter(struct overview *o, const struct regex *among)
{
	return rebuild(o, among);
}

/* ---- beginning and end ---- */

void overview_init(struct overview *o, struct trace *t)
{
	*o = (struct overview){0};
	curves_init(&o->time, t);
	overview_progress(o);
}

void overview_free(struct overview *o)
{
	drop_panels(o);
	vec_free(&o->panels);
	tree_free(&o->tree);
}

void overview_reopen(struct overview *o, struct trace *t)
{
	drop_panels(o);
	curves_reopen(&o->time, t);
	o->components = o->metrics = 0;
	overview_progress(o);
}

bool overview_progress(struct overview *o)
{
	struct trace *t = o->time.trace;
	bool came = curves_follow(&o->time);
	size_t components = t->kind->component_count(t), metrics = t->kind->metric_count(t);

	if (components == o->components && metrics == o->metrics)
		return came;
	o->components = components;
	o->metrics = metrics;
	if (!o->chosen)
		choose_metrics(o);
	if (!rebuild(o, o->among))
		rebuild(o, NULL);
	return true;
}

/* ---- what the user chooses ---- */

/* A metric that some component has; NULL: none is asked for. */
static enum status check_metric(const struct overview *o, const char *name, struct error *e)
{
	struct metric_ref ignored;
	struct regex *any;
	enum status status;

	if (!name)
		return STATUS_OK;
	if (!*name || strlen(name) >= OVERVIEW_NAME)
		return error_set(e, STATUS_USAGE, "a metric's name has 1 to %d bytes",
				 OVERVIEW_NAME - 1);
	status = regex_new(&any, "", e);
	if (!status)
		status = trace_metric_find(o->time.trace, name, any, &ignored, e);
	regex_free(any);
	return status;
}

enum status overview_choose(struct overview *o, int which, const char *name, struct error *e)
{
	enum status status = check_metric(o, name, e);

	if (status)
		return status;
	snprintf(o->metric[which], OVERVIEW_NAME, "%s", name ? name : "");
	o->chosen = true;
	if (!rebuild(o, o->among))
		rebuild(o, NULL);
	return STATUS_OK;
}

enum status overview_sort(struct overview *o, const char *metric, struct error *e)
{
	enum status status = check_metric(o, metric, e);

	if (status)
		return status;
	snprintf(o->sort, sizeof(o->sort), "%s", metric ? metric : "");
	o->sort_from = o->time.axis.left;
	o->sort_to = axis_right(&o->time.axis);
	rebuild(o, o->among);
	o->top = o->cursor = 0;
	return STATUS_OK;
}

size_t overview_node(const struct overview *o)
{
	return o->cursor < o->tree.shown.count ? o->tree.shown.data[o->cursor] : TREE_NONE;
}

bool overview_fold(struct overview *o)
{
	size_t node = overview_node(o);

	if (node != TREE_NONE && !tree_is_inner(&o->tree, node))
		node = o->tree.nodes.data[node].parent;
	if (node == TREE_NONE)
		return false;
	o->tree.nodes.data[node].folded = !o->tree.nodes.data[node].folded;
	o->unfolded = true;
	show(o, node);
	return true;
}

void overview_fold_to(struct overview *o, int levels)
{
	size_t node = overview_node(o);

	o->unfolded = true;
	tree_fold_to(&o->tree, levels < 1 ? TREE_DEPTH + 1 : levels);
	show(o, node);
}

bool overview_find(struct overview *o, const struct regex *re, int dir)
{
	size_t n = o->tree.nodes.count, at = overview_node(o);

	for (size_t i = 1; at != TREE_NONE && i <= n; i++) {
		size_t next = dir < 0 ? (at + n - i) % n : (at + i) % n;
		const struct tree_node *node = &o->tree.nodes.data[next];

		if (!node->component || !regex_match(re, node->name, strlen(node->name), NULL, NULL))
			continue;
		tree_reveal(&o->tree, next);
		o->unfolded = true;
		show(o, next);
		return true;
	}
	return false;
}

/* ---- the window ---- */

/* Lines of the window without the ruler. */
static int room_of(const struct overview *o)
{
	return o->time.height - ruler_lines(o->time.height);
}

static bool is_heading(const struct overview *o, size_t line)
{
	return tree_is_heading(&o->tree, o->tree.shown.data[line]);
}

int overview_height(const struct overview *o)
{
	int headings = 0, panels = 0, fits, room = room_of(o);

	for (size_t i = 0; !o->height && i < o->tree.shown.count && panels <= room; i++) {
		headings += is_heading(o, i);
		panels += !is_heading(o, i);
	}
	fits = o->height ? o->height : panels ? (room - headings) / panels : 1;
	if (!o->height && fits > AUTO_MOST)
		fits = AUTO_MOST;
	fits = fits < room ? fits : room;
	return fits > 1 ? fits : 1;
}

int overview_lines(const struct overview *o, size_t line)
{
	return is_heading(o, line) ? 1 : overview_height(o);
}

int overview_shown(const struct overview *o)
{
	int height = overview_height(o), room = room_of(o), n = 0;

	for (size_t i = o->top; i < o->tree.shown.count; i++, n++) {
		room -= is_heading(o, i) ? 1 : height;
		if (room < 0)
			break;
	}
	return n;
}

/* The first line of which all to `line` fits into the window. */
static size_t top_for(const struct overview *o, size_t line)
{
	int height = overview_height(o), room = room_of(o);

	for (size_t i = line + 1; i-- > 0;) {
		room -= is_heading(o, i) ? 1 : height;
		if (room < 0)
			return i < line ? i + 1 : line;
	}
	return 0;
}

/* The cursor on a line there is, the window with the cursor in it, and no lines wasted. */
static void clamp(struct overview *o)
{
	size_t count = o->tree.shown.count, last;

	if (!count) {
		o->top = o->cursor = 0;
		return;
	}
	o->cursor = o->cursor < count ? o->cursor : count - 1;
	last = top_for(o, count - 1);
	o->top = o->top < last ? o->top : last;
	o->top = o->top < o->cursor ? o->top : o->cursor;
	if (o->top < top_for(o, o->cursor))
		o->top = top_for(o, o->cursor);
}

void overview_go(struct overview *o, size_t node)
{
	if (node != TREE_NONE)
		o->cursor = tree_line_of(&o->tree, node);
	clamp(o);
}

void overview_layout(struct overview *o, int w, int h)
{
	struct axis *a = &o->time.axis;
	int label = LABEL_LEAST, most = w / GUTTER_SHARE;

	curves_layout(&o->time, w, h);
	for (size_t i = 0; i < o->tree.shown.count && label < most; i++) {
		const char *text = tree_label(&o->tree, o->tree.shown.data[i]);
		int columns = overview_indent(o, i) + text_width(text, strlen(text));

		label = columns > label ? columns : label;
	}
	label += 1 + RESOURCE_VALUE + 1;
	a->gutter = label < most ? label : most > 0 ? most : 0;
	a->columns = o->time.width - a->gutter;
	axis_clamp_zoom(a);
	axis_clamp_window(a);
	axis_window_to_cursor(a);
	clamp(o);
}

void overview_resize(struct overview *o, int64_t lines)
{
	int64_t height = overview_height(o) + lines;

	o->height = height < 1 ? 1 : height > HEIGHT_MOST ? HEIGHT_MOST : (int)height;
	clamp(o);
}

/* So many lines from one of count on. */
static size_t step(size_t from, int64_t lines, size_t count)
{
	if (lines < 0)
		return (uint64_t)-lines > from ? 0 : from - (size_t)-lines;
	return (uint64_t)lines < count - from ? from + (size_t)lines : count - 1;
}

void overview_move(struct overview *o, int64_t lines)
{
	if (o->tree.shown.count)
		o->cursor = step(o->cursor, lines, o->tree.shown.count);
	clamp(o);
}

/* A page takes the cursor along, some lines only push it. */
void overview_scroll(struct overview *o, int64_t lines)
{
	size_t count = o->tree.shown.count, top = o->top;
	int shown = overview_shown(o);

	if (!count)
		return;
	o->top = step(o->top, lines, count);
	if (o->top > top_for(o, count - 1))
		o->top = top_for(o, count - 1);
	if (o->top == top || lines > shown / 4 || lines < -(shown / 4))
		o->cursor = step(o->cursor, lines, count);
	shown = overview_shown(o);
	if (o->cursor < o->top)
		o->cursor = o->top;
	if (shown > 0 && o->cursor >= o->top + (size_t)shown)
		o->cursor = o->top + (size_t)shown - 1;
	clamp(o);
}

void overview_center(struct overview *o)
{
	size_t half = (size_t)overview_shown(o) / 2;

	axis_center(&o->time.axis);
	o->top = o->cursor > half ? o->cursor - half : 0;
	clamp(o);
}

bool overview_hit(const struct overview *o, int x, int y, size_t *line, int64_t *tick)
{
	int bottom = ruler_lines(o->time.height), height = overview_height(o);
	int shown = overview_shown(o);

	if (y < bottom || !curves_hit(&o->time, x, y, tick))
		return false;
	for (*line = o->top; *line < o->top + (size_t)shown; ++*line) {
		bottom += is_heading(o, *line) ? 1 : height;
		if (y < bottom)
			return true;
	}
	return false;
}

/* ---- words ---- */

static void describe_metric(const struct overview *o, const struct overview_panel *p, int which,
			    struct sbuf *out)
{
	const struct curve *c = &p->graph->curves[which];
	struct curve_reading value;
	char number[40], low[32], high[32];

	if (p->line[which].hidden)
		return;
	value = curve_read(c, o->time.axis.tick);
	sbuf_puts(out, "  ");
	resource_label(&o->time.axis, &p->line[which], out);
	sbuf_printf(out, " %s of %s..%s", isnan(value.value) ? "-" : resource_value(&value, 8, number),
		    num_short(p->range[which].low, 5, low), num_short(p->range[which].high, 5, high));
}

void overview_describe(const struct overview *o, struct sbuf *out)
{
	size_t node = overview_node(o);
	const struct tree_node *n = node == TREE_NONE ? NULL : &o->tree.nodes.data[node];

	if (!n)
		return;
	text_sanitise(out, *n->name ? n->name : "all", *n->name ? strlen(n->name) : 3);
	if (n->folded)
		sbuf_printf(out, ": %zu components", n->components);
	for (size_t i = 0; i < o->panels.count; i++)
		for (int k = 0; o->panels.data[i].node == node && k < OVERVIEW_METRICS; k++)
			describe_metric(o, &o->panels.data[i], k, out);
}
