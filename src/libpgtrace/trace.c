/* See include/pipeglass/trace.h: the calls, and the stream that they write. */
#include "config.h"

#include <pipeglass/trace.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BUFFER = 1 << 16, NUMBERS = 4, DIGITS = 21, PARTS = 3, TEXT_MOST = 4000, BUCKETS = 1 << 14 };

static const double patience = 0.1; /* seconds until what was written is in the file */

struct text {
	struct text *next; /* of the same bucket */
	int64_t number;
	size_t len;
	char line[]; /* as it was written: one byte before it and one behind */
};

struct pgtrace {
	FILE *file;
	size_t buffered; /* bytes, since the last flush */
	double flushed;  /* when that was */
	int error;
	int64_t tick; /* of the record before */
	uint64_t tasks;
	int64_t texts;
	struct text *buckets[BUCKETS];
	char buffer[BUFFER]; /* of the file */
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

/* What would end a line or a part of it is a blank. Returns how long it is. */
static size_t join(const char *const parts[PARTS], char key[TEXT_MOST])
{
	size_t len = 0;

	for (int i = 0; i < PARTS && parts[i]; i++) {
		if (i && len < TEXT_MOST)
			key[len++] = '\t';
		for (const char *p = parts[i]; *p && len < TEXT_MOST; p++)
			key[len++] = (unsigned char)*p < ' ' ? ' ' : *p;
	}
	return len;
}

static uint64_t hash_of(const char *p, size_t len)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)p[i]) * UINT64_C(1099511628211);
	return hash ^ hash >> 32;
}

/* The number of a text, which is written where it is new; parts beyond the first may be NULL. */
static int number_of(struct pgtrace *t, const char *a, const char *b, const char *c,
		     int64_t *number)
{
	char key[TEXT_MOST];
	const size_t len = join((const char *const[]){a, b, c}, key);
	struct text **bucket = &t->buckets[hash_of(key, len) % BUCKETS], *text = *bucket;

	while (text && (text->len != len || memcmp(text->line + 1, key, len) != 0))
		text = text->next;
	if (!text) {
		text = malloc(sizeof(*text) + len + 2);
		if (!text) {
			fail(t, ENOMEM);
			return 0;
		}
		*text = (struct text){*bucket, t->texts++, len};
		*bucket = text;
		text->line[0] = '=';
		memcpy(text->line + 1, key, len);
		text->line[len + 1] = '\n';
		put(t, text->line, len + 2);
	}
	*number = text->number;
	return 1;
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
	fprintf(t->file, "pgtrace 1 %" PRId64 "\n", picoseconds);
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
	for (size_t i = 0; i < BUCKETS; i++)
		while (t->buckets[i]) {
			struct text *text = t->buckets[i];

			t->buckets[i] = text->next;
			free(text);
		}
	error = t->error;
	free(t);
	return error;
}
