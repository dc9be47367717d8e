#include "config.h"

#include "app/pipeline/trace_changes.h"

#include <string.h>

#include "app/command.h"
#include "app/lines.h"

struct reading {
	struct trace_changes *changes;
	const char *name;
	int depth;
	trace_changes_slip *slip;
	void *arg;
};

static bool take_line(void *arg, int number, const char *line);

static enum status take_file(const struct reading *above, const char *path, struct error *e)
{
	struct reading of = *above;
	struct sbuf text = {0};
	enum status status = lines_check_depth(path, of.depth, e);

	of.name = path;
	of.depth++;
	if (!status)
		status = lines_read(path, &text, e);
	if (!status)
		status = lines_each(sbuf_text(&text), text.len, take_line, &of, e);
	sbuf_free(&text);
	return status;
}

static enum status take_call(const struct reading *of, const struct call *c, struct error *e)
{
	const char *name = c->command->name;

	if (strcmp(name, "stage") == 0)
		return trace_changes_stage(of->changes, c->argc, c->argv, e);
	if (strcmp(name, "event") == 0)
		return trace_changes_event(of->changes, c->argc, c->argv, e);
	if (strcmp(name, "source") == 0)
		return take_file(of, c->argv[0], e);
	return STATUS_OK;
}

/* A slip in a command about something else is not told: whoever reads this has no screen. */
static bool concerns(const struct call *c)
{
	static const char *const names[] = {"stage", "event", "source"};

	for (size_t i = 0; c->command && i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(c->command->name, names[i]) == 0)
			return true;
	return false;
}

static bool take_line(void *arg, int number, const char *line)
{
	const struct reading *of = arg;
	enum status status = STATUS_OK;
	struct error why = {STATUS_OK, ""};

	while (!status && line[strspn(line, " \t")]) {
		struct call c;
		bool ours;

		status = command_parse(&c, line, &line, &why);
		ours = concerns(&c);
		if (!status && ours)
			status = take_call(of, &c, &why);
		call_free(&c);
		if (status && !ours)
			return true;
	}
	if (status) {
		struct sbuf text = {0};

		sbuf_printf(&text, "%s:%d: %s", of->name, number, why.text);
		of->slip(of->arg, sbuf_text(&text));
		sbuf_free(&text);
	}
	return true;
}

enum status trace_changes_read(struct trace_changes *c, const char *asked, trace_changes_slip *slip,
			       void *arg, struct error *e)
{
	struct reading top = {.changes = c, .slip = slip, .arg = arg};
	enum status status = STATUS_OK;

	for (int which = 0; !status && which < LINES_FILES; which++) {
		struct sbuf path = {0};
		struct error why = {STATUS_OK, ""};

		if (lines_user_file((enum lines_file)which, asked, &path))
			status = take_file(&top, sbuf_text(&path), &why);
		sbuf_free(&path);
		if (status && asked)
			return error_set(e, status, "%s", why.text);
		if (status)
			slip(arg, why.text);
		status = STATUS_OK;
	}
	return status;
}
