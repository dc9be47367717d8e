/*
 * One part of the text, line by line.
 */
#include "config.h"

#include "pipeline/queries/search_part.h"

#include <string.h>

#include "pipeline/store_private.h"

/*
 * Bytes of lines that are looked through together, between two looks whether to stop. In so few
 * PCRE2 first sees whether a byte is there that a match must have; more are hardly quicker.
 */
enum { MANY_LINES = 4 << 10 };

static bool line_matches(struct line_scan *f, const char *line, const char *end,
			 struct part_hits *h)
{
	size_t len = (size_t)(end - line);

	if (len && line[len - 1] == '\r')
		len--;
	if (len > SEARCH_LINE) {
		h->clipped = true;
		len = SEARCH_LINE;
	}
	return regex_match(f->regex, line, len, NULL, NULL);
}

uint32_t line_feeds(const char *p, const char *end)
{
	uint32_t n = 0;

	while (p < end) {
		const char *stop = end - p > 255 ? p + 255 : end;
		unsigned char some = 0;

		for (; p < stop; p++)
			some = (unsigned char)(some + (*p == '\n'));
		n += some;
	}
	return n;
}

static const char *line_start(const char *text, const char *at)
{
	const char *nl = memrchr(text, '\n', (size_t)(at - text));

	return nl ? nl + 1 : text;
}

/* Where the line ends that at is in: at its line feed, or where the text does. */
static const char *line_end(const char *at, const char *end)
{
	const char *nl = memchr(at, '\n', (size_t)(end - at));

	return nl ? nl : end;
}

static const char *next_line(const char *at, const char *end)
{
	at = line_end(at, end);
	return at < end ? at + 1 : end;
}

static void put_hit(struct part_hits *h, const char *text, const char *line)
{
	if (!vec_push(&h->at, (uint32_t)(line - text)))
		h->failed = true;
}

/* How far whole lines go that are looked through together; p: the first is too long for that. */
static const char *whole_lines(const char *p, const char *end)
{
	return end - p <= MANY_LINES ? end : line_start(p, p + MANY_LINES);
}

/* From where on the lines must be tried one by one: end, if all went well. */
static const char *try_together(struct line_scan *f, const char *p, const char *end,
				const char *text, struct part_hits *h)
{
	size_t at;

	if (!f->many || memchr(p, '\r', (size_t)(end - p)))
		return p;
	while (p < end && regex_match(f->many, p, (size_t)(end - p), &at, NULL)) {
		const char *line = line_start(p, p + at);

		if (line == end) /* what is behind the last line feed is no line */
			return end;
		put_hit(h, text, line);
		p = next_line(p + at, end);
	}
	return regex_limited(f->many) ? p : end;
}

/* The lines that begin in [p, end). */
static void try_one_by_one(struct line_scan *f, const char *p, const char *end, const char *text,
			   struct part_hits *h)
{
	const char *nl;

	for (; p < end && !atomic_load_explicit(&f->stop, memory_order_relaxed); p = nl + 1) {
		nl = line_end(p, end);
		if (line_matches(f, p, nl, h))
			put_hit(h, text, p);
	}
}

/*
 * Lines of [p, end), the last of which may lack its line feed. Places of hits count from text, the
 * part's start. False: it was stopped.
 */
static bool scan(struct line_scan *f, const char *p, const char *end, const char *text,
		 struct part_hits *h)
{
	const char *next;

	for (; p < end && !atomic_load_explicit(&f->stop, memory_order_relaxed); p = next) {
		next = whole_lines(p, end);
		if (next > p)
			p = try_together(f, p, next, text, h);
		else
			next = next_line(p, end);
		try_one_by_one(f, p, next, text, h);
	}
	return !atomic_load(&f->stop);
}

enum status line_scan_part(struct line_scan *f, uint64_t part, uint64_t size, struct part_hits *h,
			   bool *whole, struct error *e)
{
	uint64_t from = part * SEARCH_PART,
		 to = from + SEARCH_PART < size ? from + SEARCH_PART : size;
	unsigned before = from > 0;
	size_t len = (size_t)(to - from) + before;
	const char *p, *line, *end;
	struct window w;
	/* the part's last line may go on behind it */
	enum status st = source_map(f->store->source, from - before, len + SEARCH_LINE + 2, &w, e);

	*whole = true;
	if (st != STATUS_OK)
		return st;
	vec_clear(&h->at);
	h->failed = h->clipped = false;
	h->lines = 0;
	if (w.len > before) {
		p = w.text + before;
		end = w.text + (w.len < len ? w.len : len);
		if (f->store->reader->lex_rows)
			h->lines = line_feeds(p, end);
		/* the line that the part begins within is the one's before */
		line = before ? next_line(w.text, end) : p;
		if (line < end)
			*whole = scan(f, line, next_line(end - 1, w.text + w.len), p, h);
	}
	source_release(f->store->source, &w);
	if (st == STATUS_OK && h->failed)
		st = error_set(e, STATUS_NOMEM, "out of memory");
	return st;
}
