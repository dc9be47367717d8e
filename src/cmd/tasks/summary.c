#include "config.h"

#include "analysis/tasks/summary.h"

#include "cmd/cmd.h"
#include "cmd/tasks/tasks.h"

/* The kinds by themselves, whom most ask for, and all sections by their names. */
static enum status summary_json(struct output *out, const struct task_summary *r, uint64_t limit,
				struct error *e)
{
	struct json *w = &out->json;
	enum status status;

	json_object(w);
	status = output_json_section(out, task_summary_sections, r, limit, e);
	json_key(w, "sections");
	json_array(w);
	for (const struct section *s = task_summary_sections; !status && s->key; s++) {
		struct section rows = *s;

		rows.key = "rows";
		json_object(w);
		json_key(w, "name");
		json_string(w, s->key);
		status = output_json_section(out, &rows, r, limit, e);
		json_object_end(w);
	}
	json_array_end(w);
	json_object_end(w);
	sbuf_putc(&out->text, '\n');
	return status;
}

static enum status put_summary(struct trace *t, const struct task_patterns *p,
			       const struct cmd_options *o, struct output *out, struct error *e)
{
	enum { LINES = 24 }; /* of a table, where no number is asked for */
	const struct output_table how = {.limit = o->limit != UINT64_MAX ? o->limit : LINES,
					 .columns = o->wide ? 0 : OUTPUT_COLUMNS};
	struct task_summary r;
	enum status status = task_summary_make(&r, t, e);

	(void)p;
	if (!status)
		status = o->json ? summary_json(out, &r, o->limit, e)
				 : output_sections(out, task_summary_sections, &r, &how, e);
	task_summary_free(&r);
	return status;
}

enum status cmd_summary(const struct cmd_options *o, struct output *out, struct error *e)
{
	return tasks_answer(o, put_summary, out, e);
}
