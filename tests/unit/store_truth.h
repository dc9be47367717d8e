/*
 * What the tests of the store's queries share: traces in files of their own, stores opened on
 * them, and all that a store knows of its rows in one array, from which each answer is worked
 * out again the slow way.
 */
#ifndef PIPEGLASS_TESTS_STORE_TRUTH_H
#define PIPEGLASS_TESTS_STORE_TRUTH_H

#include <fcntl.h>
#include <unistd.h>

#include "open_store.h"
#include "trace_gen.h"

#include "pipeline/store_private.h"

struct truth {
	struct detail d; /* every row */
	int64_t first, end; /* ticks [first, end) */
	uint64_t early, born_end; /* rows without a birth: [0, early) and from born_end on */
};

/* path ends in XXXXXX and receives the name. */
static inline void truth_write(char *path, const char *text, size_t len)
{
	int fd = mkstemp(path);

	if (fd < 0)
		abort();
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n <= 0)
			abort();
		text += n;
		len -= (size_t)n;
	}
	close(fd);
}

static inline struct store *truth_open(const char *path, int threads)
{
	struct trace_options o = {.threads = threads, .no_cache = true};
	struct store *s = NULL;
	struct error e = {0};

	if (store_open(&s, path, &o, &e) != STATUS_OK || store_wait(s, &e) != STATUS_OK) {
		fprintf(stderr, "%s: %s\n", path, e.text);
		abort();
	}
	return s;
}

static inline void truth_load(struct truth *t, struct store *s)
{
	uint64_t n = store_row_count(s);
	struct progress p;
	struct error e = {0};

	memset(t, 0, sizeof(*t));
	t->d.limit = UINT64_C(1) << 40;
	if (store_detail(s, 0, (size_t)n, &t->d, &e) != STATUS_OK || t->d.count != n ||
	    t->d.clipped) {
		fprintf(stderr, "detail of %" PRIu64 " rows: %zu, %s\n", n, t->d.count, e.text);
		abort();
	}
	store_progress(s, &p);
	t->first = p.first;
	t->end = p.last + 1;
	t->early = s->index.early;
	t->born_end = s->index.early + s->index.row_end;
}

static inline void truth_free(struct truth *t)
{
	detail_free(&t->d);
}

static inline bool truth_same(const struct row *a, const struct row *b)
{
	return a->row == b->row && a->start == b->start && a->end == b->end &&
	       a->parent == b->parent && a->events == b->events &&
	       a->fate == b->fate && a->dominant == b->dominant && a->micro_op == b->micro_op;
}

/* Everything known of row i of a is what b knows of its row k. */
static inline bool truth_same_detail(const struct detail *a, size_t i, const struct detail *b,
				     size_t k)
{
	const struct detail_row *x = &a->rows[i], *y = &b->rows[k];

	if (!truth_same(&x->head, &y->head) || x->id != y->id || x->line != y->line ||
	    x->offset != y->offset || x->stays != y->stays || x->text_len != y->text_len ||
	    x->pc != y->pc || x->has_pc != y->has_pc ||
	    (x->text_len &&
	     memcmp(a->text.text + x->text0, b->text.text + y->text0, x->text_len) != 0))
		return false;
	for (uint32_t n = 0; n < x->stays; n++) {
		const struct stay *p = &a->stays[x->stay0 + n], *q = &b->stays[y->stay0 + n];

		if (p->start != q->start || p->end != q->end || p->latency != q->latency ||
		    p->events != q->events || p->colour != q->colour || p->stage != q->stage ||
		    p->lane != q->lane)
			return false;
	}
	return true;
}

/* Where a row stops being alive, as far as the trace goes. */
static inline int64_t truth_end(const struct truth *t, const struct row *r)
{
	return r->end == TICK_NONE ? t->end : r->end;
}

#endif
