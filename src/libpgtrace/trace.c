/* See include/pipeglass/trace.h: the calls, and the stream that they write. */
#include "config.h"

#include <pipeglass/trace.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BUFFER = 1 << 16, NUMBERS = 4, DIGITS = 21, TEXTS_FIRST = 256 };

static const double patience = 0.1; /* seconds until what was written is in the file */

struct text {
	uint64_t hash;
	char *bytes; /* NULL: a free place */
	size_t len;
	uint64_t number;
};

struct pgtrace {
	FILE *file;
	size_t buffered; /* bytes, since the last flush */
	double flushed;  /* when that was */
	int error;
	int64_t tick; /* of the record before */
	uint64_t tasks;
	struct text *texts; /* a hash table of a power of two */
	size_t places, count;
	char buffer[BUFFER]; /* of the file */
	char *key; /* the text that is looked up */
	size_t key_len, key_room;
};

static double now(void)
{
	struct timespec t;

	timespec_get(&t, TIME_UTC);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void fail(struct pgtrace *t, int error)
{
	if (!t->error)
		t->error = error ? error : EIO;
}

static void flush(struct pgtrace *t)
{
	errno = 0;
	if (fflush(t->file))
		fail(t, errno);
	t->buffered = 0;
	t->flushed = now();
}

/* A record whole: what the buffer has no room for begins a new one. */
static void put(struct pgtrace *t, const char *bytes, size_t len)
{
	if (t->buffered + len > BUFFER)
		flush(t);
	errno = 0;
	if (fwrite(bytes, 1, len, t->file) != len)
		fail(t, errno);
	t->buffered += len;
}

/* ---- texts ------------------------------------------------------------------------------- */

/* What would end a line or a part of it is a blank. */
static int add_part(struct pgtrace *t, const char *part)
{
	const size_t len = strlen(part);

	if (t->key_len + len + 2 > t->key_room) {
		const size_t room = (t->key_len + len + 2) * 2;
		char *key = realloc(t->key, room);

		if (!key)
			return 0;
		t->key = key;
		t->key_room = room;
	}
	for (size_t i = 0; i < len; i++)
		t->key[t->key_len++] = (unsigned char)part[i] < ' ' ? ' ' : part[i];
	t->key[t->key_len++] = '\t';
	return 1;
}

static uint64_t hash_of(const char *p, size_t len)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)p[i]) * UINT64_C(1099511628211);
	return hash ^ hash >> 32;
}

/* Where a text is, or would be. */
static struct text *place_of(struct text *texts, size_t places, uint64_t hash, const char *bytes,
			     size_t len)
{
	size_t i = hash & (places - 1);

	while (texts[i].bytes && (texts[i].hash != hash || texts[i].len != len ||
				  memcmp(texts[i].bytes, bytes, len) != 0))
		i = (i + 1) & (places - 1);
	return &texts[i];
}

static int make_room(struct pgtrace *t)
{
	const size_t places = t->places ? t->places * 2 : TEXTS_FIRST;
	struct text *texts;

	if (t->count < t->places / 2)
		return 1;
	texts = calloc(places, sizeof(*texts));
	if (!texts)
		return 0;
	for (size_t i = 0; i < t->places; i++)
		if (t->texts[i].bytes)
			*place_of(texts, places, t->texts[i].hash, t->texts[i].bytes,
				  t->texts[i].len) = t->texts[i];
	free(t->texts);
	t->texts = texts;
	t->places = places;
	return 1;
}

/* The number of the text in key, which is written where it is new; key ends in a tab. */
static int number_of_key(struct pgtrace *t, int64_t *number)
{
	const size_t len = t->key_len - 1;
	const uint64_t hash = hash_of(t->key, len);
	struct text *text;

	if (!make_room(t))
		return 0;
	text = place_of(t->texts, t->places, hash, t->key, len);
	if (!text->bytes) {
		char *line = malloc(len + 2);

		if (!line)
			return 0;
		line[0] = '=';
		memcpy(line + 1, t->key, len);
		line[len + 1] = '\n';
		put(t, line, len + 2);
		memmove(line, line + 1, len);
		*text = (struct text){hash, line, len, t->count++};
	}
	*number = (int64_t)text->number;
	return 1;
}

/* Parts beyond the first may be NULL. */
static int number_of(struct pgtrace *t, const char *a, const char *b, const char *c,
		     int64_t *number)
{
	t->key_len = 0;
	if (add_part(t, a) && (!b || add_part(t, b)) && (!c || add_part(t, c)) &&
	    number_of_key(t, number))
		return 1;
	fail(t, ENOMEM);
	return 0;
}

/* ---- records ----------------------------------------------------------------------------- */

static char *put_number(char *to, int64_t value)
{
	uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	char digits[DIGITS], *p = digits + sizeof(digits);

	do
		*--p = (char)('0' + left % 10);
	while (left /= 10);
	if (value < 0)
		*to++ = '-';
	memcpy(to, p, (size_t)(digits + sizeof(digits) - p));
	return to + (digits + sizeof(digits) - p);
}

/* The sign, the time since the record before, numbers; then what stands at the end of the line. */
static void put_record(struct pgtrace *t, char sign, int64_t tick, int count, const int64_t *numbers,
		       const char *last)
{
	char line[2 + NUMBERS * (DIGITS + 1) + 40], *p = line;

	*p++ = sign;
	p = put_number(p, (int64_t)((uint64_t)tick - (uint64_t)t->tick));
	t->tick = tick;
	for (int i = 0; i < count; i++) {
		*p++ = ' ';
		p = put_number(p, numbers[i]);
	}
	while (*last)
		*p++ = *last++;
	*p++ = '\n';
	put(t, line, (size_t)(p - line));
	if (now() - t->flushed > patience)
		flush(t);
}

static int64_t back(const struct pgtrace *t, pgtrace_task task)
{
	return (int64_t)(t->tasks - task);
}

static int writes(const struct pgtrace *t)
{
	return t && !t->error;
}

pgtrace_task pgtrace_start(struct pgtrace *t, int64_t tick, pgtrace_task parent, const char *where,
			   const char *kind, const char *what)
{
	int64_t numbers[2];

	if (!writes(t) || !number_of(t, where, kind, what, &numbers[0]))
		return 0;
	numbers[1] = back(t, parent);
	put_record(t, '+', tick, parent ? 2 : 1, numbers, "");
	return ++t->tasks;
}

void pgtrace_end(struct pgtrace *t, int64_t tick, pgtrace_task task)
{
	if (writes(t) && task)
		put_record(t, '-', tick, 1, (const int64_t[]){back(t, task)}, "");
}

void pgtrace_mark(struct pgtrace *t, int64_t tick, pgtrace_task task, const char *kind,
		  const char *what)
{
	int64_t number;

	if (writes(t) && task && number_of(t, kind, what, NULL, &number))
		put_record(t, '!', tick, 2, (const int64_t[]){back(t, task), number}, "");
}

void pgtrace_link(struct pgtrace *t, int64_t tick, pgtrace_task task, pgtrace_task from,
		  const char *kind)
{
	int64_t number;

	if (writes(t) && task && from && number_of(t, kind, NULL, NULL, &number))
		put_record(t, '~', tick, 3, (const int64_t[]){back(t, task), back(t, from), number},
			   "");
}

void pgtrace_sample(struct pgtrace *t, int64_t tick, const char *where, const char *metric,
		    double value)
{
	int64_t number;
	char real[40];

	if (!writes(t) || !number_of(t, where, metric, NULL, &number))
		return;
	snprintf(real, sizeof(real), " %.15g", value);
	/* whatever the locale calls it */
	for (char *p = real; *p; p++)
		if (*p == ',')
			*p = '.';
	put_record(t, '*', tick, 1, &number, real);
}

/* ---- the file ---------------------------------------------------------------------------- */

struct pgtrace *pgtrace_open(const char *path, int64_t picoseconds)
{
	struct pgtrace *t;
	char head[40];

	if (picoseconds < 1 || picoseconds > INT64_C(1000000000000)) {
		errno = EINVAL;
		return NULL;
	}
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->file = fopen(path, "wb");
	if (!t->file) {
		free(t);
		return NULL;
	}
	setvbuf(t->file, t->buffer, _IOFBF, BUFFER);
	put(t, head, (size_t)snprintf(head, sizeof(head), "pgtrace 1 %" PRId64 "\n", picoseconds));
	flush(t);
	return t;
}

int pgtrace_close(struct pgtrace *t)
{
	int error;

	if (!t)
		return 0;
	flush(t);
	errno = 0;
	if (fclose(t->file))
		fail(t, errno);
	for (size_t i = 0; i < t->places; i++)
		free(t->texts[i].bytes);
	free(t->texts);
	free(t->key);
	error = t->error;
	free(t);
	return error;
}
