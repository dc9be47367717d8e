#include "config.h"

#include "pipeline/queries/search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/bisect.h"
#include "base/regex_lines.h"
#include "base/thread.h"
#include "pipeline/queries/search_part.h"
#include "pipeline/store_private.h"

enum {
	THREADS_MOST = 8,
	WAIT_MS = 10 /* between two looks whether to stop */
};

enum part_state { PART_TODO, PART_TAKEN, PART_DONE };

/* Lines that begin in a part of the text. */
struct part {
	uint32_t *at;         /* of the hits, from the part's start; NULL: none kept */
	uint32_t hits, lines; /* lines: only where the index does not count them */
	uint8_t state;
	bool kept;
};

struct search {
	struct line_scan scan;
	pthread_t threads[THREADS_MOST];
	int thread_count, running;
	struct part_hits again; /* a part that was not kept, read again */

	pthread_mutex_t lock; /* of the rest */
	pthread_cond_t came;
	struct part *parts;
	uint64_t count, size; /* of parts, of bytes */
	uint64_t aim;         /* the part that somebody waits for */
	int dir;
	uint64_t hits, kept, done;
	bool clipped;
	enum status status;
	struct error error;
};

/* ---- threads ----------------------------------------------------------------------------- */

/* The next part to be looked through, from the aim on and around. With the lock held. */
static bool pick(struct search *f, uint64_t *part)
{
	uint64_t at = f->aim;

	for (uint64_t k = 0; k < f->count; k++) {
		if (f->parts[at].state == PART_TODO) {
			f->parts[at].state = PART_TAKEN;
			/* the way there need not be walked again; who waits sets the aim anew */
			f->aim = at;
			*part = at;
			return true;
		}
		if (f->dir > 0)
			at = at + 1 < f->count ? at + 1 : 0;
		else
			at = at > 0 ? at - 1 : f->count - 1;
	}
	return false;
}

/* Only as much as all parts may keep together. With the lock held. */
static void keep(struct search *f, struct part *p, const struct part_hits *h)
{
	size_t bytes = h->at.count * sizeof(*p->at);

	p->hits = (uint32_t)h->at.count;
	p->lines = h->lines;
	p->kept = p->hits == 0;
	if (p->kept || f->kept + p->hits > SEARCH_KEPT)
		return;
	p->at = malloc(bytes);
	if (!p->at)
		return;
	memcpy(p->at, h->at.data, bytes);
	p->kept = true;
	f->kept += p->hits;
}

static uint64_t part_bytes(const struct search *f, uint64_t part)
{
	uint64_t from = part * SEARCH_PART;

	return f->size - from < SEARCH_PART ? f->size - from : SEARCH_PART;
}

static void *work(void *arg)
{
	struct search *f = arg;
	struct part_hits h = {.failed = false};
	uint64_t part;

	pthread_mutex_lock(&f->lock);
	while (!atomic_load(&f->scan.stop) && pick(f, &part)) {
		uint64_t size = f->size;
		struct error e = {STATUS_OK, ""};
		enum status st;
		bool whole;

		pthread_mutex_unlock(&f->lock);
		st = line_scan_part(&f->scan, part, size, &h, &whole, &e);
		pthread_mutex_lock(&f->lock);
		f->parts[part].state = whole ? PART_DONE : PART_TODO;
		if (st != STATUS_OK && f->status == STATUS_OK) {
			f->status = st;
			f->error = e;
		}
		if (st == STATUS_OK && whole) {
			keep(f, &f->parts[part], &h);
			f->hits += f->parts[part].hits;
			f->clipped |= h.clipped;
		}
		if (whole)
			f->done += part_bytes(f, part);
		pthread_cond_broadcast(&f->came);
	}
	f->running--;
	pthread_cond_broadcast(&f->came);
	pthread_mutex_unlock(&f->lock);
	vec_free(&h.at);
	return NULL;
}

static void join(struct search *f)
{
	for (int i = 0; i < f->thread_count; i++)
		pthread_join(f->threads[i], NULL);
	f->thread_count = 0;
}

/* At least one, or an error. */
static enum status start(struct search *f, struct error *e)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	int n = cores < 1 ? 1 : cores > THREADS_MOST ? THREADS_MOST : (int)cores;

	pthread_mutex_lock(&f->lock);
	for (int i = 0; i < n; i++) {
		if (thread_start(&f->threads[f->thread_count], work, f))
			break;
		f->thread_count++;
		f->running++;
	}
	pthread_mutex_unlock(&f->lock);
	return f->thread_count ? STATUS_OK : error_set(e, STATUS_NOMEM, "cannot start a thread to search");
}

/* ---- beginning and ending ---------------------------------------------------------------- */

/* Text whose rows are known: what is beyond leads nowhere yet. */
static uint64_t text_size(struct store *s)
{
	struct progress p;
	uint64_t size;
	bool whole;

	store_progress(s, &p);
	size = source_size(s->source, &whole);
	if ((p.complete && !p.cancelled && p.failed == STATUS_OK) || s->reader->lex_rows)
		return size;
	store_read_lock(s);
	size = s->index.off_end < size ? s->index.off_end : size;
	store_unlock(s);
	return size;
}

/* False: no memory. With the lock held, or before there are threads. */
static bool resize(struct search *f, uint64_t size)
{
	uint64_t count = (size + SEARCH_PART - 1) / SEARCH_PART;
	struct part *parts = realloc(f->parts, (size_t)(count + 1) * sizeof(*parts));

	if (!parts)
		return false;
	memset(parts + f->count, 0, (size_t)(count - f->count) * sizeof(*parts));
	f->parts = parts;
	f->count = count;
	f->size = size;
	return true;
}

enum status search_new(struct search **out, struct store *s, const struct regex *text,
		       uint64_t from, struct error *e)
{
	struct search *f = calloc(1, sizeof(*f));
	enum status st;

	*out = NULL;
	if (!f)
		return error_set(e, STATUS_NOMEM, "out of memory");
	f->scan.store = s;
	f->dir = 1;
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->came, NULL);
	st = regex_new(&f->scan.regex, regex_pattern(text), e);
	if (st == STATUS_OK && !resize(f, text_size(s)))
		st = error_set(e, STATUS_NOMEM, "out of memory");
	if (st == STATUS_OK) {
		f->scan.many = regex_of_lines(f->scan.regex);
		f->aim = from / SEARCH_PART < f->count ? from / SEARCH_PART : 0;
		st = start(f, e);
	}
	if (st != STATUS_OK) {
		search_free(f);
		return st;
	}
	*out = f;
	return STATUS_OK;
}

void search_free(struct search *f)
{
	if (!f)
		return;
	atomic_store(&f->scan.stop, true);
	join(f);
	for (uint64_t i = 0; i < f->count; i++)
		free(f->parts[i].at);
	free(f->parts);
	vec_free(&f->again.at);
	regex_free(f->scan.regex);
	regex_free(f->scan.many);
	pthread_cond_destroy(&f->came);
	pthread_mutex_destroy(&f->lock);
	free(f);
}

void search_extend(struct search *f)
{
	uint64_t size = text_size(f->scan.store);
	struct part *last;

	pthread_mutex_lock(&f->lock);
	if (f->running || size <= f->size) {
		pthread_mutex_unlock(&f->lock);
		return;
	}
	/* the line that the text ended within may have gone on */
	last = f->count ? &f->parts[f->count - 1] : NULL;
	if (last && last->state == PART_DONE) {
		f->done -= part_bytes(f, f->count - 1);
		f->hits -= last->hits;
		if (last->at)
			f->kept -= last->hits;
		free(last->at);
		*last = (struct part){.state = PART_TODO};
	}
	f->again.part = 0;
	vec_clear(&f->again.at);
	resize(f, size);
	pthread_mutex_unlock(&f->lock);
	join(f);
	(void)start(f, NULL);
}

/* ---- asking ------------------------------------------------------------------------------ */

/* The hits of a part that is done; NULL: it could not be read again. Without the lock. */
static const uint32_t *hits_of(struct search *f, uint64_t part, size_t *n, struct error *e)
{
	const struct part *p = &f->parts[part];
	bool whole = true;

	*n = p->hits;
	if (p->kept)
		return p->at;
	if (f->again.part != part + 1) {
		f->again.part = 0;
		if (line_scan_part(&f->scan, part, f->size, &f->again, &whole, e) != STATUS_OK ||
		    !whole)
			return NULL;
		f->again.part = part + 1;
	}
	*n = f->again.at.count;
	return f->again.at.data;
}

/* How many of the hits begin before off, which counts from the part's start. */
static size_t before(const uint32_t *at, size_t n, uint64_t off)
{
	size_t from = 0;

	bisect(from, n, i, at[i] < off);
	return from;
}

/* The hit of a part next to off; false: none. */
static bool hit_in_part(struct search *f, uint64_t part, uint64_t off, int dir, uint64_t *found,
			struct error *e)
{
	uint64_t base = part * SEARCH_PART, rel;
	const uint32_t *at;
	size_t n, k;

	at = hits_of(f, part, &n, e);
	if (!at)
		return false;
	rel = off < base ? 0 : off - base;
	if (dir > 0) {
		k = off == SEARCH_EDGE || off < base ? 0 : before(at, n, rel + 1);
		if (k < n)
			*found = base + at[k];
		return k < n;
	}
	k = before(at, n, rel);
	if (k > 0)
		*found = base + at[k - 1];
	return k > 0;
}

/* For a moment, until something was found out. With the lock held. */
static void wait_a_moment(struct search *f)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += WAIT_MS * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_cond_timedwait(&f->came, &f->lock, &until);
}

/* Waits until the part is done; else why not. *hits: whether it has any. */
static enum search_answer part_known(struct search *f, uint64_t part, int dir, double until,
				     const atomic_bool *stop, bool *hits, struct error *e)
{
	enum search_answer answer = SEARCH_FOUND;

	pthread_mutex_lock(&f->lock);
	if (f->parts[part].state != PART_DONE) {
		f->aim = part;
		f->dir = dir;
	}
	while (answer == SEARCH_FOUND && f->status == STATUS_OK &&
	       f->parts[part].state != PART_DONE) {
		if (stop && *stop)
			answer = SEARCH_STOPPED;
		else if (store_clock() >= until)
			answer = SEARCH_WAIT;
		else
			wait_a_moment(f);
	}
	*hits = f->parts[part].hits > 0;
	if (f->status != STATUS_OK) {
		error_set(e, f->status, "%s", f->error.text);
		answer = SEARCH_FAILED;
	}
	pthread_mutex_unlock(&f->lock);
	return answer;
}

enum search_answer search_next(struct search *f, uint64_t off, int dir, int64_t ms,
			       const atomic_bool *stop, uint64_t *found, struct error *e)
{
	double until = store_clock() + (double)ms / 1000;
	uint64_t part = dir > 0 && off == SEARCH_EDGE ? 0 : off / SEARCH_PART;
	struct error why = {STATUS_OK, ""};

	if (f->count == 0 || (dir > 0 && part >= f->count))
		return SEARCH_MISSING;
	part = part < f->count ? part : f->count - 1;
	for (;;) {
		bool hits;
		enum search_answer answer;

		if (stop && *stop)
			return SEARCH_STOPPED;
		answer = part_known(f, part, dir, until, stop, &hits, e);

		if (answer != SEARCH_FOUND)
			return answer;
		if (hits && hit_in_part(f, part, off, dir, found, &why))
			return SEARCH_FOUND;
		if (why.code != STATUS_OK) {
			error_set(e, why.code, "%s", why.text);
			return SEARCH_FAILED;
		}
		if (dir > 0 ? part + 1 >= f->count : part == 0)
			return SEARCH_MISSING;
		part = dir > 0 ? part + 1 : part - 1;
	}
}

void search_settle(struct search *f, int64_t ms, const atomic_bool *stop)
{
	double until = store_clock() + (double)ms / 1000;

	pthread_mutex_lock(&f->lock);
	while (f->done < f->size && f->running && !(stop && *stop) && store_clock() < until)
		wait_a_moment(f);
	pthread_mutex_unlock(&f->lock);
}

void search_state(struct search *f, struct search_state *out)
{
	pthread_mutex_lock(&f->lock);
	*out = (struct search_state){.hits = f->hits,
				     .done = f->done,
				     .total = f->size,
				     .whole = f->done == f->size && f->status == STATUS_OK,
				     .limited = regex_limited(f->scan.regex),
				     .clipped = f->clipped};
	pthread_mutex_unlock(&f->lock);
}

uint64_t search_rank(struct search *f, uint64_t off)
{
	uint64_t part = off / SEARCH_PART, rank = 0;
	const uint32_t *at;
	bool known = part < f->count;
	size_t n, k;

	pthread_mutex_lock(&f->lock);
	for (uint64_t i = 0; known && i <= part; i++) {
		known = f->parts[i].state == PART_DONE;
		rank += i < part ? f->parts[i].hits : 0;
	}
	pthread_mutex_unlock(&f->lock);
	at = known ? hits_of(f, part, &n, NULL) : NULL;
	if (!at)
		return 0;
	k = before(at, n, off - part * SEARCH_PART);
	return k < n && at[k] == off - part * SEARCH_PART ? rank + k + 1 : 0;
}

uint64_t search_line(struct search *f, uint64_t off)
{
	uint64_t part = off / SEARCH_PART, from = part * SEARCH_PART, line = 1;
	bool known = f->scan.store->reader->lex_rows && part < f->count;
	struct window w;

	pthread_mutex_lock(&f->lock);
	for (uint64_t i = 0; known && i < part; i++) {
		known = f->parts[i].state == PART_DONE;
		line += f->parts[i].lines;
	}
	pthread_mutex_unlock(&f->lock);
	if (!known ||
	    source_map(f->scan.store->source, from, (size_t)(off - from), &w, NULL) != STATUS_OK)
		return 0;
	line += line_feeds(w.text, w.text + w.len);
	source_release(f->scan.store->source, &w);
	return line;
}
