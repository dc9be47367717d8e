#include "config.h"

#include "analysis/pipeline/depth.h"
#include "cmd/cmd.h"
#include "cmd/pipeline/reduce.h"

static enum status put_depth(const struct cmd_options *o, const struct depth *d,
			     struct output *out, struct error *e)
{
	struct output_table how = {.limit = UINT64_MAX};

	if (o->json)
		return output_json_result(out, depth_sections, d, e);
	reduce_put_files(o, out);
	return output_sections(out, depth_sections, d, &how, e);
}

enum status cmd_depth(const struct cmd_options *o, struct output *out, struct error *e)
{
	const struct depth_options options = {
	    .es = o->es, .gamma = o->gamma, .k = o->k, .shorts = o->shorts};
	int64_t length = 1; /* depth_design() looks at its own pipelines: none is to be simulated */
	struct cmd_options one = *o;
	struct reduce_answer a;
	struct depth d;
	enum status status;

	one.ne = one.ns = (lengths_vec){&length, 1, 1};
	status = reduce_answer_new(&a, &one, out, e);
	if (!status)
		status = depth_design(&d, &a.reduction, &options, e);
	d.estimate = a.report.estimate;
	if (!status)
		status = put_depth(o, &d, out, e);
	reduce_answer_free(&a);
	return status;
}
