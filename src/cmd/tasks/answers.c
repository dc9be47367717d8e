/*
 * The answers about tasks (analysis/tasks/answers.h) as JSON, CSV and text.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/tasks/requests.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/open.h"
#include "cmd/tasks/tasks.h"
#include "tasks/kind.h"
#include "view/pane_wrap.h"
#include "view/section_pane.h"

enum { LINES = 24 /* of each of several tables, where no number is asked for */ };

/* ---- the question ---- */

/* The regular expressions of a question; NULL: not given. */
enum { PATTERNS = 3 };
struct pattern {
	const char *option, *text;
	struct regex *made;
};

static enum status make_patterns(struct pattern p[PATTERNS], struct error *e)
{
	struct error why;

	for (int i = 0; i < PATTERNS; i++)
		if (p[i].text && regex_new(&p[i].made, p[i].text, &why))
			return error_set(e, STATUS_USAGE, "--%s: %s", p[i].option, why.text);
	return STATUS_OK;
}

/* ---- as JSON ---- */

static enum status put_named(struct output *out, const struct section *s, const void *result,
			     uint64_t limit, struct error *e)
{
	struct section rows = *s;
	enum status status;

	rows.key = "rows";
	json_object(&out->json);
	json_key(&out->json, "name");
	json_string(&out->json, s->key);
	status = output_json_section(out, &rows, result, limit, e);
	json_object_end(&out->json);
	return status;
}

/* The first section by itself, which most ask for; where there are more, all by their names. */
static enum status put_json(struct output *out, const struct section *all, const void *result,
			    uint64_t limit, struct error *e)
{
	struct json *w = &out->json;
	enum status status;

	json_object(w);
	status = output_json_section(out, all, result, limit, e);
	if (all[1].key) {
		json_key(w, "sections");
		json_array(w);
		for (const struct section *s = all; !status && s->key; s++)
			status = put_named(out, s, result, limit, e);
		json_array_end(w);
	}
	json_object_end(w);
	sbuf_putc(&out->text, '\n');
	return status;
}

/* ---- as text ---- */

static enum status put_tables(struct output *out, const struct task_answer *of, const void *result,
			      const struct cmd_options *o, struct error *e)
{
	const bool several = of->sections[1].key;
	const struct output_table how = {
	    .limit = several && o->limit == UINT64_MAX ? LINES : o->limit,
	    .columns = o->wide ? 0 : OUTPUT_COLUMNS};

	return several ? output_sections(out, of->sections, result, &how, e)
		       : output_table(out, of->sections, result, &how, e);
}

/* As the pane has them. */
static void put_hints(struct output *out, const struct hints *h, uint64_t limit)
{
	struct pane *p = hints_pane(h, limit, NULL);

	for (size_t i = 0; i < p->ops->count(p); i++) {
		struct pane_line l = {0};
		struct wrap_row r = {0};

		p->ops->line(p, i, &l);
		while (pane_wrap_next(&l, OUTPUT_COLUMNS, &r)) {
			sbuf_repeat(&out->text, ' ', (size_t)r.indent);
			text_sanitise(&out->text, sbuf_text(&l.text) + r.from, r.to - r.from);
			sbuf_putc(&out->text, '\n');
		}
		sbuf_free(&l.text);
	}
	pane_free(p);
}

static void note_unpaired(struct output *out, const char *file, uint64_t n)
{
	if (n)
		output_note(out, file,
			    "%" PRIu64 " request%s left out: whoever sent %s is not in the file", n,
			    n == 1 ? " is" : "s are", n == 1 ? "it" : "them");
}

static enum status put_answer(struct output *out, const struct task_answer *of, const void *result,
			      const struct cmd_options *o, struct error *e)
{
	if (of == &requests_answer)
		note_unpaired(out, o->files.data[0], ((const struct task_requests *)result)->unpaired);
	if (o->csv)
		return output_csv(out, of->sections, result, o->limit, e);
	if (o->json)
		return put_json(out, of->sections, result, o->limit, e);
	if (of != &hints_answer)
		return put_tables(out, of, result, o, e);
	put_hints(out, result, o->limit);
	return STATUS_OK;
}

/* ---- the commands ---- */

static enum status ask(struct trace *t, const struct task_answer *of, struct task_question *q,
		       const struct cmd_options *o, struct output *out, struct error *e)
{
	enum status status = open_range(t, o, &q->from, &q->to, e);
	void *result;

	if (status)
		return status;
	result = calloc(1, of->size);
	if (!result)
		return error_set(e, STATUS_NOMEM, "out of memory");
	status = of->make(result, t, q, e);
	if (!status)
		status = put_answer(out, of, result, o, e);
	of->free(result);
	return status;
}

enum status tasks_answer(const struct task_answer *of, const struct cmd_options *o,
			 struct output *out, struct error *e)
{
	struct pattern p[PATTERNS] = {{"component", o->component, NULL},
				      {"kind", o->kind, NULL},
				      {"capacity", o->capacity.of, NULL}};
	enum status status = make_patterns(p, e);
	struct trace *t;

	if (!status)
		status = open_trace(&t, o, out, e);
	if (!status)
		status = open_need(t, &tasks_trace_kind, o, e);
	if (!status) {
		struct task_question q = {.component = p[0].made,
					  .kind = p[1].made,
					  .holds = p[2].made,
					  .capacity = o->capacity.tasks};

		status = ask(t, of, &q, o, out, e);
		if (!status)
			open_note_warnings(t, o, out);
		trace_close(t);
	}
	for (int i = 0; i < PATTERNS; i++)
		regex_free(p[i].made);
	return status;
}

#define COMMAND(name)                                                                              \
	enum status cmd_##name(const struct cmd_options *o, struct output *out, struct error *e)   \
	{                                                                                          \
		return tasks_answer(&name##_answer, o, out, e);                                    \
	}
COMMAND(components)
COMMAND(requests)
COMMAND(summary)
COMMAND(hints)
