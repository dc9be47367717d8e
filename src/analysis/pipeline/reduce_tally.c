#include "config.h"

#include "analysis/pipeline/reduce_tally.h"

#include <string.h>

#include "base/bisect.h"

/* The first entry whose key is not below key. */
static size_t place_of(const struct reduce_tally *t, uint64_t key)
{
	size_t low = 0, high = t->entries.count;

	if (high && t->entries.data[high - 1].key < key)
		return high;
	bisect(low, high, i, t->entries.data[i].key < key);
	return low;
}

bool tally_add(struct reduce_tally *t, uint64_t key, uint64_t count)
{
	size_t at = place_of(t, key);
	struct tally_entry *entry;

	if (count == 0)
		return true;
	if (at < t->entries.count && t->entries.data[at].key == key) {
		t->entries.data[at].count += count;
		return true;
	}
	if (!vec_reserve(&t->entries, 1))
		return false;
	entry = &t->entries.data[at];
	memmove(entry + 1, entry, (t->entries.count - at) * sizeof(*entry));
	*entry = (struct tally_entry){key, count};
	t->entries.count++;
	return true;
}

bool tally_merge(struct reduce_tally *t, const struct reduce_tally *src, uint64_t weight)
{
	for (size_t i = 0; i < src->entries.count; i++)
		if (!tally_add(t, src->entries.data[i].key, src->entries.data[i].count * weight))
			return false;
	return true;
}

uint64_t tally_total(const struct reduce_tally *t, uint64_t *weighted)
{
	uint64_t total = 0, sum = 0;

	for (size_t i = 0; i < t->entries.count; i++) {
		total += t->entries.data[i].count;
		sum += t->entries.data[i].key * t->entries.data[i].count;
	}
	if (weighted)
		*weighted = sum;
	return total;
}

void tally_free(struct reduce_tally *t)
{
	vec_free(&t->entries);
}
