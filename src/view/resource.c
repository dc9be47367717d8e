#include "config.h"

#include "view/resource.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

enum { RANGE_END = 5 /* columns */ };

static int find_own(const struct resource_look *look, const char *name)
{
	for (int i = 0; i < look->own_count; i++)
		if (strcmp(look->own[i].name, name) == 0)
			return i;
	return -1;
}

const struct scale *resource_scale(const struct resource_look *look, const char *name)
{
	int i = name ? find_own(look, name) : -1;

	return i < 0 ? &look->scale : &look->own[i].scale;
}

bool resource_set_scale(struct resource_look *look, const char *name, const struct scale *scale)
{
	int i = name ? find_own(look, name) : -1;

	if (!name) {
		look->scale = *scale;
		look->own_count = 0;
		return true;
	}
	if (i < 0 && look->own_count == RESOURCE_MAX)
		return false;
	if (i < 0)
		i = look->own_count++;
	snprintf(look->own[i].name, sizeof(look->own[i].name), "%s", name);
	look->own[i].scale = *scale;
	return true;
}

int resource_selected(const struct resource_look *look, const struct resource_line *lines, int n)
{
	int first = -1;

	for (int i = n; i-- > 0;) {
		if (lines[i].hidden)
			continue;
		if (strcmp(lines[i].name, look->selected) == 0)
			return i;
		first = i;
	}
	return first;
}

void resource_select_next(struct resource_look *look, const struct resource_line *lines, int n,
			  int dir)
{
	int at = resource_selected(look, lines, n);

	for (int i = 1; at >= 0 && i <= n; i++) {
		int next = ((at + (dir < 0 ? -i : i)) % n + n) % n;

		if (lines[next].hidden)
			continue;
		snprintf(look->selected, sizeof(look->selected), "%s", lines[next].name);
		return;
	}
}

/* A component that is meant whole, "^a\.b$", reads as its name. */
static void put_name(struct sbuf *out, const char *name)
{
	const char *anchor = strstr(name, " ^"), *end = name + strlen(name);

	if (!anchor || end[-1] != '$') {
		sbuf_puts(out, name);
		return;
	}
	sbuf_add(out, name, (size_t)(anchor + 1 - name));
	for (const char *p = anchor + 2; p < end - 1; p++)
		if (*p != '\\')
			sbuf_putc(out, *p);
}

/* What has a unit is told by the cycle anyway, as IPC is. */
void resource_label(const struct axis *a, const struct resource_line *line, struct sbuf *out)
{
	bool cycles = axis_has_cycles(a);
	int owner = curve_owner(&line->source, a, a->tick);

	put_name(out, line->name);
	if (owner >= 0)
		sbuf_printf(out, " %s", line->source.given->looks[owner].name);
	if (a->step == 1 || !line->source.metric.rate)
		return;
	if (!cycles || !line->source.metric.unit)
		sbuf_printf(out, "/%s", axis_unit(a));
}

bool resource_per_thousand(const struct resource_line *line)
{
	return line->source.metric.unit && strcmp(line->source.metric.unit, "1/cycle") == 0;
}

const char *resource_number(const struct resource_line *line, double value, int width, char buf[32])
{
	const bool share = line->source.metric.share;

	value *= share ? 100 : resource_per_thousand(line) ? 1000 : 1;
	num_short_of(value, line->source.metric.unit, width - share, buf);
	return share ? strcat(buf, "%") : buf;
}

const char *resource_value(const struct resource_line *line, const struct curve_reading *r,
			   int width, char buf[40])
{
	char number[32];

	if (isnan(r->value))
		buf[0] = '\0';
	else
		snprintf(buf, 40, "%s%s", r->interpolated ? "~" : "",
			 resource_number(line, r->value, width - r->interpolated, number));
	return buf;
}

const char *resource_range(const struct resource_line *line, struct scale_range range, int width,
			   char buf[72])
{
	const char *unit = line->source.metric.unit;
	const char *by = resource_per_thousand(line)		   ? "/kcycle"
			 : unit && strncmp(unit, "1/", 2) == 0 ? unit + 1
							       : "";
	char low[32], high[32];
	int used = snprintf(buf, 72, "%s..%s",
			    line->source.metric.share
				? num_short(100 * range.low, RANGE_END, low)
				: resource_number(line, range.low, RANGE_END, low),
			    resource_number(line, range.high, RANGE_END, high));

	if (used + (int)strlen(by) <= width)
		snprintf(buf + used, 72 - (size_t)used, "%s", by);
	return buf;
}

const char *resource_time(const struct axis *a, int width, char buf[64])
{
	struct sbuf at = {0};
	char number[40];

	axis_tell_tick(a, &at);
	if (snprintf(buf, 64, "%s", sbuf_text(&at)) > width &&
	    snprintf(buf, 64, "%s", axis_text(a, axis_time(a, a->tick), number)) > width)
		buf[0] = '\0';
	sbuf_free(&at);
	return buf;
}

char resource_key(int line)
{
	return (char)('0' + (line + 1) % RESOURCE_MAX);
}
