#include "config.h"

#include "cmd/open.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "app/command.h"
#include "app/trace_changes.h"
#include "base/paths.h"

enum { CONFIG_BYTES = 4 << 20 };

static enum status read_config(const char *path, struct sbuf *out, struct error *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), errnum;
	char buf[8192];
	ssize_t n = 0;

	if (fd < 0)
		return error_errno(e, STATUS_IO, errno, "%s", path);
	while (out->len < CONFIG_BYTES && (n = read(fd, buf, sizeof(buf))) > 0)
		sbuf_add(out, buf, (size_t)n);
	errnum = errno;
	close(fd);
	if (n < 0)
		return error_errno(e, STATUS_IO, errnum, "%s", path);
	if (out->len >= CONFIG_BYTES)
		return error_set(e, STATUS_USAGE, "%s: too long for commands", path);
	return out->failed ? error_set(e, STATUS_NOMEM, "out of memory") : STATUS_OK;
}

/* The other commands are about the screen: not run, and a slip in them is not told here. */
static enum status take_line(struct trace_changes *changes, const char *line, struct error *e)
{
	enum status status = STATUS_OK;

	line += strspn(line, " \t");
	if (*line == '#')
		return STATUS_OK;
	while (!status && line[strspn(line, " \t")]) {
		struct call c;
		enum status parsed = command_parse(&c, line, &line, e);
		const char *name = c.command ? c.command->name : "";
		bool stage = strcmp(name, "stage") == 0, event = strcmp(name, "event") == 0;

		if (stage || event)
			status = parsed;
		if (stage && !parsed)
			status = trace_changes_stage(changes, c.argc, c.argv, e);
		else if (event && !parsed)
			status = trace_changes_event(changes, c.argc, c.argv, e);
		call_free(&c);
		if (parsed)
			break;
	}
	return status;
}

static void take_lines(struct trace_changes *changes, const char *path, const struct sbuf *text,
		       struct output *out)
{
	struct sbuf line = {0};
	size_t at = 0;

	for (int number = 1; at < text->len; number++) {
		const char *p = sbuf_text(text) + at, *end = memchr(p, '\n', text->len - at);
		size_t n = end ? (size_t)(end - p) : text->len - at;
		struct error why = {0};

		sbuf_clear(&line);
		sbuf_add(&line, p, n && p[n - 1] == '\r' ? n - 1 : n);
		if (take_line(changes, sbuf_text(&line), &why))
			output_note(out, path, "line %d: %s", number, why.text);
		at += n + 1;
	}
	sbuf_free(&line);
}

/* As at the screen: a file that was asked for must be there, a slip in one is told. */
static enum status read_changes(struct trace_changes *changes, const char *asked,
				struct output *out, struct error *e)
{
	struct sbuf standard = {0}, text = {0};
	const char *path = asked;
	struct error why = {0};
	enum status status = STATUS_OK;

	if (asked && strcmp(asked, "none") == 0)
		return STATUS_OK;
	if (!asked) {
		path_of(&standard, PATH_CONFIG, "config");
		path = sbuf_text(&standard);
	}
	if (asked || (*path && access(path, F_OK) == 0))
		status = read_config(path, &text, &why);
	if (!status)
		take_lines(changes, path, &text, out);
	else if (asked)
		error_set(e, status, "%s", why.text);
	else
		output_note(out, "configuration", "%s", why.text);
	sbuf_free(&standard);
	sbuf_free(&text);
	return asked ? status : STATUS_OK;
}

/* store_open() with the stages and events that the user's configuration defines. */
static enum status open_configured(struct store **s, const struct cmd_options *o,
				   struct output *out, struct error *e)
{
	const char *path = o->files.data[0];
	struct store_options options = o->store;
	struct trace_changes changes = {.rows.stage_count = 0};
	struct trace_config config;
	enum status status = read_changes(&changes, o->config, out, e);

	if (!status)
		status = trace_changes_config(&changes, path, options.as, &config, e);
	if (status)
		return status;
	if (config.stage_count)
		options.config = &config; /* the store copies it */
	return store_open(s, path, &options, e);
}

enum status open_trace(struct store **s, const struct cmd_options *o, struct output *out,
		       struct error *e)
{
	const char *path = o->files.data[0];
	struct progress p;
	enum status status = open_configured(s, o, out, e);

	if (status)
		return status;
	status = store_wait(*s, e);
	if (status) {
		store_close(*s);
		return status;
	}
	out->unit = store_unit(*s);
	store_progress(*s, &p);
	if (p.note)
		output_note(out, path, "%s", p.note);
	return STATUS_OK;
}

void open_note_warnings(struct store *s, const struct cmd_options *o, struct output *out)
{
	uint64_t count = store_warning_count(s);

	if (count)
		output_note(out, o->files.data[0], "%" PRIu64 " warning%s; pipeglass info lists %s",
			    count, count == 1 ? "" : "s", count == 1 ? "it" : "them");
}

enum status open_range(const struct store *s, const struct cmd_options *o, int64_t *from,
		       int64_t *to, struct error *e)
{
	struct progress p;

	if (o->from != TICK_UNSET && o->to != TICK_UNSET && o->from > o->to)
		return error_set(e, STATUS_USAGE,
				 "--from %" PRId64 " is behind --to %" PRId64
				 ": ranges are [FROM,TO)",
				 o->from, o->to);
	store_progress(s, &p);
	*from = o->from != TICK_UNSET ? o->from : p.first;
	*to = o->to != TICK_UNSET ? o->to : p.last < INT64_MAX ? p.last + 1 : p.last;
	if (*from > *to) { /* the one given end lies beyond the trace: nothing is there */
		if (o->from != TICK_UNSET)
			*to = *from;
		else
			*from = *to;
	}
	return STATUS_OK;
}
