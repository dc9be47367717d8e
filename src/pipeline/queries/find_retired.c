/*
 * Retire ids: the numbers that a Kanata log gives to what commits. The index does not hold them.
 * They grow with the text as a rule, so the line is found by halving the text, as a word is in a
 * dictionary: some twenty looks into a gigabyte.
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "pipeline/store_private.h"

enum {
	LOOK_BYTES = 64 << 10,
	LINE_BYTES = 256,       /* a removal is not longer */
	HALVED_BYTES = 4 << 10, /* less is read from its beginning */
	SCAN_BYTES = 64 << 20   /* as much is read as a whole where the numbers do not grow */
};

struct removal {
	uint64_t off; /* of its line, in the trace */
	uint64_t id, number;
};

enum wanted { ANY, AT_LEAST, EQUAL };

static bool is_wanted(uint64_t found, enum wanted wanted, uint64_t number)
{
	return wanted == ANY || found == number || (wanted == AT_LEAST && found > number);
}

/* The first such removal among the lines of a window that begin in [p, last). */
static bool removal_in(const struct store *s, const struct window *w, const char *p,
		       const char *last, enum wanted wanted, uint64_t number, struct removal *out)
{
	const char *end = w->text + w->len, *nl;

	for (; p < last && p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		nl = nl ? nl : end;
		if (s->reader->retired(p, nl, &out->id, &out->number) &&
		    is_wanted(out->number, wanted, number)) {
			out->off = w->off + (uint64_t)(p - w->text);
			return true;
		}
	}
	return false;
}

/* The first such removal whose line begins in [from, to). */
static bool removal_after(const struct store *s, uint64_t from, uint64_t to, enum wanted wanted,
			  uint64_t number, struct removal *out)
{
	while (from < to) {
		uint64_t before = from ? from - 1 : 0; /* its newline: a line begins behind it */
		size_t span = (size_t)(to - from < LOOK_BYTES ? to - from : LOOK_BYTES);
		size_t begin = (size_t)(from - before);
		const char *p;
		struct error ignored;
		struct window w;
		bool found;

		if (source_map(s->source, before, begin + span + LINE_BYTES, &w, &ignored))
			return false;
		p = begin ? memchr(w.text, '\n', w.len) : w.text;
		p = p ? p + begin : w.text + w.len;
		found = removal_in(s, &w, p, w.text + begin + span, wanted, number, out);
		source_release(s->source, &w);
		if (found)
			return true;
		from += span;
	}
	return false;
}

/* The first removal of at least a number, as far as they grow; false: there is none. */
static bool halve(const struct store *s, uint64_t size, uint64_t number, struct removal *out)
{
	uint64_t from = 0, to = size;

	/* all before from are less; the first one behind to is not */
	while (to - from > HALVED_BYTES) {
		uint64_t middle = from + (to - from) / 2;

		if (removal_after(s, middle, to, ANY, number, out) && out->number < number)
			from = out->off + 1;
		else
			to = middle;
	}
	return removal_after(s, from, size, AT_LEAST, number, out);
}

enum status store_find_retired(struct store *s, uint64_t number, uint64_t *row, struct error *e)
{
	struct removal r;
	uint64_t size;
	bool final, found;

	if (!s->reader->retired)
		return error_set(e, STATUS_UNSUPPORTED, "the format %s has no retire ids",
				 s->reader->name);
	size = source_size(s->source, &final);
	found = halve(s, size, number, &r) && r.number == number;
	if (!found && size <= SCAN_BYTES)
		found = removal_after(s, 0, size, EQUAL, number, &r);
	*row = found ? store_find_id(s, r.id, 0) : ROW_NONE;
	if (*row == ROW_NONE)
		return error_set(e, STATUS_NOT_FOUND, "no instruction retired as %" PRIu64 "%s",
				 number,
				 size > SCAN_BYTES ? ", if the numbers grow with the text" : "");
	return STATUS_OK;
}
