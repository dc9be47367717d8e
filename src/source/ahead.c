#include "config.h"

#include "source/internal.h"

#include <stdlib.h>

#include "base/thread.h"
#include "source/spill.h"

struct ahead {
	struct source *source;
	pthread_t thread;
	atomic_bool stop;
	_Atomic uint64_t at;
	char scratch[STRETCH_SIZE];
};

static void *ahead_run(void *arg)
{
	struct ahead *a = arg;
	uint64_t at = 0;
	while (!atomic_load(&a->stop) && packed_ahead(a->source, &at, a->scratch))
		atomic_store(&a->at, at);
	atomic_store(&a->at, UINT64_MAX);
	return NULL;
}

/* Whoever has no memory or no thread for it goes on without: looks are slow at first. */
void source_ahead(struct source *s)
{
	bool final = false;
	source_size(s, &final);
	if (s->ahead || !s->packed || !final || packed_jumps(s))
		return;
	struct ahead *a = calloc(1, sizeof(*a));
	if (!a)
		return;
	a->source = s;
	s->ahead = a;
	if (thread_start(&a->thread, ahead_run, a) != 0) {
		free(a);
		s->ahead = NULL;
	}
}

uint64_t source_ahead_at(const struct source *s)
{
	return s->ahead ? atomic_load(&s->ahead->at) : UINT64_MAX;
}

void ahead_stop(struct source *s)
{
	if (!s->ahead)
		return;
	atomic_store(&s->ahead->stop, true);
	pthread_join(s->ahead->thread, NULL);
	free(s->ahead);
	s->ahead = NULL;
}
