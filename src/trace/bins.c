#include "config.h"

#include "trace/bins.h"

#include <stdlib.h>

bool bins_make(struct bins *b, int64_t from, int64_t to, size_t n, size_t curves)
{
	*b = (struct bins){.from = from, .to = to, .n = n, .curves = curves};
	b->length = (uint64_t)to - (uint64_t)from;
	b->width = (double)b->length / (double)n;
	b->scale = 1 / b->width;
	if (curves && n > SIZE_MAX / sizeof(*b->sum) / curves - 1)
		return false;
	b->first = malloc((n + 1) * sizeof(*b->first));
	b->sum = calloc(n * curves + 1, sizeof(*b->sum));
	b->whole = calloc(n * curves + 1, sizeof(*b->whole));
	if (!b->first || !b->sum || !b->whole)
		return false;
	for (size_t k = 0; k <= n; k++) {
		const unsigned __int128 edge = (unsigned __int128)b->length * k;

		b->first[k] = (int64_t)((uint64_t)from + (uint64_t)((edge + n - 1) / n));
	}
	return true;
}

void bins_free(struct bins *b)
{
	free(b->first);
	free(b->sum);
	free(b->whole);
}

void bins_means(struct bins *b)
{
	for (size_t curve = 0; curve < b->curves; curve++) {
		int64_t there = 0;

		for (size_t k = curve * b->n; k < (curve + 1) * b->n; k++) {
			there += b->whole[k];
			b->sum[k] = b->sum[k] / b->width + (double)there;
		}
	}
}
