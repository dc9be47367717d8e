/*
 * What the tests and the fuzzer of the reader share: whole texts lexed in different ways, into
 * arrays that are compared record by record, with the text at the end of a page behind which
 * nothing may be read.
 */
#ifndef PIPEGLASS_TESTS_LEXING_H
#define PIPEGLASS_TESTS_LEXING_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pipeline/formats/record.h"

typedef size_t lex_fn(struct lexer *lx, const char *text, size_t len, bool final,
		      struct record *out, size_t max);

extern const struct reader pipetrace_reader;

/* The format in question: a test of another one puts its own here. */
static struct lexed_format {
	const struct reader *reader;
	lex_fn *lex, *slow;
} lexed_by = {&pipetrace_reader, pipetrace_lex, pipetrace_lex_slow};

struct lexed {
	struct record *recs;
	size_t count, cap;
	uint64_t lines;
};

static inline void lexed_free(struct lexed *l)
{
	free(l->recs);
	memset(l, 0, sizeof(*l));
}

static inline void lexed_add(struct lexed *l, const struct record *recs, size_t n)
{
	if (l->count + n > l->cap) {
		l->cap = (l->count + n) * 2;
		l->recs = realloc(l->recs, l->cap * sizeof(*l->recs));
		if (!l->recs)
			abort();
	}
	if (n)
		memcpy(l->recs + l->count, recs, n * sizeof(*recs));
	l->count += n;
}

/*
 * Lex text[0..len) from lx->pos and append. at and line are added to every record, as
 * whoever lexes pieces must do. batch: how many records at a time.
 */
static inline void lexed_run(struct lexed *l, lex_fn *lex, struct lexer *lx, const char *text,
			     size_t len, bool final, size_t batch, uint32_t at, uint32_t line)
{
	struct record out[LEX_BATCH];
	size_t n;

	while ((n = lex(lx, text, len, final, out, batch)) > 0) {
		if (n > batch)
			abort();
		for (size_t i = 0; i < n; i++) {
			out[i].at += at;
			out[i].line += line;
		}
		lexed_add(l, out, n);
	}
	l->lines = line + lx->line;
}

static inline void lexed_whole(struct lexed *l, lex_fn *lex, const char *text, size_t len,
			       size_t batch)
{
	struct trace_config config;
	struct names names;
	struct lexer lx;

	memset(l, 0, sizeof(*l));
	memset(&config, 0, sizeof(config));
	lexed_by.reader->config(&config);
	names_init(&names, &config);
	lexer_begin(&lx, &names, true);
	lexed_run(l, lex, &lx, text, len, true, batch, 0, 0);
	if (lx.pos != len)
		abort();
	names_free(&names);
}

static inline bool lexed_birth_differs(const struct record *a, const struct record *b)
{
	return a->birth.pc_len != b->birth.pc_len || a->birth.text != b->birth.text ||
	       a->birth.text_len != b->birth.text_len || a->birth.pc != b->birth.pc;
}

static inline bool lexed_record_differs(const struct record *a, const struct record *b)
{
	if (a->kind != b->kind || a->at != b->at || a->line != b->line)
		return true;
	if (a->stage != b->stage)
		return true;
	switch (a->kind) {
	case REC_BIRTH:
	case REC_LABEL:
		return a->id != b->id || a->events != b->events || lexed_birth_differs(a, b);
	case REC_ENTER:
	case REC_LEAVE:
		return a->id != b->id || a->events != b->events ||
		       a->enter.latency != b->enter.latency ||
		       a->enter.colour != b->enter.colour || a->enter.lane != b->enter.lane;
	case REC_LINK:
		return a->id != b->id || a->link.low != b->link.low || a->link.high != b->link.high;
	case REC_TICK:
	case REC_END:
	case REC_SAMPLE:
		return memcmp(&a->value, &b->value, sizeof(a->value)) != 0;
	case REC_NOTE:
		return a->id != b->id;
	default:
		return false;
	}
}

static inline void lexed_describe(const struct record *r, const char *text, size_t len, char *out,
				  size_t size)
{
	const char *line = text + r->at, *nl;
	size_t n;

	if (r->at >= len) {
		snprintf(out, size, "record at %u of %zu", r->at, len);
		return;
	}
	nl = memchr(line, '\n', len - r->at);
	n = (size_t)((nl ? nl : text + len) - line);
	bool birth = r->kind == REC_BIRTH || r->kind == REC_LABEL;
	bool stay = r->kind == REC_ENTER || r->kind == REC_LEAVE;
	snprintf(out, size,
		 "kind %u stage %u id %" PRIu64 " events %x lane %u [%x %x] line %u: \"%.*s\"",
		 r->kind, r->stage, r->id, r->events, stay ? r->enter.lane : 0,
		 birth ? r->birth.text : (unsigned)r->enter.latency,
		 birth ? r->birth.text_len : r->enter.colour, r->line, n < 100 ? (int)n : 100,
		 line);
}

/* NULL: the same; else where the two part, in a buffer of its own. */
static inline const char *lexed_difference(const struct lexed *a, const struct lexed *b,
					   const char *text, size_t len)
{
	static char why[600];
	char one[260], two[260];
	size_t i = 0;

	while (i < a->count && i < b->count && !lexed_record_differs(&a->recs[i], &b->recs[i]))
		i++;
	if (i == a->count && i == b->count && a->lines == b->lines)
		return NULL;
	snprintf(one, sizeof(one), "nothing");
	snprintf(two, sizeof(two), "nothing");
	if (i < a->count)
		lexed_describe(&a->recs[i], text, len, one, sizeof(one));
	if (i < b->count)
		lexed_describe(&b->recs[i], text, len, two, sizeof(two));
	snprintf(why, sizeof(why), "record %zu: %s / %s", i, one, two);
	return why;
}

/* Text that ends where memory ends; on both sides of it a read is a fault. */
struct fenced {
	char *text;
	size_t len, mapped;
	char *base;
};

static inline struct fenced fenced_text(const void *bytes, size_t len)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t room = (len + page - 1) / page * page;
	struct fenced f = {.len = len, .mapped = room + 2 * page};

	f.base = mmap(NULL, f.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (f.base == MAP_FAILED ||
	    (room && mprotect(f.base + page, room, PROT_READ | PROT_WRITE) != 0))
		abort();
	f.text = f.base + page + room - len;
	if (len)
		memcpy(f.text, bytes, len);
	return f;
}

static inline void fenced_free(struct fenced *f)
{
	munmap(f->base, f->mapped);
}

/*
 * Where the text may be read in two: the line at `cut` or, in formats that must be told the tick,
 * the next cycle line; beyond the text: nowhere.
 */
static inline size_t lexed_seam(const char *text, size_t len, size_t cut, int64_t *tick)
{
	const struct reader *reader = lexed_by.reader;
	const char *nl;

	if (!reader->clock)
		return cut;
	while (cut < len && !reader->cut(text + cut, text + len, tick)) {
		nl = memchr(text + cut, '\n', len - cut);
		cut = nl ? (size_t)(nl + 1 - text) : len;
	}
	if (cut == len)
		return SIZE_MAX;
	nl = memchr(text + cut, '\n', len - cut);
	*tick = nl ? reader->clock(text, (size_t)(nl + 1 - text), 0) : 0;
	return cut;
}

/*
 * The text up to `cut`, then the rest by itself with a new context, as pieces are read. The rest
 * begins at tick.
 */
static inline void lexed_in_two(struct lexed *l, lex_fn *lex, const char *text, size_t len,
				size_t cut, int64_t tick)
{
	struct trace_config config;
	struct names names;
	struct lexer lx;
	struct fenced first = fenced_text(text, cut), rest = fenced_text(text + cut, len - cut);

	memset(l, 0, sizeof(*l));
	memset(&config, 0, sizeof(config));
	lexed_by.reader->config(&config);
	names_init(&names, &config);
	lexer_begin(&lx, &names, true);
	lexed_run(l, lex, &lx, first.text, cut, false, LEX_BATCH, 0, 0);
	lexer_begin_at(&lx, &names, true, tick, true);
	lexed_run(l, lex, &lx, rest.text, len - cut, true, LEX_BATCH, (uint32_t)cut,
		  (uint32_t)l->lines);
	names_free(&names);
	fenced_free(&first);
	fenced_free(&rest);
}

/* The text as it comes through a pipe: the first `known` bytes, then all of it. */
static inline void lexed_growing(struct lexed *l, lex_fn *lex, const char *text, size_t len,
				 size_t known)
{
	struct trace_config config;
	struct names names;
	struct lexer lx;
	struct fenced some = fenced_text(text, known);

	memset(l, 0, sizeof(*l));
	memset(&config, 0, sizeof(config));
	lexed_by.reader->config(&config);
	names_init(&names, &config);
	lexer_begin(&lx, &names, true);
	lexed_run(l, lex, &lx, some.text, known, false, LEX_BATCH, 0, 0);
	lexed_run(l, lex, &lx, text, len, true, LEX_BATCH, 0, 0);
	names_free(&names);
	fenced_free(&some);
}

/* What must hold of records of any text: they stay inside it and their lines ascend. */
static inline const char *lexed_nonsense(const struct lexed *l, const char *text, size_t len)
{
	uint32_t line = 0, at = 0;

	for (size_t i = 0; i < l->count; i++) {
		const struct record *r = &l->recs[i];

		if (r->at >= len || r->line < line || r->line >= l->lines)
			return "a record outside the text";
		if (r->line > line)
			at = 0;
		if (r->kind != REC_NOTE && r->kind != REC_BAD && r->at < at)
			return "records of a line out of order";
		at = r->at;
		line = r->line;
		if (r->kind > REC_BAD || (r->kind == REC_NOTE && r->stage >= NOTE_COUNT) ||
		    (r->kind == REC_BAD && r->stage >= BAD_COUNT) ||
		    ((r->kind == REC_ENTER || r->kind == REC_LEAVE) &&
		     (r->stage >= STAGE_MAX || r->enter.lane >= LANE_MAX)) ||
		    (r->kind == REC_SAMPLE && r->stage >= METRIC_MAX))
			return "a number beyond its table";
		if (r->kind == REC_TICK && r->id >= INT64_MAX && !lexed_by.reader->clock)
			return "a tick beyond all";
		if ((r->kind == REC_BIRTH || r->kind == REC_LABEL) &&
		    (r->at + (size_t)r->birth.text + r->birth.text_len > len ||
		     r->at + (size_t)r->birth.pc + r->birth.pc_len > len ||
		     memchr(text + r->at, '\n', r->birth.text + (size_t)r->birth.text_len)))
			return "a disassembly that leaves its line";
		if (r->kind == REC_ENTER && (r->enter.colour & ~r->events))
			return "a latency of an event that is not there";
		if (r->kind == REC_ENTER &&
		    (r->enter.latency < -1 || (r->enter.latency >= 0) != (r->enter.colour != 0)))
			return "a latency without an event";
	}
	return NULL;
}

/* All that is promised of any text; NULL or what does not hold. */
static inline const char *lexers_disagree(const char *bytes, size_t len, size_t batch, size_t cut)
{
	struct fenced f = fenced_text(bytes, len);
	struct lexed slow, other;
	const char *nl, *why;
	int64_t tick = 0;
	size_t seam;

	lexed_whole(&slow, lexed_by.slow, f.text, len, LEX_BATCH);
	why = lexed_nonsense(&slow, f.text, len);
	lexed_whole(&other, lexed_by.lex, f.text, len, LEX_BATCH);
	if (!why)
		why = lexed_difference(&other, &slow, f.text, len);
	lexed_free(&other);
	if (!why && batch < LEX_BATCH) {
		lexed_whole(&other, lexed_by.lex, f.text, len, batch < 16 ? 16 : batch);
		why = lexed_difference(&other, &slow, f.text, len);
		lexed_free(&other);
	}
	if (!why && cut < len) {
		lexed_growing(&other, lexed_by.lex, f.text, len, cut);
		why = lexed_difference(&other, &slow, f.text, len);
		lexed_free(&other);
	}
	nl = cut < len ? memchr(f.text + cut, '\n', len - cut) : NULL;
	seam = nl ? lexed_seam(f.text, len, (size_t)(nl + 1 - f.text), &tick) : SIZE_MAX;
	if (!why && seam <= len) {
		lexed_in_two(&other, lexed_by.lex, f.text, len, seam, tick);
		why = lexed_difference(&other, &slow, f.text, len);
		lexed_free(&other);
	}
	lexed_free(&slow);
	fenced_free(&f);
	return why;
}

#endif
