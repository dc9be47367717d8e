/*
 * One part of the text, line by line.
 */
#include "config.h"

#include "pipeline/queries/search_part.h"

#include <string.h>

#include "pipeline/store_private.h"

enum { LOOK_UP_EVERY = 4096 }; /* lines tried between two looks whether to stop */

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

/* Lines of [p, end), the last of which may lack its line feed; base: the part's start. */
static bool scan(struct line_scan *f, const char *p, const char *end, uint64_t base_off,
		 struct part_hits *h)
{
	const char *text = p;

	for (unsigned tried = 1; p < end; tried++) {
		const char *at = f->sieved ? sieve_find(&f->sieve, p, end) : p, *line, *nl;

		if (at == end)
			break;
		line = memrchr(p, '\n', (size_t)(at - p));
		line = line ? line + 1 : p;
		nl = memchr(at, '\n', (size_t)(end - at));
		nl = nl ? nl : end;
		if (line_matches(f, line, nl, h) &&
		    !vec_push(&h->at, (uint32_t)(base_off + (uint64_t)(line - text))))
			h->failed = true;
		p = nl < end ? nl + 1 : end;
		if (tried % LOOK_UP_EVERY == 0 &&
		    atomic_load_explicit(&f->stop, memory_order_relaxed))
			return false;
	}
	return true;
}

/* A line that the part's text ends within, by itself. */
static enum status scan_long(struct line_scan *f, uint64_t part, uint64_t off, struct part_hits *h,
			     bool *whole, struct error *e)
{
	struct window w;
	const char *nl;
	enum status st = source_map(f->store->source, off, SEARCH_LINE + 2, &w, e);

	if (st != STATUS_OK)
		return st;
	nl = w.len ? memchr(w.text, '\n', w.len) : NULL;
	*whole =
	    w.len == 0 || scan(f, w.text, nl ? nl : w.text + w.len, off - part * SEARCH_PART, h);
	source_release(f->store->source, &w);
	return STATUS_OK;
}

enum status line_scan_part(struct line_scan *f, uint64_t part, uint64_t size, struct part_hits *h,
			   bool *whole, struct error *e)
{
	uint64_t from = part * SEARCH_PART,
		 to = from + SEARCH_PART < size ? from + SEARCH_PART : size;
	unsigned before = from > 0;
	const char *p, *last, *end;
	struct window w;
	enum status st =
	    source_map(f->store->source, from - before, (size_t)(to - from) + before, &w, e);

	*whole = true;
	if (st != STATUS_OK)
		return st;
	vec_clear(&h->at);
	h->failed = h->clipped = false;
	p = w.text;
	end = w.text + w.len;
	h->lines = f->store->reader->lex_rows ? line_feeds(p + (w.len ? before : 0), end) : 0;
	if (before) { /* the line that the part begins within is the one's before */
		p = w.len ? memchr(p, '\n', w.len) : NULL;
		p = p ? p + 1 : end;
	}
	last = p < end ? memrchr(p, '\n', (size_t)(end - p)) : NULL;
	last = last ? last + 1 : p;
	*whole = scan(f, p, last, (uint64_t)(p - w.text) - before, h);
	if (*whole && last < end)
		st = scan_long(f, part, w.off + (uint64_t)(last - w.text), h, whole, e);
	source_release(f->store->source, &w);
	if (st == STATUS_OK && h->failed)
		st = error_set(e, STATUS_NOMEM, "out of memory");
	return st;
}
