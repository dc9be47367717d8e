#include "config.h"

#include "analysis/pipeline/machine.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

enum { WORD_BYTES = 64, LINES_MOST = 10000 };

/* A line, cut into words. */
struct line {
	size_t number;
	int count;
	char words[MACHINE_WORDS][WORD_BYTES];
};

struct reading {
	struct machine *m;
	struct machine_queue *queue; /* that lines are about; NULL: none yet */
	bool named;
	struct line line;
	struct error *e;
};

const struct machine_line machine_lines[MACHINE_LINES] = {
#define LINE(id, word, form, least, most, of_queue, help) {word, form, help},
    MACHINE_LINES_INFO(LINE)
#undef LINE
};

/* ---- names ------------------------------------------------------------------------------- */

enum op_class machine_class(const char *name, size_t len)
{
	for (int c = 0; c < OP_CLASS_COUNT; c++) {
		const char *known = isa_class_name((enum op_class)c);
		size_t i = 0;

		while (i < len && known[i] &&
		       (name[i] == known[i] || (name[i] == '-' && known[i] == ' ')))
			i++;
		if (i == len && !known[i])
			return (enum op_class)c;
	}
	return OP_CLASS_COUNT;
}

int machine_queue_find(const struct machine *m, const char *name, size_t len)
{
	for (int q = 0; q < m->queue_count; q++)
		if (strlen(m->queues[q].name) == len && memcmp(m->queues[q].name, name, len) == 0)
			return q;
	for (int q = 0; len == 1 && q < m->queue_count; q++)
		if (m->queues[q].name[0] == name[0])
			return q;
	return MACHINE_NO_QUEUE;
}

double machine_rate(const struct machine *m, int q)
{
	const struct machine_queue *queue = &m->queues[q];
	int units = 0;

	for (int u = 0; u < queue->unit_count; u++)
		units += queue->units[u].count;
	if (!queue->rate.den)
		return units;
	return (double)queue->rate.num / (double)queue->rate.den;
}

/* ---- a line ------------------------------------------------------------------------------ */

#define BAD(r, ...) bad_line((r), error_set((r)->e, STATUS_INPUT, __VA_ARGS__))

/* Puts the line's number before the message. */
static enum status bad_line(struct reading *r, enum status status)
{
	struct error why;

	if (!r->e)
		return status;
	why = *r->e;
	return error_set(r->e, status, "%zu: %.300s", r->line.number, why.text);
}

static bool parse_count(const char *word, int *out)
{
	int64_t value;

	if (!num_parse_i64(word, &value) || value < 1 || value > MACHINE_MOST)
		return false;
	*out = (int)value;
	return true;
}

/* The line's word, once. */
static enum status set_count(struct reading *r, const char *what, int *out)
{
	if (*out)
		return BAD(r, "a second %s", what);
	return parse_count(r->line.words[1], out)
		   ? STATUS_OK
		   : BAD(r, "%s: a number from 1 to %d; not '%s'", what, MACHINE_MOST,
			 r->line.words[1]);
}

static enum status set_fraction(struct reading *r, const char *what, struct fraction *out)
{
	if (out->den)
		return BAD(r, "a second %s", what);
	if (fraction_parse(r->line.words[1], out) && out->num >= 1 && out->num <= MACHINE_MOST &&
	    out->den <= MACHINE_MOST)
		return STATUS_OK;
	return BAD(r, "a %s is from 1/%d to %d, as in 4, 1.5 or 3/2, of terms up to %d; not '%s'",
		   what, MACHINE_MOST, MACHINE_MOST, MACHINE_MOST, r->line.words[1]);
}

static enum status set_name(struct reading *r, char name[MACHINE_NAME], const char *word)
{
	if (strlen(word) >= MACHINE_NAME)
		return BAD(r, "'%s' is longer than %d letters", word, MACHINE_NAME - 1);
	memcpy(name, word, strlen(word) + 1);
	return STATUS_OK;
}

/* Words from `first` on are classes of the queue, none of which another one takes. */
static enum status take_classes(struct reading *r, int first, class_set *out)
{
	for (int i = first; i < r->line.count; i++) {
		const char *word = r->line.words[i];
		enum op_class c = machine_class(word, strlen(word));
		int at = (int)(r->queue - r->m->queues);

		if (c == OP_CLASS_COUNT || c == OP_UNKNOWN)
			return BAD(r, "'%s' is not a class of instructions: integer, load, fp-add...",
				   word);
		if (r->m->queue_of[c] != MACHINE_NO_QUEUE && r->m->queue_of[c] != at)
			return BAD(r, "queue %s already takes %s",
				   r->m->queues[(int)r->m->queue_of[c]].name, word);
		r->m->queue_of[c] = (int8_t)at;
		*out |= (class_set)1 << c;
	}
	r->queue->classes |= *out;
	return STATUS_OK;
}

static enum status set_machine(struct reading *r)
{
	if (r->named)
		return BAD(r, "a second name");
	r->named = true;
	return set_name(r, r->m->name, r->line.words[1]);
}

static enum status set_dispatch(struct reading *r)
{
	return set_fraction(r, "dispatch rate", &r->m->dispatch);
}

static enum status set_in_flight(struct reading *r)
{
	r->m->queued = r->line.count == 3;
	if (r->m->queued && strcmp(r->line.words[2], "queued") != 0)
		return BAD(r, "'%s' should be 'queued', or nothing", r->line.words[2]);
	return set_count(r, "in-flight limit", &r->m->in_flight);
}

/* Who reads the results, or a mix, could not tell it from something else. */
static enum status check_queue_name(struct reading *r, const char *name)
{
	if (strcmp(name, "dispatch") == 0 || strcmp(name, "latency") == 0)
		return BAD(r, "a queue cannot be called %s, which is a limit of its own", name);
	if (!isalpha((unsigned char)name[0]) || strpbrk(name, "=,"))
		return BAD(r, "'%s': a queue's name begins with a letter and has no = or ,", name);
	return STATUS_OK;
}

static enum status set_queue(struct reading *r)
{
	const char *name = r->line.words[1];

	if (check_queue_name(r, name))
		return STATUS_INPUT;
	for (int q = 0; q < r->m->queue_count; q++)
		if (strcmp(r->m->queues[q].name, name) == 0)
			return BAD(r, "a second queue '%s'", name);
	if (r->m->queue_count == MACHINE_QUEUES)
		return BAD(r, "a machine has at most %d queues", MACHINE_QUEUES);
	r->queue = &r->m->queues[r->m->queue_count++];
	return set_name(r, r->queue->name, name);
}

static enum status set_capacity(struct reading *r)
{
	return set_count(r, "capacity", &r->queue->capacity);
}

static enum status set_rate(struct reading *r)
{
	return set_fraction(r, "rate", &r->queue->rate);
}

static enum status set_latency(struct reading *r)
{
	return set_count(r, "latency", &r->queue->latency);
}

static enum status set_takes(struct reading *r)
{
	class_set classes = 0;

	if (r->queue->unit_count)
		return BAD(r, "the units of queue %s say what it takes", r->queue->name);
	return take_classes(r, 1, &classes);
}

static enum status set_unit(struct reading *r)
{
	struct machine_queue *q = r->queue;
	struct machine_unit *u = &q->units[q->unit_count];

	if (q->classes && !q->unit_count)
		return BAD(r, "queue %s has `takes`: name the classes of its units instead",
			   q->name);
	if (q->unit_count == MACHINE_UNITS)
		return BAD(r, "a queue has at most %d kinds of units", MACHINE_UNITS);
	for (int i = 0; i < q->unit_count; i++)
		if (strcmp(q->units[i].name, r->line.words[1]) == 0)
			return BAD(r, "a second unit '%s' of queue %s", r->line.words[1], q->name);
	if (!parse_count(r->line.words[2], &u->count))
		return BAD(r, "there are 1 to %d units of a kind", MACHINE_MOST);
	q->unit_count++;
	if (set_name(r, u->name, r->line.words[1]))
		return STATUS_INPUT;
	return take_classes(r, 3, &u->classes);
}

/* ---- the file ---------------------------------------------------------------------------- */

static const struct keyword {
	const char *name;
	int least, most; /* words behind it */
	bool of_queue;
	enum status (*set)(struct reading *r);
	const char *form;
} keywords[] = {
#define KEYWORD(id, word, form, least, most, of_queue, help)                                       \
	{word, least, most, of_queue, set_##id, form},
    MACHINE_LINES_INFO(KEYWORD)
#undef KEYWORD
};

static enum status read_line(struct reading *r)
{
	const char *word = r->line.words[0];

	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
		const struct keyword *k = &keywords[i];

		if (strcmp(k->name, word) != 0)
			continue;
		if (r->line.count - 1 < k->least || r->line.count - 1 > k->most)
			return BAD(r, "it should be: %s %s", k->name, k->form);
		if (k->of_queue && !r->queue)
			return BAD(r, "%s before the first queue", k->name);
		return k->set(r);
	}
	return BAD(r,
		   "unknown word '%s'; known: machine, dispatch, in-flight, queue, "
		   "capacity, rate, latency, takes, unit",
		   word);
}

/* False: a word or the line is too long, or holds what is no text. */
static bool cut_line(struct line *l, const char *p, size_t len)
{
	const char *end = p + len;

	l->count = 0;
	while (p < end && *p != '#') {
		const char *word = p;

		while (p<end && * p> ' ' && *p < 0x7f && *p != '#')
			p++;
		if (p == word) {
			if (*p != ' ' && *p != '\t' && *p != '\r')
				return false;
			p++;
			continue;
		}
		if (l->count == MACHINE_WORDS || p - word >= WORD_BYTES)
			return false;
		memcpy(l->words[l->count], word, (size_t)(p - word));
		l->words[l->count++][p - word] = '\0';
	}
	return true;
}

static enum status check_queue(struct reading *r, struct machine_queue *q)
{
	if (!q->classes)
		return BAD(r, "queue %s takes no class of instructions", q->name);
	if (strcmp(q->name, "b") == 0 && !(q->classes >> OP_BRANCH & 1))
		return BAD(r, "queue b takes no branches, which b stands for in a mix");
	if (!q->rate.den && !q->unit_count)
		return BAD(r, "queue %s has neither rate nor units", q->name);
	if (q->latency && r->m->queued)
		return BAD(r,
			   "queue %s has a latency, which instructions spend outside of queues: "
			   "leave out `queued`",
			   q->name);
	if (!q->latency)
		q->latency = 1;
	if (!q->capacity || q->capacity > r->m->in_flight)
		q->capacity = r->m->in_flight;
	return STATUS_OK;
}

static enum status check_all(struct reading *r)
{
	enum status status = STATUS_OK;

	if (!r->named)
		return BAD(r, "no `machine NAME` so far: is this a machine description?");
	if (!r->m->dispatch.den)
		return BAD(r, "no dispatch rate so far");
	if (!r->m->in_flight)
		return BAD(r, "no in-flight limit so far");
	if (!r->m->queue_count)
		return BAD(r, "no queue so far");
	for (int q = 0; !status && q < r->m->queue_count; q++)
		status = check_queue(r, &r->m->queues[q]);
	return status;
}

enum status machine_read(struct machine *out, const char *text, size_t len, struct error *e)
{
	struct reading r = {.m = out, .e = e};
	const char *end = text + len;
	enum status status = STATUS_OK;

	memset(out, 0, sizeof(*out));
	memset(out->queue_of, MACHINE_NO_QUEUE, sizeof(out->queue_of));
	while (!status && text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		if (!stop)
			stop = end;
		r.line.number++;
		if (!cut_line(&r.line, text, (size_t)(stop - text)) || r.line.number > LINES_MOST)
			status = BAD(&r,
				     "not a line of a machine description: not text, a word of "
				     "%d letters, or more than %d words",
				     WORD_BYTES, MACHINE_WORDS);
		else if (r.line.count)
			status = read_line(&r);
		text = stop < end ? stop + 1 : end;
	}
	return status ? status : check_all(&r);
}
