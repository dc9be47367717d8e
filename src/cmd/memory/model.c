#include "config.h"

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/memory/model.h"
#include "source/source.h"

enum { FILE_BYTES = 1 << 16 };

static enum status read_text(struct sbuf *text, const char *path, struct error *e)
{
	struct source *source;
	struct window w;
	struct stat st;
	enum status status;

	if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && !st.st_size)
		return error_set(e, STATUS_INPUT, "%s: empty: this is no model", path);
	status = source_open(&source, path, e);
	if (status)
		return status;
	status = source_next(source, 0, FILE_BYTES, &w, e);
	if (!status) {
		if (w.len >= FILE_BYTES)
			status = error_set(e, STATUS_INPUT, "%s: longer than 64 KiB: this is no model", path);
		else if (memchr(w.text, '\0', w.len))
			status = error_set(e, STATUS_INPUT, "%s: not text: this is no model", path);
		else
			sbuf_add(text, w.text, w.len);
		source_release(source, &w);
	}
	source_close(source);
	return !status && text->failed ? error_set(e, STATUS_NOMEM, "out of memory") : status;
}

/* Whether there is one of this name; and the names of all. */
static bool find_preset(const char *name, struct sbuf *names)
{
	bool found = false;

	for (const struct sim_preset *p = sim_presets; p->name; p++) {
		sbuf_printf(names, "%s%s", p == sim_presets ? "" : ", ", p->name);
		found |= strcmp(name, p->name) == 0;
	}
	return found;
}

enum status memory_model_open(struct sim_machine *m, struct sbuf *text, const char *name,
			      struct error *e)
{
	struct sbuf names = {0};
	char why[300] = "";
	enum status status = STATUS_OK;

	name = name ? name : SIM_DEFAULT;
	if (find_preset(name, &names))
		sbuf_puts(text, name);
	else if (strcmp(name, "-") == 0 || access(name, F_OK) == 0)
		status = read_text(text, name, e);
	else
		status = error_set(e, STATUS_USAGE, "no such model: '%s' is no file, nor one of %s", name,
				   sbuf_text(&names));
	sbuf_free(&names);
	if (!status && !sim_machine_read(m, sbuf_text(text), why, sizeof(why)))
		status = error_set(e, STATUS_INPUT, isdigit((unsigned char)*why) ? "%s:%s" : "%s: %s", name,
				   why);
	return status;
}
