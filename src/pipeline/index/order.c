#include "config.h"

#include "pipeline/index/order.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { PIECE = 1 << 20, LINE = 256 /* of the next piece, for a line that begins in this one */ };

struct order {
	struct source *source;
	const struct reader *reader;
	uint64_t size, step; /* text from the beginning of a piece to that of the next one */
	size_t count;
	atomic_size_t next;
	atomic_bool stopped;
	struct row_starts piece[];
};

struct order *order_new(struct source *source, const struct reader *reader, uint64_t most)
{
	uint64_t size = source_size(source, NULL);
	uint64_t pieces = size / PIECE + 1, skip = pieces / (most / PIECE + 1) + 1;
	size_t count = (size_t)((pieces + skip - 1) / skip);
	struct order *o = calloc(1, sizeof(*o) + count * sizeof(o->piece[0]));

	if (!o)
		return NULL;
	o->source = source;
	o->reader = reader;
	o->size = size;
	o->step = skip * PIECE;
	o->count = count;
	return o;
}

void order_free(struct order *o)
{
	free(o);
}

void order_stop(struct order *o)
{
	atomic_store(&o->stopped, true);
}

void order_look(struct order *o)
{
	char *text = malloc(PIECE + LINE);
	size_t k;

	if (!text)
		order_stop(o);
	while (!atomic_load(&o->stopped) && (k = atomic_fetch_add(&o->next, 1)) < o->count) {
		uint64_t at = k * o->step;
		size_t len = source_read(o->source, at, text, PIECE + LINE);

		o->piece[k] = (struct row_starts){0, INT64_MAX, INT64_MIN};
		if (len == 0 && at < o->size)
			order_stop(o);
		else
			o->reader->starts(text, len, PIECE, &o->piece[k]);
	}
	free(text);
}

/*
 * Rows up to and with piece `old` are published when the newest piece comes: between them lie as
 * many as the window has, counted with those of both, so that what is cut elsewhere does no harm.
 */
bool order_holds(const struct order *o, uint64_t window)
{
	uint64_t skip = o->step / PIECE, between = 0, all = 0;
	int64_t latest = INT64_MIN;
	size_t old = 0;

	if (atomic_load(&o->stopped))
		return false;
	for (size_t k = 0; k < o->count; k++) {
		all += o->piece[k].rows;
		between += o->piece[k].rows * skip;
		for (; old < k && between >= window; old++) {
			if (o->piece[old].latest > latest)
				latest = o->piece[old].latest;
			between -= o->piece[old].rows * skip;
		}
		if (o->piece[k].earliest < latest)
			return false;
	}
	return all > 0;
}
