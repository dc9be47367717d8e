/*
 * What the tests of src/source/ share about threads: several that look while the pass runs, and
 * one that writes into a pipe.
 */
#ifndef PIPEGLASS_TESTS_SOURCE_THREADS_H
#define PIPEGLASS_TESTS_SOURCE_THREADS_H

#include <errno.h>
#include <pthread.h>

#include "source_data.h"

enum { THREADS_LOOKING = 4 };

struct looking {
	struct source *s;
	struct data text;
	uint64_t seed;
	int times;
	bool known; /* all of the text is, from the start */
	unsigned wrong;
};

static inline void *look_often(void *arg)
{
	struct looking *l = arg;
	for (int i = 0; i < l->times; i++) {
		struct window w;
		struct error e;
		uint64_t off = data_random(&l->seed) % l->text.len;
		size_t len = (size_t)(data_random(&l->seed) % 20000) + 1;
		if (source_map(l->s, off, len, &w, &e) != STATUS_OK ||
		    (l->known && w.len == 0) || memcmp(w.text, l->text.bytes + off, w.len) != 0)
			l->wrong++;
		source_release(l->s, &w);
	}
	return NULL;
}

/* A pass over all of s, with threads that look at random places `times` times each. */
static inline void looks_agree(struct source *s, struct data text, int times, bool known)
{
	pthread_t threads[THREADS_LOOKING];
	struct looking looking[THREADS_LOOKING];
	uint64_t rng = 11;
	for (unsigned i = 0; i < THREADS_LOOKING; i++) {
		looking[i] = (struct looking){s, text, 1000 + i, times, known, 0};
		pthread_create(&threads[i], NULL, look_often, &looking[i]);
	}
	assert_int_equal(data_pass(s, 0, 100000, &rng, text), text.len);
	for (unsigned i = 0; i < THREADS_LOOKING; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(looking[i].wrong, 0);
	}
}

struct writer {
	int fd;
	struct data bytes;
	size_t step;
	int errnum;
};

/* Closes the pipe. */
static inline void *write_all(void *arg)
{
	struct writer *w = arg;
	for (size_t at = 0; at < w->bytes.len && !w->errnum;) {
		size_t len = w->bytes.len - at < w->step ? w->bytes.len - at : w->step;
		ssize_t n = write(w->fd, w->bytes.bytes + at, len);
		if (n < 0)
			w->errnum = errno;
		else
			at += (size_t)n;
	}
	close(w->fd);
	return NULL;
}

#endif
