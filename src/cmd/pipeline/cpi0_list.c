#include "config.h"

#include <string.h>

#include "analysis/pipeline/cpi0_files.h"
#include "cmd/pipeline/cpi0.h"

static void list_text(const struct machine *m, struct sbuf *out)
{
	sbuf_printf(out, "%-20s %8g %9d ", m->name,
		    (double)m->dispatch.num / (double)m->dispatch.den, m->in_flight);
	for (int q = 0; q < m->queue_count; q++)
		sbuf_printf(out, "%s%s %g", q ? ", " : " ", m->queues[q].name, machine_rate(m, q));
	sbuf_putc(out, '\n');
}

static void list_json(const struct machine *m, struct json *w)
{
	json_object(w);
	json_key(w, "name");
	json_string(w, m->name);
	json_key(w, "mu");
	json_real(w, (double)m->dispatch.num / (double)m->dispatch.den);
	json_key(w, "in_flight");
	json_int(w, m->in_flight);
	json_key(w, "queues");
	json_array(w);
	for (int q = 0; q < m->queue_count; q++) {
		json_object(w);
		json_key(w, "name");
		json_string(w, m->queues[q].name);
		json_key(w, "capacity");
		json_int(w, m->queues[q].capacity);
		json_key(w, "rate");
		json_real(w, machine_rate(m, q));
		json_object_end(w);
	}
	json_array_end(w);
	json_object_end(w);
}

enum status cpi0_machines(const struct cmd_options *o, struct output *out, struct error *e)
{
	struct json *w = &out->json;
	enum status status = STATUS_OK;
	struct sbuf name = {0};
	struct machine m;

	if (o->json) {
		json_object(w);
		json_key(w, "machines");
		json_array(w);
	} else {
		sbuf_printf(&out->text, "%-20s %8s %9s  %s\n", "machine", "dispatch", "in-flight",
			    "queues, and the most that leaves each in a cycle");
	}
	for (size_t i = 0; !status && cpi0_machine_shipped(i, &name); i++) {
		status = cpi0_machine_open(&m, sbuf_text(&name), e);
		if (!status && o->json)
			list_json(&m, w);
		else if (!status)
			list_text(&m, &out->text);
	}
	sbuf_free(&name);
	if (o->json) {
		json_array_end(w);
		json_object_end(w);
		sbuf_putc(&out->text, '\n');
	}
	return status;
}
