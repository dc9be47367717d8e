#include "config.h"

#include "reduce_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- traces -------------------------------------------------------------------------------- */

bool model_add_arc(struct model_trace *t, int dependent, int resolver)
{
	for (int i = 0; i < t->arc_count; i++)
		if (t->arcs[i].dependent == dependent && t->arcs[i].resolver == resolver)
			return false;
	if (t->arc_count == MODEL_ARCS)
		return false;
	t->arcs[t->arc_count++] = (struct model_arc){dependent, resolver, 0, 0, 0};
	return true;
}

void model_parse(struct model_trace *t, const char *text)
{
	memset(t, 0, sizeof(*t));
	for (char before = ' '; *text; before = *text++) {
		int number = atoi(text);
		bool resolver = strchr("-,", before) != NULL;

		t->target[t->nodes] |= *text == '*';
		t->self[t->nodes] |= *text == 's';
		if (*text < '0' || *text > '9')
			continue;
		text += strspn(text, "0123456789") - 1;
		if (!resolver)
			t->nodes = number;
		else if (number == t->nodes)
			t->self[number] = true;
		else
			model_add_arc(t, t->nodes, number);
	}
}

/* ---- reductions ---------------------------------------------------------------------------- */

/* Arcs by resolver: a chain ends where the next arc begins behind all of it. Gives each its place.
 */
static void find_chains(struct model_arc *arcs, int count, int lengths[])
{
	int end = 0, chain = -1, place = 0;

	for (int i = 1; i < count; i++)
		for (int k = i; k > 0 && arcs[k].resolver < arcs[k - 1].resolver; k--) {
			struct model_arc arc = arcs[k];

			arcs[k] = arcs[k - 1];
			arcs[k - 1] = arc;
		}
	for (int i = 0; i < count; i++) {
		if (chain < 0 || arcs[i].resolver >= end) {
			if (chain >= 0)
				lengths[place]++;
			chain++;
			place = 0;
			end = 0;
		}
		arcs[i].chain = chain;
		arcs[i].place = place++;
		if (arcs[i].dependent > end)
			end = arcs[i].dependent;
	}
	if (chain >= 0)
		lengths[place]++;
}

static int count_branches(const struct model_trace *t, const struct model_arc *a,
			  enum reading reading)
{
	int first = a->resolver + 1, last = a->dependent, branches = 0;

	if (reading == J_WITHOUT_DEPENDENT)
		last--;
	if (reading == J_WITH_RESOLVER)
		first--;
	if (reading == J_COUNTS_BRANCHES) { /* node i is one when i + 1 is a target */
		first++;
		last++;
	}
	for (int i = first; i <= last; i++)
		branches += t->target[i];
	return branches;
}

static int reduce_first(const struct model_trace *t, enum reading reading, struct model_arc *out)
{
	int count = 0;

	for (int node = 1; node <= t->nodes; node++) {
		int closest = 0;

		for (int i = 0; i < t->arc_count; i++)
			if (t->arcs[i].dependent == node && t->arcs[i].resolver > closest)
				closest = t->arcs[i].resolver;
		if (closest && !(reading == SELF_IS_CLOSEST && t->self[node]))
			out[count++] = (struct model_arc){node, closest, 0, 0, 0};
	}
	return count;
}

static bool is_around(const struct model_trace *t, const struct model_arc *in, int count, int j)
{
	for (int i = 0; i < count; i++)
		if (i != j && in[j].resolver <= in[i].resolver &&
		    in[i].dependent <= in[j].dependent)
			return true;
	for (int node = in[j].resolver; node < in[j].dependent; node++)
		if (t->self[node])
			return true;
	return false;
}

static int reduce_second(const struct model_trace *t, const struct model_arc *in, int count,
			 struct model_arc *out)
{
	int kept = 0;

	for (int j = 0; j < count; j++)
		if (!is_around(t, in, count, j))
			out[kept++] = in[j];
	return kept;
}

struct third {
	const struct model_trace *t;
	enum reading reading;
	bool plus;
	struct model_arc *kept;
	int count;
};

static bool is_delay(const struct third *c, int node)
{
	if (c->t->self[node])
		return true;
	if (c->t->target[node] && !c->plus && c->reading != R3_IGNORES_TARGETS)
		return true;
	for (int i = 0; i < c->count && c->reading != R3_IGNORES_DEPENDENTS; i++)
		if (c->kept[i].dependent == node)
			return true;
	return false;
}

static bool covers(const struct third *c, const struct model_arc *i, const struct model_arc *j)
{
	int di = i->dependent - i->resolver, dj = j->dependent - j->resolver;
	int last = c->reading == R3_LEAVES_OUT_J0 ? j->resolver - 1 : j->resolver;

	if (!(i->resolver < j->resolver && j->resolver < i->dependent &&
	      i->dependent < j->dependent))
		return false;
	if (c->reading == R3_REVERSED ? di < dj : c->reading != R3_ANY_DISTANCE && di > dj)
		return false;
	if (c->plus &&
	    count_branches(c->t, i, READING_RIGHT) > count_branches(c->t, j, READING_RIGHT))
		return false;
	for (int node = i->resolver + 1; node <= last; node++)
		if (is_delay(c, node))
			return false;
	return true;
}

static void reduce_third(struct third *c, const struct model_arc *in, int count)
{
	for (int j = 0; j < count; j++) {
		bool covered = false;

		for (int i = 0; i < c->count; i++)
			covered |= covers(c, &c->kept[i], &in[j]);
		if (!covered)
			c->kept[c->count++] = in[j];
	}
}

void model_reduce(const struct model_trace *t, enum reading reading, bool r3plus,
		  struct model_stats *out)
{
	struct model_arc first[MODEL_NODES + 2], second[MODEL_NODES + 2];
	struct third third = {t, reading, r3plus, out->kept, 0};

	memset(out, 0, sizeof(*out));
	for (int i = 1; i <= t->nodes; i++) {
		out->targets += t->target[i];
		out->self += t->self[i];
	}
	out->arcs[0] = t->arc_count;
	out->arcs[1] = reduce_first(t, reading, first);
	out->arcs[2] = reduce_second(t, first, out->arcs[1], second);
	if (reading == SINGLES_AFTER_R2)
		memcpy(out->kept, second, sizeof(second));
	else
		reduce_third(&third, second, out->arcs[2]);
	out->kept_count = reading == SINGLES_AFTER_R2 ? out->arcs[2] : third.count;
	out->arcs[3] = out->kept_count;
	find_chains(first, out->arcs[1], out->chains[1]);
	find_chains(second, out->arcs[2], out->chains[2]);
	find_chains(out->kept, out->kept_count, out->chains[3]);
	for (int i = 0; i < out->kept_count; i++)
		out->kept[i].branches = count_branches(t, &out->kept[i], reading);
}

/* ---- cycles -------------------------------------------------------------------------------- */

static int64_t above_zero(int64_t x)
{
	return x > 0 ? x : 0;
}

static int64_t flush_at(const struct model_trace *t, int node, int setup, bool shorts)
{
	if (!t->target[node])
		return 0;
	return (shorts && t->ahead[node] && t->ahead[node] < setup ? t->ahead[node] : setup) - 1;
}

static bool spans(const struct model_arc *a, const struct model_arc *before, enum reading reading)
{
	if (reading == STEP6_NO_SPAN)
		return true;
	return a->resolver < before->dependent + (reading == STEP6_TOUCHING);
}

/* What the arcs cost; those of a stack one after the other, as step 6 says. */
static int64_t model_data(const struct model_trace *t, const struct model_stats *s,
			  enum reading reading, int execute, int setup, bool shorts)
{
	int64_t lost[MODEL_NODES + 2], sum = 0;

	for (int i = 0; i < s->kept_count; i++) {
		const struct model_arc *a = &s->kept[i];
		int64_t span = a->dependent - a->resolver;

		for (int node = a->resolver + 1; shorts && node <= a->dependent; node++)
			span += flush_at(t, node, setup, true);
		if (!shorts)
			span += (int64_t)a->branches * (setup - 1);
		for (int k = i - a->place; k < i; k++) {
			if (reading == STACK_OWN_DISTANCE || reading == SINGLES_AFTER_R2 ||
			    !spans(a, &s->kept[k], reading))
				continue;
			span += lost[k];
			if (reading == STEP6_WITH_FLUSH)
				span += flush_at(t, s->kept[k].dependent, setup, shorts);
		}
		lost[i] = above_zero(execute - span);
		if (!(reading == STACK_OLDEST_ONLY && a->place))
			sum += lost[i];
	}
	return sum;
}

int64_t model_formula(const struct model_trace *t, const struct model_stats *s,
		      enum reading reading, int execute, int setup, bool shorts)
{
	int64_t cycles = t->nodes + (int64_t)s->self * execute;

	for (int i = 1; i <= t->nodes; i++)
		cycles += flush_at(t, i, setup, shorts);
	if (reading != SUPERPOSED)
		return cycles + model_data(t, s, reading, execute, setup, shorts);
	for (int i = 0; i < t->arc_count; i++)
		cycles += above_zero(execute - (t->arcs[i].dependent - t->arcs[i].resolver));
	return cycles;
}

int64_t model_simulate(const struct model_trace *t, int execute, int setup, bool shorts)
{
	int64_t done[MODEL_NODES + 2], now = 0; /* done: when the result is there */

	for (int node = 1; node <= t->nodes; node++) {
		now += 1 + flush_at(t, node, setup, shorts);
		for (int i = 0; i < t->arc_count; i++)
			if (t->arcs[i].dependent == node && done[t->arcs[i].resolver] > now)
				now = done[t->arcs[i].resolver];
		done[node] = now + execute;
		if (t->self[node])
			now += execute;
	}
	return now;
}
