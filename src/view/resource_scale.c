#include "config.h"

#include "view/resource_scale.h"

#include <math.h>
#include <string.h>

#include "base/num.h"

enum status scale_parse(const char *text, struct scale *out, struct error *e)
{
	const char *colon = strchr(text, ':');
	char low[64];
	struct scale s = {SCALE_GIVEN, 0, 0};

	if (strcmp(text, "auto") == 0) {
		*out = (struct scale){SCALE_AUTO, 0, 0};
		return STATUS_OK;
	}
	if (strcmp(text, "shared") == 0) {
		*out = (struct scale){SCALE_SHARED, 0, 0};
		return STATUS_OK;
	}
	if (!colon)
		return error_set(e, STATUS_USAGE, "a scale must be auto, shared or LOW:HIGH, not: %s",
				 text);
	if (!num_parse_real(num_part(text, (size_t)(colon - text), low), &s.low) || !num_parse_real(colon + 1, &s.high))
		return error_set(e, STATUS_USAGE, "a scale must be two numbers, LOW:HIGH, not: %s",
				 text);
	if (!(s.low < s.high) || !isfinite(s.high - s.low))
		return error_set(e, STATUS_USAGE, "a scale must begin with its lower end: %s", text);
	*out = s;
	return STATUS_OK;
}

void scale_show(const struct scale *s, struct sbuf *out)
{
	char low[32], high[32];

	if (s->kind == SCALE_GIVEN)
		sbuf_printf(out, "%s:%s", num_real(s->low, low), num_real(s->high, high));
	else
		sbuf_puts(out, s->kind == SCALE_AUTO ? "auto" : "shared");
}

/* The smallest of 1, 2, 2.5, 4, 5, 8 times a power of ten that is not below x > 0. */
static double round_number(double x)
{
	static const double mantissas[] = {1, 2, 2.5, 4, 5, 8, 10};
	double power = pow(10, floor(log10(x)));

	for (size_t i = 0; i < sizeof(mantissas) / sizeof(mantissas[0]); i++)
		if (mantissas[i] * power >= x * (1 - 1e-12))
			return mantissas[i] * power;
	return x;
}

struct scale_range scale_join(struct scale_range a, struct scale_range b)
{
	return (struct scale_range){fmin(a.low, b.low), fmax(a.high, b.high)};
}

/*
 * It begins at zero, so that the height is the value; but for a counter, whose slope would drown in
 * what was counted before.
 */
struct scale_range scale_round(struct scale_range r, bool counter)
{
	bool constant = r.low == r.high;
	double step;

	if (r.low > r.high)
		return (struct scale_range){0, 1};
	if (r.low > 0 && !(counter && r.low >= r.high / 2 && !constant))
		r.low = 0;
	if (r.high < 0)
		r.high = 0;
	if (constant && r.low < r.high) /* full: nothing to be compared with */
		return r;
	step = r.high > r.low ? round_number(r.high - r.low) / 4 : 1;
	if (!isfinite(step)) /* what a trace may hold, but no axis */
		return r;
	r.low = floor(r.low / step) * step;
	r.high = ceil(r.high / step) * step;
	if (r.high <= r.low)
		r.high = r.low + step;
	return r;
}
