#include "config.h"

#include <math.h>

#include "analysis/pipeline/cpi0_words.h"
#include "cmd/pipeline/cpi0.h"

static void put_real(struct json *w, const char *key, double value)
{
	json_key(w, key);
	json_real(w, value); /* not a number, infinite: null */
}

static void put_name(struct json *w, const char *key, const char *name)
{
	json_key(w, key);
	json_string(w, name);
}

static void put_known(struct json *w, const char *key, double value)
{
	put_real(w, key, value < 0 ? NAN : value);
}

static void put_queue(struct json *w, const struct cpi0_answer *a, const struct cpi0 *c, int at)
{
	const struct machine_queue *of = &a->machine.queues[at];
	const struct cpi0_queue *q = &c->queues[at];

	json_object(w);
	put_name(w, "name", of->name);
	json_key(w, "count");
	json_uint(w, q->count);
	put_real(w, "p", q->p);
	put_real(w, "lambda", q->count ? 1 / q->p : NAN);
	put_real(w, "rate", cpi0_real(q->rate));
	put_real(w, "growth", q->growth);
	put_real(w, "bound", cpi0_real(c->bounds[at]));
	put_real(w, "utilisation", q->utilisation);
	put_real(w, "fills_at", q->fills_at);
	put_real(w, "cpi0_with_one_more", q->more);
	put_name(w, "one_more",
		 q->more_unit == CPI0_NOTHING ? NULL : of->units[q->more_unit].name);
	json_key(w, "units");
	json_array(w);
	for (int u = 0; u < of->unit_count; u++)
		if (q->units >> u & 1)
			json_string(w, of->units[u].name);
	json_array_end(w);
	json_object_end(w);
}

static void put_set(struct json *w, const char *key, const struct machine *m, unsigned set)
{
	json_key(w, key);
	json_array(w);
	for (int i = 0; i < CPI0_LIMITS; i++)
		if (set >> i & 1)
			json_string(w, cpi0_limit_name(m, i));
	json_array_end(w);
}

static void put_plateau(struct json *w, const struct cpi0 *c)
{
	json_key(w, "plateau");
	if (!c->plateau.reached) {
		json_null(w);
		return;
	}
	json_object(w);
	put_real(w, "from", c->plateau.at);
	put_real(w, "to", c->plateau.until);
	put_real(w, "cpi", c->plateau.cpi);
	json_object_end(w);
}

static void put_flags(struct json *w, const struct cpi0_run *run)
{
	json_key(w, "flags");
	json_array(w);
	for (size_t i = 0; i < run->d.flag_count; i++) {
		json_object(w);
		put_name(w, "check", cpi0_check_keys[run->d.flags[i].check]);
		put_name(w, "verdict", cpi0_verdicts[run->d.flags[i].verdict]);
		put_real(w, "value", run->d.flags[i].value);
		put_name(w, "text", run->d.flags[i].text);
		json_object_end(w);
	}
	json_array_end(w);
}

static void put_unknown(struct json *w, const struct cpi0_mix *mix)
{
	struct sbuf line = {0};

	json_key(w, "unknown_class");
	json_uint(w, mix->total > cpi0_mix_known(mix) ? mix->total - cpi0_mix_known(mix) : 0);
	json_key(w, "notes");
	json_array(w);
	for (int i = 0; cpi0_say_unknown(mix, i, &line); i++) {
		if (line.len)
			json_string(w, sbuf_text(&line));
		sbuf_clear(&line);
	}
	json_array_end(w);
	sbuf_free(&line);
}

static void put_run(struct json *w, const struct cpi0_answer *a, const struct cpi0_run *run)
{
	const struct machine *m = &a->machine;
	const struct cpi0 *c = &run->d.c;

	json_object(w);
	put_name(w, "machine", m->name);
	put_name(w, "input", run->input);
	put_name(w, "isa", run->trace && run->isa != ISA_UNKNOWN ? isa_key(run->isa) : NULL);
	json_key(w, "instructions");
	json_uint(w, c->instructions);
	put_unknown(w, &run->d.mix);
	put_real(w, "mu", (double)m->dispatch.num / (double)m->dispatch.den);
	json_key(w, "in_flight");
	json_int(w, m->in_flight);
	json_key(w, "queues");
	json_array(w);
	for (int q = 0; q < m->queue_count; q++)
		put_queue(w, a, c, q);
	json_array_end(w);
	put_real(w, "dispatch_bound", cpi0_real(c->bounds[CPI0_DISPATCH]));
	put_real(w, "latency_bound", cpi0_real(c->bounds[CPI0_LATENCY]));
	put_real(w, "cpi0", cpi0_real(c->cpi));
	put_set(w, "limiting", m, c->limiting);
	put_name(w, "runner_up",
		 c->runner_up == CPI0_NOTHING ? NULL : cpi0_limit_name(m, c->runner_up));
	put_real(w, "margin", c->runner_up == CPI0_NOTHING ? NAN : c->margin);
	put_set(w, "first_full", m, c->first_full);
	put_plateau(w, c);
	put_known(w, "measured_cpi", run->d.measured);
	put_known(w, "simulated_cpi", run->d.simulated);
	put_flags(w, run);
	json_object_end(w);
}

void cpi0_json(const struct cpi0_answer *a, struct output *out)
{
	struct json *w = &out->json;

	if (a->count == 1) {
		put_run(w, a, &a->runs[0]);
	} else {
		json_object(w);
		put_name(w, "machine", a->machine.name);
		json_key(w, "runs");
		json_array(w);
		for (size_t i = 0; i < a->count; i++)
			put_run(w, a, &a->runs[i]);
		json_array_end(w);
		json_object_end(w);
	}
	sbuf_putc(&out->text, '\n');
}
