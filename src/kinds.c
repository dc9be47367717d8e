/*
 * The kinds of traces there are, and which of them a text is. A kind is a row here.
 */
#include "config.h"

#include <string.h>

#include "base/sbuf.h"
#include "base/text.h"
#include "pipeline/kind.h"
#include "trace/trace.h"

const struct trace_kind *const trace_kinds[] = {&pipeline_kind, NULL};

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
		size_t format;
		int score = trace_kinds[i]->detect(text, len, &format);

		if (score > best_score) {
			best_score = score;
			*best = (struct guess){trace_kinds[i], format};
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

static enum status unknown(const struct source *source, const struct window *w, struct error *e)
{
	struct sbuf name = {0}, known = {0};
	bool binary = memchr(w->text, '\0', w->len < 512 ? w->len : 512) != NULL;

	text_sanitise(&name, source_path(source), strlen(source_path(source)));
	list_formats(&known);
	error_set(e, STATUS_INPUT, "%s:1: %snot a trace pipeglass knows (%s); name the format with --as",
		  sbuf_text(&name), binary ? "binary data, " : "", sbuf_text(&known));
	sbuf_free(&name);
	sbuf_free(&known);
	return STATUS_INPUT;
}

enum status trace_open(struct trace **out, struct source *source,
		       const struct trace_options *options, struct error *e)
{
	struct guess found = {NULL, 0};
	struct window first;
	enum status status = STATUS_OK;

	*out = NULL;
	if (options->follow)
		status = source_follow(source, true, e);
	if (!status && options->as && !named(options->as, &found)) {
		trace_format_known(options->as, e);
		status = STATUS_USAGE;
	}
	if (!status)
		status = trace_peek(source, options->as ? any : guess, &found, &first, e);
	if (!status && !found.kind) {
		status = unknown(source, &first, e);
		source_release(source, &first);
	}
	if (status) {
		source_close(source);
		return status;
	}
	return found.kind->open(out, source, found.format, &first, options, e);
}
