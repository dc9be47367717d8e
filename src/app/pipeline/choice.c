#include "config.h"

#include "app/pipeline/choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

enum status row_choice_copy(struct row_choice *out, const struct row_choice *from, struct error *e)
{
	*out = *from;
	out->text = NULL;
	out->threads = NULL;
	if (from->text && regex_new(&out->text, regex_pattern(from->text), e))
		return STATUS_USAGE;
	if (from->threads) {
		out->threads = xcalloc(from->thread_count, sizeof(*out->threads));
		memcpy(out->threads, from->threads, from->thread_count * sizeof(*out->threads));
	}
	return STATUS_OK;
}

void row_choice_free(struct row_choice *c)
{
	regex_free(c->text);
	free(c->threads);
	*c = (struct row_choice){0};
}
