#include "config.h"

#include "cmd/compare.h"

#include <string.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/open.h"

/* The traces, as options of commands that take one. */
struct sides {
	size_t open;
	struct cmd_options options[COMPARE_SIDES];
	struct trace *trace[COMPARE_SIDES];
};

static enum status open_sides(struct sides *x, const struct cmd_options *o, struct output *out,
			      struct error *e)
{
	for (; x->open < COMPARE_SIDES; x->open++) {
		struct cmd_options *one = &x->options[x->open];
		enum status status;

		*one = *o;
		one->files.data = o->files.data + x->open;
		one->files.count = 1;
		status = open_trace(&x->trace[x->open], one, out, e);
		if (status)
			return status;
	}
	return STATUS_OK;
}

static enum status other_kind(const struct sides *x, struct error *e)
{
	struct sbuf line = {0};

	for (size_t s = 0; s < COMPARE_SIDES; s++) {
		const char *name = x->options[s].files.data[0];

		sbuf_puts(&line, s ? "; " : "");
		text_sanitise(&line, name, strlen(name));
		sbuf_printf(&line, ": %s", x->trace[s]->format.title);
	}
	error_set(e, STATUS_INPUT, "%s: compare needs traces of the same kind", sbuf_text(&line));
	sbuf_free(&line);
	return STATUS_INPUT;
}

void compare_json_side(struct json *w, const char *file, const struct trace *t)
{
	struct progress p;

	trace_progress(t, &p);
	json_key(w, "file");
	json_string(w, file);
	json_key(w, "format");
	json_string(w, t->format.name);
	json_key(w, "unit");
	json_string(w, t->format.unit);
	json_key(w, "first");
	p.first <= p.last ? json_int(w, p.first) : json_null(w);
	json_key(w, "last");
	p.first <= p.last ? json_int(w, p.last) : json_null(w);
}

enum status compare_files(const struct cmd_options *o, compare_fn *compare, struct output *out,
			  struct error *e)
{
	struct sides x = {0};
	enum status status = open_sides(&x, o, out, e);

	if (!status && x.trace[0]->kind != x.trace[1]->kind)
		status = other_kind(&x, e);
	else if (!status)
		status = compare(x.trace, o, out, e);
	for (size_t s = 0; s < COMPARE_SIDES && !status; s++)
		open_note_warnings(x.trace[s], &x.options[s], out);
	while (x.open > 0)
		trace_close(x.trace[--x.open]);
	return status;
}

/* By their items, if those are no more than what metrics sum up. */
static enum status compare_either(struct trace *const sides[COMPARE_SIDES],
				  const struct cmd_options *o, struct output *out, struct error *e)
{
	const struct trace_kind *kind = sides[0]->kind;

	if (!kind->items || kind->means)
		return compare_metrics(sides, o, out, e);
	if (o->by_metrics)
		return error_set(e, STATUS_USAGE, "compare: --by time and fraction align metrics");
	return compare_items(sides, o, out, e);
}

enum status cmd_compare(const struct cmd_options *o, struct output *out, struct error *e)
{
	if (o->files.count != COMPARE_SIDES)
		return error_set(e, STATUS_USAGE, "compare needs two files, A and B");
	return compare_files(o, compare_either, out, e);
}
