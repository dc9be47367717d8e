#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "cmd/pipeline/reduce.h"

static void put_count(struct json *w, const char *key, uint64_t count)
{
	json_key(w, key);
	count == REDUCE_UNKNOWN ? json_null(w) : json_uint(w, count);
}

static void put_int(struct json *w, const char *key, int64_t value)
{
	json_key(w, key);
	json_int(w, value);
}

static void put_arcs(struct json *w, const struct reduction *r)
{
	json_key(w, "arcs");
	json_object(w);
	for (int i = 0; i < REDUCE_STAGES; i++)
		put_count(w, reduce_stage_keys[i], r->arcs[i]);
	json_object_end(w);
}

static void put_chains(struct json *w, const struct reduction *r)
{
	json_key(w, "chains");
	json_object(w);
	for (int i = REDUCE_R1; i < REDUCE_STAGES; i++) {
		const struct reduce_tally *t = &r->chains[i];

		json_key(w, reduce_stage_keys[i]);
		json_object(w);
		for (size_t k = 0; k < t->entries.count; k++) {
			char length[24];

			snprintf(length, sizeof(length), "%" PRIu64, t->entries.data[k].key);
			put_count(w, length, t->entries.data[k].count);
		}
		json_object_end(w);
	}
	json_object_end(w);
}

static void put_entry(struct json *w, uint64_t distance, uint64_t branches, uint64_t count)
{
	json_array(w);
	json_uint(w, distance);
	json_uint(w, branches);
	json_uint(w, count);
	json_array_end(w);
}

static enum status put_histogram(struct output *out, const struct reduction *bare,
				 uint64_t self_resolving, struct error *e)
{
	struct json *w = &out->json;
	struct shape_list list;
	enum status status = STATUS_OK;

	if (!reduction_shapes(bare, &list))
		return error_set(e, STATUS_NOMEM, "out of memory");
	json_key(w, "histogram");
	json_array(w);
	if (self_resolving)
		put_entry(w, 0, 0, self_resolving);
	for (size_t i = 0; !status && i < list.items.count; i++) {
		const struct shape_count *c = &list.items.data[i];

		put_entry(w, c->shape.distance, c->shape.branches, c->count);
		status = output_drain(out, e);
	}
	json_array_end(w);
	vec_free(&list.items);
	return status;
}

struct stack_writer {
	struct output *out;
	const struct reduction *r;
	enum status status;
	struct error *e;
};

static bool put_stack_arc(void *arg, const struct stack_arc *arc)
{
	struct stack_writer *s = arg;
	struct json *w = &s->out->json;
	struct shape shape = shapes_get(&s->r->shapes, arc->shape);

	json_array(w);
	json_uint(w, arc->resolver);
	json_uint(w, arc->resolver + shape.distance);
	json_uint(w, shape.distance);
	json_uint(w, shape.branches);
	json_array_end(w);
	s->status = output_drain(s->out, s->e);
	return s->status == STATUS_OK;
}

static enum status put_stacks(struct output *out, const struct reduction *r, struct error *e)
{
	struct stack_writer s = {out, r, STATUS_OK, e};
	struct json *w = &out->json;

	json_key(w, "stacks");
	json_array(w);
	for (size_t i = 0; !s.status && i < r->stacks.list.count; i++) {
		const struct stack *stack = &r->stacks.list.data[i];

		json_object(w);
		put_count(w, "count", stack->count);
		json_key(w, "arcs");
		json_array(w);
		if (!stacks_visit(&r->stacks, stack, put_stack_arc, &s) && !s.status)
			s.status = error_set(e, STATUS_NOMEM, "out of memory");
		json_array_end(w);
		json_object_end(w);
	}
	json_array_end(w);
	return s.status;
}

/* Shapes and stacks that differ in their short branches only are one entry. */
static enum status put_graph(struct output *out, const struct reduction *r, struct error *e)
{
	struct reduction bare;
	enum status status;

	if (!r->shorts) {
		status = put_histogram(out, r, r->self_resolving, e);
		return status ? status : put_stacks(out, r, e);
	}
	status = reduction_without_lengths(r, &bare, e);
	if (status)
		return status;
	status = put_histogram(out, &bare, r->self_resolving, e);
	if (!status)
		status = put_stacks(out, &bare, e);
	reduction_free(&bare);
	return status;
}

static void put_point(struct json *w, const struct reduce_cycles *c, const int64_t *simulated)
{
	json_object(w);
	put_int(w, "ne", c->at.execute);
	put_int(w, "ns", c->at.setup);
	put_int(w, "cycles", c->cycles);
	put_int(w, "flush", c->flush);
	put_int(w, "data", c->data);
	put_int(w, "stack", c->stack);
	put_int(w, "self", c->self);
	json_key(w, "naive");
	c->naive < 0 ? json_null(w) : json_int(w, c->naive);
	json_key(w, "simulated");
	simulated ? json_int(w, *simulated) : json_null(w);
	json_key(w, "inverse_bandwidth");
	json_real(w, (double)c->cycles / (double)c->instructions);
	json_object_end(w);
}

static enum status put_grid(const struct reduce_answer *a, struct output *out, struct error *e)
{
	enum status status = STATUS_OK;

	json_key(&out->json, "grid");
	json_array(&out->json);
	for (size_t i = 0; !status && i < a->point_count; i++) {
		put_point(&out->json, &a->cycles[i], a->simulated ? &a->simulated[i] : NULL);
		status = output_drain(out, e);
	}
	json_array_end(&out->json);
	return status;
}

static void put_dearest(const struct reduce_answer *a, struct json *w)
{
	json_key(w, "dearest");
	json_array(w);
	for (size_t i = 0; i < a->dearest.count; i++) {
		const struct dearest *d = &a->dearest.data[i];

		json_object(w);
		json_key(w, "from_pc");
		json_hex(w, d->from_pc);
		json_key(w, "from_text");
		json_string(w, d->from_text);
		json_key(w, "pc");
		json_hex(w, d->pc);
		json_key(w, "text");
		json_string(w, d->text);
		put_count(w, "count", d->charge.count);
		put_int(w, "cycles", d->charge.cycles);
		json_key(w, "saved");
		d->saved < 0 ? json_null(w) : json_int(w, d->saved);
		put_count(w, "row", d->charge.row);
		json_object_end(w);
	}
	json_array_end(w);
}

static void put_times(const struct reduce_answer *a, struct json *w)
{
	json_key(w, "times");
	if (!a->slack.instructions) {
		json_null(w);
		return;
	}
	json_object(w);
	put_count(w, "arcs", a->slack.arcs);
	put_count(w, "positive", a->slack.positive);
	put_count(w, "kept", a->slack.kept);
	json_key(w, "grid");
	json_array(w);
	for (size_t i = 0; i < a->setup_count; i++) {
		json_object(w);
		put_int(w, "ns", a->setups[i]);
		put_int(w, "cycles", a->slack.kept_cycles[i]);
		put_int(w, "simulated", a->slack.cycles[i]);
		json_object_end(w);
	}
	json_array_end(w);
	json_object_end(w);
}

/* What it rests on. */
static void put_grounds(const struct reduce_answer *a, struct json *w)
{
	json_key(w, "format");
	json_string(w, a->format);
	json_key(w, "isa");
	a->isa == ISA_UNKNOWN ? json_null(w) : json_string(w, isa_key(a->isa));
	json_key(w, "estimate");
	json_bool(w, a->estimate);
	put_count(w, "cap", a->reduction.cap);
	put_count(w, "unread", a->reduction.unread);
	put_count(w, "loads", a->counts.loads);
	put_count(w, "redirects", a->counts.redirects);
	put_count(w, "nops", a->counts.nops);
	put_count(w, "orphans", a->counts.orphans);
	put_count(w, "nameless", a->counts.nameless);
	put_count(w, "bad_lines", a->bad_lines);
}

enum status reduce_json(const struct reduce_answer *a, struct output *out, struct error *e)
{
	struct json *w = &out->json;
	enum status status;

	json_object(w);
	put_count(w, "instructions", a->reduction.instructions);
	put_count(w, "targets", a->reduction.targets);
	put_count(w, "self_resolving", a->reduction.self_resolving);
	put_arcs(w, &a->reduction);
	put_chains(w, &a->reduction);
	status = put_graph(out, &a->reduction, e);
	if (!status)
		status = put_grid(a, out, e);
	if (status)
		return status;
	put_dearest(a, w);
	put_times(a, w);
	put_grounds(a, w);
	json_object_end(w);
	sbuf_putc(&out->text, '\n');
	return STATUS_OK;
}
