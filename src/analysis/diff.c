#include "config.h"

#include "analysis/diff.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/diff_private.h"
#include "analysis/lcs.h"

enum {
	EDITS_LEAST = 16, /* pieces of what has nothing in common get no smaller */
	EDITS_ALONG = 96, /* nor those of what differs all along */
	SNAKE = 160,      /* so many equal numbers after an edit: the place is found again */
	NOISE = 4,        /* shorter matches are chance where no way through was found, */
	ALONG = 4,        /* but not in stretches that match more than a number in so many edits, */
	ALONG_LEAST = 32, /* by so many, counted in edits */
	SURE = 3,         /* quarters of a way that is taken though the place was not found again */
	EXACT_NUMBERS = 1 << 20, /* among so many a shortest script is looked for */
	EXACT_WORK = 1 << 28,    /* comparisons that all of those may take, */
	EXACT_SHARE = 8,         /* and so many more a number */
	EXCERPT = 8,             /* one side is looked for in the other if it lacks an eighth of it */
	TRIED = 1 << 24          /* pairs of numbers of which both ways are tried */
};

/* [i, i1) of one sequence and [j, j1) of the other are still to be matched. */
struct walker {
	struct diff *d;
	struct diff_pages a, b;
	uint64_t i, i1, j, j1;
	int64_t edits; /* to look for at most, at the next place */
	int64_t *far;  /* furthest x by edits and diagonal: row d has d + 1 entries */
	struct run *snakes;
	struct lcs lcs;
	uint64_t lcs_work; /* that is left to it */
	VEC(uint32_t) keys, sorted; /* of what is matched exactly: those of a, then of b */
	VEC(int64_t) along; /* by stretch of lcs: see keep_along() */
	bool failed;
};

enum { NOWHERE = -1 };

void diff_page_load(struct diff_pages *p, uint64_t page)
{
	uint64_t first = page * DIFF_PAGE, slot = page % DIFF_PAGES;
	uint64_t rest = p->side->count - first, n = rest < DIFF_PAGE ? rest : DIFF_PAGE;
	uint32_t *keys = p->keys + slot * DIFF_PAGE;
	size_t got = 0;

	if (p->stop && *p->stop)
		p->stopped = true;
	if (!p->stopped)
		got = p->side->read(p->side->arg, first, (size_t)n, keys);
	for (; got < n; got++)
		keys[got] = DIFF_NOTHING;
	p->held[slot] = page + 1;
}

bool diff_add(struct diff *d, uint64_t a, uint64_t b, uint64_t length)
{
	struct run *last = d->runs.count ? &vec_last(&d->runs) : NULL;

	if (length == 0)
		return true;
	if (last && last->a + last->length == a && last->b + last->length == b) {
		last->length += length;
	} else if (d->runs.count >= DIFF_RUNS ||
		   !vec_push(&d->runs, ((struct run){a, b, length}))) {
		d->clipped = true;
		return false;
	}
	d->matched += length;
	return true;
}

static void add(struct walker *w, uint64_t a, uint64_t b, uint64_t length)
{
	if (!w->failed && !diff_add(w->d, a, b, length))
		w->failed = true;
}

static bool stopped(const struct walker *w)
{
	return w->failed || w->a.stopped || w->b.stopped;
}

static bool same(struct walker *w, uint64_t a, uint64_t b)
{
	uint32_t key = diff_key(&w->a, a);

	w->d->work++;
	return key != DIFF_NOTHING && key == diff_key(&w->b, b);
}

static void match_front(struct walker *w)
{
	uint64_t n = 0;

	while (w->i + n < w->i1 && w->j + n < w->j1 && same(w, w->i + n, w->j + n))
		n++;
	add(w, w->i, w->j, n);
	w->i += n;
	w->j += n;
}

/* How many the ends have in common; they are added once the middle is done. */
static uint64_t match_back(struct walker *w)
{
	uint64_t n = 0;

	while (w->i1 > w->i && w->j1 > w->j && same(w, w->i1 - 1, w->j1 - 1)) {
		w->i1--;
		w->j1--;
		n++;
	}
	return n;
}

static int64_t *far_of(struct walker *w, int64_t d, int64_t k)
{
	return &w->far[d * (d + 1) / 2 + (k + d) / 2];
}

/* Where diagonal k is entered with d edits: the further of both ways; *from: the diagonal before.
 */
static int64_t enter(struct walker *w, int64_t d, int64_t k, int64_t *from)
{
	int64_t n = (int64_t)(w->i1 - w->i), m = (int64_t)(w->j1 - w->j);
	int64_t down = k + 1 < d ? *far_of(w, d - 1, k + 1) : NOWHERE;
	int64_t right = k - 1 > -d ? *far_of(w, d - 1, k - 1) : NOWHERE;

	if (down != NOWHERE && down - k > m)
		down = NOWHERE;
	right = right == NOWHERE || right + 1 > n ? NOWHERE : right + 1;
	*from = right > down ? k - 1 : k + 1;
	return right > down ? right : down;
}

/* Follow equal numbers from x on diagonal k, SNAKE of them at most. */
static int64_t follow(struct walker *w, int64_t k, int64_t x)
{
	uint64_t i = w->i + (uint64_t)x, j = w->j + (uint64_t)(x - k);
	int64_t n = 0;

	while (n < SNAKE && i < w->i1 && j < w->j1 && same(w, i, j))
		i++, j++, n++;
	return x + n;
}

/* Add the snakes of the path that ends with d edits on diagonal k, and go to its end. */
static void take_path(struct walker *w, int64_t d, int64_t k, uint64_t least)
{
	int64_t x = *far_of(w, d, k);
	uint64_t i = w->i + (uint64_t)x, j = w->j + (uint64_t)(x - k);
	size_t n = 0;

	for (; d >= 0; d--) {
		int64_t from = k, x0 = d ? enter(w, d, k, &from) : 0;

		if ((uint64_t)(x - x0) >= least)
			w->snakes[n++] = (struct run){
			    w->i + (uint64_t)x0, w->j + (uint64_t)(x0 - k), (uint64_t)(x - x0)};
		if (d > 0)
			x = *far_of(w, d - 1, from);
		k = from;
	}
	while (n-- > 0)
		add(w, w->snakes[n].a, w->snakes[n].b, w->snakes[n].length);
	w->i = i;
	w->j = j;
}

/* Of all diagonals the one that got furthest; of equals the one nearest the middle. */
static int64_t furthest(struct walker *w, int64_t d)
{
	int64_t best = 0, best_sum = -1;

	for (int64_t k = -d; k <= d; k += 2) {
		int64_t x = *far_of(w, d, k), sum = x == NOWHERE ? -1 : 2 * x - k;

		if (sum > best_sum || (sum == best_sum && llabs(k) < llabs(best))) {
			best = k;
			best_sum = sum;
		}
	}
	return best;
}

/*
 * One more edit on all diagonals. True: *k is one on which the place was found again, or the
 * end reached.
 */
static bool edit(struct walker *w, int64_t d, int64_t *k)
{
	int64_t n = (int64_t)(w->i1 - w->i), m = (int64_t)(w->j1 - w->j);

	for (*k = -d; *k <= d; *k += 2) {
		int64_t from, x = d ? enter(w, d, *k, &from) : 0, end = x;

		if (x != NOWHERE)
			end = follow(w, *k, x);
		*far_of(w, d, *k) = end;
		w->d->work++;
		if (x != NOWHERE && (end - x >= SNAKE || (end == n && end - *k == m)))
			return true;
	}
	return false;
}

/*
 * Along the furthest of ways: does it match a number every four edits? Then the sequences differ
 * everywhere and go on together all the same; those that have nothing in common match less by
 * chance.
 */
static bool goes_along(struct walker *w, int64_t k)
{
	return 2 * (2 * *far_of(w, w->edits, k) - k) >= 3 * w->edits;
}

/*
 * Of the way that ends on diagonal k what is sure: its end may be astray, and so is what matches
 * less than one in ALONG edits. Edits of it; 0: none is. *k: where that ends.
 */
static int64_t sure_part(struct walker *w, int64_t *k)
{
	int64_t best = 0, most = 0, end = *k, at = *k;

	for (int64_t d = w->edits; d > 0; d--) {
		int64_t from, matched = (2 * *far_of(w, d, at) - at - d) / 2;

		if (d <= w->edits * SURE / 4 && ALONG * matched - d > most) {
			most = ALONG * matched - d;
			best = d;
			end = at;
		}
		enter(w, d, at, &from);
		at = from;
	}
	*k = end;
	return best;
}

/*
 * Cross one place where the sequences differ. False: there is no way through with so few edits;
 * nothing is changed.
 */
static bool cross(struct walker *w)
{
	bool found = false;
	int64_t d, k, sure;

	for (d = 0; d <= w->edits && !found; d++)
		found = edit(w, d, &k);
	if (found) {
		take_path(w, d - 1, k, 1);
		w->edits = w->edits * 2 < DIFF_EDITS ? w->edits * 2 : DIFF_EDITS;
		return true;
	}
	k = furthest(w, w->edits);
	sure = goes_along(w, k) ? sure_part(w, &k) : 0;
	if (sure == 0)
		return false;
	take_path(w, sure, k, 1);
	w->edits = w->edits / 2 > EDITS_ALONG ? w->edits / 2 : EDITS_ALONG;
	return true;
}

static void look_for_less(struct walker *w)
{
	w->edits = w->edits / 2 > EDITS_LEAST ? w->edits / 2 : EDITS_LEAST;
}

/* The way that got furthest, where cross() found none; it is in the table still. */
static void stumble(struct walker *w)
{
	take_path(w, w->edits, furthest(w, w->edits), NOISE);
	look_for_less(w);
}

/* Edits between one stretch of a longest common subsequence and the next. */
static int64_t edits_between(const struct run *x, const struct run *y)
{
	return (int64_t)(y->a - x->a - x->length + y->b - x->b - x->length);
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Is the number there once? */
static bool is_single(const uint32_t *sorted, size_t n, uint32_t key)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sorted[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low + 1 >= n || sorted[low + 1] != key;
}

/* Has a stretch a number that both sides have but once? */
static bool is_rare(const struct run *r, const uint32_t *a, size_t n, size_t m,
		    const uint32_t *sorted)
{
	for (uint64_t k = 0; k < r->length; k++)
		if (is_single(sorted, n, a[r->a + k]) && is_single(sorted + n, m, a[r->a + k]))
			return true;
	return false;
}

/*
 * Add what is no chance: long stretches, those with a number that is there but once, and those
 * inside of what matches all along. Of all that begin or end at a stretch the one with most matches
 * beyond one in ALONG edits is told by a sum from either side that never falls below its own.
 */
static bool keep_along(struct walker *w, const uint32_t *a, size_t n, const uint32_t *b, size_t m)
{
	const struct run *runs = w->lcs.runs.data;
	const size_t count = w->lcs.runs.count;
	int64_t sum = 0;

	vec_clear(&w->along);
	vec_clear(&w->sorted);
	if (!vec_reserve(&w->along, count + 1) || !vec_reserve(&w->sorted, n + m))
		return false;
	memcpy(w->sorted.data, a, n * sizeof(*a));
	memcpy(w->sorted.data + n, b, m * sizeof(*b));
	qsort(w->sorted.data, n, sizeof(*a), by_number);
	qsort(w->sorted.data + n, m, sizeof(*b), by_number);
	for (size_t k = count; k-- > 0;) {
		w->along.data[k] = sum;
		sum += ALONG * (int64_t)runs[k].length;
		sum -= k ? edits_between(&runs[k - 1], &runs[k]) : 0;
		sum = sum > 0 ? sum : 0;
	}
	for (size_t k = 0; k < count; k++) {
		sum += ALONG * (int64_t)runs[k].length;
		if (runs[k].length >= NOISE || sum + w->along.data[k] >= ALONG_LEAST ||
		    is_rare(&runs[k], a, n, m, w->sorted.data))
			add(w, w->i + runs[k].a, w->j + runs[k].b, runs[k].length);
		sum -= k + 1 < count ? edits_between(&runs[k], &runs[k + 1]) : 0;
		sum = sum > 0 ? sum : 0;
	}
	return true;
}

/*
 * Is the shortest script of what is left to be looked for? It has at least as many edits as one
 * side has more numbers, and takes as many comparisons for each as they grow to, or as the shorter
 * side has numbers.
 */
static bool is_small(const struct walker *w)
{
	uint64_t n = w->i1 - w->i, m = w->j1 - w->j;
	uint64_t least = n < m ? n : m, more = n < m ? m - n : n - m;

	return n + m <= EXACT_NUMBERS &&
	       more * (more / 4 < least ? more / 4 : least) <= w->lcs_work / 2;
}

/* The shortest script of what is left. False: it took too long; nothing is changed. */
static bool match_exactly(struct walker *w)
{
	const size_t n = (size_t)(w->i1 - w->i), m = (size_t)(w->j1 - w->j);
	const uint64_t before = w->lcs.work;
	uint64_t work;
	uint32_t *keys;

	vec_clear(&w->keys);
	if (!vec_reserve(&w->keys, n + m)) {
		w->failed = true;
		return false;
	}
	keys = w->keys.data;
	for (size_t k = 0; k < n; k++)
		keys[k] = diff_key(&w->a, w->i + k);
	for (size_t k = 0; k < m; k++)
		keys[n + k] = diff_key(&w->b, w->j + k);
	w->lcs.limit = w->lcs_work / 2 + 1;
	w->lcs.stop = w->a.stop;
	if (!lcs_find(&w->lcs, keys, n, keys + n, m))
		w->failed = true;
	work = w->lcs.work - before;
	w->d->work += work;
	w->lcs_work -= work < w->lcs_work ? work : w->lcs_work;
	if (w->failed || w->lcs.gave_up)
		return false;
	if (!keep_along(w, keys, n, keys + n, m))
		w->failed = true;
	w->i = w->i1;
	w->j = w->j1;
	return true;
}

/* Match everything up to i1 and j1. */
static void match(struct walker *w, uint64_t i1, uint64_t j1)
{
	uint64_t back;

	w->i1 = i1;
	w->j1 = j1;
	match_front(w);
	back = match_back(w);
	if (w->i < w->i1 && w->j < w->j1 && is_small(w))
		match_exactly(w);
	while (w->i < w->i1 && w->j < w->j1 && !stopped(w)) {
		if (!cross(w))
			stumble(w);
		match_front(w);
	}
	add(w, w->i1, w->j1, back);
	w->i = i1;
	w->j = j1;
}

/* An anchor whose numbers are not the same (a hash that lied, or one that is behind) is none. */
static bool is_true(struct walker *w, const struct anchor *x)
{
	if (x->a < w->i || x->b < w->j)
		return false;
	for (uint64_t k = 0; k < x->gram; k++)
		if (!same(w, x->a + k, x->b + k))
			return false;
	return true;
}

static bool open_pages(struct diff_pages *p, const struct diff_side *side,
		       const atomic_bool *stop)
{
	p->side = side;
	p->stop = stop;
	p->keys = malloc(sizeof(*p->keys) * DIFF_PAGE * DIFF_PAGES);
	return p->keys != NULL;
}

/* Up to where no way through is found, or to the end. */
static void walk_on(struct walker *w)
{
	w->i1 = w->a.side->count;
	w->j1 = w->b.side->count;
	do
		match_front(w);
	while (w->i < w->i1 && w->j < w->j1 && !stopped(w) && cross(w));
}

/* From there to the next anchor, from which it goes on; *x: the first one that was not behind. */
static void leap(struct walker *w, const struct anchors *anchors, size_t *x)
{
	while (*x < anchors->list.count && !is_true(w, &anchors->list.data[*x]))
		++*x;
	if (*x < anchors->list.count)
		match(w, anchors->list.data[*x].a, anchors->list.data[*x].b);
	else
		match(w, w->a.side->count, w->b.side->count);
}

/*
 * The rest by its shortest script, where both sides have about as many: of turns of loops an anchor
 * may be the wrong one. Of a short stretch and a long one anchors tell better where it lies.
 */
static bool finish_exactly(struct walker *w)
{
	uint64_t n = w->i1 - w->i, m = w->j1 - w->j;

	return n / 2 <= m + DIFF_EDITS && m / 2 <= n + DIFF_EDITS && is_small(w) &&
	       match_exactly(w);
}

/* Places one behind the other, and where that leads no further from anchor to anchor. */
static bool by_places(struct walker *w)
{
	struct anchors anchors = {0};
	size_t x = 0;
	bool ok;

	walk_on(w);
	if (w->i == w->i1 || w->j == w->j1 || stopped(w) || finish_exactly(w))
		return true;
	ok = diff_anchors(&anchors, &w->a, &w->b);
	while (ok && w->i < w->i1 && w->j < w->j1 && !stopped(w)) {
		look_for_less(w);
		leap(w, &anchors, &x);
		walk_on(w);
	}
	vec_free(&anchors.list);
	return ok;
}

/* Is all of one side a stretch of the other? An excerpt may begin in any turn of a loop. */
static bool is_excerpt(struct walker *w)
{
	const bool a_is = w->a.side->count < w->b.side->count;
	struct diff_pages *part = a_is ? &w->a : &w->b, *whole = a_is ? &w->b : &w->a;
	const uint64_t n = part->side->count;
	uint64_t at;

	if (n == 0 || n > whole->side->count / EXCERPT * (EXCERPT - 1) ||
	    !diff_find_whole(part, whole, &at))
		return false;
	for (uint64_t k = 0; k < n; k++)
		if (!same(w, a_is ? k : at + k, a_is ? at + k : k))
			return false;
	add(w, a_is ? 0 : at, a_is ? at : 0, n);
	return true;
}

/* Is there room for much more, and is it few that a shortest script takes no time? */
static bool may_be_astray(const struct walker *w)
{
	const uint64_t n = w->a.side->count, m = w->b.side->count, least = n < m ? n : m;

	return n <= TRIED && m <= TRIED && n * m <= TRIED && least - w->d->matched > least / 8;
}

/*
 * The shortest script scatters a short sequence all over a long one that repeats itself. But if it
 * matches an eighth more than was found place by place, the places were the wrong ones.
 */
static bool run_walker(struct walker *w)
{
	struct diff placed;

	if (is_excerpt(w))
		return true;
	if (!by_places(w))
		return false;
	if (stopped(w) || !may_be_astray(w))
		return true;
	placed = *w->d;
	*w->d = (struct diff){.work = placed.work};
	w->i = w->j = 0;
	w->i1 = w->a.side->count;
	w->j1 = w->b.side->count;
	if (match_exactly(w) && w->d->matched > placed.matched + placed.matched / 8) {
		diff_free(&placed);
		return true;
	}
	placed.work = w->d->work;
	diff_free(w->d);
	*w->d = placed;
	return true;
}

enum status diff_new(struct diff *out, const struct diff_side *a, const struct diff_side *b,
		     const atomic_bool *stop, struct error *e)
{
	struct walker w = {.d = out,
			   .edits = DIFF_EDITS,
			   .lcs_work = EXACT_WORK + EXACT_SHARE * (a->count + b->count)};
	enum status status = STATUS_OK;
	bool ok;

	*out = (struct diff){.matched = 0};
	w.far = malloc(sizeof(*w.far) * (DIFF_EDITS + 1) * (DIFF_EDITS + 2) / 2);
	w.snakes = malloc(sizeof(*w.snakes) * (DIFF_EDITS + 1));
	ok = open_pages(&w.a, a, stop) && open_pages(&w.b, b, stop) && w.far && w.snakes &&
	     run_walker(&w);
	if (!ok || (w.failed && out->runs.count < DIFF_RUNS))
		status = error_set(e, STATUS_NOMEM, "not enough memory to match two traces");
	else if (w.a.stopped || w.b.stopped)
		status = error_set(e, STATUS_INTERRUPTED, "interrupted");
	free(w.a.keys), free(w.b.keys);
	free(w.far), free(w.snakes);
	vec_free(&w.keys), vec_free(&w.sorted), vec_free(&w.along);
	lcs_free(&w.lcs);
	if (status)
		diff_free(out);
	return status;
}

void diff_free(struct diff *d)
{
	vec_free(&d->runs);
	*d = (struct diff){.matched = 0};
}
