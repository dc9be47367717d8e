#include "config.h"

#include "analysis/tasks/components.h"
#include "cmd/cmd.h"
#include "cmd/tasks/tasks.h"

static enum status put_components(struct trace *t, const struct task_patterns *p,
				  const struct cmd_options *o, struct output *out, struct error *e)
{
	struct task_components r;
	enum status status = task_components_make(&r, t, e);

	(void)p;
	if (!status)
		status = put_table(task_components_sections, &r, o, out, e);
	task_components_free(&r);
	return status;
}

enum status cmd_components(const struct cmd_options *o, struct output *out, struct error *e)
{
	return tasks_answer(o, put_components, out, e);
}
