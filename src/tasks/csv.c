/*
 * Akita's CSV: fields with a comma and a blank between them, without quotes; seconds with ten
 * digits behind the point. A task is a line. The rowid of each STEP-th row is the offset of its
 * line, those of the rows behind it follow.
 */
#include "config.h"

#include <string.h>

#include "base/num.h"
#include "tasks/tasks_private.h"

enum {
	FIELDS = 7,
	PIECE = 1 << 20, /* of text at once */
	STEP = 64        /* rows between those whose lines are known */
};

enum { ID, PARENT, KIND, WHAT, WHERE, START, END };

static struct task_text trim(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	while (p < end && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	return (struct task_text){p, (size_t)(end - p)};
}

/* How many fields a line has; those beyond the last are not kept. */
static size_t cut(const char *p, size_t len, struct task_text fields[FIELDS])
{
	const char *end = p + len, *comma;
	size_t n = 0;

	for (; (comma = memchr(p, ',', (size_t)(end - p))); p = comma + 1, n++)
		if (n < FIELDS)
			fields[n] = trim(p, comma);
	if (n < FIELDS)
		fields[n] = trim(p, end);
	return n + 1;
}

static bool is(struct task_text field, const char *word)
{
	return field.len == strlen(word) && memcmp(field.p, word, field.len) == 0;
}

/* Whatever blanks there are. */
static bool is_heading(const char *p, size_t len)
{
	const char *want = "ID,ParentID,Kind,What,Where,Start,End";

	for (; len; p++, len--)
		if (!memchr(" \t\r", *p, 3) && (!*want || *p != *want++))
			return false;
	return !*want;
}

static int detect(const char *text, size_t len)
{
	const char *end = memchr(text, '\n', len);

	return is_heading(text, end ? (size_t)(end - text) : len) ? 95 : 0;
}

/* ---- a line ---- */

static bool seconds(struct task_text field, int64_t *out)
{
	char number[64];
	double real;

	return num_parse_real(num_part(field.p, field.len, number), &real) && task_ticks(real, 1e12, out);
}

/* Why a line is no task; NULL: it is one. */
static const char *read_line(const char *p, size_t len, struct task_text fields[FIELDS],
			     int64_t *start, int64_t *end)
{
	size_t n = cut(p, len, fields);

	if (n < FIELDS)
		return "a line with too few fields was left out";
	if (n > FIELDS)
		return "a line with too many commas was left out";
	if (!fields[ID].len)
		return "a task without an ID was left out";
	if (!seconds(fields[START], start) || !seconds(fields[END], end))
		return "a task with a time that is no number, or too great, was left out";
	if (*end < *start)
		return "a task that ends before it starts was left out";
	return NULL;
}

static bool is_blank(const char *p, size_t len)
{
	return trim(p, p + len).len == 0;
}

static bool csv_line(struct tasks *t, const char *p, size_t len, bool whole)
{
	const uint32_t behind = t->growing.count % STEP;
	struct task_row row = {.rowid = (int64_t)t->at_offset};
	struct task_text f[FIELDS];
	const char *why;

	(void)whole;
	if (is_blank(p, len) || (t->at_line == 1 && is_heading(p, len)))
		return true;
	why = read_line(p, len, f, &row.start, &row.end);
	if (why)
		return task_bad(t, "%s", why);
	if (behind)
		row.rowid = vec_last(&t->runs).rowid + behind;
	row.id = ids_text(t->ids, f[ID].p, f[ID].len);
	if (f[PARENT].len)
		row.parent = ids_text(t->ids, f[PARENT].p, f[PARENT].len);
	row.slot = task_slot(t, f[WHERE], f[KIND], f[WHAT]);
	return row.slot != UINT32_MAX && task_add(t, &row);
}

/* ---- ids ---- */

/* The row with an id, or the id of a row, whichever is asked for. */
struct asked {
	uint32_t row; /* of the line that comes next */
	uint32_t wanted;
	const char *id; /* NULL: of the row wanted */
	struct sbuf *out;
	bool found;
};

static bool look(void *arg, uint64_t offset, const char *p, size_t len, bool whole)
{
	struct asked *a = arg;
	struct task_text f[FIELDS];
	int64_t start, end;

	(void)offset, (void)whole;
	if (read_line(p, len, f, &start, &end))
		return true;
	a->found = a->id ? is(f[ID], a->id) : a->row == a->wanted;
	if (a->found && a->out)
		sbuf_add(a->out, f[ID].p, f[ID].len);
	a->row += !a->found;
	return !a->found;
}

/* On from the line at an offset, as long as the lines want more. */
static void walk(struct tasks *t, uint64_t at, lines_fn *line, void *arg)
{
	struct source *source = t->lines.trace.source;
	struct error ignored;
	struct window w;
	bool on = true;

	while (on && source_map(source, at, PIECE, &w, &ignored) == STATUS_OK && w.len) {
		size_t done;

		on = lines_cut(&w, false, line, arg, &done);
		if (on && !done)
			on = lines_cut(&w, true, line, arg, &done);
		at += done;
		source_release(source, &w);
	}
}

static bool csv_id(struct tasks *t, uint32_t row, struct sbuf *out)
{
	struct asked a = {.row = row / STEP * STEP, .wanted = row, .out = out};

	walk(t, (uint64_t)task_rowid(t, a.row), look, &a);
	return a.found;
}

static uint32_t csv_find(struct tasks *t, const char *id)
{
	struct asked a = {.id = id};
	const struct task_columns *c = tasks_lock(&t->lines.trace);
	uint32_t count = c->count;

	tasks_unlock(&t->lines.trace);
	walk(t, 0, look, &a);
	return a.found && a.row < count ? a.row : TASK_NONE;
}

/* ---- a part of it ---- */

struct part {
	const bool *chosen;
	uint32_t row, count; /* of the line that comes next; of all */
	const struct tasks_extract *x;
	enum status status;
	struct error *error;
};

static bool copy_line(void *arg, uint64_t offset, const char *p, size_t len, bool whole)
{
	struct part *part = arg;
	struct task_text f[FIELDS];
	int64_t start, end;
	bool wanted;

	(void)offset, (void)whole;
	if (read_line(p, len, f, &start, &end))
		wanted = part->row == 0 && is_heading(p, len);
	else
		wanted = part->row < part->count && part->chosen[part->row++];
	if (wanted)
		part->status = part->x->line(part->x->arg, p, len, part->error);
	return !part->status;
}

static enum status csv_extract(struct tasks *t, const bool *chosen, struct tasks_extract *x,
			       struct error *e)
{
	struct part part = {.chosen = chosen, .count = t->columns.count, .x = x, .error = e};

	walk(t, 0, copy_line, &part);
	return part.status;
}

const struct task_reader csv_task_reader = {
    .format = {"akita-csv", "tasks of components: an Akita simulation's CSV", "ps", detect, NULL},
    .absent = (1u << TASK_TABLE_COUNT) - 1,
    .read = task_read_lines,
    .line = csv_line,
    .id = csv_id,
    .find = csv_find,
    .extract = csv_extract,
};

/* ---- what was before, or comes from elsewhere ---- */

static int detect_json(const char *text, size_t len)
{
	static const char word[] = "\"parent_id\"";
	size_t at = 0;

	while (at < len && memchr(" \t\r\n", text[at], 4))
		at++;
	return at < len && text[at] == '[' && memmem(text, len, word, sizeof(word) - 1) ? 90 : 0;
}

const struct task_reader json_task_reader = {
    .format = {"akita-json", "tasks of components: an Akita simulation's JSON", "ps", detect_json,
	       "JSON of Akita before v3 (2019 to 2022), which pipeglass does not read: trace again "
	       "with Akita v3 or later, into SQLite or CSV"},
};
