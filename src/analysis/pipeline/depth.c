#include "config.h"

#include "analysis/pipeline/depth.h"

#include <math.h>

/*
 * Cycles are below 2^62, n below 2^12, E + S below 2^8, parts of gamma below 2^50 and 2^20: their
 * products fit.
 */
__extension__ typedef __int128 wide;

const char *const depth_states[DEPTH_STATES] = {
#define DEPTH_STATE_TEXT(state, text) text,
    DEPTH_STATE_INFO(DEPTH_STATE_TEXT)
#undef DEPTH_STATE_TEXT
};

/* ---- fractions ----------------------------------------------------------------------------- */

enum { DECIMALS = 6, FRACTION_MOST = 1000000000 };

static int64_t common_divisor(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Digits at *text into *out, which may hold some already; how many. */
static int take_digits(const char **text, int64_t *out)
{
	int digits = 0;

	for (; **text >= '0' && **text <= '9'; (*text)++, digits++) {
		if (*out > INT64_MAX / 20)
			return -1;
		*out = *out * 10 + (**text - '0');
	}
	return digits;
}

bool fraction_parse(const char *text, struct fraction *out)
{
	struct fraction f = {0, 1};
	int digits = take_digits(&text, &f.num), more = 0;
	int64_t divisor;

	if (*text == '.') {
		text++;
		more = take_digits(&text, &f.num);
		for (int i = 0; i < more && more <= DECIMALS; i++)
			f.den *= 10;
	} else if (*text == '/' && digits > 0) {
		text++;
		f.den = 0;
		more = take_digits(&text, &f.den) > 0 ? 0 : -1;
	}
	if (*text || digits < 0 || more < 0 || digits + more == 0 || more > DECIMALS ||
	    f.den == 0 || f.num / f.den > FRACTION_MOST)
		return false;
	divisor = common_divisor(f.num, f.den);
	*out = (struct fraction){f.num / divisor, f.den / divisor};
	return out->den <= 1000000;
}

/* ---- exact comparisons --------------------------------------------------------------------- */

struct family {
	const struct reduction *r;
	const struct depth_options *options;
	struct depth *out;
	int64_t most; /* the last n that can be evaluated */
	struct error *e;
};

static enum status evaluate(const struct family *f, int64_t first, size_t count,
			    struct reduce_cycles *cycles)
{
	const struct depth_options *o = f->options;
	struct pipeline points[DEPTH_POINTS + 1];

	for (size_t i = 0; i < count; i++) {
		int64_t n = first + (int64_t)i;

		points[i] = (struct pipeline){n * f->out->e, n * f->out->s};
	}
	return reduce_evaluate_until(f->r, points, count, o->shorts, o->stop, cycles, f->e);
}

/*
 * Is the pipeline of n + 1, with b cycles, faster than that of n with a? The time is cycles times
 * clock, which is 1 + gamma / (n (E + S)) latches.
 */
static bool longer_is_faster(const struct family *f, int64_t n, int64_t a, int64_t b)
{
	const struct fraction *gamma = &f->options->gamma;
	wide latches = (wide)(f->out->e + f->out->s) * gamma->den;

	return (wide)b * ((n + 1) * latches + gamma->num) * n <
	       (wide)a * (n * latches + gamma->num) * (n + 1);
}

static double gamma_between(const struct family *f, int64_t n, int64_t a, int64_t b)
{
	wide more = (wide)b - a, den = a - n * more;

	if (den <= 0)
		return INFINITY;
	return (double)((wide)(f->out->e + f->out->s) * n * (n + 1) * more) / (double)den;
}

static double speedup_of(const struct family *f, int64_t n, int64_t cycles)
{
	double gamma = (double)f->options->gamma.num / (double)f->options->gamma.den;
	double segments = (double)n * (double)(f->out->e + f->out->s);

	return (double)f->r->instructions / (double)cycles * segments * (gamma + 1) /
	       (segments + gamma);
}

/* ---- the points ---------------------------------------------------------------------------- */

static int64_t data_of(const struct reduce_cycles *c)
{
	return c->data + c->stack + c->self;
}

static enum status fill_points(struct family *f)
{
	struct reduce_cycles cycles[DEPTH_POINTS + 1];
	enum status status = evaluate(f, 1, DEPTH_POINTS + 1, cycles);
	double instructions = (double)f->r->instructions;

	for (int i = 0; i < DEPTH_POINTS && !status; i++) {
		const double now = (double)data_of(&cycles[i]);

		f->out->at[i] = (struct depth_point){
		    .n = i + 1,
		    .cycles = cycles[i],
		    .penalty = now / instructions,
		    .inverse_bandwidth = (double)cycles[i].cycles / instructions,
		    .gamma = gamma_between(f, i + 1, cycles[i].cycles, cycles[i + 1].cycles),
		    .speedup = speedup_of(f, i + 1, cycles[i].cycles),
		    .growth = i && now > 0 ? (now - (double)data_of(&cycles[i - 1])) / now : NAN,
		};
	}
	return status;
}

/* ---- the best n ---------------------------------------------------------------------------- */

/* Cycles are convex in n, so once longer is not faster it never is again: bisection. */
static enum status bisect(struct family *f)
{
	int64_t low = 1, high = f->most; /* the best n is within, or high + 1 */
	struct reduce_cycles c[2];

	while (low < high) {
		int64_t n = low + (high - low) / 2;
		enum status status = evaluate(f, n, 2, c);

		if (status)
			return status;
		if (longer_is_faster(f, n, c[0].cycles, c[1].cycles))
			low = n + 1;
		else
			high = n;
	}
	f->out->best_n = low;
	return STATUS_OK;
}

/* Short branches flush less than in full, and cycles are not convex: every n is looked at. */
static enum status scan(struct family *f)
{
	struct reduce_cycles c[DEPTH_POINTS];
	const struct fraction *gamma = &f->options->gamma;
	wide latches = (wide)(f->out->e + f->out->s) * gamma->den;
	int64_t best_n = 0, best = 0;

	for (int64_t first = 1; first <= f->most; first += DEPTH_POINTS) {
		int64_t count =
		    f->most - first + 1 < DEPTH_POINTS ? f->most - first + 1 : DEPTH_POINTS;
		enum status status = evaluate(f, first, (size_t)count, c);

		for (int64_t i = 0; i < count && !status; i++) {
			int64_t n = first + i;

			if (best_n && (wide)c[i].cycles * (n * latches + gamma->num) * best_n >=
					  (wide)best * (best_n * latches + gamma->num) * n)
				continue;
			best_n = n;
			best = c[i].cycles;
		}
		if (status)
			return status;
	}
	f->out->best_n = best_n;
	return STATUS_OK;
}

/* The last n looked at is no optimum if the next one would be better still. */
static enum status find_best(struct family *f)
{
	int64_t widest = f->out->e > f->out->s ? f->out->e : f->out->s;
	int64_t longest = f->options->shorts ? REDUCE_LENGTH_MOST : REDUCE_CAP;
	struct reduce_cycles c[2];
	enum status status;

	f->most = longest / widest - 1 < DEPTH_MOST ? longest / widest - 1 : DEPTH_MOST;
	status = f->options->shorts ? scan(f) : bisect(f);
	if (!status)
		status = evaluate(f, f->out->best_n, 2, c);
	if (status)
		return status;
	f->out->best_speedup = speedup_of(f, f->out->best_n, c[0].cycles);
	if (f->out->best_n == f->most && longer_is_faster(f, f->most, c[0].cycles, c[1].cycles))
		f->out->best_state = c[0].cycles == c[1].cycles ? DEPTH_GROWS : DEPTH_BEYOND;
	return STATUS_OK;
}

/* ---- the paper's estimators ------------------------------------------------------------------ */

/* From here on an arc of the shape costs E - jS more with every n. */
static int64_t steady_from(const struct shape *shape, int64_t gain)
{
	return ((int64_t)shape->distance - shape->branches + gain - 1) / gain;
}

static int64_t gain_of(const struct depth *d, const struct shape *shape)
{
	return d->e - shape->branches * d->s;
}

static void estimate_growth(struct family *f)
{
	struct depth *d = f->out;
	const struct reduction *r = f->r;
	wide growth = (wide)r->self_resolving * d->e, intercept = 0;
	wide instructions = r->instructions, targets = r->targets, den;

	d->steady = 1;
	for (size_t i = 0; i < shapes_count(&r->shapes); i++) {
		struct shape shape = shapes_get(&r->shapes, (int32_t)i);
		uint64_t count = r->shapes.counts.data[i];
		int64_t gain = gain_of(d, &shape);

		if (gain <= 0 || count == 0)
			continue;
		growth += (wide)count * gain;
		intercept -= (wide)count * (shape.distance - shape.branches);
		if (steady_from(&shape, gain) > d->steady)
			d->steady = steady_from(&shape, gain);
	}
	/* D(n) = n K + intercept, so the denominator does not depend on n. */
	den = instructions - targets + intercept;
	d->growth = (double)growth / (double)instructions;
	d->stacks = r->stacks.list.count > 0;
	d->coefficient =
	    den <= 0 ? INFINITY : (double)((d->e + d->s) * (targets * d->s + growth)) / (double)den;
}

static bool has_arcs(const struct reduction *r)
{
	for (size_t i = 0; i < shapes_count(&r->shapes); i++)
		if (r->shapes.counts.data[i])
			return true;
	return r->self_resolving > 0;
}

static enum status estimate_alpha(struct family *f)
{
	struct depth *d = f->out;
	struct reduce_cycles c;
	enum status status = evaluate(f, d->k, 1, &c);
	wide slots = (wide)d->k * d->e - 1, data, num, den;

	if (status)
		return status;
	data = data_of(&c);
	num = slots * (wide)(f->r->instructions - f->r->targets) - data;
	den = (d->e + d->s) * (slots * (wide)f->r->targets * d->s + d->e * data);
	if (slots <= 0)
		d->alpha_state = DEPTH_K_SHORT;
	else if (data == 0 && has_arcs(f->r))
		d->alpha_state = DEPTH_K_FREE;
	else if (den == 0)
		d->alpha_state = DEPTH_GROWS;
	else
		d->alpha_state = num <= 0 ? DEPTH_ONE : DEPTH_FOUND;
	if (d->alpha_state != DEPTH_FOUND && d->alpha_state != DEPTH_ONE)
		return STATUS_OK;
	d->alpha = (double)num / (double)den;
	d->n_opt =
	    d->alpha_state == DEPTH_ONE
		? 1
		: sqrt(d->alpha * (double)f->options->gamma.num / (double)f->options->gamma.den);
	return STATUS_OK;
}

enum status depth_design(struct depth *out, const struct reduction *r,
			 const struct depth_options *options, struct error *e)
{
	struct family f = {.r = r, .options = options, .out = out, .e = e};
	enum status status;

	*out = (struct depth){.instructions = r->instructions,
			      .gamma = (double)options->gamma.num / (double)options->gamma.den,
			      .e = options->es.num,
			      .s = options->es.den};
	out->k = options->k ? options->k : DEPTH_K;
	if (out->e < 1 || out->s < 1 || out->e > DEPTH_RATIO_MOST || out->s > DEPTH_RATIO_MOST)
		return error_set(e, STATUS_USAGE, "E/S must be a ratio of numbers from 1 to %d",
				 DEPTH_RATIO_MOST);
	if (options->gamma.num < 0 || options->gamma.den < 1)
		return error_set(e, STATUS_USAGE, "gamma must not be negative");
	if (out->k < 1 || out->k > DEPTH_POINTS)
		return error_set(e, STATUS_USAGE, "k must be from 1 to %d", DEPTH_POINTS);
	if (r->instructions == 0)
		return error_set(e, STATUS_INPUT, "no instructions");
	status = fill_points(&f);
	if (!status)
		status = find_best(&f);
	if (!status)
		status = estimate_alpha(&f);
	estimate_growth(&f);
	return status;
}

/* ---- setup --------------------------------------------------------------------------------- */

double setup_latency(const struct setup_parts *p)
{
	return p->fetch + p->decode + p->registers * p->register_cycles +
	       p->operands * p->operand_cycles;
}

int64_t setup_segments(double latency, double bandwidth)
{
	double segments = latency * bandwidth;

	if (!(segments > 1))
		return 1;
	return segments < REDUCE_CAP ? (int64_t)lround(segments) : REDUCE_CAP;
}
