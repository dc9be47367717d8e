#include "config.h"

#include "pipeline/queries/subject.h"

#include <inttypes.h>

void subject_text(uint64_t pc, bool has_pc, const char *text, size_t len, struct sbuf *out)
{
	if (has_pc)
		sbuf_printf(out, "0x%" PRIx64 " ", pc);
	sbuf_add(out, text, len);
}

bool subject_match(const struct regex *r, uint64_t pc, bool has_pc, const char *text, size_t len,
		   size_t *from, size_t *to)
{
	struct sbuf subject = {0};
	size_t starts[3] = {0, 0, 0}, ignored;
	bool yes = false;

	from = from ? from : &ignored;
	to = to ? to : &ignored;
	subject_text(pc, has_pc, text, len, &subject);
	if (has_pc && subject.len > len) {
		starts[1] = 2; /* behind 0x, which the screen does not show */
		starts[2] = subject.len - len;
	}
	for (size_t i = 0; i < 3 && !yes && !subject.failed && (i == 0 || starts[i]); i++) {
		yes = regex_match(r, sbuf_text(&subject) + starts[i], subject.len - starts[i], from, to);
		*from += yes ? starts[i] : 0;
		*to += yes ? starts[i] : 0;
	}
	sbuf_free(&subject);
	return yes;
}
