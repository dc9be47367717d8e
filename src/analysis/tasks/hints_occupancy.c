/*
 * What components hold against what they can.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/tasks/hints_private.h"

static const double full = 0.9, hollow = 0.5; /* shares of a capacity */

static const char req_in[] = "req_in", req_out[] = "req_out", wavefront[] = "wavefront";

/* What the parameters of Akita's components call it, and the kind of tasks that are held. */
static const struct {
	const char *parameter, *kind;
} capacities[] = {{"transaction_queue_size", req_in},
		  {"buffer_size", req_in},
		  {"num_mshr_entry", req_out},
		  {"wf_pool_size", wavefront}};

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

static bool is_specified(const struct task_view *v)
{
	bool any;

	tasks_lock(v->t);
	any = tasks_tables(v->t)->specs.count;
	tasks_unlock(v->t);
	return any;
}

/* How many tasks a component can hold, and of which kind (NULL: of all); 0: not known. */
static double capacity_of(const struct task_view *v, uint32_t component, const char **kind)
{
	const struct task_hint_options *o = v->o;
	const char *name;
	double capacity = o->capacity;

	tasks_lock(v->t);
	name = tasks_component(v->t, component);
	*kind = o->holds ? NULL : wavefront;
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

/* Those whose capacity is of this kind. Who holds none of it is no such component. */
static bool hold(const struct task_view *v, const char *of, struct holding *all)
{
	double *held = task_view_held(v, of);
	const bool done = held;

	for (uint32_t i = 0; held && i < v->count; i++) {
		struct holding *class = &all[v->class_of[i]];
		const char *kind = NULL;
		const double capacity = held[i] > 0 ? capacity_of(v, i, &kind) : 0;

		if (!(capacity > 0) || kind != of)
			continue;
		class->held += held[i];
		class->capacity += capacity;
		class->members++;
	}
	free(held);
	return done;
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
	static const char *const kinds[] = {wavefront, req_in, req_out};
	struct holding *all = calloc(v->classes.count + 1, sizeof(*all));
	bool done = all;

	/* where nothing is said of capacities there is nothing to pass over the tasks for */
	if (v->o->capacity > 0)
		done = done && hold(v, v->o->holds ? NULL : wavefront, all);
	else if (is_specified(v))
		for (size_t i = 0; done && i < sizeof(kinds) / sizeof(kinds[0]); i++)
			done = hold(v, kinds[i], all);
	for (size_t i = 0; done && i < v->classes.count; i++)
		if (all[i].members)
			say_holding(v, h, &v->classes.data[i], &all[i]);
	free(all);
	return done;
}
