#include "config.h"

#include "pipeline/index/live.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { LIVE_FIRST_CAP = 256, LIVE_KEPT_CAP = 1 << 13 };

uint64_t live_secret = UINT64_C(0x9e3779b97f4a7c15);
static pthread_once_t secret_once = PTHREAD_ONCE_INIT;

/* Ids come from a file that may be made to collide: nobody can know where they fall. */
static void choose_secret(void)
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) == (ssize_t)sizeof(random))
		live_secret = random | 1;
}

bool live_init(struct live_table *t)
{
	pthread_once(&secret_once, choose_secret);
	t->count = t->displaced = 0;
	t->cap = LIVE_FIRST_CAP;
	t->slots = calloc(t->cap, sizeof(*t->slots));
	return t->slots != NULL;
}

void live_free(struct live_table *t)
{
	free(t->slots);
	t->slots = NULL;
	t->cap = t->count = t->displaced = 0;
}

void live_clear(struct live_table *t)
{
	struct live_table fresh = {NULL, 0, 0, 0};

	if (t->cap > LIVE_KEPT_CAP && live_init(&fresh)) {
		free(t->slots);
		*t = fresh;
		return;
	}
	memset(t->slots, 0, t->cap * sizeof(*t->slots));
	t->count = t->displaced = 0;
}

bool live_grow(struct live_table *t)
{
	struct live_table bigger = {calloc(t->cap * 2, sizeof(*t->slots)), t->cap * 2, 0, 0};

	if (!bigger.slots)
		return false;
	for (size_t i = 0; i < t->cap; i++)
		if (t->slots[i].flags) {
			struct live *l = live_add(&bigger, t->slots[i].id);

			*l = t->slots[i];
		}
	free(t->slots);
	*t = bigger;
	return true;
}

/* Entries behind the hole move up where they may, so that no search stops early. */
void live_close_gap(struct live_table *t, size_t hole)
{
	size_t mask = t->cap - 1;

	t->displaced -= live_home(t, t->slots[hole].id) != hole;
	for (size_t i = (hole + 1) & mask; t->slots[i].flags; i = (i + 1) & mask) {
		size_t home = live_home(t, t->slots[i].id);

		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		t->slots[hole] = t->slots[i];
		t->displaced -= home == hole;
		hole = i;
	}
	t->slots[hole].flags = 0;
}
