#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/compare.h"

enum { LINES = 20 }; /* of the table, where no number is asked for: what is different most */

enum { A, B };

/* A metric of both; NaN: that one has none. */
struct pair {
	const char *name, *component, *unit;
	double value[COMPARE_SIDES];
	double delta, relative;
};

struct metrics {
	VEC(struct pair) pairs;
	size_t common, different, alone[COMPARE_SIDES];
};

/* ---- pairs ---- */

/* Of the machine that simulated, not of the simulated one: it says the least of all. */
static bool is_host(const struct pair *p)
{
	return strncmp(p->name, "host", 4) == 0 &&
	       (p->name[4] == '_' || (p->name[4] >= 'A' && p->name[4] <= 'Z'));
}

static bool in_both(const struct pair *p)
{
	return !isnan(p->value[A]) && !isnan(p->value[B]);
}

static bool add_side(struct metrics *m, const struct trace *t, int side)
{
	struct metric_info info;

	for (size_t i = 0; t->kind->metric(t, i, &info); i++) {
		struct pair p = {info.name, info.component ? info.component : "", info.unit,
				 {NAN, NAN}, NAN, NAN};

		if (!info.samples)
			continue;
		p.value[side] = info.rate ? info.total : info.total / (double)info.samples;
		if (!vec_push(&m->pairs, p))
			return false;
	}
	return true;
}

static int by_name(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	int order = strcmp(x->component, y->component);

	return order ? order : strcmp(x->name, y->name);
}

/* Both sides of a name lie beside each other. */
static void join_pairs(struct metrics *m)
{
	struct pair *to = m->pairs.data;

	for (size_t i = 0; i < m->pairs.count; i++) {
		struct pair *p = &m->pairs.data[i];

		if (to == m->pairs.data || by_name(to - 1, p) != 0) {
			*to++ = *p;
			continue;
		}
		for (int s = 0; s < COMPARE_SIDES; s++)
			if (!isnan(p->value[s]))
				to[-1].value[s] = p->value[s];
	}
	m->pairs.count = (size_t)(to - m->pairs.data);
}

/* From nothing to something is more than any share; JSON has no number for it. */
static void work_out(struct metrics *m)
{
	for (size_t i = 0; i < m->pairs.count; i++) {
		struct pair *p = &m->pairs.data[i];

		m->alone[A] += isnan(p->value[B]);
		m->alone[B] += isnan(p->value[A]);
		if (!in_both(p))
			continue;
		p->delta = p->value[B] - p->value[A];
		p->relative = p->delta == 0 ? 0 : p->delta / fabs(p->value[A]);
		m->common++;
		m->different += p->delta != 0;
	}
}

/* What stands first: the greatest difference; -1: there is none to tell. */
static double weight(const struct pair *p)
{
	return in_both(p) ? fabs(p->relative) : -1;
}

static int by_difference(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	double wx = weight(x), wy = weight(y);

	if (is_host(x) != is_host(y))
		return is_host(x) ? 1 : -1;
	if (wx != wy)
		return wx > wy ? -1 : 1;
	return by_name(a, b);
}

static bool pair_up(struct metrics *m, struct trace *const sides[COMPARE_SIDES])
{
	for (int s = 0; s < COMPARE_SIDES; s++)
		if (!add_side(m, sides[s], s))
			return false;
	if (!m->pairs.count)
		return true;
	qsort(m->pairs.data, m->pairs.count, sizeof(m->pairs.data[0]), by_name);
	join_pairs(m);
	work_out(m);
	qsort(m->pairs.data, m->pairs.count, sizeof(m->pairs.data[0]), by_difference);
	return true;
}

/* ---- the table ---- */

static size_t pair_rows(const void *result)
{
	const struct metrics *m = result;

	return m->pairs.count;
}

static const void *pair_of(const void *result, size_t row)
{
	const struct metrics *m = result;

	return &m->pairs.data[row];
}

static struct value pair_component(const void *result, size_t row, size_t part)
{
	const struct pair *p = pair_of(result, row);

	(void)part;
	return *p->component ? value_text(p->component) : value_none();
}

static struct value pair_relative(const void *result, size_t row, size_t part)
{
	const struct pair *p = pair_of(result, row);

	(void)part;
	return isfinite(p->relative) ? value_real(p->relative) : value_none();
}

static const struct field pair_fields[] = {
    {FIELD(TEXT, "name", pair_of, struct pair, name)},
    {FIELD_BY(TEXT, "component", pair_component)},
    {FIELD(REAL, "a", pair_of, struct pair, value[A]), .heading = "A"},
    {FIELD(REAL, "b", pair_of, struct pair, value[B]), .heading = "B"},
    {FIELD(REAL, "delta", pair_of, struct pair, delta), .heading = "B - A", .sign = true},
    {FIELD_BY(REAL, "relative", pair_relative), .decimals = 1, .sign = true, .percent = true},
    {.key = NULL},
};

static const struct section pair_section = {SECTION(LIST, "metrics", pair_rows, pair_fields)};

/* ---- output ---- */

static enum status put_json(struct output *out, const struct metrics *m,
			    struct trace *const sides[COMPARE_SIDES], const struct cmd_options *o,
			    struct error *e)
{
	struct json *w = &out->json;
	enum status status;

	json_object(w);
	for (int s = 0; s < COMPARE_SIDES; s++) {
		json_key(w, s == A ? "a" : "b");
		json_object(w);
		compare_json_side(w, o->files.data[s], sides[s]);
		json_object_end(w);
	}
	status = output_json_section(out, &pair_section, m, o->limit, e);
	json_object_end(w);
	sbuf_putc(&out->text, '\n');
	return status;
}

static void text_summary(struct output *out, const struct metrics *m, const struct cmd_options *o)
{
	for (int s = 0; s < COMPARE_SIDES; s++) {
		const char *name = o->files.data[s];

		sbuf_printf(&out->text, "%c ", s == A ? 'A' : 'B');
		output_cell(out, name, strlen(name), OUTPUT_COLUMNS - 2, false);
		sbuf_putc(&out->text, '\n');
	}
	sbuf_printf(&out->text, "%zu metric%s in both, %zu of them different", m->common,
		    m->common == 1 ? "" : "s", m->different);
	for (int s = 0; s < COMPARE_SIDES; s++)
		if (m->alone[s])
			sbuf_printf(&out->text, "; %zu only in %c", m->alone[s], s == A ? 'A' : 'B');
	sbuf_putc(&out->text, '\n');
}

static enum status put_text(struct output *out, const struct metrics *m,
			    const struct cmd_options *o, struct error *e)
{
	const struct output_table how = {.limit = o->limit != UINT64_MAX ? o->limit : LINES,
					 .columns = o->wide ? 0 : OUTPUT_COLUMNS};

	text_summary(out, m, o);
	return m->pairs.count ? output_table(out, &pair_section, m, &how, e) : STATUS_OK;
}

enum status compare_metrics(struct trace *const sides[COMPARE_SIDES], const struct cmd_options *o,
			    struct output *out, struct error *e)
{
	struct metrics m = {0};
	enum status status;

	if (o->from != TICK_UNSET || o->to != TICK_UNSET || o->pair.given ||
	    o->by != ALIGN_BY_COMMIT)
		return error_set(e, STATUS_USAGE,
				 "compare: --from, --to, --by and --pair are for instructions");
	if (!pair_up(&m, sides))
		status = error_set(e, STATUS_NOMEM, "not enough memory to compare the traces");
	else if (o->json)
		status = put_json(out, &m, sides, o, e);
	else if (o->csv)
		status = output_csv(out, &pair_section, &m, o->limit, e);
	else
		status = put_text(out, &m, o, e);
	vec_free(&m.pairs);
	return status;
}
