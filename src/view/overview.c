#include "config.h"

#include "view/overview.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/interval.h"
#include "base/xalloc.h"
#include "view/ruler.h"

enum {
	AUTO_MOST = 10, /* lines of a panel that nobody chose a height for */
	HEIGHT_MOST = 40,
	LABEL_LEAST = 12, /* columns */
	GUTTER_SHARE = 3, /* of the columns, at most; of few columns half */
	FEW_COLUMNS = 40
};

/* ---- metrics ---- */

/*
 * The first metrics of the trace that components have, each name once: such as change, else any; if
 * there are none, of the whole.
 */
static void choose_metrics(struct overview *o)
{
	struct trace *t = o->time.trace;
	struct metric_info m;
	int n = 0;

	memset(o->metric, 0, sizeof(o->metric));
	for (int pass = 0; !n && pass < 3; pass++)
		for (size_t i = 0; n < OVERVIEW_METRICS && t->kind->metric(t, i, &m); i++) {
			bool whole = m.component && !*m.component;
			bool flat = m.sampled ? !(m.min < m.max) : m.total == 0;

			if (m.per_component && (!flat || pass > 0) && (!whole || pass > 1) &&
			    strlen(m.name) < OVERVIEW_NAME && strcmp(m.name, o->metric[0]) != 0)
				snprintf(o->metric[n++], OVERVIEW_NAME, "%s", m.name);
		}
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
	out->metric.kinds = o->counted;
	regex_free(re);
	sbuf_free(&pattern);
	return status;
}

/* Some component has it; NULL: none is asked for. */
static enum status check_metric(const struct overview *o, const char *name, struct error *e)
{
	struct metric_ref ignored;
	struct regex *any = NULL;
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

/* ---- the tree ---- */

/* Names borrowed from the trace. */
struct names {
	const char **data;
	size_t count, cap;
};

static void add_name(struct names *names, const char *name, const struct regex *among)
{
	if (name && regex_allows(among, name) && !vec_push(names, name))
		abort(); /* as xcalloc() */
}

static void find_names(const struct overview *o, const struct regex *among, struct names *out)
{
	struct trace *t = o->time.trace;
	struct trace_component c;
	struct metric_info m;
	bool brought = false;

	for (size_t i = 0; t->kind->metric(t, i, &m); i++) {
		bool shown =
		    m.sampled && (!strcmp(m.name, o->metric[0]) || !strcmp(m.name, o->metric[1]));

		brought = brought || shown;
		if (shown)
			add_name(out, m.component, among);
	}
	for (size_t i = 0; !brought && t->kind->component(t, i, &c); i++)
		add_name(out, c.name, among);
}

/* Words alone, as the stages of a pipeline, stay in the order of the trace. */
static bool keep_order(struct overview *o, const struct names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		if (strpbrk(names->data[i], ".\1" "0123456789"))
			return false;
		o->tree.nodes.data[tree_find(&o->tree, names->data[i])].key = -(double)i;
	}
	return true;
}

/* Of a node over the window that was sorted by; NaN: it has none. */
static double mean_of(const struct overview *o, size_t node)
{
	struct interval window = interval_of(o->time.trace, o->sort_from, o->sort_to);
	struct curve_source source;
	struct error ignored;
	double mean = NAN;

	if (!overview_source(o, node, o->sort, &source, &ignored))
		interval_mean(o->time.trace, &source.metric, &window, &mean, NULL, &ignored);
	return mean;
}

/* What panels show is found again. */
static void forget_panels(struct overview *o)
{
	for (size_t i = 0; i < o->panels.count; i++)
		o->panels.data[i].node = TREE_NONE;
}

/* False: nothing would be left, and nothing changed. */
static bool rebuild(struct overview *o, const struct regex *among)
{
	struct names names = {0};
	bool some;

	find_names(o, among, &names);
	some = names.count || !among;
	if (some) {
		o->among = among;
		tree_build(&o->tree, names.data, names.count);
		o->tree.by_key = keep_order(o, &names) || *o->sort;
		for (size_t i = 0; *o->sort && i < o->tree.nodes.count; i++)
			o->tree.nodes.data[i].key = mean_of(o, i);
		tree_show(&o->tree);
		forget_panels(o);
		if (o->time.width > 0) /* labels may be wider */
			overview_layout(o, o->time.width, o->time.height);
	}
	vec_free(&names);
	return some;
}

bool overview_filter(struct overview *o, const struct regex *among)
{
	return rebuild(o, among);
}

enum status overview_kinds(struct overview *o, struct regex *kinds, struct error *e)
{
	uint64_t counted;
	enum status status = trace_kinds_find(o->time.trace, kinds, &counted, e);

	if (status) {
		regex_free(kinds);
		return status;
	}
	regex_free(o->kinds);
	o->kinds = kinds;
	o->counted = counted;
	rebuild(o, o->among);
	return STATUS_OK;
}

/* ---- beginning and end ---- */

void overview_init(struct overview *o, struct trace *t)
{
	*o = (struct overview){0};
	axis_open(&o->time, t);
	tree_init(&o->tree);
	overview_came(o);
}

void overview_free(struct overview *o)
{
	for (size_t i = 0; i < o->panels.count; i++) {
		resource_free(o->panels.data[i].graph);
		resource_free(o->panels.data[i].before);
	}
	vec_free(&o->panels);
	regex_free(o->kinds);
	tree_free(&o->tree);
}

void overview_reopen(struct overview *o, struct trace *t)
{
	axis_reopen(&o->time, t);
	forget_panels(o); /* components that are shown come later: until then the tree is the old one */
	o->components = o->metrics = 0;
	(void)trace_kinds_find(t, o->kinds, &o->counted, NULL); /* none matches yet: they come */
	overview_came(o);
}

bool overview_came(struct overview *o)
{
	struct trace *t = o->time.trace;
	size_t components = t->kind->component_count(t), metrics = t->kind->metric_count(t);

	if (components == o->components && metrics == o->metrics)
		return false;
	if (metrics < o->metrics && check_metric(o, *o->metric, NULL))
		o->chosen = false; /* it is gone */
	o->components = components;
	o->metrics = metrics;
	if (!o->chosen)
		choose_metrics(o);
	rebuild(o, o->among);
	return true;
}

/* ---- what the user chooses ---- */

enum status overview_choose(struct overview *o, int which, const char *name, struct error *e)
{
	enum status status = check_metric(o, name, e);

	if (status)
		return status;
	snprintf(o->metric[which], OVERVIEW_NAME, "%s", name ? name : "");
	o->chosen = true;
	if (!rebuild(o, o->among))
		return error_set(e, STATUS_NOT_FOUND, "no component with that metric matches the filter");
	return STATUS_OK;
}

enum status overview_sort(struct overview *o, const char *metric, struct error *e)
{
	enum status status = check_metric(o, metric, e);

	if (status)
		return status;
	snprintf(o->sort, sizeof(o->sort), "%s", metric ? metric : "");
	o->sort_from = o->time.left;
	o->sort_to = axis_right(&o->time);
	rebuild(o, o->among);
	tree_goto(&o->tree, 0);
	return STATUS_OK;
}

/* ---- the window ---- */

/* Lines of the window without the ruler. */
static int room_of(const struct overview *o)
{
	int room = o->time.height - ruler_lines(o->time.height);

	return room > 1 ? room : 1;
}

int overview_height(const struct overview *o)
{
	size_t panels = o->tree.shown.count;
	int room = room_of(o), fits = panels ? (int)((size_t)room / panels) : 1;

	fits = o->height ? o->height : fits < AUTO_MOST ? fits : AUTO_MOST;
	fits = fits < room ? fits : room;
	return fits > 1 ? fits : 1;
}

void overview_layout(struct overview *o, int w, int h)
{
	int most = w < FEW_COLUMNS ? w / 2 : w / GUTTER_SHARE;
	int label = tree_label_width(&o->tree, true, LABEL_LEAST, most) + 1 + RESOURCE_VALUE + 1;

	axis_layout(&o->time, w, h, label < most ? label : most);
	tree_set_room(&o->tree, (size_t)(room_of(o) / overview_height(o)));
}

void overview_resize(struct overview *o, int64_t lines)
{
	int64_t height = overview_height(o) + lines;

	o->height = height < 1 ? 1 : height > HEIGHT_MOST ? HEIGHT_MOST : (int)height;
	overview_layout(o, o->time.width, o->time.height);
}

bool overview_hit(const struct overview *o, int x, int y, size_t *line, int64_t *tick)
{
	int top = ruler_lines(o->time.height);

	if (y < top || !axis_hit(&o->time, x, y, tick))
		return false;
	*line = o->tree.top + (size_t)((y - top) / overview_height(o));
	return *line < o->tree.shown.count;
}
