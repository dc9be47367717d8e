#include "config.h"

#include <inttypes.h>

#include "analysis/tasks/requests.h"
#include "cmd/cmd.h"
#include "cmd/open.h"
#include "cmd/tasks/tasks.h"

static enum status put_requests(struct trace *t, const struct task_patterns *p,
				const struct cmd_options *o, struct output *out, struct error *e)
{
	struct task_requests r;
	int64_t from, to;
	enum status status = open_range(t, o, &from, &to, e);

	if (status)
		return status;
	status = task_requests_make(&r, t, p->component, from, to, e);
	if (!status)
		status = put_table(task_requests_sections, &r, o, out, e);
	if (!status && r.unpaired)
		output_note(out, o->files.data[0],
			    "%" PRIu64 " request%s left out: whoever sent %s is not in the file",
			    r.unpaired, r.unpaired == 1 ? " is" : "s are",
			    r.unpaired == 1 ? "it" : "them");
	task_requests_free(&r);
	return status;
}

enum status cmd_requests(const struct cmd_options *o, struct output *out, struct error *e)
{
	return tasks_answer(o, put_requests, out, e);
}
