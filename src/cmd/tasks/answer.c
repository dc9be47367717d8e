#include "config.h"

#include "cmd/open.h"
#include "cmd/tasks/tasks.h"
#include "tasks/kind.h"

static enum status pattern_new(struct regex **out, const char *option, const char *pattern,
			       struct error *e)
{
	struct error why;

	if (!pattern || !regex_new(out, pattern, &why))
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, "--%s: %s", option, why.text);
}

enum status tasks_answer(const struct cmd_options *o, tasks_fn *answer, struct output *out,
			 struct error *e)
{
	struct task_patterns p = {NULL, NULL, NULL};
	struct trace *t;
	enum status status = pattern_new(&p.component, "component", o->component, e);

	if (!status)
		status = pattern_new(&p.kind, "kind", o->kind, e);
	if (!status)
		status = pattern_new(&p.capacity, "capacity", o->capacity.of, e);
	if (!status)
		status = open_trace(&t, o, out, e);
	if (!status)
		status = open_need(t, &tasks_trace_kind, o, e);
	if (!status) {
		status = answer(t, &p, o, out, e);
		if (!status)
			open_note_warnings(t, o, out);
		trace_close(t);
	}
	regex_free(p.component);
	regex_free(p.kind);
	regex_free(p.capacity);
	return status;
}

enum status put_table(const struct section *sections, const void *result,
		      const struct cmd_options *o, struct output *out, struct error *e)
{
	const struct output_table how = {.limit = o->limit,
					 .columns = o->wide ? 0 : OUTPUT_COLUMNS};
	enum status status;

	if (o->csv)
		return output_csv(out, sections, result, o->limit, e);
	if (!o->json)
		return output_table(out, sections, result, &how, e);
	json_object(&out->json);
	status = output_json_section(out, sections, result, o->limit, e);
	json_object_end(&out->json);
	sbuf_putc(&out->text, '\n');
	return status;
}
