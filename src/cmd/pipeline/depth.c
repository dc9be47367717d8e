#include "config.h"

#include "analysis/pipeline/depth.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/pipeline/reduce.h"

static void put_real(struct json *w, const char *key, double value)
{
	json_key(w, key);
	json_real(w, value); /* infinite: null */
}

static void put_int(struct json *w, const char *key, int64_t value)
{
	json_key(w, key);
	json_int(w, value);
}

static void put_list(struct json *w, const char *key, const struct depth *d,
		     double (*of)(const struct depth_point *p))
{
	json_key(w, key);
	json_array(w);
	for (int i = 0; i < DEPTH_POINTS; i++)
		json_real(w, of(&d->at[i]));
	json_array_end(w);
}

static double penalty_of(const struct depth_point *p)
{
	return p->penalty;
}

static double gamma_of(const struct depth_point *p)
{
	return p->gamma;
}

static double speedup_of(const struct depth_point *p)
{
	return p->speedup;
}

static double inverse_bandwidth_of(const struct depth_point *p)
{
	return p->inverse_bandwidth;
}

/* A number, or why there is none. */
static void put_estimate(struct json *w, const char *key, double value, enum depth_state state)
{
	json_key(w, key);
	state == DEPTH_FOUND || state == DEPTH_ONE ? json_real(w, value) : json_null(w);
}

static void depth_json(const struct reduce_answer *a, const struct depth *d, struct output *out)
{
	struct json *w = &out->json;

	json_object(w);
	put_int(w, "e", d->e);
	put_int(w, "s", d->s);
	put_list(w, "D", d, penalty_of);
	put_list(w, "gamma_n", d, gamma_of);
	put_list(w, "speedup", d, speedup_of);
	put_list(w, "inverse_bandwidth", d, inverse_bandwidth_of);
	put_real(w, "K", d->growth);
	put_int(w, "K_from", d->steady);
	put_real(w, "coefficient", d->coefficient);
	put_int(w, "k", d->k);
	put_estimate(w, "alpha", d->alpha, d->alpha_state);
	put_estimate(w, "n_opt", d->n_opt, d->alpha_state);
	json_key(w, "best_n");
	d->best_state == DEPTH_FOUND ? json_int(w, d->best_n) : json_null(w);
	json_key(w, "best_speedup");
	d->best_state == DEPTH_FOUND ? json_real(w, d->best_speedup) : json_null(w);
	json_key(w, "note");
	d->best_state == DEPTH_FOUND ? json_null(w) : json_string(w, depth_states[d->best_state]);
	json_key(w, "estimate");
	json_bool(w, a->estimate);
	json_object_end(w);
	sbuf_putc(&out->text, '\n');
}

static void put_points(const struct depth *d, struct sbuf *out)
{
	sbuf_printf(out, "%4s %6s %6s %12s %12s %12s %10s\n", "n", "N_E", "N_S", "cycles/instr",
		    "D(n)", "gamma_n", "speedup");
	for (int i = 0; i < DEPTH_POINTS; i++) {
		const struct depth_point *p = &d->at[i];

		sbuf_printf(out, "%4" PRId64 " %6" PRId64 " %6" PRId64 " %12.4f %12.5f", p->n,
			    p->cycles.at.execute, p->cycles.at.setup, p->inverse_bandwidth,
			    p->penalty);
		isinf(p->gamma) ? sbuf_printf(out, " %12s", "never")
				: sbuf_printf(out, " %12.3f", p->gamma);
		sbuf_printf(out, " %10.4f%s\n", p->speedup,
			    d->best_state == DEPTH_FOUND && p->n == d->best_n ? "  <- best" : "");
	}
}

static void depth_text(const struct reduce_answer *a, const struct cmd_options *o,
		       const struct depth *d, struct sbuf *out)
{
	sbuf_printf(out, "%s: %" PRIu64 " instruction%s%s\n", o->files.data[0],
		    a->reduction.instructions, a->reduction.instructions == 1 ? "" : "s",
		    a->estimate ? " (an estimate: see reduce)" : "");
	sbuf_printf(out, "pipelines of n x %" PRId64 " execution and n x %" PRId64
			 " setup segments, gamma %g\n\n",
		    d->e, d->s, (double)o->gamma.num / (double)o->gamma.den);
	put_points(d, out);
	sbuf_puts(out, "\nexact: ");
	if (d->best_state == DEPTH_FOUND)
		sbuf_printf(out, "best n = %" PRId64 ", %.4f times as fast as n = 1 unpipelined\n",
			    d->best_n, d->best_speedup);
	else
		sbuf_printf(out, "%s\n", depth_states[d->best_state]);
	sbuf_printf(out, "the paper's estimators at k = %" PRId64 ": ", d->k);
	if (d->alpha_state == DEPTH_FOUND || d->alpha_state == DEPTH_ONE)
		sbuf_printf(out, "alpha = %.5f, n_opt = %.3f%s%s\n", d->alpha, d->n_opt,
			    d->alpha_state == DEPTH_ONE ? "; " : "",
			    depth_states[d->alpha_state]);
	else
		sbuf_printf(out, "%s\n", depth_states[d->alpha_state]);
	sbuf_printf(out, "K = %.5f from n = %" PRId64 " on%s; gamma_n = %.5g n (n + 1)\n", d->growth,
		    d->steady, d->stacks ? " (stacks left out)" : "", d->coefficient);
}

enum status cmd_depth(const struct cmd_options *o, struct output *out, struct error *e)
{
	const struct depth_options options = {
	    .es = o->es, .gamma = o->gamma, .k = o->k, .shorts = o->shorts};
	int64_t length = 1; /* depth_design() looks at its own pipelines: none is to be simulated */
	struct cmd_options one = *o;
	struct reduce_answer a;
	struct depth d;
	enum status status;

	one.ne = one.ns = (lengths_vec){&length, 1, 1};
	status = reduce_answer_new(&a, &one, out, e);

	if (!status)
		status = depth_design(&d, &a.reduction, &options, e);
	if (!status && o->json)
		depth_json(&a, &d, out);
	else if (!status)
		depth_text(&a, o, &d, &out->text);
	reduce_answer_free(&a);
	return status;
}
