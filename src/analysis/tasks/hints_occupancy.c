/*
 * What components hold against what they can.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/tasks/hints_private.h"

static const double full = 0.9, hollow = 0.5; /* shares of a capacity */

/* What the parameters of Akita's components call it, and the kind of tasks that are held. */
static const struct {
	const char *parameter, *kind;
} capacities[] = {{"transaction_queue_size", "req_in"},
		  {"buffer_size", "req_in"},
		  {"num_mshr_entry", "req_out"},
		  {"wf_pool_size", "wavefront"}};

/* "NAME": NUMBER of a flat JSON object; 0: it is not there. */
static double parameter(const char *spec, const char *name)
{
	const size_t len = strlen(name);

	for (const char *p = strstr(spec, name); p; p = strstr(p + 1, name)) {
		if (p == spec || p[-1] != '"' || p[len] != '"')
			continue;
		p += len + 1;
		p += strspn(p, " \t:");
		return strtod(p, NULL);
	}
	return 0;
}

/* What the file says of a component, or of the one that it is a facet of: Mem.SubTransQueue. */
static double specified(const struct task_view *v, const char *name, const char **kind)
{
	const struct task_tables *tables = tasks_tables(v->t);

	for (size_t i = 0; i < tables->specs.count; i++) {
		const struct task_spec *s = &tables->specs.data[i];
		const size_t len = strlen(s->name);

		if (strncmp(name, s->name, len) != 0 || (name[len] && name[len] != '.'))
			continue;
		for (size_t k = 0; k < sizeof(capacities) / sizeof(capacities[0]); k++) {
			const double found = parameter(s->spec, capacities[k].parameter);

			*kind = capacities[k].kind;
			if (found > 0)
				return found;
		}
	}
	return 0;
}

/* How many tasks a component can hold, and of which kind (NULL: of all); 0: not known. */
static double capacity_of(const struct task_view *v, uint32_t component, const char **kind)
{
	const struct task_hint_options *o = v->o;
	const char *name;
	double capacity = o->capacity;

	tasks_lock(v->t);
	name = tasks_component(v->t, component);
	*kind = o->holds ? NULL : "wavefront";
	if (o->holds && !regex_match(o->holds, name, strlen(name), NULL, NULL))
		capacity = 0;
	if (!(o->capacity > 0))
		capacity = specified(v, name, kind);
	tasks_unlock(v->t);
	return capacity;
}

/* Of a class: what its members hold and can hold together. */
struct holding {
	double held, capacity;
	uint32_t members;
};

static void hold(const struct task_view *v, uint32_t component, struct holding *all)
{
	struct holding *of = &all[v->class_of[component]];
	const char *kind;
	const double capacity = capacity_of(v, component, &kind);
	const double tasks = capacity > 0 ? task_view_held(v, component, kind) : 0;

	/* those that hold none of that kind are no such components */
	if (!(tasks > 0))
		return;
	of->held += tasks;
	of->capacity += capacity;
	of->members++;
}

/* What holds more than it can holds something else than what its capacity is of. */
static void say_holding(const struct task_view *v, struct hints *h, const struct task_class *c,
			const struct holding *of)
{
	const double share = of->held / of->capacity, each = of->held / of->members;
	const bool is_full = share >= full;
	struct hint hint = {.kind = "occupancy",
			    .where = c->name,
			    .order = ORDER_OCCUPANCY,
			    .weight = is_full ? share : 1 - share,
			    .item = ITEM_NONE};

	if ((!is_full && share > hollow) || share > 1)
		return;
	hint.text = hints_keep(h, "each holds %.3g of the %.4g tasks that it can, over %s: %s", each,
			       of->capacity / of->members, v->name,
			       is_full ? "full" : "too few come, whatever it could do");
	hint.advice = is_full ? "a greater capacity, or shorter stays"
			      : "what is before it: dispatch, or more work";
	hint_number(&hint, "held", NULL, each);
	hint_number(&hint, "capacity", NULL, of->capacity / of->members);
	hint_number(&hint, "share", NULL, share);
	hint_number(&hint, "components", NULL, of->members);
	hints_add(h, &hint);
}

bool hint_occupancy(const struct task_view *v, struct hints *h)
{
	struct holding *all = calloc(v->classes.count + 1, sizeof(*all));
	const bool done = all;
	uint32_t n = 0;

	for (size_t i = 0; i < v->classes.count; i++)
		n += v->classes.data[i].members;
	for (uint32_t i = 0; all && i < n; i++)
		hold(v, i, all);
	for (size_t i = 0; all && i < v->classes.count; i++)
		if (all[i].members)
			say_holding(v, h, &v->classes.data[i], &all[i]);
	free(all);
	return done;
}
