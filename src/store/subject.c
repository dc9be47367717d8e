#include "config.h"

#include "store/subject.h"

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
	size_t head, ignored;
	bool yes;

	from = from ? from : &ignored;
	to = to ? to : &ignored;
	subject_text(pc, has_pc, text, len, &subject);
	head = subject.len > len ? subject.len - len : 0;
	yes = !subject.failed && regex_match(r, sbuf_text(&subject), subject.len, from, to);
	if (!yes && !subject.failed && head) {
		yes = regex_match(r, sbuf_text(&subject) + head, len, from, to);
		*from += yes ? head : 0;
		*to += yes ? head : 0;
	}
	sbuf_free(&subject);
	return yes;
}
