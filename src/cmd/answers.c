#include "config.h"

#include "cmd/answers.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/hints.h"
#include "base/text.h"
#include "cmd/open.h"
#include "view/pane_wrap.h"
#include "view/section_pane.h"

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

/* All sections, or the first, which most ask for, and all by their names. */
static enum status put_json(struct output *out, const struct cmd_answer *a, const void *result,
			    uint64_t limit, struct error *e)
{
	struct json *w = &out->json;
	enum status status = STATUS_OK;

	json_object(w);
	for (const struct section *s = a->of->sections; !status && s->key; s++)
		if (s->form == SECTION_FIELDS)
			output_json_fields(out, s->fields, result, 0);
		else if (!s->derived && (!a->named || s == a->of->sections))
			status = output_json_section(out, s, result, limit, e);
	if (a->named) {
		json_key(w, "sections");
		json_array(w);
		for (const struct section *s = a->of->sections; !status && s->key; s++)
			status = put_named(out, s, result, limit, e);
		json_array_end(w);
	}
	json_object_end(w);
	sbuf_putc(&out->text, '\n');
	return status;
}

/* ---- as text ---- */

enum status answers_put_tables(struct output *out, const struct section *sections,
			       const void *result, const struct cmd_options *o, struct error *e)
{
	const bool several = sections[1].key;
	const struct output_table how = {.limit = several && o->limit == UINT64_MAX ? OUTPUT_LINES
										    : o->limit,
					 .columns = o->wide ? 0 : OUTPUT_COLUMNS};

	return several ? output_sections(out, sections, result, &how, e)
		       : output_table(out, sections, result, &how, e);
}

/* As the pane has them. */
enum status answers_put_hints(struct output *out, struct trace *t, const void *result,
			      const struct cmd_options *o, struct error *e)
{
	struct pane *p = hints_pane(result, o->limit, NULL);

	(void)t, (void)e;
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
	return STATUS_OK;
}

static enum status put_answer(struct output *out, const struct cmd_answer *a, struct trace *t,
			      const void *result, const struct cmd_options *o, struct error *e)
{
	if (a->note)
		a->note(out, o->files.data[0], result);
	if (o->csv)
		return output_csv(out, a->of->sections, result, o->limit, e);
	if (o->json)
		return put_json(out, a, result, o->limit, e);
	return a->text ? a->text(out, t, result, o, e)
		       : answers_put_tables(out, a->of->sections, result, o, e);
}

/* ---- the commands ---- */

/* The answer of that name for a kind of trace; else the first one, for another kind. */
static const struct cmd_answer *find(const char *name, const struct trace_kind *kind)
{
	const struct cmd_answer *other = NULL;

	for (const struct cmd_answer *a = cmd_answers; a->of; a++) {
		if (strcmp(a->of->name, name) != 0)
			continue;
		if (a->of->kind == kind)
			return a;
		other = other ? other : a;
	}
	return other;
}

static enum status ask(struct trace *t, const struct cmd_answer *a, struct question *q,
		       const struct cmd_options *o, struct output *out, struct error *e)
{
	enum status status = open_range(t, o, &q->from, &q->to, e);
	void *result;

	if (status)
		return status;
	result = calloc(1, a->of->size);
	if (!result)
		return error_set(e, STATUS_NOMEM, "out of memory");
	status = a->of->make(result, t, q, e);
	if (!status)
		status = put_answer(out, a, t, result, o, e);
	a->of->free(result);
	return status;
}

enum status answers_run(const char *name, const struct cmd_options *o, struct output *out,
			struct error *e)
{
	struct pattern p[PATTERNS] = {{"component", o->component, NULL},
				      {"kind", o->kind, NULL},
				      {"capacity", o->capacity.of, NULL}};
	enum status status = make_patterns(p, e);
	const struct cmd_answer *a = NULL;
	struct trace *t;

	if (!status)
		status = open_trace(&t, o, out, e);
	if (!status) {
		a = find(name, t->kind);
		status = open_need(t, a->of->kind, o, e);
	}
	if (!status) {
		struct question q = {.component = p[0].made,
				     .kind = p[1].made,
				     .holds = p[2].made,
				     .capacity = o->capacity.tasks};

		status = ask(t, a, &q, o, out, e);
		if (!status)
			open_note_warnings(t, o, out);
		trace_close(t);
	}
	for (int i = 0; i < PATTERNS; i++)
		regex_free(p[i].made);
	return status;
}
