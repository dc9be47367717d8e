#include "config.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "cmd/memory/memory.h"

enum { FILE_BYTES = 1 << 16 };

enum status memory_model_open(struct sim_machine *m, struct sbuf *text, const char *name,
			      struct error *e)
{
	char why[300] = "";

	name = name ? name : SIM_DEFAULT;
	if (sim_machine_read(m, name, why, sizeof(why))) {
		sbuf_puts(text, name);
		return STATUS_OK;
	}
	if (access(name, F_OK) != 0)
		return error_set(e, STATUS_USAGE,
				 "no such model: '%s' is no file, nor built in as today, thesis and "
				 "thesis-8 are", name);
	if (!sbuf_read(text, name, FILE_BYTES) || !text->len ||
	    memchr(text->text, '\0', text->len))
		return error_set(e, STATUS_INPUT,
				 "%s: this is no model, which is a text of at most 64 KiB", name);
	if (!sim_machine_read(m, sbuf_text(text), why, sizeof(why)))
		return error_set(e, STATUS_INPUT, isdigit((unsigned char)*why) ? "%s:%s" : "%s: %s", name,
				 why);
	return STATUS_OK;
}
