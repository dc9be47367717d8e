#include "config.h"

#include "app/pipeline/seek.h"

static bool shows(const struct stay *stay, const struct target *t)
{
	switch (t->kind) {
	case TARGET_EVENT:
		return stay->events >> t->what & 1;
	case TARGET_STAGE:
		return stay->stage == t->what;
	case TARGET_STAY:
		return (stay->end == TICK_NONE ? t->now : stay->end) - stay->start >= t->ticks;
	default:
		return false;
	}
}

const struct stay *target_stay(const struct detail *d, const struct detail_row *row,
			       const struct target *t)
{
	for (uint32_t i = row->stay0; i < row->stay0 + row->stays; i++)
		if (shows(&d->stays[i], t))
			return &d->stays[i];
	return NULL;
}

int64_t target_tick(const struct detail *d, const struct detail_row *row, const struct target *t)
{
	const struct stay *stay = target_stay(d, row, t);

	if (t->kind == TARGET_FATE && row->head.end != TICK_NONE)
		return row_commit_tick(&row->head);
	return stay ? stay->start : TICK_NONE;
}

/* Does a row have it, as far as the index alone tells? 1, 0, or -1: its text must be read. */
static int judge(struct seek *s, const struct row *r)
{
	switch (s->target.kind) {
	case TARGET_STAGE:
		return r->dominant == s->target.what ? 1 : -1;
	case TARGET_EVENT:
		return r->events >> s->target.what & 1;
	case TARGET_FATE:
		return r->fate == s->target.what;
	case TARGET_STAY:
		return r->end == TICK_NONE || r->end - r->start >= s->target.ticks ? -1 : 0;
	case TARGET_TEXT:
		return code_matches_row(&s->matches, r);
	case TARGET_LINE:
	case TARGET_GAP:
	case TARGET_NONE:
		break;
	}
	return 0;
}

/* Does it, now that s->detail holds its text? */
static bool confirm_text(const struct seek *s, const struct detail_row *row)
{
	if (s->target.kind == TARGET_TEXT)
		return subject_match(s->target.text, &s->detail, row, NULL, NULL);
	return target_tick(&s->detail, row, &s->target) != TICK_NONE;
}

enum status seek_judge(struct seek *s, const struct row *rows, size_t n, bool *has, struct error *e)
{
	bool doubtful[SEEK_ROWS];
	size_t from = n, to = 0;
	enum status st = STATUS_OK;

	for (size_t i = 0; i < n; i++) {
		bool shown = !s->filter || filter_has(s->filter, rows[i].row);
		int known = shown ? judge(s, &rows[i]) : 0;

		has[i] = known > 0;
		doubtful[i] = known < 0;
		if (known < 0) {
			from = from < i ? from : i;
			to = i + 1;
		}
	}
	if (from < to)
		st = store_detail(s->store, rows[from].row, to - from, &s->detail, e);
	for (size_t i = from; i < to && !st && i - from < s->detail.count; i++)
		if (doubtful[i])
			has[i] = confirm_text(s, &s->detail.rows[i - from]);
	return st;
}

/* The first of rows[0..n) in the direction of the search. */
static enum seek_answer scan_rows(struct seek *s, const struct row *rows, size_t n, struct error *e)
{
	bool has[SEEK_ROWS];

	if (seek_judge(s, rows, n, has, e))
		return SEEK_FAILED;
	for (size_t i = 0; i < n; i++) {
		size_t k = s->dir > 0 ? i : n - 1 - i;

		if (!has[k])
			continue;
		s->row = rows[k].row;
		s->wrapped = s->dir > 0 ? s->row <= s->origin : s->row >= s->origin;
		return SEEK_FOUND;
	}
	return SEEK_MORE;
}

/* One chunk of the circle of rows: s->left of them from s->next on, in direction dir. */
static enum seek_answer scan_chunk(struct seek *s, struct error *e)
{
	struct row rows[SEEK_ROWS];
	uint64_t ahead = s->dir > 0 ? s->total - s->next : s->next + 1;
	uint64_t want = s->left < ahead ? s->left : ahead;
	enum seek_answer answer;
	size_t n;

	if (!s->left)
		return SEEK_MISSING;
	if (want > SEEK_ROWS)
		want = SEEK_ROWS;
	n = store_rows(s->store, s->dir > 0 ? s->next : s->next + 1 - want, want, rows);
	if (n < want)
		return error_set(e, STATUS_IO, "cannot read rows of the index"), SEEK_FAILED;
	answer = scan_rows(s, rows, n, e);
	if (answer != SEEK_MORE)
		return answer;
	s->left -= n;
	if (n == ahead)
		s->next = s->dir > 0 ? 0 : s->total - 1;
	else
		s->next = s->dir > 0 ? s->next + n : s->next - n;
	return SEEK_MORE;
}

/* The next row after (before) row that the index says may have it. */
static uint64_t index_find(const struct seek *s, uint64_t row)
{
	switch (s->target.kind) {
	case TARGET_EVENT:
		return store_find_event(s->store, s->target.what, row, s->dir, s->filter);
	case TARGET_FATE:
		return store_find_fate(s->store, (enum fate)s->target.what, row, s->dir, s->filter);
	default:
		return store_find_life(s->store, s->target.ticks, row, s->dir, s->filter);
	}
}

/* A life of N ticks need not hold a stay of N ticks. */
static enum seek_answer confirm(struct seek *s, struct error *e)
{
	if (s->target.kind != TARGET_STAY)
		return SEEK_FOUND;
	if (store_detail(s->store, s->row, 1, &s->detail, e))
		return SEEK_FAILED;
	if (s->detail.count && target_tick(&s->detail, &s->detail.rows[0], &s->target) != TICK_NONE)
		return SEEK_FOUND;
	return SEEK_MORE;
}

static enum seek_answer find_chunk(struct seek *s, struct error *e)
{
	uint64_t row = index_find(s, s->next);

	if (row == ROW_NONE && !s->wrapped && s->wrap) {
		s->wrapped = true;
		row = index_find(s, ROW_NONE);
	}
	if (row == ROW_NONE || (s->wrapped && (s->dir > 0 ? row > s->origin : row < s->origin)))
		return SEEK_MISSING;
	s->row = s->next = row;
	return confirm(s, e);
}

static bool find_gap(struct seek *s, int64_t from)
{
	return store_find_gap(s->store, s->target.ticks, from, s->dir, &s->tick, &s->end);
}

/* From inside a stretch the next one is meant. */
static enum seek_answer find_stretch(struct seek *s)
{
	int64_t at = s->tick;
	struct progress p;

	store_progress(s->store, &p);
	if (find_gap(s, at) &&
	    !(s->tick <= at && at < s->end && !find_gap(s, s->dir > 0 ? s->end : s->tick - 1)))
		return SEEK_FOUND;
	s->wrapped = true;
	if (s->wrap && find_gap(s, s->dir > 0 ? p.first - 1 : p.last))
		return SEEK_FOUND;
	return SEEK_MISSING;
}

/* Where the lines of the row it starts from begin. */
static uint64_t row_offset(struct seek *s)
{
	struct error ignored;

	if (store_detail(s->store, s->origin, 1, &s->detail, &ignored) || !s->detail.count)
		return SEARCH_EDGE;
	return s->detail.rows[0].offset;
}

/* The row that the line at s->off leads to; false: none that is shown. */
static bool line_leads(struct seek *s, enum seek_answer *answer, struct error *e)
{
	*answer = SEEK_MORE;
	if (store_line_owner(s->store, s->off, &s->owner, e)) {
		*answer = SEEK_FAILED;
		return false;
	}
	s->row = s->owner.row;
	return s->row != ROW_NONE && (!s->filter || filter_has(s->filter, s->row));
}

static enum seek_answer find_line(struct seek *s, int64_t deadline, const atomic_bool *stop,
				  struct error *e)
{
	int64_t left = deadline - clock_ms();
	uint64_t found;
	enum seek_answer answer;

	switch (search_next(s->target.lines, s->off, s->dir,
			    left < 0      ? 0
			    : left < 1000 ? left
					  : 1000,
			    stop, &found, e)) {
	case SEARCH_FOUND:
		break;
	case SEARCH_WAIT:
		return SEEK_MORE;
	case SEARCH_STOPPED:
		return SEEK_STOPPED;
	case SEARCH_FAILED:
		return SEEK_FAILED;
	case SEARCH_MISSING:
		if (!s->wrap || s->wrapped)
			return SEEK_MISSING;
		s->wrapped = true;
		s->off = SEARCH_EDGE;
		return SEEK_MORE;
	}
	if (s->wrapped && s->origin_off != SEARCH_EDGE &&
	    (s->dir > 0 ? found > s->origin_off : found < s->origin_off))
		return SEEK_MISSING;
	s->off = found;
	if (!line_leads(s, &answer, e))
		return answer;
	s->target.off = s->off;
	s->target.row = s->row;
	return SEEK_FOUND;
}

void seek_begin(struct seek *s, struct store *store, const struct filter *filter,
		const struct target *target, uint64_t row, int64_t tick, int dir, bool wrap)
{
	*s = (struct seek){.store = store,
			   .filter = filter,
			   .target = *target,
			   .matches = {.store = store, .pattern = target->text},
			   .dir = dir,
			   .wrap = wrap,
			   .row = row,
			   .tick = tick};
	seek_again(s);
}

void seek_again(struct seek *s)
{
	s->total = store_row_count(s->store);
	s->origin = s->row < s->total ? s->row : 0;
	s->wrapped = false;
	s->next = s->origin;
	if (s->target.kind == TARGET_LINE) {
		/* from the line found last, unless the user went elsewhere since */
		search_extend(s->target.lines);
		s->off = s->target.row == s->row ? s->target.off : row_offset(s);
		s->origin_off = s->off;
	}
	if (s->target.kind != TARGET_TEXT && s->target.kind != TARGET_STAGE)
		return;
	/* the origin itself comes last, after the whole circle */
	if (s->dir > 0) {
		s->left = s->wrap ? s->total : s->total ? s->total - 1 - s->origin : 0;
		s->next = s->origin + 1 < s->total ? s->origin + 1 : 0;
	} else {
		s->left = s->wrap ? s->total : s->origin;
		s->next = s->origin ? s->origin - 1 : s->total - 1;
	}
}

static enum seek_answer one_step(struct seek *s, int64_t deadline, const atomic_bool *stop,
				 struct error *e)
{
	if (!s->total)
		return SEEK_MISSING;
	switch (s->target.kind) {
	case TARGET_TEXT:
	case TARGET_STAGE:
		return scan_chunk(s, e);
	case TARGET_LINE:
		return find_line(s, deadline, stop, e);
	case TARGET_GAP:
		return find_stretch(s);
	case TARGET_EVENT:
	case TARGET_FATE:
	case TARGET_STAY:
		return find_chunk(s, e);
	case TARGET_NONE:
		break;
	}
	return SEEK_MISSING;
}

enum status seek_locate(struct seek *s, struct error *e)
{
	enum status status = STATUS_OK;

	if (s->target.kind == TARGET_GAP)
		return STATUS_OK;
	s->tick = s->target.kind == TARGET_LINE ? s->owner.tick : TICK_NONE;
	if (s->target.kind == TARGET_TEXT || s->target.kind == TARGET_LINE)
		return STATUS_OK;
	status = store_detail(s->store, s->row, 1, &s->detail, e);
	if (!status && s->detail.count)
		s->tick = target_tick(&s->detail, &s->detail.rows[0], &s->target);
	return status;
}

enum seek_answer seek_step(struct seek *s, int64_t deadline, const atomic_bool *stop,
			   struct error *e)
{
	enum seek_answer answer;

	do {
		if (*stop)
			return SEEK_STOPPED;
		answer = one_step(s, deadline, stop, e);
	} while (answer == SEEK_MORE && clock_ms() < deadline);
	return answer;
}

void seek_end(struct seek *s)
{
	code_matches_free(&s->matches);
	detail_free(&s->detail);
	s->target.kind = TARGET_NONE;
}
