#include "config.h"

#include "analysis/pipeline/reduce_operands.h"

#include <stdlib.h>
#include <string.h>

enum { FEW = 16 }; /* so many are compared with each other, more are sorted */

static int compare_nodes(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void drop_repeated(struct resolvers *r)
{
	int64_t *list = r->list.data;
	size_t kept = 0;

	if (r->list.count > FEW)
		qsort(list, r->list.count, sizeof(*list), compare_nodes);
	for (size_t i = 0; i < r->list.count; i++) {
		size_t k = r->list.count > FEW && kept ? kept - 1 : 0;

		while (k < kept && list[k] != list[i])
			k++;
		if (k == kept)
			list[kept++] = list[i];
	}
	r->list.count = kept;
}

/* A vector of zeros that has an element at index. */
static bool make_writer(struct operands *o, uint32_t index)
{
	size_t more = (size_t)index + 1 - o->writers.count;

	if (!vec_reserve(&o->writers, more))
		return false;
	memset(o->writers.data + o->writers.count, 0, more * sizeof(*o->writers.data));
	o->writers.count += more;
	return true;
}

bool operands_resolve(struct operands *o, int64_t node, const uint32_t *sources,
		      size_t source_count, const uint32_t *sinks, size_t sink_count,
		      struct resolvers *out)
{
	out->list.count = 0;
	out->sources += source_count;
	if (!vec_reserve(&out->list, source_count))
		return false;
	for (size_t i = 0; i < source_count; i++) {
		int64_t writer = sources[i] < o->writers.count ? o->writers.data[sources[i]] : 0;

		if (writer)
			out->list.data[out->list.count++] = writer - 1;
		else
			out->cold++;
	}
	if (out->list.count == 2)
		out->list.count -= out->list.data[0] == out->list.data[1];
	else if (out->list.count > 2)
		drop_repeated(out);
	for (size_t i = 0; i < sink_count; i++) {
		if (sinks[i] >= o->writers.count && !make_writer(o, sinks[i]))
			return false;
		o->writers.data[sinks[i]] = node + 1;
	}
	return true;
}

bool resolvers_set(struct resolvers *out, int64_t node, const int64_t *from, size_t count)
{
	out->list.count = 0;
	out->sources += count;
	if (!vec_reserve(&out->list, count))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (from[i] >= node)
			out->ahead++;
		else if (from[i] < 0)
			out->cold++;
		else
			out->list.data[out->list.count++] = from[i];
	}
	if (out->list.count > 1)
		drop_repeated(out);
	return true;
}

void operands_free(struct operands *o)
{
	vec_free(&o->writers);
}

void resolvers_free(struct resolvers *r)
{
	vec_free(&r->list);
}
