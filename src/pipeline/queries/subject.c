#include "config.h"

#include "pipeline/queries/subject.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What is known of a code; CLIPPED: the index does not keep all of the text. */
enum { CLIPPED = -1, MISSES, FITS, UNTRIED };

static void put_subject(uint64_t pc, bool has_pc, const char *text, size_t len, struct sbuf *out)
{
	if (has_pc)
		sbuf_printf(out, "0x%" PRIx64 " ", pc);
	sbuf_add(out, text, len);
}

static bool match(const struct regex *r, uint64_t pc, bool has_pc, const char *text, size_t len,
		  size_t *from, size_t *to)
{
	struct sbuf subject = {0};
	size_t starts[3] = {0, 0, 0};
	bool yes = false;

	put_subject(pc, has_pc, text, len, &subject);
	if (has_pc && subject.len > len) {
		starts[1] = 2; /* behind 0x, which the screen does not show */
		starts[2] = subject.len - len;
	}
	for (size_t i = 0; i < 3 && !yes && !subject.failed && (i == 0 || starts[i]); i++) {
		yes = regex_match(r, sbuf_text(&subject) + starts[i], subject.len - starts[i], from,
				  to);
		*from += yes ? starts[i] : 0;
		*to += yes ? starts[i] : 0;
	}
	sbuf_free(&subject);
	return yes;
}

void subject_text(const struct detail *d, const struct detail_row *row, struct sbuf *out)
{
	put_subject(row->pc, row->has_pc, sbuf_text(&d->text) + row->text0, row->text_len, out);
}

bool subject_match(const struct regex *r, const struct detail *d, const struct detail_row *row,
		   size_t *from, size_t *to)
{
	size_t ignored;

	return match(r, row->pc, row->has_pc, sbuf_text(&d->text) + row->text0, row->text_len,
		     from ? from : &ignored, to ? to : &ignored);
}

/* ---- static instructions ----------------------------------------------------------------- */

static signed char try_code(const struct code_matches *m, uint32_t code)
{
	const char *text;
	uint64_t pc;
	size_t len, from, to;
	bool has_pc;

	if (!store_code(m->store, code, &pc, &has_pc, &text, &len))
		return MISSES;
	if (len >= STORE_CODE_TEXT)
		return CLIPPED;
	return match(m->pattern, pc, has_pc, text, len, &from, &to) ? FITS : MISSES;
}

int code_matches_row(struct code_matches *m, const struct row *r)
{
	if (r->fate == FATE_UNKNOWN)
		return MISSES;
	if (r->code == CODE_NONE)
		return CLIPPED;
	if (r->code >= m->count) {
		size_t count = store_code_count(m->store);
		signed char *known = count > r->code ? realloc(m->known, count) : NULL;

		if (!known)
			return MISSES;
		memset(known + m->count, UNTRIED, count - m->count);
		m->known = known;
		m->count = count;
	}
	if (m->known[r->code] == UNTRIED)
		m->known[r->code] = try_code(m, r->code);
	return m->known[r->code];
}

void code_matches_free(struct code_matches *m)
{
	free(m->known);
	*m = (struct code_matches){.known = NULL};
}
