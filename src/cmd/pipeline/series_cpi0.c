/*
 * `series --metric cpi0`: the best CPI of what committed in each bin, and what limits it there.
 */
#include "config.h"

#include <stdlib.h>

#include "analysis/pipeline/cpi0_files.h"
#include "analysis/pipeline/cpi0_trace.h"
#include "analysis/pipeline/cpi0_words.h"
#include "base/xalloc.h"
#include "cmd/series.h"
#include "pipeline/kind.h"

struct limits {
	struct machine machine;
	unsigned sets[]; /* one a bin */
};

static enum status cpi0_fill_bins(struct limits *l, struct store *s, const struct cmd_options *o,
				  int64_t from, int64_t to, double *values, struct error *e)
{
	struct cpi0_point *points = xcalloc((size_t)o->bins, sizeof(*points));
	struct range r = range_all(s);
	struct codemap map;
	enum status status = codemap_new(&map, s, ISA_UNKNOWN, e);

	r.tick0 = from;
	r.tick1 = to;
	if (!status)
		status = cpi0_series(points, (size_t)o->bins, s, &map, &r, &l->machine, NULL, e);
	for (uint64_t i = 0; !status && i < o->bins; i++) {
		values[i] = points[i].cpi;
		l->sets[i] = points[i].limiting;
	}
	codemap_free(&map);
	free(points);
	return status;
}

static enum status cpi0_fill(void **own, struct trace *t, const struct cmd_options *o, int64_t from,
			     int64_t to, double *values, struct error *e)
{
	struct store *s = store_of_trace(t);
	struct limits *l;
	enum status status;

	if (!s)
		return error_set(e, STATUS_INPUT, "%s needs a trace of instructions; this is: %s",
				 CPI0_METRIC, t->format.title);
	l = xcalloc(1, sizeof(*l) + (size_t)o->bins * sizeof(l->sets[0]));
	status = cpi0_machine_open(&l->machine,
				   o->cpi0.machine ? o->cpi0.machine : CPI0_MACHINE_DEFAULT, e);
	if (!status && from < to)
		status = cpi0_fill_bins(l, s, o, from, to, values, e);
	*own = l;
	return status;
}

/* All that limit a bin, as names; null where nothing was committed. */
static void put_set(struct json *w, const struct machine *m, unsigned set)
{
	if (!set) {
		json_string(w, NULL);
		return;
	}
	json_array(w);
	for (; set; set &= set - 1)
		json_string(w, cpi0_limit_name(m, __builtin_ctz(set)));
	json_array_end(w);
}

static enum status cpi0_json(const void *own, size_t bins, struct output *out, struct error *e)
{
	const struct limits *l = own;
	struct json *w = &out->json;
	enum status status = STATUS_OK;

	json_key(w, "machine");
	json_string(w, l->machine.name);
	json_key(w, "limiting");
	json_array(w);
	for (size_t i = 0; !status && i < bins; i++) {
		put_set(w, &l->machine, l->sets[i]);
		status = output_drain(out, e);
	}
	json_array_end(w);
	return status;
}

static void cpi0_heading(const void *own, struct sbuf *out)
{
	const struct limits *l = own;

	sbuf_printf(out, "  limited by, on %s", l->machine.name);
}

static void cpi0_say(const void *own, size_t bins, size_t bin, struct sbuf *out)
{
	const struct limits *l = own;

	(void)bins;
	if (!l->sets[bin])
		return;
	sbuf_puts(out, "  ");
	cpi0_say_limits(&l->machine, l->sets[bin], out);
}

const struct series_metric cpi0_series_metric = {
    .name = CPI0_METRIC,
    .fill = cpi0_fill,
    .free = free,
    .json = cpi0_json,
    .heading = cpi0_heading,
    .say = cpi0_say,
};
