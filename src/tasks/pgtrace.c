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

enum {
	PARTS = 3,
	NUMBERS = 4,
	NUMBER = 64 /* longest real number */
};

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

static bool bad(struct tasks *t, const char *why)
{
	t->counts[TASK_NOTE_BAD]++;
	task_warn(t, "%s", why);
	return true;
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
static bool take_tick(struct task_stream *s, const struct record *r, int64_t *ps)
{
	int64_t tick;

	if (!r->count || __builtin_add_overflow(s->tick, r->numbers[0], &tick) ||
	    __builtin_mul_overflow(tick, s->picoseconds, ps) || *ps > TASK_TICK_MOST ||
	    *ps < -TASK_TICK_MOST)
		return false;
	s->tick = tick;
	return true;
}

static uint32_t row_back(const struct task_stream *s, int64_t back)
{
	return back < 0 || (uint64_t)back >= s->rows.count
		   ? TASK_NONE
		   : s->rows.data[s->rows.count - 1 - (size_t)back];
}

static struct named *name_of(struct task_stream *s, int64_t number)
{
	return number < 0 || (uint64_t)number >= s->names.count ? NULL : &s->names.data[number];
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

static bool add_start(struct tasks *t, struct task_stream *s, const struct record *r, int64_t ps)
{
	const uint64_t number = s->rows.count + 1;
	const struct named *n = r->count > 1 ? name_of(s, r->numbers[1]) : NULL;
	struct task_row row = {.start = ps,
			       .end = ps,
			       .id = task_id_number(t->ids, (int64_t)number),
			       .rowid = (int64_t)number};

	if (!vec_push(&s->rows, n ? t->growing.count : TASK_NONE))
		return false;
	if (!n)
		return bad(t, "a task of a kind that was not named before was left out");
	if (r->count > 2)
		row.parent = task_id_number(
		    t->ids, (int64_t)((uint64_t)s->rows.count - 1 - (uint64_t)r->numbers[2]));
	row.slot = task_slot(t, n->part[0], n->part[1], n->part[2]);
	return row.slot != UINT32_MAX && vec_push(&s->ended, false) && task_add(t, &row);
}

static bool add_end(struct tasks *t, struct task_stream *s, const struct record *r, int64_t ps)
{
	const uint32_t row = r->count > 1 ? row_back(s, r->numbers[1]) : TASK_NONE;

	if (row == TASK_NONE)
		return bad(t, "the end of a task that is not there was left out");
	if (s->ended.data[row])
		return bad(t, "the second end of a task was left out");
	s->ended.data[row] = true;
	if (!task_set_end(t, row, ps))
		return bad(t, "a task that ends before it starts has no length");
	return true;
}

static bool add_mark(struct tasks *t, struct task_stream *s, const struct record *r, int64_t ps)
{
	const struct task_text none = {"", 0};
	const uint32_t row = r->count > 2 ? row_back(s, r->numbers[1]) : TASK_NONE;
	const struct named *n = r->count > 2 ? name_of(s, r->numbers[2]) : NULL;
	struct task_text kind;
	uint32_t label;

	if (row == TASK_NONE || !n) {
		t->counts[TASK_NOTE_LOST_MARKS]++;
		return true;
	}
	kind = n->part[0];
	label = task_label(t, kind, n->part[1], none, kind.len == 0);
	return label != UINT32_MAX && task_add_mark(t, row, ps, label);
}

static struct task_text text_of(const struct intern *names, uint32_t id)
{
	return (struct task_text){intern_name(names, (int32_t)id),
				  intern_length(names, (int32_t)id)};
}

static bool add_link(struct tasks *t, struct task_stream *s, const struct record *r, int64_t ps)
{
	const uint32_t row = r->count > 3 ? row_back(s, r->numbers[1]) : TASK_NONE;
	const uint32_t from = r->count > 3 ? row_back(s, r->numbers[2]) : TASK_NONE;
	const struct named *n = r->count > 3 ? name_of(s, r->numbers[3]) : NULL;
	const struct task_slot *slot;
	uint32_t label;

	if (row == TASK_NONE || from == TASK_NONE || !n) {
		t->counts[TASK_NOTE_LOST_MARKS]++;
		return true;
	}
	slot = &t->tables.slots.data[task_slot_at(t, from)];
	label = task_label(t, n->part[0], text_of(t->whats, slot->what),
			   text_of(t->components, slot->component), false);
	return label != UINT32_MAX && task_add_mark(t, row, ps, label);
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

static bool add_sample(struct tasks *t, struct task_stream *s, const struct record *r, int64_t ps)
{
	struct named *n = r->count > 1 ? name_of(s, r->numbers[1]) : NULL;
	const size_t len = (size_t)(r->end - r->rest);
	char number[NUMBER];
	double value;

	if (!n || !len || len >= sizeof(number))
		return bad(t, "a sample without a name or a value was left out");
	memcpy(number, r->rest, len);
	number[len] = '\0';
	if (!num_parse_real(number, &value))
		return bad(t, "a sample whose value is no number was left out");
	if (n->sampled && ps < n->since)
		return bad(t, "a sample of a time before the one before was left out");
	if (!end_level(t, n, ps))
		return false;
	n->sampled = true;
	n->since = ps;
	n->level = value;
	return true;
}

static const struct {
	char sign;
	int numbers; /* at most */
	bool (*add)(struct tasks *t, struct task_stream *s, const struct record *r, int64_t ps);
} signs[] = {
    {'+', 3, add_start}, {'-', 2, add_end},    {'!', 3, add_mark},
    {'~', 4, add_link},  {'*', 2, add_sample},
};

static bool add_record(struct tasks *t, struct task_stream *s, const char *p, size_t len)
{
	struct record r = {.rest = p + 1, .end = p + len};
	size_t i = 0;
	int64_t ps;

	while (i < sizeof(signs) / sizeof(signs[0]) && signs[i].sign != *p)
		i++;
	if (i == sizeof(signs) / sizeof(signs[0]))
		return bad(t, "a line that begins with no sign of a record was left out");
	if (!take_numbers(&r, signs[i].numbers) || !take_tick(s, &r, &ps)) {
		/* the next one has its number all the same */
		if (*p == '+' && !vec_push(&s->rows, TASK_NONE))
			return false;
		return bad(t, "a record with what is no number, or too great, was left out");
	}
	return signs[i].add(t, s, &r, ps);
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
		return bad(t, "the last line was cut: the trace was not closed");
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
