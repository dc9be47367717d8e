/*
 * The stream of libpgtrace; include/pipeglass/trace.h says what its lines are.
 *
 * A task is a row from its start on. Until its end is read it reaches as far as the trace does, and
 * one that never ends stays so. A link is a mark of the task that waited: what it waited for is the
 * other task, and where it was.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "tasks/tasks_private.h"

enum { PARTS = 3, NUMBERS = 4, ROWS = 2 };

#define NAME "pgtrace"

/* A text of the stream, in its parts, each with a NUL behind it. */
struct named {
	struct task_text part[PARTS];
	bool sampled; /* as a metric: it has a level, since then */
	int64_t since;
	double level;
};

struct task_stream {
	int64_t picoseconds, tick; /* of a tick; of the record before */
	VEC(struct named) names;
	VEC(uint32_t) rows; /* by number of the task, less one; TASK_NONE: its line was bad */
	VEC(bool) ended;    /* by row */
};

static int detect(const char *text, size_t len)
{
	return len > strlen(NAME) && memcmp(text, NAME " ", strlen(NAME) + 1) == 0 ? 100 : 0;
}

/* ---- a line ---- */

/* Digits, behind them a blank or the end of the line; *p is moved there, behind the blank. */
static bool take_number(const char **p, const char *end, int64_t *out)
{
	const char *at = *p;
	bool minus = at < end && *at == '-';
	uint64_t value = 0;

	at += minus;
	if (at == end || *at == ' ')
		return false;
	for (; at < end && *at != ' '; at++) {
		if (*at < '0' || *at > '9' || value > (UINT64_MAX >> 1) / 10)
			return false;
		value = value * 10 + (uint64_t)(*at - '0');
	}
	if (value > INT64_MAX)
		return false;
	*out = minus ? -(int64_t)value : (int64_t)value;
	*p = at + (at < end);
	return true;
}

struct record {
	const char *rest, *end; /* what follows the numbers */
	int64_t numbers[NUMBERS];
	int count;
	/* What it is about, as its sign says. */
	int64_t ps;
	uint32_t rows[ROWS];
	struct named *name;
};

/* All numbers of a line, or so many of them. */
static bool take_numbers(struct record *r, int most)
{
	while (r->rest < r->end && r->count < most)
		if (!take_number(&r->rest, r->end, &r->numbers[r->count++]))
			return false;
	return true;
}

/* The tick of a record, from the number that comes first, which is of the one before. */
static bool take_tick(struct task_stream *s, struct record *r)
{
	int64_t tick;

	if (!r->count || __builtin_add_overflow(s->tick, r->numbers[0], &tick) ||
	    __builtin_mul_overflow(tick, s->picoseconds, &r->ps) || r->ps > TASK_TICK_MOST ||
	    r->ps < -TASK_TICK_MOST)
		return false;
	s->tick = tick;
	return true;
}

/* The numbers behind the tick: t: of a task, backwards; n: of a name. False: there is no such one. */
static bool refer(struct task_stream *s, struct record *r, const char *about)
{
	uint32_t *row = r->rows;

	for (int i = 1; *about; about++, i++) {
		const uint64_t number = i < r->count ? (uint64_t)r->numbers[i] : UINT64_MAX;
		const bool task = *about == 't';

		if (number >= (task ? s->rows.count : s->names.count))
			return false;
		if (!task)
			r->name = &s->names.data[number];
		else if ((*row++ = s->rows.data[s->rows.count - 1 - number]) == TASK_NONE)
			return false;
	}
	return true;
}

static bool add_name(struct tasks *t, struct task_stream *s, const char *p, const char *end)
{
	struct named n = {.sampled = false};
	bool ok;

	pthread_rwlock_wrlock(&t->lines.lock);
	for (int part = 0; part < PARTS; part++) {
		const char *tab = part < PARTS - 1 ? memchr(p, '\t', (size_t)(end - p)) : NULL;
		const size_t len = (size_t)((tab ? tab : end) - p);

		n.part[part] = (struct task_text){task_keep(t, p, len), len};
		p = tab ? tab + 1 : end;
	}
	ok = !t->lines.failed;
	pthread_rwlock_unlock(&t->lines.lock);
	return ok && vec_push(&s->names, n);
}

/* A parent may be named that is not there, or none. */
static bool add_start(struct tasks *t, struct task_stream *s, const struct record *r)
{
	const uint64_t number = s->rows.count + 1;
	const struct task_text *part = r->name->part;
	struct task_row row = {.start = r->ps,
			       .end = r->ps,
			       .id = ids_number(t->ids, number),
			       .rowid = (int64_t)number};

	if (r->count > 2)
		row.parent =
		    ids_number(t->ids, number - 1 - (uint64_t)r->numbers[2]);
	row.slot = task_slot(t, part[0], part[1], part[2]);
	return row.slot != UINT32_MAX && vec_push(&s->rows, t->growing.count) &&
	       vec_push(&s->ended, false) && task_add(t, &row);
}

static bool add_end(struct tasks *t, struct task_stream *s, const struct record *r)
{
	if (s->ended.data[r->rows[0]])
		return task_bad(t, "the second end of a task was left out");
	s->ended.data[r->rows[0]] = true;
	if (!task_set_end(t, r->rows[0], r->ps))
		return task_bad(t, "a task that ends before it starts has no length");
	return true;
}

static bool add_mark(struct tasks *t, struct task_stream *s, const struct record *r)
{
	const struct task_text *part = r->name->part, none = {"", 0};
	const uint32_t label = task_label(t, part[0], part[1], none, part[0].len == 0);

	(void)s;
	return label != UINT32_MAX && task_add_mark(t, r->rows[0], r->ps, label);
}

static struct task_text text_of(const struct intern *names, uint32_t id)
{
	return (struct task_text){intern_name(names, (int32_t)id),
				  intern_length(names, (int32_t)id)};
}

static bool add_link(struct tasks *t, struct task_stream *s, const struct record *r)
{
	const struct task_slot *slot = &t->tables.slots.data[task_slot_at(t, r->rows[1])];
	const uint32_t label =
	    task_label(t, r->name->part[0], text_of(t->whats, slot->what),
		       text_of(t->components, slot->component), false);

	(void)s;
	return label != UINT32_MAX && task_add_mark(t, r->rows[0], r->ps, label);
}

/* The level that a metric had up to now. */
static bool end_level(struct tasks *t, const struct named *n, int64_t ps)
{
	bool ok;

	if (!n->sampled || ps <= n->since)
		return true;
	pthread_rwlock_wrlock(&t->lines.lock);
	samples_add(&t->samples, n->since, ps, n->part[0].p, n->part[1].p, "", false, n->level);
	ok = !t->lines.failed;
	pthread_rwlock_unlock(&t->lines.lock);
	return ok;
}

static bool add_sample(struct tasks *t, struct task_stream *s, const struct record *r)
{
	struct named *n = r->name;
	char number[64];
	double value;

	(void)s;
	if (!num_parse_real(num_part(r->rest, (size_t)(r->end - r->rest), number), &value))
		return task_bad(t, "a sample whose value is no number was left out");
	if (n->sampled && r->ps < n->since)
		return task_bad(t, "a sample of a time before the one before was left out");
	if (!end_level(t, n, r->ps))
		return false;
	n->sampled = true;
	n->since = r->ps;
	n->level = value;
	return true;
}

static const struct {
	char sign;
	int numbers; /* at most */
	const char *about;
	bool (*add)(struct tasks *t, struct task_stream *s, const struct record *r);
} signs[] = {
    {'+', 3, "n", add_start},  {'-', 2, "t", add_end},    {'!', 3, "tn", add_mark},
    {'~', 4, "ttn", add_link}, {'*', 2, "n", add_sample},
};

static bool add_record(struct tasks *t, struct task_stream *s, const char *p, size_t len)
{
	struct record r = {.rest = p + 1, .end = p + len};
	const char *why = NULL;
	size_t i = 0;

	while (i < sizeof(signs) / sizeof(signs[0]) && signs[i].sign != *p)
		i++;
	if (i == sizeof(signs) / sizeof(signs[0]))
		return task_bad(t, "a line that begins with no sign of a record was left out");
	if (!take_numbers(&r, signs[i].numbers) || !take_tick(s, &r))
		why = "a record with what is no number, or too great, was left out";
	else if (!refer(s, &r, signs[i].about))
		why = "a record of a task or a name that is not there was left out";
	if (!why)
		return signs[i].add(t, s, &r);
	/* the next task has its number all the same */
	return (*p != '+' || vec_push(&s->rows, TASK_NONE)) && task_bad(t, "%s", why);
}

/* Rows that have not ended reach up to now. */
static void stretch(struct tasks *t)
{
	const struct task_stream *s = t->stream;

	if (!s)
		return;
	t->counts[TASK_NOTE_RUNNING] = 0;
	for (size_t row = 0; row < s->ended.count; row++)
		if (!s->ended.data[row]) {
			t->counts[TASK_NOTE_RUNNING]++;
			task_set_end(t, (uint32_t)row, s->tick * s->picoseconds);
		}
}

/* The first line; false: the error says why it is none. */
static bool read_head(struct tasks *t, const char *p, size_t len)
{
	const char *end = p + len, *at = len > strlen(NAME) ? p + strlen(NAME " ") : end;
	const char *path = source_path(t->lines.trace.source);
	int64_t version = 0, picoseconds = 0;

	if (take_number(&at, end, &version) && version == 1 &&
	    take_number(&at, end, &picoseconds) && picoseconds > 0 &&
	    picoseconds <= INT64_C(1000000000000)) {
		t->stream = calloc(1, sizeof(*t->stream));
		if (t->stream)
			t->stream->picoseconds = picoseconds;
	} else if (version > 1) {
		error_set(t->error, STATUS_INPUT,
			  "%s:1: a stream of version %lld, of which this pipeglass knows the first: "
			  "read it with a later pipeglass",
			  path, (long long)version);
	} else {
		error_set(t->error, STATUS_INPUT,
			  "%s:1: not 'pgtrace 1' and the picoseconds of a tick: write the trace "
			  "again with libpgtrace",
			  path);
	}
	return t->stream;
}

static bool stream_line(struct tasks *t, const char *p, size_t len, bool whole)
{
	if (t->at_line == 1)
		return read_head(t, p, len);
	if (!len)
		return true;
	if (!whole)
		return task_bad(t, "the last line was cut: the trace was not closed");
	if (*p == '=')
		return add_name(t, t->stream, p + 1, p + len);
	return add_record(t, t->stream, p, len);
}

/* What is open at the end: tasks, and levels. */
static bool stream_end(struct tasks *t)
{
	struct task_stream *s = t->stream;
	bool ok = true;

	stretch(t);
	for (size_t i = 0; s && ok && i < s->names.count; i++)
		ok = end_level(t, &s->names.data[i], s->tick * s->picoseconds);
	if (s) {
		vec_free(&s->names);
		vec_free(&s->rows);
		vec_free(&s->ended);
	}
	free(s);
	t->stream = NULL;
	return ok;
}

/* ---- ids: numbers of tasks ---- */

static bool stream_id(struct tasks *t, uint32_t row, struct sbuf *out)
{
	sbuf_printf(out, "%lld", (long long)task_rowid(t, row));
	return true;
}

static uint32_t stream_find(struct tasks *t, const char *id)
{
	int64_t number;

	return num_parse_i64(id, &number) ? task_row_of(t, number) : TASK_NONE;
}

const struct task_reader stream_task_reader = {
    .format = {NAME, "tasks of components: a stream of libpgtrace", "ps", detect, NULL},
    .form = TASK_STREAM,
    .absent = ((1u << TASK_TABLE_COUNT) - 1) & ~(1u << TASK_MILESTONES | 1u << TASK_TAGS),
    .read = task_read_lines,
    .line = stream_line,
    .end = stream_end,
    .id = stream_id,
    .find = stream_find,
    .settle = stretch,
    .uncached = true,
};
