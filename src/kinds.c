/*
 * The kinds of traces there are, and which of them a text is. A kind is a row here.
 */
#include "config.h"

#include <string.h>

#include "base/sbuf.h"
#include "base/text.h"
#include "counters/kind.h"
#include "memory/kind.h"
#include "pipeline/kind.h"
#include "tasks/kind.h"
#include "trace/trace.h"

const struct trace_kind *const trace_kinds[] = {&pipeline_kind, &counters_kind, &tasks_trace_kind,
						&memory_trace_kind, NULL};

/* The kind and format with the best score so far. */
struct guess {
	const struct trace_kind *kind;
	size_t format;
};

static bool guess(void *arg, const char *text, size_t len)
{
	struct guess *best = arg;
	int best_score = 0;

	best->kind = NULL;
	for (int i = 0; trace_kinds[i]; i++) {
		struct trace_format format;

		for (size_t k = 0; trace_kinds[i]->format(k, &format); k++) {
			int score = format.detect(text, len);

			if (score > best_score) {
				best_score = score;
				*best = (struct guess){trace_kinds[i], k};
			}
		}
	}
	return best->kind != NULL;
}

static bool named(const char *name, struct guess *out)
{
	struct trace_format format;

	for (int i = 0; trace_kinds[i]; i++)
		for (size_t k = 0; trace_kinds[i]->format(k, &format); k++)
			if (strcmp(format.name, name) == 0) {
				*out = (struct guess){trace_kinds[i], k};
				return true;
			}
	return false;
}

static void list_formats(struct sbuf *out)
{
	struct trace_format format;

	for (int i = 0; trace_kinds[i]; i++)
		for (size_t k = 0; trace_kinds[i]->format(k, &format); k++)
			if (!format.wrong)
				sbuf_printf(out, "%s%s", out->len ? ", " : "", format.name);
}

bool trace_format_known(const char *name, struct error *e)
{
	struct sbuf known = {0};
	struct guess found;

	if (named(name, &found))
		return true;
	list_formats(&known);
	error_set(e, STATUS_USAGE, "--as: unknown format '%s'; known: %s", name, sbuf_text(&known));
	sbuf_free(&known);
	return false;
}

static bool any(void *arg, const char *text, size_t len)
{
	(void)arg, (void)text;
	return len > 0;
}

/* NAME:1: what is wrong with it */
static enum status refuse(const struct source *source, const char *why, struct error *e)
{
	struct sbuf name = {0};

	text_sanitise(&name, source_path(source), strlen(source_path(source)));
	error_set(e, STATUS_INPUT, "%s:1: %s", sbuf_text(&name), why);
	sbuf_free(&name);
	return STATUS_INPUT;
}

static enum status unknown(const struct source *source, const struct window *w, struct error *e)
{
	bool binary = memchr(w->text, '\0', w->len < 512 ? w->len : 512) != NULL;
	struct sbuf why = {0}, known = {0};
	enum status status;

	list_formats(&known);
	sbuf_printf(&why, "%snot a trace pipeglass knows (%s); name the format with --as",
		    binary ? "binary data, " : "", sbuf_text(&known));
	status = refuse(source, sbuf_text(&why), e);
	sbuf_free(&why);
	sbuf_free(&known);
	return status;
}

/* What the source holds, as asked for or found; else why it cannot be opened. */
static enum status choose(struct source *source, const struct trace_options *o,
			  struct guess *found, struct window *first, struct error *e)
{
	struct trace_format format;
	enum status status;

	if (o->as && !named(o->as, found)) {
		trace_format_known(o->as, e);
		return STATUS_USAGE;
	}
	status = trace_peek(source, o->as ? any : guess, found, first, e);
	if (status)
		return status;
	if (!found->kind)
		status = unknown(source, first, e);
	else if (found->kind->format(found->format, &format) && format.wrong)
		status = refuse(source, format.wrong, e);
	if (status)
		source_release(source, first);
	return status;
}

bool trace_detect(struct source *source, struct trace_format *out)
{
	const struct trace_options none = {0};
	struct guess found;
	struct window first;
	struct error ignored;

	if (choose(source, &none, &found, &first, &ignored))
		return false;
	source_release(source, &first);
	return found.kind->format(found.format, out);
}

enum status trace_open(struct trace **out, struct source *source,
		       const struct trace_options *options, struct error *e)
{
	struct guess found = {NULL, 0};
	struct window first;
	enum status status = options->follow ? source_follow(source, true, e) : STATUS_OK;

	*out = NULL;
	if (!status)
		status = choose(source, options, &found, &first, e);
	if (status) {
		source_close(source);
		return status;
	}
	return found.kind->open(out, source, found.format, &first, options, e);
}
