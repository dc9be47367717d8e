#include "config.h"

#include "app/settings_file.h"

#include <string.h>

#include "app/command.h"
#include "app/lines.h"

struct reading {
	struct trace_settings *settings;
	const char *name;
	int depth;
	settings_slip *slip;
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

static bool is_source(const struct call *c)
{
	return c->command && strcmp(c->command->name, "source") == 0;
}

/* A slip in a command about something else is not told: whoever reads this has no screen. */
static bool concerns(const struct call *c)
{
	return is_source(c) || (c->command && c->command->flags & CMD_SETTING);
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
		c.settings = of->settings;
		if (!status && ours)
			status = is_source(&c) ? take_file(of, c.argv[0], &why)
					       : c.command->run(&c, &why);
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

enum status settings_read(struct trace_settings *s, const char *asked, settings_slip *slip,
			  void *arg, struct error *e)
{
	struct reading top = {.settings = s, .slip = slip, .arg = arg};
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
